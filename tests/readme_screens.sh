#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme_screens.sh BIN_DIR SOURCE_DIR - the screens in README.md and docs/examples.md are what the program prints now,
# see tests/screens.sh, and the picture is what it draws.
# Commands run in a folder that imitates a user's: tests/ of this tree, campaigns/ (published runs), ./model (a workload
# that the profiler can see), kernel_run/ (a profiled kernel), hot_machine/ (its sys and proc) and decoder/ (a repository
# with a model that three changes were tried on).
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/screens.sh
. "$(dirname -- "$0")/screens.sh"
cd "$source" || exit 2
mkdir "$scratch/here" || exit 2
ln -s "$source/tests" "$scratch/here/tests"
printf '#!/bin/sh\nexec synth_workload --seed 1 --model matmul --ops 8\n' >"$scratch/here/model"
chmod +x "$scratch/here/model"
tt-perf synth -q -o "$scratch/here/kernel_run" --model tt-lang-kernel --ops 1 --bottleneck reader --noc || exit 1
sh tests/data/host/unpack.sh tests/data/host/hot.tree "$scratch/here/hot_machine" || exit 1

# One change that is kept, one that is faster and wrong, one variable; the model says what it would take.
tuned()
{
    mkdir "$1" && cd "$1" || return 1
    mkdir golden
    cp "$source/tests/data/tensor/golden_f32.npy" golden/logits.npy
    cat >model.sh <<'END'
#!/bin/sh
mkdir -p out
golden=golden/logits.npy
case $(cat weights) in
bf16) ms=50.0 ;;
bfp8_b) ms=41.1 ;;
*) ms=35.2 golden=other.npy ;;
esac
cat "$golden" >out/logits.npy
[ "${QUEUES:-1}" = 1 ] || ms=$(echo "$ms" | awk '{ print $1 - 4.2 }')
echo "latency: $ms"
END
    chmod +x model.sh
    cp "$source/tests/data/tensor/doubled.npy" other.npy
    echo bf16 >weights
    echo out >.gitignore
    git init -q && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm model || return 1
    tt-perf tune init -q --no-guard --cmd ./model.sh --metric 'latency: ([0-9.]+);unit=ms' --golden golden \
        --outputs out --goal 40ms --data 'batch 32' --board n150 || return 1
    echo bfp8_b >weights
    tt-perf tune try -q --no-guard 'bfp8 weights' --step data-formats || return 1
    echo bfp4_b >weights
    tt-perf tune try -q --no-guard 'bfp4 weights' --step data-formats && return 1
    tt-perf tune try -q --no-guard 'two queues' --env QUEUES=2 --step command-queues
}
needs lz4 # one of them records
command -v git >/dev/null 2>&1 || skip "no git"
command -v zstd >/dev/null 2>&1 || skip "no zstd(1)"
zstd -dqc tests/campaigns/runs.tar.zst | tar -xf - -C "$scratch/here" || exit 1
(tuned "$scratch/here/decoder") >"$scratch/tuned" 2>&1 || {
    cat "$scratch/tuned" >&2
    exit 1
}

for page in README.md docs/examples.md; do
    check "$page" same_screens "$page" "$scratch/here"
    check "$page is wider than 80 columns" narrow "$page"
done

# The picture in README.md, of the same run.
tt-perf report -q "$scratch/here/campaigns/coh-06_before.csv" --roofline -o "$scratch/roofline.svg" || exit 1
if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
    cp "$scratch/roofline.svg" docs/guide/roofline.svg
elif ! cmp -s "$scratch/roofline.svg" docs/guide/roofline.svg; then
    complain "docs/guide/roofline.svg is not what the program draws; TTP_UPDATE_GOLDEN=1 writes it"
fi
exit $failed

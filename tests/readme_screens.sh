#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme_screens.sh BIN_DIR SOURCE_DIR - the screens in README.md are what the program prints now: between
#     <!-- screen:NAME -->   and   <!-- /screen:NAME -->
# there is a block with a command after "$ " (going on after a '\' at the end of a line) and its output on
# 100 columns. TTP_UPDATE_GOLDEN=1 rewrites the output.
# Commands run in a folder that imitates a user's: tests/ of this tree, ./model (a workload that the
# profiler can see), kernel_run/ (a profiled kernel), hot_machine/ (its sys and proc) and decoder/ (a repository
# with a model that three changes were tried on).
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
PATH=$bin:$PATH COLUMNS=100 TERM=dumb LC_ALL=C
export PATH COLUMNS TERM LC_ALL
cd "$source" || exit 2
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
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
(tuned "$scratch/here/decoder") >"$scratch/tuned" 2>&1 || {
    cat "$scratch/tuned" >&2
    exit 1
}

# Copies the page; after each command what it prints replaces the old output.
screens=0
state=page
while IFS= read -r line; do
    case $state,$line in
    page,'<!-- screen:'*) state=open ;;
    open,'```'*) state='command' ;;
    command,*)
        command="${command-}${line#'$ '}
"
        case $line in
        *\\) ;;
        *)
            printf '%s\n' "$line"
            printf '%s' "$command" >"$scratch/command"
            (cd "$scratch/here" && sh "$scratch/command" 2>/dev/null </dev/null) || exit 1
            command=
            screens=$((screens + 1))
            state=output
            continue
            ;;
        esac
        ;;
    output,'```') state=page ;;
    output,*) continue ;;
    esac
    printf '%s\n' "$line"
done <README.md >"$scratch/page"

if [ "$state" != page ] || [ "$screens" = 0 ]; then
    echo "README.md: no screen, or one without an end" >&2
    exit 1
fi
if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
    cmp -s README.md "$scratch/page" || cp "$scratch/page" README.md
    exit
fi
diff -u README.md "$scratch/page" || {
    echo "README.md: not what the program prints; TTP_UPDATE_GOLDEN=1 $0 $1 $2 writes it" >&2
    exit 1
}

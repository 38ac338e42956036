#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme_screens.sh BIN_DIR SOURCE_DIR - the screens in README.md are what the program prints now: between
#     <!-- screen:NAME -->   and   <!-- /screen:NAME -->
# stands a block with a command behind "$ " (going on after a '\' at the end of a line) and its output on
# 100 columns. TTP_UPDATE_GOLDEN=1 writes the output anew.
#
# Commands run in a folder that has what stands for a user's: tests/ of this tree, ./model (a workload that the
# profiler can see), kernel_run/ (a profiled kernel) and hot_machine/ (its sys and proc).
set -u
PATH=$(cd "$1" && pwd):$PATH COLUMNS=100 TERM=dumb LC_ALL=C
export PATH COLUMNS TERM LC_ALL
cd "$2" || exit 2
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
source=$(pwd)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/here" || exit 2
ln -s "$source/tests" "$scratch/here/tests"
printf '#!/bin/sh\nexec synth_workload --seed 1 --model matmul --ops 8\n' >"$scratch/here/model"
chmod +x "$scratch/here/model"
tt-perf synth -q -o "$scratch/here/kernel_run" --model tt-lang-kernel --ops 1 --bottleneck reader --noc || exit 1
sh tests/data/host/unpack.sh tests/data/host/hot.tree "$scratch/here/hot_machine" || exit 1

# Copies the page; behind each command what it prints replaces what stands there.
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

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# widths.sh BIN_DIR SOURCE_DIR - what verbs show fits 80 columns.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
export COLUMNS=80 LC_ALL=C.UTF-8

fits() { # arguments of tt-perf
    "$program" "$@" >out 2>err
    status=$?
    if [ "$status" -gt 1 ] || ! [ -s out ]; then
        echo "FAILED: tt-perf $*: exit status $status" >&2
        cat err >&2
        failed=1
    elif [ "$(wc -L <out)" -gt 80 ]; then
        echo "FAILED: tt-perf $*: $(wc -L <out) columns" >&2
        failed=1
    fi
}

"$program" synth -q -o run --layers 1 || exit 1
"$program" synth -q -o kernel --model tt-lang-kernel --bottleneck reader --noc || exit 1
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/galaxy.tree" machine || exit 1
for verb in $("$program" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$verb" = synth ] || fits "$verb" --help # one of its choices is a longer word
done
fits kernel run
fits kernel kernel
fits annotate kernel
fits noc kernel
fits noc kernel --program 1
fits fit --arch blackhole --dfb 4x4:bf16:2 --dfb a_buffer_of_a_name=2x8:bfp8_b:2
fits fit --arch n150 --embedding 100000x512:fp32
fits fit --from run
fits fit --from kernel
fits fit --ranges p150a
fits top --once --root machine
fits doctor --quick --root machine --why high-latency
exit $failed

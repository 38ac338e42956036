#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# widths.sh BIN_DIR SOURCE_DIR - what verbs show fits 80 columns, and 200.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
cd "$scratch" || exit 2
export LC_ALL=C.UTF-8 XDG_STATE_HOME="$scratch/state" GIT_CEILING_DIRECTORIES="$scratch"
count=0

widest() { # of standard input, code that is set in and tables of Markdown apart
    grep -v '^    [^ ]\|^|' | wc -L
}
fits() { # arguments of tt-perf
    for COLUMNS in 80 200; do
        export COLUMNS
        "$program" "$@" >out 2>err
        status=$?
        count=$((count + 1))
        if { [ "$status" -gt 1 ] && [ "$status" != 7 ]; } || ! [ -s out ]; then
            echo "FAILED: tt-perf $*: exit status $status" >&2
            cat err >&2
            failed=1
        elif [ "$(widest <out)" -gt $COLUMNS ]; then
            echo "FAILED: tt-perf $*: $(widest <out) columns in $COLUMNS" >&2
            awk -v most=$COLUMNS 'length($0) > most' out | head -3 >&2
            failed=1
        fi
    done
}

"$program" synth -q -o run --layers 1 || exit 1
"$program" synth -q -o kernel --model tt-lang-kernel --bottleneck reader --noc || exit 1
"$program" ops -q run -o . >/dev/null && mv ops_perf_results.csv ops.csv || exit 1
sed '$d' ops.csv >shorter.csv
for machine in galaxy hot; do
    sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/$machine.tree" $machine || exit 1
done
verbs=$("$program" --help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 26 ] || { echo "FAILED: the verbs are not found in --help" >&2; exit 1; }
fits --help
for verb in $verbs; do
    [ "$verb" = synth ] || fits "$verb" --help # one of its choices is a longer word
done
fits help exit-codes
fits version
fits schema
fits skill
fits skill model
fits skill kernel
fits explain --list
for page in $("$program" explain --list | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'); do
    fits explain "$page"
done
fits report ops.csv
fits report ops.csv --fold
fits report ops.csv --group-by op
fits report ops.csv --roofline
fits report --columns help
fits info run
fits info kernel
fits info ops.csv
fits kernel run
fits kernel kernel
fits annotate kernel
fits annotate kernel --vs kernel
fits noc kernel
fits noc kernel --program 1
COLUMNS=80 "$program" noc kernel 2>/dev/null | grep -q '^no room in 80 columns for .*Hops' || complain "noc: columns go in silence"
COLUMNS=80 "$program" noc kernel --format csv 2>/dev/null | grep -q 'no room' && complain "noc: a note in the CSV"
fits advise ops.csv
fits advise kernel
fits fit --arch blackhole --dfb 4x4:bf16:2 --dfb a_buffer_of_a_name=2x8:bfp8_b:2
fits fit --arch n150 --embedding 100000x512:fp32
fits fit --from run
fits fit --from kernel
fits fit --ranges p150a
fits diff ops.csv shorter.csv
fits diff ops.csv,ops.csv shorter.csv,shorter.csv
golden=$source/tests/golden
fits pcc "$source/fuzz/corpus/npy/f32.npy" "$source/fuzz/corpus/npy/f32.npy"
printf '%4096s' '' | tr ' ' 'a' >golden.bin
printf '%2048s%2048s' '' '' | tr ' ' 'b' >actual.bin
fits pcc golden.bin actual.bin --dtype f32 --shape 1,1,32,32
"$program" bench -q --no-guard --runs 3 --warmup 0 -o bench.json --variant a=X=1 --variant another=X=2 -- true >/dev/null
case $? in 0 | 7) ;; *) exit 1 ;; esac
fits bench bench.json bench.json
fits bench --no-guard --runs 3 --warmup 0 --compare true -- true
# shellcheck disable=SC2016  # the command's own shell expands it
fits bench --no-guard --runs 2 --warmup 0 --sweep B=1,2,3 -- sh -c 'test $B -lt 9'
cp -R "$golden/tune_status/state" tuned || exit 1
fits tune status --state tuned
fits tune report --state tuned
fits tune report --state tuned --run run
if part sqlite; then
    "$program" history -q add --no-git --no-machine ops.csv shorter.csv bench.json >/dev/null || exit 1
    "$program" history -q import "$source/tests/data/history_runs.jsonl" >/dev/null || exit 1
    fits history list
    fits history show 1 --ops
    fits history show 3
    fits history trend 'decode: t/s/u'
    fits history regressions --since 2026-01-20
fi
for machine in galaxy hot; do
    fits top --once --root $machine
    fits doctor --quick --root $machine
    fits doctor --quick --root $machine --guide
    for why in low-throughput high-latency memory-errors; do
        fits doctor --quick --root $machine --why $why
    done
done
echo "$count screens"
finish

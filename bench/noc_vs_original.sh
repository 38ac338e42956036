#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# noc_vs_original.sh [--vs PROGRAM] - `tt-perf noc` from start to exit on traces of 100 thousand and a
# million records, with and without the timeline: one JSON line each, medians of runs taken turn by turn;
# cpu_s is processor time, which other work on the machine moves less than the time that passes.
#
# With --vs a program that runs tt-npe on the same file beside it, called as PROGRAM FILE DEVICE
# [TIMELINE]: then the bars are checked, a tenth of its time and a tenth of its memory. Needs
# build/release. ROUNDS (3) is how often each runs; LARGE=1 adds the million, which takes tt-npe a minute
# and 3 GB without the timeline, which is not asked of it there.
set -u
root=$(cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 2
bin=$root/build/release
rounds=${ROUNDS:-3}
original=
status=0

die() {
    echo "noc_vs_original: $*" >&2
    exit 2
}

case ${1-} in
'') ;;
--vs)
    [ $# -eq 2 ] || die "--vs takes a program that runs tt-npe"
    [ -x "$2" ] || die "cannot run '$2'"
    original=$2
    ;;
*) die "unknown argument '$1'" ;;
esac
for program in tt-perf timed gen_noc_trace; do
    [ -x "$bin/$program" ] || die "no build/release/$program: build the release preset first"
done
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

median() { # column, file
    awk -v c="$1" '{ print $c }' "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

compare() { # name, file, timeline or nothing
    : >"$scratch/ours"
    : >"$scratch/theirs"
    i=0
    while [ "$i" -lt "$rounds" ]; do
        "$bin/timed" "$bin/tt-perf" noc -q --compat --format json -d wormhole_b0 \
            ${3:+--timeline "$scratch/ours.npeviz.json.zst"} "$2" >>"$scratch/ours"
        [ -z "$original" ] || "$bin/timed" "$original" "$2" wormhole_b0 ${3:+"$scratch/theirs.npeviz"} \
            >>"$scratch/theirs"
        i=$((i + 1))
    done
    s=$(median 1 "$scratch/ours") kb=$(median 2 "$scratch/ours") cpu=$(median 4 "$scratch/ours")
    if [ -n "$original" ]; then
        os=$(median 1 "$scratch/theirs") okb=$(median 2 "$scratch/theirs") ocpu=$(median 4 "$scratch/theirs")
        awk -v n="$1" -v s="$s" -v cpu="$cpu" -v kb="$kb" -v os="$os" -v ocpu="$ocpu" -v okb="$okb" 'BEGIN {
            printf "{\"bench\":\"noc\",\"input\":\"%s\",\"s\":%.3f,\"cpu_s\":%.3f,\"kb\":%d,", n, s, cpu, kb
            printf "\"original_s\":%.3f,\"original_cpu_s\":%.3f,\"original_kb\":%d,", os, ocpu, okb
            printf "\"times_faster\":%.1f,\"cpu_times_less\":%.1f,\"times_smaller\":%.1f}\n", os / s, ocpu / cpu, okb / kb
            exit !(os / s >= 10 && okb / kb >= 10) }' || status=1
    else
        printf '{"bench":"noc","input":"%s","s":%s,"cpu_s":%s,"kb":%s}\n' "$1" "$s" "$cpu" "$kb"
    fi
}

"$bin/gen_noc_trace" 100000 >"$scratch/small.json" || exit 2
compare small "$scratch/small.json"
compare small_timeline "$scratch/small.json" yes
if [ -n "${LARGE:-}" ]; then
    "$bin/gen_noc_trace" 1000000 >"$scratch/large.json" || exit 2
    rounds=1
    compare large "$scratch/large.json"
    original=
    compare large_timeline "$scratch/large.json" yes
fi
exit $status

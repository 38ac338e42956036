#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# selftest.sh BIN_DIR SOURCE_DIR - 'selftest' finds this installation whole; with --device it checks a stand-in for a
# machine with a card: a synthetic sysfs tree, the synthetic workload, and a tt-metal whose programs print what the real
# ones do. It finds what is broken there, and says what it could not check.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
command -v jq >/dev/null || skip "no jq"
command -v python3 >/dev/null || skip "no python3"
cd -- "$scratch" || exit 2
mkdir tmp && export TMPDIR="$scratch/tmp" # nothing is left there at the end
unset TT_METAL_HOME TT_METAL_RUNTIME_ROOT TT_METAL_PROFILER_DIR TRACY_PORT

level() # FILE CHECK
{
    jq -r --arg id "$2" '[.data.checks[] | select(.id == $id) | .level] | join(" ")' "$1"
}
expect() # FILE CHECK LEVEL
{
    got=$(level "$1" "$2")
    [ "$got" = "$3" ] || complain "$1: $2 is '$got', not $3: $(jq -c --arg id "$2" '.data.checks[] | select(.id == $id)' "$1")"
}

# --- the installation ---

"$program" selftest -q -o here.json || complain "selftest: $?"
[ "$(jq '[.data.checks[] | select(.level == "fail")] | length' here.json)" = 0 ] || complain "$(jq -c .data.checks here.json)"
for check in synth ops report same advise trace page; do
    expect here.json verb.$check pass
done
[ "$(jq '[.data.checks[] | select(.id | startswith("lib."))] | length' here.json)" = 8 ] || complain "libraries"

# --- usage, input, environment, output ---

status() # STATUS WORDS...
{
    want=$1
    shift
    "$program" selftest "$@" >out 2>err
    got=$?
    [ "$got" = "$want" ] || complain "selftest $*: $got, not $want: $(cat err)"
}
status 2 --no-such
status 2 -- true
status 2 --root /
status 2 --device --minutes 0
echo 'not a table' >boards.conf
status 3 --boards boards.conf
status 5 --device --root nowhere
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/no_card.tree" bare || exit 2
status 4 --device --root bare
grep -q 'no Tenstorrent card' err || complain "no card: $(cat err)"

# --- a machine with a card and tt-metal ---

sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" tree || exit 2
tests=metal/build/test/tt_metal/perf_microbenchmark
mkdir -p "$tests/dispatch" "$tests/6_dram_offchip" metal/tools/tracy
cat >"$tests/dispatch/benchmark_rw_buffer" <<'END'
#!/bin/sh
for word; do
    case $word in --benchmark_out=*) out=${word#*=} ;; esac
done
sed -n '1,$p' "$RW_SAMPLE" >"$out"
END
cat >"$tests/6_dram_offchip/test_dram_offchip" <<'END'
#!/bin/sh
cat "$DRAM_SAMPLE"
END
chmod +x "$tests/dispatch/benchmark_rw_buffer" "$tests/6_dram_offchip/test_dram_offchip"
# tt-metal's post-processing: what it writes is made by the program under test, and changed if asked to
cat >metal/tools/tracy/process_ops_logs.py <<'END'
import os, subprocess, sys
out = sys.argv[sys.argv.index("-o") + 1]
subprocess.run([os.environ["TT_PERF"], "ops", "-q", os.environ["TT_METAL_PROFILER_DIR"], "--compat", "-o", out], check=True)
path = os.path.join(out, "ops_perf_results.csv")
text = open(path).read()
if os.environ.get("CHANGE") == "cell":
    text = text.replace("HiFi2", "HiFi3", 1)
if os.environ.get("CHANGE") == "fail":
    sys.exit(1)
open(path, "w").write(text)
END
export RW_SAMPLE="$source/fuzz/corpus/transfers/rw_aggregates.json" DRAM_SAMPLE="$source/fuzz/corpus/transfers/dram.txt"
export TT_PERF="$program"
device() # FILE WORDS... - of the environment
{
    file=$1
    shift
    env TT_METAL_HOME="$scratch/metal" "$@" "$program" selftest --device --root tree -q -o "$file" -- \
        "$bin/synth_workload" --seed 3 --layers 1
}

device good.json A=B || complain "a good machine: $? $(jq -c '.data.checks[] | select(.level == "fail")' good.json)"
for check in capture.run capture.ops capture.markers ops.equal bw.dram; do
    expect good.json $check pass
done
case $(level good.json predict.matmuls) in
pass | warn | fail) ;;
*) complain "predictions: $(jq -c '.data.checks[] | select(.id == "predict.matmuls")' good.json)" ;;
esac
[ "$(jq '.data.matmuls | length > 0 and all(.ratio > 0 and .device_us > 0)' good.json)" = true ] ||
    complain "matmuls: $(jq -c .data.matmuls good.json)"
got=$(jq -r '[.data.bandwidth.rates[] | select(.name | test("device|dram")) | "\(.name) \(.device) \(.median_gbs)"] | join("; ")' good.json)
memory=$(awk '$1 == "MemAvailable:" { print ($2 >= 9437184) }' /proc/meminfo)
if [ "$memory" = 1 ]; then
    [ "$got" = "host-to-device 0 12.5; device-to-host 0 9.5; dram-read 0 134.217728" ] || complain "rates: $got"
fi

# what is broken is found
CHANGE=cell device cell.json A=B
[ $? -eq 1 ] || complain "another cell: $?"
expect cell.json ops.equal fail
jq -r '.data.checks[] | select(.id == "ops.equal") | .text' cell.json | grep -q "^first: .* of call [0-9]" ||
    complain "the cell is not named"
echo 'Test Failed' >failed.txt
CHANGE=fail DRAM_SAMPLE=$scratch/failed.txt RW_SAMPLE=/dev/null device broken.json A=B || complain "broken benchmarks: $?"
for check in ops.equal bw.dram bw.h2d; do
    expect broken.json $check skip
done

# what cannot be checked is told: no tt-metal, nothing captured, no time
"$program" selftest --device --root tree -q -o nothing.json -- true
[ $? -eq 1 ] || complain "a command that captures nothing"
expect nothing.json capture.run fail
for check in capture.ops capture.markers ops.equal predict.matmuls bw.h2d bw.d2h bw.dram; do
    expect nothing.json $check skip
done
"$program" selftest --device --root tree --minutes 0.0001 -q -o late.json -- true || complain "no time: $?"
[ "$(jq '[.data.checks[] | select(.level == "skip")] | length >= 20' late.json)" = true ] || complain "$(jq -c .data.checks late.json)"

# one report, in every format
for format in text md csv html; do
    "$program" selftest -q --device --root tree --minutes 0.0001 --format $format -- true >"report.$format" ||
        complain "--format $format: $?"
    grep -q ops.equal "report.$format" || complain "no check in $format"
done
leftover=$(ls -A tmp)
[ -z "$leftover" ] || complain "left behind: $leftover"
exit $failed

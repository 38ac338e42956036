#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_window.sh BIN_DIR SOURCE_DIR - mesh, report, diff and history count the same iterations of a run, and their
# figures per iteration agree.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
command -v python3 >/dev/null || skip "no python3"
originals mesh
cd "$scratch" || exit 2

cat >check.py <<'END'
import json, sys
mesh, report, diff = (json.load(open(f))["data"] for f in ("mesh.json", "report.json", "diff.json"))
window, side = report["window"], diff["comparisons"][0]["mesh"]["base"]
counts = mesh["iterations"], window["iterations"], side["iterations"]
assert len(set(counts)) == 1, "iterations of mesh, report and diff: %d, %d, %d" % counts
assert 0 < mesh["window_op_count"] <= mesh["op_count"]
# one iteration of a device has no more ops than the window of all devices together
assert mesh["window_op_count"] >= window["iterations"] * window["op_count"] * 0.95, "ops of the window"
devices = {d["name"]: d for d in mesh["devices"]}
if side["straggler"]:
    one, other = side["straggler_us"], devices[side["straggler"]]["iteration_excess_us"]
    assert abs(one - other) < 0.11, "excess of %s: diff %s, mesh %s" % (side["straggler"], one, other)
if mesh["window_op_count"] == mesh["op_count"]:
    for d in mesh["devices"]:
        assert abs(d["iteration_excess_us"] * mesh["iterations"] - d["excess_us"]) < 0.1 * mesh["iterations"]
print("%d %d %d" % (mesh["iterations"], mesh["window_op_count"], mesh["op_count"]))
END
agree() # RUN: sets $said to iterations, ops of them, all ops
{
    "$program" mesh -q --format json "$1" >mesh.json || complain "mesh $1: exit status $?"
    "$program" report -q --format json "$1" >report.json || complain "report $1: exit status $?"
    "$program" diff -q --format json "$1" "$1" >diff.json || complain "diff $1: exit status $?"
    said=$(python3 check.py 2>&1) || complain "$1: $said"
}

for run in "$folder"/golden/*/ "$folder"/real/*.csv; do
    case $run in
    *mus-17_before*) continue ;; # its clocks contradict each other
    esac
    agree "$run"
done
agree "$folder/real/galaxy_32.csv"
check "the iterations of 32 chips are in ranges between signposts: $said" test "$said" = '3 300 723'

# Runs of our own are all iterations; a first one that takes longer is a warm-up, as in report.
for ranks in 1 2 4; do
    "$program" synth -q -o run --ranks $ranks --mesh 2x4 --iterations 5 --straggler 0:1 || exit 2
    agree run
    contains "$said" '^5 170 170$' || complain "$ranks ranks, 5 iterations: $said"
    rm -rf run
done
"$program" synth -q -o run --ranks 2 --mesh 2x4 --iterations 5 --straggler 0:1 || exit 2
python3 - <<'END'
import csv, glob
for path in glob.glob("run/rank*/reports/*/*.csv"):
    rows = list(csv.DictReader(open(path)))
    # the first iteration is half as slow again on the device
    devices = len({r["DEVICE ID"] for r in rows})
    for r in rows[:34 * devices]:
        if "Matmul" in r["OP CODE"]:
            for name in ("DEVICE KERNEL DURATION [ns]", "DEVICE FW DURATION [ns]"):
                if r.get(name):
                    r[name] = str(int(float(r[name]) * 2))
    with open(path, "w", newline="") as out:
        w = csv.DictWriter(out, rows[0].keys())
        w.writeheader()
        w.writerows(rows)
END
agree run
contains "$said" '^4 136 170$' || complain "a warm-up counts: $said"
contains "$("$program" mesh -q run)" 'per iteration are of 4 iterations with 136 ops' || complain "mesh does not report what it counts"
exit $failed

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_passes.py PROGRAM MERGED SINGLE LINES NOC COUNTED - every figure that a merged run and one of its passes both
have is the same in kernel, annotate, noc, advise and the CSV of ops."""
import csv
import glob
import json
import subprocess
import sys

program, merged, single, lines, noc, counted = sys.argv[1:]
failed = False


def complain(text):
    global failed
    failed = True
    print("FAILED:", text, file=sys.stderr)


def data(verb, run):
    out = subprocess.run([program, verb, run, "--format", "json"], capture_output=True, text=True, check=False)
    if out.returncode:
        complain(f"{verb} {run}: {out.stderr}")
        return {}
    return json.loads(out.stdout)["data"]


def compare(what, a, b, skip=()):
    """Where both have something, it is the same; returns how many figures were compared."""
    if isinstance(a, dict) and isinstance(b, dict):
        return sum(compare(f"{what}.{k}", a[k], b[k], skip) for k in a.keys() & b.keys() if k not in skip)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b) and a and b:
            complain(f"{what}: {len(a)} and {len(b)} elements")
        return sum(compare(f"{what}[{i}]", x, y, skip) for i, (x, y) in enumerate(zip(a, b)))
    if a is None or b is None:
        return 0
    if a != b:
        complain(f"{what}: {a} and {b}")
    return 1


def require(what, count, least):
    if count < least:
        complain(f"{what}: only {count} figures compared, at least {least} expected")


# who repeats a run, and its folder, are not figures; signposts are dropped where lines are compiled in
apart = {"repeat", "source", "file", "path", "inputs", "signposts", "report", "input", "run", "name"}
for verb, least in (("kernel", 150), ("annotate", 100), ("noc", 40), ("advise", 10)):
    require(f"{verb} against a single pass", compare(f"{verb} {merged} {single}", data(verb, merged), data(verb, single), apart), least)
require("annotate against its own pass", compare("annotate, lines", data("annotate", merged), data("annotate", lines), apart), 100)
# of the threads, the pass of NoC events knows the kernels but not what they waited for
waits = apart | {"bottleneck", "targets", "wait_percent", "wait_for_room_percent", "barrier_percent", "kernel", "zones", "line_cycles"}
waits |= {k for k in data("kernel", noc)["programs"][0]["threads"][0] if "wait" in k or "barrier" in k or "zone" in k or "line" in k}
require("kernel against NoC events", compare("kernel, noc", data("kernel", merged), data("kernel", noc), waits), 60)
require("noc against its own pass", compare("noc, noc", data("noc", merged), data("noc", noc), apart), 40)


def ops(run):
    text = subprocess.run([program, "ops", run, "-o", run + "/again"], capture_output=True, text=True, check=False)
    if text.returncode:
        complain(f"ops {run}: {text.stderr}")
    with open(glob.glob(run + "/again/ops_perf_results*.csv")[0], newline="") as f:
        return list(csv.DictReader(f))


def compare_ops(what, a, b, least):
    count = 0
    times = ("HOST START TS", "HOST END TS", "HOST DURATION [ns]")
    for x, y in zip(a, b):
        for column in x.keys() & y.keys():
            if x[column] and y[column] and column not in times:
                count += 1
                if x[column] != y[column]:
                    complain(f"{what}, {column}: {x[column]} and {y[column]}")
    require(what, count, least)


of_merged = ops(merged)
compare_ops("ops against a single pass", of_merged, ops(single), 40)
with open(glob.glob(counted + "/ops_perf_results*.csv")[0], newline="") as f:
    of_counters = list(csv.DictReader(f))
compare_ops("ops against counters", of_merged, of_counters, 200)
if not any(c.endswith("(%)") and of_merged[0][c] for c in of_merged[0]):
    complain("the ops of a merged run have no counters")
sys.exit(failed)

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace_stacks.sh BIN_DIR SOURCE_DIR - the stacks of 'trace --format folded' and their times are those that the slices of
# --format chrome-json nest to; speedscope has the same; the suffix of -o chooses the format.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2
"$program" synth -q -o run --layers 1 --cores 3 || exit 1
"$program" synth -q -o kernel --model tt-lang-kernel --cores 2 || exit 1
"$program" synth -q -o ranks --ranks 2 --mesh 1x2 --layers 1 || exit 1
for run in run kernel ranks; do
    check "$run: folded" "$program" trace -q "$run" -o stacks.folded
    check "$run: speedscope" "$program" trace -q "$run" -o stacks.speedscope.json
    check "$run: chrome-json" "$program" trace -q "$run" -o slices.json
    "$program" trace -q "$run" --format folded | cmp -s - stacks.folded || complain "$run: -o and standard output differ"
    "$program" trace -q "$run" -j1 --format folded | cmp -s - stacks.folded || complain "$run: threads change the output"
    python3 -B - "$run" <<'END' || failed=1
import collections
import json
import sys

with open("slices.json", encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
names = {(e["pid"], e["tid"], e["name"]): e["args"].get("name") for e in events if e["ph"] == "M"}
processes = {pid: name for (pid, _, what), name in names.items() if what == "process_name"}
threads = {(pid, tid): name for (pid, tid, what), name in names.items() if what == "thread_name"}
slices = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        start = round(e["ts"] * 1000)
        slices[e["pid"], e["tid"]].append((start, -round(e["dur"] * 1000), e["name"]))
want, totals = collections.Counter(), collections.Counter()
for (pid, tid), track in slices.items():
    open_slices = []
    path = [processes[pid]] + ([threads[pid, tid]] if (pid, tid) in threads else [])
    for start, minus, name in sorted(track, key=lambda s: s[:2]):
        while open_slices and open_slices[-1][0] <= start:
            open_slices.pop()
        for outer in open_slices[-1:]:
            want[outer[1]] += minus
        key = " ".join(path + [s[2] for s in open_slices] + [name]).replace(";", ":")
        want[key] -= minus
        open_slices.append((start - minus, key, name))
        if len(open_slices) == 1:
            totals[" ".join(path)] -= minus
got = collections.Counter()
with open("stacks.folded", encoding="utf-8") as file:
    for line in file:
        stack, ns = line.rstrip("\n").rsplit(" ", 1)
        got[stack.replace(";", " ")] += int(ns)
want = collections.Counter({key: ns for key, ns in want.items() if ns > 0})
bad = [key for key in want.keys() | got.keys() if want[key] != got[key]]
if bad or len(want) < 5:
    print(f"FAILED: {sys.argv[1]}: {len(bad)} of {len(want)} stacks: {[(k, want[k], got[k]) for k in bad[:3]]}", file=sys.stderr)
    sys.exit(1)
with open("stacks.speedscope.json", encoding="utf-8") as file:
    scope = json.load(file)
frames = [f["name"] for f in scope["shared"]["frames"]]
theirs = collections.Counter()
for profile in scope["profiles"]:
    if profile["type"] != "sampled" or sum(profile["weights"]) != profile["endValue"]:
        sys.exit(f"FAILED: profile {profile['name']}")
    for sample, weight in zip(profile["samples"], profile["weights"], strict=True):
        theirs[" ".join([profile["name"]] + [frames[i] for i in sample]).replace(";", ":")] += weight
if theirs != got:
    sys.exit(f"FAILED: {sys.argv[1]}: speedscope has other stacks")
END
done
status 2 "$program" trace kernel --format folded -o x.json
contains "$text" "conflicts with the suffix" || complain "says $text"
status 2 "$program" trace kernel -o x.csv
status 2 "$program" trace kernel --serve --format folded
[ ! -e x.json ] || complain "a refused file is written"
finish

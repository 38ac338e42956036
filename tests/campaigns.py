# SPDX-License-Identifier: Apache-2.0
"""campaigns.py TT_PERF FOLDER - what tt-perf says of real runs against what is known of them; see campaigns/README.md.

The window of every run is within 1 % of the truth, and a diff of every pair on equal hardware within 2 points of it.
"""
import csv
import json
import subprocess
import sys

WINDOW_PCT = 1.0
DIFF_POINTS = 2.0


def ask(words):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if ran.returncode:
        raise SystemExit(f"FAILED: {' '.join(words)}: exit {ran.returncode}: {ran.stderr[:300]}")
    return json.loads(ran.stdout)


def main():
    program, folder = sys.argv[1:3]
    failures = []
    known = {}
    with open(f"{folder}/campaigns.tsv", encoding="utf-8", newline="") as table:
        pairs = list(csv.DictReader(table, delimiter="\t"))
    for pair in pairs:
        choice = ["--window", pair["window"]] if pair["window"] else []
        sides = ("before",) if pair["type"] == "tp" and choice else ("before", "after")
        for side in sides:
            key = (pair[side], pair["window"])
            if key not in known:
                words = [program, "report", f"{folder}/{pair[side]}", "--format", "json", *choice]
                data = ask(words)["data"]
                known[key] = data["window"]["device_us"]
                ids = [op["id"] for op in data["ops"]]
                if min(ids) < data["window"]["first_id"] or max(ids) > data["window"]["last_id"]:
                    failures.append(f"{pair[side]}: ops {min(ids)}-{max(ids)} are outside of the window")
            truth = float(pair[f"device_us_{side}"])
            off = (known[key] / truth - 1) * 100
            if abs(off) > WINDOW_PCT:
                failures.append(f"{pair['id']} {side}: {known[key]:.1f} us, not {truth}: {off:+.2f} %")
        if pair["type"] == "tp":
            continue
        words = [program, "diff", f"{folder}/{pair['before']}", f"{folder}/{pair['after']}", "--format", "json"]
        total = ask(words + choice)["data"]["comparisons"][0]["total"]
        truth = (float(pair["device_us_after"]) / float(pair["device_us_before"]) - 1) * 100
        if abs(total["change_percent"] - truth) > DIFF_POINTS:
            failures.append(f"{pair['id']}: diff says {total['change_percent']:+.2f} %, not {truth:+.2f} %")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(known)} windows and {len(pairs)} pairs, {len(failures)} wrong")
    return 1 if failures or len(known) < 70 else 0


sys.exit(main())

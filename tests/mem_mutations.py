# SPDX-License-Identifier: Apache-2.0
"""mem_mutations.py PROGRAM INPUTS - properties of `tt-perf mem` over captures that were changed at random."""
import json
import os
import random
import re
import subprocess
import sys

PROGRAM, INPUTS = sys.argv[1:3]
PARTS = ("cb", "input", "output", "intermediate", "waiting", "stale")
random.seed(2026)
failed = 0


def complain(name, text):
    global failed
    failed += 1
    if failed <= 20:
        print(f"{name}: {text}", file=sys.stderr)


def run(*words):
    return subprocess.run([PROGRAM, "mem", *words], capture_output=True, text=True)


def rows(path):
    """CSV of ops: one dict each, or None and the status."""
    done = run("--format", "csv", path)
    if done.returncode > 1:
        return None, done
    lines = [line.split(",") for line in done.stdout.splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:] if len(line) == len(lines[0])], done


def check_splits(name, path):
    table, done = rows(path)
    if table is None:
        if done.returncode not in (2, 3):
            complain(name, f"status {done.returncode}: {done.stderr[:200]}")
        return
    for row in table:
        parts = [row.get(f"{part}_bytes") or "0" for part in PARTS]
        if row.get("l1_peak_bytes") and sum(map(int, parts)) != int(row["l1_peak_bytes"]):
            complain(name, f"op {row['op']}: parts {parts} are not {row['l1_peak_bytes']}")


def mutate(document):
    """A few changes that a capture of another run could have."""
    nodes = document["graph"] if isinstance(document, dict) else document
    for _ in range(random.randint(1, 4)):
        node = random.choice(nodes)
        params = node.get("params") or {}
        what = random.randrange(4)
        if what == 0 and "size" in params:
            params["size"] = random.choice([0, 1, 2048, 10**6, str(4096)])
        elif what == 1 and "address" in params:
            params["address"] = random.choice([0, 103712, 1474560, 10**7])
        elif what == 2 and "max_size_per_bank" in params:
            del params["max_size_per_bank"]
        elif node["node_type"] in ("buffer_deallocate", "function_end", "circular_buffer_deallocate_all"):
            node["node_type"] = "unknown_kind"


def captures():
    for case in sorted(os.listdir(INPUTS)):
        path = os.path.join(INPUTS, case, "graph_capture.json")
        if os.path.isfile(path) and os.path.getsize(path) < 2_000_000:
            yield case, path


def check_mutations(case, path):
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        json.loads(text)
    except ValueError:
        return  # a case of truncation
    for number in range(4):
        document = json.loads(text)
        mutate(document)
        with open("mutant.json", "w", encoding="utf-8") as f:
            json.dump(document, f, indent=2)
        check_splits(f"{case} mutant {number}", "mutant.json")
    for _ in range(3):
        cut = random.randrange(2, len(text) - 2)
        with open("cut.json", "w", encoding="utf-8") as f:
            f.write(text[:cut])
        done = run("cut.json")
        if done.returncode != 3 or not re.search(r"byte \d+", done.stderr):
            complain(case, f"cut at {cut}: status {done.returncode}: {done.stderr[:200]}")


count = 0
for case_name, file in captures():
    count += 1
    check_splits(case_name, file)
    check_mutations(case_name, file)
print(f"{count} captures, {failed} faults")
sys.exit(failed > 0 or count == 0)

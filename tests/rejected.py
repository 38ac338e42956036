# SPDX-License-Identifier: Apache-2.0
"""rejected.py TT_PERF FOLDER SOURCE - what engineers tried and rejected is not advised, or marked "try".

tests/campaigns/rejected.tsv lists the candidates: the rules that would lead to one, the ops that it was about, and the runs
that have the settings it was compared with. A rule that promises more than 1 % of the iteration there without "try" is a
failure. Rows without a rule are candidates that no rule leads to, such as a higher math fidelity. Every rule that a
candidate names must have a section "Where it lost" on its page, and so must every other rule.
"""
import csv
import os
import re
import subprocess
import sys

from advice_score import advise, name_of, read_rows

LEAST = 0.01


def sure_promise(plan, rules, ops, table):
    """Per rule: microseconds that the plan promises for these ops without "try"."""
    for item in plan:
        if item["rule"] not in rules or item["confidence"] == "try":
            continue
        gains = [(bool(re.search(ops, name_of(table[op["id"] - 2]))), op.get("gain_us") or 0) for op in item["ops"]]
        whole = sum(gain for _, gain in gains) or 1.0
        yield item["rule"], (item.get("further_us") or 0) * sum(gain for here, gain in gains if here) / whole


def check_candidates(program, folder, source):
    with open(f"{folder}/campaigns.tsv", encoding="utf-8", newline="") as table:
        pairs = list(csv.DictReader(table, delimiter="\t"))
    with open(f"{source}/tests/campaigns/rejected.tsv", encoding="utf-8", newline="") as table:
        rejected = list(csv.DictReader((line for line in table if not line.startswith("#")), delimiter="\t"))
    known, failed, looked = {}, 0, 0
    for row in rejected:
        rules = [rule for rule in row["rules"].split(",") if rule]
        for run in row["runs"].split() if rules else []:
            if run not in known:
                window = next((p["window"] for p in pairs if f"{run}.csv" in (p["after"], p["before"])), "")
                data, plan = advise(program, f"{folder}/{run}.csv", window)
                known[run] = data, plan, read_rows(f"{folder}/{run}.csv")
            data, plan, table = known[run]
            looked += 1
            for rule, promised in sure_promise(plan, rules, row["ops"], table):
                if promised > LEAST * data["window"]["device_us"]:
                    failed += 1
                    print(f"FAILED: {run}: {rule} promises {promised:.1f} us ({100 * promised / data['window']['device_us']:.1f} %): {row['candidate']}: {row['reason']}")
    print(f"{len(rejected)} candidates, {looked} looked up in {len(known)} runs, {failed} advised without try")
    return failed


def check_pages(program, source):
    listed = subprocess.run([program, "explain", "--list", "--format", "csv"], capture_output=True, text=True, check=True).stdout
    rules = [row for row in csv.DictReader(listed.splitlines()) if row.get("kind") == "rule"]
    failed = 0
    for row in rules:
        path = f"{source}/docs/explain/{row['name']}.md"
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        part = re.search(r"^## Where it lost\n(.+?)(?=^## |^See also|\Z)", text, re.M | re.S)
        if not part or len(part.group(1).split()) < 4:
            failed += 1
            print(f"FAILED: {path}: no section 'Where it lost'")
    print(f"{len(rules)} pages")
    return failed + (len(rules) < 30)


def main():
    program, folder, source = sys.argv[1:4]
    sys.exit(1 if check_candidates(program, folder, source) + check_pages(program, source) else 0)


if __name__ == "__main__":
    main()

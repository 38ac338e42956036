# SPDX-License-Identifier: Apache-2.0
"""advice_score.py TT_PERF FOLDER [--pairs] [--bars] [--anchor] - how often `tt-perf advise` is right; see docs/advice.md.

Every pair of campaigns/README.md is a run before and after a change that engineers made. The program sees the run before.
The advice is right if a rule that leads to the change names an op that was changed, with a gain: in the first place, in the
first three, or anywhere in the plan. The ratio is what those rules promise for those ops over what the change brought.
A candidate that lost is a false lead if a rule promises more than 1 % for it without saying "try". What plans promise on
final states, where engineers found no more, is the median over those runs.
With --bars the program ends with 1 if a figure is worse than its bar. --anchor scores the sentences of tt-perf-report, the
drop-in beside TT_PERF, on the same pairs: in the order of the time of the ops that they name.
"""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

BARS = {"hit1": 70.0, "hit3": 88.0, "named": 95.0, "within": 82.0, "final": 6.0, "false_leads": 0}
MEDIAN = (0.85, 1.15)
ABOUT_STARTS = {"warm-up", "startup"}
NEAR = (0.67, 1.5)
csv.field_size_limit(1 << 30)


def read_rows(path):
    with open(path, encoding="utf-8", errors="replace", newline="") as table:
        return list(csv.DictReader(table))


def sizes(row, tensor):
    cells = (row.get(f"{tensor}_{d}_PAD[LOGICAL]") or row.get(f"{tensor}_{d}") or "" for d in "WZYX")
    padded = [cell.split("[")[0] for cell in cells]
    while len(padded) > 2 and padded[0] in ("1", ""):
        padded.pop(0)
    return padded


def name_of(row):
    """As the column ops_before of campaigns.tsv names ops."""
    op = row["OP CODE"].replace("DeviceOperation", "")
    first = sizes(row, "INPUT_0")
    if "atmul" not in op and "Linear" not in op:
        return f"{op} {'x'.join(first)}"
    second = sizes(row, "INPUT_1")
    name = f"{op} {'x'.join([*first[:-1], first[-1], second[-1]])}"
    return name + (f" (B {'x'.join(second[:-2])})" if len(second) > 2 else "")


BOARDS = []  # options that give other constants


def advise(program, path, window):
    words = [program, "advise", path, "--format", "json", "--top", "100000", *BOARDS]
    words += ["--window", window] if window and window != "?" else []
    ran = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if ran.returncode:
        raise SystemExit(f"FAILED: {' '.join(words)}: exit {ran.returncode}: {ran.stderr[:300]}")
    data = json.loads(ran.stdout)["data"]
    if len(data["plan"]) > 8:
        raise SystemExit(f"FAILED: {path}: a plan of {len(data['plan'])} entries")
    return data, [item for item in data["plan"] if item["rule"] not in ABOUT_STARTS]


class Pair:
    """What the plan of the run before says of the ops that were changed."""

    def __init__(self, row, plan, table):
        self.row = row
        self.rank, self.promised, self.sure, self.rule = 0, 0.0, 0.0, ""
        self.before, self.after = float(row["device_us_before"]), float(row["device_us_after"])
        accepted = row["rules"].split(",")
        changed = {i for i, r in enumerate(table) if re.search(row["ops_before"], name_of(r))}
        touched = sum(float(table[i].get("DEVICE KERNEL DURATION [ns]") or 0) for i in changed) / 1e3
        for place, item in enumerate(plan, 1):
            gains = [(op["id"] - 2 in changed, op.get("gain_us") or 0) for op in item["ops"]]
            here = any(is_changed for is_changed, _ in gains)
            if item["rule"] not in accepted or not here:
                continue
            whole = sum(gain for _, gain in gains) or 1.0
            part = (item.get("further_us") or 0) * sum(gain for is_changed, gain in gains if is_changed) / whole
            self.promised += part
            self.sure += 0 if item["confidence"] == "try" else part
            if not self.rank and part >= min(1.0, 0.01 * max(touched, 1)):
                self.rank, self.rule = place, item["rule"]

    @property
    def ratio(self):
        saved = self.before - self.after
        return self.promised / saved if self.rank and saved > 0 else None


def beyond_time(data, plan):
    """Does a plan promise more than the device time of the window? Rules about gaps do not count."""
    promised = sum(item.get("further_us") or 0 for item in plan if item["step"] not in ("metal-trace", "command-queues"))
    return promised > (data.get("window") or {}).get("device_us", data["total_us"]) * 1.001


def score(program, folder):
    with open(f"{folder}/campaigns.tsv", encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    pairs, too_much = [], []
    for row in rows:
        data, plan = advise(program, f"{folder}/{row['before']}", row["window"])
        pairs.append(Pair(row, plan, read_rows(f"{folder}/{row['before']}")))
        if beyond_time(data, plan):
            too_much.append(row["id"])
    finals = []
    befores = {row["before"] for row in rows}
    for name in sorted({row["after"] for row in rows if row["type"] in ("gain", "null")} - befores):
        row = next(r for r in rows if r["after"] == name)
        _, plan = advise(program, f"{folder}/{name}", row["window"])
        left = sum(item.get("further_us") or 0 for item in plan if item["confidence"] != "try")
        finals.append(100 * left / float(row["device_us_after"]))
    return pairs, finals, too_much


# what a sentence of tt-perf-report advises; what it says of the math fidelity is to raise it
SENTENCES = {
    "place input 0 in L1": "input-sharding",
    "in0_block_w=": "block-width",
    "Output subblock": "subblock",
    "DRAM-sharded program config": "dram-sharding",
    "Increase grid size": "few-cores",
    "No program_config": "matmul-config",
}


def anchor_rank(program, folder, row):
    """tt-perf-report on the whole file: it knows no steady state, and with signposts it takes only what follows the last."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [os.path.join(os.path.dirname(program) or ".", "tt-perf-report"), f"{folder}/{row['before']}"]
        words += ["--ignore-signposts", "--no-color", "--csv", f"{scratch}/out.csv"]
        subprocess.run(words, capture_output=True, timeout=300, check=True)
        with open(f"{scratch}/out.csv", encoding="utf-8", newline="") as out:
            ops = list(csv.DictReader(out))
    table = read_rows(f"{folder}/{row['before']}")
    named, time = defaultdict(list), defaultdict(float)
    for op in ops:
        for sentence in (op["Advice"] or "").split(" • "):
            for words, rule in SENTENCES.items():
                if words in sentence and "look good" not in sentence:
                    named[rule].append(int(float(op["ID"])))
                    time[rule] += float(op["Device Time"] or 0)
    for place, rule in enumerate(sorted(named, key=lambda rule: -time[rule]), 1):
        if rule in row["rules"].split(",") and any(
            re.search(row["ops_before"], name_of(table[i - 2])) for i in named[rule]
        ):
            return place
    return 0


def show_anchor(program, folder, gains):
    ranks = [anchor_rank(program, folder, pair.row) for pair in gains]
    print(
        f"tt-perf-report: hit@1 {share(ranks, lambda r: r == 1):.1f} %, hit@3 {share(ranks, lambda r: 0 < r <= 3):.1f} %, "
        f"named {share(ranks, lambda r: r > 0):.1f} %; it promises no gains"
    )


def share(values, keep):
    return 100.0 * sum(map(keep, values)) / (len(values) or 1)


def figures_of(pairs, finals):
    gains = [p for p in pairs if p.row["type"] == "gain"]
    ratios = [p.ratio for p in gains if p.ratio is not None]
    return {
        "gains": len(gains),
        "hit1": share(gains, lambda p: p.rank == 1),
        "hit3": share(gains, lambda p: 0 < p.rank <= 3),
        "named": share(gains, lambda p: p.rank > 0),
        "median": statistics.median(ratios) if ratios else 0.0,
        "within": share(ratios, lambda r: NEAR[0] <= r <= NEAR[1]),
        "final": statistics.median(finals) if finals else 0.0,
        "false_leads": sum(p.row["type"] == "neg" and p.sure > 0.01 * p.before for p in pairs),
    }


def show_groups(title, gains, key):
    groups = defaultdict(list)
    for pair in gains:
        groups[key(pair)].append(pair)
    print(f"\n{title:20} pairs  hit@1  hit@3  named  promised/real")
    for name in sorted(groups):
        found = groups[name]
        ratios = [p.ratio for p in found if p.ratio is not None]
        spread = f"{min(ratios):.2f} - {max(ratios):.2f}" if ratios else "-"
        counts = [sum(keep(p.rank) for p in found) for keep in (lambda r: r == 1, lambda r: 0 < r <= 3, lambda r: r > 0)]
        print(f"{name:20} {len(found):5}  {counts[0]:5}  {counts[1]:5}  {counts[2]:5}  {spread}")


def main():
    program, folder = sys.argv[1:3]
    pairs, finals, too_much = score(program, folder)
    figures = figures_of(pairs, finals)
    gains = [p for p in pairs if p.row["type"] == "gain"]
    if "--pairs" in sys.argv:
        for p in pairs:
            ratio = "" if p.ratio is None else f"{p.ratio:.2f}"
            print(f"{p.row['id']:10} {p.row['type']:5} place {p.rank or '-':2} {p.rule:18} {ratio}")
    show_groups("model", gains, lambda p: p.row["model"])
    show_groups("rule that led there", gains, lambda p: p.rule or "none")
    print(
        f"\n{figures['gains']} gains: hit@1 {figures['hit1']:.1f} %, hit@3 {figures['hit3']:.1f} %, named "
        f"{figures['named']:.1f} %; promised/real {figures['median']:.2f} (median), {figures['within']:.1f} % within 1.5x; "
        f"final states promise {figures['final']:.1f} % (median of {len(finals)}); {figures['false_leads']} false leads"
    )
    if "--anchor" in sys.argv:
        show_anchor(program, folder, gains)
    if "--bars" not in sys.argv:
        return 0
    failures = [f"{k} {figures[k]:.1f}, bar {BARS[k]}" for k in ("hit1", "hit3", "named", "within") if figures[k] < BARS[k]]
    failures += [f"{k} {figures[k]:.1f}, bar {BARS[k]}" for k in ("final", "false_leads") if figures[k] > BARS[k]]
    if not MEDIAN[0] <= figures["median"] <= MEDIAN[1]:
        failures.append(f"median {figures['median']:.2f}, bars {MEDIAN}")
    failures += [f"{name}: the plan promises more than the device time" for name in too_much]
    if figures["gains"] < 40:
        failures.append(f"only {figures['gains']} gains")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

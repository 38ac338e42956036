# SPDX-License-Identifier: Apache-2.0
"""promises.py TT_PERF FOLDER... - no plan promises more than there is.

For every ops CSV below the folders, of what `advise` says and of what `report` says of the same window: all entries
together save at most the device time of an iteration and its gaps; all entries at one op at most the time of the op;
and entries that leave the op's work as it is at most what its roofline leaves (bytes at the DRAM peak, arithmetic on
all cores at the peak of its fidelity); no range ends below its gain or above the time of its ops; and --what-if starts
at the iteration of report, and with the best configs takes no op longer.
"""
import json
import os
import subprocess
import sys

GAPS = ("metal-trace", "command-queues")
# Other cores, blocks or shards: the op computes and moves what it did.
SAME_WORK = {"matmul-config", "minimal-matmul", "dram-sharding", "input-sharding", "few-cores", "block-width", "subblock",
             "shard-grid", "sharded-norm", "conv-config", "imbalance", "sdpa-config", "collective-config"}
SLACK = 1 + 1e-6


def run(program, verb, path, *options):
    """The data of a document; None where the file is not a run."""
    made = subprocess.run([program, verb, "-q", "--format", "json", *options, path], capture_output=True, text=True, check=False)
    if made.returncode < 0 or made.returncode not in (0, 1, 2, 3, 7):
        sys.exit(f"{verb} {path} ended with status {made.returncode}: {made.stderr[:500]}")
    return json.loads(made.stdout)["data"] if made.returncode == 0 else None


def roofline_us(op):
    """The least time of the op with what it computes and moves now."""
    time, cores, available = op["device_us"], op.get("cores"), op.get("available_cores")
    on_all = min(cores / available, 1) if cores and available else 1
    return time * max(op.get("dram_percent") or 0, (op.get("flops_percent") or 0) * on_all) / 100


def broken(plan, ops):
    """Sentences about promises that cannot be kept."""
    gaps = max(plan["gap_us"], 0) + plan["between_us"]
    device = min(plan["total_us"] - gaps, (plan["window"] or {}).get("device_us") or 1e300)
    saved, same = {}, {}
    beside = sum(e["further_us"] or 0 for e in plan["plan"] if e["step"] in GAPS or e["rule"] == "host-ops")
    within = sum(e["further_us"] or 0 for e in plan["plan"]) - beside
    if within > device * SLACK:
        yield f"promises {within} us of {device} us device time"
    if beside > gaps * SLACK:
        yield f"promises {beside} us of {gaps} us gaps"
    for entry in plan["plan"]:
        for op in entry["ops"] if entry["step"] not in GAPS and entry["rule"] != "host-ops" else []:
            spans = entry["rule"] in ("attention", "fusion", "all-reduce", "kernel-traffic", "pack-weights")
            if not spans:
                saved[op["id"]] = saved.get(op["id"], 0) + (op["further_us"] or 0)
            if entry["rule"] in SAME_WORK:
                same[op["id"]] = same.get(op["id"], 0) + (op["further_us"] or 0)
    for entry in plan["plan"]:
        alone, further, high = entry["gain_us"], entry["further_us"], entry["high_us"]
        if alone and not entry["low_us"] <= further * SLACK <= high * SLACK * SLACK:
            yield f"{entry['rule']}: the range ends at {high} us, the gain is {further} us"
        if alone and high > max(device, gaps, alone) * SLACK:
            yield f"{entry['rule']}: the range ends at {high} us of {device} us"
    for op in ops:
        time = op["device_us"] or 0
        if saved.get(op["id"], 0) > time * SLACK + 1e-9:
            yield f"ID {op['id']}: promises {saved[op['id']]} us of {time} us"
        if time and same.get(op["id"], 0) > max(time - roofline_us(op), 0) * SLACK + 1e-9:
            yield f"ID {op['id']}: promises {same[op['id']]} us of {time} us, {roofline_us(op)} us of which are its roofline"


def other_start(guess, window):
    """Sentences about a --what-if that begins elsewhere, or that loses with the best configs."""
    now = window["device_us"] + max(window["gap_us"], 0)
    if window["devices"] and abs(guess["total_us"] - now) > 1e-6 * now:
        yield f"--what-if starts at {guess['total_us']} us, an iteration takes {now} us"
    for op in guess["ops"]:
        if op["predicted_us"] > op["device_us"] * SLACK:
            yield f"ID {op['id']}: the best config takes {op['predicted_us']} us in place of {op['device_us']} us"


def main(program, folders):
    """Exit status 1 if a promise is broken, or if no file was read."""
    read = bad = entries = 0
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(where, name)
                if not name.endswith((".csv", ".csv.zst", ".csv.gz")):
                    continue
                plan = run(program, "advise", path, "--top", "1000000")
                rows = run(program, "report", path, "--rows") if plan else None
                if not rows:
                    continue
                read += 1
                entries += len(plan["plan"])
                guess = run(program, "advise", path, "--what-if", "config=best")
                for sentence in [*broken(plan, rows["ops"]), *(other_start(guess, plan["window"]) if guess else [])]:
                    print(f"{path}: {sentence}")
                    bad += 1
    print(f"{read} files, {entries} entries of plans, {bad} promises too large")
    return 1 if bad or read < 20 else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))

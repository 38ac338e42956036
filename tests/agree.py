# SPDX-License-Identifier: Apache-2.0
"""agree.py PROGRAM FILE_OR_FOLDER... - no two verbs contradict each other about a run.

A CSV is asked of report, advise, diff and roofline; a folder of logs of kernel, noc and trace besides.
"""
import json
import os
import subprocess
import sys

PROGRAM = sys.argv[1]
UNDECIDED = {None, "", "SLOW", "GAP"}
failed = 0


def complain(run, text):
    global failed
    failed += 1
    if failed <= 40:
        print(f"{os.path.basename(run)}: {text}", file=sys.stderr)


def ask(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr[:300]}")
    return done.stdout


def data(*words):
    return json.loads(ask(*words, "--format", "json", "-q"))["data"]


def same(a, b, part=1e-6):
    return a == b or (a is not None and b is not None and abs(a - b) <= part * max(abs(a), abs(b), 1e-9))


def check_shares(run, report, rows, markdown):
    """What is above 100 % is marked, in every form."""
    over = [o for o in report["ops"] if (o["dram_pct"] or 0) > 100 or (o["flops_pct"] or 0) > 100]
    for o in report["ops"]:
        for share in ("dram_pct", "flops_pct", "total_pct", "fill_pct"):
            value = o[share]
            marked = o["over_peak"] is not None and share in ("dram_pct", "flops_pct")
            if value is not None and value > 100.0001 and not marked:
                complain(run, f"ID {o['id']}: {share} {value} is not marked")
        if o["over_peak"] and o["bound"] in ("DRAM", "FLOP") and o["bound"] in o["over_peak"].upper():
            complain(run, f"ID {o['id']}: a share above the peak decides its bound")
    for text in (rows, markdown):
        if over and "! above the peak" not in text:
            complain(run, "a share above 100 % has no note")


def check_start(run, window):
    """What startup says of the ops is the cold start of report, and its parts are all of it."""
    start = data("startup", "--from", "ops", run)
    waited = sum(p["wait_us"] for p in start["programs"])
    if not same(waited / 1e6, window["cold_s"], 1e-9):
        complain(run, f"startup waits {waited} us for programs, report {window['cold_s']} s")
    if len(start["programs"]) < window["compiled_programs"] and start["device"] is None:
        complain(run, "startup has fewer programs than report")
    if not same(sum(p["time_us"] for p in start["parts"]), start["total_us"]):
        complain(run, "the parts of startup do not add up")
    first = [p for p in start["parts"] if p["part"] == "first runs"]
    early = sum(p["wait_us"] for p in start["programs"] if not p["late"])
    if first and not same(first[0]["time_us"], early):
        complain(run, "programs and parts of startup differ")


def check_csv(run):
    report = data("report", run, "--roofline")
    advise = data("advise", run)
    diff = data("diff", run, run)
    ops = {o["id"]: o for o in report["ops"]}
    for name, window in (("advise", advise["window"]), ("diff", diff["window"]),
                         ("diff's base", diff["comparisons"][0]["base_window"])):
        if window != report["window"]:
            complain(run, f"window of {name} is not that of report")
    if advise["arch"] != report["run"]["arch"]:
        complain(run, "advise has another chip")
    if not same(advise["gap_us"], report["run"]["gap_us"]):
        complain(run, "advise has other gaps")
    check_start(run, report["window"])
    for item in advise["plan"]:
        if len(item["ops"]) != item["op_count"]:
            complain(run, f"{item['rule']} lists {len(item['ops'])} of {item['op_count']} ops")
        for o in item["ops"]:
            there = ops.get(o["id"])
            if not there or o["op"] != there["op"] or o["limit"] != there["limit"]:
                complain(run, f"advise and report differ about ID {o['id']}")
    total = diff["comparisons"][0]["total"]
    if total["change_us"] != 0 or not same(total["base_us"], report["window"]["device_us"]):
        complain(run, f"diff of a run with itself: {total['change_us']} us, base {total['base_us']}")
    for o in diff["comparisons"][0]["ops"]:
        if o["base_id"] in ops and o["op"] != ops[o["base_id"]]["op"]:
            complain(run, f"diff calls ID {o['base_id']} {o['op']}")
    for p in report["roofline"]["points"]:
        there = ops[p["op_id"]]
        if p["op"] != there["op"] or p["limit"] != there["limit"]:
            complain(run, f"roofline and report differ about ID {p['op_id']}")
    for roof in report["roofline"]["roofs"]:
        if roof["name"] == "DRAM" and roof["peak_gbs"] != report["run"]["peak_dram_gbs"]:
            complain(run, "roofline has another DRAM peak")
    for o in report["ops"]:
        if o["bound"] in ("DRAM", "FLOP", "BOTH") and o["limit"] not in (o["bound"], "BOTH", "LINK"):
            complain(run, f"ID {o['id']}: bound {o['bound']}, limit {o['limit']}")
    check_shares(run, report, ask("report", run, "--rows", "--min-percentage", "0", "-q"),
                 ask("report", run, "--format", "md", "--min-percentage", "0", "-q"))
    check_screen(run, report)
    return report


def check_screen(run, report):
    """Six lines at most, and groups that cover nine tenths of the window."""
    head, _, table = ask("report", run, "-q").partition("\n\n")
    lines = head.split("\n")
    if lines and lines[0].split(" ")[0] in ("caution", "bad", "unknown"):
        lines = lines[1:]
    if len(lines) > 6:
        complain(run, f"a headline of {len(lines)} lines")
    shown = [float(x.split()[0]) for x in table.split("\n")
             if x[:1] in " 1" and x.strip()[:1].isdigit() and "more group" not in x and "--rows" not in x]
    if report["run"]["device_time_us"] > 0 and sum(shown) < 89.9:
        complain(run, f"groups on the first screen cover {sum(shown):.1f} %")


def check_folder(run):
    check_csv(run)
    report = data("report", run, "--no-merge-devices")
    ops = {o["id"]: o for o in report["ops"]}
    peak = report["run"]["peak_dram_gbs"]
    for p in data("kernel", run)["programs"]:
        there = ops.get(p["id"])
        if not there:
            if p["id"] is not None:
                complain(run, f"kernel has ID {p['id']}, report has not")
            continue
        limits = {p["bottleneck"]["limit"], there["limit"]} - UNDECIDED
        if p["op"] != there["op"] or len(limits) > 1:
            complain(run, f"kernel and report differ about ID {p['id']}: {p['op']}, {limits}")
        if p["targets"]["cores_used"] != there["cores"]:
            complain(run, f"ID {p['id']}: {p['targets']['cores_used']} and {there['cores']} cores")
        if p["targets"]["peak_dram_gbs"] != peak:
            complain(run, "kernel has another DRAM peak")
        if not same(p["perf"]["device_time_us"], there["device_time_us"], 0.02) and report["window"]["iterations"] == 1:
            complain(run, f"ID {p['id']}: {p['perf']['device_time_us']} and {there['device_time_us']} us")
        for role in p["bottleneck"]["roles"]:
            for share in ("busy_pct", "wait_for_data_pct", "wait_for_room_pct", "dma_barrier_pct"):
                if role[share] is not None and role[share] > 100:
                    complain(run, f"ID {p['id']}: {share} {role[share]}")
        for thread in p["threads"]:
            for share in ("wait_for_data_pct", "wait_for_room_pct", "dma_barrier_pct"):
                if thread[share] is not None and thread[share] > 100:
                    complain(run, f"ID {p['id']}: {thread['thread']} {share} {thread[share]}")
    if any(f.startswith("noc_trace") for _, _, files in os.walk(run) for f in files):
        for row in data("noc", run)["programs"]:
            if abs(row["peak_dram_gbs"] - peak) > 0.01:
                complain(run, f"noc holds DRAM to {row['peak_dram_gbs']} GB/s")
    trace = json.loads(ask("trace", run, "--window", "auto", "--format", "chrome-json", "-o", "-", "-q"))
    names = {e.get("name") for e in (trace["traceEvents"] if isinstance(trace, dict) else trace)}
    for o in report["ops"]:
        if o["kind"] == "device" and o["op"] not in names:
            complain(run, f"the trace has no '{o['op']}'")
            break


for path in sys.argv[2:]:
    try:
        check_folder(path) if os.path.isdir(path) else check_csv(path)
    except (RuntimeError, KeyError, ValueError, TypeError) as error:
        complain(path, f"{type(error).__name__}: {error}")
print(f"{len(sys.argv) - 2} runs, {failed} contradictions")
sys.exit(failed > 0)

# SPDX-License-Identifier: Apache-2.0
"""agree.py PROGRAM FILE_OR_FOLDER... - no two verbs contradict each other about a run: bound, peak, bytes, cores, roles, times.

A CSV is asked of report, advise, diff, roofline, startup and history, as JSON and as pages; a folder of logs of kernel,
noc and trace besides.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
UNDECIDED = {None, "", "SLOW", "GAP"}
EVERY_PAGE = os.environ.get("TTP_LARGE") == "1"
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


def page(*words):
    """The tables of an HTML page by part: a list of rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        ask(*words, "-q", "-o", path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    scripts = dict(re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', text, re.S))
    parts = {}
    for i, part in enumerate(json.loads(scripts["page"])["parts"]):
        columns = json.loads(scripts[f"rows-{i}"])

        def cell(column, row):
            if isinstance(column, list):
                return column[row]
            if "w" in column:
                return None if column["i"][row] < 0 else column["w"][column["i"][row]]
            return column["v"]

        parts[part["id"]] = [{f["id"]: cell(columns[k], row) for k, f in enumerate(part["fields"])}
                             for row in range(part["count"])]
    return parts


def check_rows(run, what, shown, told, key, fields):
    """A table of a page has the rows of the JSON, with the same figures; pages keep seven digits."""
    told = {row[key]: row for row in told}
    for row in shown:
        there = told.get(row[key])
        if not there:
            complain(run, f"{what} has {key} {row[key]}, JSON has not")
            continue
        for field in fields:
            a, b = row.get(field), there[field]
            numbers = isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(b, bool)
            if not (same(a, b, 2e-6) if numbers else a == b):
                complain(run, f"{what}: {key} {row[key]}: {field} is {a}, in JSON {b}")


OP_FIELDS = ("op", "bound", "limit", "cores", "device_us", "gap_us", "dram_gbs", "dram_percent", "tflops", "flops_percent",
             "over_peak")


def check_pages(run, report, advise):
    shown = page("report", run)
    check_rows(run, "the page of report", shown["ops"], report["ops"], "id", OP_FIELDS)
    if len(shown["ops"]) != len(report["ops"]):
        complain(run, f"the page of report has {len(shown['ops'])} of {len(report['ops'])} ops")
    budget = sum(p["device_us"] for p in shown["budget"])
    window = report["window"]
    if budget and not same(budget, window["device_us"] + window["gap_us"], 1e-5):
        complain(run, f"the time budget of the page is {budget} us, one iteration {window['device_us'] + window['gap_us']}")
    check_rows(run, "the page of advise", page("advise", run)["plan"], advise["plan"], "rule",
               ("title", "op_count", "gain_us", "further_us", "low_us", "high_us", "confidence"))
    points = page("report", "--roofline", run).get("points", [])
    check_rows(run, "the page of the roofline", points, report["roofline"]["points"], "id",
               ("op", "gbs", "tflops", "held_by", "reached_percent", "limit", "over_peak"))


def check_bytes(run, report):
    """The traffic of an op is the same in the table and on the roofline."""
    ops = {o["id"]: o for o in report["ops"]}
    for p in report["roofline"]["points"]:
        there = ops[p["id"]]
        if p["memory_roof"] == "DRAM" and there["dram_gbs"] and not same(p["gbs"], there["dram_gbs"], 1e-4):
            complain(run, f"ID {p['id']}: {p['gbs']} GB/s on the roofline, {there['dram_gbs']} in the table")
        if there["tflops"] and not same(p["tflops"], there["tflops"], 1e-4):
            complain(run, f"ID {p['id']}: {p['tflops']} TFLOPs on the roofline, {there['tflops']} in the table")
        if p["reached_percent"] > 100.0001 and not p["over_peak"]:
            complain(run, f"ID {p['id']}: {p['reached_percent']} % of a roof is not marked")


def check_one_op(run, report):
    """One op in detail has the figures of its row, the smallest op too."""
    timed = [o for o in report["ops"] if o["device_us"]]
    for o in sorted(timed, key=lambda o: o["device_us"])[:: max(len(timed) - 1, 1)]:
        shown = data("report", run, "--op", str(o["id"]))["op"]
        for field in ("share_percent", "device_us", "gap_us", "dram_percent", "flops_percent", "bound"):
            if shown.get(field) != o.get(field):
                complain(run, f"--op {o['id']}: {field} is {shown.get(field)}, {o.get(field)} in its row")


def check_history(run, report):
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "h.db")
        ask("history", "add", run, "--store", store, "--name", "agree", "-q")
        kept = data("history", "show", "last", "--ops", "--store", store)["run"]
    window = report["window"]
    if not same(kept["device_us"], window["device_us"], 1e-6):
        complain(run, f"history keeps {kept['device_us']} us, report has {window['device_us']}")
    names = {o["op"] for o in report["ops"]}
    for o in kept["ops"]:
        if o["op"] not in names:
            complain(run, f"history calls an op {o['op']}")


def check_shares(run, report, rows, markdown):
    """What is above 100 % is marked, in every form."""
    over = [o for o in report["ops"] if (o["dram_percent"] or 0) > 100 or (o["flops_percent"] or 0) > 100]
    for o in report["ops"]:
        for share in ("dram_percent", "flops_percent", "share_percent", "fill_percent"):
            value = o[share]
            marked = o["over_peak"] is not None and share in ("dram_percent", "flops_percent")
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
    waited = sum(p["compile_ns"] for p in start["programs"])
    if abs(waited / 1e3 - window["cold_us"]) > 0.001 * len(start["programs"]):  # whole ns
        complain(run, f"startup waits {waited} ns for programs, report {window['cold_us']} us")
    if len(start["programs"]) < window["compiled_programs"] and start["device"] is None:
        complain(run, "startup has fewer programs than report")
    if not same(sum(p["wall_ns"] for p in start["parts"]), start["startup_ns"]):
        complain(run, "the parts of startup do not add up")
    first = [p for p in start["parts"] if p["part"] == "first runs"]
    early = sum(p["compile_ns"] for p in start["programs"] if not p["late"])
    if first and not same(first[0]["wall_ns"], early):
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
    window = report["window"]
    if window["devices"] and not same(advise["gap_us"], window["gap_us"]):
        complain(run, "advise has other gaps")
    if window["devices"] and not same(advise["total_us"], window["device_us"] + window["gap_us"] + advise["between_us"]):
        complain(run, "advise has another total")
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
        there = ops[p["id"]]
        if p["op"] != there["op"] or p["limit"] != there["limit"]:
            complain(run, f"roofline and report differ about ID {p['id']}")
    for roof in report["roofline"]["roofs"]:
        if roof["name"] == "DRAM" and roof["peak_gbs"] != report["run"]["peak_dram_gbs"]:
            complain(run, "roofline has another DRAM peak")
    for o in report["ops"]:
        if o["bound"] in ("DRAM", "FLOP", "BOTH") and o["limit"] not in (o["bound"], "BOTH", "LINK"):
            complain(run, f"ID {o['id']}: bound {o['bound']}, limit {o['limit']}")
    check_shares(run, report, ask("report", run, "--rows", "--min-percentage", "0", "-q"),
                 ask("report", run, "--format", "md", "--min-percentage", "0", "-q"))
    check_screen(run, report)
    check_bytes(run, report)
    check_one_op(run, report)
    if os.path.isdir(run) or EVERY_PAGE or sys.argv.index(run) % 3 == 0:  # files of a campaign are alike
        check_pages(run, report, advise)
        check_history(run, report)
    return report


def check_headline(run, report, lines):
    """Six statements at most; what bounds the run adds up to its device time, and gaps are not hidden."""
    if len(lines) > 6:
        complain(run, f"a headline of {len(lines)} lines")
    text = {line[:15].strip(): line[15:] for line in lines}
    bounds = re.findall(r"([A-Za-z ]+) (\d+) %", text.get("bound by", "").split("of device time: ")[-1])
    if bounds and abs(sum(int(n) for _, n in bounds) - 100) > (len(bounds) + 1) / 2:
        complain(run, f"bound by {sum(int(n) for _, n in bounds)} %")
    if "…" in text.get("next", ""):
        complain(run, "the gain of the next step is cut")
    window = report["window"]
    gaps = window["gap_us"] / (window["device_us"] + window["gap_us"] or 1) * 100
    if gaps >= 1 and not re.search(r"(host gaps|cold start) \d+ %", text.get("bound by", "")):
        complain(run, f"gaps of {gaps:.1f} % are not in the headline")
    limits = {o["limit"] for o in report["ops"] if o["share_percent"] and o["share_percent"] >= 60}
    if limits == {"CORES"} and "cores " not in text.get("bound by", ""):
        complain(run, "the headline does not know that cores are the limit")


def check_table(run, report, table):
    """The shares of the groups are those of their ops, and waits make the sum that of the device time."""
    share = {}
    for o in report["ops"]:
        if o["share_percent"] is not None:
            share[o["op"]] = share.get(o["op"], 0) + o["share_percent"]
    for line in table.split("\n"):
        found = re.match(r" *([\d.]+) +[\d.,]+ +\d+ +~?[\d.]+ +(\S.*?)  ", line)
        if found and found[2] in share and abs(share[found[2]] - float(found[1])) > 0.06:
            complain(run, f"{found[2]} has {found[1]} % on the first screen, its rows {share[found[2]]:.2f} %")
    waits = sum(o["wait_us"] or 0 for o in report["ops"])
    last = [line for line in table.split("\n") if re.match("100.0 ", line)]
    if last:
        shown = float(last[-1].split()[1].replace(",", ""))
        rows = sum(o["device_us"] or 0 for o in report["ops"]) + waits
        if abs(shown - rows) > 0.06 + rows * 1e-6:
            complain(run, f"the table sums to {shown} us, its rows to {rows:.1f} us")


def check_screen(run, report):
    """Groups cover nine tenths of the window."""
    head, _, table = ask("report", run, "-q").partition("\n\n")
    lines = re.sub(r"\n +", " ", head).split("\n")
    if lines and lines[0].split(" ")[0] in ("caution", "bad", "unknown"):
        lines = lines[1:]
    check_headline(run, report, lines)
    check_table(run, report, table)
    shown = [float(x.split()[0]) for x in table.split("\n")
             if x[:1] in " 1" and x.strip()[:1].isdigit() and "more group" not in x and "--rows" not in x]
    if report["run"]["device_us"] > 0 and sum(shown) < 89.9:
        complain(run, f"groups on the first screen cover {sum(shown):.1f} %")


def check_trace(run, events, ops, iterations):
    """An op of the timeline has the figures of the report, whose times are means of the iterations."""
    for e in events:
        there = ops.get(e.get("args", {}).get("report id"))
        if e.get("ph") != "X" or not there:
            continue
        args = e["args"]
        if e["name"] != there["op"] or args.get("bound") not in (None, there["peak_bound"] or ""):
            complain(run, f"the trace calls ID {there['id']} {e['name']}, bound {args.get('bound')}")
        if args.get("cores") not in (None, there["cores"]):
            complain(run, f"ID {there['id']}: {args['cores']} cores in the trace, {there['cores']} in the report")
        if iterations == 1 and args.get("DRAM %") is not None and not same(args["DRAM %"], there["dram_percent"]):
            complain(run, f"ID {there['id']}: {args['DRAM %']} % DRAM in the trace, {there['dram_percent']} in the report")
        if iterations == 1 and not same(args.get("kernel ns", 0) / 1e3, there["device_us"], 1e-3):
            complain(run, f"ID {there['id']}: {args['kernel ns']} ns in the trace, {there['device_us']} us in the report")


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
        if p["targets"]["cores"] != there["cores"]:
            complain(run, f"ID {p['id']}: {p['targets']['cores']} and {there['cores']} cores")
        if p["targets"]["peak_dram_gbs"] != peak:
            complain(run, "kernel has another DRAM peak")
        if not same(p["perf"]["device_us"], there["device_us"], 0.02) and report["window"]["iterations"] == 1:
            complain(run, f"ID {p['id']}: {p['perf']['device_us']} and {there['device_us']} us")
        for role in p["bottleneck"]["roles"]:
            if role.get("thread") and role["thread"] not in {t["thread"] for t in p["threads"]}:
                complain(run, f"ID {p['id']}: {role['thread']} has a role and did not run")
            for share in ("busy_percent", "wait_for_data_percent", "wait_for_room_percent", "dma_barrier_percent"):
                if role[share] is not None and role[share] > 100:
                    complain(run, f"ID {p['id']}: {share} {role[share]}")
        for thread in p["threads"]:
            for share in ("wait_for_data_percent", "wait_for_room_percent", "dma_barrier_percent"):
                if thread[share] is not None and thread[share] > 100:
                    complain(run, f"ID {p['id']}: {thread['thread']} {share} {thread[share]}")
    if any(f.startswith("noc_trace") for _, _, files in os.walk(run) for f in files):
        for row in data("noc", run)["programs"]:
            if row["id"] in ops and row["op"] != ops[row["id"]]["op"]:
                complain(run, f"noc calls ID {row['id']} {row['op']}")
            if row["id"] is None and row["code"] in {o["code"] for o in report["ops"]}:
                complain(run, f"noc has no id for {row['op']}")
            if abs(row["peak_dram_gbs"] - peak) > 0.01:
                complain(run, f"noc holds DRAM to {row['peak_dram_gbs']} GB/s")
    trace = json.loads(ask("trace", run, "--window", "auto", "--format", "chrome-json", "-o", "-", "-q"))
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    names = {e.get("name") for e in events}
    check_trace(run, events, ops, report["window"]["iterations"])
    shown = page("kernel", run)["programs"]
    check_rows(run, "the page of kernel", [p for p in shown if p["id"] is not None], [
        {**p, "cores": p["perf"]["cores"], "device_us": p["perf"]["device_us"]}
        for p in data("kernel", run)["programs"] if p["id"] is not None], "id", ("op", "cores", "device_us"))
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

# SPDX-License-Identifier: Apache-2.0
"""prometheus.py PROGRAM SOURCE_DIR SCRATCH [--history] - metrics of doctor, top and history export are valid in
Prometheus' text format, whatever the names of processes, boards and runs are, and have the values of JSON. A strict
parser: a metric has its head once and its samples after it, a series occurs once, no byte is a control character.
promtool, if it is here, must be able to read all of it. --history: the program has SQLite."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import unicodedata

program, source, scratch = sys.argv[1:4]
failures = 0
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf"^({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)\}})? (\S+)$")
VALUE = re.compile(r"^(NaN|[+-]Inf|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)$")


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}", file=sys.stderr)


def run(*words, status=(0,)):
    done = subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL, cwd=scratch)
    if done.returncode not in status:
        fail(f"exit status {done.returncode}: {words}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def parse(what, data):
    """{(metric, labels): value}; complains of what is not valid."""
    kinds, out, current, helped = {}, {}, None, None
    text = data.decode("utf-8")
    if text and not text.endswith("\n"):
        fail(f"{what}: the last line has no end")
    for c in text:
        if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"):
            fail(f"{what}: has U+{ord(c):04X}")
            break
    for line in text.split("\n")[:-1]:
        head = re.match(rf"^# (HELP|TYPE) ({NAME}) (\S.*)$", line)
        if head and head[1] == "HELP":
            if head[2] in kinds or "\\" in head[3]:
                fail(f"{what}: head of {head[2]}")
            helped = head[2]
        elif head:
            if helped != head[2] or head[2] in kinds or head[3] not in ("gauge", "counter"):
                fail(f"{what}: type of {head[2]}")
            kinds[head[2]], current = head[3], head[2]
        else:
            sample = SAMPLE.match(line)
            if not sample or sample[1] != current or not VALUE.match(sample[7]):
                fail(f"{what}: not a sample of {current}: {line}")
                continue
            labels = [(m[0], unescape(m[1])) for m in re.findall(LABEL, sample[2] or "")]
            if len({name for name, _ in labels}) != len(labels):
                fail(f"{what}: a label twice: {line}")
            key = sample[1], tuple(sorted(labels))
            if key in out:
                fail(f"{what}: a series twice: {line}")
            out[key] = float(sample[7])
    for metric in set(kinds) - {name for name, _ in out}:
        fail(f"{what}: {metric} has no sample")
    promtool = shutil.which("promtool")
    if promtool:
        # its status is 3 for names that are not by its conventions; those of the vendor are not
        done = subprocess.run([promtool, "check", "metrics"], input=data, capture_output=True)
        if done.returncode not in (0, 3):
            fail(f"{what}: promtool: {done.stderr.decode()}")
    return out


def value(metrics, metric, **labels):
    found = [v for (name, have), v in metrics.items() if name == metric and set(labels.items()) <= set(have)]
    return found[0] if len(found) == 1 else None


def tree(name):
    folder = os.path.join(scratch, name)
    subprocess.run(["sh", f"{source}/tests/data/host/unpack.sh", f"{source}/tests/data/host/{name}.tree", folder], check=True)
    return folder


def top():
    for name in ("galaxy", "hot", "n150", "p300", "no_card"):
        root = tree(name)
        ends = (4,) if name == "no_card" else (0,)
        metrics = parse(name, run("top", "--format", "prometheus", "--root", root, status=ends))
        snapshot = json.loads(run("top", "--format", "json", "--root", root, status=ends))["data"]
        for chip in snapshot["chips"]:
            have = {metric: value(metrics, metric, bdf=chip["bdf"])
                    for metric in ("tt_ai_clock_mhz", "tt_asic_temperature_celsius", "tt_tdp_w")}
            want = {"tt_ai_clock_mhz": chip["aiclk_mhz"], "tt_asic_temperature_celsius": chip["temperature_c"],
                    "tt_tdp_w": chip["core_power_w"]}
            if have != want:
                fail(f"{name}: chip {chip['bdf']}: {have}, not {want}")
            by = value(metrics, "tt_perf_limited", bdf=chip["bdf"], by=chip["limited_by"] or "heat")
            if by != (chip["limited_by"] is not None):
                fail(f"{name}: chip {chip['bdf']} is limited by {chip['limited_by']}: {by}")
        if not any(metric == "tt_perf_sample_time_seconds" for metric, _ in metrics):
            fail(f"{name}: no time")
        doctor = parse(f"doctor {name}", run("doctor", "--quick", "--format", "prometheus", "--root", root,
                                             status=(0, 1)))
        both = [key for key in doctor if key in metrics and key[0] != "tt_heartbeat"]
        if snapshot["chips"] and (len(both) < 5 or any(doctor[key] != metrics[key] for key in both)):
            fail(f"{name}: doctor and top differ: {[k for k in both if doctor[k] != metrics[k]]}")
        if doctor != parse(f"doctor {name}", run("doctor", "--quick", "--prometheus", "--root", root, status=(0, 1))):
            fail(f"{name}: --prometheus and --format prometheus differ")
    file = os.path.join(scratch, "top.prom")
    run("top", "--root", tree("hot"), "-o", file)
    with open(file, "rb") as text:
        if not parse("file", text.read()):
            fail("-o top.prom has no metrics")


def hostile():
    """Processes and machines with names that break labels."""
    root = tree("hot")
    with open(os.path.join(root, "proc/4711/status"), "rb") as file:
        status = re.sub(rb"Name:.*", b'Name:\\tp"} \\\\\\\\ 1 \xe2\x80\xae', file.read())
    for path, text in (("proc/sys/kernel/hostname", b'a"b\\c\n'), ("proc/4711/status", status)):
        file = os.path.join(root, path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        if os.path.exists(file):
            os.unlink(file)
        with open(file, "wb") as out:
            out.write(text)
    metrics = parse("hostile", run("top", "--format", "prometheus", "--root", root))
    hosts = {dict(labels)["hostname"] for _, labels in metrics}
    if hosts != {'a"b\\c'}:
        fail(f"names of the machine: {hosts}")
    processes = {dict(labels)["process"] for metric, labels in metrics if metric == "tt_perf_holder"}
    if not any('p"}' in process for process in processes):
        fail(f"names of processes: {processes}")
    parse("hostile doctor", run("doctor", "--quick", "--prometheus", "--root", root, status=(0, 1)))


def history():
    store = ("history", "--store", "metrics.db")
    odd = 'quote" back\\slash\nline \x1b[7m\u202e =1+1 漢'
    run(*store, "-q", "import", f"{source}/tests/data/history_runs.jsonl")
    run(*store, "-q", "add", "--no-git", "--no-machine", "--name", odd, "--branch", odd, "--host", odd,
        f"{source}/tests/data/demo_ops_perf_results.csv")
    metrics = parse("all runs", run(*store, "export", "--all", "--format", "prometheus"))
    rows = json.loads(run(*store, "export", "--all", "--format", "json"))["data"]["values"]
    newest = {}
    for row in rows:
        key = tuple(row[k] or "" for k in ("name", "branch", "host", "machine_key", "metric", "variant"))
        at = row["time"], row["run"]
        if key not in newest or newest[key][0] < at:
            newest[key] = at, []
        if newest[key][0] == at:
            newest[key][1].append(row["value"])
    values = [(dict(labels), v) for (metric, labels), v in metrics.items() if metric == "tt_perf_run_value"]
    if len(values) != len(newest):
        fail(f"{len(values)} values, not {len(newest)}")
    for labels, v in values:
        key = tuple(labels[k] for k in ("name", "branch", "host", "machine", "metric", "variant"))
        samples = sorted(newest[key][1]) if key in newest else None
        if samples is None:
            if "quote" not in key[0]:
                fail(f"no such metric in JSON: {key}")
            continue
        middle = len(samples) // 2
        median = samples[middle] if len(samples) % 2 else (samples[middle - 1] + samples[middle]) / 2
        if not math.isclose(median, v, rel_tol=1e-12):
            fail(f"{key}: {v}, not {median}")
    if not any('quote" back' in labels["name"] for labels, _ in values):
        fail("the run with an odd name is missing")
    one = parse("one run", run(*store, "export", "3", "--format", "prometheus"))
    if value(one, "tt_perf_run_id") != 3:
        fail(f"run 3 is {value(one, 'tt_perf_run_id')}")
    named = parse("one name", run(*store, "export", "--all", "--name", "nightly", "--format", "prometheus"))
    if {dict(labels)["name"] for _, labels in named} - {"nightly"}:
        fail("--name does not select")


top()
hostile()
if "--history" in sys.argv:
    history()
sys.exit(failures > 0)

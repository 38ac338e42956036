# SPDX-License-Identifier: Apache-2.0
"""mutations.py TT_PERF FOLDER - real runs that are changed in ways that must not change what tt-perf says of them.

The window of an untouched run is held to the truth by campaigns.py. Here each change has a consequence that follows from
the rule of the window: most of all none.
"""
import csv
import glob
import json
import os
import random
import statistics
import subprocess
import sys

PROGRAM, FOLDER = sys.argv[1:3]
STYLES = (("{}_START", "{}_END"), ("{} started", "{} finished"), ("{}", "{}_END"), ("{} start", "{} stop"),
          ("M3_ZONE_START {}", "M3_ZONE_END {}"), ("forward_{}_3_start", "forward_{}_3_end"), ("{}", "{}"))
OPTIONAL = ("MATH FIDELITY", "PROGRAM CACHE HIT", "INPUT_0_LAYOUT", "OUTPUT_0_LAYOUT", "DEVICE FW START CYCLE",
            "DEVICE FW END CYCLE", "PM IDEAL [ns]", "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "HOST DURATION [ns]")
failures = []
checks = 0


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, check=False)


def report(path, *words):
    ran = run("report", "-q", "--format", "json", path, *words)
    return json.loads(ran.stdout)["data"] if ran.returncode == 0 else {"status": ran.returncode, "text": ran.stderr[:200]}


def read(path):
    with open(path, encoding="utf-8", newline="") as table:
        rows = list(csv.reader(table))
    return rows[0], rows[1:]


def write(path, head, rows, end="\n"):
    with open(path, "w", encoding="utf-8", newline="") as table:
        csv.writer(table, lineterminator=end).writerows([head, *rows])


VERBS = (["report"], ["report", "--rows"], ["report", "--fold"], ["report", "--roofline"], ["report", "--ranges"],
         ["advise"], ["diff"], ["diff", "--fail-over", "2%"], ["history", "add", "--again", "--store"])


def asks(path):
    """Every verb about a file, by its command."""
    for verb in VERBS:
        words = verb + ([f"{FOLDER}/h.db"] if verb[0] == "history" else [])
        yield words + ([path, path] if verb[0] == "diff" else [path])


def all_verbs(name, change, path, allowed=(0,)):
    """No verb crashes, all exit alike, and none prints a share above 100 % as a fact."""
    global checks
    for words in asks(path):
        checks += 1
        ran = run(*words)
        said = " ".join(os.path.basename(w) for w in words)
        if ran.returncode not in allowed:
            failures.append(f"{name}: {change}: {said}: status {ran.returncode}: {ran.stderr.strip()[-160:]}")
        for line in ran.stdout.split("\n"):
            if "nan" in line.split() or "inf" in line.split():
                failures.append(f"{name}: {change}: {said}: '{line.strip()[:80]}'")
                break


class Columns:
    def __init__(self, head):
        self.at = {name: i for i, name in enumerate(head)}

    def get(self, row, name):
        i = self.at.get(name)
        return row[i] if i is not None and i < len(row) else ""

    def is_post(self, row):
        return self.get(row, "OP TYPE") == "signpost"

    def is_op(self, row):
        return self.get(row, "OP TYPE") == "tt_dnn_device"

    def session(self, row):
        return self.get(row, "METAL TRACE REPLAY SESSION ID")

    def is_capture(self, row):
        return self.is_op(row) and not self.session(row) and not self.get(row, "DEVICE KERNEL DURATION [ns]")


def hold(name, change, got, base, *fields):
    """The window says the same as before."""
    global checks
    checks += 1
    if "window" not in got:
        failures.append(f"{name}: {change}: status {got['status']}: {got['text']}")
        return
    for field in fields:
        a, b = got["window"][field], base["window"][field]
        if a != b and not (isinstance(a, float) and abs(a - b) <= 1e-6 * abs(b)):
            failures.append(f"{name}: {change}: {field} is {a}, not {b}")


def same_ids(name, change, got, head, rows):
    """IDs are lines of the file, also of one that was changed."""
    global checks
    checks += 1
    c = Columns(head)
    for op in got.get("ops", []):
        if c.get(rows[op["id"] - 2], "OP CODE") != op["code"]:
            failures.append(f"{name}: {change}: ID {op['id']} is not its line")
            return


def changed(name, change, head, rows, base, *fields):
    path = f"{FOLDER}/mutated.csv"
    write(path, head, rows)
    got = report(path)
    hold(name, change, got, base, *fields)
    same_ids(name, change, got, head, rows)
    return got


def rename(rows, c, first, last):
    """Signposts in another style; None: they are not pairs of NAME and NAME_END."""
    names = [c.get(r, "OP CODE") for r in rows if c.is_post(r)]
    bases = {n[:-4] for n in names if n.endswith("_END")}
    if not names or any(n not in bases and n[:-4] not in bases for n in names):
        return None
    if first == last and len(names) > 2 * len(set(bases)):
        return None
    out = []
    for row in rows:
        if c.is_post(row):
            row = list(row)
            name = row[c.at["OP CODE"]]
            style, base = (last, name[:-4]) if name.endswith("_END") else (first, name)
            row[c.at["OP CODE"]] = style.format(base)
        out.append(row)
    return out


def cold_ops(rows, c, count):
    """Ops that nothing else is like, with a long wait before each, in front of all."""
    like = next(r for r in rows if c.is_op(r) and c.get(r, "DEVICE KERNEL DURATION [ns]"))
    out = []
    for i in range(count):
        row = list(like)
        for name, value in (("OP CODE", f"Cold{i}DeviceOperation"), ("OP TO OP LATENCY [ns]", "50000000"),
                            ("METAL TRACE ID", ""), ("METAL TRACE REPLAY SESSION ID", ""),
                            ("DEVICE KERNEL DURATION [ns]", "1000"), ("GLOBAL CALL COUNT", str(i))):
            if name in c.at:
                row[c.at[name]] = value
        out.append(row)
    return out


def without(head, rows, names):
    keep = [i for i, name in enumerate(head) if name not in names]
    return [head[i] for i in keep], [[r[i] for i in keep if i < len(r)] for r in rows]


def other_devices(rows, c):
    ids = sorted({c.get(r, "DEVICE ID") for r in rows if c.is_op(r)})
    if len(ids) < 2:
        return None
    to = dict(zip(ids, ids[1:] + ids[:1]))
    out = []
    for row in rows:
        row = list(row)
        if c.is_op(row):
            row[c.at["DEVICE ID"]] = to[row[c.at["DEVICE ID"]]]
        out.append(row)
    return out


def cut_replay(rows, c):
    """Without the second half of the last replay and what follows; None: there are fewer than three."""
    sessions = [c.session(r) for r in rows if c.session(r)]
    if len(set(sessions)) < 3:
        return None
    last = max(i for i, r in enumerate(rows) if c.session(r))
    first = last
    while first and c.session(rows[first - 1]) == c.session(rows[last]):
        first -= 1
    return rows[:first + max(1, (last - first) // 2)]


NS = "DEVICE KERNEL DURATION [ns]"


def device_sums(rows, c):
    """Device time of each device, in us."""
    sums = {}
    for row in rows:
        if c.is_op(row) and c.get(row, NS):
            device = c.get(row, "DEVICE ID")
            sums[device] = sums.get(device, 0) + float(c.get(row, NS)) / 1000
    return sums


def one_op(name, head, rows, c):
    """A run of one op is all of its window, in every verb."""
    op = next(r for r in rows if c.is_op(r) and c.get(r, NS))
    path = f"{FOLDER}/one.csv"
    write(path, head, [op])
    got = report(path)
    if "window" not in got or abs(got["window"]["device_us"] - float(c.get(op, NS)) / 1000) > 1e-3:
        failures.append(f"{name}: one op: {got.get('window', got)}")
    all_verbs(name, "one op", path)


def host_only(name, head, rows, c):
    """Ops of the host are shown, but a gate has nothing to compare."""
    host = []
    for row in rows[:5]:
        row = list(row)
        for column, value in (("OP TYPE", "python_fallback"), ("OP CODE", "torch.add"), (NS, ""), ("DEVICE ID", ""),
                              ("METAL TRACE REPLAY SESSION ID", ""), ("HOST DURATION [ns]", "5000")):
            if column in c.at:
                row[c.at[column]] = value
        host.append(row)
    path = f"{FOLDER}/host.csv"
    write(path, head, host)
    for words in asks(path):
        status = run(*words).returncode
        gate = "--fail-over" in words or words[:2] == ["history", "add"]
        # without device time there is nothing to compare: a gate has no input, a comparison no verdict
        if status != (3 if gate else 7 if words[0] == "diff" else 0):
            failures.append(f"{name}: only host ops: {' '.join(words[:2])}: status {status}")


def signposts_only(name, head, rows, c):
    posts = [r for r in rows if c.is_post(r)]
    if posts:
        path = f"{FOLDER}/posts.csv"
        write(path, head, posts)
        all_verbs(name, "only signposts", path, (3,))


def unequal_devices(name, head, rows, c, base):
    """One device loses its last ops: the median still is that of the devices with ops."""
    ids = sorted({c.get(r, "DEVICE ID") for r in rows if c.is_op(r)})
    if len(ids) < 2:
        return
    seen, out = 0, []
    total = sum(c.is_op(r) and c.get(r, "DEVICE ID") == ids[-1] for r in rows)
    for row in rows:
        if c.is_op(row) and c.get(row, "DEVICE ID") == ids[-1]:
            seen += 1
            if seen > total - 2:
                continue
        out.append(row)
    path = f"{FOLDER}/unequal.csv"
    write(path, head, out)
    got = report(path, "--window", "all")
    truth = statistics.median(device_sums(out, c).values())
    if "window" not in got or abs(got["window"]["device_us"] / truth - 1) > 1e-6:
        failures.append(f"{name}: a device without its last ops: {got.get('window', got)}, not {truth}")
    all_verbs(name, "a device without its last ops", path)
    none = [r for r in rows if not (c.is_op(r) and c.get(r, "DEVICE ID") == ids[-1])]
    write(path, head, none)
    got = report(path, "--window", "all")
    truth = statistics.median(device_sums(none, c).values())
    if "window" not in got or abs(got["window"]["device_us"] / truth - 1) > 1e-6:
        failures.append(f"{name}: a device is missing: {got.get('window', got)}, not {truth}")
    if len(ids) > 2 and abs(truth / base["window"]["device_us"]) > 0:
        all_verbs(name, "a device is missing", path)


def slower_device(name, head, rows, c):
    """The headline, the ops and the contributions of diff have one meaning: the median device."""
    ids = sorted({c.get(r, "DEVICE ID") for r in rows if c.is_op(r)})
    if len(ids) < 2:
        return
    out = []
    for row in rows:
        row = list(row)
        if c.is_op(row) and c.get(row, NS) and c.get(row, "DEVICE ID") != ids[0]:
            row[c.at[NS]] = str(round(float(row[c.at[NS]]) * 1.5))
        out.append(row)
    base, other = f"{FOLDER}/even.csv", f"{FOLDER}/slow.csv"
    write(base, head, rows)
    write(other, head, out)
    ran = run("diff", "-q", "--format", "json", base, other)
    if ran.returncode:
        failures.append(f"{name}: slower devices: status {ran.returncode}")
        return
    got = json.loads(ran.stdout)["data"]["comparisons"][0]
    total, steps = got["total"], sum(s["change_us"] for s in got["steps"])
    gaps = total["other_gap_us"] - total["base_gap_us"]
    apart = abs(steps - gaps - total["change_us"])
    if apart > 0.0006 * total["base_us"]:
        failures.append(f"{name}: slower devices: steps {steps - gaps} us, headline {total['change_us']} us")
    for side in ("base", "other"):
        ops = sum(o[f"{side}_us"] or 0 for o in got["ops"])
        if abs(ops / total[f"{side}_us"] - 1) > 0.01:
            failures.append(f"{name}: slower devices: ops of the {side} take {ops} us, not {total[f'{side}_us']}")


def empty_cells(name, head, rows, c, seed):
    """Cells that are lost must not stop a report, nor make its figures absurd."""
    chance = random.Random(seed)
    out = [[("" if chance.random() < 0.05 and head[i] not in ("OP CODE", "OP TYPE", "DEVICE ID") else v)
            for i, v in enumerate(r)] for r in rows]
    path = f"{FOLDER}/holes.csv"
    write(path, head, out)
    all_verbs(name, f"empty cells ({seed})", path, (0, 3, 7)) # a gate does not pass a file that lacks many times
    got = report(path)
    if "window" in got and not 0 <= got["window"]["share_percent"] <= 100.0001:
        failures.append(f"{name}: empty cells: share {got['window']['share_percent']}")


def shapes_of_files(name, head, rows, c, base, seed):
    one_op(name, head, rows, c)
    host_only(name, head, rows, c)
    signposts_only(name, head, rows, c)
    unequal_devices(name, head, rows, c, base)
    slower_device(name, head, rows, c)
    empty_cells(name, head, rows, c, seed)
    path = f"{FOLDER}/crlf.csv"
    write(path, head, rows, "\r\n")
    got = report(path)
    hold(name, "CRLF", got, base, "device_us", "gap_us", "kind", "iterations", "op_count", "devices", "first_id", "last_id")
    turned = list(range(len(head)))
    random.Random(seed).shuffle(turned)
    write(path, [head[i] for i in turned], [[r[i] if i < len(r) else "" for i in turned] for r in rows])
    hold(name, "columns in another order", report(path), base, "device_us", "gap_us", "kind", "iterations", "op_count")
    write(path, head + ["NEW COLUMN"], [r + ["x"] for r in rows])
    hold(name, "a new column", report(path), base, "device_us", "gap_us", "kind", "iterations", "op_count")


def mutate(path, seed):
    name = os.path.basename(path)
    head, rows = read(path)
    c = Columns(head)
    base = report(path)
    if "window" not in base:
        failures.append(f"{name}: status {base['status']}: {base['text']}")
        return
    same_ids(name, "as it is", base, head, rows)
    kind = base["window"]["kind"]
    if any(c.is_capture(r) for r in rows):
        changed(name, "without capture", head, [r for r in rows if not c.is_capture(r)], base, "device_us", "kind",
                "iterations", "op_count")
    for first, last in STYLES:
        renamed = rename(rows, c, first, last)
        if renamed:
            changed(name, f"signposts '{first}' and '{last}'", head, renamed, base, "device_us", "kind", "iterations")
    if kind == "replay":
        path = f"{FOLDER}/twice.csv"
        write(path, head, rows + rows)
        all_verbs(name, "twice, with the same sessions", path, (3,))
    front = cold_ops(rows, c, 3)
    if kind in ("replay", "range"):
        got = changed(name, "cold ops in front", head, front + rows, base, "device_us", "kind", "iterations", "op_count")
        if "window" in got and got["window"]["compiled_programs"] < base["window"]["compiled_programs"] + 3:
            failures.append(f"{name}: cold ops in front: they are not counted")
    for column in OPTIONAL:
        if column in c.at:
            changed(name, f"without {column}", *without(head, rows, {column}), base, "device_us")
    turned = other_devices(rows, c)
    if turned:
        changed(name, "other device ids", head, turned, base, "device_us", "kind", "iterations", "devices")
    if seed % 2 == 0 or turned:
        shapes_of_files(name, head, rows, c, base, seed)
    cut = cut_replay(rows, c)
    if cut and kind == "replay":
        path = f"{FOLDER}/cut.csv"
        write(path, head, cut)
        got = report(path)
        if "window" not in got:
            failures.append(f"{name}: cut in a replay: status {got['status']}")
        elif abs(got["window"]["device_us"] / base["window"]["device_us"] - 1) > 0.01 and not any(
                k["check"] == "window" and k["level"] != "good" for k in got["quality"]["checks"]):
            failures.append(f"{name}: cut in a replay: {got['window']['device_us']} us, and no word about it")


def empty(path):
    """A part without ops is no report, above all not for a gate."""
    global checks
    head, rows = read(path)
    c = Columns(head)
    posts = [["mark" if i == c.at["OP CODE"] else "signpost" if i == c.at["OP TYPE"] else "" for i in range(len(head))]]
    eager = [r for r in rows if c.is_op(r) and not c.session(r) and not c.is_capture(r)][:4]
    for what, content, extra in (("no rows", [], []), ("one signpost", posts, []),
                                 ("no capture", eager, ["--window", "capture"])):
        bad = f"{FOLDER}/empty.csv"
        write(bad, head, content)
        for words in (["report", bad], ["report", "--roofline", bad], ["advise", bad], ["diff", bad, path],
                      ["diff", "--fail-over", "2%", path, bad], ["trace", bad, "-o", f"{FOLDER}/t.json"],
                      ["history", "add", bad, "--store", f"{FOLDER}/h.db"]):
            if extra and words[0] == "trace":
                continue  # it needs logs for a window
            if extra and words[0] == "diff":
                words = ["diff", bad, bad]
            checks += 1
            status = run(*words, *extra).returncode
            if status != 3:
                failures.append(f"{what}: {' '.join(os.path.basename(w) for w in words + extra)}: status {status}, not 3")

    for window in ("capture", "trace=99", "iteration=99", "range=nowhere"):
        for words in (["report"], ["report", "--roofline"], ["advise"], ["kernel"], ["trace", "-o", f"{FOLDER}/t.json"],
                      ["diff", f"{FOLDER}/logs"], ["history", "add", "--store", f"{FOLDER}/h.db"]):
            checks += 1
            status = run(*words, f"{FOLDER}/logs", "--window", window).returncode
            if status != 3:
                failures.append(f"no {window}: {words[0]} of logs: status {status}, not 3")


def main():
    runs = sorted(glob.glob(f"{FOLDER}/campaigns/*.csv"))
    for seed, path in enumerate(runs[::int(sys.argv[3]) if len(sys.argv) > 3 else 5]):
        mutate(path, seed)
    empty(runs[0])
    for failure in failures[:60]:
        print("FAILED:", failure)
    print(f"{checks} checks of changed runs, {len(failures)} failed")
    return 1 if failures or checks < 150 else 0


sys.exit(main())

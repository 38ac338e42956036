# SPDX-License-Identifier: Apache-2.0
"""parquet.py PROGRAM SOURCE_DIR SCRATCH [--plain] [--history] - files of --format parquet, read by parquet_read.py, have the cells
of --format csv and the texts of --format json, with types. --plain: the program has no zstd;
--history: it has SQLite."""
import csv
import io
import json
import os
import pty
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import parquet_read  # noqa: E402

program, source, scratch = sys.argv[1:4]
zstd = "--plain" not in sys.argv
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}", file=sys.stderr)


def run(*words, status=0):
    done = subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL, cwd=scratch)
    if done.returncode != status:
        fail(f"exit status {done.returncode}, not {status}: {words}: {done.stderr.decode(errors='replace')}")
    return done


def cell(value, kind):
    """As show_csv.c prints it."""
    if value is None:
        return ""
    if kind == "real":
        return repr(value)
    return str(value)


def same(text, value, kind):
    if kind == "time":
        return (text == "") == (value is None)
    if kind == "real" and value is not None and text != "":
        return float(text) == value
    shown = cell(value, kind)
    # a formula of a spreadsheet has a quote in front, and what no terminal may get is written out
    return text in (shown, "'" + shown) or (kind == "text" and "\\" in text)


def compare(what, words, hostile=False):
    """The same command as CSV and as Parquet."""
    name = os.path.join(scratch, "file.parquet")
    run(*words, "-q", "-o", name)
    table = parquet_read.read(name)
    piped = run(*words, "-q", "--format", "parquet").stdout
    with open(name, "rb") as file:
        if piped != file.read():
            fail(f"{what}: -o FILE and --format parquet differ")
    rows = list(csv.reader(io.StringIO(run(*words, "-q", "--format", "csv").stdout.decode(), newline="")))
    head, rows = rows[0], rows[1:]
    if head != table.names:
        fail(f"{what}: columns {table.names}, not {head}")
        return table
    if any(len(column) != len(rows) for column in table.columns):
        fail(f"{what}: {len(table.columns[0])} rows, not {len(rows)}")
        return table
    different = [(head[c], r + 1, rows[r][c], column[r]) for c, column in enumerate(table.columns)
                 for r in range(len(rows)) if not same(rows[r][c], column[r], table.types[c])]
    if different:
        fail(f"{what}: {len(different)} cells differ, the first: {different[0]}")
    if not hostile and any("\\" in text for row in rows for text in row):
        fail(f"{what}: a text that CSV escapes is not compared")
    if table.codecs - {6 if zstd else 0}:
        fail(f"{what}: codecs {table.codecs}")
    if not table.created_by.startswith("tt-perf version ") or not table.meta["tt_perf.version"]:
        fail(f"{what}: made by {table.created_by}")
    if [c["name"] for c in json.loads(table.meta["tt_perf.columns"])] != head:
        fail(f"{what}: columns of the metadata")
    return table


def types(table):
    return dict(zip(table.names, table.types))


def nulls(table):
    return sum(v is None for column in table.columns for v in column)


def expect(condition, text):
    if not condition:
        fail(text)


def reports():
    demo = f"{source}/tests/data/demo_ops_perf_results.csv"
    table = compare("demo", ("report", demo))
    kinds = types(table)
    expect(kinds["ID"] == "int" and kinds["Device Time"] == "real" and kinds["OP Code"] == "text", f"types: {kinds}")
    expect(table.meta["tt_perf.schema"] == "tt-perf.report/2", f"schema {table.meta}")
    expect(nulls(table) > 0, "no null in the demo")
    table = compare("bool", ("report", demo, "--ranges"))
    expect(table.meta["tt_perf.schema"] == "tt-perf.ranges/1", f"schema of --ranges: {table.meta}")
    compare("roofline", ("report", demo, "--roofline"))
    compare("columns", ("report", demo, "--columns", "op,time,id"))
    table = compare("no rows", ("report", demo, "--where", "id<0"))
    expect(table.groups == [], "groups of a table without rows")
    compare("two devices", ("report", f"{source}/tests/data/demo_two_devices.csv", "--no-merge-devices"))
    compare("signposts", ("report", demo, "--print-signposts", "--ignore-signposts"))
    run("synth", "-q", "-o", "ranks", "--ranks", "2", "--mesh", "1x2", "--layers", "1")
    table = compare("ranks", ("report", "ranks", "--no-merge-devices"))
    expect(types(table)["Device"] == "text", "devices of several ranks are texts")


def large():
    """More than one page and more than one group; the same bytes for any number of threads."""
    with open(f"{source}/tests/data/demo_ops_perf_results.csv", encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    rows = [row.split(",", 3) for row in rows if row.split(",")[1] != "signpost"]
    count = 70000
    with open(os.path.join(scratch, "large.csv"), "w", encoding="utf-8") as file:
        file.write(head + "\n") # each row is another call
        for i in range(count):
            code, kind, _, rest = rows[i % len(rows)]
            file.write(f"{code},{kind},{i},{rest}\n")
    words = ("report", "large.csv", "--window", "all", "--no-advice")
    table = compare("large", words)
    expect(len(table.groups) >= 2 and table.groups[0] == 65536 and table.pages >= 2,
           f"groups {table.groups}, pages {table.pages}")
    one = run(*words, "-q", "-j", "1", "--format", "parquet").stdout
    expect(one == run(*words, "-q", "-j", "3", "--format", "parquet").stdout, "bytes depend on the threads")


def names():
    """Texts are those of JSON, whatever is in them."""
    odd = ["Grüße 漢字 \U0001F600", "=1+1", "a\x1b[31mred", "\u202eback", "tab\there", "x" * 3000, "quote\"comma,",
           b"\xff\xfe bad".decode("utf-8", "surrogateescape"), b"cut \xe6\xbc".decode("utf-8", "surrogateescape")]
    with open(f"{source}/tests/data/demo_ops_perf_results.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    device = [i for i, row in enumerate(rows) if i and row[1] != "signpost"]
    for i, name in zip(device, odd * 9):
        rows[i][0] = name
    path = os.path.join(scratch, "odd.csv")
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    words = ("report", path, "--window", "all", "--columns", "id,op")
    table = compare("names", words, hostile=True)
    ops = json.loads(run(*words, "-q", "--format", "json").stdout)["data"]["ops"]
    want = [op["op"] for op in ops]
    expect(table.columns[1] == want, "texts differ from those of JSON")
    expect(all(any(odd in text for text in want) for odd in "\u202e\ufffd漢\""), "the names were not odd")


def history():
    words = ("history", "--store", "history.db")
    run(*words, "-q", "import", f"{source}/tests/data/history_runs.jsonl")
    run(*words, "-q", "add", "--no-git", "--no-machine", f"{source}/tests/data/demo_ops_perf_results.csv", "odd.csv",
        "--again")
    table = compare("all runs", (*words, "export", "--all"), hostile=True)
    kinds = types(table)
    expect(kinds["value"] == "real" and kinds["time"] == "time" and kinds["run"] == "int", f"types: {kinds}")
    expect(table.meta["tt_perf.schema"] == "tt-perf.history-export/1", f"schema {table.meta}")
    known = json.loads(run(*words, "list", "--limit", "0", "--format", "json").stdout)["data"]["runs"]
    at = table.names.index("run"), table.names.index("time")
    import datetime
    times = {run["id"]: run["time"] for run in known}
    for run_id, time in set(zip(table.columns[at[0]], table.columns[at[1]])):
        want = datetime.datetime.fromisoformat(times[run_id].replace("Z", "+00:00"))
        stamp = datetime.datetime.fromtimestamp(time // 10**9, datetime.timezone.utc)
        expect(stamp == want.replace(microsecond=0), f"time of run {run_id}: {stamp}, not {want}")
    one = run(*words, "export", "3", "--format", "parquet").stdout
    with open(os.path.join(scratch, "one.parquet"), "wb") as file:
        file.write(one)
    only = parquet_read.read(os.path.join(scratch, "one.parquet"))
    rows = [i for i, run_id in enumerate(table.columns[at[0]]) if run_id == 3]
    expect(rows and [[c[i] for i in rows] for c in table.columns] == only.columns, "one run differs from its part of all")
    table = compare("all ops", (*words, "export", "--all", "--ops"), hostile=True)
    expect("device_us" in table.names and table.columns[0], "no ops")


def refused():
    demo = f"{source}/tests/data/demo_ops_perf_results.csv"
    master, slave = pty.openpty()
    done = subprocess.run([program, "report", demo, "--format", "parquet"], stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    os.close(master)
    expect(done.returncode == 2 and b"terminal" in done.stderr, f"on a terminal: {done.returncode} {done.stderr}")
    for words in (("--columns", "id,id"), ("-o", "x.csv")):
        done = run("report", demo, "--format", "parquet", *words, status=2)
        expect(done.stdout == b"" and not os.path.exists(os.path.join(scratch, "x.csv")), f"{words}: wrote something")
    run("diff", demo, demo, "-o", "x.parquet", status=2)


reports()
large()
names()
if "--history" in sys.argv:
    history()
refused()
sys.exit(failures > 0)

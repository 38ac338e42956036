# SPDX-License-Identifier: Apache-2.0
"""verb_commands.py - a command for each verb that prints a table, and its inputs, for the tests that try all of them.
Imported by scripts with the arguments PROGRAM SOURCE_DIR SCRATCH."""
import os
import re
import subprocess
import sys

program, source, scratch = sys.argv[1:4]
os.chdir(scratch)
environment = {k: v for k, v in os.environ.items()
               if not k.startswith(("TT_", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"))}
environment |= {"HOME": os.path.join(scratch, "home"), "XDG_STATE_HOME": os.path.join(scratch, "state"), "TERM": "xterm", "COLUMNS": "100",
                "LC_ALL": "C.UTF-8", "GIT_CEILING_DIRECTORIES": scratch}
failures = 0
SUFFIX = {"text": ".txt", "csv": ".csv", "md": ".md", "json": ".json", "svg": ".svg", "png": ".png", "html": ".html",
          "parquet": ".parquet", "ndjson": ".ndjson", "prometheus": ".prom", "junit": ".xml"}
data = f"{source}/tests/data"
demo = f"{data}/demo_ops_perf_results.csv"


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}", file=sys.stderr)


def run(*words, env=None):
    return subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                          env=environment | (env or {}))


def prepared():
    def must(*words):
        done = run(*words)
        if done.returncode:
            raise SystemExit(f"FAILED: cannot prepare {words}: {done.stderr.decode()}")
    os.makedirs("home", exist_ok=True)
    must("synth", "-q", "-o", "run", "--layers", "1", "--cores", "4", "--noc")
    must("synth", "-q", "-o", "kernel", "--model", "tt-lang-kernel", "--cores", "4")
    must("synth", "-q", "-o", "ranks", "--ranks", "2", "--mesh", "1x2", "--layers", "1")
    must("synth", "-q", "-o", "merged", "--ranks", "2", "--mesh", "1x2", "--layers", "1")
    must("history", "-q", "--store", "h.db", "import", f"{data}/history_runs.jsonl")
    must("bench", "-q", "--no-guard", "--runs", "2", "--warmup", "0", "-o", "bench.json", "--", "true")
    subprocess.run(["sh", f"{data}/host/unpack.sh", f"{data}/host/hot.tree", "machine"], check=True)
    subprocess.run(["cp", "-R", f"{source}/tests/golden/tune_json/state", "tuned"], check=True)
    return {
        "report": [demo], "info": ["run"], "mesh": ["ranks"], "kernel": ["kernel"], "annotate": ["kernel"],
        "noc": ["run"], "mem": [f"{source}/tests/golden/mem/graph_capture.json"],
        "startup": [f"{source}/tests/golden/startup_run/logs"], "advise": [demo], "explain": ["--list"],
        "fit": ["--arch", "n150", "--from", demo], "config": ["32", "4096", "6144"], "skill": [],
        "diff": [demo, demo], "pcc": [f"{data}/tensor/golden_f32.npy", f"{data}/tensor/doubled.npy"],
        "history": ["--store", "h.db", "list"], "doctor": ["--quick", "--root", "machine"],
        "top": ["--once", "--interval", "0.1", "--root", "machine"], "version": [], "tune": ["status", "--state", "tuned"],
        "bench": ["bench.json"], "selftest": [], "merge": ["merged"],
        "bundle": ["--check", f"{source}/fuzz/corpus/bundle/whole.tar"],
    }


# formats of actions of `history` other than `list`
HISTORY = {"svg": ["trend", "decode: t/s/u"], "png": ["trend", "decode: t/s/u"], "github": ["regressions", "--since", "2026-01-20"],
           "junit": ["regressions", "--since", "2026-01-20"], "original": ["export", "3"],
           "benchmark-run": ["export", "3"], "ndjson": ["export", "--all"], "parquet": ["export", "--all"],
           "prometheus": ["export", "--all"]}
OTHER = {("report", "svg"): [demo, "--roofline"], ("report", "png"): [demo, "--roofline"]}
# Their results are folders, or -o has another meaning; or they have no input that stays the same.
APART = {"record", "tracy", "export", "synth", "ops", "trace", "help", "completion", "schema"}
SAVES = {"bench"}  # a file next to the text: as JSON, unless --format or its suffix says otherwise
CHANGES = {"top", "selftest"}  # what they print differs from run to run


def words_of(verb, form, commands):
    if verb == "history" and form in HISTORY:
        return ["--store", "h.db", *HISTORY[form]]
    return OTHER.get((verb, form), commands[verb])


def file_of(path):
    with open(path, "rb") as file:
        return file.read()


def is_kind(form, word):
    """May files with the suffix of `word` have that format?"""
    return form == word or form.endswith("-" + word) or (word == "json" and form in ("benchmark-run", "speedscope"))


def all_verbs():
    return re.findall(r"^  ([a-z]+)  +[a-z]", run("--help").stdout.decode(), re.M)


def formats_of(verb):
    listed = re.search(r"^ *--format ((?:[a-z-]+\|?\n? *)+?)(?:  |\n *[A-Z])", run("help", verb).stdout.decode(), re.M)
    return re.sub(r"\s", "", listed[1]).split("|") if listed else []

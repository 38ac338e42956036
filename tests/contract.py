# SPDX-License-Identifier: Apache-2.0
"""contract.py PROGRAM SOURCE_DIR SCRATCH - each verb keeps the contract of the command line in each of its formats: the
result is the same on standard output, with '-o -' and in a file, whether --format or the suffix chooses the format; a
suffix that the verb does not have, or one that contradicts --format, is a wrong usage and touches no file; JSON has the
envelope of a schema that exists, and as many rows as CSV; NO_COLOR, prefixes of options, -h. Verbs and formats are those
of --help; a verb without a command here is a failure."""
import csv
import io
import json
import os
import re
import sys

import verb_commands
from verb_commands import (APART, CHANGES, SAVES, SUFFIX, all_verbs, fail, file_of, formats_of, is_kind, prepared, run,
                           words_of)

ENVELOPE = ["schema", "tool", "inputs", "data", "warnings", "truncated"]


def check_json(what, text, schemas):
    try:
        document = json.loads(text)
    except ValueError as problem:
        fail(f"{what}: {problem}")
        return None
    if list(document) != ENVELOPE:
        fail(f"{what}: members {list(document)}")
        return None
    if document["schema"] not in schemas:
        fail(f"{what}: no schema {document['schema']}")
    if sorted(document["tool"]) != ["name", "version"] or not isinstance(document["inputs"], list) or \
            not isinstance(document["warnings"], list) or document["truncated"] not in (True, False):
        fail(f"{what}: envelope {document['tool']} {document['inputs']}")
    return document


def lists(value):
    if isinstance(value, list):
        yield len(value)
        for inner in value:
            yield from lists(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from lists(inner)


def leaves_alone(what, name, status, *words):
    """The command fails with that status and leaves a file of that name as it was."""
    for before in (b"before", None):
        if before is not None:
            with open(name, "wb") as file:
                file.write(before)
        elif os.path.exists(name):
            os.unlink(name)
        done = run(*words, "-o", name)
        if done.returncode != status:
            fail(f"{what}: exit status {done.returncode}, not {status}: {done.stderr.decode(errors='replace')[:200]}")
        if (file_of(name) if os.path.exists(name) else None) != before:
            fail(f"{what}: the file was touched")
        if os.path.exists(name):
            os.unlink(name)


def check_verb(verb, formats, commands, schemas):
    results = {}
    for form in formats:
        words = words_of(verb, form, commands)
        what = f"{verb} --format {form}"
        done = run(verb, *words, "--format", form)
        results[form] = done.stdout
        if done.returncode not in (0, 1, 7) or not done.stdout:
            fail(f"{what}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
            continue
        if form == "json":
            check_json(what, done.stdout, schemas)
        if form == "png" and not done.stdout.startswith(b"\x89PNG\r\n\x1a\n"):
            fail(f"{what}: not a PNG file")
        if form not in ("parquet", "html", "png") and b"\x1b" in done.stdout:
            fail(f"{what}: colour without a terminal")
        for name in ("-", "result") if verb not in SAVES else ("result",):
            again = run(verb, *words, "--format", form, "-o", name)
            text = again.stdout if name == "-" else file_of(name)
            same = text == done.stdout or verb in CHANGES or form == "html"
            if again.returncode != done.returncode or not same or \
                    (name == "result" and again.stdout and verb not in SAVES):
                fail(f"{what} -o {name} differs")
        os.unlink("result")
    for form, suffix in SUFFIX.items():
        name = f"result{suffix}"
        kin = [f for f in formats if is_kind(f, form)]
        if not kin:
            leaves_alone(f"{verb} -o {name}", name, 2, verb, *commands[verb])
            continue
        done = run(verb, *words_of(verb, form, commands), "-o", name)
        if done.returncode not in (0, 1, 7) or (done.stdout and verb not in SAVES):
            fail(f"{verb} -o {name}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:200]}")
        elif file_of(name) != results.get(form) and verb not in CHANGES and form != "html":
            fail(f"{verb} -o {name} is not --format {form}")
        if os.path.exists(name):
            os.unlink(name)
        for other in formats:
            if not is_kind(other, form):
                leaves_alone(f"{verb} --format {other} -o {name}", name, 2, verb,
                             *words_of(verb, other, commands), "--format", other)
    if {"csv", "json"} <= set(formats) and verb not in CHANGES and b"\r\n" in results.get("csv", b""):
        rows = len(list(csv.reader(io.StringIO(results["csv"].decode(), newline="")))) - 1
        if rows not in lists(json.loads(results["json"])["data"]):
            fail(f"{verb}: CSV has {rows} rows, no list of JSON has")


def check_options(verb, formats, commands):
    short, long = run(verb, "-h"), run(verb, "--help")
    if short.returncode or short.stdout != long.stdout or not short.stdout:
        fail(f"{verb} -h: exit status {short.returncode}")
    done = run(verb, *commands.get(verb, []), "--no-such", "--format", "json")
    if "json" in formats:
        try:
            error = json.loads(done.stderr)["error"]
        except ValueError:
            error = {}
        if list(error) != ["code", "message", "hint", "path", "line"] or done.returncode != 2 or done.stdout:
            fail(f"{verb}: an unknown option with --format json: {done.returncode} {done.stderr.decode()[:200]}")
    options = set(re.findall(r"--[a-z0-9-]+", long.stdout.decode().split("EXAMPLES")[0]))
    if "json" in formats and [o for o in options if o.startswith("--forma")] == ["--format"]:
        whole = run(verb, *commands[verb], "--format", "json")
        part = run(verb, *commands[verb], "--forma=json")
        if (part.stdout != whole.stdout and verb not in CHANGES) or part.returncode != whole.returncode:
            fail(f"{verb} --forma=json is not --format json: {part.stderr.decode()[:200]}")
    if "--color" in options and "text" in formats:
        plain = run(verb, *commands[verb], env={"NO_COLOR": "1", "FORCE_COLOR": "1"})
        if b"\x1b" in plain.stdout or b"\x1b" in plain.stderr:
            fail(f"{verb}: colour although NO_COLOR is set")


def main():
    verbs = all_verbs()
    schemas = run("schema").stdout.decode().split()
    if len(verbs) < 26 or len(schemas) < 30:
        fail(f"{len(verbs)} verbs, {len(schemas)} schemas")
    commands = prepared()
    for verb in verbs:
        formats = formats_of(verb)
        if verb in commands:
            check_verb(verb, formats, commands, schemas)
        elif verb not in APART:
            fail(f"no command for {verb}: add it to tests/contract.py")
        check_options(verb, formats if verb in commands else [], commands)


main()
sys.exit(verb_commands.failures > 0)

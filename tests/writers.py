# SPDX-License-Identifier: Apache-2.0
"""writers.py PROGRAM SOURCE_DIR SCRATCH - no verb leaves a half-written result. Each command that writes a file or a
folder runs without room on the disk (a limit of the size of files), and is killed at its first write, at the sync and at
the rename of its result: what was there before is there, or the new result is complete; without room the status is 5
and the message names a file; the next run succeeds."""
import os
import resource
import shutil
import subprocess
import sys

import verb_commands
from verb_commands import (CHANGES, SUFFIX, all_verbs, environment, fail, formats_of, prepared, program, run,
                           source, words_of)

BEFORE = b"what was there before\n"
POINTS = ("write", "fsync", "rename")
traced = shutil.which("strace") is not None


def others():
    """Commands whose result is a folder, or named by an option of its own: OUT is in their words."""
    capture = f"{source}/fuzz/corpus/capture_file/run_66_tt"
    return {
        "trace": ["trace", "run", "-o", "OUT.pftrace"],
        "trace page": ["trace", "run", "--offline", "-o", "OUT.html"],
        "trace folded": ["trace", "run", "-o", "OUT.folded"],
        "trace of ranks": ["trace", "ranks", "--split-size", "0", "-o", "OUT.pftrace"],
        "bundle": ["bundle", "run", "-o", "OUT.tar.zst"],
        "part": ["merge", "--part", "ranks/rank0", "-o", "OUT.ttpart"],
        "export all": ["history", "--store", "h.db", "export", "--all", "-o", "OUT.jsonl"],
        "ops": ["ops", "run", "-o", "OUT"],
        "synth": ["synth", "-q", "--layers", "1", "--cores", "2", "-o", "OUT"],
        "export tracy": ["export", "tracy", capture, "-o", "OUT.tracy"],
        "export csv": ["export", "csv", capture, "-o", "OUT"],
    }


def name_of(words):
    return next(w for w in words if w.startswith("OUT"))


def content(path):
    """Of a file its bytes; of a folder those of its files by name; None: there is none."""
    if os.path.isdir(path):
        found = {}
        for folder, _, names in os.walk(path):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), path)] = file.read()
        return found
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def is_whole(now, before, after, changes):
    """What stands there is the old or the new result; of a folder each file is, or is not there yet."""
    if isinstance(after, dict):
        return all(name not in after or text == after[name] or changes for name, text in (now or {}).items()
                   if not os.path.basename(name).startswith("."))
    return now in (before, after) or (changes and now is not None and len(now) > len(after) / 2)


def is_same(now, after):
    """Apart from what a killed program left in a folder."""
    return now == after if not isinstance(after, dict) else {n: t for n, t in (now or {}).items() if n in after} == after


def limited(words, size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=120, env=environment,
                          preexec_fn=limit)


def set_up(path, folder):
    remove(path)
    if not folder:
        with open(path, "wb") as file:
            file.write(BEFORE)


def litter(clean):
    return sorted(set(os.listdir(".")) - clean - {"h.db-shm", "h.db-wal"})  # SQLite's


def try_writer(what, words, changes):
    path = name_of(words)
    clean = set(os.listdir("."))
    done = run(*words)
    after = content(path)
    if done.returncode not in (0, 1, 7) or not after:
        fail(f"{what}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
        return
    folder = isinstance(after, dict)
    largest = max(map(len, after.values())) if folder else len(after)
    clean.add(path)
    for size in {0, largest // 2}:
        set_up(path, folder)
        full = limited(words, size)
        said = full.stderr.decode(errors="replace")
        now = content(path)
        if full.returncode != 5 or not any(n in said for n in ("OUT", "/tt-perf-", "'h.db'", "temporary file")):
            fail(f"{what}: exit status {full.returncode} with files of at most {size} bytes: {said[:300]}")
        if not is_whole(now, BEFORE, after, False) or (not folder and now != BEFORE):
            fail(f"{what}: a part of the result is there with files of at most {size} bytes")
        if litter(clean):
            fail(f"{what}: leaves {litter(clean)} with files of at most {size} bytes")
    for point in POINTS if traced else ():
        set_up(path, folder)
        subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=write,fsync,rename,renameat,renameat2", "-e",
                        f"inject={point}{',renameat,renameat2' if point == 'rename' else ''}:signal=KILL:when=1",
                        program, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=120, env=environment)
        if not is_whole(content(path), BEFORE, after, changes):
            fail(f"{what}: a part of the result is there after a kill at its first {point}")
        again = run(*words)
        if again.returncode not in (0, 1, 7) or not (changes or is_same(content(path), after)):
            fail(f"{what}: after a kill at {point} the next run exits with {again.returncode}")
        for name in litter(clean):  # what a killed program cannot remove
            remove(name)
    remove(path)


def main():
    commands = prepared()
    tried = 0
    for verb in all_verbs():
        formats = formats_of(verb) if verb in commands else []
        for form in formats:
            if form in SUFFIX:
                words = [verb, *words_of(verb, form, commands), "--format", form, "-o", f"OUT{SUFFIX[form]}"]
                try_writer(f"{verb} --format {form}", words, verb in CHANGES or form == "html")
                tried += 1
    for what, words in others().items():
        try_writer(what, words, what == "bundle" or words[0] == "ops")
        tried += 1
    print(f"{tried} writers{'' if traced else '; no strace: nothing was killed'}")
    if tried < 80:
        fail(f"only {tried} writers")


main()
sys.exit(verb_commands.failures > 0)

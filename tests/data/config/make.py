#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py DIR... - matmul rows of ops CSVs (.csv, .gz, .zst below DIR) as one small ops CSV.

One row per group: same source (the file's name up to '-' or '_'), problem, config and board; its
duration is the median of the group, its GLOBAL CALL COUNT how many calls the row stands for. The
source stands in a column of its own behind the others.
Writes to stdout: `make.py campaigns | zstd -19 > rows.csv.zst` and, of other runs,
`make.py ops | zstd -19 > other_rows.csv.zst` made the files beside it.
"""
import collections
import csv
import io
import os
import re
import statistics
import subprocess
import sys

TENSORS = ("INPUT_0", "INPUT_1", "INPUT_2", "OUTPUT_0")
COLUMNS = (
    ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES",
     "MATH FIDELITY", "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "HOST START TS",
     "DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]"]
    + [f"{t}_{d}_PAD[LOGICAL]" for t in TENSORS for d in "WZYX"]
    + [f"{t}_{x}" for t in TENSORS for x in ("LAYOUT", "DATATYPE", "MEMORY")]
)
OPS = ("Matmul", "MatmulDeviceOperation", "MinimalMatmulDeviceOperation",
       "SparseMatmulDeviceOperation")
VARIES = ("GLOBAL CALL COUNT", "DEVICE ID", "HOST START TS", "DEVICE KERNEL DURATION [ns]",
          "OP TO OP LATENCY [ns]")
READERS = {".zst": "zstdcat", ".gz": "zcat", ".csv": "cat"}


def files(folders):
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                if ".csv" in name:
                    yield os.path.join(root, name)


def main():
    groups = collections.OrderedDict()
    csv.field_size_limit(1 << 24)
    for path in sorted(files(sys.argv[1:])):
        reader = READERS[os.path.splitext(path)[1]]
        text = subprocess.run([reader, path], check=True, capture_output=True).stdout
        source = re.split(r"[-_.]", os.path.basename(path))[0]
        for row in csv.DictReader(io.StringIO(text.decode("utf-8", "replace"))):
            if row.get("OP CODE") not in OPS or not row.get("ATTRIBUTES"):
                continue
            for key in list(row):  # devices of other numbers are the same memory
                if key and key.endswith("_MEMORY"):
                    row[key] = re.sub(r"DEV_\d+_", "DEV_0_", row[key] or "")
            for tensor in TENSORS:  # names of 2024 and early 2025
                for dim in "WZYX":
                    row.setdefault(f"{tensor}_{dim}_PAD[LOGICAL]", row.get(f"{tensor}_{dim}"))
            key = (source,) + tuple(row.get(c) or "" for c in COLUMNS if c not in VARIES)
            groups.setdefault(key, []).append(row)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS + ["SOURCE"])
    for number, (key, rows) in enumerate(groups.items()):
        times = [float(r[VARIES[3]]) for r in rows if r.get(VARIES[3])]
        first = dict(rows[0])
        first["GLOBAL CALL COUNT"] = len(rows)
        first["HOST START TS"] = number + 1
        first["DEVICE ID"] = 0
        first["OP TO OP LATENCY [ns]"] = 0
        first[VARIES[3]] = int(statistics.median(times)) if times else ""
        out.writerow([first.get(c) or "" for c in COLUMNS] + [key[0]])


main()

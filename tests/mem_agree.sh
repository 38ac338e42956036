#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mem_agree.sh BIN_DIR SOURCE_DIR - a graph capture and the database that ttnn's importer made of it say the same of every
# op, unless a buffer is older than the capture: the importer does not know that one.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs sqlite zstd
command -v python3 >/dev/null || skip "no python3"
zstd -dcq "$source/tests/originals/mem.tar.zst" | tar -xf - -C "$scratch" || exit 2
find "$scratch" -name '*.sqlite' -exec dirname {} \; | sort -u >"$scratch/folders"
while read -r folder; do
    find "$folder" -maxdepth 1 -name '*graph*.json*' | grep -q . || continue
    "$program" mem -q --format json "$folder" >"$scratch/mem.json" 2>/dev/null || continue
    python3 - "$scratch/mem.json" "$folder" >>"$scratch/compared" <<'END' || failed=1
import json, sys

data = json.load(open(sys.argv[1]))["data"]
graphs, databases = data.get("graphs") or {}, data.get("databases") or {}
if len(graphs) != 1 or len(databases) != 1:
    sys.exit(0)
graph, database = next(iter(graphs.values())), next(iter(databases.values()))
ranks = database["ranks"]
if graph["buffers"]["older_than_capture"] or len(ranks) != 1:
    sys.exit(0)
bad = 0
of_database = {op["op_id"]: op for op in next(iter(ranks.values()))["ops"]}
for op in graph["ops"]:
    other = of_database.get(op["op_id"])
    if not other or not op["memory"] or not other["memory"] or not op.get("finished", True):
        continue
    one, two = next(iter(op["memory"].values())), next(iter(other["memory"].values()))
    figures = {
        "name": (op["name"], other["name"]),
        "l1_peak": (one["l1_peak"], two["l1_peak"]),
        "circular buffers": (one["split"]["cb"], two["cb_at_peak"]),
        "l1 at the end": (one["end"]["tensors"], two["l1_end"]),
        "dram at the end": (one["end"]["dram"], two["dram_end"]),
        "largest free block": (one["end"]["largest"], two["largest_free"]),
    }
    for name, (a, b) in figures.items():
        if a != b:
            bad = 1
            print(f"FAILED: {sys.argv[2]}: op {op['op_id']}: {name}: {a} of the capture, {b} of the database", file=sys.stderr)
    print(op["op_id"])
sys.exit(bad)
END
done <"$scratch/folders"
compared=$(wc -l <"$scratch/compared")
echo "$compared ops compared"
check "ops were compared" test "$compared" -ge 20
exit $failed

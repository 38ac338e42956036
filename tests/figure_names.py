#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figure_names.py SOURCE_DIR - one figure has one name and one unit in the JSON of all verbs (docs/schemas)."""
import collections
import glob
import json
import os
import re
import sys

source = sys.argv[1]
# How a key ends, by the unit of its values.
ENDS = {"us": "us", "ns": "ns", "ms": "ms", "s": "s", "%": "percent", "bytes": "bytes", "B": "bytes", "cycles": "cycles",
        "MHz": "mhz", "GHz": "ghz", "C": "c", "V": "v", "A": "a", "W": "w", "GT/s": "gts", "GB/s": "gbs", "TFLOPs": "tflops",
        "rpm": "rpm", "ppm": "ppm", "words": "words"}
# Keys whose form others decided: recorded results of mem, startup, live runs and meshes (see "Names of figures" in
# docs/architecture.md), and the statistics of tt-npe.
FIXED = {
    "mem": set("""DRAM L1 L1_SMALL allocated bank cb cb_at_peak cb_region_end dram dram_end dram_peak_per_bank dram_peak_total
                  free headroom_min hole input intermediate l1 l1_end l1_peak l1_peak_inferred l1_small largest largest_free
                  largest_free_min lowest_l1_address output short_by small small_end stale tensors tensors_at_peak trace
                  waiting cut_at_offset operation_name""".split()),
    "mesh": {"theta_ns_at_start_mid_end", "estimate_ns_at_start_mid_end", "statistical_error_ns_at_start_mid_end"},
    "noc-compat": None,  # all of it
}
# The same quantity in two units: kinds of input that keep their own clock.
TIMES = ("us", "ns", "ms", "s")
TWO_UNITS = {
    "duration": "mem: captures count ns, databases of ttnn-visualizer s",
    "wall": "startup: ns of the inspector; bench: s, as time(1)",
    "other": "startup: ns that no phase explains; diff: device time of the other run",
}
# tt-metal's parameters of program configs.
WIDTHS = {"block_w", "subblock_w"}
# Statistics of a figure whose unit stands next to it, or in the key of its object.
STATISTICS = {"min", "max", "mean", "median", "sum", "range"}


def walk(schema, name, under):
    if not isinstance(schema, dict):
        return
    for key, value in (schema.get("properties") or {}).items():
        if isinstance(value, dict):
            yield name, key, value, under
            yield from walk(value, name, key)
    for inner in ("items", "additionalProperties"):
        yield from walk(schema.get(inner), name, under)


def unit_end(key):
    """The unit that a key tells, or none: bytes of bytes_per_bank."""
    words = re.sub(r"_per_[a-z0-9]+$", "", key).split("_")
    if key in WIDTHS:
        return None
    return words[-1] if words[-1] in ENDS.values() and (len(words) > 1 or len(words[-1]) > 2) else None


keys = []
for path in sorted(glob.glob(os.path.join(source, "docs/schemas/*.json"))):
    verb = re.sub(r"^tt-perf\.|-\d+\.json$", "", os.path.basename(path))
    with open(path, encoding="utf-8") as file:
        keys += walk(json.load(file), verb, "")
failures = []
figures = []
with open(os.path.join(source, "tests/names/figures.txt"), encoding="utf-8") as file:
    for line in file:
        if line.strip() and not line.startswith("#"):
            row = [part.strip() for part in re.split(r" \| |\|(?= )", line, maxsplit=1)]
            avoid, meaning = row[1].rsplit(" | ", 1)
            figures.append((row[0], re.compile(avoid.strip()), meaning.strip()))

units, texts = collections.defaultdict(dict), collections.defaultdict(dict)
for verb, key, value, under in keys:
    where = f"{verb}: {under + '.' if under else ''}{key}"
    fixed = FIXED.get(verb, set())
    if fixed is None or key in fixed:
        continue
    if not re.fullmatch(r"[a-z][a-z0-9_]*", key):
        failures.append(f"{where}: keys have small letters, digits and _")
    types = value.get("type") or []
    is_number = bool({"number", "integer"} & set([types] if isinstance(types, str) else types))
    unit, end = value.get("unit"), unit_end(key)
    if unit and key not in STATISTICS:
        if unit not in ENDS:
            failures.append(f"{where}: unit '{unit}' has no ending")
        elif end != ENDS[unit]:
            failures.append(f"{where}: in {unit}, but does not end in {ENDS[unit]}")
    elif is_number and end and not unit and under not in ("set",):
        failures.append(f"{where}: ends in {end}, but declares no unit")
    if end in TIMES and is_number:
        units[re.sub(rf"_?{end}$", "", key)].setdefault(end, where)
    for name, avoid, meaning in figures:
        if key != name and avoid.fullmatch(key):
            failures.append(f"{where}: {meaning} is called {name}")
    text = value.get("description")
    if text and end:
        texts[text].setdefault(key, where)

for stem, ends in units.items():
    if stem and len(ends) > 1 and stem not in TWO_UNITS:
        failures.append(f"{stem}: in several units: {', '.join(ends.values())}")
for text, names in texts.items():
    if len(names) > 1 and len(text) > 24:
        failures.append(f"'{text}' has several names: {', '.join(names.values())}")
for stem in TWO_UNITS:
    if len(units.get(stem, {})) < 2:
        failures.append(f"{stem} has one unit only: the exception is not needed")
seen = {key for _, key, _, _ in keys}
failures += [f"tests/names/figures.txt: no verb has {name}" for name, _, _ in figures if name not in seen]
for verb, names in FIXED.items():
    here = {key for v, key, _, _ in keys if v == verb}
    failures += [f"{verb} has no {name}: the exception is not needed" for name in (names or ()) if name not in here]
if len(keys) < 1000:
    failures.append(f"only {len(keys)} keys found")
print("\n".join(failures) if failures else f"{len(keys)} keys, {len(seen)} names")
sys.exit(bool(failures))

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ci_formats.sh BIN_DIR SOURCE_DIR - diff and history regressions for build servers: exit statuses are those of text, JUnit is XML
# whose counts are true, annotations are one line each, and names of others cannot leave them.
. "$2/tests/common.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2
"$program" synth -q -o run --layers 1 --cores 2 || exit 1
"$program" ops -q run -o . >made || exit 1
python3 - <<'END' || exit 1
import csv
rows = list(csv.reader(open("ops_perf_results.csv", newline="")))
code, time = rows[0].index("OP CODE"), rows[0].index("DEVICE KERNEL DURATION [ns]")
names = ['a::error title=x::y', 'b%0A::warning::z', 'c" onload="1', "d<failure/>", "e]]>&amp;", "f\x1b[31m", "g\ufffe\uffff", "h\r\n::error::i", "j,k:l"]
for slow, path in ((1, "base.csv"), (2, "slow.csv"), (1.01, "base2.csv"), (1.02, "base3.csv"), (1.99, "slow2.csv"),
                   (1.03, "base4.csv"), (2.01, "slow3.csv"), (1.04, "base5.csv")):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(rows[0])
        for i, row in enumerate(rows[1:]):
            row = list(row)
            row[code] = names[i % len(names)]
            if row[time]:
                row[time] = str(int(int(row[time]) * slow))
            writer.writerow(row)
END
same() { # expected status, arguments of diff: in every format
    expected=$1
    shift
    for format in text github junit; do
        "$program" diff -q --format $format "$@" >"diff.$format" 2>err
        status=$?
        [ $status = "$expected" ] || complain "diff --format $format $*: exit status $status, not $expected"
    done
}
judge() { # kind of annotation of the run, failures, skipped
    python3 - "$@" <<'END' || failed=1
import re, sys, xml.etree.ElementTree as tree
kind, failures, skipped = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
root = tree.parse("diff.junit").getroot()
assert root.tag == "testsuites", root.tag
for level in [root] + list(root):
    cases = list(level.iter("testcase"))
    assert int(level.get("tests")) == len(cases) > 1
    assert int(level.get("failures")) == sum(c.find("failure") is not None for c in cases) == failures, level.attrib
    assert int(level.get("skipped")) == sum(c.find("skipped") is not None for c in cases) == skipped, level.attrib
for case in root.iter("testcase"):
    assert {c.tag for c in case} <= {"properties", "failure", "skipped", "system-out"} and case.get("classname") == "tt-perf diff"
total = {p.get("name"): p.get("value") for p in next(root.iter("testcase")).iter("property")}
assert float(total["base_us"]) > 0 and "change_percent" in total, total
lines = open("diff.github", encoding="utf-8", newline="").read().split("\n")
assert lines[-1] == "" and len(lines) > 1, lines
for line in lines[:-1]:
    assert re.fullmatch(r"::(notice|warning|error) title=[^:,\r\x1b]*::[^\r\x1b]*", line), line
    assert not re.search(r"%(?!25|0A|0D|3A|2C)", line), line
assert lines[0].startswith(f"::{kind} title="), lines[0]
assert sum(line.startswith("::error") for line in lines) == failures, lines
END
}
same 0 --fail-over 2% base.csv base.csv
same 1 --fail-over 2% base.csv slow.csv
judge error 1 0
same 0 base.csv slow.csv
judge notice 0 0
same 7 --fail-over 2% base.csv,base2.csv,slow.csv,base3.csv base4.csv,slow2.csv,base5.csv,slow3.csv
judge warning 0 1
"$program" diff -q base.csv slow.csv -o out.xml || complain "-o FILE.xml"
grep -q '^<?xml' out.xml || complain "-o FILE.xml is not JUnit"
if part sqlite; then
    "$program" history import -q --store h.db "$source/tests/data/history_runs.jsonl" >added || failed=1
    for format in text github junit; do
        "$program" history regressions --store h.db --since 2026-01-20 --format $format >"found.$format"
        [ $? = 1 ] || complain "history regressions --format $format: exit status"
    done
    [ "$(grep -c '^::error title=llama' found.github)" = 1 ] || complain "annotations: $(cat found.github)"
    python3 -c 'import xml.etree.ElementTree as t; r = t.parse("found.junit").getroot(); assert r.get("failures") == "1" and int(r.get("tests")) == 2' ||
        complain "JUnit of history regressions"
fi
exit $failed

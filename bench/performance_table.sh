#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# performance_table.sh RESULTS DOCUMENT - the table of bars (bars.txt next to this) with what the benchmarks printed
# to RESULTS, one JSON object a line, put into DOCUMENT between its two marks. A bar without a result is there too
# and says so; one that a test holds names it. Exit 1: a bar is not met.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
results=$1
document=$2
for mark in '<!-- measured -->' '<!-- end of measured -->'; do
    grep -qxF -e "$mark" "$document" || { echo "performance_table: no line '$mark' in $document" >&2; exit 2; }
done
table=$(mktemp)
trap 'rm -f "$table" "$document.new"' EXIT
model=$(sed -n 's/^model name[[:space:]]*: *//p' /proc/cpuinfo | head -n 1)
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
met=0
{
    echo
    echo "$(LC_ALL=C date '+%-d %B %Y'), commit $commit, ${model:-$(uname -m)}, $(nproc) processors," \
        "load $(cut -d ' ' -f 1 /proc/loadavg) at the end."
    echo
    awk '
        # flatten(TEXT) - value["key"], value["object.key"] of one object; objects in objects, no arrays
        function flatten(text,    at, key, path, depth, token) {
            split("", value)
            depth = 0
            path[0] = ""
            key = ""
            while (match(text, /^[ ,:]*("([^"\\]|\\.)*"|[{}]|[^ ,:{}"]+)/)) {
                token = substr(text, 1, RLENGTH)
                text = substr(text, RLENGTH + 1)
                sub(/^[ ,:]*/, "", token)
                if (token == "{") {
                    if (key != "") path[++depth] = path[depth - 1] key "."
                    key = ""
                } else if (token == "}") {
                    depth--
                } else {
                    gsub(/^"|"$/, "", token)
                    if (key == "") {
                        key = token
                    } else {
                        value[path[depth] key] = token
                        key = ""
                    }
                }
            }
        }
        function matches(wanted,    part, n, i, pair) {
            n = split(wanted, part, ",")
            for (i = 1; i <= n; i++) {
                split(part[i], pair, "=")
                if (value[pair[1]] != pair[2]) return 0
            }
            return 1
        }
        function filled(text,    key) {
            while (match(text, /[{][a-z_]+[}]/)) {
                key = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, 1, RSTART - 1) value[key] substr(text, RSTART + RLENGTH)
            }
            return text
        }
        function verdict(figure, bar) {
            if (bar == "none") return ""
            if (bar ~ /^<=/ ? figure + 0 <= substr(bar, 3) + 0 : figure + 0 >= substr(bar, 3) + 0) return "yes"
            missed = 1
            return "**no**"
        }
        FILENAME == ARGV[1] && /^{/ { line[lines++] = $0 }
        FILENAME != ARGV[1] && !/^#/ && NF {
            split($0, row, "|")
            if (row[2] ~ /^test=/) {
                printf "| %s | held by the test `%s` | %s | yes, or the test fails |\n", row[1], substr(row[2], 6), row[4]
                next
            }
            found = 0
            for (i = 0; i < lines; i++) {
                flatten(line[i])
                if (!matches(row[2]) || !(row[3] in value)) continue
                found = 1
                printf "| %s | %s %s | %s | %s |\n", filled(row[1]), value[row[3]], row[5], row[4], verdict(value[row[3]], row[4])
            }
            if (!found) {
                gsub(/[{][a-z_]+[}]/, "...", row[1])
                printf "| %s | not measured in this run | %s | |\n", row[1], row[4]
            }
        }
        BEGIN { print "| what | measured | bar | met |"; print "|---|---|---|---|" }
        END { exit missed }
    ' "$results" "$here/bars.txt" || met=1
    echo
} >"$table"
awk -v table="$table" '
    $0 == "<!-- end of measured -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- measured -->" { inside = 1; while ((getline row < table) > 0) print row }
' "$document" >"$document.new"
mv "$document.new" "$document"
exit $met

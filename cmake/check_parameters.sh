#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_parameters.sh [-l] - few functions of src and cli take six or more parameters: values that travel together belong
# in a struct. Fails above LIMIT; -l lists them. A definition is what precedes a line that is only '{'.
set -u
LIMIT=60
cd -- "$(dirname -- "$0")/.." || exit 2
# shellcheck disable=SC2016 # for awk
list=$(find src cli -name '*.[ch]' | LC_ALL=C sort | xargs awk '
    FNR == 1 { head = "" }
    /^[#}\/ *]/ && head == "" { next }
    /^$/ || /;$/ { head = ""; next }
    $0 == "{" && head ~ /\)$/ {
        gsub(/(TTP_PRINTF|GET)\([^)]*\) */, "", head)
        sub(/, \.\.\.\)$/, ")", head)
        name = head
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/^[^(]*\(/, "", head)
        n = depth = 0
        for (i = 1; i < length(head); i++) {
            c = substr(head, i, 1)
            depth += (c == "(") - (c == ")")
            n += c == "," && depth == 0
        }
        if (n + 1 >= 6)
            printf "%s: %s takes %d parameters\n", FILENAME, name, n + 1
        head = ""
        next
    }
    $0 == "{" { head = ""; next }
    { head = head $0 }')
count=$(printf '%s' "$list" | grep -c .)
[ "${1:-}" != -l ] || printf '%s\n' "$list"
if [ "$count" -gt $LIMIT ]; then
    echo "$count functions take six or more parameters, at most $LIMIT may: put what travels together into a struct"
    [ "${1:-}" = -l ] || printf '%s\n' "$list"
    exit 1
fi
echo "$count functions take six or more parameters, at most $LIMIT may"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_names.sh - one name, one thing: no two types ttp_* and no two source files share a name, wherever they are.
# A header and its .c file are one; types without the prefix belong to one .c file and may repeat.
cd -- "$(dirname -- "$0")/.." || exit 2
find src cli include -name '*.[ch]' | sort | {
    bad=0
    files=$(cat)
    printf '%s\n' "$files" | awk -F/ '
        { stem = $0; sub(/\.[ch]$/, "", stem); base = $NF; sub(/\.[ch]$/, "", base) }
        base in first && first[base] != stem { print $0 ": " first[base] ".[ch] has the same name"; bad = 1 }
        !(base in first) { first[base] = stem }
        END { exit bad }' || bad=1
    # shellcheck disable=SC2086  # names of files without blanks
    awk '
        /^(typedef )?(struct|union|enum) ttp_[a-z0-9_]+ \{/ {
            name = $1 == "typedef" ? $3 : $2
            if (!(name in place)) # a file may have one for builds without a library
                place[name] = FILENAME
            else if (place[name] != FILENAME) {
                print FILENAME ":" FNR ": " name " is defined in " place[name] " too"
                bad = 1
            }
        }
        END { exit bad }' $files || bad=1
    exit $bad
}

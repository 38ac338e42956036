#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_doors.sh - a door holds what others use: each function declared in src/<module>/<module>.h is
# called from another module, the program or the library's door. What tests alone need is in a private
# header. Headers of a sub-folder are private to their module.
cd -- "$(dirname -- "$0")/.." || exit 2

set --
for folder in src/*/; do
    module=$(basename -- "$folder")
    if [ "$module" != base ] && [ -f "src/$module/$module.h" ]; then
        set -- "$@" "src/$module/$module.h"
    fi
done

# shellcheck disable=SC2046  # names of files without blanks
found=$(awk -v doors=$# '
    FNR == 1 {
        files++
        n = split(FILENAME, part, "/")
        module = part[1] == "src" ? part[2] : part[1]
        comment = 0
    }
    {
        line = $0
        code = ""
        while (line != "") {
            at = index(line, comment ? "*/" : "/*")
            if (!comment)
                code = code (at ? substr(line, 1, at - 1) : line)
            line = at ? substr(line, at + 2) : ""
            if (at)
                comment = !comment
        }
        while (match(code, /ttp_[a-z0-9_]+\(?/)) {
            name = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            call = sub(/\($/, "", name)
            if (files <= doors && call && $0 !~ /^typedef/ && !(name in owner)) {
                owner[name] = module
                place[name] = FILENAME ":" FNR
            }
            if (!(name in by))
                by[name] = module
            else if (by[name] != module)
                by[name] = "several"
        }
    }
    END {
        for (name in owner)
            if (by[name] == owner[name])
                print place[name] ": " name "() is used by " owner[name] " alone: not for its door"
    }' "$@" $(find src cli -name '*.[ch]' | sort) include/*.h | sort) || exit 2
[ -z "$found" ] || {
    printf '%s\n' "$found"
    exit 1
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_layers.sh - an include across modules must name a door and follow layers.txt.
cd "$(dirname "$0")/../src" || exit 2
grep -Hno '^#include "[a-z]*/[a-z0-9_]*\.h"' */*.[ch] | tr -d '"' | sed 's/#include //' |
awk -F'[:/]' '
    FNR == NR { n = split($0, w, " "); for (i = 2; i <= n; i++) ok[w[1], w[i]] = 1; next }
    $1 == $4 { next }
    !(($1, $4) in ok) { print "src/" $0 ": " $1 " may not use " $4; bad = 1; next }
    $4 != "base" && $5 != $4 ".h" { print "src/" $0 ": not the door of " $4; bad = 1 }
    END { exit bad }' ../cmake/layers.txt -

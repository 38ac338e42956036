#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_layers.sh - an include across modules must name a door and follow layers.txt, which allows no more
# than is used; the program may use every door; an outside library is included by its home module only.
cd -- "$(dirname -- "$0")/../src" || exit 2
bad=0

grep -Hno '^#include "[a-z]*/[a-z0-9_]*\.h"' -- */*.[ch] | tr -d '"' | sed 's/#include //' |
awk -F'[:/]' '
    FNR == NR { n = split($0, w, " "); for (i = 2; i <= n; i++) ok[w[1], w[i]] = w[1] " " w[i]; next }
    $1 == $4 { next }
    !(($1, $4) in ok) { print "src/" $0 ": " $1 " may not use " $4; bad = 1; next }
    { used[$1, $4] = 1 }
    $4 != "base" && $5 != $4 ".h" { print "src/" $0 ": not the door of " $4; bad = 1 }
    END {
        for (pair in ok)
            if (!(pair in used) && ok[pair] !~ /^#| base$/) {
                print "cmake/layers.txt: \"" ok[pair] "\" is allowed but not needed"
                bad = 1
            }
        exit bad
    }' ../cmake/layers.txt - || bad=1

cd ..
grep -Hno '^#include "[a-z]*/[a-z0-9_]*\.h"' cli/*.[ch] | tr -d '"' | sed 's/#include //' |
awk -F'[:/]' '
    $4 != "base" && $5 != $4 ".h" { print $0 ": not the door of " $4; bad = 1 }
    END { exit bad }' || bad=1

# home MODULE_PATTERN HEADER_PATTERN
home()
{
    if grep -nE "^#include <($2)>" src/*/*.[ch] cli/*.[ch] | grep -vE "^src/($1)/"; then
        echo "this library is used by $1 only"
        bad=1
    fi
}
home base 'zlib\.h|zstd[a-z_]*\.h'
home capture 'lz4[a-z]*\.h'
home outputs 'cairo/.*|cairo[a-z-]*\.h'
home store 'libpq-fe\.h|postgresql/.*'
home 'base|store' 'sqlite3\.h'
home serve 'microhttpd\.h'
if grep -nE '^#include <n?curses[a-z]*\.h>' src/*/*.[ch]; then
    echo "this library is used by the program only"
    bad=1
fi
exit $bad

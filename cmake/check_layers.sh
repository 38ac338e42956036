#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_layers.sh - an include across modules must name a door and follow layers.txt, which allows no more
# than is used; the program may use every door; an outside library is included by its home module only.
# A sub-folder belongs to its module: its headers are private to it.
cd -- "$(dirname -- "$0")/.." || exit 2
bad=0

# includes FOLDER - "file:line:header" for each include of ours
includes()
{
    find "$1" -name '*.[ch]' -exec grep -HnoE '^#include "[a-z]+/[a-z0-9_/]+\.h"' {} + |
        tr -d '"' | sed 's/#include //'
}

includes src | awk -F: '
    FNR == NR { n = split($0, w, " "); for (i = 2; i <= n; i++) ok[w[1], w[i]] = w[1] " " w[i]; next }
    { split($1, from, "/"); user = from[2]; module = substr($3, 1, index($3, "/") - 1) }
    user == module { next }
    !((user, module) in ok) { print $0 ": " user " may not use " module; bad = 1; next }
    { used[user, module] = 1 }
    $3 != module "/" module ".h" && (module != "base" || $3 !~ /^base\/[a-z0-9_]*\.h$/) {
        print $0 ": not the door of " module
        bad = 1
    }
    END {
        for (pair in ok)
            if (!(pair in used) && ok[pair] !~ /^#| base$/) {
                print "cmake/layers.txt: \"" ok[pair] "\" is allowed but not needed"
                bad = 1
            }
        exit bad
    }' cmake/layers.txt - || bad=1

for folder in cli/*/; do
    [ ! -d "$folder" ] || basename -- "$folder"
done | {
    own=$(cat)
    includes cli | awk -F: -v own="$own" '
        BEGIN { n = split(own, name, "\n"); for (i = 1; i <= n; i++) ours[name[i]] = 1 }
        { module = substr($3, 1, index($3, "/") - 1) }
        module in ours { next }
        $3 != module "/" module ".h" && (module != "base" || $3 !~ /^base\/[a-z0-9_]*\.h$/) {
            print $0 ": not the door of " module
            bad = 1
        }
        END { exit bad }'
} || bad=1

# home MODULE_PATTERN HEADER_PATTERN
home()
{
    if grep -rnE --include='*.[ch]' "^#include <($2)>" src cli | grep -vE "^src/($1)/"; then
        echo "this library is used by $1 only"
        bad=1
    fi
}
home base 'zlib\.h|zstd[a-z_]*\.h'
home capture 'lz4[a-z]*\.h'
home outputs 'cairo/.*|cairo[a-z-]*\.h'
home store 'libpq-fe\.h|postgresql/.*'
home 'base' 'sqlite3\.h'
home serve 'microhttpd\.h'
if grep -rnE --include='*.[ch]' '^#include <n?curses[a-z]*\.h>' src; then
    echo "this library is used by the program only"
    bad=1
fi
exit $bad

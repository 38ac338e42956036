#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# module_graph.sh [DOCUMENT] - which module includes the doors of which, as the sources say, lowest first: a module
# is above all that it uses. With DOCUMENT: exit 1 unless its part between the two marks says the same;
# TTP_UPDATE_GOLDEN=1 writes it there.
set -eu
cd -- "$(dirname -- "$0")/.."
graph=$(mktemp)
trap 'rm -f "$graph" "$graph.new"' EXIT
{
    echo '```'
    for module in src/*/; do
        module=${module#src/}
        module=${module%/}
        uses=$(find "src/$module" -name '*.[ch]' -exec sed -n 's|^#include "\([a-z]*\)/[a-z0-9_/]*\.h".*|\1|p' {} + | sort -u |
            grep -vx -e "$module" | tr '\n' ' ')
        echo "$module $uses"
    done | awk '
        { name[NR] = $1; for (i = 2; i <= NF; i++) { uses[$1, $i] = 1 } line[$1] = $0 }
        END {
            do {
                changed = 0
                for (i = 1; i <= NR; i++)
                    for (k = 1; k <= NR; k++)
                        if ((name[i], name[k]) in uses && height[name[i]] < height[name[k]] + 1) {
                            height[name[i]] = height[name[k]] + 1
                            if (height[name[i]] > NR) { print "modules include each other in a circle"; exit }
                            changed = 1
                        }
            } while (changed)
            for (h = 0; h <= NR; h++)
                for (i = 1; i <= NR; i++)
                    if (height[name[i]] == h) {
                        n = split(line[name[i]], word, " ")
                        text = ""
                        for (w = 2; w <= n; w++)
                            if (word[w] != "base") text = text " " word[w]
                        printf "%2d  %-9s%s\n", h, name[i], (n > 1 ? (text == "" ? " base" : text) : "")
                    }
        }'
    echo '```'
} >"$graph"
if [ $# -eq 0 ]; then
    cat "$graph"
    exit 0
fi
awk -v graph="$graph" '
    $0 == "<!-- end of modules -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- modules -->" { inside = 1; while ((getline row < graph) > 0) print row }
' "$1" >"$graph.new"
grep -qxF -e '<!-- modules -->' "$1" || { echo "no line '<!-- modules -->' in $1" >&2; exit 1; }
if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
    cat "$graph.new" >"$1"
elif ! diff -u "$1" "$graph.new"; then
    echo "$1 does not show the modules as they are: TTP_UPDATE_GOLDEN=1 sh cmake/module_graph.sh $1" >&2
    exit 1
fi

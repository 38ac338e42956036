#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_walk.sh - docs/walk.md against the code: each function is defined in the file next to it, is called in the
# file of a hop above it (the first hop is where a walk begins), and, where it lies in another module than its
# caller, is declared in a door: the header of the module's name, or one that it includes; all of base is open.
cd -- "$(dirname -- "$0")/.." || exit 2
bad=0
complain()
{
    echo "docs/walk.md: $*"
    bad=1
}

# declared_in_door FUNCTION MODULE
declared_in_door()
{
    if [ "$2" = base ]; then
        grep -qE "\b$1\(" src/base/*.h
        return
    fi
    door=src/$2/$2.h
    # shellcheck disable=SC2046  # names of files without blanks
    grep -qE "\b$1\(" "$door" $(sed -n "s|^#include \"\($2/[a-z0-9_/]*\.h\)\"|src/\1|p" "$door")
}

# shellcheck disable=SC2016  # backquotes of Markdown
table=$(sed -n -e 's/^## .*/begin walk/p' -e 's/^| `\([a-z0-9_]*\)` | \([a-z0-9_/]*\.[ch]\) |.*/\1 \2/p' docs/walk.md)
seen=
hops=0
while read -r function file; do
    if [ "$file" = walk ]; then # hops of another walk do not count
        seen=
        continue
    fi
    hops=$((hops + 1))
    if [ ! -f "$file" ]; then
        complain "no file $file"
        continue
    fi
    # a definition begins at the margin and is not a declaration
    awk -v name="$function" '
        /^[A-Za-z]/ && index($0, name "(") { at = 1 }
        at && /;[ \t]*$/ { at = 0 }
        at && /^{/ { found = 1; exit }
        END { exit !found }' "$file" || complain "$file does not define $function()"
    if [ -n "$seen" ]; then
        # shellcheck disable=SC2086  # names of files without blanks
        callers=$(grep -lE "\b$function\b *[(,;}]|[ (=]$function\b" $seen)
        [ -n "$callers" ] || complain "no hop above calls $function()"
        module=${file#src/}
        module=${module%%/*}
        case $file in
        cli/*) ;;
        *)
            case "$callers" in
            *"src/$module/"*) ;;
            *) declared_in_door "$function" "$module" || complain "$function() is not in the door of $module" ;;
            esac
            ;;
        esac
    fi
    seen="$seen $file"
done <<END
$table
END
[ "$hops" -gt 100 ] || complain "only $hops hops can be read"
exit $bad

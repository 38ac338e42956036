#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_files.sh - every file names its licence, none is too long to read, none knows one machine's folders.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
max_lines=600
bad=0

ours()
{
    git -c safe.directory="$(pwd -P)" "$@"
}

refuse()
{
    printf '%s\n' "$*"
    bad=1
}

list=$(ours ls-files -co --exclude-standard) || exit 2
newline='
'
IFS=$newline
set -f
for file in $list; do
    [ -f "$file" ] || continue # deleted but still tracked
    case $file in
    tests/golden/* | tests/data/* | fuzz/corpus/*) continue ;; # recorded bytes
    LICENSE | *.md | *.json | *.png | *.svg | *.tar.zst) continue ;;
    esac
    # The first line, or the second below '#!'.
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
        refuse "$file:1: no SPDX line"
    lines=$(wc -l <"$file")
    [ "$lines" -le "$max_lines" ] || refuse "$file: $lines lines, over $max_lines: split it"
done

# Folders of one machine, at the start of a path.
if ours grep --untracked -nIE '(^|[^]A-Za-z0-9_.)}~/-])/(home|root|work|farm|Users)/' --; then
    refuse "a path of one machine: make it relative"
fi
exit $bad

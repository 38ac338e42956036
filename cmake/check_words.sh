#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_words.sh - names file and line of phrases that cmake/words.txt lists. Text that imitates other tools
# (src/compat, cli/dropin), recorded output and released parts of the changelog are left alone.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2

files()
{
    git -c safe.directory="$(pwd -P)" ls-files -co --exclude-standard -- 'src/*.[ch]' 'cli/*.[ch]' 'include/*.h' 'docs/*.md' 'docs/man/*' \
        'tests/*.sh' 'tests/unit/*.[ch]' 'fuzz/*.[ch]' 'bench/*.[ch]' 'cmake/*.sh' '*.cmake' CMakeLists.txt dev README.md \
        CONTRIBUTING.md SECURITY.md |
        grep -vE '^(src/compat|cli/dropin|tests/originals)/|^cmake/check_words\.sh$|^docs/differences\.md$' |
        while read -r file; do
            [ ! -f "$file" ] || printf '%s\n' "$file"
        done
}

list=$(mktemp) && found=$(mktemp) || exit 2
trap 'rm -f "$list" "$found"' EXIT
grep -v '^#' cmake/words.txt | cut -f 1 >"$list"
files | xargs grep -nHiE -f "$list" | grep -v 'words-ok' >"$found"
[ -s "$found" ] || exit 0

# name the phrase of each line, and what to write instead
while IFS='	' read -r phrase instead; do
    case $phrase in
    '#'*) continue ;;
    esac
    grep -iE -e "$phrase" "$found" | while read -r line; do
        place=$(printf '%s\n' "$line" | cut -d : -f 1-2)
        text=$(printf '%s\n' "$line" | cut -d : -f 3- | grep -oiE -e "$phrase" | head -n 1)
        [ -z "$text" ] || printf '%s: "%s": write %s\n' "$place" "$text" "$instead"
    done
done <cmake/words.txt
exit 1

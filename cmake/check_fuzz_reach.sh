#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_fuzz_reach.sh [BUILD_DIR [TARGET...]] - do the seeds of each fuzz target enter at least 80 in 100 functions of what
# it parses? fuzz/reach.txt names the source files. BUILD_DIR was configured with the preset `coverage` and has the
# targets built. Without BUILD_DIR only the table is checked: every target is in it, and its files are there.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
table=fuzz/reach.txt
least=80
bad=0

refuse()
{
    printf '%s\n' "$*"
    bad=1
}

for source in fuzz/fuzz_*.c; do
    topic=${source##*/fuzz_}
    topic=${topic%.c}
    [ "$(grep -c "^$topic: " $table)" = 1 ] || refuse "$table: not one line for $topic"
    [ -n "$(ls -A "fuzz/corpus/$topic" 2>/dev/null)" ] || refuse "fuzz/corpus/$topic: no seeds"
done
while IFS=': ' read -r topic files; do
    case $topic in
    '#'*) continue ;;
    esac
    [ -f "fuzz/fuzz_$topic.c" ] || refuse "$table: there is no target $topic"
    for file in $files; do
        [ "$file" = "${file#-}" ] || continue
        [ -f "$file" ] || refuse "$table: $topic: there is no $file"
    done
done <$table
for words in fuzz/*.dict; do
    topic=${words##*/}
    [ -f "fuzz/fuzz_${topic%.dict}.c" ] || refuse "$words: there is no such target"
    # the engine refuses a dictionary with anything else in it
    odd=$(LC_ALL=C grep -nvE '^(#.*|"([ !#-[]|[]^-~]|\\\\|\\"|\\x[0-9a-fA-F]{2})+")?$' "$words") && refuse "$words: not a word: $odd"
done
[ $# -gt 0 ] && [ $bad -eq 0 ] || exit $bad

build=$(cd -- "$1" && pwd) || exit 2
shift
scratch=$(mktemp -d) || exit 2
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2046 # a list of names
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z_]*\): .*/\1/p' $table)

# functions FILE NOTES DATA - "entered NAME" or "missed NAME" for each function that FILE defines
functions()
{
    mkdir -p "$scratch/gcov"
    rm -f "$scratch"/gcov/*
    cp -- "$2" "$scratch/gcov/one.gcno"
    [ ! -f "$3" ] || cp -- "$3" "$scratch/gcov/one.gcda"
    (cd -- "$scratch/gcov" && gcov -t -b one.gcda one.gcno 2>/dev/null) | awk -v file="$1" '
        / 0:Source:/ { path = $0; sub(/.*Source:/, "", path)
            here = substr(path, length(path) - length(file) + 1) == file }
        here && $1 == "function" && $3 == "called" { if (!($2 in seen)) print ($4 > 0 ? "entered" : "missed"), $2; seen[$2] = 1 }'
}

# notes FILE - where the compiler put its notes
notes()
{
    case $1 in
    cli/*) printf '%s/CMakeFiles/ttp_cli.dir/%s.gcno\n' "$build" "$1" ;;
    *) printf '%s/CMakeFiles/ttp_core.dir/%s.gcno\n' "$build" "$1" ;;
    esac
}

for topic in "$@"; do
    topic=${topic#fuzz_}
    files=$(sed -n "s/^$topic: //p" $table)
    [ -x "$build/fuzz_$topic" ] || {
        refuse "$build/fuzz_$topic is not built"
        continue
    }
    GCOV_PREFIX=$scratch/$topic "$build/fuzz_$topic" fuzz/corpus/"$topic"/* >"$scratch/said" 2>&1 || {
        refuse "fuzz_$topic fails on its seeds: $(tail -n 3 "$scratch/said")"
        continue
    }
    : >"$scratch/list"
    for file in $files; do
        [ "$file" = "${file#-}" ] || continue
        notes=$(notes "$file")
        [ -f "$notes" ] || continue # not for this processor
        functions "$file" "$notes" "$scratch/$topic${notes%.gcno}.gcda" >>"$scratch/list"
    done
    for name in $files; do # those of another part
        [ "$name" != "${name#-}" ] || continue
        grep -qx "[a-z]* ${name#-}" "$scratch/list" || refuse "$table: $topic: there is no function ${name#-}"
        grep -vx "[a-z]* ${name#-}" "$scratch/list" >"$scratch/rest"
        mv -- "$scratch/rest" "$scratch/list"
    done
    all=$(wc -l <"$scratch/list")
    entered=$(grep -c '^entered ' "$scratch/list")
    [ "$all" -gt 0 ] || refuse "fuzz_$topic: no functions are found in $files"
    share=$((all ? entered * 100 / all : 0))
    printf '%-24s %3d %%  %d of %d functions\n' "fuzz_$topic" "$share" "$entered" "$all"
    if [ "$share" -lt $least ]; then
        refuse "fuzz_$topic: under $least %, add seeds that enter: $(sed -n 's/^missed //p' "$scratch/list" | tr '\n' ' ')"
    fi
done
exit $bad

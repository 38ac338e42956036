#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# golden.sh BIN_DIR CASE_DIR - run one case of tests/golden/ and compare what it prints.
# A case is a folder: `cmd` (one line for sh, in which tt-perf and the drop-in names are the built
# ones), any input files, and the expected `stdout`, `stderr` and `exit`; `files/` holds expected files
# that the command makes. It runs in a scratch folder that holds copies of the input files; $DATA is
# tests/data. TTP_UPDATE_GOLDEN=1 rewrites what is expected (in `files/`, only the existing names).
# TTP_RUN is a command that runs our programs, such as "valgrind -q".
# Exit 77: the case needs a library that this build says it lacks.
set -u
bin=$(cd "$1" && pwd) || exit 2
case=$(cd "$2" && pwd) || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run" || exit 2
for file in "$case"/*; do
    case ${file##*/} in
    cmd | stdout | stderr | exit | files) ;;
    *) cp -R "$file" "$scratch/run/" || exit 2 ;;
    esac
done

if [ -n "${TTP_RUN:-}" ]; then
    mkdir "$scratch/bin" || exit 2
    find "$bin" -maxdepth 1 \( -name tt-perf -o -lname tt-perf \) | while read -r program; do
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$TTP_RUN" "$program" >"$scratch/bin/${program##*/}"
    done
    chmod +x "$scratch/bin"/* || exit 2
    bin=$scratch/bin
fi

unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
PATH=$bin:$PATH COLUMNS=100 TERM=dumb LC_ALL=C TZ=UTC DATA=$(cd "$case/../../data" && pwd)
export PATH COLUMNS TERM LC_ALL TZ DATA
(cd "$scratch/run" && sh "$case/cmd" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
echo $? >"$scratch/exit"

failed=0
lacking=$(cat "$scratch/stdout" "$scratch/stderr" | grep -o 'this build of tt-perf has no [^ ,;()"]*' | sort -u)
if [ -n "$lacking" ] && "$bin/tt-perf" version | grep -q '^[a-z0-9]* *no ('; then
    printf 'SKIPPED: %s\n' "$lacking"
    exit 77
fi
if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
    cp "$scratch/stdout" "$scratch/stderr" "$scratch/exit" "$case/" || exit 2
fi
for file in "$case"/files/*; do
    [ -e "$file" ] || continue
    name=${file##*/}
    if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
        cp "$scratch/run/$name" "$file" || failed=1
    elif ! diff -u "$file" "$scratch/run/$name"; then
        echo "${case##*/}: $name differs" >&2
        failed=1
    fi
done
for part in exit stderr stdout; do
    if ! diff -u "$case/$part" "$scratch/$part"; then
        echo "${case##*/}: $part differs" >&2
        failed=1
    fi
done
exit $failed

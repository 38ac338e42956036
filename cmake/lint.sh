#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh BUILD_DIR - every check that needs no test run; one line each, the details of those that fail.
# BUILD_DIR is configured: clang-tidy reads its compile commands, the header check builds in it.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
build=$1
notes=build/lint
mkdir -p "$notes" || exit 2
failed=0

# files PATTERN... - ours: tracked, or new and not ignored.
files()
{
    git -c safe.directory="$(pwd -P)" ls-files -co --exclude-standard -- "$@" | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file" # deleted but still tracked
    done
}

check()
{
    name=$1
    shift
    if "$@" >"$notes/$name.log" 2>&1; then
        said=$(grep '^SKIPPED: ' "$notes/$name.log") || said=ok
        printf 'lint: %-9s %s\n' "$name" "$said"
    else
        printf 'lint: %-9s FAILED\n' "$name"
        cat "$notes/$name.log"
        failed=$((failed + 1))
    fi
}

check_format()
{
    files '*.c' '*.h' | xargs -P "$(nproc)" -n 100 clang-format --dry-run -Werror
}

check_headers()
{
    cmake --build "$build" --target all_verify_interface_header_sets
}

check_shell()
{
    files | while read -r file; do
        case $(head -n 1 "$file" | tr -d '\0') in
        '#!'*sh) printf '%s\n' "$file" ;;
        esac
    done | xargs -P "$(nproc)" -n 10 shellcheck -x # in parts: -x reads the scripts that one includes
}

check_man()
{
    files 'docs/man/*.1' | xargs -r mandoc -T lint -W warning
}

check files cmake/check_files.sh
check format check_format
check shell check_shell
check man check_man
check layers cmake/check_layers.sh
check doors cmake/check_doors.sh
check names cmake/check_names.sh
check banned cmake/check_banned.sh
check words cmake/check_words.sh
check pages cmake/check_pages.sh
check parameters cmake/check_parameters.sh
check headers check_headers
check tidy cmake/check_tidy.sh "$build"

if [ "$failed" -ne 0 ]; then
    echo "lint: $failed failed"
    exit 1
fi

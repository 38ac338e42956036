#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_tidy.sh BUILD_DIR - clang-tidy over every C file that BUILD_DIR compiles.
#
# The analyzer stops after 6,000 states of a function, far below its own limit, to save time;
# with TTP_LINT_DEEP set it goes on to that limit.
#
# One file at a time: version 14 invents a va_list fault when given several. A file that passed is not
# looked at again until it, a header of ours that it includes, its compile command, .clang-tidy or the
# tool changes: the hash of all these is kept in build/lint/tidy.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
notes=build/lint/tidy

# Everything a verdict depends on. System headers are left out: they change with the tool, if at all.
key_of()
{
    {
        printf '%s\n' "$TIDY_VERSION" "${TTP_LINT_DEEP-}"
        cat .clang-tidy cmake/check_tidy.sh
        grep -B 1 -F "\"file\": \"$(pwd -P)/$1\"" "$notes/compile_commands.json"
        cc -MM -MG -D_GNU_SOURCE -Isrc -Iinclude -Icli -Itests/unit -Ifuzz -Ibench "$1" |
            sed 's/^[^:]*://; s/\\$//' | tr ' ' '\n' | sed '/^$/d' | xargs cat
    } 2>/dev/null | sha256sum
}

check_one()
{
    stamp=$notes/$(printf '%s' "$1" | tr '/' '-').ok
    key=$(key_of "$1")
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ]; then
        return 0
    fi
    set -- "$1" --quiet -p "$notes"
    if [ -z "${TTP_LINT_DEEP-}" ]; then
        for word in -Xclang -analyzer-config -Xclang max-nodes=6000; do
            set -- "$@" "--extra-arg=$word"
        done
    fi
    case $1 in
    tests/* | fuzz/* | bench/*) set -- "$@" '--checks=-cert-msc*' ;; # rand() with a fixed seed is wanted
    esac
    if found=$(clang-tidy "$@" 2>&1); then
        printf '%s\n' "$key" >"$stamp"
        return 0
    fi
    printf '%s\n' "$found" | grep -v '^[0-9]* warnings* .*generated\.$'
    return 1
}

if [ "$1" = --one ]; then
    check_one "$2"
    exit
fi

mkdir -p "$notes" || exit 2
TIDY_VERSION=$(clang-tidy --version) || exit 2
export TIDY_VERSION
# A file that several programs share is listed once per program and would be checked as often: keep one.
awk '/^{/ { entry = ""; file = "" }
    { entry = entry $0 "\n" }
    /^ *"file":/ { file = $0 }
    /^}/ && !(file in seen) { seen[file] = 1; sub(/},?\n$/, "}", entry); printf "%s%s", sep, entry; sep = ",\n" }
    BEGIN { print "[" }
    END { print "\n]" }' "$1/compile_commands.json" >"$notes/compile_commands.json" || exit 2

for dir in src cli tests fuzz bench examples; do
    [ ! -d "$dir" ] || find "$dir" -name '*.c'
done | sort | while read -r file; do
    if grep -qF "\"file\": \"$(pwd -P)/$file\"" "$notes/compile_commands.json"; then
        printf '%s\n' "$file"
    fi
done | xargs -P "$(nproc)" -n 1 cmake/check_tidy.sh --one

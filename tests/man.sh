#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# man.sh BIN_DIR SOURCE_DIR - the manual agrees with the program: the parts between markers
#     .\" BEGIN <topic>   ...   .\" END
# are what `tt-perf help --man [topic]` prints ("verbs" means no topic), and mandoc has nothing to
# say about the pages. TTP_UPDATE_GOLDEN=1 rewrites the parts. Exit 77: no mandoc.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
pages=$2/docs/man

# Copies a page, with every generated part replaced by what the program prints now.
regenerate() {
    skip=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '.\" BEGIN '*)
            printf '%s\n' "$line"
            topic=${line#'.\" BEGIN '}
            [ "$topic" != verbs ] || topic=
            "$program" help --man ${topic:+"$topic"} || return 1
            skip=yes
            ;;
        '.\" END') skip= && printf '%s\n' "$line" ;;
        *) [ -n "$skip" ] || printf '%s\n' "$line" ;;
        esac
    done <"$1"
}

for page in "$pages"/*.1; do
    if ! regenerate "$page" >"$scratch/page"; then
        echo "$page: names a topic the program has no help on" >&2
        failed=1
    elif [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
        cmp -s "$page" "$scratch/page" || cp "$scratch/page" "$page"
    elif ! diff -u "$page" "$scratch/page"; then
        echo "$page: not what the option tables say; TTP_UPDATE_GOLDEN=1 $0 $1 $2 writes it" >&2
        failed=1
    fi
done

# A page without its markers would agree with anything.
for verb in $("$program" help --man | sed -n 's/^\.It Xr tt-perf-\([a-z]*\) 1$/\1/p'); do
    if ! grep -qx "\.\\\\\" BEGIN $verb" "$pages/tt-perf-$verb.1"; then
        echo "docs/man/tt-perf-$verb.1: missing, or without the marker '.\\\" BEGIN $verb'" >&2
        failed=1
    fi
done
for column in $("$program" report --columns help | sed -n '/^$/q; s/^\([a-z0-9_]\{1,\}\) .*/\1/p'); do
    if ! grep -qx "\.It Cm $column" "$pages/tt-perf-report.1"; then
        echo "docs/man/tt-perf-report.1: no column '$column'" >&2
        failed=1
    fi
done
[ $failed = 0 ] || exit 1

command -v mandoc >/dev/null || skip "no mandoc: pages not checked"
mandoc -T lint -W warning "$pages"/*.1

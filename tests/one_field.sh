#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one_field.sh BIN_DIR SOURCE_DIR - a figure costs one line: BIN_DIR/one_field/tt-perf is the program with one line more
# in a scratch copy of a table of fields (cmake/program_tests.cmake), and has the figure in every format, in the schema,
# in the list of columns, and for --columns, --sort and --where.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/hot.tree" tree || exit 2

lines=$(diff "$source/src/outputs/top/top_page.c" "$bin/one_field/top_page.c" | grep -c '^[<>]')
[ "$lines" = 1 ] || complain "the scratch copy differs in $lines lines, not in one"

# found WHAT PATTERN ARGUMENT... - what the program with the line prints has it, and without the line nothing has it
found()
{
    what=$1 pattern=$2
    shift 2
    with=$("$bin/one_field/tt-perf" "$@") || complain "$what: it failed"
    without=$("$program" "$@" 2>/dev/null)
    contains "$with" "$pattern" || complain "$what lacks the figure: $with"
    lacks "$without" "$pattern" || complain "$what has it without the line: $without"
}
shown="top --once --interval 0.1 --root tree"
# shellcheck disable=SC2086 # words
{
    found text '^ *Added W' $shown
    found text '^ *149 ' $shown
    found CSV '^added_w,' $shown --format csv
    found CSV '^149(\.0)?,' $shown --format csv
    found Markdown '^\| Added W \|' $shown --format md
    found Markdown '^\| 149 \|' $shown --format md
    found JSON '"chips":\[\{"added_w":149,' $shown --format json
    found columns '^ *149$' $shown --columns added_w
    found sort '"added_w":149' $shown --format json --sort added_w
    found where '"added_w":149' $shown --format json --where 'added_w>100'
}
found schema '"added_w": \{$' schema tt-perf.top
found schema '"description": "of the test"' schema tt-perf.top
found help '^added_w +W +of the test$' top --columns help
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# common.sh - what the tests written for the shell share; they read it first, with their arguments BIN_DIR SOURCE_DIR.
#
# Gives $bin (where the programs are), $program, $source, and $scratch, a folder that goes away at the end. A test ends
# with `exit $failed`, or with `finish` where parts of it may have been left out.
# shellcheck disable=SC2034 # for the script that reads it
bin=$(cd -- "$1" && pwd) || exit 2
source=$(cd -- "$2" && pwd) || exit 2
program=$bin/tt-perf
scratch=$(mktemp -d) || exit 2
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
left_out=

# complain WORD... - a promise that is not kept; the test continues.
complain()
{
    printf 'FAILED: %s\n' "$*" >&2
    failed=1
}

# check WHAT COMMAND...
check()
{
    check_what=$1
    shift
    "$@" || complain "$check_what"
}

# without_sanitizers - for a test of figures on many runs: the program that starts ten times as fast, if there is one
without_sanitizers()
{
    [ ! -x "$bin/unsanitized/tt-perf" ] || program=$bin/unsanitized/tt-perf
}

# contains TEXT PATTERN, lacks TEXT PATTERN - an extended regular expression, line by line
contains()
{
    printf '%s\n' "$1" | grep -qE -- "$2"
}
lacks()
{
    ! contains "$@"
}

# skip WORD... - why this test cannot be made here
skip()
{
    printf 'SKIPPED: %s\n' "$*"
    exit 77
}

# has LIBRARY - as `tt-perf version` names it
has()
{
    "$program" version | grep -q "^$1 *yes"
}

# needs LIBRARY... - without which there is nothing to test
needs()
{
    for library in "$@"; do
        has "$library" || skip "this build has no $library"
    done
}

# part LIBRARY - is the part of the test that needs it made? If not, `finish` tells.
part()
{
    has "$1" && return
    left_out="$left_out $1"
    return 1
}

# originals ARCHIVE - decompresses tests/originals/ARCHIVE.tar.zst to $folder
originals()
{
    command -v zstd >/dev/null || skip "no zstd(1)"
    folder=$scratch/originals_$1
    mkdir -p "$folder" && zstd -dqc "$source/tests/originals/$1.tar.zst" | tar -xf - -C "$folder" || exit 2
}

# npm_modules - the folder of what tests/npm pins; where npm is not reachable: says SKIPPED, status 77
npm_modules()
{
    case $bin in
    "$source"/build/*) npm_dir=$source/build/npm ;; # as ./dev lint has it
    *) npm_dir=$bin/npm ;;
    esac
    "$source/cmake/npm_install.sh" "$npm_dir"
}

finish()
{
    [ "$failed" -eq 0 ] || exit 1
    [ -z "$left_out" ] || skip "what needs these libraries, which this build has not:$left_out"
    exit 0
}

# status EXPECTED COMMAND... - its exit status; what it prints is kept in $text
status()
{
    status_wanted=$1
    shift
    text=$("$@" 2>&1)
    status_is=$?
    [ "$status_is" -eq "$status_wanted" ] || complain "exit $status_is, not $status_wanted: $*: $text"
}

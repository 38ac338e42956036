#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parquet.sh BIN_DIR SOURCE_DIR - tests/parquet.py, if there is Python: with the program as it is, and with the one that
# has no libraries and therefore compresses nothing.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
read_back() # PROGRAM, options of parquet.py
{
    program_read=$1
    folder=$scratch/$(basename "$(dirname "$1")")
    shift
    mkdir -p "$folder"
    python3 -B "$source/tests/parquet.py" "$program_read" "$source" "$folder" "$@" || failed=1
}
set --
part sqlite && set -- --history
has zstd || set -- "$@" --plain
read_back "$program" "$@"
[ ! -x "$bin/bare/tt-perf" ] || read_back "$bin/bare/tt-perf" --plain
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# writers.sh BIN_DIR SOURCE_DIR - tests/writers.py, if there is Python.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs sqlite zstd lz4
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
python3 -B "$source/tests/writers.py" "$program" "$source" "$scratch" || failed=1
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# prometheus.sh BIN_DIR SOURCE_DIR - tests/prometheus.py, if there is Python.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "no python3"
history=
part sqlite && history=--history
python3 -B "$source/tests/prometheus.py" "$program" "$source" "$scratch" $history || failed=1
finish

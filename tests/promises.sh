#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# promises.sh BIN_DIR SOURCE_DIR - no plan promises more than the op, the iteration or the roofline has, on any run of the tests.
. "$2/tests/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
python3 -B "$source/tests/promises.py" "$program" "$scratch/campaigns" "$source/tests/data" "$source/tests/golden" || failed=1
exit $failed

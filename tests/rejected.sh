#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rejected.sh BIN_DIR SOURCE_DIR - what engineers tried and rejected is not advised or marked "try", and pages say so.
. "$2/tests/common.sh"
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
python3 -B "$source/tests/rejected.py" "$program" "$scratch/campaigns" "$source" || failed=1
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# campaigns.sh BIN_DIR SOURCE_DIR - real runs: the window is the steady iteration, and a diff says what really changed.
. "$2/tests/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
python3 -B "$source/tests/campaigns.py" "$program" "$scratch/campaigns" || failed=1
exit $failed

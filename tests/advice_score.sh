#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# advice_score.sh BIN_DIR SOURCE_DIR - advice on real runs is as often right as docs/advice.md says.
. "$2/tests/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
python3 -B "$source/tests/advice_score.py" "$program" "$scratch/campaigns" --bars || failed=1
exit $failed

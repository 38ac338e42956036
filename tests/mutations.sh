#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutations.sh BIN_DIR SOURCE_DIR - changes of real runs that must not change their figures, see mutations.py. Every
# fifth run of tests/campaigns; 'mutations.sh BIN_DIR SOURCE_DIR 1' takes all of them.
. "$2/tests/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
"$program" synth -q -o "$scratch/logs" --layers 1 || exit 1
python3 -B "$source/tests/mutations.py" "$program" "$scratch" "${3:-5}" || failed=1
exit $failed

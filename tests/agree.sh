#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agree.sh BIN_DIR SOURCE_DIR - no two verbs contradict each other, on all real runs of tests/campaigns and on synthetic ones.
. "$2/tests/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
command -v zstd >/dev/null || skip "no zstd"
zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$scratch" || exit 1
cd "$scratch" || exit 2
"$program" synth -q -o decode --noc --sums --layers 1
"$program" synth -q -o replays --devices 2 --replays 3 --layers 1
"$program" synth -q -o prefill --model llm-prefill --noc --layers 1
"$program" synth -q -o resnet --model resnet
"$program" synth -q -o matmuls --model matmul --sums
"$program" synth -q -o kernel --model tt-lang-kernel --bottleneck reader --noc
"$program" synth -q -o blackhole --arch blackhole --noc --layers 1
python3 -B "$source/tests/agree.py" "$program" decode replays prefill resnet matmuls kernel blackhole campaigns/*.csv ||
    failed=1
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# counters.sh - all metrics of the hardware counters, as tt-metal's Python prints and writes them: with the
# host's ops, for the device alone, and with the second bank of L1 counters instead of the first. What is
# expected in files/ is the Python's own output.
tt-perf synth -q -o first --model matmul --ops 1 --cores 3 --counters || exit
mkdir -p second/.logs
cp first/.logs/tracy* second/.logs
sed 's/L1_0_NOC_RING0/L1_1_NOC_RING1/; s/L1_0_UNPACKER_0"/L1_1_RISC_CORE"/; /L1_0_/d' \
    first/.logs/profile_log_device.csv >second/.logs/profile_log_device.csv
tt-perf ops first --compat --force-legacy-device-logs -o out && mv out/ops_perf_results.csv host_and_device.csv
tt-perf ops first --compat --device-only -o out >tables && mv out/ops_perf_results.csv device_only.csv
tt-perf ops second --compat --device-only -o out >tables && mv out/ops_perf_results.csv second_bank.csv

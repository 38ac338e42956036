#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh.sh - two devices, a trace replayed twice, sub-devices, sums, collectives on Ethernet cores and two
# dumps of the device log. What is expected in files/ is what tt-metal's Python writes.
tt-perf synth -q -o run --layers 1 --cores 8 --ops 5 --devices 2 --replays 2 --sub-devices --sums --dumps 2 || exit
tt-perf ops run --compat -o out && mv out/ops_perf_results.csv cpp_report.csv
tt-perf ops run --compat --force-legacy-device-logs -o out && mv out/ops_perf_results.csv device_log.csv
tt-perf ops run --compat --device-only -o out && mv out/ops_perf_results.csv device_only.csv
cat out/per_core_op_to_op_times.csv
tt-perf ops run --compat --force-legacy-device-logs -a device_kernel_duration -a device_fw_duration -o out &&
    mv out/ops_perf_results.csv subset.csv
# one block or two, and any number of threads
tt-perf synth -q -o whole --layers 1 --cores 8 --ops 5 --devices 2 --replays 2 --sub-devices --sums || exit
for threads in 1 2 8; do
    for run in run whole; do
        tt-perf ops $run --compat --force-legacy-device-logs -j $threads -o out &&
            cmp out/ops_perf_results.csv device_log.csv && echo "$run, $threads threads: the same"
    done
done

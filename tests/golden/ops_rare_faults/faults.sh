#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults.sh - damage that synth does not make: each costs the cells concerned, is counted, and fails with
# --compat where the original fails.
tt-perf synth -q -o good --model matmul --ops 4 --cores 2 --replays 2 || exit
# try WHAT FILE SED-SCRIPT [OPTION]
try()
{
    rm -rf run
    cp -R good run
    sed -E "$3" "good/.logs/$2" >"run/.logs/$2"
    echo "$1"
    # shellcheck disable=SC2086 # an option or none
    tt-perf ops run $4 --strict -o out >/dev/null 2>warnings
    echo "    exit $?, $(wc -l <out/ops_perf_results.csv) rows"
    sed 's/^tt-perf: ops: warning/    warning/' warnings
    # shellcheck disable=SC2086
    tt-perf ops run --compat $4 -o out >/dev/null 2>failure
    echo "    --compat: exit $?"
    sed 's/^/    /' failure
}
legacy=--force-legacy-device-logs
device=profile_log_device.csv messages=tracy_ops_data.csv zones=tracy_ops_times.csv cpp=cpp_device_perf_report.csv
try 'an op without a zone' $zones '/^TT_DNN.*"id:2048"/d'
try 'a zone without a duration' $zones 's/^(TT_DNN[^"]*"id:2048",[0-9]*,)[0-9]*/\1x/'
try 'an op without input tensors' $messages '0,/"input_tensors"/s/"input_tensors"/"other_tensors"/'
# shellcheck disable=SC2016 # back-ticks are quotes of the file
try 'a call of an unknown program' $messages '/^`TT_DNN_DEVICE_OP: "Matmul/s/, [0-9]{6,}, 0, (true|false), ([0-9]+)`/, 99, 0, \1, \2`/'
try 'an invalid trace message' $messages 's/TT_METAL_TRACE_REPLAY: 0, 0/TT_METAL_TRACE_REPLAY: 0/'
try 'more replays than messages' $messages '/TT_METAL_TRACE_REPLAY/d' $legacy
try 'a cell of the C++ report that is not a number' $cpp '2s/^1024,/x,/'
try 'a row of the device log that is too short' $device '9s/,.*//' $legacy
try 'a lost start of a firmware zone' $device '3{/BRISC-FW,ZONE_START/d}' $legacy
try 'two sub-devices for one op' $device '3s/,$/,{"sub_device_id":0}/; 4s/,$/,{"sub_device_id":1}/'
try 'an unreadable device log beside a C++ report' $device '1s/.*/nothing/; 2s/core_x/x/'
try 'ops of another number, and no ids' $device 's/run host ID/run ID/; s/, trace id, trace id counter/, a, b/' $legacy
try 'the trace-only profiler' $device 's/BRISC,/TENSIX_RISC_AGG,/; s/BRISC-(FW|KERNEL)/TRACE-\1/; /RISC_[012]|NCRISC/d' $legacy

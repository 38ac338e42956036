#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_one_way.sh BIN_DIR SOURCE_DIR - clocks that no collective relates. Traffic there and back gives bounds from both
# sides that hold the truth, one way alone is reported as half bounded, and sends of one rank meet the receives of
# another. A synchronisation of clocks relates them at its moments.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2

cat >make.py <<'END'
# make.py WHAT FOLDER SEED: a run of two chips whose clocks are known, as truth.json
import csv, json, os, random, sys
what, folder, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(what + str(seed))
offset = [random.randrange(5 * 10**9, 10**10), random.randrange(5 * 10**9, 10**10)]
ranks = 2 if what == "ranks" else 1
rows = [[] for _ in range(ranks)]
t, last = 1e6, 0
def put(rank, device, number, code, attributes, start, end):
    chip = rank if ranks == 2 else device
    rows[rank].append({"OP CODE": code, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": number << 10 | device,
        "DEVICE ID": device, "DEVICE ARCH": "wormhole_b0", "ATTRIBUTES": attributes, "HOST START TS": int(start),
        "DEVICE FW START CYCLE": int(start) + offset[chip], "DEVICE FW END CYCLE": int(end) + offset[chip],
        "DEVICE FW DURATION [ns]": int(end) - int(start), "DEVICE KERNEL DURATION [ns]": int(end) - int(start),
        "INPUT_0_W_PAD[LOGICAL]": "1[1]", "INPUT_0_Z_PAD[LOGICAL]": "1[1]", "INPUT_0_Y_PAD[LOGICAL]": "32[32]",
        "INPUT_0_X_PAD[LOGICAL]": "1024[1024]", "INPUT_0_DATATYPE": "BFLOAT16"})
number = 1
for k in range(24):
    forward = what != "both" or k % 2 == 0
    begin = t + random.uniform(0, 5e3)         # of the sender
    arrive = begin + random.uniform(2e3, 4e3)  # of the last byte
    waits = t + random.uniform(0, 8e3)         # of the receiver
    end = max(arrive, waits) + 500
    names = ["'receive_coord': 'MeshCoordinate([0; %d])'; 'send_coord': 'MeshCoordinate([0; %d])'" %
             ((1, 0) if forward else (0, 1))] * 2
    codes = ["PointToPointDeviceOperation"] * 2
    if what == "ranks":
        names, codes = ["{}", "{}"], ["SendAsyncDeviceOperation", "RecvAsyncDeviceOperation"]
    sender, receiver = (0, 1) if forward else (1, 0)
    for chip in (0, 1):
        rank, device = (chip, 0) if ranks == 2 else (0, chip)
        put(rank, device, number, "MatmulDeviceOperation", "{}", t - 2e4, t - 1e3)
    number += 1
    if what == "sync":
        t += 1e5
        continue
    times = {sender: (begin, arrive), receiver: (waits, end)}
    for chip in (0, 1):
        rank, device = (chip, 0) if ranks == 2 else (0, chip)
        put(rank, device, number, codes[chip], names[chip], *times[chip])
    number += 1
    t = end + 3e4
for rank, table in enumerate(rows):
    path = "%s/rank%d/reports/a" % (folder, rank)
    os.makedirs(path)
    with open(path + "/ops_perf_results_a.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    os.makedirs("%s/rank%d/.logs" % (folder, rank))
    with open("%s/rank%d/.logs/physical_chip_mesh_coordinate_mapping_%d_of_%d.yaml" % (folder, rank, rank + 1, ranks), "w") as out:
        out.write("chips:\n" + "".join("  %d: [0, %d]\n" % (d, rank if ranks == 2 else d) for d in range(1 if ranks == 2 else 2)))
if what == "sync": # samples of the root before and after the ops, and the line of the other chip
    with open(folder + "/rank0/.logs/sync_device_info.csv", "w") as out:
        out.write("device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,frequency,"
                  "tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n")
        for start in (t - 3e9, t + 3e9):
            for k in range(3):
                out.write("    0,    1,    1, %20d, 0, 0.00, 900, 68, 0.00, 1.0, 0.5, 0,1.0,0\n" % (start + k * 1e7 + offset[0]))
        out.write("    1,,,,,,,,,,,,   1.000000000000000, %20d\n" % (offset[0] - offset[1]))
json.dump(offset, open(folder + "/truth.json", "w"))
END
cat >check.py <<'END'
# check.py FOLDER MESH CSV: the aligned times of both chips are the true ones within the stated error
import csv, json, sys
offset = json.load(open(sys.argv[1] + "/truth.json"))
data = json.load(open(sys.argv[2]))["data"]
assert data["timelines"] == 1, "%d time lines" % data["timelines"]
shift, worst, seen = None, 0, 0
for row in csv.DictReader(open(sys.argv[3])):
    chip = int(row["DEVICE ID"])
    true = int(row["DEVICE FW START CYCLE"]) - offset[chip]
    aligned, error = float(row["ALIGNED START [ns]"]), float(row["ALIGNMENT ERROR [ns]"])
    if chip == 0:
        shift = aligned - true
for row in csv.DictReader(open(sys.argv[3])):
    chip = int(row["DEVICE ID"])
    true = int(row["DEVICE FW START CYCLE"]) - offset[chip]
    off = abs(float(row["ALIGNED START [ns]"]) - true - shift)
    error = float(row["ALIGNMENT ERROR [ns]"])
    seen += chip == 1
    assert off <= error + 5, "%.0f ns off, %.0f stated" % (off, error)
    worst = max(worst, error)
assert seen and 0 < worst < float(sys.argv[4]), "error up to %.0f ns" % worst
END
for seed in 1 2 3 4; do
    rm -rf run out
    python3 make.py both run $seed || exit 2
    "$program" mesh -q --format json run >mesh.json || complain "both ways, seed $seed: exit status $?"
    "$program" ops -q -o out run >/dev/null || complain "ops, seed $seed: exit status $?"
    python3 check.py run mesh.json out/ops_perf_results.csv 20000 || complain "both ways, seed $seed"
done
# Clocks may part by 250 ppm in the three seconds to the nearer synchronisation.
for seed in 1 2; do
    rm -rf run out
    python3 make.py sync run $seed || exit 2
    "$program" mesh -q --format json run >mesh.json || complain "synchronised, seed $seed: exit status $?"
    "$program" ops -q -o out run >/dev/null || complain "ops, seed $seed: exit status $?"
    python3 check.py run mesh.json out/ops_perf_results.csv 800000 || complain "synchronised, seed $seed"
done
echo junk >>run/rank0/.logs/sync_device_info.csv
"$program" mesh run >said 2>&1 || complain "a damaged synchronisation: exit status $?"
contains "$(cat said)" 'sync_device_info.csv, line 9: not a row' || complain "a damaged synchronisation is not named: $(cat said)"
for what in forward ranks; do
    rm -rf run
    python3 make.py $what run 1 || exit 2
    "$program" mesh -q run >said || complain "$what: exit status $?"
    contains "$(cat said)" 'bounded from one side only' || complain "$what: not reported as half bounded: $(cat said)"
    contains "$(cat said)" '2 time lines' || complain "$what: clocks are related: $(cat said)"
done
finish

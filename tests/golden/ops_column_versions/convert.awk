# SPDX-License-Identifier: Apache-2.0
# convert.awk -v v=YYYY-MM - a device log of today as tt-metal wrote it then; timers are 1 to 4 in 2023.
BEGIN {
    FS = ","
    place = "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset]"
    zone = "zone name, type, source line, source file"
    old_zone = "zone name, zone phase, source line, source file"
    columns["2023-01"] = place
    columns["2023-02"] = "chip_id, core_x, core_y, RISC processor type, timer_id, time[cycles since reset]"
    columns["2023-03"] = place
    columns["2023-09"] = place
    columns["2024-02"] = place ", Run ID, " old_zone
    columns["2024-03"] = place ", stat value, Run ID, " old_zone
    columns["2024-07"] = place ", stat value, run ID, run host ID,  " old_zone
    columns["2024-10"] = place ", data, run ID, run host ID,  " zone
    columns["2025-03"] = place ", data, run ID, run host ID,  " zone ", meta data"
    columns["2025-04"] = place ", data, run host ID,  " zone ", meta data"
    columns["2025-10"] = place ", data, run host ID, trace id, trace id counter, " zone ", meta data"
}
NR == 1 {
    sub(/, Max Compute Cores.*/, "")
    if (v > "2023-05")
        print
    else if (v > "2023-01")
        print "Chip clock is at 1.2 GHz"
    next
}
NR == 2 { print columns[v]; next }
{
    timer = $11 ~ /-FW$/ ? ($12 == "ZONE_START" ? 1 : 4) : ($12 == "ZONE_START" ? 2 : 3)
    phase = $12 == "ZONE_START" ? "begin" : "end"
    head = $1 ", " $2 ", " $3 ", " $4 ", "
    if (v < "2024")
        print head timer ", " $6
    else if (v == "2024-02")
        printf "%4s,%3s,%3s,%7s,%7s,%15s,%5s,%25s,%6s,%6s,%s\n", $1, $2, $3, $4, $5, $6, 0, $11, phase, $13, $14
    else if (v == "2024-03")
        print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 ",0," $11 "," phase "," $13 "," $14
    else if (v == "2024-07")
        print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 ",0," $8 "," $11 "," phase "," $13 "," $14
    else if (v == "2024-10")
        print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 ",0," $8 "," $11 "," $12 "," $13 "," $14
    else if (v == "2025-03")
        print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 ",0," $8 "," $11 "," $12 "," $13 "," $14 "," $15
    else if (v == "2025-04")
        print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $11 "," $12 "," $13 "," $14 "," $15
    else
        print
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# memory.sh - what large inputs of `mem`, `startup` and `top` cost, as JSON lines:
#   mem        a graph capture of MIB mebibytes, nine tenths of it pages, which is read twice
#   startup    the inspector's log of programs, as large
#   database   a database of ttnn-visualizer, as large, nine tenths of it pages that no verdict needs
#   top_live   share of one processor that `tt-perf top` takes while a process logs 2,000 launches a second
# Sizes on disk and rates are of this machine; RATE_MIB is processor time, so that others may work beside it.
# MIB (1024) is the size of each input, SECONDS_TOP (10) how long the last runs. Needs build/release.
set -u
BAR_MEM_MB=64 BAR_MEM=300 BAR_STARTUP_MB=32 BAR_STARTUP=500 BAR_DATABASE=5 BAR_TOP=0.5
mib=${MIB:-1024}
seconds=${SECONDS_TOP:-10}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed gen_memory

# over A B - is A above B?
over()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'
}

mkdir "$scratch/inspector" || exit 2
"$bin/gen_memory" capture "$mib" "$scratch/graph_capture.json" || exit 2
# shellcheck disable=SC2046 # four words
set -- $("$bin/timed" "$bin/tt-perf" mem "$scratch/graph_capture.json")
rate=$(awk -v m="$mib" -v s="$4" 'BEGIN { print 2 * m * 1.048576 / s }')
rss=$(($2 / 1024))
echo "{\"bench\":\"mem\",\"mib\":$mib,\"cpu_s\":$4,\"mb_s_pass\":$rate,\"rss_mb\":$rss}"
[ "$3" -le 1 ] || status=1
over "$rss" $BAR_MEM_MB && status=1
over $BAR_MEM "$rate" && status=1
rm "$scratch/graph_capture.json"

"$bin/gen_memory" programs "$mib" "$scratch/inspector/programs_log.yaml" || exit 2
# shellcheck disable=SC2046
set -- $("$bin/timed" "$bin/tt-perf" startup "$scratch/inspector")
rate=$(awk -v m="$mib" -v s="$4" 'BEGIN { print m * 1.048576 / s }')
rss=$(($2 / 1024))
echo "{\"bench\":\"startup\",\"mib\":$mib,\"cpu_s\":$4,\"mb_s\":$rate,\"rss_mb\":$rss}"
[ "$3" -eq 0 ] || status=1
over "$rss" $BAR_STARTUP_MB && status=1
over $BAR_STARTUP "$rate" && status=1
rm "$scratch/inspector/programs_log.yaml"

# A page record takes about 60 bytes of the file; 200 ops with 40 live buffers each are what a verdict needs.
if command -v sqlite3 >/dev/null; then
    sqlite3 "$scratch/db.sqlite" >"$scratch/sqlite.out" <<END || exit 2
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
    worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,
    address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int,
    total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int,
    total_l1_for_sharded_buffers int, cb_limit int);
INSERT INTO devices VALUES (0, 9, 8, 8, 8, 1499136, 64, 1370848, 0, 103712, 1, 64, 0, 95944704, 0, 87734272, 87734272,
    1395424);
CREATE TABLE operations (operation_id int, name text, duration float);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);
CREATE TABLE captured_graph (operation_id int, captured_graph text);
CREATE TABLE buffer_pages (operation_id int, device_id int, address int, core_y int, core_x int, bank_id int,
    page_index int, page_address int, page_size int, buffer_type int);
CREATE TABLE tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int,
    address int, buffer_type int);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
CREATE TABLE errors (operation_id int, error_type text, error_message text, error_operation text);
CREATE TABLE stack_traces (operation_id int, stack_trace text);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO operations SELECT i, 'ttnn.linear', 0.001 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7999)
    INSERT INTO buffers SELECT 1 + i / 40, 0, 1474560 - (i % 40 + 1) * 16384, 16384, 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $mib * 26500)
    INSERT INTO buffer_pages SELECT 1 + i % 200, 0, 1000000000000 + i, i % 8, i % 9, i % 64, i, 1000000000000 + i * 2048,
        2048, 1 FROM n;
END
    size=$(($(stat -c %s "$scratch/db.sqlite") / 1048576))
    # shellcheck disable=SC2046
    set -- $("$bin/timed" "$bin/tt-perf" mem "$scratch/db.sqlite")
    echo "{\"bench\":\"mem_database\",\"mib\":$size,\"wall_s\":$1,\"rss_mb\":$(($2 / 1024))}"
    [ "$3" -le 1 ] || status=1
    over "$1" $BAR_DATABASE && status=1
    rm "$scratch/db.sqlite"
fi

# A process that holds its log open, as the runtime does, and logs RATE launches a second; a machine without boards,
# whose allocator counts that process.
rate=2200 # a little more than the 2,000 of the bar
mkdir -p "$scratch/generated/inspector" "$scratch/root/dev/shm" "$scratch/root/sys"
ln -s /proc "$scratch/root/proc"
"$bin/gen_memory" launches $rate "$scratch/generated/inspector" &
writer=$!
"$bin/gen_memory" counters "$writer" "$scratch/root/dev/shm/tt_device_1_memory" || exit 2
# shellcheck disable=SC2016 # expanded by that shell
cpu=$(bash -c 'TIMEFORMAT="%U %S"; time "$1" top --root "$3/root" --format ndjson --count "$2" >"$3/top.ndjson"' \
    bash "$bin/tt-perf" $((seconds * 2)) "$scratch" 2>&1)
kill "$writer"
wait "$writer" 2>/dev/null
share=$(echo "$cpu" | awk -v s="$seconds" '{ print 100 * ($1 + $2) / s }')
written=$(($(grep -c Committed "$scratch/generated/inspector/mesh_workloads_log.yaml") / seconds))
grep -q '"launches_per_s":[1-9]' "$scratch/top.ndjson" || { echo "top saw no launches" >&2; status=1; }
echo "{\"bench\":\"top_live\",\"launches_s\":$written,\"cpu_pct\":$share}"
over "$share" $BAR_TOP && status=1
over 2000 "$written" && { echo "only $written launches a second were written" >&2; status=1; }
exit "$status"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# history.sh BIN_DIR SOURCE_DIR - `tt-perf history` in a file: documents, writers, kill -9, no room, damage.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
needs sqlite
store=$scratch/state/history.db
# shellcheck source=tests/history_suite.sh
. "$source/tests/history_suite.sh"

documents
writers
killed 12
judged
moved
settings

# a history of schema 2 has ops without their settings: import into a new one reads the documents again
if command -v sqlite3 >/dev/null && [ -f fastest ]; then
    cp "$store" schema2.db
    sqlite3 schema2.db 'DROP TABLE op_best' 'DROP INDEX op_kind_name' 'ALTER TABLE op_kind DROP COLUMN name' \
        'ALTER TABLE op_kind DROP COLUMN chip' 'ALTER TABLE op_kind DROP COLUMN config' \
        "UPDATE meta SET value = '2' WHERE key = 'schema_version'" || complain "cannot make a history of schema 2"
    "$program" history best --store schema2.db --op 'Matmul 32 x 4096 x 14336' >best.log 2>&1 && complain "an old history knows settings"
    check "an old history says what to do" contains "$(cat best.log)" "'tt-perf history import schema2.db --store NEW'"
    "$program" history import -q --store newer.db schema2.db >import.log 2>&1 || complain "no import: $(cat import.log)"
    "$program" history best --store newer.db --op 'Matmul 32 x 4096 x 14336' --format csv \
        --columns device_us,cores,datatypes,program_config,run_name | cmp -s - fastest || complain "best: an old history is read differently"
    check "advise --history: of an old history" contains \
        "$("$program" advise "$scratch/runs/campaigns/l8wh-12_before.csv" --history --store newer.db | tr -s ' \n' '  ')" \
        'with dram in0_block_w=2 per_core_M=1 per_core_N=7'
fi

# where it is kept
XDG_STATE_HOME=$scratch/xdg "$program" history add -q --no-git --no-machine hyperfine.json >/dev/null
[ -f "$scratch/xdg/tt-perf/history.db" ] || complain "not below XDG_STATE_HOME"
env -u XDG_STATE_HOME HOME="$scratch/home" "$program" history add -q --no-git --no-machine hyperfine.json >/dev/null
[ -f "$scratch/home/.local/state/tt-perf/history.db" ] || complain "not below ~/.local/state"
TT_PERF_STORE=$scratch/env.db "$program" history add -q --no-git --no-machine hyperfine.json >/dev/null
[ -f env.db ] || complain "TT_PERF_STORE is not heard"

# a disk that is full: what was there stays, and with room it continues
cp "$store" full.db
before=$("$program" history list --store full.db --limit 0 --format csv | wc -l)
size=$(stat -c %s full.db)
noise $((size + 300000)) big.json
(ulimit -f $(((size + 65536) / 1024)); "$program" history add -q --store full.db --no-git --no-machine big.json) \
    >full.log 2>&1
[ $? -eq 5 ] || complain "a full disk is not exit status 5: $(cat full.log)"
grep -q 'existing data is unchanged' full.log || complain "a full disk: $(cat full.log)"
[ "$("$program" history list --store full.db --limit 0 --format csv | wc -l)" -eq "$before" ] || complain "a full disk lost runs"
"$program" history add -q --store full.db --no-git --no-machine big.json >/dev/null || complain "with room it does not go on"

# room for the log, and none to take it over into the file: what was acknowledged is there, with room or without
cp "$store" half.db
noise $((size / 2)) half.json
(
    ulimit -f $(((size + 65536) / 1024))
    "$program" history add -q --store half.db --no-git --no-machine half.json >/dev/null ||
        complain "a log that has room is refused"
    "$program" history list -q --store half.db --limit 0 --format csv >half.csv || complain "not read without room"
    exit $failed
) || failed=1
[ -s half.db-wal ] || complain "the log was taken over: this tests nothing"
[ "$(wc -l <half.csv)" -eq $((before + 1)) ] || complain "without room an acknowledged run is not there"
[ "$("$program" history list --store half.db --limit 0 --format csv | wc -l)" -eq $((before + 1)) ] ||
    complain "an acknowledged run is lost"

# damage: refused, a copy kept, and rebuilt as the message says
cp full.db bad.db
dd if=/dev/urandom of=bad.db bs=4096 seek=20 count=3 conv=notrunc 2>/dev/null
cp bad.db before.db
"$program" history list --store bad.db >bad.log 2>&1
[ $? -eq 3 ] || complain "damage is not exit status 3: $(cat bad.log)"
copy=$(sed -n "s/.*kept as '\([^']*\)'.*/\1/p" bad.log)
cmp -s before.db "$copy" || complain "the copy is not what was there: $(cat bad.log)"
mv bad.db away.db
rm -f bad.db-wal bad.db-shm
"$program" history import -q --store bad.db "$copy" >rebuilt.log 2>&1 || complain "cannot rebuild: $(cat rebuilt.log)"
rebuilt=$("$program" history list --store bad.db --limit 0 --format csv | tail -n +2 | wc -l)
[ "$rebuilt" -ge $((before / 2)) ] || complain "only $rebuilt of $before runs came back: $(cat rebuilt.log)"

# the head alone is lost: all of it comes back
cp full.db head.db
dd if=/dev/zero of=head.db bs=100 count=1 conv=notrunc 2>/dev/null
"$program" history list --store head.db >head.log 2>&1
[ $? -eq 3 ] || complain "a lost head is not exit status 3: $(cat head.log)"
mv head.db away.db
"$program" history import -q --store head.db head.db.damaged-* >head.log 2>&1 || complain "cannot rebuild: $(cat head.log)"
[ "$("$program" history list --store head.db --limit 0 --format csv | wc -l)" -eq $((before + 1)) ] ||
    complain "without a head runs are lost: $(cat head.log)"
finish

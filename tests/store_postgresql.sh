#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# store_postgresql.sh BUILD SOURCE - the suite of the store against a real PostgreSQL.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/postgres.sh
. "$source/tests/postgres.sh"
chmod 755 "$scratch"
trap 'postgres_stop; rm -rf -- "$scratch"' EXIT
needs postgresql
postgres_start "$scratch/pg"
TTP_TEST_STORE=$postgres_uri "$bin/test_store" || failed=1

# The first use of a database by several writers at once: all of them are first, in turn. Also where transactions see
# what was there when they began.
printf '{"results":[{"command":"x","times":[1,2,3]}]}' >"$scratch/run.json"
for round in 1 2 3 4 5 6 7 8 9 10; do
    "$postgres/psql" -qX "$postgres_uri" -c "CREATE DATABASE first_$round" || complain "no database"
    [ $((round % 2)) -eq 0 ] ||
        "$postgres/psql" -qX "$postgres_uri" -c \
            "ALTER DATABASE first_$round SET default_transaction_isolation = 'serializable'"
    uri=$(printf %s "$postgres_uri" | sed "s|/postgres?|/first_$round?|")
    writers=
    for writer in 1 2 3; do
        "$program" history add -q --no-git --no-machine --name "writer $writer" --store "$uri" "$scratch/run.json" \
            >"$scratch/first.$writer" 2>&1 &
        writers="$writers $!"
    done
    for pid in $writers; do
        wait "$pid" || complain "round $round: $(cat "$scratch"/first.*)"
    done
    runs=$("$program" history list --format csv --store "$uri" | grep -c 'writer')
    check "round $round: $runs of 3 runs" test "$runs" -eq 3
done

# A statement that the server itself gives up, and others that write all the time
"$postgres/psql" -qX "$postgres_uri" -c 'BEGIN; SELECT pg_advisory_xact_lock(1953787976); SELECT pg_sleep(45)' \
    >/dev/null 2>&1 &
sleep 1
start=$(date +%s)
"$program" history add -q --no-git --no-machine --name late --store "$postgres_uri" "$scratch/run.json" \
    >"$scratch/late.log" 2>&1
check "a lock that is held: status 5" test $? -eq 5
check "it is told: $(cat "$scratch/late.log")" grep -q 'is locked: others have been writing to it for 30 s' \
    "$scratch/late.log"
check "within a minute" test $(($(date +%s) - start)) -lt 60

# A fleet: runs of many ranks from several writers at once, each kept once and read back.
for run in 1 2 3 4; do
    "$program" synth -q -o "$scratch/mesh$run" --seed $run --ranks 4 --mesh 2x4 --straggler 1:0 || exit 2
done
"$postgres/psql" -qX "$postgres_uri" -c 'CREATE DATABASE fleet' || complain "no database"
uri=$(printf %s "$postgres_uri" | sed 's|/postgres?|/fleet?|')
writers=
for run in 1 2 3 4; do
    "$program" history add -q --no-git --no-machine --name "mesh $run" --store "$uri" "$scratch/mesh$run" \
        >"$scratch/fleet.$run" 2>&1 &
    writers="$writers $!"
done
for pid in $writers; do
    wait "$pid" || complain "a fleet: $(cat "$scratch"/fleet.*)"
done
runs=$("$program" history list --format csv --store "$uri" | grep -c 'mesh [1-4]')
check "a fleet: $runs of 4 runs" test "$runs" -eq 4
"$program" history add -q --no-git --no-machine --name "mesh 1" --store "$uri" "$scratch/mesh1" >"$scratch/fleet.1" 2>&1 ||
    complain "a run of ranks again: $(cat "$scratch/fleet.1")"
runs=$("$program" history list --format csv --store "$uri" | grep -c 'mesh [1-4]')
check "a run of ranks is kept once, not $runs" test "$runs" -eq 4
finish

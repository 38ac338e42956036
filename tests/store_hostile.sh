#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# store_hostile.sh BIN_DIR SOURCE_DIR - a history that someone else made, or that does not answer; who may read ours,
# and what it never holds.
set -u
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"
servers=
trap '[ -z "$servers" ] || kill "$servers"; rm -rf "$scratch"' EXIT
needs sqlite
cd "$scratch" || exit 2
umask 022
store=$scratch/own/history.db
history() { # ACTION ARGS...
    "$program" history "$@" --store "$store"
}
add() { # NAME
    printf '{"results":[{"command":"x %s","times":[1,2,3]}]}' "$1" >"$1.json"
    history add -q --no-git --no-machine --name "$1" "$1.json"
}

# ---- servers that do not answer: they take a while, all at once ----
waiting=()
silent() { # KIND - asks it, writes status and seconds
    local start=$SECONDS
    "$program" history list --store "postgresql://u:hidden@127.0.0.1:$(cat "$1.port")/db" >"$1.log" 2>&1
    echo "$? $((SECONDS - start))" >"$1.end"
}
if has postgresql && command -v python3 >/dev/null; then
    python3 "$source/tests/silent_server.py" "$scratch" &
    servers=$!
    kinds='accepts answers-nothing stalls drips blackhole'
    for kind in $kinds; do
        for _ in $(seq 100); do [ -s "$kind.port" ] || sleep 0.1; done
        silent "$kind" &
        waiting+=($!)
    done
else
    echo "not tested: silent servers"
fi

# ---- who may read it ----
add one >/dev/null || complain "the first run"
mode_of() { stat -c %a "$1"; }
check "a new history: $(mode_of "$store")" test "$(mode_of "$store")" = 600
# a writer that is ended leaves the files next to it
if command -v sqlite3 >/dev/null; then
    sqlite3 "$store" 'PRAGMA journal_mode' 'BEGIN IMMEDIATE' 'UPDATE meta SET value = value' \
        ".shell ls -l $store-wal $store-shm >beside.txt" 'ROLLBACK' >/dev/null
    check "the files next to it: $(cat beside.txt)" test "$(grep -c '^-rw-------' beside.txt)" = 2
fi
chmod 644 "$store"
add two >/dev/null 2>open.txt
check "a wider one of a name is told: $(cat open.txt)" test "$(mode_of "$store")" = 644
"$program" history add --no-git --no-machine --store "$store" --name three one.json >/dev/null 2>open.txt
check "others may read it: $(cat open.txt)" grep -q "other users can read '$store'" open.txt
mkdir -p usual/tt-perf && cp "$store" usual/tt-perf/history.db && chmod 664 usual/tt-perf/history.db
env -u TT_PERF_STORE XDG_STATE_HOME="$scratch/usual" "$program" history add -q --no-git --no-machine --name four one.json \
    >/dev/null
check "the usual one is closed" test "$(mode_of usual/tt-perf/history.db)" = 600
chmod 600 "$store"
cp "$store" cut.db && truncate -s 5000 cut.db
"$program" history list --store cut.db >/dev/null 2>&1
check "the copy of a damaged one is ours alone" test "$(mode_of cut.db.damaged-*)" = 600

# ---- files of someone else's making ----
hostile() { # NAME SQL... - a copy of our history with that done to it
    local name=$1
    shift
    cp "$store" "$name.db"
    printf '%s;\n' "$@" | sqlite3 "$name.db" >/dev/null 2>hostile.txt ||
        complain "no hostile file '$name': $(cat hostile.txt)"
}
refused() { # NAME WORDS ACTION... - with status 3, these words, quickly, and unchanged
    local name=$1 words=$2 before status start=$SECONDS
    shift 2
    before=$(sha256sum <"$name.db")
    timeout 30 "$program" history "$@" --store "$name.db" >"$name.txt" 2>&1
    status=$?
    check "$name: $1 ends with $status: $(cat "$name.txt")" test $status -eq 3
    check "$name: $1 says '$words': $(cat "$name.txt")" grep -q -- "$words" "$name.txt"
    check "$name: $1 names the file: $(cat "$name.txt")" grep -q "$name.db" "$name.txt"
    check "$name: $1 is quick" test $((SECONDS - start)) -lt 20
    check "$name: $1 changes nothing" test "$before" = "$(sha256sum <"$name.db")"
}
endless='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x'
if command -v sqlite3 >/dev/null; then
    hostile view 'ALTER TABLE run RENAME TO old' "CREATE VIEW run AS SELECT old.* FROM old, ($endless FROM c)"
    hostile trigger 'CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run WHERE id = NEW.id; END'
    hostile table 'CREATE TABLE more (x)'
    hostile column 'ALTER TABLE run ADD COLUMN more TEXT'
    hostile generated 'DROP TABLE note' \
        'CREATE TABLE note (id INTEGER PRIMARY KEY, run, time_ns, text AS (hex(zeroblob(100000000))))'
    hostile index 'CREATE INDEX slow ON run (abs(id))'
    hostile partial 'DROP INDEX run_time' 'CREATE INDEX run_time ON run (time_ns, id) WHERE id > 5'
    hostile missing 'DROP TABLE sample'
    hostile virtual 'DROP TABLE sample' 'CREATE VIRTUAL TABLE sample USING fts5(run)'
    for name in view trigger table column generated index partial missing virtual; do
        refused $name 'not a valid history of tt-perf' list
        refused $name 'not a valid history of tt-perf' add -q --no-git --no-machine one.json
    done
    # of version 1 too, before anything is brought up to date
    hostile older "UPDATE meta SET value = '1' WHERE key = 'schema_version'"
    refused older 'not a valid history of tt-perf' add -q --no-git --no-machine one.json
    # what can be read is taken over, and what is not is not executed
    "$program" history import -q --store taken.db trigger.db >taken.txt 2>&1
    check "import of a file with a trigger: $(cat taken.txt)" grep -q '^3 runs added' taken.txt
    timeout 30 "$program" history import -q --store taken.db view.db >taken.txt 2>&1
    check "import of a file with a view ends" test $? -ne 124
    # what ANALYZE leaves is fine
    hostile analyzed 'ANALYZE'
    check "statistics are no harm" "$program" history list --store analyzed.db --format json -o /dev/null
    # another program's
    sqlite3 other.db 'CREATE TABLE theirs (x)'
    refused other "unknown table 'theirs'" add -q --no-git --no-machine one.json
else
    echo "not tested: hostile files (no sqlite3)"
fi
mkfifo fifo.db
timeout 20 "$program" history list --store fifo.db >/dev/null 2>&1
check "a FIFO is not waited for" test $? -ne 124

# ---- a history of 0.1.0 ----
if command -v sqlite3 >/dev/null; then
    sqlite3 old.db <"$source/tests/data/history_0.1.0.sql" || complain "no history of 0.1.0"
    check "a history of 0.1.0" contains "$("$program" history list --store old.db)" 'kept in 0.1.0'
    check "a run that is added to it" contains \
        "$("$program" history add -q --no-git --no-machine --store old.db --name new one.json 2>/dev/null)" '^added run 2'
    check "both are there" contains "$("$program" history show 1 --store old.db)" 'of before'
fi

# ---- secrets ----
secret=s3cretW0rd
absent() { # WHAT FILE...
    local what=$1
    shift
    ! grep -q "$secret" "$@" || complain "$what has the secret: $(grep -l "$secret" "$@")"
}
store=$scratch/masked.db
cat >"$scratch/tool" <<'END'
#!/bin/sh
echo "$HF_TOKEN" "$@" >>"$SEEN"
END
chmod +x tool
export SEEN=$scratch/seen.txt
"$program" bench -q --no-guard --runs 1 --warmup 0 --format json -o bench.json -- ./tool --token $secret --size 7 \
    >bench.txt 2>&1
check "the command has its secret" grep -q "$secret --size 7" seen.txt
absent "bench" bench.json bench.txt
check "the rest of it stays" grep -q '"--token","\*\*\*","--size","7"' bench.json
"$program" bench -q --no-guard --runs 1 --warmup 0 --variant "a=HF_TOKEN=$secret" --variant b=SIZE=7 --format json \
    -- ./tool >bench2.json 2>bench2.txt
absent "bench --variant" bench2.json bench2.txt
check "a variant's variable" grep -q '"HF_TOKEN=\*\*\*"' bench2.json
"$program" bench -q --no-guard --runs 1 --warmup 0 --variant "a=HF_TOKEN=$secret" -- ./tool >bench3.txt 2>&1
absent "bench as text" bench3.txt
printf '{"results":[{"command":"run --password %s -n 1","times":[1,2]}]}' $secret >hyper.json
for file in bench.json bench2.json hyper.json; do
    history add --no-git --no-machine $file >>added.txt 2>&1
done
history note last "with --token $secret" >>added.txt 2>&1
absent "history add" added.txt
history list --format json >list.json
history show last >show.txt
history export last >export.txt
history export --all >all.txt
absent "history" list.json show.txt export.txt all.txt "$store"
check "a document keeps the rest" grep -qx '{"results":\[{"command":"run --password \*\*\* -n 1","times":\[1,2\]}\]}' export.txt
"$program" history import --format json --store "$store" "postgresql://u:$secret@127.0.0.1:1/x" >import.txt 2>&1
absent "history import" import.txt

make_repo "$scratch/tuned"
# shellcheck disable=SC2016  # for the script
sed -i '2i [ "$2" = s3cretW0rd ] || exit 9' work.sh && commit secret
"$program" tune init -q --no-guard --cmd "./work.sh --token $secret" --metric "$metric" --golden golden --warmup 0 \
    --min-runs 5 --max-runs 10 --data 'batch 1' --board n150 >"$out/init.txt" 2>&1 || complain "init: $(cat "$out/init.txt")"
check "a ledger: $(mode_of $ledger)" test "$(mode_of $ledger)" = 600
check "its secrets" test "$(mode_of .git/tt-perf/tune/secrets.jsonl)" = 600
attempt "less" --env LESS=50
check "the command runs again with its secret: $(cat "$out/try.txt" "$out/try.err")" test $? -eq 0
attempt "a key" --env "API_KEY=$secret"
cat "$out/try.txt" "$out/try.err" >"$out/key.txt"
"$program" tune report --format md >"$out/report.md"
"$program" tune report --format json --svg "$out/steps.svg" >"$out/report.json"
"$program" tune status >"$out/status.txt"
absent "tune" "$ledger" "$out"/*
check "the command is shown" grep -q 'work.sh --token \*\*\*' "$out/status.txt"
mv .git/tt-perf/tune/secrets.jsonl "$scratch"
attempt "more" --env LESS=60
check "without them nothing runs" test $? -eq 2
check "and it says why: $(cat "$out/try.err")" grep -q 'secrets.jsonl' "$out/try.err"
cd "$scratch" || exit 2

# ---- what the servers said ----
for pid in "${waiting[@]}"; do wait "$pid"; done
for kind in ${kinds-}; do
    read -r status seconds <"$kind.end"
    check "$kind: status $status" test "$status" -eq 6
    check "$kind: $seconds s" test "$seconds" -lt 60
    check "$kind: $(cat "$kind.log")" grep -qE 'does not answer|timed out' "$kind.log"
    ! grep -q hidden "$kind.log" || complain "$kind: the password is shown"
done
finish

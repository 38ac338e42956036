#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_mutations.sh BIN_DIR SOURCE_DIR - runs with known clocks, changed at random: rows in another order, ranks missing,
# clocks further apart or backwards, collectives lost on one rank, iterations lost. The truth stays inside the bounds in
# every case, or the rank is reported as in doubt.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2

cat >mutate.py <<'END'
import csv, json, random, sys
how, seed, truth_file, files = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
random.seed(how + str(seed))
truth = json.load(open(truth_file))
START, END = "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"
tables = []
for f in files:
    with open(f, newline="") as text:
        reader = csv.DictReader(text)
        tables.append((f, reader.fieldnames, list(reader)))
def program(row):
    return int(row["GLOBAL CALL COUNT"]) >> 10
def collective(row):
    return "cluster_axis" in row["ATTRIBUTES"]
def of_rank(f):
    return int(f.split("/rank")[-1].split("/")[0])
victim = random.randrange(len(tables))
for n, (f, names, rows) in enumerate(tables):
    rank = of_rank(f)
    if how == "shuffle": # devices of an op in any order, the order of the ops stays
        groups = {}
        for row in rows:
            groups.setdefault(program(row), []).append(row)
        for group in groups.values():
            random.shuffle(group)
        rows[:] = [row for group in groups.values() for row in group]
    elif how == "offset": # every clock apart by up to 44 s, either way
        for d in truth["devices"]:
            if d["rank"] != rank:
                continue
            more = random.randrange(int(44e9)) * random.choice((1, -1))
            more = max(more, 1 - d["cycles_at_0"]) # a counter is not negative
            d["cycles_at_0"] += more
            for row in rows:
                if int(row["DEVICE ID"]) == d["id"]:
                    row[START], row[END] = str(int(row[START]) + more), str(int(row[END]) + more)
    elif how == "lost" and n == victim: # some collectives of one rank left no row
        lost = {p for p in {program(r) for r in rows if collective(r)} if random.random() < 0.1}
        rows[:] = [row for row in rows if program(row) not in lost]
    elif how == "lost-rows": # single rows of devices are missing
        rows[:] = [row for row in rows if random.random() > 0.01]
    elif how == "untimed": # rows without cycles
        for row in rows:
            if random.random() < 0.02:
                row[START] = row[END] = ""
    elif how == "iterations" and n == victim: # the rank ended one iteration earlier
        first = [i for i, row in enumerate(rows) if row["OP CODE"].startswith("Embeddings") and
                 (i == 0 or not rows[i - 1]["OP CODE"].startswith("Embeddings"))]
        rows[:] = rows[:first[-1]]
    with open(f, "w", newline="") as out:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
json.dump(truth, open(truth_file, "w"))
END

cases=0
doubts=0
# mutated HOW SEED SYNTH-OPTIONS...
mutated()
{
    how=$1 seed=$2
    shift 2
    rm -rf run
    "$program" synth -q -o run --seed "$seed" "$@" || exit 2
    set --
    for report in run/rank*/reports/*/*.csv; do
        set -- "$@" "$report"
    done
    python3 mutate.py "$how" "$seed" run/truth.json "$@" || exit 2
    # a rank that is dropped, but never the straggler's, whom the check wants
    if [ "$how" = drop ]; then
        rm -rf "run/rank$((seed % 2 * 3))"
    fi
    set --
    for report in run/rank*/reports/*/*.csv; do
        rank=${report#run/rank}
        set -- "${rank%%/*}=$report" "$@" # backwards: the order of ranks does not matter
    done
    "$bin/mesh_check" golden run/truth.json - 5 "$@" >said
    status=$?
    cases=$((cases + 1))
    [ $status -ne 0 ] || return 0
    # iterations that are alike leave several shifts: the ranks are then reported as in doubt
    if [ "$how" = iterations ]; then
        "$program" mesh -q run >mesh.txt
        if [ $? -eq 7 ] && grep -q 'possible shifts' mesh.txt; then
            doubts=$((doubts + 1))
            return 0
        fi
    fi
    complain "$how, seed $seed: $(grep 'NOT KEPT' said | head -n 5)"
}
for seed in 1 2 3 4; do
    for how in none shuffle drop offset lost lost-rows untimed iterations; do
        mutated $how "$seed" --ranks 4 --mesh 4x4 --iterations 5 --straggler 1:2
    done
    mutated none "$seed" --ranks 4 --mesh 4x4 --straggler 1:2 --drift 400 # clocks that run slow as well as fast
    mutated offset "$seed" --ranks 2 --mesh 2x4 --straggler 1:2 --wander 800
done
check "cases were made" test $cases -eq 40
check "some shift could be told" test $doubts -lt 4

# A rank twice is rejected; one device alone has no clock to relate to, which is not a failure.
"$program" synth -q -o two --ranks 2 --mesh 2x4 || exit 2
mkdir -p twice/a twice/b
cp -R two/rank0 twice/a/rank0 && cp -R two/rank0 twice/b/rank0 || exit 2
"$program" mesh twice >/dev/null 2>said
status=$?
check "a rank twice is rejected: $status $(cat said)" test $status -eq 3
report=$(ls two/rank0/reports/*/*.csv)
awk -F, 'NR == 1 || $4 == 0' "$report" >one.csv
"$program" mesh -q --format json one.csv >one.json || complain "one device: exit status $?"
check "one device is one" test "$(jq '.data.devices | length' one.json)" -eq 1
check "one device has no skew" test "$(jq '[.data.collectives[] | .skew_us] | all(. == null)' one.json)" = true
finish

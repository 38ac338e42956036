#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# history_suite.sh - what `tt-perf history` promises whatever keeps it, read with '.' by history.sh (a file)
# and history_postgresql.sh (a server). Read by then: common.sh; set: $store; the current folder is scratch.
# shellcheck shell=bash disable=SC2154,SC2034,SC2015,SC2181
history() {
    "$program" history "$@" --store "$store"
}
count() {
    history list --limit 0 --format csv | tail -n +2 | wc -l
}

# noise BYTES FILE - a result with a document of that size that does not get smaller
noise() {
    printf '{"results":[{"command":"big","times":[1]}],"x":"%s"}' \
        "$(head -c "$1" /dev/urandom | od -An -tx1 | tr -d ' \n')" >"$2"
}

# documents of every kind come back byte for byte
documents() {
    local data=$source/tests/data packed='' want=7 kept
    cp "$data/demo_ops_perf_results.csv" ops.csv
    if part zlib; then
        gzip -kf ops.csv
        packed=ops.csv.gz want=8
    fi
    sed -n 1p "$data/history_runs.jsonl" >complete.json
    printf 'branch: main\nhash: 0a1b2c3d\nModel, Setting, Batch, AVG DEVICE KERNEL SAMPLES/S\nbert, B8, 8, 100.5\n' \
        >device_perf_bert_2026_01_02.csv
    printf '{"results":[{"command":"sleep 1","times":[1.01,1.02],"exit_codes":[0,0]}]}' >hyperfine.json
    "$program" bench -q --runs 2 -o bench.json -- true >/dev/null || complain "bench failed"
    for kept in ops.csv $packed complete.json device_perf_bert_2026_01_02.csv hyperfine.json bench.json; do
        history add -q --no-git --no-machine --name "doc-$kept" "$kept" >added || complain "cannot add $kept"
        grep -q '^added run' added || complain "$kept: $(cat added)"
        history export "$(sed 's/.*run \([0-9]*\):.*/\1/' added)" >out || complain "cannot export $kept"
        cmp -s "$kept" out || complain "$kept came back differently"
    done
    history add -q --no-git --no-machine --name doc-stdin - <ops.csv >/dev/null || complain "cannot add standard input"
    history export last --format benchmark-run >again.json || complain "no CompleteBenchmarkRun"
    history import again.json >/dev/null || complain "its CompleteBenchmarkRun is not read"
    history add -q --no-git --no-machine --name doc-ops.csv ops.csv | grep -q '^already present' || complain "added twice"
    [ "$(count)" -eq $want ] || complain "$(count) runs, not $want"
}

# eight writers at once, each with runs of its own: none is lost, none is there twice
writers() {
    local before after w i pids=
    before=$(count)
    for w in 1 2 3 4 5 6 7 8; do
        (for i in 1 2 3 4 5 6; do
            printf '{"results":[{"command":"w","times":[%s.%s,2]}]}' "$w" "$i" >"w$w.json"
            history add -q --no-git --no-machine --name "writer-$w" --time "2026-02-0$i" "w$w.json" || exit 1
        done) >"w$w.log" 2>&1 &
        pids="$pids $!"
    done
    for w in $pids; do
        wait "$w" || complain "a writer failed: $(cat w?.log | grep -v '^added')"
    done
    after=$(count)
    [ $((after - before)) -eq 48 ] || complain "eight writers added $((after - before)) runs, not 48"
    [ "$(cat w?.log | sed 's/.*run \([0-9]*\):.*/\1/' | sort -u | wc -l)" -eq 48 ] || complain "ids are not unique"
}

# killed at any moment: all that was acknowledged is there, whole, and nothing is there in part
killed() {
    local round pid said
    for round in $(seq 1 "$1"); do
        (for i in $(seq 1 40); do
            printf '{"results":[{"command":"k","times":[%s.%s]}]}' "$round" "$i" >"k$round-$i.json"
        done
        exec "$program" history add -q --no-git --no-machine --name "killed-$round" --store "$store" k"$round"-*.json \
            >"k$round.log" 2>&1) &
        pid=$!
        touch "k$round.log"
        sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        said=$(grep -c '^added run [0-9]*: killed' "k$round.log")
        [ "$(history list --limit 0 --name "killed-$round" --format csv | tail -n +2 | wc -l)" -ge "$said" ] ||
            complain "killed in round $round: of $said runs acknowledged some are lost"
        rm -f k"$round"-*.json
    done
    history export --all >whole.ndjson || complain "after kill -9 a run cannot be read"
    [ "$(wc -l <whole.ndjson)" -eq "$(count)" ] || complain "after kill -9 runs are missing in the export"
    grep -L '"samples":\[' whole.ndjson | grep -q . && complain "a run without its measurements"
}

# what is called worse, and since when
judged() {
    mkdir -p repo && (
        cd repo && git init -q && git config user.email t@t && git config user.name t || exit 1
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            v=1.0$i
            [ $i -le 6 ] || v=1.3$i
            printf '{"results":[{"command":"j","times":[%s]}]}' "$v" >r.json
            git commit -q --allow-empty -m "$i" --date "2026-03-01T00:00:00Z"
            history add -q --no-machine --name judged --time "2026-03-01T00:$((i + 10))" r.json >/dev/null || exit 1
        done
        git tag six HEAD~6
        git tag ten HEAD~2
    ) || complain "cannot make runs to judge"
    (cd repo && history regressions --name judged --since six) >judged.txt
    [ $? -eq 1 ] || complain "a regression was not found: $(cat judged.txt)"
    grep -q "$(cd repo && git rev-parse HEAD~5 | cut -c1-10)" judged.txt || complain "its commit is not named: $(cat judged.txt)"
    (cd repo && history regressions --name judged --since ten) >judged.txt || complain "a false alarm: $(cat judged.txt)"
    (cd repo && history regressions --name judged --since HEAD) >judged.txt
    [ $? -eq 7 ] || complain "nothing to compare is not undecided"
    history regressions --name judged --since 2026-03-01T00:16 >judged.txt
    [ $? -eq 1 ] || complain "not found since a date"
    history trend wall --name judged | grep -q 'Changed at run' || complain "the trend has no change"
    printf '{"results":[{"command":"j","times":[1.4]}]}' >late.json
    history add --no-machine --no-git --name judged --time 2026-02-01 late.json >judged.txt 2>judged.err
    grep -q 'warning: run [0-9]* is of 2026-02-01T00:00:00.000000Z, earlier than run [0-9]*' judged.err ||
        complain "no warning of a run that is not the last: $(cat judged.err)"
    history regressions --since nonsense >judged.txt 2>&1
    [ $? -eq 2 ] || complain "nonsense is no usage error"
}

# from here to a file and back
moved() {
    history export --all -o all.ndjson || complain "export --all failed"
    "$program" history import -q --store moved.db all.ndjson >/dev/null || complain "import of the export failed"
    "$program" history export --all --store moved.db | sed 's/"added_time_ns":"[0-9]*",//; s/"id":[0-9]*,//' | sort >moved.txt
    sed 's/"added_time_ns":"[0-9]*",//; s/"id":[0-9]*,//' all.ndjson | sort | cmp -s - moved.txt || complain "a moved history differs"
}

# what a team measured before: real campaigns, the fastest settings of an op, and `advise --history`
settings() {
    local runs=$scratch/runs name
    command -v zstd >/dev/null || return 0
    mkdir -p "$runs"
    zstd -dcq "$source/tests/campaigns/runs.tar.zst" | tar -xf - -C "$runs"
    for name in l8wh-01_before l8wh-03_after l8wh-06_after l8wh-12_before l8wh-13_after coh-08_after; do
        history add -q --no-git --no-machine --name "$name" --time 2026-07-16 "$runs/campaigns/$name.csv" >/dev/null ||
            complain "cannot add $name"
    done
    history best --op 'Matmul 32 x 4096 x 14336' --format csv --columns device_us,cores,datatypes,program_config,run_name >fastest
    # of the five campaigns with this matmul; times are those that the ops CSVs have
    check "best: settings" test "$(grep -c ,l8wh- fastest)" -eq 5
    check "best: the fastest first" contains "$(sed -n 2p fastest)" \
        '"BFLOAT16,BFLOAT4_B,BFLOAT16",dram in0_block_w=2 per_core_M=1 per_core_N=7,l8wh-03_after'
    check "best: text" contains "$(history best --op 'Matmul 32x4096x14336')" '2026-07-16 run'
    check "best: a part of a name" contains "$(history best --op LayerNorm --limit 0)" 'LayerNorm 32 x 4096'
    history best --op Nothing >/dev/null 2>&1 && complain "best: an op that is not there"
    "$program" advise "$runs/campaigns/l8wh-12_before.csv" --history --store "$store" >advice
    # the same matmul with the same formats, sharded over the DRAM banks: 183 against 264 us
    check "advise --history" contains "$(tr -s ' \n' '  ' <advice)" 'Matmul 32 x 4096 x 14336, 2 ops: 183 μs on 2026-07-16 in run'
    check "advise --history: settings" contains "$(tr -s ' \n' '  ' <advice)" 'with dram in0_block_w=2 per_core_M=1 per_core_N=7'
    check "advise --history comes first" test "$(grep -n 'Measured before' advice | cut -d: -f1)" -lt "$(grep -n 'Next change' advice | cut -d: -f1)"
    # formats are part of the op: bfloat4_b weights are not a setting of a bfloat8_b matmul
    "$program" advise "$runs/campaigns/l8wh-01_before.csv" --store "$store" --format json >advice.json
    check "advise --history: other formats" lacks "$(sed -n '/"history"/,/"plan"/p' advice.json)" 'BFLOAT4_B'
    # the time of an attention in decode depends on the position, which its shape does not have
    check "advise --history: positions" lacks "$(sed -n '/"history"/,/"plan"/p' advice.json)" 'SdpaDecode'
    "$program" advise "$runs/campaigns/l8wh-03_after.csv" --store "$store" --format json | grep -q '"history"' ||
        complain "advise --history: no list"
    # what one store knows, another knows after the move
    history export --all >all.ndjson
    "$program" history import all.ndjson --store known.db >/dev/null || complain "no import"
    "$program" history best --store known.db --op 'Matmul 32 x 4096 x 14336' --format csv \
        --columns device_us,cores,datatypes,program_config,run_name | cmp -s - fastest || complain "best: moved differently"
}

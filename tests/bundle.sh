#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bundle.sh BIN_DIR SOURCE_DIR - a bundle holds what its run says and nothing private; every verb reads it; a hostile
# archive is rejected and writes nothing outside its folder.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd lz4
cd -- "$scratch" || exit 2
corpus=$source/fuzz/corpus/bundle

# --- a recorded run with private names in its logs ---

USER=carolina HOME=/srv/carolina "$program" record -q -o run --no-report --sample-rate 0 -- "$bin/synth_workload" --seed 5 \
    --model llm-decode --layers 2 >out 2>&1 || complain "record: $(cat out)"
"$program" ops run -q >/dev/null
echo '2025: reader at /srv/carolina/secret-project/kernels/reader.cpp and /srv/carolina/tt-metal/ttnn/x.cpp' >run/.logs/notes.log
echo 'token=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH carolina@lab7 /usr/include/stdio.h apollo' >>run/.logs/notes.log
printf 'secret\0carolina' >run/.logs/dump.bin
echo '{"host":"node-b17","user":"dolores"} node-b17.example.com' >>run/.logs/notes.log
echo x >run/.logs/carolina.log
cat >run/.logs/hostile.log <<'END'
{"file":"/mnt/disk of zoe/Blue Whale/a.py","other":"\/export\/home\/zoe\/Blue Whale\/b.py","c":"C:\\Users\\zoe\\Blue Whale\\c.py"}
BRISC-FW,/mnt/disk of zoe/Blue Whale/a.py,12
file:///mnt/disk%20of%20zoe/Blue%20Whale/a.py %2Fexport%2Fhome%2Fzoe%2Fd.py \\nas4\zoe\Blue\e.py ~zoe/Blue/f.py
{"q":"/srv/zoe/Blue \"Whale\"/g.py","host":"lab-x9","n":"{\"hostname\":\"lab-x9\"}"} ssh zoe@lab-x9 http://lab-x9:80/zoe/Blue/h
10.20.30.40:8086 fd12:3456:789a::42 02:42:ac:11:00:02 zoe@corp.example NODE-B17 Node-b17.corp.example
firmware 19.7.0.0 LayerNormType::RMSNORM 127.0.0.1
END
printf 'RANK,HOST,T\n0,lab-x9,5\n1,LAB-X9,6\n' >run/.logs/places.csv

USER=carolina LOGNAME=dolores HOSTNAME=node-b17 TT_METAL_CACHE=/srv/carolina/cache TT_METAL_WATCHER=10 "$program" bundle run -o run.ttperf.tar.zst --mask apollo \
    2>err || complain "bundle: $(cat err)"
mkdir inside
zstd -dcq run.ttperf.tar.zst | tar -xf - -C inside || complain "tar does not unpack it"
for word in zoe Blue Whale lab-x9 nas4 10.20.30.40 fd12: 02:42: corp.example; do
    found=$(grep -rliF -- "$word" inside)
    [ -z "$found" ] || complain "'$word' is in $found: $(grep -rihF -- "$word" inside | head -n 2)"
done
hostile=$(cat inside/.logs/hostile.log)
check "versions and scopes stay" contains "$hostile" '^firmware 19\.7\.0\.0 LayerNormType::RMSNORM 127\.0\.0\.1$'
[ "$(grep -o '/masked-[0-9a-f]*/a\.py' inside/.logs/hostile.log | sort -u | wc -l)" = 1 ] ||
    complain "forms of one path have several masks: $hostile"
[ "$(cut -d, -f2 inside/.logs/places.csv | sort -u | grep -c '^host-[0-9a-f]\{4\}$')" = 1 ] ||
    complain "a column of hosts: $(cat inside/.logs/places.csv)"
for word in carolina dolores node-b17 secret-project hf_abc apollo "$(cat /proc/sys/kernel/random/boot_id)"; do
    found=$(grep -rlF -- "$word" inside)
    [ -z "$found" ] || complain "'$word' is in $found"
done
[ -z "$(find inside -name '*carolina*')" ] || complain "a file is named after a user"
notes=$(cat inside/.logs/notes.log)
check "the last part of a path" contains "$notes" '/masked-[0-9a-f]{4}/reader\.cpp'
check "public source" contains "$notes" '/masked-[0-9a-f]{4}/tt-metal/ttnn/x\.cpp'
check "public folders" contains "$notes" ' /usr/include/stdio\.h '
check "number of a variable" contains "$(cat inside/environment.txt)" '^TT_METAL_WATCHER=10$'
check "path of a variable" contains "$(cat inside/environment.txt)" '^TT_METAL_CACHE=\*\*\*$'
[ ! -e inside/.logs/dump.bin ] || complain "a binary file is in the bundle"
"$program" bundle --check run.ttperf.tar.zst --format json >list.json || complain "check: $?"
[ "$(jq -r '.data.files[] | select(.left_out != null) | .name' list.json | grep -c dump.bin)" = 1 ] ||
    complain "what was left out is not listed"
for file in report.json doctor.json versions.txt .logs/tracy_ops_data.csv; do
    jq -e --arg f "$file" '.data.files[] | select(.name == $f and .bytes > 0)' list.json >/dev/null || complain "no $file"
done

# --- one of its own files, and names that are alike in a bundle: one of them is left out, none is damaged ---

cp -R inside again || complain "cannot copy"
rm again/ttperf-bundle.json
gzip -c again/.logs/notes.log >again/.logs/notes.log.gz
echo 1 >"again/.logs/$(printf 'x\377.txt')"
echo 2 >"again/.logs/x_.txt"
"$program" bundle -q again -o again.ttperf.tar.zst 2>err || complain "bundle of a bundle: $(cat err)"
"$program" bundle --check again.ttperf.tar.zst --format json >again.json || complain "check of a bundle of a bundle: $?"
alike=$(jq -r '.data.files[] | select(.left_out != null and (.left_out | startswith("another file"))) | .name' again.json | sort)
[ "$alike" = "$(printf '%s\n' .logs/notes.log.gz .logs/x_.txt report.json doctor.json versions.txt environment.txt | sort)" ] ||
    complain "alike: $alike"

# --- options that name a run ---

"$program" config check -q --run run --format json 2>err >by_run.json
"$program" config check -q --run run.ttperf.tar.zst --format json 2>err >by_bundle.json || complain "config --run: $(cat err)"
jq -e '.data' by_bundle.json >/dev/null || complain "config --run of a bundle has no data"
[ "$(jq -c '[.data | .. | .device_us? | select(. != null)]' by_run.json)" = \
    "$(jq -c '[.data | .. | .device_us? | select(. != null)]' by_bundle.json)" ] || complain "config --run of a bundle differs"
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" tree || exit 2
"$program" doctor -q --quick --root tree --run run.ttperf.tar.zst >/dev/null 2>err
[ $? -le 1 ] || complain "doctor --run of a bundle: $(cat err)"

mkdir tuned
(cd tuned && "$program" tune init -q --no-guard --runs 3 --warmup 0 --cmd true --check true --run ../run.ttperf.tar.zst) \
    >out 2>err || complain "tune init --run of a bundle: $(cat err)"
n=0
for form in 'status --run ../run' 'status --run ../run.ttperf.tar.zst' 'status'; do
    n=$((n + 1))
    # shellcheck disable=SC2086 # an action and its option
    (cd tuned && "$program" tune $form -q --format json 2>../err) | jq -c '[.data.next, .data.steps]' >of_tune.$n
done
[ "$(wc -c <of_tune.1)" -gt 100 ] || complain "tune --run has no advice: $(cat of_tune.1 err)"
cmp -s of_tune.1 of_tune.2 || complain "tune --run of a bundle differs: $(cat err)"
cmp -s of_tune.1 of_tune.3 || complain "tune with the bundle of init differs: $(cat err)"

# --- a bundle that is not complete, or only named like one, is reported ---

head -c 3000 run.ttperf.tar.zst >cut.ttperf.tar.zst
echo text >other.ttperf.tar.zst
for words in 'report cut' 'config check --run cut' 'report other'; do
    # shellcheck disable=SC2086 # verb and operand
    "$program" $words.ttperf.tar.zst >/dev/null 2>err
    status=$?
    [ $status -eq 3 ] || complain "$words: status $status: $(cat err)"
    grep -q '^hint:.*\(truncated or damaged\|named like a bundle\)' err || complain "$words: hint: $(cat err)"
done

# --- it says what the run says ---

for verb in 'report --format csv' 'advise --format csv' 'ops --format csv' 'kernel --format csv' 'startup --format json' \
    'trace --format chrome-json'; do
    # shellcheck disable=SC2086 # a verb and its options
    "$program" $verb -q run >of_run 2>/dev/null
    status=$?
    # shellcheck disable=SC2086
    "$program" $verb -q run.ttperf.tar.zst >of_bundle 2>/dev/null
    [ $? -eq $status ] || complain "$verb: other status than of the run, $status"
    sed -i "s|${TMPDIR:-/tmp}/tt-perf-[A-Za-z0-9]*|run|g" of_bundle
    case $verb in
    report* | advise* | kernel*) cmp -s of_run of_bundle || complain "$verb: differs from that of the run" ;;
    esac
done
"$program" diff -q run run.ttperf.tar.zst >/dev/null || complain "diff of a run and its bundle: $?"
"$program" info -q run.ttperf.tar.zst >/dev/null || complain "info of a bundle: $?"
"$program" history add -q --store h.db run.ttperf.tar.zst >/dev/null 2>err || complain "history add: $(cat err)"
[ -z "$(find /tmp -maxdepth 1 -name 'tt-perf-*' -newer list.json -user "$(id -un)" -exec test -e '{}/ttperf-bundle.json' \; -print)" ] ||
    complain "an unpacked bundle stays"

# --- several ranks: the newest report of each; a kernel: its name and its source ---

"$program" synth -q -o ranks --ranks 3 --mesh 3x2 --straggler 1:1=30 || exit 2
cp -R ranks/rank1/reports "$scratch/newest" && rm -r ranks/rank1/reports && mkdir -p ranks/rank1/reports/2020_01_01 || exit 2
echo old >ranks/rank1/reports/2020_01_01/ops_perf_results_2020_01_01.csv
touch -d '2020-01-01' ranks/rank1/reports/2020_01_01/* && cp -R newest/* ranks/rank1/reports || exit 2
"$program" bundle -q ranks -o ranks.ttperf.tar.zst 2>err || complain "bundle of ranks: $(cat err)"
zstd -dcq ranks.ttperf.tar.zst | tar -tf - >listed
[ "$(grep -c '^rank[0-2]/reports/.*\.csv$' listed)" = 3 ] || complain "reports of ranks: $(cat listed)"
"$program" mesh -q ranks --format csv >of_run
"$program" mesh -q ranks.ttperf.tar.zst --format csv >of_bundle
cmp -s of_run of_bundle || complain "mesh of a bundle differs from that of its run"
"$program" record -q --mode kernel --no-report --sample-rate 0 -o kernel -- "$bin/synth_workload" --model tt-lang-kernel \
    --cores 4 >out 2>&1 || complain "record: $(cat out)"
"$program" bundle -q kernel -o kernel.ttperf.tar.zst 2>err || complain "bundle of a kernel: $(cat err)"
"$program" kernel -q kernel.ttperf.tar.zst >out 2>err
check "the name of a kernel" contains "$(cat out)" '^--- ID [0-9]+, .*\(fused_exp\)'
"$program" annotate -q kernel.ttperf.tar.zst >out 2>err
check "the source of a kernel" contains "$(cat out)" 'fused_exp\.py$'
COLUMNS=80 "$program" bundle --check kernel.ttperf.tar.zst >out
check "what is left out, at 80 columns" contains "$(cat out)" '^\.logs/capture_1\.ttcap .*not text$'

# --- hostile and damaged ones ---

for name in leads_out link truncated unlisted; do
    "$program" bundle --check "$corpus/$name.tar" >out 2>err
    [ $? -eq 3 ] || complain "$name: status $?, $(cat err)"
done
[ ! -e "$scratch/../b.csv" ] || complain "an archive wrote outside its folder"
"$program" bundle --check "$corpus/damaged.tar" >out 2>err
[ $? -eq 1 ] || complain "damaged: $?"
check "damaged files are counted" contains "$(cat out)" '1 files? (is|are) damaged'
"$program" bundle --check "$corpus/whole.tar" >out 2>err || complain "whole: $(cat err)"
"$program" bundle -q run >out 2>err
[ $? -eq 2 ] || complain "without -o: $?"
"$program" bundle -q nowhere -o x.ttperf.tar.zst 2>err
[ $? -eq 5 ] || complain "no such run: $?"
mkdir empty
"$program" bundle -q empty -o x.ttperf.tar.zst 2>err
[ $? -eq 3 ] || complain "an empty folder: $?"
[ ! -e x.ttperf.tar.zst ] || complain "half a bundle is left"
exit $failed

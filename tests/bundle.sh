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
echo x >run/.logs/carolina.log

USER=carolina TT_METAL_CACHE=/srv/carolina/cache TT_METAL_WATCHER=10 "$program" bundle run -o run.ttperf.tar.zst --mask apollo \
    2>err || complain "bundle: $(cat err)"
mkdir inside
zstd -dcq run.ttperf.tar.zst | tar -xf - -C inside || complain "tar does not unpack it"
for word in carolina secret-project hf_abc apollo "$(cat /proc/sys/kernel/random/boot_id)"; do
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
[ "$(jq -c '[.data | .. | .measured_us? | select(. != null)]' by_run.json)" = \
    "$(jq -c '[.data | .. | .measured_us? | select(. != null)]' by_bundle.json)" ] || complain "config --run of a bundle differs"
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" tree || exit 2
"$program" doctor -q --quick --root tree --run run.ttperf.tar.zst >/dev/null 2>err
[ $? -le 1 ] || complain "doctor --run of a bundle: $(cat err)"

# --- a bundle that is not whole, or only named like one, says so ---

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

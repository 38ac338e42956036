#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doctor_bandwidth.sh BIN_DIR SOURCE_DIR - 'doctor --bandwidth' measures memory, runs tt-metal's benchmarks only where
# that disturbs no job, reports what it did not measure, and its document becomes a run of the history.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v jq >/dev/null || skip "no jq"
cd -- "$scratch" || exit 2
unset TT_METAL_HOME TT_METAL_RUNTIME_ROOT

# --- this machine ---

"$program" doctor --quick --bandwidth -q -o here.json
case $? in 0 | 1) ;; *) complain "doctor --bandwidth: $?" ;; esac
got=$(jq -r '[.data.bandwidth.rates[] | select(.name | startswith("memory-")) | .name] | join(" ")' here.json)
[ "$got" = "memory-copy memory-read memory-write memory-triad" ] || complain "rates: $got"
got=$(jq '[.data.bandwidth.rates[] | select(.name | startswith("memory-")) |
    (.repetitions >= 5 and (.samples_gbs | length) == .repetitions and .min_gbs > 0 and
     .min_gbs <= .median_gbs and .median_gbs <= .max_gbs)] | all' here.json)
[ "$got" = true ] || complain "figures: $(jq -c .data.bandwidth.rates here.json)"
got=$(jq '.data.bandwidth | .threads >= 1 and .array_bytes >= 1000000 and
    (.cache_bytes == 0 or .array_bytes >= .cache_bytes or .array_bytes < 1073741824)' here.json)
[ "$got" = true ] || complain "sizes: $(jq -c .data.bandwidth here.json)"
if [ ! -e /sys/module/tenstorrent ]; then
    got=$(jq -r '[.data.checks[] | select(.id | startswith("bw.")) | "\(.id) \(.level)"] | join("; ")' here.json)
    [ "$got" = "bw.memory info; bw.h2d skip; bw.d2h skip; bw.dram skip" ] || complain "checks: $got"
fi

# --- what cannot be asked for together ---

sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" tree || exit 2
"$program" doctor --bandwidth --root tree >/dev/null 2>err
[ $? -eq 2 ] || complain "--bandwidth --root: $(cat err)"
"$program" doctor --bandwidth --record x.tar >/dev/null 2>err
[ $? -eq 2 ] || complain "--bandwidth --record: $(cat err)"
"$program" doctor --quick --bandwidth -o nowhere/x.json >/dev/null 2>err
[ $? -eq 5 ] || complain "a folder that does not exist: $(cat err)"

# --- the guide ticks only what was measured ---

"$program" doctor --quick --guide --root tree >guide.txt 2>err
grep -qF '[~] Cooling' guide.txt || complain "cooling without DRAM temperature: $(grep Cooling guide.txt)"
grep -qF '[ ] Latest firmware' guide.txt || complain "firmware 19.6.0 is not the newest tested: $(grep firmware guide.txt)"
grep -qF '[?] Compiler' guide.txt || complain "another machine's tt-metal: $(grep Compiler guide.txt)"
grep -qF '[?] Throughput' guide.txt || complain "bandwidth was not measured: $(grep Throughput guide.txt)"

# --- the tt-metal of this environment ---

mkdir -p metal/build metal/.git/refs/heads
printf 'CMAKE_BUILD_TYPE:STRING=Release\nENABLE_TRACY:BOOL=ON\n' >metal/build/CMakeCache.txt
echo 'ref: refs/heads/main' >metal/.git/HEAD
echo 0123456789abcdef0123456789abcdef01234567 >metal/.git/refs/heads/main
metal() # FILTER
{
    TT_METAL_HOME=$scratch/metal "$program" doctor --quick -q --format json | jq -r "$1"
}
levels='[.data.checks[] | select(.id | startswith("metal.")) | "\(.id) \(.level) \(.value)"] | join("; ")'
got=$(metal "$levels")
[ "$got" = "metal.build pass Release; metal.profiler pass ENABLE_TRACY=ON; metal.commit pass 0123456789ab" ] ||
    complain "a release build: $got"
printf 'CMAKE_BUILD_TYPE:STRING=Debug\nENABLE_TRACY:BOOL=OFF\n' >metal/build/CMakeCache.txt
rm metal/.git/refs/heads/main
printf '# pack-refs\n89abcdef0123456789abcdef0123456789abcdef refs/heads/main\n' >metal/.git/packed-refs
got=$(metal "$levels")
[ "$got" = "metal.build warn Debug; metal.profiler warn ENABLE_TRACY=OFF; metal.commit pass 89abcdef0123" ] ||
    complain "a debug build: $got"
rm metal/build/CMakeCache.txt
echo 'ref: ../../etc/passwd' >metal/.git/HEAD
got=$(metal "$levels")
[ "$got" = "metal.build skip unknown; metal.profiler skip unknown; metal.commit skip unknown" ] || complain "no build: $got"

# --- the history ---

part sqlite && {
    "$program" history add -q --store h.db here.json >/dev/null 2>err || complain "history add: $(cat err)"
    "$program" history show -q --store h.db 1 --format json >show.json 2>err || complain "history show: $(cat err)"
    grep -q memory-copy show.json || complain "no memory-copy in the history"
    "$program" doctor --quick -q -o without.json
    "$program" history add -q --store h.db without.json >/dev/null 2>err
    [ $? -eq 3 ] || complain "a document without bandwidths: $(cat err)"
    grep -q -- --bandwidth err || complain "it does not say what to do: $(cat err)"
}
finish

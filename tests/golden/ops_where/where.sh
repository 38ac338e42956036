# SPDX-License-Identifier: Apache-2.0
# Where a report goes by default: into a new folder next to '.logs', however the logs were
# named, and never over an earlier one. Dates are shown as DATE.
tt-perf synth --model matmul --ops 2 --cores 2 -o run -q >/dev/null
show() { sed -E 's/[0-9]{4}(_[0-9]{2}){5}(_[0-9]+)?/DATE/g'; }
one() {
    echo "== $1"
    (cd "$2" && eval "$3" 2>&1) | show
}
one "the folder" . "tt-perf ops run"
one "its .logs" . "tt-perf ops run/.logs/"
one "in .logs" run/.logs "tt-perf ops ."
one "here" run "tt-perf ops"
one "TT_METAL_PROFILER_DIR comes first" . "TT_METAL_PROFILER_DIR=run TT_METAL_HOME=nowhere tt-perf ops"
mkdir -p home/generated && cp -r run/.logs home/generated/ && mkdir home/generated/profiler &&
    mv home/generated/.logs home/generated/profiler/
one "then TT_METAL_HOME" . "TT_METAL_PROFILER_DIR= TT_METAL_HOME=home tt-perf ops"
one "a name" . "tt-perf ops run -n big"
one "an own folder" . "tt-perf ops run -o out/deep"
one "an own folder, named and dated" . "tt-perf ops run -o out/deep --name big --date"
echo "== three in one second: none is lost"
mkdir twice && cp -r run/.logs twice/
for i in 1 2 3; do tt-perf ops twice >/dev/null & done
wait
find twice/reports -name 'ops_perf_results*.csv' | wc -l
find . -path '*/.logs/*' -name 'reports*'

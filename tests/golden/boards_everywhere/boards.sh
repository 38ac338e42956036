# SPDX-License-Identifier: Apache-2.0
# A user's figures reach every verb that asks for figures of boards, by option, by TT_PERF_BOARDS and
# by the user's configuration, and no verb under --compat.
tt-perf synth --model matmul --ops 3 --cores 4 -o run -q >/dev/null
tt-perf synth --model tt-lang-kernel --noc --cores 4 -o kernel -q >/dev/null
tt-perf ops run -o csv -q >/dev/null
printf '[n150]\ndram_gbs = 144 # half of it\n' >half.conf
printf '[lab]\nbase = n150\ndram_gbs = 72\nl1_bytes = 1000000\n' >lab.conf
mkdir -p xdg/tt-perf && cp half.conf xdg/tt-perf/boards.conf
peak() { tt-perf report csv/ops_perf_results.csv -q --format json "$@" | sed 's/.*\("peak_dram_gbs":[0-9.]*\).*/\1/'; }
target() { tt-perf kernel kernel -q --format json "$@" | grep -o '"\(peak_dram_gbs\|l1_bytes\)":[0-9.]*' | sort -u | tr '\n' ' '; echo; }
echo "== report"
peak
peak --boards half.conf
TT_PERF_BOARDS=half.conf peak
XDG_CONFIG_HOME=$PWD/xdg peak
TT_PERF_BOARDS=half.conf peak --arch n300
peak --boards lab.conf --arch lab
echo "== the drop-in stays as the original is"
TT_PERF_BOARDS=half.conf tt-perf-report csv/ops_perf_results.csv --no-color >a 2>&1
tt-perf-report csv/ops_perf_results.csv --no-color >b 2>&1
cmp a b && echo same
echo "== kernel"
target
target --boards half.conf
target --boards lab.conf --arch lab
echo "== all of them: a file that cannot be read is refused by each"
for verb in "advise csv/ops_perf_results.csv" "diff csv csv" "trace run -o x" "bench -- true" doctor \
    "top --once" "fit --ranges n150" "report csv" "kernel kernel" "history add csv" "tune status"; do
    set -- $verb
    first=$1
    shift
    tt-perf "$first" --boards none.conf "$@" 2>&1 | head -1
done
echo "== what does not ask for boards does not read the file"
TT_PERF_BOARDS=none.conf tt-perf ops run -o again -q && cmp csv/ops_perf_results.csv again/ops_perf_results.csv && echo same

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# file_safety.sh BIN_DIR SOURCE_DIR - files that the program replaces: links, the disk, a home that is unknown; and
# numbers and failures at the edge.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
demo=$source/tests/data/demo_ops_perf_results.csv
cd "$scratch" || exit 2

# report_to FILE - its status; what it says is in $said
report_to()
{
    said=$("$program" report -q --format csv -o "$1" "$demo" 2>&1)
}

# ---- links ----
report_to plain.csv || complain "report: $said"
mkdir real
echo old >real/target.csv
chmod 640 real/target.csv
ln -s real/target.csv link.csv
ln -s link.csv link_to_link.csv
report_to link_to_link.csv || complain "through links: $said"
check "the links stay" [ -L link.csv -a -L link_to_link.csv ]
cmp -s plain.csv real/target.csv || complain "the target of links is replaced"
[ "$(stat -c %a real/target.csv)" = 640 ] || complain "the target keeps its permissions"
ln -s real/new.csv dangling.csv
report_to dangling.csv || complain "through a dangling link: $said"
cmp -s plain.csv real/new.csv || complain "the target of a dangling link is made"
check "a dangling link stays" [ -L dangling.csv ]
ln -s no/such/folder/x.csv nowhere.csv
report_to nowhere.csv && complain "a link into a folder that is not there"
contains "$said" "cannot write 'nowhere.csv'" || complain "$said"
ln -s loop_a loop_b
ln -s loop_b loop_a
report_to loop_a
[ $? -eq 5 ] || complain "a loop of links is not a failure to write"
contains "$said" "cannot write 'loop_a': Too many levels" || complain "$said"
# a file descriptor of the shell's
"$program" report -q --format csv -o /dev/fd/3 "$demo" 3>&1 >/dev/null | cmp -s - plain.csv ||
    complain "/dev/fd/3 that is a pipe"
# another user's link where everybody may write
if [ "$(id -u)" -eq 0 ]; then
    mkdir -m 1777 sticky
    echo mine >real/precious
    ln -s "$scratch/real/precious" sticky/trap
    chown -h 12345 sticky/trap
    report_to sticky/trap
    [ $? -eq 5 ] || complain "another user's link in a shared folder is followed"
    [ "$(cat real/precious)" = mine ] || complain "another user's link replaced a file"
    chown -h 0 sticky/trap
    report_to sticky/trap || complain "a link of one's own in a shared folder: $said"
fi
[ -z "$(find . -name '.tt-perf-*')" ] || complain "temporary files are left"

# ---- the disk: content, then name, then folder ----
if command -v strace >/dev/null 2>&1 &&
    ASAN_OPTIONS=detect_leaks=0 strace -o calls -e trace=fsync,rename,renameat,renameat2 \
        "$program" report -q --format csv -o synced.csv "$demo" >/dev/null 2>&1; then
    order=$(sed -n 's/^[0-9 ]*\([a-z]*\)[a-z0-9]*(.*/\1/p' calls | tr '\n' ' ')
    [ "$order" = 'fsync rename fsync ' ] || complain "calls are: $order"
else
    echo "no strace here: that files are synced was not looked at"
fi

# ---- no HOME ----
home=$(getent passwd "$(id -u)" | cut -d: -f6)
if [ -n "$home" ] && [ "$home" != / ] && part sqlite; then
    said=$(env -u HOME -u XDG_STATE_HOME -u TT_PERF_STORE "$program" history show no-such-run 2>&1)
    lacks "$said" "'/\.local" || complain "without HOME the history is in the root folder: $said"
    said=$(env -u XDG_STATE_HOME -u TT_PERF_STORE HOME=relative "$program" history show no-such-run 2>&1)
    lacks "$said" "relative/" || complain "a relative HOME is taken: $said"
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1; then
    # a user that the system does not know
    said=$(env -u HOME -u XDG_STATE_HOME -u TT_PERF_STORE ASAN_OPTIONS=detect_leaks=0 \
        setpriv --reuid=54321 --clear-groups "$program" history list 2>&1)
    status=$?
    if [ $status -ne 126 ] && [ $status -ne 127 ]; then # it may not see the program
        [ $status -eq 4 ] || complain "status $status without a home: $said"
        contains "$said" 'no home folder' || complain "$said"
    fi
fi

# ---- nothing prints as (null) ----
said=$( (ulimit -n 3 && exec "$program" doctor) 2>&1)
lacks "$said" 'null' || complain "$said"

# ---- times at the end of their range ----
"$program" synth -q --model matmul --ops 6 --cores 2 -o run || complain "synth"
times=$(find run -name tracy_ops_times.csv)
awk -F, -v OFS=, 'NR == 1 { print } NR > 1 { $7 = "9223372036854775000"; print; if ($1 == "CompileProgram") print }' \
    "$times" >far && cp far "$times"
"$program" ops -q run -o far_ops >/dev/null 2>said || complain "ops: $(cat said)"
csv=far_ops/ops_perf_results.csv
# column NAME - of the first op
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR > 1 && $2 == "tt_dnn_device" { print $at; exit }' "$csv"
}
start=$(column 'HOST START TS')
# the sum in two halves, which fit
expected=$(awk -v s="$start" 'BEGIN { low = s + 36854775000; carry = int(low / 1e11)
    printf "%.0f%011.0f\n", 92233720 + carry, low - carry * 1e11 }')
[ "$(column 'HOST END TS')" = "$expected" ] || complain "HOST END TS is $(column 'HOST END TS'), not $expected"
[ "$(column 'CompileProgram_TT_HOST_FUNC [ns]')" = 9223372036854775807 ] ||
    complain "a sum of calls is $(column 'CompileProgram_TT_HOST_FUNC [ns]')"

# ---- ops need no file in memory, so a limit on files only concerns the output ----
"$program" synth -q --model matmul --ops 400 --cores 4 -o long || complain "synth"
said=$( (ulimit -f 100 && exec "$program" trace -q --ops 3-4 -o small.pftrace long) 2>&1)
status=$?
[ $status -eq 0 ] || complain "trace: status $status with a limit that the output keeps: $said"
check "a small trace is written" [ -s small.pftrace ]
said=$( (ulimit -f 4 && exec "$program" trace -q -o large.pftrace long) 2>&1)
status=$?
[ $status -eq 5 ] || complain "trace: status $status without room for the trace: $said"
contains "$said" 'cannot write' || complain "$said"
check "no trace is written then" [ ! -e large.pftrace ]
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pager.sh BIN_DIR SOURCE_DIR - text on a terminal goes through a pager as with git, a pipe keeps the width of the
# terminal, and --no-color works in every verb.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v script >/dev/null || skip "no script(1) to make a terminal"
cd "$scratch" || exit 2
export TERM=xterm LC_ALL=C.UTF-8
unset PAGER TT_PERF_PAGER LESS NO_COLOR COLUMNS
tt="$bin/tt-perf"
"$tt" synth -q --layers 1 -o run || exit 2

on_terminal() { # command line; what it prints is in `screen`
    script -qec "stty rows 40 cols 70; $1" /dev/null </dev/null 2>&1 | tr -d '\r' >screen
}
paged() { [ "$(grep -c '^PAGED:' screen)" -gt "$1" ]; }
mark="TT_PERF_PAGER='sed s/^/PAGED:/'"

on_terminal "$mark '$tt' report -q run"
paged 5 || complain "TT_PERF_PAGER is not used"
grep -q $'\033\[' screen || complain "no colour through the pager"
on_terminal "PAGER='sed s/^/PAGED:/' '$tt' report -q run"
paged 5 || complain "PAGER is not used"
on_terminal "TT_PERF_PAGER=cat PAGER='sed s/^/PAGED:/' '$tt' report -q run"
paged 0 && complain "TT_PERF_PAGER=cat does not switch the pager off"
on_terminal "$mark '$tt' report -q --no-pager run"
paged 0 && complain "--no-pager does not switch it off"
on_terminal "$mark '$tt' report -q --format json run"
paged 0 && complain "JSON goes through the pager"
on_terminal "$mark '$tt' report -q run -o out.txt; $mark '$tt' report -q run | cat"
paged 0 && complain "a file or a pipe goes through the pager"
on_terminal "TT_PERF_PAGER=none-such-pager '$tt' report -q run"
grep -q 'one iteration' screen || complain "nothing is printed where the pager is missing"
on_terminal "$mark '$tt' report no-such.csv; echo status \$?"
grep -q '^status 5$' screen || complain "the exit status is lost behind a pager"
on_terminal "$mark '$tt' report -q --check --window nonsense run; echo status \$?"
grep -q '^status 2$' screen || complain "a usage error is lost behind a pager"
# the terminal that mpirun gives a rank has no reader
on_terminal "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 $mark '$tt' report -q run"
paged 0 && complain "the text of a rank goes through the pager"
grep -q $'\033\[[0-9;]*m' screen && complain "the text of a rank has colour"
grep -q 'one iteration' screen || complain "a rank prints nothing"
on_terminal "$mark '$tt' report -q run </dev/null"
paged 0 && complain "a pager without a terminal to read keys from"
if part lz4 && [ -x "$bin/synth_workload" ]; then
    record="record -q -o recorded --sample-rate 0"
    on_terminal "$mark '$tt' $record -- '$bin/synth_workload' --model matmul"
    paged 3 || complain "the report of record is not paged: $(cat screen)"
    on_terminal "$mark '$tt' $record --no-pager --color never -- '$bin/synth_workload' --model matmul"
    paged 0 && complain "record --no-pager does not switch it off"
    grep -q $'\033\[[0-9;]*m' screen && complain "record --color never has colour"
fi
if command -v less >/dev/null; then
    on_terminal "'$tt' report -q run | head -8; '$tt' version"
    grep -q 'one iteration' screen || complain "less -FRX does not print what fits the screen"
fi

# width
width() { wc -L <"$1"; }
on_terminal "'$tt' report -q --no-color --rows --no-summary --no-advice run | cat"
[ "$(width screen)" -le 70 ] || complain "a pipe has lines of $(width screen) columns, the terminal 70"
"$tt" report -q --rows --no-summary --no-advice run >file.txt
[ "$(width file.txt)" -gt 70 ] || complain "a file is as narrow as the terminal"

on_terminal "'$tt' report --no-color run >/dev/null"
grep -q 'tt-perf: report:' screen || complain "no note on the terminal: $(cat screen)"
[ "$(width screen)" -le 70 ] || complain "notes have lines of $(width screen) columns, the terminal 70"

# an error and its hint fit the terminal, with the name of the file and all of the hint; elsewhere each is one line
long=no/such/folder/of/a/run/with/a/long/name
on_terminal "'$tt' kernel $long"
[ "$(width screen)" -le 70 ] || complain "an error has lines of $(width screen) columns, the terminal 70"
tr -d '\n ' <screen | grep -q "'$long'" || complain "an error on the terminal lacks its file: $(cat screen)"
"$tt" kernel $long >/dev/null 2>err.txt
grep '^hint: ' err.txt | tr -d '\n ' >hint.txt
tr -d '\n ' <screen | grep -qFf hint.txt || complain "an error on the terminal lacks its hint: $(cat screen)"
[ "$(wc -l <err.txt)" = 2 ] || complain "an error and its hint are not two lines in a file: $(cat err.txt)"

# --no-color
on_terminal "'$tt' report -q --no-pager --no-color run"
grep -q $'\033\[[0-9;]*m' screen && complain "--no-color has colour"
"$tt" report -q --color always run >with.txt
"$tt" report -q --color always --no-color run >without.txt
cmp -s with.txt without.txt && complain "--no-color changes nothing"
for verb in $("$tt" help | awk '/^  [a-z]+ +[a-zA-Z]/ { print $1 }'); do
    "$tt" "$verb" --no-color --help >/dev/null 2>err.txt || complain "$verb --no-color: $(head -1 err.txt)"
done
finish

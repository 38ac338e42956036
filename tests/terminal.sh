#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# terminal.sh BIN_DIR SOURCE_DIR - what is drawn on a terminal only: the live view of `top`, the row of `record`.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v script >/dev/null || skip "no script(1) to make a terminal"
needs ncurses
cd "$scratch" || exit 2
export TERM=xterm LC_ALL=C.UTF-8

# begin COMMAND - runs it on a terminal of 100 columns whose keys are what is sent to descriptor 3.
begin() {
    rm -f keys screen && mkfifo keys && : >screen
    timeout 120 script -qefc "stty rows 30 cols 100; $1" screen <keys >/dev/null &
    terminal=$!
    exec 3>keys
}
shows() { # text, what it is
    for _ in $(seq 600); do
        tr '\033' '\n' <screen | grep -qa -- "$1" && return
        sleep 0.1
    done
    complain "$2: no '$1' on the screen"
}
ends() { # status, what
    wait "$terminal"
    local status=$?
    exec 3>&-
    [ $status -eq "$1" ] || complain "$2: exit status $status, not $1"
}

for tree in hot galaxy no_card; do
    sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/$tree.tree" $tree || exit 2
done
begin "'$bin/tt-perf' top --root hot --interval 0.2"
shows 'sorted by bus' 'top'
shows 'limited by heat' 'a hot chip'
printf h >&3
shows 'only sysfs, procfs and those files are read' 'help'
printf ' ss' >&3
shows 'emperature' 'sorted otherwise'
printf q >&3
ends 0 'q'

# more chips than rows: keys move the view
begin "'$bin/tt-perf' top --root galaxy --interval 0.2 --color always"
shows '0000:03:00.0' 'a galaxy'
printf '\033OB\033OB\033OA' >&3
sleep 0.5
printf q >&3
ends 0 'a galaxy'

begin "'$bin/tt-perf' top --root no_card --interval 0.2 --count 2"
ends 4 'no card'
# (what ncurses allocates for a terminal that it does not know is never freed)
begin "ASAN_OPTIONS=detect_leaks=0 TERM=none-such '$bin/tt-perf' top --root hot"
shows 'the terminal does not support the live view' 'an unknown terminal'
ends 4 'an unknown terminal'

if part lz4; then
    begin "'$bin/tt-perf' record -o run --no-report -- '$bin/synth_workload' --ops 40 --seconds 3"
    shows 'tt-perf: recording 0:0' 'record'
    shows 'events/s' 'a client of record'
    ends 0 'record'
    begin "'$bin/tt-perf' record -o run --no-report -- sleep 60"
    shows 'no client yet' 'record without a client'
    printf '\003' >&3
    ends 130 'record, interrupted'
fi
finish

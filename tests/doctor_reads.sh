#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doctor_reads.sh BIN_DIR SOURCE_DIR - doctor reads each file once per sample, and opens no device node;
# neither does top. Exit 77: no strace, or it may not trace here.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
data=$source/tests/data/host
command -v strace >/dev/null 2>&1 || skip "no strace"

traced() { # log to write, arguments of tt-perf
    log=$1
    shift
    # leak detection cannot work in a traced process
    ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat,openat2 -o "$log" "$program" "$@" \
        >"$scratch/out" 2>&1
}

sh "$data/unpack.sh" "$data/galaxy.tree" "$scratch/t" || exit 2
sh "$data/unpack.sh" "$data/hot.tree" "$scratch/h" || exit 2
traced "$scratch/probe" version
grep -q open "$scratch/probe" || skip "strace may not trace here"

# Opened for reading, found, and not a folder: paths below /sys and /proc of the tree.
files()
{
    sed -n 's/.*openat2([0-9]*, "\([^"]*\)", {flags=O_RDONLY|O_NOCTTY[^}]*}.*= [0-9][0-9]*$/\1/p' "$1"
}

traced "$scratch/once" doctor --quick --root "$scratch/t"
files "$scratch/once" >"$scratch/list"
[ "$(wc -l <"$scratch/list")" -gt 100 ] || {
    echo "doctor: hardly anything read" >&2
    failed=1
}
twice=$(sort "$scratch/list" | uniq -d)
[ -z "$twice" ] || {
    printf 'doctor reads twice in one sample:\n%s\n' "$twice" >&2
    failed=1
}
traced "$scratch/two" doctor --root "$scratch/h"
traced "$scratch/top" top --once --root "$scratch/h" --interval 0.1
traced "$scratch/here" doctor --quick
if grep -h '/dev/tenstorrent/' "$scratch/once" "$scratch/two" "$scratch/top" "$scratch/here"; then
    echo "a device node was opened" >&2
    failed=1
fi
exit $failed

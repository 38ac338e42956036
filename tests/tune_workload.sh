#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tune_workload.sh - what the tests of `tt-perf tune` share; read with '.' in place of common.sh.
# shellcheck disable=SC2034
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
out=$scratch/out
mkdir "$out" && cd "$scratch" || exit 2
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
commit() {
    git add -A && git -c user.name=t -c user.email=t@t commit -qm "$1"
}

# 16 values of f32 in a .npy file, each a whole number of eighths times the last byte's exponent.
npy() { # file, last byte in octal
    printf '\223NUMPY\001\000\166\000' >"$1"
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }" >>"$1"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        # shellcheck disable=SC2059
        printf "\\000\\000\\$(printf %03o $((i * 8)))\\$2" >>"$1"
    done
    printf '\000\000\000\100' >>"$1"
}

# A workload whose time is what the file 'speed' says: decisions do not depend on the machine.
make_repo() { # folder
    rm -rf "$1" && mkdir "$1" && cd "$1" || exit 2
    git init -q -b main .
    npy good.npy 077
    npy bad.npy 277
    mkdir golden && cp good.npy golden/out.npy
    cat >work.sh <<'W'
#!/bin/sh
read -r speed <speed
if [ -f wrong ]; then cp bad.npy out.npy; else cp good.npy out.npy; fi
if [ -n "$NOISE" ]; then # above and below in turn
    if [ -f above ]; then rm above; else touch above && NOISE=-$NOISE; fi
    speed=$((speed + NOISE))
fi
[ -z "$LESS" ] || speed=$((speed - LESS))
echo "time: $speed ms"
W
    chmod +x work.sh
    echo 500 >speed
    echo text >notes
    printf "/out.npy\n/above\n" >.gitignore
    commit one
}
metric='time: ([0-9.]+);unit=ms'
init() {
    "$program" tune init -q --no-guard --cmd ./work.sh --metric "$metric" --golden golden --warmup 0 \
        --min-runs 5 --max-runs 10 --data 'batch 1' --board n150 "$@"
}
tune() {
    "$program" tune "$@"
}
attempt() { # options of try: quiet, for its status
    tune try --no-guard -q "$@" >"$out/try.txt" 2>"$out/try.err"
}
ledger=.git/tt-perf/tune/ledger.jsonl
state_ref() { # tune-N, or tune-start: what keeps that state
    git for-each-ref --format='%(refname)' "refs/worktree/tt-perf/$1-*" | tail -n 1
}
events() { # how often an event is in the ledger, whole
    grep -c "\"event\":\"$1\".*\"crc\":\"[0-9a-f]*\"}\$" "$ledger"
}


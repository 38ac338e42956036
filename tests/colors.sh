#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# colors.sh BIN_DIR SOURCE_DIR - colour is used where it is asked for and nowhere else: --color, NO_COLOR and
# CLICOLOR_FORCE mean the same in every verb, and only colours of the terminal's own theme are used.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
export COLUMNS=100 TERM=xterm
escape=$(printf '\033')

paints() { # verb and its arguments
    verb=$1
    shift
    always=$("$program" "$verb" --color always "$@" 2>/dev/null)
    never=$("$program" "$verb" --color never "$@" 2>/dev/null)
    forced=$(CLICOLOR_FORCE=1 "$program" "$verb" "$@" 2>/dev/null)
    unwanted=$(NO_COLOR=1 CLICOLOR_FORCE=1 "$program" "$verb" "$@" 2>/dev/null)
    no_terminal=$("$program" "$verb" "$@" 2>/dev/null)
    case $always in *"$escape"*) ;; *) complain "$verb: --color always has none" ;; esac
    [ "$always" = "$forced" ] || complain "$verb: CLICOLOR_FORCE is not --color always"
    case $never$unwanted$no_terminal in *"$escape"*) complain "$verb: unwanted colour" ;; esac
    # bold, faint, the usual eight and their bright forms: what a theme has made readable on its ground
    foreign=$(printf '%s\n' "$always" | grep -o "${escape}\[[0-9;]*m" | tr -d "$escape" |
        grep -v '^\[\(0\|1\|2\|22\|39\|[39][0-7]\|1;3[0-7]\|\)m$' | sort -u | tr '\n' ' ')
    [ -z "$foreign" ] || complain "$verb: colours of its own: $foreign"
    # never by colour alone: the text is the same
    [ "$(printf '%s\n' "$always" | sed "s/${escape}\[[0-9;]*m//g")" = "$never" ] ||
        complain "$verb: the text is another without colour"
}

"$program" synth -q -o run --layers 1 --cores 4 --noc || exit 1
"$program" synth -q -o kernel --model tt-lang-kernel --bottleneck imbalance --cores 4 || exit 1
"$program" ops -q run -o . >/dev/null || exit 1
head -n -6 ops_perf_results.csv >shorter.csv
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/hot.tree" hot || exit 1
cp "$source/fuzz/corpus/npy/f32.npy" x.npy
paints report ops_perf_results.csv
paints advise ops_perf_results.csv
paints kernel kernel
paints annotate kernel
paints noc run --program 1
paints explain trace
paints fit --arch n150 --dfb 4x4:bf16:2
paints config 32 64 64
paints diff ops_perf_results.csv shorter.csv
paints pcc x.npy x.npy
paints doctor --quick --root hot
paints top --once --root hot
"$program" bench -q --no-guard --runs 3 --warmup 0 -o a.json -- true >/dev/null || exit 1
"$program" bench -q --no-guard --runs 3 --warmup 0 -o b.json -- sleep 0.05 >/dev/null || exit 1
paints bench a.json b.json
cp -R "$source/tests/golden/tune_status/state" tuned || exit 1
paints tune report --state tuned
if part sqlite; then
    export TT_PERF_STORE="$scratch/history.db"
    "$program" history import -q "$source/tests/data/history_runs.jsonl" >/dev/null || exit 1
    paints history trend 'decode: t/s/u'
fi
finish

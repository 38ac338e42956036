#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verbs.sh BIN_DIR SOURCE_DIR - every verb has all of its parts: a manual page, a golden case, a place in
# every completion script, help that prints, a file of its own, and a row in docs/verbs.md in the order of help.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"

verbs=$("$program" help --man | sed -n 's/^\.It Xr tt-perf-\([a-z]*\) 1$/\1/p')
[ -n "$verbs" ] || complain "no verbs at all"
for verb in $verbs; do
    [ -f "$source/cli/verbs/cmd_$verb.c" ] || complain "$verb: no cli/verbs/cmd_$verb.c"
    [ -f "$source/docs/man/tt-perf-$verb.1" ] || complain "$verb: no docs/man/tt-perf-$verb.1"
    ls -d "$source/tests/golden/$verb"*/ >/dev/null 2>&1 || complain "$verb: no tests/golden/$verb*/"
    "$program" completion bash | grep -q "^    $verb,1)" || complain "$verb: not in bash completion"
    "$program" completion zsh | grep -q "^    $verb)" || complain "$verb: not in zsh completion"
    "$program" completion fish | grep -q " __tt_perf_verb -a $verb " ||
        complain "$verb: not in fish completion"
    "$program" "$verb" --help | grep -q "^usage: tt-perf $verb " || complain "$verb: no --help"
    [ "$("$program" "$verb" --help)" = "$("$program" help "$verb")" ] ||
        complain "$verb: 'help $verb' and '$verb --help' differ"
done
rows=$(sed -n 's/^| `tt-perf \([a-z]*\).*/\1/p' "$source/docs/verbs.md")
[ "$rows" = "$verbs" ] ||
    complain "docs/verbs.md: rows are not in the order of help: '>' is missing, '<' too much:" \
        "$(printf '%s\n' "$verbs" >"$scratch/verbs" && printf '%s\n' "$rows" | diff - "$scratch/verbs" | grep '^[<>]')"
exit $failed

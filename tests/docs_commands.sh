#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs_commands.sh BIN_DIR SOURCE_DIR - every command that the documents show exists: its verb, and each of
# its options in the help of that verb; and every link leads to a file. Printed texts (guides, explanations) are
# among the documents.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"

# VERB and the rest of the command, one a line: of code blocks and code in sentences, to where a pipe,
# a comment, a second command or '--', after which the options are another program's, ends it.
find "$source/README.md" "$source/CONTRIBUTING.md" "$source/docs" -name '*.md' | sort |
    while read -r document; do
        awk -v name="${document#"$source/"}" '
            /^```/ { block = !block; next }
            {
                text = held $0; held = ""
                if (block && text ~ /\\$/) { held = substr(text, 1, length(text) - 1); next }
                n = block ? 1 : split(text, part, "`")
                for (i = block ? 1 : 2; i <= n; i += 2) {
                    command = block ? text : part[i]
                    while (match(command, /(^|[ (;])tt-perf [a-z]+/)) {
                        command = substr(command, RSTART)
                        sub(/^[ (;]?tt-perf /, "", command)
                        own = command
                        sub(/( -- |[|;#&<>]| tt-perf ).*/, "", own)
                        if (match(own, /^[a-z]+[^a-z ]/)) # the end of a sentence about the verb
                            own = substr(own, 1, RLENGTH - 1)
                        print name ": " own
                    }
                }
            }' "$document"
    done >"$scratch/commands"
commands=$(wc -l <"$scratch/commands")
[ "$commands" -ge 100 ] || { echo "only $commands commands found in the documents" >&2; exit 1; }

while read -r where verb rest; do
    help=$scratch/$verb.help
    [ -f "$help" ] || "$program" help "$verb" >"$help" 2>/dev/null || {
        echo "$where no verb '$verb': tt-perf $verb $rest" >&2
        failed=1
        continue
    }
    for option in $(printf '%s\n' "$rest" | sed "s/'[^']*'//g; s/\"[^\"]*\"//g" | grep -oE '(^|[ [])--[a-z][a-z-]*' |
        tr -d ' ['); do
        grep -qE -- "(^|[ ,])$option([ =,]|\$)" "$help" || {
            echo "$where '$verb' has no $option: tt-perf $verb $rest" >&2
            failed=1
        }
    done
done <"$scratch/commands"

grep -oE '\]\([^)#: ]+' "$source"/*.md "$source"/docs/*.md "$source"/docs/*/*.md | sed 's/](//' >"$scratch/links"
while IFS=: read -r document link; do
    [ -e "$(dirname "$document")/$link" ] || [ "${link#http}" != "$link" ] ||
        complain "${document#"$source/"}: no '$link'"
done <"$scratch/links"
echo "$commands commands in the documents"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# screens.sh - pages with screens that are what the program prints now. Read after tests/common.sh. Between
#     <!-- screen:NAME -->   and   <!-- /screen:NAME -->
# there is a block with a command after "$ " (going on after a '\' at the end of a line) and its output on 80
# columns, without what goes to stderr. A command may find something (exit status 1), but not fail.
# shellcheck disable=SC2154 # tests/common.sh has set bin and scratch
PATH=$bin:$PATH COLUMNS=80 TERM=dumb LC_ALL=C
export PATH COLUMNS TERM LC_ALL
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR

# renew PAGE FOLDER - prints the page; after each command what it prints in FOLDER replaces the old output
renew()
{
    state=page
    command=
    screens=0
    while IFS= read -r line; do
        case $state,$line in
        page,'<!-- screen:'*) state=open ;;
        open,'```'*) state='command' ;;
        command,*)
            command="$command${line#'$ '}
"
            case $line in
            *\\) ;;
            *)
                printf '%s\n' "$line"
                # shellcheck disable=SC2154
                printf '%s' "$command" >"$scratch/command"
                (cd "$2" && sh "$scratch/command" 2>"$scratch/command.err" </dev/null)
                if [ $? -gt 1 ]; then
                    echo "$1: this failed: $command" >&2
                    cat "$scratch/command.err" >&2
                    return 1
                fi
                command=
                screens=$((screens + 1))
                state=output
                continue
                ;;
            esac
            ;;
        output,'```') state=page ;;
        output,*) continue ;;
        esac
        printf '%s\n' "$line"
    done <"$1"
    [ "$state" = page ] && return
    echo "$1: a screen without an end" >&2
    return 1
}

# same_screens PAGE FOLDER - is the page what the program prints? TTP_UPDATE_GOLDEN=1 rewrites it.
same_screens()
{
    renew "$1" "$2" >"$scratch/page" || return 1
    if [ -n "${TTP_UPDATE_GOLDEN:-}" ]; then
        cmp -s "$1" "$scratch/page" || cp "$scratch/page" "$1"
    elif ! diff -u "$1" "$scratch/page"; then
        echo "$1: not what the program prints; TTP_UPDATE_GOLDEN=1 writes it" >&2
        return 1
    fi
}

# narrow PAGE - no line of a block is wider than 80 columns
narrow()
{
    awk '/^```/ { block = !block; next } block' "$1" | LC_ALL=C.UTF-8 grep -nE '^.{81,}' || return 0
    echo "$1: lines of a screen are wider than 80 columns" >&2
    return 1
}

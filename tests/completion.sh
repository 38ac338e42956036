#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# completion.sh BIN_DIR SOURCE_DIR - the completion scripts where they are used: lines are typed into bash and zsh
# on a terminal, Tab is pressed, and what then is there is read; fish is asked for its candidates.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
PATH=$bin:$PATH
tab=$(printf '\t')
export PATH LC_ALL=C.UTF-8 TERM=dumb HOME="$scratch" ZDOTDIR="$scratch" XDG_CONFIG_HOME="$scratch/config"
tried=

mkdir "$scratch/work" "$scratch/work/folder" "$scratch/zsh" && cd "$scratch/work" || exit 2
: >output.csv
"$program" completion bash >"$scratch/tt-perf.bash" && "$program" completion zsh >"$scratch/zsh/_tt-perf" &&
    "$program" completion fish >"$scratch/tt-perf.fish" || exit 1

# What is typed, and what its last word becomes; the same word: there is nothing to complete.
cat >"$scratch/cases" <<'CASES'
tt-perf comp|completion
tt-perf --ver|--version
tt-perf report --comp|--compat
tt-perf report --format j|json
tt-perf report --format=j|--format=json
tt-perf report out|output.csv
tt-perf report -o out|output.csv
tt-perf ops fol|folder/
tt-perf ops outp|outp
tt-perf completion z|zsh
tt-perf history tr|trend
tt-perf history --store x tr|trend
tt-perf history add out|output.csv
tt-perf export c|csv
tt-perf export csv out|output.csv
tt-perf tune rep|report
tt-perf tune report --no-g|--no-guard
tt-perf tune report --roof|--roof
tt-perf explain data-f|data-formats
tt-perf help exit|exit-codes
tt-perf help report --roof|--roof
tt-perf schema tt-perf.vers|tt-perf.version/1
CASES

# judge SHELL TYPED EXPECTED GOT - a space after a word, or '=' where a value follows, says that it is whole.
judge()
{
    got=${4%[ =]}
    if [ "$got" != "$3" ]; then
        printf "FAILED: %s: '%s' becomes '%s', not '%s'\n" "$1" "$2" "$got" "$3"
        failed=1
    fi
}

# appears FILE - within 30 seconds.
appears()
{
    turn=0
    while [ ! -e "$1" ]; do
        turn=$((turn + 1))
        [ "$turn" -lt 600 ] || return 1
        sleep 0.05
    done
}

# type_into SHELL COMMAND - COMMAND makes ~/ready when it can be typed into; Ctrl-X s writes its line to ~/line.
type_into()
{
    rm -f "$scratch/keys" "$scratch/ready" "$scratch/line"
    mkfifo "$scratch/keys" || exit 2
    script -qec "$2" /dev/null <"$scratch/keys" >"$scratch/$1.log" 2>&1 &
    exec 3>"$scratch/keys"
    if appears "$scratch/ready"; then
        while IFS='|' read -r typed word; do
            printf '\025%s%s\030s' "$typed" "$tab" >&3
            if ! appears "$scratch/line"; then
                echo "FAILED: $1 does not answer to '$typed'"
                failed=1
                break
            fi
            judge "$1" "$typed" "${typed%"${typed##* }"}$word" "$(cat "$scratch/line")"
            rm -f "$scratch/line"
        done <"$scratch/cases"
    else
        echo "FAILED: $1 does not start"
        cat "$scratch/$1.log"
        failed=1
    fi
    printf '\025exit\r' >&3
    exec 3>&-
    wait
    tried="$tried $1"
}

cat >"$scratch/bashrc" <<'END'
PS1=
source ~/tt-perf.bash
bind 'set bell-style none'
show() { printf '%s\n' "$READLINE_LINE" >~/line.new && mv ~/line.new ~/line; }
bind -x '"\C-xs": show'
PROMPT_COMMAND=': >~/ready'
END
cat >"$scratch/.zshrc" <<'END'
PS1=
fpath=(~/zsh $fpath)
autoload -Uz compinit && compinit -u -D
unsetopt beep
show() { print -r -- "$BUFFER" >~/line.new && mv ~/line.new ~/line }
zle -N show
bindkey -e
bindkey '^I' complete-word '^Xs' show
precmd() { : >~/ready }
END

if command -v script >/dev/null 2>&1; then
    if command -v bash >/dev/null 2>&1; then
        type_into bash "bash --noprofile --rcfile '$scratch/bashrc' -i"
    fi
    if command -v zsh >/dev/null 2>&1; then
        type_into zsh 'zsh -d -i'
    fi
fi
if command -v fish >/dev/null 2>&1; then
    # shellcheck disable=SC2016 # fish's own variables
    cut -d '|' -f 1 "$scratch/cases" | fish --no-config -c 'source ~/tt-perf.fish
        while read -l line
            echo (string split -f 1 \t -- (complete -C $line))
        end' >"$scratch/fish"
    while IFS='|' read -r typed word; do
        read -r got <&4
        judge fish "$typed" "$word" "${got:-${typed##* }}"
    done <"$scratch/cases" 4<"$scratch/fish"
    tried="$tried fish"
fi

[ "$failed" -eq 0 ] || exit 1
echo "tried:$tried"
[ "$tried" = ' bash zsh fish' ] ||
    skip "not all of bash, zsh and fish are here (and script, to type into the first two)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# child_contract.sh BIN_DIR SOURCE_DIR - what the git we start works on, what it never executes, and that no name of
# its output is lost.
# shellcheck disable=SC2119  # init takes options, some calls have none
set -u
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"
needs sqlite
export TT_PERF_STORE=$scratch/history.db
printf '{"results":[{"command":"x","times":[1,2,3]}]}' >"$scratch/run.json"

# ---- the repository of the folder, whatever the environment says ----
make_repo "$scratch/theirs"
git checkout -q -b theirs
echo staged >staged && git add staged
print_theirs() {
    git -C "$scratch/theirs" symbolic-ref HEAD
    git -C "$scratch/theirs" ls-files --stage
    git -C "$scratch/theirs" for-each-ref
    git -C "$scratch/theirs" worktree list | wc -l
    ls "$scratch/theirs/.git"
}
print_theirs >"$out/theirs.before"
make_repo "$scratch/ours"
# shellcheck disable=SC2016  # for the script
echo '[ -z "$SEEN" ] || git rev-parse --absolute-git-dir >>"$SEEN"' >>work.sh
commit two
# as a hook has them, and every other one that ties git to a repository
hook=()
for name in $(git rev-parse --local-env-vars); do
    case $name in
    GIT_DIR | GIT_COMMON_DIR) hook+=("$name=$scratch/theirs/.git") ;;
    GIT_INDEX_FILE) hook+=("$name=$scratch/theirs/.git/index") ;;
    GIT_WORK_TREE) hook+=("$name=$scratch/theirs") ;;
    GIT_OBJECT_DIRECTORY) hook+=("$name=$scratch/theirs/.git/objects") ;;
    GIT_CONFIG_COUNT) hook+=("$name=1" GIT_CONFIG_KEY_0=core.worktree "GIT_CONFIG_VALUE_0=$scratch/theirs") ;;
    GIT_CONFIG_PARAMETERS) hook+=("$name='core.worktree=$scratch/theirs'") ;;
    GIT_PREFIX | GIT_IMPLICIT_WORK_TREE | GIT_NO_REPLACE_OBJECTS) hook+=("$name=1") ;;
    *) hook+=("$name=$scratch/theirs/.git/no-such") ;;
    esac
done
in_hook() {
    env "${hook[@]}" SEEN="$out/seen" "$program" "$@"
}
begin=(--no-guard --cmd ./work.sh --metric "$metric" --golden golden --warmup 0 --min-runs 5 --max-runs 10
    --data 'batch 1' --board n150)
in_hook tune init -q "${begin[@]}" >"$out/init.txt" 2>&1
check "init in a hook: $(cat "$out/init.txt")" test -f $ledger
echo 600 >speed
in_hook tune try --no-guard -q slower >"$out/try.txt" 2>&1
check "a slower edit in a hook is reverted: $(cat "$out/try.txt")" test "$(cat speed)" = 500
print_theirs >"$out/theirs.after"
check "the other repository is as it was: $(diff "$out/theirs.before" "$out/theirs.after")" \
    cmp -s "$out/theirs.before" "$out/theirs.after"
check "the command's git is in its own worktree" test "$(grep -cv "^$scratch/ours/.git/worktrees/" "$out/seen")" = 0
in_hook history add -q --no-machine --name hooked "$scratch/run.json" >/dev/null
check "history add names the commit of the folder" \
    contains "$("$program" history list --format json)" "\"commit\":\"$(git rev-parse HEAD)\""
# a hook of the repository itself: its branch and its index stay as they are
git checkout -q -b kept && echo more >staged && git add staged
own_state() { git symbolic-ref HEAD && git ls-files --stage && git diff --cached --name-only; }
own_state >"$out/own.before"
echo 600 >speed
GIT_DIR=$PWD/.git GIT_INDEX_FILE=$PWD/.git/index SEEN='' attempt "slower, in a hook of its own"
check "in a hook of its own: reverted" test "$(cat speed)" = 500
own_state >"$out/own.after" 2>&1
check "branch and index stay: $(diff "$out/own.before" "$out/own.after")" cmp -s "$out/own.before" "$out/own.after"
# a command of bench keeps what the user gave it
env GIT_PREFIX=given "$program" bench -q --no-guard --runs 1 --warmup 0 -- \
    sh -c "printf %s \"\$GIT_PREFIX\" >'$out/prefix'" >/dev/null
check "bench passes the environment on" test "$(cat "$out/prefix")" = given
# a working tree that is elsewhere must not be moved
make_repo "$scratch/moved"
git config core.worktree "$scratch/theirs"
"$program" tune status >"$out/moved.txt" 2>&1
check "core.worktree elsewhere: 4" test $? -eq 4
check "and it reports that: $(cat "$out/moved.txt")" grep -q 'is elsewhere' "$out/moved.txt"
print_theirs >"$out/theirs.after"
check "the other repository is as it was, again" cmp -s "$out/theirs.before" "$out/theirs.after"

# ---- nothing of a repository is executed ----
make_repo "$scratch/hostile"
mkdir "$out/ran"
cat >"$out/trap" <<END
#!/bin/sh
# trap NAME ARGS... - tells that it was executed
touch "$out/ran/\$1"
exec cat
END
chmod +x "$out/trap"
trap_of() { printf '%s %s' "$out/trap" "$1"; }
printf '* filter=evil diff=evil merge=evil\nprocess filter=long\nodd filter=a=b\n' >.gitattributes
echo one >process && echo one >odd && commit traps
# a signature, for whoever verifies it
signed=$(git cat-file commit HEAD |
    sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----' |
    git hash-object -t commit -w --stdin)
git update-ref refs/heads/main "$signed"
for name in post-checkout post-index-change pre-commit post-commit reference-transaction fsmonitor-watchman \
    post-rewrite pre-auto-gc; do
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nexec %s "$@"\n' "$(trap_of "hook-$name")" >.git/hooks/$name
    chmod +x .git/hooks/$name
done
cat >>.git/config <<END
[core]
    fsmonitor = $(trap_of fsmonitor)
    pager = $(trap_of pager)
    editor = $(trap_of editor)
    sshCommand = $(trap_of ssh)
    askPass = $(trap_of askpass)
    gitProxy = $(trap_of proxy)
    alternateRefsCommand = $(trap_of alternates)
[diff]
    external = $(trap_of diff-external)
[diff "evil"]
    textconv = $(trap_of textconv)
    command = $(trap_of diff-command)
[merge "evil"]
    driver = $(trap_of merge-driver)
[filter "evil"]
    clean = $(trap_of clean)
    smudge = $(trap_of smudge)
    required = true
[filter "long"]
    process = $(trap_of process)
[filter "a=b"]
    clean = $(trap_of odd-clean)
[log]
    showSignature = true
[gpg]
    program = $out/gpg
[credential]
    helper = !$(trap_of credential)
[alias]
    status = !$(trap_of alias-status)
    rev-list = !$(trap_of alias-rev-list)
[pager]
    rev-list = true
    status = true
[uploadpack]
    packObjectsHook = $(trap_of pack-objects)
[extensions]
    partialClone = origin
[remote "origin"]
    url = ssh://nowhere/x
    promisor = true
END
printf '#!/bin/sh\nexec %s\n' "$(trap_of gpg)" >"$out/gpg" && chmod +x "$out/gpg"
# of the same size, but not of the time that git remembers: it must look into the files
touch -d '+1 minute' notes process odd
git status >/dev/null 2>&1
git log -1 --format=%H >/dev/null 2>&1
for name in fsmonitor clean process odd-clean gpg; do
    check "the trap '$name' works" test -e "$out/ran/$name"
done
rm -f "$out"/ran/*
touch -d '+2 minutes' notes process odd
nothing_ran() { # WHAT
    check "$1 executes $(cd "$out/ran" && echo *)" rmdir "$out/ran"
    rm -rf "$out/ran" && mkdir "$out/ran"
}
"$program" history add -q --no-machine --name hostile "$scratch/run.json" >/dev/null || complain "history add"
nothing_ran "history add"
check "and knows the commit" contains "$("$program" history list --name hostile --format json)" "\"commit\":\"$signed\""
"$program" bench -q --no-guard --runs 1 --warmup 0 --format json -- true >"$out/bench.json" || complain "bench"
nothing_ran bench
check "bench knows the commit" grep -q "\"commit\":\"$signed\"" "$out/bench.json"
"$program" history regressions --since HEAD >/dev/null 2>&1
nothing_ran "history regressions"
"$program" history trend --since HEAD >/dev/null 2>&1
nothing_ran "history trend"
"$program" tune status >/dev/null 2>&1
nothing_ran "tune status"
"$program" tune report >/dev/null 2>&1
nothing_ran "tune report"
# an object that is missing is not fetched
rm -f ".git/objects/$(printf %s "$signed" | sed 's|^..|&/|')"
"$program" history add -q --again --no-machine --name hostile "$scratch/run.json" >/dev/null 2>&1
nothing_ran "history add in a partial clone"

# ---- what counts as edited ----
dirty() {
    "$program" history add -q --again --no-machine --name dirty "$scratch/run.json" >/dev/null
    "$program" history list --name dirty --limit 1 --format json | grep -o '"dirty":[a-z]*'
}
make_repo "$scratch/inner"
make_repo "$scratch/clean"
check "a clean tree" test "$(dirty)" = '"dirty":false'
touch -d '+1 minute' notes
check "a file that was touched" test "$(dirty)" = '"dirty":false'
echo new >untracked
check "an untracked file" test "$(dirty)" = '"dirty":false'
echo edited >notes
check "an edited file" test "$(dirty)" = '"dirty":true'
git checkout -q notes && git rm -q --cached notes
check "a file gone from the index" test "$(dirty)" = '"dirty":true'
git reset -q
git -c protocol.file.allow=always submodule --quiet add "$scratch/inner" 'sub module' 2>/dev/null
rm untracked && commit sub
check "a submodule" test "$(dirty)" = '"dirty":false'
echo edited >'sub module/notes'
check "an edit in a submodule" test "$(dirty)" = '"dirty":true'
check "tune refuses an edit in a submodule" contains "$(init 2>&1)" "uncommitted edits: 'notes' in 'sub module'"

# ---- more names than 16 MiB hold ----
make_repo "$scratch/many"
part=$(printf 'd%.0s' $(seq 240))
deep=$part
for _ in $(seq 14); do deep=$deep/$part; done
count=4800 # of 3,700 bytes each: 17.5 MB
files() { # how many there are; a path from the root would be too long
    (cd "$deep" 2>/dev/null && find . -type f | wc -l) || echo 0
}
init >/dev/null || complain "init"
mkdir -p "$deep" && (cd "$deep" && seq -f %06.0f $count | xargs touch)
git add -N . # files that git does not know are not part of an edit
echo 600 >speed
attempt "many files"
check "an edit with many files is reverted: 1" test $? -eq 1
check "all $count of them are gone, not $(files) left" test ! -e "$part"
git reset -q # the intention to add them is left in the index
check "and the tree is clean" test -z "$(git status --porcelain | cut -c1-80 | head -n 3)"
git read-tree "$(state_ref tune-1)" && git checkout-index -a -f && echo 500 >speed && commit many
"$program" tune init --new -q "${begin[@]}" >/dev/null || complain "init --new"
rm -rf "$part"
echo 600 >speed
attempt "no files"
check "an edit without them is reverted: 1" test $? -eq 1
check "all $count are back, not $(files)" test "$(files)" -eq $count
check "and the tree is clean again" test -z "$(git status --porcelain | cut -c1-80 | head -n 3)"
# what cannot be done is reported, and done the next time
rm -rf "$part"
echo 600 >speed
mkdir "$out/bin"
cat >"$out/bin/git" <<END
#!/bin/sh
# a checkout that forgets the files
case "\$*" in *checkout-index*) exit 0 ;; esac
exec $(command -v git) "\$@"
END
chmod +x "$out/bin/git"
PATH=$out/bin:$PATH attempt "no files, once more"
check "files that are not back: $(cut -c1-200 "$out/try.txt" "$out/try.err")" grep -q 'cannot update the working tree' "$out/try.err"
attempt "nothing"
check "the next command brings them back: $(cut -c1-200 "$out/try.err")" test "$(files)" -eq $count
finish

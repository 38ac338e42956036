#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tune.sh BIN_DIR SOURCE_DIR - `tt-perf tune` on small workloads in real git repositories.
# shellcheck disable=SC2119  # init takes options, some calls have none
set -u
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"

# ---- the loop ----
make_repo "$scratch/loop"
init --goal 0.2s >"$out/init.txt"
check "init" test $? -eq 0
check "init leaves the tree clean" test -z "$(git status --porcelain)"
check "and the branch alone" test "$(git log --oneline --all -- | wc -l)" -le 3
echo 400 >speed
attempt "faster"
check "a faster edit is kept: 0" test $? -eq 0
check "it stays in the working tree" test "$(cat speed)" = 400
check "and is not on a branch" test "$(git rev-list --count HEAD)" = 1
echo 600 >speed
attempt "slower"
check "a slower edit is reverted: 1" test $? -eq 1
check "the working tree is back at the best" test "$(cat speed)" = 400
check "the edit is not lost" test "$(git show "$(state_ref tune-2):speed")" = 600
echo 100 >speed
touch wrong
attempt "faster but wrong"
check "faster but wrong is reverted: 1" test $? -eq 1
check "it says what is wrong" grep -q 'wrong result: out.npy: PCC' "$out/try.txt"
check "it was not measured" test "$(grep -c '"event":"decision".*"measured"' $ledger)" = 2
check "a new file that git does not track stays" test -e wrong
rm wrong
attempt "noise" --env NOISE=200
check "noise only is undecided: 7" test $? -eq 7
check "it says that it cannot tell" grep -q 'undecided' "$out/try.txt"
check "the ledger says undecided" grep -q '"outcome":"undecided"' $ledger
attempt "nothing"
check "no change is refused: 2" test $? -eq 2
attempt "same" --env LESS=0
check "no gain is reverted: 1" test $? -eq 1
check "it reports that" grep -q 'no gain' "$out/try.txt"
attempt "less" --env LESS=50
check "a variable can be kept" test $? -eq 0
attempt "less again" --env LESS=50
check "an existing state is not a change" test $? -eq 2
printf -- '--- a/speed\n+++ b/speed\n@@ -1 +1 @@\n-400\n+300\n' >"$scratch/good.patch"
attempt "a patch" --patch "$scratch/good.patch"
check "a patch can be kept" test $? -eq 0
check "it is then in the working tree" test "$(cat speed)" = 300
attempt "again" --patch "$scratch/good.patch"
check "a patch that does not apply: 3" test $? -eq 3
check "names the patch" grep -q 'good.patch' "$out/try.err"
git checkout -q -b side main 2>"$out/try.err"
git stash -q
echo 250 >speed && git rm -q --cached bad.npy >/dev/null && git add speed
git -c user.name=t -c user.email=t@t commit -qm side
git checkout -q -f main && git checkout -q main -- bad.npy 2>/dev/null
git stash pop -q
attempt "a branch" --git side
check "a branch in conflict with the best: 3" test $? -eq 3
git branch -q -D side
git checkout -q -b other main 2>"$out/try.err"
echo more >'more'
git add more && git -c user.name=t -c user.email=t@t commit -qm more
git checkout -q main
echo 300 >speed
attempt "a branch" --git other
check "a branch without gain: 1" test $? -eq 1
check "its file is not in the working tree" test ! -e more
attempt "two" --env A=1 --git other
check "two changes at once: 2" test $? -eq 2
attempt "two" --env A=1 --env B=2
check "two variables at once: 2" test $? -eq 2
tune status --format json >"$out/status.json"
check "status: gained" grep -q '"baseline":500,"best":250' "$out/status.json"
tune report >"$out/report.txt"
check "report: wall time first" test "$(sed -n 2p "$out/report.txt" | cut -c3-6)" = wall
check "report: rejected with the reason" grep -q 'reverted faster but wrong: wrong result' "$out/report.txt"
tune report --rerun --no-guard --format md --svg "$out/steps.svg" >"$out/report.md"
check "report: measured in turn" grep -q 'alternately at the end' "$out/report.md"
check "report: picture" grep -q '<svg' "$out/steps.svg"
tune undo >"$out/undo.txt"
check "undo" test $? -eq 0
check "undo takes the patch back" test "$(cat speed)" = 400
tune undo >"$out/undo.txt"
tune undo >"$out/undo.txt"
check "three undone: the start" test "$(cat speed)" = 500
tune undo >"$out/undo.txt" 2>"$out/undo.err"
check "nothing left to undo: 2" test $? -eq 2
check "the tree is as at the start" test -z "$(git status --porcelain)"
tune sweep "less" --set LESS=0,100,200 -q --no-guard >"$out/sweep.txt"
check "sweep: kept" test $? -eq 0
check "sweep: the best point" grep -q '> LESS=200 300' "$out/sweep.txt"
tune sweep "wrong" --set X=1,2 -q --no-guard --cmd "sh -c 'touch wrong; exec ./work.sh'" >"$out/sweep.txt"
check "sweep: no point passes the gate: 1" test $? -eq 1
tune clean >"$out/clean.txt"
check "clean removes the worktrees" test "$(git worktree list | wc -l)" -eq 1
attempt "after clean" --env LESS=250
check "they come back" test $? -eq 0
check "fsck" git fsck --no-progress --no-dangling

# ---- uncommitted work, detached HEAD, untracked and ignored files ----
make_repo "$scratch/dirty"
echo 'more text' >notes
echo 450 >speed
git add speed
echo mine >untracked
git checkout -q --detach
before=$(git status --porcelain; git diff; git diff --cached; cat untracked)
init >/dev/null
check "init in a dirty, detached tree" test $? -eq 0
attempt "less" --env LESS=50
check "try there" test $? -eq 0
after=$(git status --porcelain; git diff; git diff --cached; cat untracked)
check "uncommitted work is as it was" test "$before" = "$after"
echo 'half done' >notes
printf -- '--- a/speed\n+++ b/speed\n@@ -1 +1 @@\n-450\n+300\n' >"$scratch/p.patch"
attempt "patch" --patch "$scratch/p.patch"
check "a patch beside an edit elsewhere" test $? -eq 0
check "the edit is still there" test "$(cat notes)" = 'half done'
check "the patch came in" test "$(cat speed)" = 300
echo 301 >speed
printf -- '--- a/speed\n+++ b/speed\n@@ -1 +1 @@\n-300\n+200\n' >"$scratch/p.patch"
attempt "patch over an edit" --patch "$scratch/p.patch"
check "a patch to a file that is being edited" test $? -eq 0
check "the edit is not touched" test "$(cat speed)" = 301
check "that is told" grep -q "left unchanged: 'speed'" "$out/try.txt"
attempt "the edit" --keep-edit
check "an edit that loses" test $? -eq 1
check "stays with --keep-edit" test "$(cat speed)" = 301

# ---- submodules, folders below the top, a build, data that git ignores ----
make_repo "$scratch/lib"
make_repo "$scratch/deep"
git -c protocol.file.allow=always submodule --quiet add "$scratch/lib" lib 2>/dev/null
mkdir -p app && git mv work.sh speed good.npy bad.npy golden app/
printf '#!/bin/sh\ntest -f ../lib/notes && test -f ../data/w && test -f built && exec ./work.sh\n' >app/run.sh
chmod +x app/run.sh
printf '/app/out.npy\ndata\nbuilt\n' >.gitignore
commit two
mkdir data && touch data/w
cd app || exit 2
ledger=../.git/tt-perf/tune/ledger.jsonl
init --new >/dev/null 2>"$out/init.err"
check "init in a folder below" test $? -eq 0
"$program" tune init -q --new --no-guard --cmd ./run.sh --metric "$metric" --golden golden >/dev/null 2>"$out/err"
check "what the command needs is not there: 3" test $? -eq 3
check "and how to get it there is told" grep -q -e '--link' "$out/err"
"$program" tune init -q --new --no-guard --cmd ./run.sh --metric "$metric" --golden golden --link data \
    --build 'touch built' --min-runs 5 --max-runs 10 --warmup 0 >/dev/null 2>"$out/err"
check "submodule, link and build" test $? -eq 0
echo 400 >speed
attempt "edit below"
check "an edit below" test $? -eq 0
echo oops >../lib/notes
attempt "edit in the submodule"
check "an edit inside a submodule is refused: 2" test $? -eq 2
check "with a reason" grep -q 'submodule' "$out/try.err"
git -C ../lib checkout -q notes
printf '#!/bin/sh\nexit 3\n' >run.sh
attempt "broken"
check "a command that fails is reverted: 1" test $? -eq 1
check "with its status" grep -q 'status 3' "$out/try.txt"

# ---- odd places ----
make_repo "$scratch/odd place"
git worktree add -q --detach "$scratch/linked" 2>/dev/null
cd "$scratch/linked" || exit 2
init >/dev/null
check "in a linked worktree" test $? -eq 0
echo 400 >speed
attempt "linked"
check "try there" test $? -eq 0
cd "$scratch/odd place" || exit 2
tune status >/dev/null 2>&1
check "the main one has a session of its own" test $? -eq 2
echo x >'a name with "quotes" and	tab'
echo y >-dash
ln -s speed link
git add -N -- . ':!.tune'
init --state .tune >/dev/null
check "a path with blanks, the state in the working tree" test $? -eq 0
check "the state is no part of the code" test -z "$(git ls-tree -r --name-only "$(state_ref tune-start)" | grep tune)"
rm ./-dash link
echo z >'a name with "quotes" and	tab'
chmod +x notes
mkdir new && echo n >new/file && git add -N new/file
echo saved >output.json
attempt "names" --state .tune
check "odd names" test $? -eq 1
check "are restored" test "$(cat 'a name with "quotes" and	tab' ./-dash ; readlink link)" = "x
y
speed"
check "so are modes, and folders go" test ! -x notes -a ! -e new
check "a file that git does not track stays" test "$(cat output.json)" = saved
check "and is named" grep -q "left unchanged: 'output.json' is not tracked by git" "$out/try.txt"
echo 'more output' >output.json
attempt "no edit" --state .tune
check "it is no change on its own: 2" test $? -eq 2
check "as the message says" grep -q "files that git does not track: 'output.json'" "$out/try.err"
check "its text is still there" test "$(cat output.json)" = 'more output'
rm -rf "$scratch/unborn" && mkdir "$scratch/unborn" && cp -R golden good.npy bad.npy work.sh speed "$scratch/unborn"
cd "$scratch/unborn" && git init -q -b main . && echo /out.npy >.gitignore
init >/dev/null
check "without a commit" test $? -eq 0
echo 400 >speed
attempt "first"
check "try there too" test $? -eq 0
check "still without one" test -z "$(git rev-parse --verify --quiet HEAD)"

# ---- questions ----
if command -v script >/dev/null; then
    make_repo "$scratch/asked"
    printf './work.sh\nbatch 32\nn150\n1\n10ms\ngolden\n' |
        script -qec "'$program' tune init --no-guard --warmup 0 --min-runs 5" /dev/null >"$out/asked.txt"
    check "a terminal is asked" grep -q 'in production: batch 32, on n150, chips: 1' "$out/asked.txt"
fi
make_repo "$scratch/words"
cp speed golden/speed
init --new >/dev/null 2>"$out/err"
check "an output that is not written by the run: 3" test $? -eq 3
check "is named" grep -q "did not write 'speed'" "$out/err"
# shellcheck disable=SC2016  # the script's own shell expands it
printf '#!/bin/sh\n./work.sh\necho "${SAY:-yes}" >answer\n' >say.sh && chmod +x say.sh
rm golden/speed && echo yes >golden/answer && echo /answer >>.gitignore
"$program" tune init -q --no-guard --cmd ./say.sh --metric "$metric" --golden golden --warmup 0 --max-runs 5 >/dev/null
check "golden files that are not tensors" test $? -eq 0
attempt "another answer" --env SAY=no
check "have to be the same: 1" test $? -eq 1
check "or are named" grep -q "'answer' differs" "$out/try.txt"
make_repo "$scratch/silent"
"$program" tune init --no-guard --format json 2>"$out/err" </dev/null
check "others are not: 2" test $? -eq 2

# ---- no repository ----
mkdir "$scratch/plain" && cd "$scratch/plain" || exit 2
cp ../loop/work.sh ../loop/good.npy . && echo 500 >speed && mkdir golden && cp good.npy golden/out.npy
tune status 2>"$out/err"
check "no session: 2" test $? -eq 2
check "nothing is left behind" test ! -e .tt-perf
init >/dev/null
check "init without git" test $? -eq 0
attempt "less" --env LESS=100
check "a variable without git" test $? -eq 0
attempt "command" --cmd "sh -c 'LESS=200 exec ./work.sh'"
check "a command line without git" test $? -eq 0
attempt "edit"
check "an edit needs git: 2" test $? -eq 2
check "and that is told" grep -q 'not a git repository' "$out/try.err"
init >/dev/null 2>"$out/err"
check "a second session is refused: 2" test $? -eq 2
mkdir -p below && cd below || exit 2
check "found from below" tune status -q -o "$out/status.txt"

# ---- two at once, golden files, a damaged ledger, interrupts ----
make_repo "$scratch/two"
ledger=.git/tt-perf/tune/ledger.jsonl
init >/dev/null
mkfifo go
"$program" tune try "waits" --no-guard -q --cmd "sh -c 'read x <$PWD/go; exec ./work.sh'" >/dev/null 2>"$out/first.err" &
first=$!
for _ in $(seq 100); do
    [ "$(events try)" = 1 ] && break
    sleep 0.05
done
attempt "second" --env LESS=1
check "a second tune at once: 4" test $? -eq 4
check "it names the first" grep -q "process $first" "$out/try.err"
tune status >"$out/status.txt" 2>"$out/status.err"
check "status meanwhile: 0" test $? -eq 0
check "and says who is at work" grep -q "process $first" "$out/status.err"
kill -TERM $first
wait $first
check "ended by a signal: 143" test $? -eq 143
rm go
attempt "another" --env LESS=1
check "one is pending, a second is refused: 2" test $? -eq 2
check "it says how to go on" grep -q 'tune undo' "$out/try.err"
tune undo >/dev/null
check "dropping it" grep -q '"outcome":"dropped"' $ledger
cp bad.npy golden/out.npy
attempt "moved goal" --env LESS=1
check "golden outputs that changed: 3" test $? -eq 3
check "before anything is begun" test "$(events try)" = 1
cp good.npy golden/out.npy
printf '{"n":99,"event":"try","ti' >>$ledger
tune status >/dev/null 2>"$out/status.err"
check "a torn last record is told" grep -q 'was truncated' "$out/status.err"
tune status >/dev/null 2>"$out/status.err"
check "once" test ! -s "$out/status.err"
sed -i '2s/"noise"/"Noise"/' $ledger
tune status >/dev/null 2>"$out/status.err"
check "a damaged record: 3" test $? -eq 3
check "with its line" grep -q 'ledger.jsonl:2:' "$out/status.err"
init >/dev/null 2>&1
check "init does not hide it" test $? -eq 3
init --new >/dev/null
check "--new starts over" test $? -eq 0
check "and keeps the old ledger" test "$(find .git/tt-perf/tune -name 'ledger-*.jsonl' | wc -l)" -eq 1

# ---- no room for what git keeps: told as such, nothing is lost, and with room it continues ----
make_repo "$scratch/room"
init >/dev/null
echo 300 >speed
head -c 200000 /dev/urandom >weights
(
    trap '' XFSZ
    ulimit -f 100 # KB: the ledger is smaller, an object of git is not
    attempt "faster"
)
check "no room for git: 5" test $? -eq 5
check "it says why" grep -q 'git add: .*File too large' "$out/try.err"
check "and what to do" grep -q "^hint: free disk space for '.*/room'" "$out/try.err"
check "the edit is still there" test "$(cat speed) $(stat -c %s weights)" = '300 200000'
check "nothing was begun" test "$(events try)" = 0
attempt "faster"
check "with room it is kept" test $? -eq 0

exit $failed

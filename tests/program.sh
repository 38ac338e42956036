#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# program.sh BIN_DIR SOURCE_DIR - what golden cases cannot hold: volatile text, pipes, shell completion.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"

# version
text=$("$program" version)
check "version says its number" contains "$text" '^tt-perf [0-9]+\.[0-9]+\.[0-9]+$'
check "version names the compiler" contains "$text" '^compiler: +(gcc|clang) '
for part in build: sanitizer: 'csv kernel:' zlib zstd cairo libmicrohttpd; do
    check "version has $part" contains "$text" "^$part +[A-Za-z]"
done
check "--version is the first line" test "$("$program" --version)" = "${text%%$'\n'*}"
check "version as JSON" contains "$("$program" version --format json)" \
    '^\{"schema":"tt-perf\.version/1","tool":\{.*"truncated":false\}$'

# schemas
for name in $("$program" schema); do
    file=$source/docs/schemas/${name%/*}-${name##*/}.json
    check "schema $name is the file" cmp -s <("$program" schema "$name") "$file"
    check "schema $name names itself" grep -q "\"\$id\": \"$name\"" "$file"
done
check "a schema's short name" cmp -s <("$program" schema version) "$source/docs/schemas/tt-perf.version-1.json"

# -o writes all or nothing, keeps rights, follows links
echo old >"$scratch/out" && chmod 640 "$scratch/out" && ln -s out "$scratch/link"
check "-o through a link" "$program" version -o "$scratch/link"
check "the link is still one" test -L "$scratch/link"
check "-o replaced the file" contains "$(cat "$scratch/out")" '^tt-perf '
check "-o kept the rights" test "$(stat -c %a "$scratch/out")" = 640
echo old >"$scratch/out"
"$program" schema nosuch -o "$scratch/out" 2>/dev/null
check "a failure leaves the file alone" test "$(cat "$scratch/out")" = old
"$program" version -o "$scratch/no/such/folder" 2>/dev/null
check "a folder that is missing is an I/O error" test $? = 5
check "-o /dev/null" "$program" version -o /dev/null
check "nothing is left behind" test "$(cd "$scratch" && echo .[!.]* *)" = ".[!.]* link out"
for signal in HUP TERM; do # INT is ignored in the background of a script
    "$program" synth --only device-log --ops 100000 -o "$scratch/big" &
    for _ in {1..200}; do
        under_way=$(find "/proc/$!/fd" -lname "$scratch/*" 2>/dev/null) # it may have no name yet
        test -n "$under_way" && break
        sleep 0.02
    done
    check "a file is under way" test -n "$under_way"
    kill -s "$signal" $!
    wait $! 2>/dev/null
    check "SIG$signal leaves no half file" test "$(cd "$scratch" && echo .[!.]* *)" = ".[!.]* link out"
done

# someone cuts a file short while it is read: told with its name, and nothing half written is left
big=$scratch/big.csv
cat "$source/tests/data/demo_two_devices.csv" >"$big"
while [ "$(stat -c %s "$big")" -lt 40000000 ]; do
    sed 1d "$big" >"$scratch/more" && cat "$scratch/more" >>"$big"
done
rm "$scratch/more"
cut_while_read() { # FORMAT: the exit status
    cp "$big" "$scratch/cut.csv"
    nice "$program" report -q -j1 --format "$1" "$scratch/cut.csv" -o "$scratch/big" 2>"$scratch/cut.err" &
    # open is not enough: a file that shrinks before its size is asked for is only a short file
    while kill -0 $! 2>/dev/null; do
        grep -qsF "$scratch/cut.csv" "/proc/$!/maps" && break
    done
    kill -s STOP $! 2>/dev/null && truncate -s 1000 "$scratch/cut.csv" && kill -s CONT $!
    wait $!
}
for form in text json; do
    for _ in {1..20}; do # it may be read before we come to it, or opened again when it is short already
        cut_while_read $form
        status=$?
        rm -f "$scratch/cut.csv" "$scratch/big"
        [ $status = 5 ] && break
    done
    check "a truncated file is an I/O error ($form)" test "$status" = 5
    check "it is named ($form)" grep -q "cannot read '.*/cut.csv': it was truncated while being read" "$scratch/cut.err"
done
check "as JSON if that was asked for" grep -q '^{"error":{"code":"io","message":"cannot read' "$scratch/cut.err"
rm "$big" "$scratch/cut.err"
check "a truncated file leaves no half file" test "$(cd "$scratch" && echo .[!.]* *)" = ".[!.]* link out"

# the summary as a picture; a library that cannot be loaded costs the PNG and one line
report=${program}-report
mkdir "$scratch/pictures" "$scratch/lib" && : >"$scratch/lib/libcairo.so.2"
(
    cd "$scratch/pictures" || exit 2
    "$report" --no-color --summary-file with "$source/tests/data/demo_two_devices.csv" >with.out 2>with.err
    LD_LIBRARY_PATH=$scratch/lib "$report" --no-color --summary-file without \
        "$source/tests/data/demo_two_devices.csv" >without.out 2>without.err
)
check "pictures: the SVG is written" test -s "$scratch/pictures/with.svg"
check "pictures: the same SVG without cairo" cmp -s "$scratch/pictures/with.svg" "$scratch/pictures/without.svg"
if grep -q 'not drawn' "$scratch/pictures/with.err"; then
    echo "SKIPPED: $(cat "$scratch/pictures/with.err")"
else
    check "pictures: the PNG is written" test -s "$scratch/pictures/with.png"
    check "pictures: in silence" test ! -s "$scratch/pictures/with.err"
fi
check "pictures: no PNG without cairo" test ! -e "$scratch/pictures/without.png"
check "pictures: one line reports it" grep -qE \
    '^tt-perf-report: without\.png not drawn: .* \(install libcairo2.*\); without\.svg has the picture$' \
    "$scratch/pictures/without.err"
check "pictures: standard output is the same" cmp -s "$scratch/pictures/without.out" \
    <(sed 's/\bwith\./without./' "$scratch/pictures/with.out")
rm -r "${scratch:?}/pictures" "${scratch:?}/lib"

# a closed pipe ends us by SIGPIPE (an I/O error where a parent ignores that), a full disk is an error
(
    sleep 0.2
    exec "$program" completion bash 2>/dev/null
) | true
status=${PIPESTATUS[0]}
check "a closed pipe ends us" test "$status" = 141 -o "$status" = 5
[ -w /dev/full ] && {
    "$program" version >/dev/full 2>/dev/null
    check "a full disk is an I/O error" test $? = 5
    "$program" diff "$source/tests/data/demo_ops_perf_results.csv" "$source/tests/data/demo_two_devices.csv" \
        --fail-over 1 >/dev/full 2>"$scratch/err"
    check "also if there is a finding" test $? = 5
    check "and reports it" contains "$(cat "$scratch/err")" 'No space left on device'
}

# a library that is there when needed only: the system lacks something, the input does not
mkdir "$scratch/lib"
for library in libsqlite3.so.0 libpq.so.5 libmicrohttpd.so.12; do
    : >"$scratch/lib/$library"
done
missing() { # library, words ...
    "$program" version | grep -q "^$1 *yes" || return 0
    LD_LIBRARY_PATH=$scratch/lib timeout 20 "$program" "${@:2}" >/dev/null 2>"$scratch/err"
    check "no $1: an environment error" test $? = 4
    check "no $1: what to install" contains "$(cat "$scratch/err")" '^hint: install lib'
}
missing sqlite history list --store "$scratch/h.db"
missing postgresql history list --store postgresql://user/none
"$program" synth -q -o "$scratch/run" --ops 2
missing libmicrohttpd trace "$scratch/run" --serve
rm -r "${scratch:?}/lib" "${scratch:?}/run" "$scratch/err"

# shell completion
eval "$("$program" completion bash)"
complete_line() { # words..., the last one is being typed
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _tt_perf
    echo "${COMPREPLY[*]}"
}
cd "$scratch" || exit 2
check "completes verbs" test "$(complete_line tt-perf comp)" = completion
check "completes options" test "$(complete_line tt-perf version --f)" = --format
check "completes choices" test "$(complete_line tt-perf version --format j)" = json
check "completes choices after =" test "$(complete_line tt-perf version --format = j)" = json
check "completes operands" test "$(complete_line tt-perf completion z)" = zsh
check "completes files" test "$(complete_line tt-perf version -o o)" = out
check "completes schemas" contains "$(complete_line tt-perf schema '')" 'tt-perf\.version/1'
quotes=$("$program" completion zsh | sed "s/'\\\\''//g" | tr -cd "'" | wc -c) # '\'' is one inside a text
check "zsh script has no stray quote" test $((quotes % 2)) = 0
exit $failed

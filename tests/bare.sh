#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bare.sh BIN_DIR SOURCE_DIR - the program without any optional library: it reports that, does what needs none, and
# where one is needed names it and what to install, with exit status 4.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd -- "$scratch" || exit 2

tt_perf()
{
    "$bin/bare/tt-perf" "$@" </dev/null
}

# works ARGS... - without a word about a library.
works()
{
    tt_perf "$@" >out 2>err || complain "$* ends with $?: $(cat err)"
    if grep 'this build' err; then
        complain "$*: speaks of what it refuses"
    fi
}

# refuses LIBRARY PACKAGE ARGS... - names both, and leaves no output behind.
refuses()
{
    library=$1
    package=$2
    shift 2
    tt_perf "$@" >out 2>err
    status=$?
    case $1 in
    record) expected=125 ;; # as env(1)
    *) expected=4 ;;
    esac
    [ "$status" -eq "$expected" ] || complain "$* ends with $status, not $expected: $(cat err)"
    grep -q "this build of tt-perf has no $library" err || complain "$* does not name $library: $(cat err)"
    grep -q "install $package and rebuild" err || complain "$* does not name $package: $(cat err)"
}

libraries='zlib zstd lz4 cairo libmicrohttpd ncurses sqlite postgresql'
tt_perf version >built_in || complain "version ends with $?"
for library in $libraries; do
    grep -q "^$library *no (" built_in || complain "version does not say that $library is missing"
done

works synth --model resnet --ops 12 --noc -o run
works ops run
works report run
works advise run
works kernel run
works trace run -o run.pftrace
works trace run --offline -o run.html
works noc run --program 1 --timeline run.npeviz.json
works info run
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" machine || exit 2
works top --once --root machine
works bench --runs 2 -- true

{ printf '\037\213\010\000' && cat "$source/tests/data/demo_ops_perf_results.csv"; } >ops.csv.gz
{ printf '\050\265\057\375' && cat "$source/tests/data/demo_ops_perf_results.csv"; } >ops.csv.zst
for verb in report advise info; do
    refuses zlib zlib1g-dev "$verb" ops.csv.gz
    refuses zstd libzstd-dev "$verb" ops.csv.zst
done
refuses zstd libzstd-dev noc run --program 1 --timeline timeline.json.zst
[ ! -e timeline.json.zst ] || complain "noc leaves a timeline that it could not write"
cp "$source/tests/golden/export_csv/run.bin" .
refuses LZ4 liblz4-dev export csv run.bin -o csv
refuses LZ4 liblz4-dev record -o recorded -- true
refuses 'HTTP server' libmicrohttpd-dev trace run --serve
refuses cairo libcairo2-dev report "$source/tests/data/demo_ops_perf_results.csv" --roofline -o roofline.png
[ ! -e roofline.png ] || complain "report leaves a picture that it could not draw"
refuses SQLite libsqlite3-dev history add ops.csv --store runs.db
refuses PostgreSQL libpq-dev history list --store postgresql://nowhere/runs

if command -v script >/dev/null 2>&1; then # the live view is for terminals
    script -qec "'$bin/bare/tt-perf' top" /dev/null >out 2>&1 </dev/null
    status=$?
    [ "$status" -eq 4 ] || complain "top ends with $status, not 4"
    if ! grep -q 'no ncurses ' out || ! grep -q 'install libncurses-dev .*--once' out; then
        complain "top: $(cat out)"
    fi
fi
tt_perf report "$source/tests/data/demo_ops_perf_results.csv" --summary-file summary >out 2>err ||
    complain "report --summary-file ends with $?: $(cat err)"
grep -q "summary.png not drawn: this build of tt-perf has no cairo (install libcairo2-dev" err ||
    complain "report --summary-file does not say why there is no PNG: $(cat err)"
[ -s summary.svg ] || complain "report --summary-file draws no SVG"
tt_perf report ops.csv.gz --format json 2>err
grep -q '^{"error":{"code":"environment","message":".*no zlib","hint":"install ' err ||
    complain "the failure as JSON: $(cat err)"
exit $failed

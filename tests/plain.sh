#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plain.sh BIN_DIR SOURCE_DIR - the program of a build with TTP_COMPAT=OFF: it does all of its own work, and where it is
# asked to be another tool it says that it cannot, with exit status 4.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd -- "$scratch" || exit 2

tt_perf()
{
    "$bin/plain/tt-perf" "$@" </dev/null
}

works()
{
    tt_perf "$@" >out 2>err || complain "$* ends with $?: $(cat err)"
}

# says_so STATUS WHAT - of what was run last
says_so()
{
    [ "$1" -eq 4 ] || complain "$2 ends with $1, not 4: $(cat err)"
    grep -q 'this build of tt-perf does not support --compat' err || complain "$2 does not say why: $(cat err)"
    grep -q 'configure it with -DTTP_COMPAT=ON' err || complain "$2 does not say what to do: $(cat err)"
    [ ! -s out ] || complain "$2 writes a result: $(head -n 3 out)"
}

refuses()
{
    tt_perf "$@" >out 2>err
    says_so $? "$*"
}

works version
grep -q '^dropins *no (' out || complain "version does not say that drop-ins are missing: $(cat out)"
works synth --model resnet --ops 12 --noc -o run
works ops run
works report run
works report run --format json
works report run --summary-file summary
works advise run
works kernel run
works noc run
works trace run -o run.pftrace
works diff run run
works pcc --help

refuses report run --compat
refuses ops run --compat
refuses noc run --compat
refuses kernel run --compat
refuses annotate run --compat
refuses trace run --compat --format chrome-json
refuses noc run --program 1 --timeline run.npeviz.json
[ ! -e run.npeviz.json ] || complain "noc leaves a timeline behind"
tt_perf report run --compat --format json 2>err
grep -q '^{"error":{"code":"environment","message":".*does not support --compat' err || complain "the failure as JSON: $(cat err)"

for name in tt-perf-report tt_profile csvexport-release tracy-csvexport; do
    ln -s "$bin/plain/tt-perf" "$name" || exit 2
    "./$name" --help >out 2>err </dev/null
    says_so $? "$name"
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# advice.sh [--vs ORIGINAL]... - how often advice is right on real campaigns (bench/advice_score), as one JSON line.
set -u
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf
"$root/bench/advice_score" "$bin/tt-perf" >"$scratch/score" || status=1
sed -n 's|^\([0-9]*\) gains: hit@1 \([0-9.]*\) %, hit@3 \([0-9.]*\) %, named \([0-9.]*\) %; promised/real \([0-9.]*\) (median), \([0-9.]*\) % within 1.5x; final states promise \([0-9.]*\) %.*; \([0-9]*\) false leads.*|{"bench":"advice","gains":\1,"hit1_pct":\2,"hit3_pct":\3,"named_pct":\4,"ratio":\5,"within_pct":\6,"final_pct":\7,"false_leads":\8}|p' \
    "$scratch/score" >"$scratch/line"
[ -s "$scratch/line" ] || die "bench/advice_score printed no summary"
cat "$scratch/line"
exit "$status"

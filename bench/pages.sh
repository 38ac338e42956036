#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pages.sh - pages of `tt-perf report` in headless Chromium: one JSON line for 10,000 and for 100,000 operations with the
# size of the file, the time until the page can be used, and what a sort and a filter take; medians. Needs build/release.
#
# ROUNDS (5) is how often each page is opened.
set -u
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf
command -v python3 >/dev/null || die "no python3"
python3 -B "$root/tests/page_budget.py" "$bin" "$root" "${ROUNDS:-5}" >"$scratch/lines"
status=$?
if [ "$status" -eq 77 ]; then
    echo "pages: not measured, no Chromium" >&2
    exit 0
fi
cat "$scratch/lines"
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_npeviz.sh BIN_DIR SOURCE_DIR - `tt-perf noc --compat --timeline` against the timelines
# that tt-npe wrote, kept in ../shared/golden/noc: every value, whatever the order of transfers and
# cores. Needs Python and zstd; exits 77 (skipped) where they or the folder are not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
[ -d "$shared/golden/noc" ] || skip "no $shared/golden/noc"
needs zstd
for tool in python3 zstd; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
golden=$(cd "$shared/golden/noc" && pwd)
cd "$shared/data/noc" || exit 2

cat >"$scratch/equal.py" <<'PYTHON'
import json, sys
a, b = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
for t in (a, b):
    t["noc_transfers"].sort(key=lambda x: x["id"])
    if "zones" in t:
        t["zones"].sort(key=lambda z: (z["core"], z["proc"]))
    if sys.argv[3] == "old":  # the original reads past its own data there
        t.pop("zones", None)
        for x in t["noc_transfers"]:
            x.pop("zones", None)
def differ(x, y, path):
    if isinstance(x, dict) and isinstance(y, dict) and x.keys() == y.keys():
        return next((d for k in x for d in [differ(x[k], y[k], path + "/" + k)] if d), None)
    if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        return next((d for i in range(len(x)) for d in [differ(x[i], y[i], "%s/%d" % (path, i))] if d), None)
    return None if x == y else "%s: %.200s is %.200s" % (path, x, y)
if a != b:
    sys.exit(differ(a, b, "") or "only the order of keys differs")
PYTHON
passed=0
for file in "$golden"/*/*.npeviz.json.zst; do
    stats=${file%.npeviz.json.zst}.stats.json
    input=$(sed -n 's/.*"input":"\([^"]*\)".*/\1/p' "$stats")
    device=$(sed -n 's/.*"device":"\([^"]*\)".*/\1/p' "$stats")
    version=1 zones=new
    case $file in */synthetic_legacy_timeline/*) version=0 ;; esac
    grep -q '"begin"' "$input" && zones=old
    # each takes a second or more where everything is checked: not all of them unless asked
    case $file in
    *_hot.* | *_mix_2.* | */wl_* | */history/* | */noc_trace_json/[2-9D]* | */single_n150/*ID[127]_*)
        [ -n "${TTP_SLOW_TESTS:-}" ] || continue ;;
    esac
    zstd -dqc "$file" >"$scratch/wanted.json"
    if "$bin/tt-perf" noc -q --compat --format csv -d "$device" --timeline "$scratch/got.json.zst" \
        --timeline-version "$version" "$input" >/dev/null && zstd -dqfo "$scratch/got.json" \
        "$scratch/got.json.zst" && python3 "$scratch/equal.py" "$scratch/wanted.json" "$scratch/got.json" "$zones"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$input differs"
    fi
done
echo "$passed timelines agree, $failed do not"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults.sh - what each fault of a run does: counted by default, exit 1 with --strict, and with --compat a
# failure wherever the original fails.
for fault in lost-markers missing-op truncated cut-message duplicate-start missing-device never-replayed \
    no-messages zone-without-op old-columns equal-starts old-preamble empty-log open-message lost-zone; do
    tt-perf synth -q -o $fault --model matmul --ops 6 --cores 2 --devices 2 --faults $fault || exit
    for path in --force-legacy-device-logs ''; do
        echo "$fault${path:+, device log}"
        # shellcheck disable=SC2086 # an option or none
        tt-perf ops $fault $path -o $fault/out >/dev/null 2>warnings
        printf '    exit %s, %s rows' $? "$(wc -l <$fault/out/ops_perf_results.csv)"
        # shellcheck disable=SC2086
        tt-perf ops $fault $path -q --strict -o $fault/out >/dev/null
        echo ", --strict: exit $?"
        sed 's/^tt-perf: ops: warning/    warning/' warnings
        # shellcheck disable=SC2086
        tt-perf ops $fault --compat $path -o $fault/compat >/dev/null 2>failure
        echo "    --compat: exit $?"
        sed 's/^/    /' failure
    done
done

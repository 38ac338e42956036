#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memory_scale.sh BIN_DIR SOURCE_DIR - `mem` and `startup` read what is much larger than the memory they may take; the
# same inputs at full size are measured by bench/memory.sh.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
mkdir inspector
"$bin/gen_memory" capture 64 graph_capture.json && "$bin/gen_memory" programs 48 inspector/programs_log.yaml || exit 2

"$program" mem --max-memory 32M graph_capture.json --format json >mem.json || complain "mem: status $?"
# outputs take 64 KiB, and one in sixteen is freed late
check "the peak of a large capture" jq -e '.data.graphs[].devices["1"].l1_peak == 131072' mem.json
check "all ops of a large capture" jq -e '.data.graphs[].ops | length > 1000' mem.json
"$program" startup --max-memory 16M inspector --format json >startup.json || complain "startup: status $?"
programs=$(grep -c '^- program_compile_finished:' inspector/programs_log.yaml)
check "all programs of a large log" grep -q "\"programs_compiled\":${programs}[,}]" startup.json

# truncated, the place is told
head -c 30000000 graph_capture.json >cut.json
"$program" mem cut.json >/dev/null 2>err
check "a capture that is truncated has status 3" test $? -eq 3
check "and the byte is told" grep -q 'at byte 30000000' err
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mem_mutations.sh BIN_DIR SOURCE_DIR - graph captures that were changed at random: every split adds up to its peak, a cut
# is exit 3 with the place, and nothing crashes.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "python3 is missing"
cd "$scratch" || exit 2
originals mem
python3 "$source/tests/mem_mutations.py" "$bin/tt-perf" "$folder/inputs" || complain "see above"
finish

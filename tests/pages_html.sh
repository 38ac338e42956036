#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pages_html.sh BIN_DIR SOURCE_DIR - tests/pages_html.py, if there are Python, Chromium and npm.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "no python3"
modules=$(npm_modules)
status=$?
if [ "$status" -ne 0 ]; then
    printf '%s\n' "$modules"
    exit "$status"
fi
python3 -B "$source/tests/pages_html.py" "$bin" "$source" "$modules/axe-core/axe.min.js"

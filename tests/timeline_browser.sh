#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# timeline_browser.sh BIN_DIR SOURCE_DIR - tests/timeline_browser.py, if there is a Python to run it.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs libmicrohttpd
command -v python3 >/dev/null || skip "no python3"
python3 -B "$source/tests/timeline_browser.py" "$bin" "$source"

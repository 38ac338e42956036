#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# timeline_browser.sh BIN_DIR SOURCE_DIR - tests/timeline_browser.py, where there is a Python to run it.
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 77; }
exec python3 "$2/tests/timeline_browser.py" "$1" "$2"

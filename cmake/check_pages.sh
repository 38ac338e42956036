#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_pages.sh - eslint and TypeScript over the scripts of the pages; the lock file names no machine of a registry.
# Says SKIPPED where npm is not reachable.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
bad=0

if grep -nE '://|"resolved"' tests/npm/package-lock.json tests/npm/.npmrc || grep -n 'registry *=' tests/npm/.npmrc; then
    echo "tests/npm names a machine: 'npm run lock' in that folder writes the lock file without"
    bad=1
fi
modules=$(cmake/npm_install.sh build/npm)
status=$?
if [ "$status" -eq 77 ]; then
    printf '%s\n' "$modules"
elif [ "$status" -ne 0 ]; then
    bad=1
else
    for assets in src/serve/assets src/outputs/page/assets; do
        [ ! -d "$assets" ] || NODE_PATH=$modules node tests/npm/check_pages.js "$assets" || bad=1
    done
fi
exit "$bad"

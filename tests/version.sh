#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# version.sh BIN_DIR SOURCE_DIR - there is one version: the program, the library's pkg-config file and the newest
# release of CHANGELOG.md name that of CMakeLists.txt, and nothing is above that release but what is
# not yet released.
set -eu
bin=$1
source=$2
status=0

# same WHERE FOUND - complains if it is another version.
same()
{
    if [ "$2" != "$version" ]; then
        printf "FAILED: %s says '%s', CMakeLists.txt '%s'\n" "$1" "$2" "$version"
        status=1
    fi
}

version=$(sed -n 's/^project(tt-perf VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
[ -n "$version" ] || {
    echo "FAILED: CMakeLists.txt has no version"
    exit 1
}
headings=$(sed -n 's/^## //p' "$source/CHANGELOG.md" | head -n 2)
newest=$(printf '%s\n' "$headings" | sed -n '2s/^\[\([^]]*\)] - [0-9]\{4\}-[0-9]\{2\}-[0-9]\{2\}$/\1/p')
[ "$(printf '%s\n' "$headings" | head -n 1)" = '[Unreleased]' ] || {
    echo "FAILED: CHANGELOG.md does not begin with [Unreleased]"
    status=1
}
same "CHANGELOG.md's newest release" "$newest"
same "tt-perf --version" "$("$bin/tt-perf" --version | sed 's/^tt-perf //')"
same "tt-perf version" "$("$bin/tt-perf" version | sed -n '1s/^tt-perf //p')"
same "tt-perf version --format json" \
    "$("$bin/tt-perf" version --format json | sed -n 's/.*"data":{"version":"\([^"]*\)".*/\1/p')"
same "libttperf.pc" "$(sed -n 's/^Version: //p' "$bin/libttperf.pc")"
exit $status

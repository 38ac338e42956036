#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guide_screens.sh BIN_DIR SOURCE_DIR [PAGE...] - the screens in docs/guide are what the program prints now; see
# tests/screens.sh. Each page has a folder of its own, which contains tests/ of this tree. A line
#     <!-- needs WORD... -->
# names libraries of the build and programs without which a page is left out.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/screens.sh
. "$(dirname -- "$0")/screens.sh"
shift 2
cd "$source" || exit 2
HOME=$scratch/home XDG_STATE_HOME=$scratch/home OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HOME XDG_STATE_HOME OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
unset TT_METAL_HOME TT_METAL_PROFILER_DIR TRACY_PORT TT_METAL_LOGS_PATH TT_PERF_STORE
mkdir "$HOME" || exit 2
[ $# -gt 0 ] || set -- docs/guide/*.md

pages=0
for page in "$@"; do
    name=$(basename "$page" .md)
    missing=
    words=$(sed -n 's/^<!-- needs \(.*\) -->$/\1/p' "$page")
    for word in $words; do
        has "$word" || command -v "$word" >/dev/null || missing="$missing $word"
    done
    check "$page is wider than 80 columns" narrow "$page"
    if [ -n "$missing" ]; then
        left_out="$left_out$missing"
        continue
    fi
    mkdir "$scratch/$name" && ln -s "$source/tests" "$scratch/$name/tests" || exit 2
    check "$page" same_screens "$page" "$scratch/$name"
    pages=$((pages + screens))
    rm -rf "${scratch:?}/$name"
done
[ "$pages" -gt 0 ] || complain "no screen in the guide"
finish

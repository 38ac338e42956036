#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hardening.sh BIN_DIR SOURCE_DIR - the built files have what cmake/hardening.cmake promises: program, shared library and
# every object of the archive. A build with sanitizers has no FORTIFY and a fixed address, one without optimisation no
# FORTIFY: then a few objects are compiled with the flags of a release and checked instead.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
for tool in readelf nm objdump ar; do
    command -v "$tool" >/dev/null 2>&1 || skip "$tool is missing (Debian package binutils)"
done
cache() { # name: what the build was configured with
    sed -n "s/^$1:[A-Z]*=//p" "${2:-$bin}/CMakeCache.txt"
}
[ "$(cache TTP_HARDENING)" = ON ] || skip "this build is without hardening (TTP_HARDENING)"
machine=$(uname -m)

# linked FILE - a program or a shared library
linked() {
    local file=$1 header dynamic
    header=$(readelf -hlW "$file")
    dynamic=$(readelf -dW "$file")
    check "$file: the stack cannot be executed" contains "$header" 'GNU_STACK.* RW +0x'
    check "$file: relocations become read-only" contains "$header" 'GNU_RELRO'
    check "$file: all symbols are bound at the start" contains "$dynamic" 'FLAGS.*NOW'
    check "$file: no relocation in the code" lacks "$dynamic" TEXTREL
    check "$file: a segment is writable and executable" lacks "$header" 'LOAD .* RWE '
    check "$file: stack protector" contains "$(nm -D -u "$file")" __stack_chk_fail
}

# compiled FILE... - objects or an archive; every one of them is marked
compiled() {
    local objects marked executable notes
    objects=$(readelf -hW "$@" | grep -c 'Type: *REL')
    check "$1: objects are found" test "$objects" -gt 0
    notes=$(readelf -nW "$@")
    case $machine in
    x86_64) marked=$(grep -c 'IBT, SHSTK' <<<"$notes") ;;
    aarch64) marked=$(grep -c 'BTI, PAC' <<<"$notes") ;;
    *) marked=$objects ;;
    esac
    check "$1 ...: $marked of $objects objects have landing pads for indirect jumps" test "$marked" = "$objects"
    executable=$(readelf -SW "$@" | grep -cE 'note\.GNU-stack .* [A-Z]*X')
    check "$1 ...: $executable objects ask for an executable stack" test "$executable" = 0
    check "$1 ...: stack protector" contains "$(nm -u "$@")" __stack_chk_fail
    # shellcheck disable=SC2016 # a dollar of the assembler
    [ "$machine" != x86_64 ] || check "$1 ...: large frames are probed page by page" \
        contains "$(objdump -d "$@" 2>/dev/null | grep -m1 -E 'or[ql] +\$0x0,\(%rsp\)')" or
}

# fortified FILE... - calls that check the size of what they write to
fortified() {
    check "$1 ...: checks of FORTIFY" contains "$(nm -u "$@")" '__(v?snprintf|memcpy|memmove|read|poll)_chk'
}

linked "$program"
[ ! -e "$bin/libttperf.so" ] || linked "$bin/libttperf.so"
compiled "$bin/libttperf.a"
mapfile -t own < <(find "$bin/CMakeFiles/ttp_cli.dir" -name '*.o')
compiled "${own[@]}"

if [ -z "$(cache TTP_SANITIZE)" ] && [ "$(cache CMAKE_BUILD_TYPE)" != Debug ]; then
    fortified "$bin/libttperf.a"
    fortified "${own[@]}"
    check "$program: PIE" contains "$(readelf -dW "$program")" 'FLAGS_1.*PIE'
    exit $failed
fi

# a release, of which a few objects are made
release=$scratch/release
cmake -S "$source" -B "$release" -G Ninja -D CMAKE_BUILD_TYPE=Release -D TTP_TESTS=OFF \
    -D CMAKE_C_COMPILER="$(cache CMAKE_C_COMPILER)" >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    skip "a release build cannot be configured with ninja here"
}
objects=()
for name in ttp_core.dir/src/base/err ttp_core.dir/src/base/outfile ttp_core.dir/src/base/child ttp_cli.dir/cli/core/failure; do
    objects+=("CMakeFiles/$name.c.o")
done
ninja -C "$release" "${objects[@]}" >"$scratch/log" 2>&1 || complain "objects of a release: $(cat "$scratch/log")"
cd "$release" || exit 2
compiled "${objects[@]}"
fortified "${objects[@]}"
files=$(grep -c '"command"' compile_commands.json)
check "a release is linked as PIE" contains "$(ninja -t commands tt-perf | tail -n 1)" ' -pie '
check "every file of a release has FORTIFY 3" test "$(grep -c '"command".*-D_FORTIFY_SOURCE=3' compile_commands.json)" = "$files"
exit $failed

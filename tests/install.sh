#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD_DIR CC [DROP_IN_NAME...] - installs into a scratch tree and uses the result:
# the program, its other names, the manual, and the library as a stranger would through pkg-config, with the
# program of docs/library.md.
set -eu
cmake=$1
build=$2
cc=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

fail()
{
    printf 'FAILED: %s\n' "$*"
    exit 1
}

DESTDIR=$scratch "$cmake" --install "$build" --prefix /opt/tt >"$scratch/log" || {
    cat "$scratch/log"
    fail "cmake --install"
}
# Moving the tree proves that nothing in it knows where it was installed.
mv -- "$scratch/opt/tt" "$scratch/moved tree"
tree="$scratch/moved tree"

"$tree/bin/tt-perf" version >/dev/null || fail "the installed program does not run"
for name in "$@"; do
    [ -L "$tree/bin/$name" ] || fail "bin/$name is not a link"
    [ -x "$tree/bin/$name" ] || fail "bin/$name leads nowhere"
    [ "$(readlink "$tree/bin/$name")" = tt-perf ] || fail "bin/$name does not lead to tt-perf next to it"
    if [ -f "$tree/share/man/man1/tt-perf.1" ]; then
        [ -f "$tree/share/man/man1/$name.1" ] || fail "no manual page $name.1"
    fi
done
if [ -f "$build/completion/tt-perf.bash" ]; then
    for file in bash-completion/completions/tt-perf zsh/site-functions/_tt-perf \
        fish/vendor_completions.d/tt-perf.fish; do
        [ -s "$tree/share/$file" ] || fail "no share/$file"
    done
fi
if command -v strings >/dev/null 2>&1 && grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$build/CMakeCache.txt"; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    if strings "$tree/bin/tt-perf" | grep -F "$home/"; then
        fail "the program knows the folder it was built from"
    fi
fi

pc=$(find "$tree" -name libttperf.pc)
[ -n "$pc" ] || fail "no libttperf.pc"
if ! command -v pkg-config >/dev/null 2>&1; then
    echo "SKIPPED: pkg-config is missing, the library was not tried"
    exit 77
fi
PKG_CONFIG_PATH=$(dirname -- "$pc")
export PKG_CONFIG_PATH
pkg-config --exists --print-errors libttperf || fail "pkg-config does not find libttperf"
pkg-config --static --exists --print-errors libttperf || fail "pkg-config: something the static library needs"

header=$tree/include/ttperf.h
[ -f "$header" ] || fail "no include/ttperf.h"
# A stranger that takes the address of every function the header declares.
{
    echo '#include <ttperf.h>'
    echo 'typedef void any_fn(void);'
    echo 'any_fn *const volatile all[] = {'
    "$cc" -E -P "$header" | grep -oE '\bttperf_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u | sed 's/.*/(any_fn *)&,/'
    echo '0};'
    echo 'int main(void) { return all[0] == 0 && sizeof(all) > sizeof(all[0]); }'
} >"$scratch/use.c"
libdir=$(dirname -- "$PKG_CONFIG_PATH")
# A sanitized library asks the same of its user.
set -- -Wall -Wextra -Werror ${TTP_SANITIZE:+"-fsanitize=$TTP_SANITIZE"}

# link NAME FLAGS COMPILER ARGS... - pkg-config quotes FLAGS for the shell: the path has a space in it on purpose.
link()
{
    name=$1
    flags=$2
    shift 2
    eval "\"\$@\" -o \"\$scratch/\$name\" $flags" || fail "cannot link $name"
}

# run NAME [ARGS...] - a program that was linked.
run()
{
    name=$1
    shift
    LD_LIBRARY_PATH=$libdir "$scratch/$name" "$@" || fail "$name does not run"
}

shared=$(pkg-config --cflags --libs libttperf)
static=$(pkg-config --static --cflags --libs libttperf | sed 's/-lttperf/-l:libttperf.a/')
link use_shared "$shared" "$cc" -std=c17 "$@" "$scratch/use.c"
link use_static "$static" "$cc" -std=c17 "$@" "$scratch/use.c"
run use_shared
run use_static

# The program that docs/library.md shows, letter by letter.
awk '/^<!-- program -->$/ { here = 1; next } here && /^```c$/ { code = 1; next } code && /^```$/ { exit } code' \
    "$tree/share/doc/tt-perf/library.md" >"$scratch/run.c"
cp -- "$scratch/run.c" "$scratch/run.cpp"
link run_shared "$shared" "$cc" "$@" "$scratch/run.c"
link run_static "$static" "$cc" "$@" "$scratch/run.c"
set -- run_shared run_static
if command -v c++ >/dev/null 2>&1; then
    link run_cpp "$shared" c++ -Wall -Wextra -Werror ${TTP_SANITIZE:+"-fsanitize=$TTP_SANITIZE"} "$scratch/run.cpp"
    set -- "$@" run_cpp
fi
"$tree/bin/tt-perf" synth -q -o "$scratch/made" || fail "synth of the installed program"
"$tree/bin/tt-perf" report -q --format csv "$scratch/made" >"$scratch/made.csv" || fail "report of the installed program"
ops=$(($(wc -l <"$scratch/made.csv") - 1))
for name in "$@"; do
    run "$name" "$scratch/made" >"$scratch/said"
    grep -qx "$ops ops, [1-9][0-9]* us" "$scratch/said" || fail "$name says: $(cat "$scratch/said"), not $ops ops"
done
case $* in
*run_cpp*) ;;
*)
    echo "SKIPPED: no C++ compiler, the program of docs/library.md was tried in C only"
    exit 77
    ;;
esac

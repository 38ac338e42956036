#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package.sh BIN_DIR SOURCE_DIR - the Debian package of this build: its fields, what is in it, and lintian's opinion where
# it is installed and the build has the folders of a package (./dev package).
set -eu
build=$(cd -- "$1" && pwd)
source=$(cd -- "$2" && pwd)
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "SKIPPED: $tool is missing (Debian packages cmake, dpkg-dev and file)"
        exit 77
    }
done
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd -- "$scratch"

fail()
{
    printf 'FAILED: %s\n' "$*"
    exit 1
}

# Dependencies are read from the symbols of programs, which takes minutes where sanitizers have theirs.
depends=no
set -- -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF -D CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS=OFF
if grep -q '^TTP_SANITIZE:STRING=$' "$build/CMakeCache.txt"; then
    depends=yes
    set --
fi
cpack "$@" -G DEB -B . -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackConfig.cmake" >log 2>&1 || {
    cat log
    fail "cpack"
}
set -- tt-perf_*.deb
[ -f "$1" ] || fail "no package"
[ $# -eq 1 ] || fail "not one package: $*"
deb=$1
version=$(sed -n 's/^project(tt-perf VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
[ "$(dpkg-deb -f "$deb" Package Version)" = "Package: tt-perf
Version: $version" ] || fail "name or version: $(dpkg-deb -f "$deb")"
[ $depends = no ] || dpkg-deb -f "$deb" Depends | grep -q 'libc6 (>= ' || fail "it does not depend on the C library"
if dpkg-deb -f "$deb" Depends | grep -E 'cairo|microhttpd|sqlite|libpq'; then
    fail "it depends on what is loaded when it is used"
fi

mkdir tree control
dpkg-deb -x "$deb" tree
dpkg-deb -e "$deb" control
outside=$(find tree -mindepth 1 -maxdepth 1 ! -name usr)
[ -z "$outside" ] || fail "files outside /usr: $outside"
odd=$(find tree \( -type f -perm /022 -o -type d ! -perm 755 -o -name '*.pyc' \) -print)
[ -z "$odd" ] || fail "permissions: $odd"
grep -qx 'activate-noawait ldconfig' control/triggers || fail "no trigger for the shared library"
for name in tt-perf tt-perf-report tt_profile csvexport-release tracy-csvexport; do
    [ -x "tree/usr/bin/$name" ] || fail "no usr/bin/$name"
    gzip -t "tree/usr/share/man/man1/$name.1.gz" || fail "no manual page of $name"
done
for page in "$source"/docs/man/*.1; do
    [ "${page##*/}" != tt-perf-mpi.1 ] || continue # of its own package
    gzip -dc "tree/usr/share/man/man1/${page##*/}.gz" | cmp -s - "$page" || fail "the manual page ${page##*/} is another"
done
for file in share/bash-completion/completions/tt-perf share/zsh/vendor-completions/_tt-perf \
    share/fish/vendor_completions.d/tt-perf.fish include/ttperf.h share/doc/tt-perf/copyright; do
    [ -s "tree/usr/$file" ] || fail "no usr/$file"
done
for file in libttperf.a libttperf.so "libttperf.so.$version" libttperf.pc; do
    [ -n "$(find tree/usr/lib -name "$file")" ] || fail "no $file"
done
gzip -dc tree/usr/share/doc/tt-perf/CHANGELOG.md.gz | cmp -s - "$source/CHANGELOG.md" || fail "the changelog is another"
gzip -dc tree/usr/share/doc/tt-perf/changelog.gz | grep -q "^tt-perf ($version) " || fail "no changelog of $version"

# The program for MPI has a package of its own: tt-perf must not depend on MPI.
if [ -e tree/usr/bin/tt-perf-mpi ] || dpkg-deb -f "$deb" Depends | grep -q mpi; then
    fail "tt-perf depends on MPI"
fi
if [ -f "$build/CPackMpiConfig.cmake" ] && [ -x "$build/tt-perf-mpi" ]; then
    set --
    [ $depends = yes ] || set -- -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF
    cpack "$@" -G DEB -B mpi -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackMpiConfig.cmake" >log 2>&1 || {
        cat log
        fail "cpack of tt-perf-mpi"
    }
    set -- mpi/tt-perf-mpi_"$version"_*.deb
    [ -f "$1" ] || fail "no package tt-perf-mpi: $(ls mpi)"
    dpkg-deb -f "$1" Depends | grep -qF "tt-perf (= $version), openmpi-bin" || fail "tt-perf-mpi depends on $(dpkg-deb -f "$1" Depends)"
    dpkg-deb -x "$1" mpi/tree
    [ -x mpi/tree/usr/bin/tt-perf-mpi ] || fail "no usr/bin/tt-perf-mpi"
    [ ! -e mpi/tree/usr/bin/tt-perf ] || fail "tt-perf-mpi has tt-perf too"
    gzip -t mpi/tree/usr/share/man/man1/tt-perf-mpi.1.gz || fail "no manual page of tt-perf-mpi"
    [ -s mpi/tree/usr/share/doc/tt-perf-mpi/copyright ] || fail "no copyright of tt-perf-mpi"
fi

if command -v lintian >/dev/null 2>&1 && grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt"; then
    lintian --allow-root --fail-on error,warning "$deb" || fail "lintian"
fi

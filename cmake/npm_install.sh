#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# npm_install.sh DIR - the packages that tests/npm/package-lock.json pins, below DIR: installed once for each lock file.
# Prints the folder for NODE_PATH. Exits 77 with SKIPPED on stdout where npm is not reachable; 1 where it is and refuses.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2
seconds=120 # for all packages; about 10 with a cold cache and an idle machine
name=tests/npm

skip()
{
    echo "SKIPPED: npm is not reachable${1:+ ($1)}"
    exit 77
}

mkdir -p -- "$1" || exit 2
dir=$(cd -- "$1" && pwd -P) || exit 2
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    skip "nodejs or npm is not installed"
fi
key=$(cat "$name/package.json" "$name/package-lock.json" "$name/.npmrc" | sha256sum | cut -c 1-16) || exit 2
ready=$dir/$key
if [ -d "$ready" ]; then
    printf '%s\n' "$ready/node_modules"
    exit 0
fi

# In a folder of our own, which gets its name when all is there: two may install at the same time.
making=$(mktemp -d "$dir/making.XXXXXX") || exit 2
trap 'rm -rf -- "$making"' EXIT
trap 'exit 1' HUP INT TERM
cp "$name/package.json" "$name/package-lock.json" "$name/.npmrc" "$making" || exit 2
log=$making/npm.log

install()
{
    (cd -- "$making" && timeout "$seconds" npm ci --include=dev --ignore-scripts --fetch-retries=1 \
        --fetch-retry-mintimeout=1000 --fetch-timeout=20000 --loglevel=error "$@") >"$log" 2>&1 </dev/null
}

install --offline || install --prefer-offline
status=$?
if [ "$status" -ne 0 ]; then
    # What is wrong with the files here or with the packages themselves is a failure; the rest is the network.
    if grep -qE 'code (EUSAGE|EINTEGRITY|EBADENGINE|EJSONPARSE|ERESOLVE|ETARGET|E404|ENOSPC|EACCES)' "$log"; then
        cat "$log" >&2
        exit 1
    fi
    if [ "$status" -eq 124 ]; then
        skip "no answer within $seconds s"
    fi
    skip "$(sed -n 's/^npm [Ee][Rr][Rr]\(!\|or\) code //p' "$log" | head -n 1)"
fi
if mv -T -- "$making" "$ready" 2>/dev/null; then
    for old in "$dir"/*; do
        case $old in
        "$ready" | "$dir"/making.*) ;;
        *) rm -rf -- "$old" ;;
        esac
    done
fi
printf '%s\n' "$ready/node_modules"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# npm_checks.sh BIN_DIR SOURCE_DIR - the checks that use npm: without it they say SKIPPED and fail nothing, with it they
# find what is planted, and what they install is pinned for Node 18 without the address of a registry.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
lock=$source/tests/npm/package-lock.json

# is_skipped WHAT DIR COMMAND... - the installation into DIR ends with 77, says why, and leaves nothing
is_skipped()
{
    what=$1
    dir=$2
    shift 2
    said=$("$@" "$source/cmake/npm_install.sh" "$dir" 2>&1)
    status=$?
    [ "$status" -eq 77 ] || complain "$what: status $status, not 77: $said"
    contains "$said" '^SKIPPED: npm is not reachable' || complain "$what: says '$said'"
    [ -z "$(ls -A "$dir")" ] || complain "$what: leaves $(ls -A "$dir")"
}

# no npm: a PATH with what the script needs besides
mkdir "$scratch/bin" "$scratch/none" "$scratch/dead" || exit 2
for tool in sh cat cut cp mkdir mktemp mv rm sed grep head dirname sha256sum timeout; do
    ln -s "$(command -v "$tool")" "$scratch/bin/$tool" || exit 2
done
is_skipped "no npm" "$scratch/none" env PATH="$scratch/bin"

# a copy of the tree, so that nothing of an earlier installation is found
tree=$scratch/tree
mkdir -p "$tree/cmake" "$tree/tests" "$tree/src/serve" || exit 2
cp "$source/cmake/npm_install.sh" "$source/cmake/check_pages.sh" "$tree/cmake"
cp -r "$source/tests/npm" "$tree/tests"
cp -r "$source/src/serve/assets" "$tree/src/serve"
check "without npm the check of the pages fails" env PATH="$scratch/bin" "$tree/cmake/check_pages.sh" >"$scratch/said"
grep -q '^SKIPPED: npm is not reachable' "$scratch/said" || complain "without npm the check of the pages says $(cat "$scratch/said")"

# the lock file: exact versions with their checksums, without addresses
grep -nE '://|"resolved"' "$lock" && complain "$lock names a machine"
[ "$(grep -c '"integrity"' "$lock")" -ge 50 ] || complain "$lock has no checksums"
contains "$(cat "$source/tests/npm/package.json")" '"[~^*]|"latest"' && complain "a version is not exact"
[ ! -e "$source/tests/npm/node_modules" ] || complain "something was installed into the sources"
sed 's/"version": "4/"resolved": "x", &/' "$lock" >"$tree/tests/npm/package-lock.json"
env PATH="$scratch/bin" "$tree/cmake/check_pages.sh" >"$scratch/said" && complain "an address in the lock file is not found"
cp "$lock" "$tree/tests/npm/package-lock.json"

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    [ "$failed" -eq 0 ] || exit 1
    skip "npm is not reachable (nodejs or npm is not installed)"
fi
is_skipped "no server answers" "$scratch/dead" env npm_config_cache="$scratch/cache" \
    npm_config_registry=http://127.0.0.1:9/ no_proxy=127.0.0.1

modules=$(npm_modules)
status=$?
if [ "$status" -ne 0 ]; then
    printf '%s\n' "$modules"
    [ "$failed" -eq 0 ] || exit 1
    exit "$status"
fi
# a lock file that does not fit has nothing to do with the network
sed -i 's/"axe-core": "[^"]*"/"axe-core": "4.10.0"/' "$tree/tests/npm/package.json"
"$tree/cmake/npm_install.sh" "$scratch/dead" >"$scratch/said" 2>&1
status=$?
[ "$status" -eq 1 ] || complain "a lock file that does not fit: status $status: $(cat "$scratch/said")"
grep -q 'code EUSAGE' "$scratch/said" || complain "a lock file that does not fit: $(cat "$scratch/said")"

# what is planted is found, where it stands
cat >>"$tree/src/serve/assets/timeline_view.js" <<'END'
/** @param {number} n */
function planted(n) { document.body.innerHTML = 'x'; return n.length == 1; }
END
sed -i "s/^go.addEventListener/notDeclared();\n&/; s/<button id=\"go\"/& onclick=\"x()\"/" "$tree/src/serve/assets/open.html"
echo 'let never;' >"$tree/src/serve/assets/orphan.js"
said=$(cd -- "$tree" && NODE_PATH=$modules node tests/npm/check_pages.js src/serve/assets) && complain "what is planted passes"
last=$(wc -l <"$tree/src/serve/assets/timeline_view.js")
for want in "timeline_view.js:$last:.*'length' does not exist" "timeline_view.js:$last:.*eqeqeq" "timeline_view.js:$last:.*not markup" \
    "timeline_view.js:$last:.*'planted' is defined but never used" "open.html:[0-9]+:.*'notDeclared'" \
    "open.html:[0-9]+:.*attribute" "orphan.js:1:.*no page uses it"; do
    contains "$said" "$want" || complain "not found: $want, but: $said"
done
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# history_postgresql.sh BIN_DIR SOURCE_DIR - the same promises from a real PostgreSQL.
set -u
program=$(cd "$1" && pwd)/tt-perf
source=$(cd "$2" && pwd) || exit 2
# shellcheck source=tests/postgres.sh
. "$source/tests/postgres.sh"
scratch=$(mktemp -d) || exit 2
chmod 755 "$scratch"
trap 'postgres_stop; rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch" || exit 2
"$program" version | grep -q '^postgresql *yes' || { echo "SKIPPED: this build has no PostgreSQL"; exit 77; }
postgres_start "$scratch/pg"
store=$postgres_uri
# shellcheck source=tests/history_suite.sh
. "$source/tests/history_suite.sh"

documents
writers
killed 8
judged
moved
# and into an empty database of the server
"$program" history import -q --store "$store" moved.db | grep -q '^0 runs added' || complain "a moved history is not known again"

# a password is never shown, a server that is not there is told as such
"$program" history list --store "postgresql://u:secret@127.0.0.1:1/db?password=secret" >no.log 2>&1
[ $? -eq 5 ] || complain "no server is not exit status 5"
! grep -q secret no.log || complain "a password is shown: $(cat no.log)"
exit $failed

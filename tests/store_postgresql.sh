#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# store_postgresql.sh BUILD SOURCE - the suite of the store against a real PostgreSQL.
set -u
build=$1
# shellcheck source=tests/postgres.sh
. "$2/tests/postgres.sh"
work=$(mktemp -d) || exit 1
chmod 755 "$work"
trap 'postgres_stop; rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
if ! "$build/tt-perf" version | grep -q '^postgresql *yes'; then
    echo "SKIPPED: this build has no PostgreSQL"
    exit 77
fi
postgres_start "$work/pg"
TTP_TEST_STORE=$postgres_uri "$build/test_store"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# store_postgresql.sh BUILD SOURCE - the suite of the store against a real PostgreSQL.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/postgres.sh
. "$source/tests/postgres.sh"
chmod 755 "$scratch"
trap 'postgres_stop; rm -rf -- "$scratch"' EXIT
needs postgresql
postgres_start "$scratch/pg"
TTP_TEST_STORE=$postgres_uri "$bin/test_store"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # set for whoever reads this
# postgres.sh - a server of our own for a test, read with '.': it listens on a socket in a folder of its own,
# on no port, and is gone with the test. postgres_start FOLDER sets $postgres_uri; 77 if there is no server.
postgres_bin()
{
    for dir in /usr/lib/postgresql/*/bin; do
        if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
            printf '%s\n' "$dir"
            return 0
        fi
    done
    return 1
}

# as_postgres COMMAND... - initdb refuses root
as_postgres()
{
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv --reuid postgres --regid postgres --clear-groups "$@"
    fi
}

# The server of postgres_start, once more when it has gone.
postgres_again()
{
    (cd / && as_postgres "$postgres/pg_ctl" -D "$postgres_folder/data" -w -t 60 -l "$postgres_folder/server.log" \
        -o "-k '$postgres_folder' -c listen_addresses= -c shared_buffers=32MB ${postgres_settings-}" \
        start) >>"$postgres_folder.log" 2>&1 || { cat "$postgres_folder.log" "$postgres_folder/server.log"; exit 1; }
}

postgres_start()
{
    postgres=$(postgres_bin) || skip "no PostgreSQL server (Debian's package postgresql)"
    if [ "$(id -u)" -eq 0 ] && ! { id postgres && command -v setpriv; } >/dev/null 2>&1; then
        skip "root may not run PostgreSQL, and there is no user for it"
    fi
    postgres_folder=$1
    mkdir -p "$postgres_folder"
    [ "$(id -u)" -ne 0 ] || chown postgres "$postgres_folder"
    (cd / && as_postgres "$postgres/initdb" -D "$postgres_folder/data" -U tester -A trust -E UTF8 \
        --locale=C.UTF-8 --no-instructions) >"$postgres_folder.log" 2>&1 ||
        { cat "$postgres_folder.log"; exit 1; }
    postgres_again
    postgres_uri="postgresql://tester@/postgres?host=$postgres_folder"
}

postgres_stop()
{
    [ -z "${postgres_folder-}" ] ||
        (cd / && as_postgres "$postgres/pg_ctl" -D "$postgres_folder/data" -m immediate stop) >/dev/null 2>&1
}

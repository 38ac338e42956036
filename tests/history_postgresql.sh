#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# history_postgresql.sh BIN_DIR SOURCE_DIR - the same promises from a real PostgreSQL.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/postgres.sh
. "$source/tests/postgres.sh"
chmod 755 "$scratch"
trap 'postgres_stop; umount "$scratch"/disk* 2>/dev/null; rm -rf -- "$scratch"' EXIT
cd "$scratch" || exit 2
needs postgresql
postgres_start "$scratch/pg"
store=$postgres_uri
# shellcheck source=tests/history_suite.sh
. "$source/tests/history_suite.sh"

documents
writers
killed 8
judged
if part sqlite; then # into a file
    moved
    settings
    # and into an empty database of the server
    "$program" history import -q --store "$store" moved.db | grep -q '^0 runs added' || complain "a moved history is not recognised"
fi

# a password is never shown, a server that is missing is reported as such
"$program" history list --store "postgresql://u:secret@127.0.0.1:1/db?password=secret" >no.log 2>&1
[ $? -eq 5 ] || complain "no server is not exit status 5"
! grep -q secret no.log || complain "a password is shown: $(cat no.log)"

# A disk that fills up, of the tables or of the server's log: told, nothing is there in part, and with room it
# continues. fill_up WORDS - adds runs until one is refused with these words.
fill_up() {
    local i status=0
    said=0
    for i in $(seq 1 60); do
        noise 500000 big.json
        history add -q --no-git --no-machine --name "full-$i" big.json >full.log 2>&1
        status=$?
        [ $status -eq 0 ] || break
        said=$i
    done
    [ $status -eq 5 ] || complain "a full disk is exit status $status after $said runs"
    grep -q "$1" full.log || complain "a full disk after $said runs: $(cat full.log)"
    [ "$said" -gt 0 ] || complain "the disk was full from the first"
}
with_room() {
    [ "$(count)" -eq "$said" ] || complain "$(count) runs, not the $said that were acknowledged"
    history export --all | grep -c '"document"' | grep -qx "$said" || complain "a run without its document"
    history add -q --no-git --no-machine --name again big.json | grep -q '^added' || complain "with room it does not go on"
}
small_disk() { # folder, size: 1 if we may not
    mkdir "$1" && mount -t tmpfs -o "size=$2,mode=755" none "$1" 2>/dev/null
}
if small_disk "$scratch/disk1" 24M; then
    chown postgres "$scratch/disk1" 2>/dev/null
    "$postgres/psql" -qX "$store" -c "CREATE TABLESPACE small LOCATION '$scratch/disk1'" -c \
        "CREATE DATABASE small TABLESPACE small" || complain "no small database"
    store=${postgres_uri/@*\?/@/small?}
    fill_up 'free disk space on the server'
    mount -o remount,size=64M "$scratch/disk1"
    with_room
    postgres_stop
    small_disk "$scratch/disk2" 58M || exit 2
    postgres_start "$scratch/disk2/pg"
    store=$postgres_uri
    fill_up 'existing runs are not added twice\|free disk space on the server' # it may say why before it goes
    mount -o remount,size=128M "$scratch/disk2"
    postgres_stop
    postgres_again
    with_room
else
    echo "not tested: a full disk (no right to mount one)"
fi
finish

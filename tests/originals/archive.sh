#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# archive.sh - how recordings become an archive of this folder; to be read with `.`. The caller sets $here (this folder),
# $scratch and $root, the folder that becomes the archive.
# shellcheck disable=SC2154 # the caller's

# row CASE STATUS COMMAND RESULTS - one line of cases.tsv
row()
{
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$root/cases.tsv"
}

# keep FILE NAME - a copy below expected/
keep()
{
    mkdir -p "$(dirname -- "$root/expected/$2")"
    cp -- "$1" "$root/expected/$2"
}

# archive NAME FOLDER [LEVEL] - FOLDER's content as NAME.tar.zst
archive()
{
    chmod -R u+rwX,go=rX "$2"
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar -C "$2" -cf "$scratch/tar" .
    zstd -q -f --ultra "-${3:-22}" --long=27 "$scratch/tar" -o "$here/$1.tar.zst"
    rm "$scratch/tar"
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# unpack.sh MANIFEST DIR - make the tree of files that a manifest describes. A line is one of
#   PATH = TEXT     a file; \n in TEXT is a new line, and one is added at the end
#   PATH -> TARGET  a link
#   PATH            an empty file; with / at the end a folder
#   @ FOLDER        where paths without a leading / begin from here on
#   use FILE        the lines of another manifest
#   drop PATH       take away what an earlier line made
set -eu
here=$(dirname -- "$1")
out=$2
at=

place()
{
    case $1 in
    /*) target=$out$1 ;;
    *) target=$out$at/$1 ;;
    esac
    mkdir -p -- "${target%/*}"
}

unpack()
{
    while IFS= read -r line; do
        case $line in
        '' | '#'*) ;;
        '@ '*) at=${line#@ } ;;
        'use '*) unpack "$here/${line#use }" ;;
        'drop '*)
            place "${line#drop }"
            rm -rf -- "$target"
            ;;
        *' -> '*)
            place "${line%% -> *}"
            ln -sfn -- "${line#* -> }" "$target"
            ;;
        *' = '*)
            place "${line%% = *}"
            printf '%b\n' "${line#* = }" >"$target"
            ;;
        */) mkdir -p -- "$out$at/${line%/}" ;;
        *)
            place "$line"
            : >"$target"
            ;;
        esac
    done <"$1"
}

mkdir -p -- "$out"
unpack "$1"

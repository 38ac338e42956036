#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_banned.sh - functions that accept junk, overflow or keep hidden state do not appear in our code.
cd -- "$(dirname -- "$0")/.." || exit 2
if grep -nEw '(strtol|strtoul|strtoll|strtoull|atoi|atol|atoll|atof|strtok|sprintf|vsprintf|strcpy|strcat|setlocale) *\(' \
    src/*/*.[ch] cli/*.[ch]; then
    echo "banned function used: see docs/architecture.md" >&2
    exit 1
fi
# malloc and friends live in base only.
if grep -nEw '(malloc|calloc|realloc) *\(' src/*/*.[ch] cli/*.[ch] | grep -v '^src/base/'; then
    echo "memory outside base comes from an arena" >&2
    exit 1
fi

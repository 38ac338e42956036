#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_banned.sh - functions that accept junk, overflow or keep hidden state do not appear in our code.
cd -- "$(dirname -- "$0")/.." || exit 2
if grep -rnE --include='*.[ch]' '\b(strtol|strtoul|strtoll|strtoull|atoi|atol|atoll|atof|strtok|sprintf|vsprintf|strcpy|strcat|setlocale) *\(' \
    src cli; then
    echo "banned function used: see docs/architecture.md" >&2
    exit 1
fi
# malloc and friends live in base only.
if grep -rnE --include='*.[ch]' '\b(malloc|calloc|realloc) *\(' src cli | grep -v '^src/base/'; then
    echo "memory outside base comes from an arena" >&2
    exit 1
fi
# What is shown passes the gate of base/gate.h: no other way to a terminal, and past the gate only for who escapes by
# himself or shows texts of the program.
if grep -rnE --include='*.c' '\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror) *\(' src cli |
    grep -vE '^src/base/(arena|budget)\.c:' | grep -v 'ttp_version'; then
    echo "print through a sink with a gate, or with ttp_message()" >&2
    exit 1
fi
if grep -rnw --include='*.c' 'ttp_sink_trusted' src cli |
    grep -vE '^(src/base/(gate|json_write|sink|sink_format)|src/outputs/show/paint|cli/(verbs/cmd_schema|core/markdown_page))\.c:'; then
    echo "text that passes the gate unseen: ttp_sink_put() for what others wrote, ttp_sink_own() for literals" >&2
    exit 1
fi

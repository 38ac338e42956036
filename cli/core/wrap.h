/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - text cut into lines as Python's textwrap does. Nothing is copied while wrapping. */
#ifndef TTP_CLI_WRAP_H
#define TTP_CLI_WRAP_H

#include "base/arena.h"

struct ttp_wrap {
    ttp_str text; /* words with single blanks between them, none at the ends: ttp_wrap_squeeze() */
    size_t width; /* columns, at least 1 */
    bool hyphens; /* also break after hyphens inside words and around dashes */
    size_t at;    /* private: first byte not yet handed out; 0 to begin */
};

/* The next line, a slice of the text; false at the end. A word longer than the width is cut. */
bool ttp_wrap_next(struct ttp_wrap *w, ttp_str *line);

/* Every run of ASCII blanks as one space, none at the ends. */
ttp_str ttp_wrap_squeeze(ttp_str text, struct ttp_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* textwrap.h - cuts text into lines as Python's textwrap does, which argparse uses; our own text is
 * wrapped by base/wrap.h. Nothing is copied. */
#ifndef TTP_CLI_TEXTWRAP_H
#define TTP_CLI_TEXTWRAP_H

#include "base/arena.h"

struct ttp_textwrap {
    ttp_str text; /* words with single blanks between them, none at the ends: ttp_wrap_squeeze() */
    size_t width; /* columns, at least 1 */
    size_t at;    /* private: first byte not yet handed out; 0 to begin */
};

/* The next line, a slice of the text; false at the end. Lines end at blanks, after hyphens inside
 * words and around dashes; a word longer than the width is cut. */
bool ttp_textwrap_next(struct ttp_textwrap *w, ttp_str *line);

#endif

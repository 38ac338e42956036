/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - words in lines of a given width. Columns are code points. */
#ifndef TTP_BASE_WRAP_H
#define TTP_BASE_WRAP_H

#include "base/sink.h"

/* Where lines begin and end. */
struct ttp_wrap {
    size_t width;  /* columns of a line; one that leaves no room for words, as 0, breaks none */
    size_t column; /* where the first line begins: that much of it is written already */
    size_t hang;   /* blanks before the other lines */
};

/* Write the text to the end of a line. A number and its unit stay on one line. A word longer than a
 * line is whole, except that a path may break after a slash. */
void ttp_put_wrapped(struct ttp_sink *out, ttp_str text, struct ttp_wrap lines);

/* Every run of ASCII blanks as one space, none at the ends. */
ttp_str ttp_wrap_squeeze(ttp_str text, struct ttp_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* shell_lines.h - a command in lines that a shell reads as one command. */
#ifndef TTP_BASE_SHELL_LINES_H
#define TTP_BASE_SHELL_LINES_H

#include "base/sink.h"

/* From `column` on, to the end of the line. Where the command does not fit `width` columns (0: any
 * number) it continues after `hang` blanks, with a backslash before; never inside quotes. */
void ttp_shell_put_lines(struct ttp_sink *out, ttp_str command, size_t width, size_t column,
                         size_t hang);

/* A word as a shell takes it: in single quotes where it has more than letters, digits and what
 * paths have. */
void ttp_shell_put_word(struct ttp_sink *out, ttp_str word);
/* Several, with blanks between them. */
ttp_str ttp_shell_words(const struct ttp_words *words, struct ttp_arena *arena);

#endif

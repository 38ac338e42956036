/* SPDX-License-Identifier: Apache-2.0 */
/* markdown_page.h - a built-in page of Markdown as text for a terminal. */
#ifndef TTP_CLI_MARKDOWN_PAGE_H
#define TTP_CLI_MARKDOWN_PAGE_H

#include "base/sink.h"

/* Paragraphs and items of lists are set again where lines are longer than `width` columns;
 * headings, tables and code stay as they are. A width of 0 changes nothing. */
void ttp_markdown_put(struct ttp_sink *out, ttp_str text, int width, struct ttp_arena *arena);

#endif

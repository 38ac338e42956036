/* SPDX-License-Identifier: Apache-2.0 */
/* status_row.h - the last row of the terminal on stderr, kept for us while another program writes
 * above it: the scrolling region ends one row earlier. Silent unless stderr is a terminal. */
#ifndef TTP_BASE_STATUS_ROW_H
#define TTP_BASE_STATUS_ROW_H

#include "base/str.h"

/* Held by the caller; zero-initialised it is switched off. */
struct ttp_status_row {
    bool on;
    int rows, columns; /* of the terminal when the region was made; 0: not made */
    uint64_t start_ns, drawn_ns;
};

/* Switched on only if `wanted` and stderr is a terminal that can do it. */
void ttp_status_row_init(struct ttp_status_row *s, bool wanted);
/* Time to draw? At most four times a second, and not before half a second has passed. */
bool ttp_status_row_is_due(const struct ttp_status_row *s);
/* Cut to the width of the terminal. Nothing happens while we are in the background. */
void ttp_status_row_draw(struct ttp_status_row *s, ttp_str text);
/* Give the row back. */
void ttp_status_row_clear(struct ttp_status_row *s);

#endif

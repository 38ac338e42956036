/* SPDX-License-Identifier: Apache-2.0 */
/* top_screen.h - the live view of `tt-perf top` on a terminal. */
#ifndef TTP_CLI_TOP_SCREEN_H
#define TTP_CLI_TOP_SCREEN_H

#include "outputs/outputs.h"

/* Is it part of this build? */
bool ttp_top_has_screen(void);

struct ttp_top_screen;
/* Take over the terminal. NULL: it cannot be used, see TERM. Close it in the end. */
struct ttp_top_screen *ttp_top_screen_open(bool color, size_t chips, struct ttp_arena *arena);
void ttp_top_screen_close(struct ttp_top_screen *s);
/* Show what is new and remember it for the sparklines. */
void ttp_top_screen_show(struct ttp_top_screen *s, const struct ttp_top_view *view);
/* Wait for keys until the time is over; changes are shown immediately. False: quit. */
bool ttp_top_screen_wait(struct ttp_top_screen *s, const struct ttp_top_view *view, uint64_t ns);

#endif

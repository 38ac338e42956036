/* SPDX-License-Identifier: Apache-2.0 */
/* top_live.h - memory and activity of the processes that `tt-perf top` shows. */
#ifndef TTP_CLI_TOP_LIVE_H
#define TTP_CLI_TOP_LIVE_H

#include "outputs/outputs.h"

/* The current state: the processes that the allocators count and those that hold a chip. In the
 * arena. */
void ttp_top_live(struct ttp_top_live *out, struct ttp_activity_watch *watch, const char *root,
                  const struct ttp_top_view *view, struct ttp_arena *arena);

#endif

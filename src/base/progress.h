/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - one line on stderr that shows the progress of long work; silent unless stderr is a
 * terminal: "reading ops.csv  43%  512 MB/s  0:07". */
#ifndef TTP_BASE_PROGRESS_H
#define TTP_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Held by the caller; one thread updates it. Zero-initialised it is switched off and costs a
 * branch. */
struct ttp_progress {
    bool on;
    const char *what; /* "reading ops.csv"; borrowed */
    uint64_t total;   /* bytes; 0: unknown, a count is shown instead of a percentage, and the time
                         spent instead of the time left */
    uint64_t start_ns, drawn_ns;
    bool drawn;
};

/* Switched on only if `wanted` and stderr is a terminal (and not TERM=dumb). */
void ttp_progress_init(struct ttp_progress *p, const char *what, uint64_t total, bool wanted);
/* Draws at most ten times a second, and not before 300 ms have passed. */
void ttp_progress_update(struct ttp_progress *p, uint64_t done);
/* The same with other words than bytes: "run 3 of 20, B  0:12". What does not fit is cut off. */
void ttp_progress_say(struct ttp_progress *p, const char *text);
/* Removes the line. */
void ttp_progress_clear(struct ttp_progress *p);

#endif

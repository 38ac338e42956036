/* SPDX-License-Identifier: Apache-2.0 */
/* par.h - work spread over threads whose result does not depend on how many there are. */
#ifndef TTP_BASE_PAR_H
#define TTP_BASE_PAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* An ordered pipeline: items are produced one after the other, worked on at the same time, and
 * merged one after the other in the order of production. The three functions see the same `ctx`;
 * `item` is item_size zeroed bytes that travel from produce to merge. */
struct ttp_pipeline {
    size_t item_size;
    /* Fill *item; *more = false (it comes in true): there is none, and nothing is left. Then, and
     * after a failure, *item does not count as produced. Serial. */
    ttp_code (*produce)(void *ctx, void *item, bool *more, struct ttp_err *err);
    /* May run at the same time as any of the others, for different items. */
    ttp_code (*work)(void *ctx, void *item, struct ttp_err *err);
    /* Serial, in order of production, possibly on another thread than produce. */
    ttp_code (*merge)(void *ctx, void *item, struct ttp_err *err);
    /* Called once for every item produced that never reached merge, and once for each that did,
     * after it: releases what the item holds. NULL: nothing to release. */
    void (*drop)(void *ctx, void *item);
};

/* Run to the end or to the first failure in item order: the error reported is the same for any
 * number of threads. threads 0 means ttp_par_cores(); 1 runs everything on the calling thread. At
 * most 2 * threads + 2 items are alive at a time. Threads are started as items arrive, so little
 * work starts few; a thread that cannot be started is omitted. */
TTP_NODISCARD ttp_code ttp_par_pipeline(const struct ttp_pipeline *p, void *ctx, unsigned threads,
                                        struct ttp_err *err);

/* Processors this process may run on, at least 1. */
unsigned ttp_par_cores(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* device_merge.h - ops of several devices while they become one row each. Private to analysis. */
#ifndef TTP_ANALYSIS_DEVICE_MERGE_H
#define TTP_ANALYSIS_DEVICE_MERGE_H

#include "analysis/stages.h"

/* Device ops of one device, in row order. */
struct ttp_device_queue {
    int64_t device;
    uint32_t *row;
    size_t count, next;
    struct ttp_device_queue *alike; /* another one whose next op has the same name */
    bool in_block;
};

struct ttp_merger {
    struct ttp_stage *stage;
    struct ttp_device_queue *queue;
    size_t nqueues;
    size_t first;  /* of those that have ops left */
    size_t active; /* how many have */
    struct ttp_device_queue *
        *alike; /* by symbol: queues whose next op has that name, in no order */
    struct ttp_device_queue **block; /* queues that took part in the round */
    size_t warnings;                 /* counted beyond MAX_WARNINGS too */
    bool *keep;                      /* by row of the table */
    double *mean_ns;                 /* too; NULL with one device of which no wait is known */
    double *wait_ns;                 /* too; of collectives, the mean over devices */
    bool *averaged;
    struct ttp_row_mesh *mesh; /* too; NULL: not of several ranks */
};

/* The row of a block that represents all: the slowest. Texts are compared as such; false: a text
 * and a number cannot be. */
bool ttp_analysis_devices_slowest_as_written(const struct ttp_merger *m, size_t nblock,
                                             uint32_t *best);
uint32_t ttp_analysis_devices_slowest_valid(const struct ttp_merger *m, size_t nblock);
/* The mean of durations as they are written. False: one is text, which cannot be added. */
bool ttp_analysis_devices_average(struct ttp_merger *m, size_t nblock);
/* The transfer of a collective, and its wait apart. */
void ttp_analysis_devices_split_wait(struct ttp_merger *m, size_t nblock);
/* Which device arrived last at a collective, and how late, if the file has it. */
void ttp_analysis_devices_look_at_mesh(struct ttp_merger *m, size_t nblock);

#endif

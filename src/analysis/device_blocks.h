/* SPDX-License-Identifier: Apache-2.0 */
/* device_blocks.h - the same op on several devices, a block, and its one row. Private to analysis.
 */
#ifndef TTP_ANALYSIS_DEVICE_BLOCKS_H
#define TTP_ANALYSIS_DEVICE_BLOCKS_H

#include "analysis/stages.h"

/* Device ops of one device, in row order. */
struct ttp_device_queue {
    int64_t device;
    uint32_t *row;
    size_t count, next;
    struct ttp_device_queue *alike; /* another one whose next op has the same name */
    bool in_block;
};

struct ttp_device_merger {
    struct ttp_stage *s;
    struct ttp_device_queue *queue;
    size_t nqueues;
    size_t first;  /* of those that have ops left */
    size_t active; /* how many have */
    /* by symbol: queues whose next op has that name, in no order */
    struct ttp_device_queue **alike;
    struct ttp_device_queue **block; /* queues that took part in the round */
    size_t warnings;                 /* also of those that are not printed */
    bool *keep;                      /* by row of the table */
    double *mean_ns;                 /* too; NULL with one device, which has nothing to average */
    double *wait_ns;                 /* too; of collectives, the mean over devices */
    bool *averaged;
    struct ttp_row_mesh *mesh; /* too; NULL: not of several ranks */
};

/* The functions below are about the first `nblock` queues of `block`, whose next rows are the
 * block. The first and the third are false if a duration is a text. */
bool ttp_stage_block_slowest_as_written(const struct ttp_device_merger *m, size_t nblock,
                                        uint32_t *best);
uint32_t ttp_stage_block_slowest_valid(const struct ttp_device_merger *m, size_t nblock);
bool ttp_stage_block_average(struct ttp_device_merger *m, size_t nblock);
/* A collective: its first row with the transfer, and the mean wait of its devices. */
void ttp_stage_block_split_wait(struct ttp_device_merger *m, size_t nblock);
/* Give all rows of the block what ranks found out about it. */
void ttp_stage_block_look_at_mesh(struct ttp_device_merger *m, size_t nblock);

#endif

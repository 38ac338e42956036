/* SPDX-License-Identifier: Apache-2.0 */
/* exec_index.h - private to logs: the executions of a device log and their parts, found by key
 * while the log is read. */
#ifndef TTP_LOGS_EXEC_INDEX_H
#define TTP_LOGS_EXEC_INDEX_H

#include "base/map.h"
#include "logs/device_log.h"

/* Zero-initialise it but for the first four members; clear it in the end. */
struct ttp_exec_index {
    struct ttp_device_log *log; /* its exec, part and times grow */
    struct ttp_arena *arena;    /* of the log */
    bool parts, times;          /* are kept */

    struct ttp_arena scratch;
    struct ttp_exec_key *key; /* device: position in log->device; of each execution: what is
                                 compared lies close together */
    struct ttp_map execs;     /* their positions by key */
    uint32_t *part_slot;      /* open addressing: position + 1, 0: empty */
    size_t npart_slots;
    uint32_t exec_guess, part_guess; /* where the next run probably belongs */
};

/* Where a run belongs. */
struct ttp_exec_place {
    uint32_t exec, part; /* UINT32_MAX: nowhere */
};

/* Made if it is new. */
struct ttp_exec_place ttp_logs_exec_index_find(struct ttp_exec_index *x,
                                               const struct ttp_exec_key *key, uint32_t core);
/* Without trace columns: which execution of its op a run belongs to, from 1. The n-th time that a
 * RISC begins an op is the n-th execution, unless times say that it missed some. All runs before it
 * must have been joined. */
int64_t ttp_logs_exec_index_count_turns(const struct ttp_exec_index *x, struct ttp_exec_key key,
                                        uint32_t core, const struct ttp_marker_run *run);
/* Thereafter: an op that ran once is not a replay, as far as the log says. */
void ttp_logs_exec_index_settle_turns(struct ttp_exec_index *x);
/* Bit of a RISC in ttp_exec_core.begun. */
uint8_t ttp_logs_exec_risc_bit(unsigned risc);
void ttp_logs_exec_index_clear(struct ttp_exec_index *x);

#endif

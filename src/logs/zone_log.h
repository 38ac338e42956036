/* SPDX-License-Identifier: Apache-2.0 */
/* zone_log.h - private to logs: how zones of a device log are paired.
 *
 * Workers pair what begins and ends within a run of rows of their block, whatever was open before
 * cannot change such a pair. What they cannot decide (an end whose start is not in the run, a start
 * that is still open at its end) they pass on as bare markers, in order; the merge applies these to
 * the zones that are open in the lane. So the result does not depend on how the file is cut. */
#ifndef TTP_LOGS_ZONE_LOG_H
#define TTP_LOGS_ZONE_LOG_H

#include "base/map.h"
#include "logs/device_log.h"

/* A new firmware zone begins: whatever is open in the lane lost its end. Never handed out. */
#define TTP_MARK_RESET ((uint8_t)(TTP_MARK_END + 1))

/* Sites by content. Zero-initialise it. */
struct ttp_site_table {
    struct ttp_zone_site *site;
    size_t count;
    struct ttp_map known;
};
uint32_t ttp_logs_site_intern(struct ttp_site_table *t, const struct ttp_zone_site *site,
                              struct ttp_arena *arena);

struct ttp_zone_run {
    uint32_t core; /* in the block's list */
    enum ttp_risc risc;
    ttp_sym risc_name;
    struct ttp_exec_key key; /* without its device */
    size_t first, count;     /* marks */
};

/* What a worker makes of a block, all in the arena. */
struct ttp_zone_block {
    struct ttp_arena *arena; /* set by the caller */
    struct ttp_block_core *core;
    size_t ncores;
    struct ttp_site_table sites;
    struct ttp_symtab names;
    struct ttp_zone_run *run;
    size_t nruns;
    struct ttp_zone_mark *mark;
    size_t nmarks;
    uint64_t rows, lines;
    uint64_t orphan_starts, backward_zones;
    struct ttp_fault bad; /* its line counts from 0 in the block */
    bool has_nul;         /* a bad row has NUL bytes */
};

void ttp_logs_zone_read_rows(struct ttp_zone_block *b, ttp_str text,
                             const struct ttp_device_header *header,
                             const struct ttp_zone_request *request);

/* Zones that are open between blocks; zero-initialise it. All in the arena it is called with. */
struct ttp_zone_merge {
    struct ttp_open_lane *lane; /* those that have an open zone, and unused ones */
    size_t nlanes;
    struct ttp_open_zone *zone;
    size_t nzones;
    uint32_t free_lane, free_zone; /* lists of unused ones: position + 1 */
    uint32_t *bucket;              /* position + 1 of the first lane */
    size_t nbuckets, open_lanes;
    uint64_t open_zones;
    struct ttp_site_table sites;
    uint32_t core_guess;
};

/* Where the zones of all blocks go. */
struct ttp_zone_target {
    struct ttp_zone_log *log;
    const struct ttp_zone_request *request;
    struct ttp_arena *arena;
};
/* Fold a block into `log` and give out what it completes. */
TTP_NODISCARD ttp_code ttp_logs_zone_merge_block(struct ttp_zone_merge *m,
                                                 struct ttp_zone_target to,
                                                 struct ttp_zone_block *b, struct ttp_err *err);
/* What is still open at the end of the file lost its end. */
void ttp_logs_zone_merge_finish(const struct ttp_zone_merge *m, struct ttp_zone_log *log);

#endif

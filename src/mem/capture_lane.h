/* SPDX-License-Identifier: Apache-2.0 */
/* capture_lane.h - what is live on one device during a replay. Private to mem. */
#ifndef TTP_MEM_CAPTURE_LANE_H
#define TTP_MEM_CAPTURE_LANE_H

#include "mem/capture_state.h"

/* Core coordinates are below this in each direction; the largest chips have 20. */
#define TTP_MEM_GRID 64

struct ttp_mem_rect {
    uint8_t x0, y0, x1, y1;
};

/* A circular buffer that has bytes of its own. */
struct ttp_mem_cb {
    uint32_t frame; /* counter of the function that laid it out */
    uint32_t grid;  /* of its chip, among those of the lane */
    uint32_t rect, rects;
    uint64_t bytes, address;
};

struct ttp_mem_grid {
    bool has_chip;
    int64_t chip;
    uint64_t *core; /* bytes of circular buffers, row by row */
};

/* Buffers of one pool in order of their addresses. */
struct ttp_mem_set {
    uint32_t *item;
    size_t count, cap;
    uint64_t bytes, size;
    size_t placeless; /* without an address */
};

struct ttp_mem_lane {
    struct ttp_mem_set set[TTP_MEM_POOLS];
    struct ttp_mem_gaps gaps;
    bool gaps_fresh;
    struct ttp_mem_cb *cb;
    struct ttp_mem_rect *rect;
    struct ttp_mem_grid *grid;
    size_t cbs, cb_cap, rects, rect_cap, grids;
    uint64_t cb_bytes;    /* of the fullest core */
    uint64_t cb_inferred; /* of a launch whose circular buffers are not in the capture */
    uint32_t inferred_frame;
};

void ttp_mem_lane_add(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all, uint32_t at,
                      struct ttp_arena *arena);
/* False: it is missing. */
bool ttp_mem_lane_remove(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all, uint32_t at);
/* Of L1; unknown without a bank or where buffers have no address. */
struct ttp_mem_gaps ttp_mem_lane_gaps(struct ttp_mem_lane *lane, const struct ttp_mem_buffer *all,
                                      const struct ttp_mem_device *d);

/* TTP_ELIMIT: a core beyond the grid. */
TTP_NODISCARD ttp_code ttp_mem_lane_lay_out(struct ttp_mem_lane *lane, const struct ttp_mem_node *n,
                                            uint32_t frame, struct ttp_arena *arena,
                                            struct ttp_err *err);
/* Take away those of a function, or with TTP_MEM_NONE those of a chip; `any_chip`: of all. */
void ttp_mem_lane_clear_frame(struct ttp_mem_lane *lane, uint32_t frame);
void ttp_mem_lane_clear_chip(struct ttp_mem_lane *lane, bool any_chip, int64_t chip);
/* Where the region of circular buffers ends; 0: none. */
uint64_t ttp_mem_lane_cb_end(const struct ttp_mem_lane *lane, const struct ttp_mem_device *d);
/* Room between the circular buffers and the lowest buffer; false: one of them is unknown. */
bool ttp_mem_lane_headroom(int64_t *out, const struct ttp_mem_lane *lane,
                           const struct ttp_mem_buffer *all, const struct ttp_mem_device *d);

#endif

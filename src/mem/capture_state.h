/* SPDX-License-Identifier: Apache-2.0 */
/* capture_state.h - what the two passes over a graph capture share. Private to mem. */
#ifndef TTP_MEM_CAPTURE_STATE_H
#define TTP_MEM_CAPTURE_STATE_H

#include "base/map.h"
#include "base/sym.h"
#include "mem/capture_nodes.h"

#define TTP_MEM_DEVICES_MAX 1024

/* Of a buffer, until the banks of its device are known. */
struct ttp_mem_raw {
    int64_t bank_bytes, page_bytes, cores; /* 0: not given; bank_bytes -1: not given */
    int64_t device;                        /* its id */
};

/* A buffer node: the allocations that it represents share its tensors. */
struct ttp_mem_identity {
    uint32_t latest;      /* buffer */
    uint32_t link, links; /* tensors, in tensor_at */
};

struct ttp_mem_chip {
    int64_t chip, mesh;
};

struct ttp_mem_frame {
    uint32_t counter, launch; /* launch: position, or TTP_MEM_NONE */
    uint32_t cbs;
    bool nested; /* inside an op, or of a kind that is not an op */
    ttp_sym name;
    uint64_t signature;
};

struct ttp_mem_view_use {
    uint32_t counter;
    bool has_chip;
    int64_t chip, address;
};

struct ttp_mem_input_use {
    uint32_t tensor, counter;
};

struct ttp_mem_snapshot_at {
    uint32_t counter;
    size_t offset;
};

/* Lists live in the scratch arena unless the capture has them. */
struct ttp_mem_scan {
    struct ttp_mem_capture *c;
    const struct ttp_mem_source *source;
    struct ttp_arena *arena, *scratch;
    struct ttp_symtab names;
    struct ttp_mem_device *fact; /* of all devices of the file */
    struct ttp_mem_raw *raw;
    struct ttp_mem_identity *identity;
    struct ttp_mem_chip *chip;
    struct ttp_mem_frame *frame;
    struct ttp_mem_view_use *view;
    struct ttp_mem_input_use *input;
    struct ttp_mem_snapshot_at *snapshot;
    struct ttp_mem_launches *launched;
    int64_t *cb_chip; /* chips of circular buffers */
    uint32_t *tensor_node;
    int64_t *tensor_id;
    size_t facts, identities, chips, frames, views, inputs, snapshots, launcheds, links, cb_chips;
    size_t fact_cap, raw_cap, raws, identity_cap, chip_cap, frame_cap, view_cap, input_cap,
        snapshot_cap, launched_cap, link_cap, tensor_cap, tensor_id_cap, tensor_ids, buffer_cap,
        device_cap, op_cap, launch_cap, cb_chip_cap;
    struct ttp_map identity_of, bare, snapshot_of;
    uint32_t op;         /* the one that is running; TTP_MEM_NONE: none */
    uint32_t real_depth; /* ops that are open: 0 or 1 */
    bool seen_compute;
    size_t graph_at; /* where the nodes begin in the text */
    bool apart;      /* other devices were left out: what belongs to none belongs to them */
};

/* The first pass: ops, buffers, uses and launches. */
TTP_NODISCARD ttp_code ttp_mem_scan_run(struct ttp_mem_scan *s, bool partial, struct ttp_err *err);
/* What follows from it: bytes, devices, uses by buffer, sources of circular buffers. */
TTP_NODISCARD ttp_code ttp_mem_settle(struct ttp_mem_scan *s, const struct ttp_mem_options *options,
                                      struct ttp_err *err);
/* The second pass: what was live at each instant. */
TTP_NODISCARD ttp_code ttp_mem_replay_run(struct ttp_mem_scan *s,
                                          const struct ttp_mem_options *options,
                                          struct ttp_err *err);
/* Stale buffers and the histogram. */
void ttp_mem_judge(struct ttp_mem_scan *s);

/* Position of the memory device that a chip belongs to; TTP_MEM_NONE: none. */
uint32_t ttp_mem_device_of(const struct ttp_mem_scan *s, bool has_chip, int64_t chip);
/* Position of a device with that id; TTP_MEM_NONE: none. */
uint32_t ttp_mem_device_find(const struct ttp_mem_capture *c, int64_t id);
/* Is it a function that only gives memory back? */
bool ttp_mem_is_free(ttp_str name);
/* First use of a buffer at or after `counter`; TTP_MEM_NONE: none. */
uint32_t ttp_mem_next_use(const struct ttp_mem_capture *c, const struct ttp_mem_buffer *b,
                          uint32_t counter);

/* Free space of [base, base + size) between blocks that come in order of their addresses. */
struct ttp_mem_sweep {
    uint64_t at, end;
    struct ttp_mem_gaps gaps;
};
void ttp_mem_sweep_begin(struct ttp_mem_sweep *w, const struct ttp_mem_device *d);
void ttp_mem_sweep_block(struct ttp_mem_sweep *w, uint64_t address, uint64_t bytes);
struct ttp_mem_gaps ttp_mem_sweep_end(struct ttp_mem_sweep *w);

/* Live buffers of L1 by address, in the addresses from..to; room.c */
struct ttp_mem_live {
    uint32_t *buffer;
    bool *stays; /* it must not go */
    size_t count;
    uint64_t from, to;
};
void ttp_mem_sort_by_address(uint32_t *buffer, size_t count, const struct ttp_mem_capture *c);
/* The neighbours with the fewest bytes whose end leaves a hole of `need`; it has the list's
 * memory. */
void ttp_mem_find_run(struct ttp_mem_to_free *out, const struct ttp_mem_capture *c,
                      const struct ttp_mem_live *live, uint64_t need);

/* Bytes per bank of an allocation; *estimated: the banks or pages are unknown. */
uint64_t ttp_mem_bank_bytes(bool *estimated, uint64_t size, const struct ttp_mem_raw *raw,
                            enum ttp_mem_pool pool, const struct ttp_mem_device *d);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* noc_fields.h - figures of a program's traffic. Private to outputs. */
#ifndef TTP_OUTPUTS_NOC_NOC_FIELDS_H
#define TTP_OUTPUTS_NOC_NOC_FIELDS_H

#include "outputs/outputs.h"

struct ttp_noc_link_row {
    uint64_t device, x, y;
    uint32_t kind; /* enum ttp_noc_link */
    uint64_t bytes;
    double busy_pct;
    ttp_str name;
};

struct ttp_noc_skipped_row {
    const char *why;
    uint64_t count, bytes;
};

/* tt-npe's figures of one chip. */
struct ttp_noc_chip_row {
    struct ttp_noc_stats mesh;
    bool measured; /* it recorded something: else golden_cycles is not the chip's */
};

/* A view with its figures side by side. */
struct ttp_noc_row {
    const struct ttp_noc_view *view;
    bool of_folder, of_trace; /* has a program, a trace_id and a replay */
    int64_t trace_id, replay;
    const char *board, *model;
    uint32_t cycles_per_step;
    uint64_t full_counters;
    struct ttp_noc_view of;    /* names, options and clocks */
    struct ttp_noc_stats mesh; /* of all chips */
    bool measured;
    struct ttp_noc_profile profile;
    double mean_hops;
    size_t devices, channels;
    struct ttp_noc_chip_row *device;
    struct ttp_noc_link_row *link; /* profile.ntop of them */
    ttp_str hot_link;
    double hot_link_pct;
    struct ttp_noc_skipped_row skipped[TTP_NOC_SKIPS];
    size_t nskipped;
};

/* "(4,1) NOC0_EAST", with "dev 3 " before it if there are several chips. */
void ttp_out_noc_put_link(struct ttp_sink *out, const struct ttp_noc_model *m, uint32_t link);
void ttp_out_noc_make_row(struct ttp_noc_row *row, const struct ttp_noc_view *view,
                          struct ttp_arena *arena);

extern const struct ttp_fields ttp_noc_fields;      /* of struct ttp_noc_row */
extern const struct ttp_fields ttp_noc_link_fields; /* of struct ttp_noc_link_row */

#endif

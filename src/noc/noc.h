/* SPDX-License-Identifier: Apache-2.0 */
/* noc.h - door of the noc module: NoC traffic of a program, and the estimated time of its
 * transfers.
 *
 * Records of NoC traces become transfers; transfers are run through tt-npe's model of links and
 * ports (the estimate: what was offered), and counted along their routes (the profile: what was
 * carried). Results live in the arena the caller passes. No function keeps state; different
 * workloads may be worked on at the same time. */
#ifndef TTP_NOC_NOC_H
#define TTP_NOC_NOC_H

#include "device/device.h"
#include "logs/logs.h"
#include "noc/noc_zones.h"

#define TTP_NOC_NO_GROUP UINT32_MAX

/* One transfer between cores of one chip. Coordinates are NoC 0's. */
struct ttp_noc_transfer {
    uint64_t offset_cycles;         /* when it may start */
    uint32_t packet_bytes, packets; /* the product is taken modulo 2^32, as in tt-npe */
    float inject;                   /* bytes per cycle; 0: as its source's kind */
    uint32_t event;                 /* position of its record in the trace, or of its item */
    uint32_t group;                 /* of a packet of the fabric, TTP_NOC_NO_GROUP: none */
    int32_t index, parent;          /* in the group; parent -1: waits for none of it */
    int16_t sx, sy;                 /* from */
    int16_t dx, dy;                 /* to, or the first corner of a multicast's rectangle */
    int16_t ex, ey;                 /* the other corner; as dx, dy for a unicast */
    uint16_t device;
    uint8_t noc, type; /* type: enum ttp_noc_type */
    bool multicast;
};

/* The last column and row that a multicast reaches. Of a rectangle that ends before it starts,
 * which half_inverted lets pass, it is the first column or row. */
static inline int ttp_noc_last_x(const struct ttp_noc_transfer *t)
{
    return t->ex > t->dx ? t->ex : t->dx;
}
static inline int ttp_noc_last_y(const struct ttp_noc_transfer *t)
{
    return t->ey > t->dy ? t->ey : t->dy;
}

static inline uint32_t ttp_noc_bytes(const struct ttp_noc_transfer *t)
{
    return t->packet_bytes * t->packets;
}

/* First and last cycle of interest, counted from the first record. */
struct ttp_noc_window {
    uint64_t start_cycle, end_cycle;
};

/* Why a record of a transfer did not become one. */
enum ttp_noc_skip {
    TTP_NOC_SKIP_TYPE,  /* a kind of transfer that tt-npe does not know */
    TTP_NOC_SKIP_RISC,  /* no RISC core is named */
    TTP_NOC_SKIP_EMPTY, /* no bytes */
    TTP_NOC_SKIP_STATE, /* reuses a state that was never set */
    TTP_NOC_SKIP_PLACE, /* an end outside the chip, or no such chip */
    TTP_NOC_SKIP_NOC,   /* no NoC, or no rectangle of a multicast */
    TTP_NOC_SKIP_PATH,  /* the fabric's way cannot be found */
    TTP_NOC_SKIP_RECT,  /* a multicast that ends before it starts */
    TTP_NOC_SKIPS,
};
const char *ttp_noc_skip_name(enum ttp_noc_skip why);

struct ttp_noc_load {
    const struct ttp_noc_model *model;
    struct ttp_noc_transfer *transfer;
    size_t ntransfers;
    uint32_t ngroups;
    uint64_t first_cycle;          /* of all records: cycle 0 of everything else here */
    struct ttp_noc_window *window; /* one for each chip */
    struct ttp_noc_window mesh;
    bool has_window; /* a workload without golden_result has none */
    uint64_t skipped[TTP_NOC_SKIPS];
    uint64_t skipped_bytes[TTP_NOC_SKIPS];
    uint32_t first_skipped[TTP_NOC_SKIPS];    /* record; of those that are counted */
    struct ttp_noc_unpaired unpaired;         /* zones */
    const struct ttp_noc_workload_item *item; /* of a workload: one for each transfer */
    uint64_t full_counters; /* transfers recorded as 8160 bytes: they may have been longer */
};

/* How records become transfers and transfers are estimated; all zero: ours. The differences are
 * assumptions and bugs of tt-npe. */
struct ttp_noc_rules {
    bool strict;       /* what is invalid, a transfer, a zone, a way over the fabric, is TTP_EPARSE,
                          and so are workloads without golden cycles or for several chips; else it is
                          counted and left out */
    bool cut_values;   /* numbers are cut to the width of their field, see ttp_noc_trace */
    bool few_types;    /* kinds of transfers that came after tt-npe are left out */
    bool shared_state; /* one state for all cores, at first (0,0) and no bytes */
    bool odd_latencies;    /* that of a multicast is to the end that only a unicast has, that of an
                              unnamed NoC is of -1 hop */
    bool half_inverted;    /* multicasts may end before they start, in one direction */
    bool plain_fabric;     /* a packet of the fabric without a path stays on its chip */
    bool lone_blackholes;  /* packets of the fabric on them are TTP_EPARSE, and in a mesh of them
                              multicasts do not count */
    bool no_old_paths;     /* those of 2025's merged traces end nowhere */
    bool paths_anew;       /* also of packets whose path the trace has */
    bool path_slips;       /* see noc_path.c */
    bool parents_by_place; /* of a path's elements, not of the transfers that they become */
    bool first_is_parent;  /* of transfers whose parent is missing */
    bool common_channels;  /* of cores at the same place of several chips */
    bool idle_windows;     /* devices that do nothing have times, too */
    bool cut_at_jump;      /* of the clock: records after it are dropped, gaps stay */
    bool single_files;     /* a single file is device 0 and is not changed */
    bool npe_dram; /* DRAM is limited by the rate of tt-npe's model, not by the board's peak */
    bool (*has_model)(const struct ttp_noc_model *model); /* NULL: all have */
};

/* A model, and by which rules it is used; rules NULL: ours. */
struct ttp_noc_modelling {
    const struct ttp_noc_model *model;
    const struct ttp_noc_rules *rules;
};
/* The transfers of a trace, whose records are in order of device, core, RISC and time. */
TTP_NODISCARD ttp_code ttp_noc_from_trace(struct ttp_noc_load *out, struct ttp_noc_modelling by,
                                          const struct ttp_noc_trace *trace,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* ---- several devices ---- */

enum ttp_noc_clocks {
    TTP_NOC_CLOCKS_ONE,     /* one device */
    TTP_NOC_CLOCKS_AGREE,   /* devices overlap in time */
    TTP_NOC_CLOCKS_ALIGNED, /* they did not: each now begins at cycle 0 */
    TTP_NOC_CLOCKS_CUT,     /* cut_at_jump: everything after the first was dropped */
};

/* What was done to the times of a trace. */
struct ttp_noc_timing {
    enum ttp_noc_clocks clocks;
    uint64_t dropped_records;
    uint64_t closed_cycles; /* taken out: nothing happened for more than ten times the rest */
};

/* ---- estimate ---- */

struct ttp_noc_options {
    uint32_t cycles_per_step; /* of simulated time; tt-npe's tools use 32 */
    bool no_congestion;       /* as if every transfer were alone */
    bool keep_injection;      /* rates of the workload file; else those of the source's kind */
    float scale;              /* of the times at which transfers start; 0: as they are */
    struct ttp_noc_rules rules;
    unsigned threads; /* 0: one per processor; more than 2 are of no use */
};

/* Offered demand, as tt-npe names and computes it: percentages of what links can carry. */
struct ttp_noc_stats {
    uint64_t estimated_cycles, estimated_cong_free_cycles, golden_cycles;
    double cycle_prediction_error;
    double overall_avg_link_demand, overall_max_link_demand;
    double overall_avg_link_util, overall_max_link_util;
    double overall_avg_niu_demand, overall_max_niu_demand;
    double overall_avg_noc0_link_demand, overall_avg_noc0_link_util, overall_max_noc0_link_demand;
    double overall_avg_noc1_link_demand, overall_avg_noc1_link_util, overall_max_noc1_link_demand;
    double overall_avg_mcast_write_link_util;
    double dram_bw_util, dram_bw_util_sim; /* of the next, on all chips that count */
    double dram_peak_gbs;                  /* of a chip */
    uint64_t num_timesteps;
    double cong_impact;
    double eth_bw_util_agg;
    ttp_str dram_per_ctrl, eth_per_core; /* as tt-npe prints them */
};

struct ttp_noc_estimate {
    struct ttp_noc_stats mesh;
    struct ttp_noc_stats *device;      /* one for each chip */
    uint64_t *start_cycle, *end_cycle; /* of transfers */
    float *inject;                     /* of transfers, as used */
    uint64_t steps;                    /* simulated, idle ones included */
};

/* TTP_EPARSE: the transfers never end (they wait for each other, or a rate is 0), or not within
 * 5e10 cycles. */
TTP_NODISCARD ttp_code ttp_noc_estimate(struct ttp_noc_estimate *out,
                                        const struct ttp_noc_load *load,
                                        const struct ttp_noc_options *options,
                                        struct ttp_arena *arena, struct ttp_err *err);

/* ---- steps, for timelines ---- */

/* A link or port is number ((device * rows + y) * cols + x) * 4 + k. */
enum ttp_noc_link {
    TTP_LINK_NOC0_EAST,
    TTP_LINK_NOC0_SOUTH,
    TTP_LINK_NOC1_NORTH,
    TTP_LINK_NOC1_WEST
};
enum ttp_noc_port { TTP_PORT_NOC0_IN, TTP_PORT_NOC0_OUT, TTP_PORT_NOC1_IN, TTP_PORT_NOC1_OUT };
/* "NOC0_EAST", ... and "NOC0_IN", ... */
extern const char *const ttp_noc_link_names[4];
extern const char *const ttp_noc_port_names[4];

/* Percentages of what links can carry. */
struct ttp_noc_step_stats {
    double avg_link_demand, avg_link_util, mcast_write_link_util, avg_niu_demand;
    double noc_demand[2], noc_util[2], noc_max[2];
};

/* One step of the estimate; valid until the function it is passed to returns. */
struct ttp_noc_step {
    uint64_t start_cycle, end_cycle;
    const uint32_t *live; /* transfers, in no order */
    size_t nlive;
    const float *port, *link; /* bytes per cycle by number */
    const bool *busy;         /* by chip: all links and ports of the others are 0 */
    struct ttp_noc_step_stats mesh;
};
typedef ttp_code ttp_noc_step_fn(void *ctx, const struct ttp_noc_step *step, struct ttp_err *err);

struct ttp_noc_taker {
    ttp_noc_step_fn *fn;
    void *ctx;
};
/* Run the estimate again and show the mesh's steps in order, of which there are
 * estimate->mesh.num_timesteps. Memory does not depend on how many there are. Steps in which
 * nothing moves are shown too; after the end, as in tt-npe, there is one with start and end 0. */
TTP_NODISCARD ttp_code ttp_noc_steps(const struct ttp_noc_load *load,
                                     const struct ttp_noc_options *options,
                                     const struct ttp_noc_estimate *estimate,
                                     struct ttp_noc_taker take, struct ttp_err *err);

/* The links of a transfer's route as the estimate sees it, in tt-npe's order; *out in the arena. */
size_t ttp_noc_route(uint32_t **out, const struct ttp_noc_model *model,
                     const struct ttp_noc_transfer *t, struct ttp_arena *arena);

/* ---- profile: what was carried ---- */

#define TTP_NOC_SIZES   10 /* up to 32, 64, .. 8192 bytes, and more */
#define TTP_NOC_FANOUTS 9  /* 1, 2, up to 4, .. 128, and more receivers */

struct ttp_noc_busy_link {
    uint32_t link; /* number, as in ttp_noc_step */
    uint64_t bytes;
    double busy_pct; /* of the time that it could have carried data */
};

/* A program's transfers along the way that packets take: every byte counts once on every link it
 * passes, so that no figure here can exceed 100 % unless the time is wrong. */
struct ttp_noc_profile {
    uint64_t span_cycles; /* from the first to the last record */
    unsigned chips;       /* that moved anything */
    uint64_t transfers, bytes, read_bytes, write_bytes, fabric_bytes, local_bytes;
    uint64_t noc_bytes[2];
    uint64_t longer_way_bytes; /* of unicasts that would take fewer hops on the other NoC */
    uint64_t hops, byte_hops;
    double carried_pct;            /* byte_hops of what all links of these chips could carry */
    uint64_t *link_bytes;          /* by number */
    struct ttp_noc_busy_link *top; /* the busiest ones, busiest first */
    size_t ntop;
    struct ttp_noc_busy_link *hot;      /* the busiest of each chip; 0 bytes: none */
    uint64_t *out_bytes, *in_bytes;     /* by core: (device * rows + y) * cols + x */
    uint64_t *dram_read, *dram_written; /* by device * dram_channels + channel */
    double dram_imbalance; /* busiest controller over the mean of all; 0: DRAM is not used */
    uint64_t size_count[TTP_NOC_SIZES], size_bytes[TTP_NOC_SIZES];
    uint64_t multicasts, multicast_bytes, multicast_receivers, multicast_links, unicast_links;
    uint64_t fanout_count[TTP_NOC_FANOUTS];
    uint64_t issuing_cores; /* that moved data */
    double core_imbalance;  /* bytes of the busiest issuing core over the mean */
    uint64_t busiest_core;  /* its number */
    /* From zones, where the trace has them. */
    uint64_t kernels, kernel_cycles, kernel_longest_cycles, kernel_start_skew_cycles;
    /* From barriers, which traces since 2026-08 do not have. */
    uint64_t read_barriers, read_wait_cycles, write_barriers, write_wait_cycles;
};

/* `trace` NULL: a workload file, which has neither zones nor barriers. At most `top` links are
 * listed. */
void ttp_noc_make_profile(struct ttp_noc_profile *out, const struct ttp_noc_load *load,
                          const struct ttp_noc_trace *trace, size_t top, struct ttp_arena *arena);

/* ---- all programs of a run ---- */

/* One program and all that is known of its traffic. */
struct ttp_noc_view {
    ttp_str op;         /* name, or empty */
    ttp_str op_code;    /* of an op that has the name of a report: its code; empty: `op` is that */
    uint32_t report_id; /* of its row there; 0: unknown */
    uint64_t op_id;     /* 0: not of a folder */
    int64_t trace_key;  /* TTP_NO_ID: not of a metal trace */
    const char *input;  /* the first file */
    const struct ttp_noc_load *load;
    const struct ttp_noc_estimate *estimate;
    const struct ttp_noc_profile *profile;
    const struct ttp_noc_trace *trace; /* NULL: a workload, or not kept */
    const struct ttp_noc_options *options;
    struct ttp_noc_timing timing;
};

struct ttp_noc_plan {
    struct ttp_noc_options options;
    const char *device;   /* name of a model; NULL: as the topology or the traces say */
    const char *topology; /* path; NULL: next to the traces */
    bool by_name;         /* only programs named in `op_id` or `op` */
    uint64_t op_id;
    const char *op;
    bool one_chip; /* only traces of `chip` */
    int64_t chip;
    bool keep;  /* traces and transfers, for maps and timelines */
    size_t top; /* links to list */
    unsigned threads;
};

struct ttp_noc_results {
    struct ttp_noc_view *view; /* of those that worked, in order */
    size_t count;
    size_t found, failed;
    struct ttp_err first;                /* failure */
    const struct ttp_topology *topology; /* of the last input that has one, or NULL */
    struct ttp_words warnings, notes;    /* a line for human readers each; filled also on failure */
    struct ttp_arena *kept;              /* private */
    size_t nkept;
};

/* Read and estimate every program of files and folders. One program that fails is a failure if it
 * is the only one; else it is a warning. TTP_ENOTFOUND: no traces. Refers to `inputs` and `plan`;
 * clear it while the arena is there. */
TTP_NODISCARD ttp_code ttp_noc_estimate_all(struct ttp_noc_results *out,
                                            const struct ttp_words *inputs,
                                            const struct ttp_noc_plan *plan,
                                            struct ttp_arena *arena, struct ttp_err *err);
void ttp_noc_results_clear(struct ttp_noc_results *r);

#endif

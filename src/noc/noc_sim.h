/* SPDX-License-Identifier: Apache-2.0 */
/* noc_sim.h - private to noc: the simulation for an estimate. */
#ifndef TTP_NOC_NOC_SIM_H
#define TTP_NOC_NOC_SIM_H

#include "noc/noc_lines.h"

/* Of one device, or of the mesh, in one step: sums in the order of tt-npe, before they become
 * percentages. */
struct ttp_noc_sums {
    double demand, util, mcast, niu;
    double noc_demand[2], noc_util[2];
    float noc_max[2];
};

/* What an estimate keeps of steps: those that count are added, the rest waits until it is known
 * whether they do. */
struct ttp_noc_record {
    uint64_t index; /* among the device's steps */
    double demand, util, mcast, niu, noc_demand[2], noc_util[2];
};
struct ttp_noc_account {
    struct ttp_noc_window window;
    uint64_t issue_end;   /* transfers issued later do not count */
    uint64_t worst_cycle; /* end of the last transfer that was issued in the window */
    uint64_t first_step;  /* end of the first step that counts */
    struct ttp_noc_record sum, max;
    struct ttp_noc_record *waiting;
    size_t nwaiting, cap_waiting, first_waiting;
};

/* Shows a step of the simulation; see ttp_noc_step. */
struct ttp_noc_watch {
    ttp_noc_step_fn *fn;
    void *ctx;
    uint64_t steps; /* how many to show: the mesh's */
};

struct ttp_noc_run {
    struct ttp_noc_account *account; /* one for each chip, then the mesh */
    uint64_t *start_cycle, *end_cycle;
    uint64_t steps;
};

struct ttp_noc_sim_options {
    const struct ttp_noc_options *options;
    const float *inject;
    bool congestion;
    const struct ttp_noc_watch *watch;
};
TTP_NODISCARD ttp_code ttp_noc_simulate(struct ttp_noc_run *out, const struct ttp_noc_load *load,
                                        struct ttp_noc_sim_options options, struct ttp_arena *arena,
                                        struct ttp_err *err);

/* ---- what waits for what ---- */

#define TTP_NOC_NOBODY UINT32_MAX

struct ttp_noc_waits {
    uint32_t *queue; /* transfers by offset and number, the last ones first */
    uint32_t *on;    /* the transfer this one waits for, or TTP_NOC_NOBODY */
    uint32_t *delay; /* cycles after that one's end; NULL: always 0 */
    uint32_t *first; /* of those that wait for this one */
    uint32_t *next;  /* the next that waits for the same */
};

/* `offset` are the transfers' start times as used. */
void ttp_noc_find_waits(struct ttp_noc_waits *out, const struct ttp_noc_load *load,
                        const uint64_t *offset, const struct ttp_noc_rules *rules,
                        struct ttp_arena *arena);

/* ---- state of a simulation ---- */

/* Where a multicast goes. */
struct ttp_noc_fan {
    struct ttp_noc_fan *spare; /* the next unused one */
    size_t nspans, nports;
    struct ttp_noc_span span[TTP_NOC_MAX_LEGS];
    uint32_t port[]; /* of its receivers */
};

/* A transfer that runs. */
struct ttp_noc_live {
    uint32_t id, left_bytes;
    uint64_t start, wait_end; /* wait_end: of what it waited for, UINT64_MAX: nothing */
    float base, rate;         /* bytes per cycle: alone, and in this step */
    float inject, absorb;
    uint32_t from_port, to_port;
    struct ttp_noc_fan *fan; /* NULL: a unicast */
    uint16_t device;
    bool mcast_write;
    uint8_t nspans; /* of a unicast */
    struct ttp_noc_span span[2];
};

/* Becomes free at a cycle. */
struct ttp_noc_timer {
    uint64_t cycle;
    uint32_t id;
};

struct ttp_noc_sim {
    const struct ttp_noc_load *load;
    const struct ttp_noc_model *model;
    const float *inject;
    uint64_t step; /* cycles */
    bool congestion;
    size_t n;
    uint64_t *start, *end;
    struct ttp_noc_waits waits;
    uint32_t *place; /* in the queue */
    size_t queued;   /* those in the queue */
    size_t unseen;   /* those at its front whose time has not come */
    uint32_t *free;  /* to run in this step, and in the next */
    size_t nfree, cap_free;
    struct ttp_noc_timer *timer; /* heap */
    size_t ntimers, cap_timers;
    struct ttp_noc_live *pool;
    size_t npool, cap_pool;
    uint32_t *live; /* places in the pool, in the order of running */
    size_t nlive, cap_live;
    uint32_t *spare; /* places that are free again */
    size_t nspare, cap_spare;
    struct ttp_noc_fan *spare_fan;
    struct ttp_noc_lines lines;
    struct ttp_noc_rates link, mlink; /* mlink: of multicast writes */
    float *port;                      /* by number */
    float least;                      /* that anyone asks for in this step, except for 0 */
    bool steady;                      /* all that run did so from the beginning of the step */
    bool unchanged;                   /* the same ones run as in the last step */
    size_t plane;                     /* cores of a device */
    bool *busy, *mbusy;               /* devices something runs on, and multicasts write on */
    struct ttp_noc_sums *sums;        /* one for each chip, then the mesh */
    struct ttp_noc_run *run;
    const struct ttp_noc_watch *watch;
    uint64_t shown;
    float *by_number;     /* links as shown */
    bool *by_number_busy; /* devices that are not all 0 there */
    bool fresh;           /* links are no longer as shown */
    uint32_t *live_ids;
    size_t cap_ids;
    bool moved;
    struct ttp_arena *arena;
};

/* ---- one step ---- */

/* The way of a transfer that begins to run. */
void ttp_noc_find_way(struct ttp_noc_sim *s, struct ttp_noc_live *l);
/* All that runs asks for its full rate on links and ports, which are clear. */
void ttp_noc_ask(struct ttp_noc_sim *s, uint64_t from, uint64_t now);
/* Every transfer gets its share of the link or port with the highest demand. */
void ttp_noc_share(struct ttp_noc_sim *s);
/* What was asked for, by device and of the mesh: into s->sums. */
void ttp_noc_sum_step(struct ttp_noc_sim *s);
/* The same in tt-npe's order of links, whatever the numbers are. */
void ttp_noc_sum_in_order(struct ttp_noc_sim *s);
/* Links, ports, and which devices are busy. */
void ttp_noc_open_grids(struct ttp_noc_sim *s, bool multicasts);
void ttp_noc_clear_grids(struct ttp_noc_sim *s);
struct ttp_noc_step_stats ttp_noc_percentages(const struct ttp_noc_sim *s,
                                              const struct ttp_noc_sums *m, bool mesh);

/* How many steps of an account count. */
uint64_t ttp_noc_account_steps(const struct ttp_noc_account *a, uint64_t cycles_per_step);

#endif

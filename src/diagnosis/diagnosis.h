/* SPDX-License-Identifier: Apache-2.0 */
/* diagnosis.h - door of the diagnosis module: what limits an operation. It decides the roles of
 * kernels, the bytes of tensors, the bound, the limit and the ceiling, for every verb: `analysis`
 * asks it about rows of the operations table, `kernel` about zones and NoC traces. */
#ifndef TTP_DIAGNOSIS_DIAGNOSIS_H
#define TTP_DIAGNOSIS_DIAGNOSIS_H

#include "device/device.h"

/* What limits an op, finer than its bound; the first that applies. */
enum ttp_limit {
    TTP_LIMIT_NONE, /* unknown: no time, or nothing says what the op did in it */
    TTP_LIMIT_HOST,
    TTP_LIMIT_DRAM,
    TTP_LIMIT_FLOP,
    TTP_LIMIT_BOTH,
    TTP_LIMIT_LINK,
    TTP_LIMIT_NOC,
    TTP_LIMIT_CORES,     /* most of the grid does nothing */
    TTP_LIMIT_IMBALANCE, /* one core works much longer than the others */
    TTP_LIMIT_PADDING,   /* most of what is computed is filling */
    TTP_LIMIT_READER,    /* compute waits for input */
    TTP_LIMIT_WRITER,    /* compute waits for room for output */
    TTP_LIMIT_COMPUTE,
    TTP_LIMIT_GAP,  /* the device waits longer for the op than the op takes */
    TTP_LIMIT_SLOW, /* far from every ceiling that is known, and nothing says why */
    TTP_LIMITS,
};
const char *ttp_diagnosis_limit_name(enum ttp_limit limit); /* "" for none */

/* ---- peaks ---- */

/* From this share of a peak on an op is bound by it (tt-perf-report). */
#define TTP_BOUND_PCT 65.0
/* Whether a share of a peak bounds an op. More than all of it cannot be true, and decides nothing.
 */
static inline bool ttp_is_bound(double pct)
{
    return pct >= TTP_BOUND_PCT && pct <= 100;
}

/* Bytes of an element of that datatype, exponents of block formats included; 0: unknown. */
double ttp_diagnosis_element_bytes(ttp_str datatype);

/* ---- roles of kernels ---- */

/* The RISCs that move data, and the three that compute together. */
enum ttp_actor { TTP_ACTOR_NCRISC, TTP_ACTOR_BRISC, TTP_ACTOR_COMPUTE, TTP_ACTORS };
enum { TTP_MOVERS = TTP_ACTOR_COMPUTE };
enum ttp_moving { TTP_READS = 1, TTP_WRITES = 2 };

struct ttp_role_evidence {
    ttp_str op;      /* its code; empty: unknown */
    ttp_str sources; /* files of its data movement kernels, as the ops CSV lists them; or empty */
    ttp_str kernel[TTP_MOVERS]; /* name of the kernel that each runs; or empty */
    uint8_t seen[TTP_MOVERS];   /* enum ttp_moving: by a flow graph or a NoC trace; 0: unknown */
};
struct ttp_roles {
    uint8_t does[TTP_MOVERS]; /* enum ttp_moving */
};
/* By what was seen, else by names of kernels, else by their sources. Where nothing says otherwise
 * NCRISC reads and BRISC writes; in matmuls NCRISC reads input 0, BRISC reads input 1 and writes.
 */
struct ttp_roles ttp_diagnose_roles(const struct ttp_role_evidence *e);

/* ---- what holds an op up ---- */

struct ttp_actor_time {
    double time;              /* of its kernels, as a part of the op's; 0: unknown */
    bool says_waits;          /* the next two are known */
    double wait_in, wait_out; /* for data and for room, as parts of its time */
    double barrier;           /* for its own transfers; 0: unknown */
};

/* What is known of an op; 0: unknown. */
struct ttp_symptoms {
    double time_us, gap_us;
    double dram_pct, dram_gbs, dram_peak_gbs; /* dram_gbs 0: the share is from NoC traces */
    double one_noc_part;                      /* as struct ttp_arch has it */
    double flops_pct, flops_peak;             /* TFLOPs */
    double link_gbs, link_peak_gbs;
    double noc_pct, congestion_pct;
    ttp_str hot_link;
    double cores, available_cores;
    double imbalance; /* slowest core over the average */
    double fill_pct;  /* elements that are not padding */
    struct ttp_actor_time actor[TTP_ACTORS];
    struct ttp_roles roles;
    bool on_host, has_noc, has_fill; /* the last two: that share is known */
    bool one_core_a_bank;            /* few cores are meant: DRAM-sharded */
};

/* Which of reader, compute and writer the others wait for. */
struct ttp_thread_verdict {
    enum ttp_limit limit; /* READER, COMPUTE, WRITER or NOC; SLOW: balanced; NONE: unknown */
    enum ttp_actor actor; /* if it is one of the first three */
    double gain;          /* at most this many times faster without it; 1: unknown */
    bool from_waits;      /* else from barriers, or how long kernels ran */
    bool all_wait;        /* SLOW: none works half of the time */
};
struct ttp_op_verdict {
    enum ttp_limit limit;
    double gain; /* too */
    struct ttp_thread_verdict thread;
};
void ttp_diagnose(struct ttp_op_verdict *out, const struct ttp_symptoms *s);

/* ---- in words ---- */

/* The ceiling of an op. */
struct ttp_ceiling {
    const char *name; /* "DRAM" */
    double peak;      /* in `unit`; 0: there is no number */
    const char *unit;
    double reached_pct;
    const char *cause; /* why the ceiling is where it is */
};
struct ttp_ceiling ttp_diagnosis_ceiling(const struct ttp_symptoms *s, enum ttp_limit limit);
/* The evidence for a limit in one sentence, in the arena. */
ttp_str ttp_diagnosis_limit_evidence(const struct ttp_symptoms *s, enum ttp_limit limit,
                                     struct ttp_arena *arena);
ttp_str ttp_diagnosis_ceiling_text(const struct ttp_ceiling *ceiling, struct ttp_arena *arena);

#endif

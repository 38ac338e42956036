/* SPDX-License-Identifier: Apache-2.0 */
/* counter_metrics.h - private to ops: metrics as data. V(c) is a counter's value on a core, R(c)
 * its reference count; a, b, c, d are the metric's counters in order. Results are per cent of one
 * core unless it is a rate. */
#ifndef TTP_OPS_COUNTER_METRICS_H
#define TTP_OPS_COUNTER_METRICS_H

#include <stdbool.h>

enum ttp_formula {
    METRIC_UTIL,                  /* V(a) / R(a) */
    METRIC_RATIO,                 /* V(a) / V(b) */
    METRIC_RATIO_IF_ANY,          /* the same, if a ever counted on the device */
    METRIC_UNPACKER1,             /* V(a) / V(b); device-only reports have V(c) / V(b) */
    METRIC_UNPACKERS,             /* mean of the two metrics before, as far as there are */
    METRIC_PACKER,                /* V(a) / V(b) if b ever counted, else V(c) / V(a) */
    METRIC_HANDOFF,               /* V(a) / V(b) if b ever counted, else V(a) / R(a) */
    METRIC_FLOW,                  /* (V(a) + V(b)) / (V(c) + V(d)) */
    METRIC_COMPLEMENT,            /* (V(b) - V(a)) / V(b), at least 0 */
    METRIC_DIFFERENCE,            /* the same, but below 0 if it is; device-only: at least 0 */
    METRIC_DIFFERENCE_IF_ANY,     /* the same, if a ever counted on the device */
    METRIC_HIFI,                  /* (V(b) + V(c)) / (V(a) + V(b) + V(c)) */
    METRIC_HF_CYCLES,             /* (V(a) + 2 V(b) + 4 V(c)) / (V(a) + V(b) + V(c)) */
    METRIC_CHANNELS,              /* mean of V(a) and V(b), by R(a) */
    METRIC_PACKER_PORT,           /* V / R of a, or of b where the chip has no a */
    METRIC_BACKPRESSURE,          /* (V(a) - V(b) + V(c) - V(d)) / (V(a) + V(c)), at least 0 */
    METRIC_UNPACKER_BACKPRESSURE, /* COMPLEMENT, if the two count related events */
    METRIC_PACKER_BACKPRESSURE,   /* COMPLEMENT of a and b, or a and c where the chip has no b */
    METRIC_ENGINE,                /* UTIL of a; device-only reports have it if there is a b */
    METRIC_L1_TOTAL,              /* all ports of bank 0, by eight times R(a) */
    METRIC_L1_READS,              /* share of reads */
    METRIC_L1_OUTGOING,           /* share of what leaves, of NoC traffic */
    METRIC_CONTENTION,            /* mean COMPLEMENT of five ports */
    METRIC_NOC_SHARE,             /* of the NoC, in NoC and FPU (a) together */
    METRIC_L1_TDMA,               /* share of the TDMA bundles */
    METRIC_OVERLAP,               /* sum of all others by V(a), a ratio although headed (%) */
    METRIC_IMBALANCE,             /* (largest - smallest) / largest */
    METRIC_PER_UNPACK,            /* V(a) / (V(b) + V(c)) */
};

#define TTP_METRIC_COUNTERS 10

struct ttp_counter_metric {
    const char *name;
    enum ttp_formula formula;
    bool rate;   /* as it is, no per cent, no " (%)" in its columns */
    int need;    /* how many of the counters, from the first, must have been captured */
    bool always; /* it has columns as soon as any counter was captured */
    const char *counter[TTP_METRIC_COUNTERS];
};

#define TTP_METRICS 84
extern const struct ttp_counter_metric ttp_metrics[TTP_METRICS];

#endif

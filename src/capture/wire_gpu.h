/* SPDX-License-Identifier: Apache-2.0 */
/* wire_gpu.h - zones of devices as they come: a begin and an end, and the time of each after them.
 * Nothing of it is written to the journal. Private to capture. */
#ifndef TTP_CAPTURE_WIRE_GPU_H
#define TTP_CAPTURE_WIRE_GPU_H

#include "base/map.h"
#include "base/sym.h"
#include "capture/capture.h"

struct ttp_wire_gpu_context {
    ttp_str name;    /* empty: unknown yet */
    float period;    /* ns of a unit of time */
    uint32_t *query; /* by number: twice the number of a zone, and 1 for its end; 0: none */
};
/* Zones are numbered from 1 on, and each takes the place of the one that began long before it. */
struct ttp_gpu_zone {
    int64_t start, end;
    ttp_sym name, file;
    uint32_t number, below; /* below: of the zone around it; 0: none */
    uint8_t has;            /* 1: start, 2: end */
};

struct ttp_wire_gpu {
    /* Set by the caller; NULL: zones of devices are skipped. */
    ttp_device_zone_fn *use;
    void *arg;
    struct ttp_arena *arena;
    /* private */
    struct ttp_wire_gpu_context *context[64];
    struct ttp_gpu_zone *zone;
    uint32_t last;       /* number of the last zone */
    struct ttp_map open; /* context and thread to the number of the innermost zone */
    struct ttp_symtab names;
    int64_t clock;
};

/* Numbers of an item about a zone. */
struct ttp_gpu_item {
    size_t context;
    uint32_t thread;
    uint16_t query;
};

void ttp_wire_gpu_context(struct ttp_wire_gpu *g, size_t context, float period);
void ttp_wire_gpu_name(struct ttp_wire_gpu *g, size_t context, ttp_str name);
void ttp_wire_gpu_begin(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at, ttp_str name,
                        ttp_str file);
void ttp_wire_gpu_end(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at);
/* Times are reported as what is added to the last one, whichever context it was of. */
void ttp_wire_gpu_time(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at, int64_t delta);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_plan.h - private to capture: all that must be known of a recording before the first byte of
 * its .tracy file is written: texts, numbers of threads and source locations, how zones nest. */
#ifndef TTP_CAPTURE_TRACY_PLAN_H
#define TTP_CAPTURE_TRACY_PLAN_H

#include "capture/tracy_nest.h"
#include "capture/wire_keep.h"

/* What 16 bits of a file can name: ids 1 to 32,767 and -1 to -32,767; 0 is taken. */
#define TTP_TRACY_STATIC  ((size_t)32767)
#define TTP_TRACY_DYNAMIC ((size_t)32767)
/* Threads have 16 bits too. */
#define TTP_TRACY_THREADS ((size_t)65535)
/* Numbers of texts of zones have 24 bits and are stored plus one. */
#define TTP_TRACY_TEXTS ((uint32_t)0xFFFFFE)

struct ttp_tracy_allocation {
    uint64_t address, bytes;
    int64_t taken_ns, freed_ns; /* freed: TTP_KEPT_NEVER */
    uint16_t taken_by, freed_by;
};

struct ttp_tracy_pool {
    uint64_t id;  /* of its name, see ttp_tracy_plan.named; 0: memory of the host */
    uint64_t key; /* of the recording */
    uint64_t high, low, usage;
    struct ttp_tracy_allocation *item;
    size_t count, freed;
    size_t discarded; /* all before this one are freed */
};

struct ttp_tracy_plan {
    struct ttp_trace *trace;
    const struct ttp_wire_keep *keep;
    struct ttp_arena *arena;

    struct ttp_symtab texts; /* texts of the file by their number */
    struct ttp_tracy_note {
        uint32_t text, name; /* number plus one; 0: none */
        uint32_t color;
    } * note;              /* of zones, as in the trace */
    ttp_sym *message_text; /* of messages in the order of time */
    const struct ttp_trace_message **message;
    uint32_t *message_first, *message_order; /* by thread, as in ttp_nest */
    ttp_sym *thread_name;
    ttp_sym *source_name, *source_function, *source_file;
    size_t nsources; /* that the file has; if some are folded, the last one represents them */
    uint32_t *context_name; /* number plus one; 0: none */
    ttp_sym *named;         /* texts that plots, frames and pools name by position plus one */
    size_t nnamed;
    uint64_t *plot_id, *frames_id; /* of the keep */

    uint64_t *tid; /* of threads by number; 0 is taken */
    size_t ntids;
    struct ttp_map number_of; /* and back */

    struct ttp_nest zones, device;
    uint64_t *source_zones, *source_device_zones;
    struct ttp_tracy_pool *pool; /* the first is that of the host */
    size_t npools;
    uint64_t allocations;
    int64_t last_ns;

    uint64_t folded;  /* zones whose source location has no id of its own */
    uint64_t dropped; /* texts of zones beyond TTP_TRACY_TEXTS */
    uint64_t clamped; /* times beyond what 48 bits can tell */
};

/* `plan` has trace, keep and arena set, the rest zero. TTP_ELIMIT: more threads than a file can
 * have. */
TTP_NODISCARD ttp_code ttp_tracy_plan_make(struct ttp_tracy_plan *plan, struct ttp_err *err);
/* Its allocations and frees in pairs; tracy_pools.c. */
void ttp_tracy_plan_pools(struct ttp_tracy_plan *plan);

/* Within 48 bits. */
int64_t ttp_tracy_fit(struct ttp_tracy_plan *plan, int64_t ns);
/* Number of a thread; 0: none. */
uint16_t ttp_tracy_thread(const struct ttp_tracy_plan *plan, uint64_t tid);
/* Id of a source location of the trace. */
int16_t ttp_tracy_source_id(const struct ttp_tracy_plan *plan, uint32_t source);
/* A new id under which plots, frames or pools are called so. */
uint64_t ttp_tracy_add_name(struct ttp_tracy_plan *plan, ttp_str name);

#endif

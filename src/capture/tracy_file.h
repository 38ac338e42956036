/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_file.h - code shared by the readers of sections of a .tracy file. */
#ifndef TTP_CAPTURE_TRACY_FILE_H
#define TTP_CAPTURE_TRACY_FILE_H

#include "capture/bytes.h"
#include "capture/trace_readers.h"
#include "capture/tracy_container.h"
#include "capture/wire_items.h"

#define TTP_TRACY_REF              ((size_t)9)
#define TTP_TRACY_SOURCE           ((size_t)35)
#define TTP_TRACY_VERSION(a, b, c) ((unsigned)(a) << 16 | (unsigned)(b) << 8 | (unsigned)(c))

struct ttp_tracy {
    struct ttp_tracy_in in;
    struct ttp_trace_builder *builder;
    struct ttp_arena *arena;
    unsigned version;
    bool sections; /* after the frames */
    ttp_str *string;
    size_t nstrings;
    struct ttp_map string_at;  /* old address -> position in string */
    struct ttp_map pointer_at; /* address in the program -> position in string */
    struct ttp_map thread_name, index_of, source_at, message_at;
    struct base_source {
        unsigned char bytes[TTP_TRACY_SOURCE];
    } * base;
    size_t nbases;
    size_t nexpand; /* positive ids of source locations */
    size_t ndynamic;
    struct extra {
        uint32_t text, name; /* position in string plus one; 0: none */
    } * extra;
    size_t nextras;
    uint8_t *verdict;
    uint64_t zones;
    size_t cap_device[3], cap_plot[3]; /* of the columns of the trace */
};

static inline bool ttp_tracy_u64(struct ttp_tracy *t, uint64_t *v)
{
    unsigned char b[8];

    if (!ttp_tracy_get(&t->in, b, sizeof(b)))
        return false;
    *v = ttp_get64(b);
    return true;
}

static inline bool ttp_tracy_i64(struct ttp_tracy *t, int64_t *v)
{
    uint64_t u;

    if (!ttp_tracy_u64(t, &u))
        return false;
    *v = (int64_t)u;
    return true;
}

static inline bool ttp_tracy_u32(struct ttp_tracy *t, uint32_t *v)
{
    unsigned char b[4];

    if (!ttp_tracy_get(&t->in, b, sizeof(b)))
        return false;
    *v = ttp_get32(b);
    return true;
}

/* Files have red in the low byte, a trace has blue there. */
static inline uint32_t ttp_tracy_color(uint32_t color)
{
    return (color & 0xFF00FF00) | (color >> 16 & 0xFF) | (color & 0xFF) << 16;
}

static inline bool ttp_tracy_odd(struct ttp_tracy *t, const char *why)
{
    t->in.over = true;
    t->in.why = why;
    return false;
}

/* u64 count, then as many elements of that size. */
TTP_NODISCARD bool ttp_tracy_skip_array(struct ttp_tracy *t, uint64_t size);
/* A zone's number for its source location, as a position in the trace. False: none. */
TTP_NODISCARD bool ttp_tracy_source(const struct ttp_tracy *t, int16_t id, uint32_t *source);
/* Section 21: zones, and which thread each message is of. */
bool ttp_tracy_read_threads(struct ttp_tracy *t);
/* Section 22, zones of devices, and section 23, plots: kept if asked for, passed over if not. */
bool ttp_tracy_read_devices(struct ttp_tracy *t);
bool ttp_tracy_read_plots(struct ttp_tracy *t);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Zones and messages of a recording, handed out like those of the CSVs that are made of it. */
#include "logs/recording_stream.h"

#include "base/vec.h"
#include "capture/capture.h"
#include "logs/row_blocks.h"

#define BATCH 4096

struct streaming {
    const struct ttp_trace *trace;
    struct ttp_symtab names;
    ttp_sym *name_of; /* by source: symbol plus one; 0: not looked up */
    struct ttp_host_zone_request request;
};

/* The name that the zone was given, or that of its place in the source. */
static ttp_str name_of(const struct ttp_trace *t, size_t i)
{
    const uint32_t extra = t->zone.extra[i];
    const ttp_str given = extra == TTP_ZONE_NONE ? (ttp_str){0} : t->zone.note[extra].name;

    return given.len ? given : ttp_sym_name(&t->names, t->source[t->zone.source[i]].name);
}

static ttp_sym symbol_of(struct streaming *s, size_t i)
{
    const struct ttp_trace *t = s->trace;
    const uint32_t extra = t->zone.extra[i], source = t->zone.source[i];

    if (extra != TTP_ZONE_NONE && t->zone.note[extra].name.len)
        return ttp_sym_intern(&s->names, t->zone.note[extra].name);
    if (!s->name_of[source])
        s->name_of[source] = ttp_sym_intern(&s->names, name_of(t, i)) + 1;
    return s->name_of[source] - 1;
}

/* False: it never ended, or is not one of those asked for. */
static bool take(struct ttp_host_zone *out, struct streaming *s, size_t i)
{
    const struct ttp_trace_zones *z = &s->trace->zone;
    const uint32_t extra = z->extra[i];
    int64_t id;

    if (z->end_ns[i] == TTP_ZONE_OPEN || z->start_ns[i] < 0 || z->end_ns[i] < z->start_ns[i])
        return false;
    const bool of_op = ttp_logs_names_op(name_of(s->trace, i));
    if (s->request.ops_only && !of_op)
        return false;
    *out = (struct ttp_host_zone){.name = symbol_of(s, i),
                                  .thread = (uint32_t)s->trace->thread[z->thread[i]].index,
                                  .start_ns = z->start_ns[i],
                                  .end_ns = z->end_ns[i]};
    if (of_op && extra != TTP_ZONE_NONE && ttp_logs_row_id_behind_colon(z->note[extra].text, &id) &&
        id >= 0) {
        out->has_op = true;
        out->op_id = (uint64_t)id;
    }
    return true;
}

static ttp_code hand_out(struct streaming *s, struct ttp_host_zone *zone, struct ttp_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < s->trace->zone.count; i++) {
        n += take(&zone[n], s, i);
        if (n < BATCH && i + 1 < s->trace->zone.count)
            continue;
        const struct ttp_host_zone_batch batch = {&s->names, zone, n, 0};
        TTP_TRY(s->request.take(s->request.arg, &batch, err));
        n = 0;
    }
    return TTP_OK;
}

ttp_code ttp_logs_recording_stream_zones(const char *path, struct ttp_host_zone_request request,
                                         const struct ttp_logs_options *options,
                                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_trace_reading how = {.zones = request.ops_only ? TTP_ZONES_OPS : TTP_ZONES_ALL,
                                          .progress = options->progress};
    struct streaming s = {.names = {.arena = arena}, .request = request};
    struct ttp_arena scratch = {0};
    struct ttp_trace trace;

    ttp_code rc = ttp_capture_trace_read(&trace, path, &how, &scratch, err);
    if (rc == TTP_OK) {
        s.trace = &trace;
        s.name_of = TTP_NEW(&scratch, ttp_sym, trace.nsources + 1);
        rc = hand_out(&s, TTP_NEW(&scratch, struct ttp_host_zone, BATCH), err);
    }
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_logs_recording_stream_messages(const char *path, ttp_message_fn *use, void *arg,
                                            struct ttp_err *err)
{
    const struct ttp_trace_reading how = {.zones = TTP_ZONES_NONE};
    struct ttp_arena scratch = {0};
    struct ttp_trace trace;

    ttp_code rc = ttp_capture_trace_read(&trace, path, &how, &scratch, err);
    const struct ttp_trace_message **message =
        rc == TTP_OK ? ttp_capture_trace_sort_messages(&trace, &scratch) : NULL;
    for (size_t i = 0; rc == TTP_OK && i < trace.nmessages; i++)
        rc = use(arg, message[i]->text, message[i]->ns, err);
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_logs_stream_memory(const char *path, ttp_host_memory_fn *use, void *arg,
                                struct ttp_err *err)
{
    const struct ttp_trace_reading how = {.zones = TTP_ZONES_NONE, .memory = true};
    struct ttp_arena scratch = {0};
    struct ttp_trace trace;

    if (!ttp_logs_is_recording(path))
        return TTP_OK;
    ttp_code rc = ttp_capture_trace_read(&trace, path, &how, &scratch, err);
    for (size_t i = 0; rc == TTP_OK && i < trace.nmemory; i++) {
        const struct ttp_trace_memory *m = &trace.memory[i];

        rc = use(arg,
                 &(struct ttp_host_memory){ttp_sym_name(&trace.names, m->pool), m->ns, m->address,
                                           m->bytes, m->freed},
                 err);
    }
    ttp_arena_free(&scratch);
    return rc;
}

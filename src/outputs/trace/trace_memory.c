/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices as the host recorded it: a counter for each pool. */
#include "base/map.h"
#include "base/vec.h"
#include "outputs/trace/trace_run.h"

enum { RANK_MEMORY = 4 };

struct counting {
    struct ttp_tracing *tracing;
    struct ttp_arena scratch;
    struct pool {
        ttp_sym name;
        ttp_track track;
        uint64_t bytes;
        struct ttp_map size_at; /* by address: position in `size` */
    } * pool;
    size_t pools;
    uint64_t *size;
    size_t sizes;
    struct ttp_symtab names;
};

static struct pool *pool_of(struct counting *c, ttp_str name)
{
    const ttp_sym sym = ttp_sym_intern(&c->names, name);

    if (sym == c->pools) {
        const ttp_track track = ttp_out_trace_add_track(
            &c->tracing->w,
            &(struct ttp_trace_track){.parent = c->tracing->host,
                                      .name = ttp_arena_copy(c->tracing->arena, name),
                                      .note = TTP_STR("allocated, over all banks"),
                                      .unit = "B",
                                      .kind = TTP_TRACK_COUNTER,
                                      .rank = RANK_MEMORY});
        *TTP_PUSH(&c->scratch, c->pool, c->pools) =
            (struct pool){.name = sym, .track = track, .size_at = {.arena = &c->scratch}};
    }
    return &c->pool[sym];
}

static bool is_shown(const struct ttp_tracing *t, int64_t ns)
{
    return ns >= 0 && ns < TTP_TRACE_HOST_NS_MAX &&
           (!t->narrowed || (t->has_window && ns >= t->from_ns && ns <= t->to_ns));
}

static ttp_code take(void *arg, const struct ttp_host_memory *m, struct ttp_err *err)
{
    struct counting *c = arg;
    struct pool *p = pool_of(c, m->pool);
    const uint32_t at = ttp_map_get(&p->size_at, m->address);

    (void)err;
    if (m->freed && at == TTP_MAP_NONE)
        return TTP_OK; /* older than the recording */
    if (at == TTP_MAP_NONE) {
        ttp_map_put(&p->size_at, m->address, (uint32_t)c->sizes);
        *TTP_PUSH(&c->scratch, c->size, c->sizes) = m->bytes;
        p->bytes += m->bytes;
    } else {
        p->bytes = p->bytes - c->size[at] + (m->freed ? 0 : m->bytes);
        c->size[at] = m->freed ? 0 : m->bytes;
    }
    if (is_shown(c->tracing, m->ns))
        ttp_out_trace_counter(&c->tracing->w, p->track, m->ns + c->tracing->host_shift_ns,
                              (double)p->bytes);
    return TTP_OK;
}

ttp_code ttp_out_tracing_put_memory(struct ttp_tracing *t, struct ttp_err *err)
{
    struct counting c = {.tracing = t};

    if (!t->run->host_zones)
        return TTP_OK;
    c.names.arena = &c.scratch;
    const ttp_code rc = ttp_logs_stream_memory(t->run->host_zones, take, &c, err);
    ttp_arena_free(&c.scratch);
    return rc;
}

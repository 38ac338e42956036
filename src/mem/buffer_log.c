/* SPDX-License-Identifier: Apache-2.0 */
/* buffer_log.c - the inspector's mesh_buffers_log.yaml: the only source with times of day.
 *
 * An id is a pointer and is reused after its buffer is freed: a free belongs to the latest
 * allocation with that id. */
#include "base/input.h"
#include "base/map.h"
#include "base/vec.h"
#include "mem/mem.h"

enum record { NO_RECORD, ALLOCATED, FREED };
enum { HAS_ID = 1, HAS_SIZE = 2, HAS_TIME = 4 };

struct live {
    uint64_t bytes;
    uint32_t pool;
    bool is;
};

struct reader {
    struct ttp_mem_buffer_log *out;
    struct ttp_arena *arena;
    struct ttp_arena scratch;
    struct ttp_map by_id;
    struct live *live;
    size_t lives;
    enum record record;
    unsigned has;
    uint64_t id, bytes, time;
    uint32_t pool;
    uint64_t line;
    bool known;
};

static uint32_t pool_of(struct reader *r, ttp_str name)
{
    struct ttp_mem_buffer_log *out = r->out;

    for (size_t i = 0; i < out->pools; i++)
        if (ttp_str_eq(out->pool[i].name, name))
            return (uint32_t)i;
    if (out->pools == TTP_MEM_POOLS) /* a name we do not know: there are no more kinds of memory */
        return TTP_MEM_NONE;
    *TTP_PUSH(r->arena, out->pool, out->pools) =
        (struct ttp_mem_log_pool){.name = ttp_arena_copy(r->arena, name)};
    return (uint32_t)out->pools - 1;
}

static void take_back(struct reader *r, struct live *l)
{
    r->out->pool[l->pool].bytes -= l->bytes;
    l->is = false;
}

static void add(struct reader *r)
{
    uint32_t at = ttp_map_get(&r->by_id, r->id);
    struct ttp_mem_log_pool *pool = &r->out->pool[r->pool];

    if (at == TTP_MEM_NONE) {
        at = (uint32_t)r->lives;
        (void)TTP_PUSH(&r->scratch, r->live, r->lives);
        r->live[at] = (struct live){0};
        ttp_map_put(&r->by_id, r->id, at);
    }
    /* an id that comes again without a free: the earlier buffer counts as never released */
    r->live[at] = (struct live){r->bytes, r->pool, true};
    r->out->allocations++;
    pool->bytes += r->bytes;
    if (pool->bytes > pool->peak_bytes) {
        pool->peak_bytes = pool->bytes;
        pool->peak_ns = r->time;
    }
}

static void finish(struct reader *r)
{
    const unsigned wanted =
        r->record == ALLOCATED ? HAS_ID | HAS_SIZE | HAS_TIME : HAS_ID | HAS_TIME;

    if (r->record == NO_RECORD)
        return;
    if ((r->has & wanted) != wanted || (r->record == ALLOCATED && r->pool == TTP_MEM_NONE)) {
        r->out->incomplete++;
    } else if (r->record == ALLOCATED) {
        add(r);
    } else {
        const uint32_t at = ttp_map_get(&r->by_id, r->id);

        if (at == TTP_MEM_NONE || !r->live[at].is)
            r->out->unpaired_frees++;
        else
            take_back(r, &r->live[at]);
    }
    r->record = NO_RECORD;
}

static void take_key(struct reader *r, ttp_str line)
{
    const size_t colon = ttp_str_find_char(line, ':');
    const ttp_str key = ttp_str_trim(ttp_str_slice(line, 0, colon == TTP_NPOS ? 0 : colon));
    const ttp_str value =
        ttp_str_trim(ttp_str_slice(line, colon == TTP_NPOS ? line.len : colon + 1, line.len));

    if (ttp_str_eq(key, TTP_STR("id")))
        r->has |= ttp_str_to_u64(value, &r->id) ? HAS_ID : 0;
    else if (ttp_str_eq(key, TTP_STR("device_local_size")))
        r->has |= ttp_str_to_u64(value, &r->bytes) && r->bytes < UINT64_C(1) << 48 ? HAS_SIZE : 0;
    else if (ttp_str_eq(key, TTP_STR("timestamp_ns")))
        r->has |= ttp_str_to_u64(value, &r->time) ? HAS_TIME : 0;
    else if (ttp_str_eq(key, TTP_STR("buffer_type")))
        r->pool = pool_of(r, value);
}

static ttp_code read_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reader *r = arg;
    ttp_str line;

    (void)err;
    while (ttp_str_next_line(&text, &line)) {
        r->line++;
        if (ttp_str_starts(line, TTP_STR("- "))) {
            finish(r);
            r->record = ttp_str_eq(line, TTP_STR("- mesh_buffer_allocated:"))     ? ALLOCATED
                        : ttp_str_eq(line, TTP_STR("- mesh_buffer_deallocated:")) ? FREED
                                                                                  : NO_RECORD;
            r->known |= r->record != NO_RECORD;
            r->has = 0;
            r->pool = TTP_MEM_NONE;
        } else if (r->record != NO_RECORD) {
            take_key(r, line);
        }
    }
    return TTP_OK;
}

ttp_code ttp_mem_read_buffer_log(struct ttp_mem_buffer_log *out, const char *path,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    struct reader r = {.out = out, .arena = arena};

    *out = (struct ttp_mem_buffer_log){.path = path};
    r.by_id.arena = &r.scratch;
    ttp_code rc = ttp_input_each(path, ttp_input_cut_lines, read_lines, &r, err);
    finish(&r);
    if (rc == TTP_OK && r.line > 0 && !r.known) {
        rc = ttp_fail_at(err, TTP_EPARSE, 0, "not a buffer log: it has no mesh_buffer_allocated");
        ttp_err_where(err, path, 1);
    }
    for (size_t i = 0; i < r.lives; i++)
        out->live_at_end += r.live[i].is;
    ttp_arena_free(&r.scratch);
    return rc;
}

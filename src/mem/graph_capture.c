/* SPDX-License-Identifier: Apache-2.0 */
/* graph_capture.c - a graph capture as a whole, and its results. */
#include "base/order.h"

#include "mem/capture_state.h"

const char *ttp_mem_pool_name(enum ttp_mem_pool pool)
{
    static const char *const names[] = {"DRAM", "L1", "SYSTEM", "L1_SMALL", "TRACE"};

    return pool < TTP_MEM_POOLS ? names[pool] : "";
}

enum ttp_mem_pool ttp_mem_pool_of(const struct ttp_mem_node *n)
{
    if (ttp_mem_has(n, TTP_PARAM_BUFFER_TYPE)) {
        const int64_t type = n->param[TTP_PARAM_BUFFER_TYPE];

        return type >= 0 && type < TTP_MEM_POOLS ? (enum ttp_mem_pool)type : TTP_MEM_POOLS;
    }
    for (int p = 0; p < TTP_MEM_POOLS; p++)
        if (ttp_str_eq(n->type, ttp_str_from(ttp_mem_pool_name((enum ttp_mem_pool)p))))
            return (enum ttp_mem_pool)p;
    return TTP_MEM_POOLS;
}

const char *ttp_mem_class_name(enum ttp_mem_class c)
{
    static const char *const names[] = {"input", "intermediate", "output", "stale", "waiting"};

    return names[c];
}

const char *ttp_mem_cb_source_name(enum ttp_mem_cb_source s)
{
    static const char *const names[] = {"given", "inferred", "unknown"};

    return names[s];
}

/* --- stale buffers --- */

/* The op in whose span a counter lies; TTP_MEM_NONE: none. */
static uint32_t op_at(const struct ttp_mem_capture *c, uint32_t counter)
{
    size_t lo = 0;

    TTP_BISECT(lo, c->ops, mid, c->op[mid].start <= counter);
    return lo && c->op[lo - 1].end >= counter ? (uint32_t)lo - 1 : TTP_MEM_NONE;
}

/* How many ops, frees apart, begin after `after` and end before `freed`; before[i]: how many there
 * are before position i. */
static uint32_t ops_between(const struct ttp_mem_capture *c, const uint32_t *before, int64_t after,
                            uint32_t freed)
{
    size_t lo = 0;

    /* the first that begins after `after` */
    TTP_BISECT(lo, c->ops, mid, c->op[mid].start <= after);
    const size_t first = lo;
    /* the first that does not end before `freed` */
    TTP_BISECT(lo, c->ops, mid,
               c->op[mid].end < freed || (freed == TTP_MEM_NONE && c->op[mid].end == TTP_MEM_NONE));
    return before[lo] - before[first];
}

TTP_ORDER(by_byte_ops, struct ttp_mem_stale, TTP_DOWN(byte_ops), TTP_UP(buffer))

static void add_stale(struct ttp_mem_scan *s, const uint32_t *before, uint32_t at)
{
    struct ttp_mem_capture *c = s->c;
    const struct ttp_mem_buffer *b = &c->buffer[at];
    const uint32_t last = b->uses ? c->use_at[b->use + b->uses - 1] : b->alloc;
    const uint32_t op = last == TTP_MEM_NONE ? TTP_MEM_NONE : op_at(c, last);
    struct ttp_mem_stale *out = &c->stale[c->stales];

    /* older than the capture and never used: stale from the first op on */
    *out = (struct ttp_mem_stale){.buffer = at, .last_op = op};
    if (last == TTP_MEM_NONE)
        out->ops = ops_between(c, before, -1, b->freed);
    else if (op == TTP_MEM_NONE)
        out->ops = ops_between(c, before, last, b->freed);
    else if (c->op[op].finished)
        out->ops = ops_between(c, before, c->op[op].end, b->freed);
    out->byte_ops = out->ops * b->bytes;
    c->stales += out->ops > 0;
}

static void find_stale(struct ttp_mem_scan *s)
{
    struct ttp_mem_capture *c = s->c;
    uint32_t *before = TTP_NEW(s->scratch, uint32_t, c->ops + 1);

    for (size_t i = 0; i < c->ops; i++)
        before[i + 1] = before[i] + !c->op[i].frees;
    c->stale = TTP_NEW(s->arena, struct ttp_mem_stale, c->buffers + 1);
    for (uint32_t i = 0; i < c->buffers; i++)
        if (c->buffer[i].pool == TTP_MEM_L1 && c->buffer[i].node != TTP_MEM_NONE)
            add_stale(s, before, i);
    TTP_SORT(c->stale, c->stales, by_byte_ops);
}

/* --- sizes --- */

static void count_sizes(struct ttp_mem_scan *s)
{
    struct ttp_mem_capture *c = s->c;
    uint64_t count[TTP_MEM_POOLS][64] = {{0}};

    for (size_t i = 0; i < c->buffers; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[i];

        if (b->device == TTP_MEM_NONE || b->alloc == TTP_MEM_NONE)
            continue;
        count[b->pool][b->bytes ? 63 - __builtin_clzll(b->bytes) : 0]++;
    }
    c->bin = TTP_NEW(s->arena, struct ttp_mem_bin, TTP_COUNT(count) * TTP_COUNT(count[0]));
    for (int p = 0; p < TTP_MEM_POOLS; p++)
        for (unsigned e = 0; e < TTP_COUNT(count[0]); e++)
            if (count[p][e])
                c->bin[c->bins++] = (struct ttp_mem_bin){(uint8_t)p, UINT64_C(1) << e, count[p][e]};
}

void ttp_mem_judge(struct ttp_mem_scan *s)
{
    find_stale(s);
    count_sizes(s);
}

/* A capture may be one line: the byte says more than the line. */
static void tell_place(struct ttp_err *err, const struct ttp_mem_source *source, const char *path)
{
    const size_t offset = err->offset;
    const struct ttp_err was = *err;

    if (err->code == TTP_EPARSE || err->code == TTP_ELIMIT) {
        ttp_fail_at(err, was.code, offset, "%s, at byte %zu", was.text, offset);
        if (was.hint[0])
            ttp_err_hint(err, "%s", was.hint);
        else if (offset >= source->text.len)
            ttp_err_hint(err, "it is truncated; use --partial to read up to there");
    }
    ttp_err_where(err, path, 1 + ttp_str_count_lines(ttp_str_slice(source->text, 0, offset)));
}

ttp_code ttp_mem_read_capture(struct ttp_mem_capture *out, const char *path,
                              const struct ttp_mem_options *options, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    struct ttp_mem_source source;
    struct ttp_arena scratch = {0};

    *out = (struct ttp_mem_capture){.path = path, .version = -1};
    TTP_TRY(ttp_mem_source_open(&source, path, err));
    struct ttp_mem_scan s = {.c = out,
                             .source = &source,
                             .arena = arena,
                             .scratch = &scratch,
                             .names = {.arena = arena},
                             .identity_of = {.arena = &scratch},
                             .bare = {.arena = &scratch},
                             .snapshot_of = {.arena = &scratch}};
    ttp_code rc = ttp_mem_scan_run(&s, options->partial, err);
    if (rc == TTP_OK)
        rc = ttp_mem_settle(&s, options, err);
    if (rc == TTP_OK)
        rc = ttp_mem_replay_run(&s, options, err);
    if (rc == TTP_OK)
        ttp_mem_judge(&s);
    else if (err)
        tell_place(err, &source, path);
    ttp_arena_free(&scratch);
    ttp_mem_source_close(&source);
    return rc;
}

/* --- tensors --- */

static bool find_tensor(int64_t *id, const struct ttp_mem_capture *c, uint32_t counter)
{
    size_t lo = 0;

    TTP_BISECT(lo, c->tensor_nodes, mid, c->tensor_node[mid] < counter);
    if (lo == c->tensor_nodes || c->tensor_node[lo] != counter)
        return false;
    *id = c->tensor_id[lo];
    return true;
}

size_t ttp_mem_tensor_ids(const int64_t **ids, const struct ttp_mem_capture *c,
                          const struct ttp_mem_buffer *b, struct ttp_arena *arena)
{
    int64_t *all = TTP_NEW(arena, int64_t, b->tensors + 1);
    size_t n = 0, kept = 0;

    for (uint32_t i = 0; i < b->tensors; i++)
        n += find_tensor(&all[n], c, c->tensor_at[b->tensor + i]);
    TTP_SORT(all, n, ttp_by_i64);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[kept++] = all[i];
    *ids = all;
    return kept;
}

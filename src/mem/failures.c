/* SPDX-License-Identifier: Apache-2.0 */
/* failures.c - messages of allocations that failed, and what could be done about them. */
#include <stdlib.h>

#include "base/input.h"
#include "base/vec.h"
#include "mem/capture_state.h"

const char *ttp_mem_failure_name(enum ttp_mem_failure_kind kind)
{
    static const char *const names[] = {"out_of_memory", "cb_clash", "cb_too_large"};

    return names[kind];
}

const char *ttp_mem_verdict_name(enum ttp_mem_verdict verdict)
{
    static const char *const names[] = {"larger_than_a_bank", "full",         "fragmented",
                                        "cb_clash",           "cb_too_large", "unknown"};

    return names[verdict];
}

/* --- messages --- */

/* The number after the next `words`; *rest continues after it. */
static bool number_after(ttp_str *rest, ttp_str words, uint64_t *out)
{
    const size_t at = ttp_str_find(*rest, words);
    size_t digits = 0;

    if (at == TTP_NPOS)
        return false;
    const ttp_str text = ttp_str_slice(*rest, at + words.len, rest->len);
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    if (!ttp_str_to_u64(ttp_str_slice(text, 0, digits), out) || *out >= UINT64_C(1) << 48)
        return false;
    *rest = ttp_str_slice(text, digits, text.len);
    return true;
}

static void judge_space(struct ttp_mem_failure *f)
{
    const uint64_t need = f->bytes_per_bank;

    f->verdict = TTP_MEM_VERDICT_UNKNOWN;
    f->has_short = false;
    if (f->bank_bytes && need > f->bank_bytes) {
        f->verdict = TTP_MEM_LARGER_THAN_BANK;
        f->short_by = need - f->bank_bytes;
    } else if (f->has_bank && need > f->free) {
        f->verdict = TTP_MEM_FULL;
        f->short_by = need - f->free;
    } else if (f->has_bank && need > f->largest_free) {
        f->verdict = TTP_MEM_FRAGMENTED;
        f->short_by = need - f->largest_free;
    } else {
        return; /* unknown, or there was room and the allocator had other reasons */
    }
    f->has_short = true;
}

static bool parse_space(struct ttp_mem_failure *f, ttp_str rest, struct ttp_arena *arena)
{
    *f = (struct ttp_mem_failure){.kind = TTP_MEM_OUT_OF_MEMORY};
    if (!number_after(&rest, TTP_STR("Not enough space to allocate "), &f->bytes) ||
        !ttp_str_starts(rest, TTP_STR(" B ")))
        return false;
    rest = ttp_str_slice(rest, 3, rest.len);
    const size_t word = ttp_str_find_char(rest, ' ');
    if (word == TTP_NPOS || word > 16)
        return false;
    f->pool = ttp_arena_copy(arena, ttp_str_slice(rest, 0, word));
    if (!number_after(&rest, TTP_STR(" across "), &f->banks) ||
        !number_after(&rest, TTP_STR("each bank needs to store "), &f->bytes_per_bank))
        return false;
    /* "bank size is only N B" is all that messages of 2024 tell */
    f->has_bank = (number_after(&rest, TTP_STR("bank size is "), &f->bank_bytes) ||
                   number_after(&rest, TTP_STR("bank size is only "), &f->bank_bytes)) &&
                  number_after(&rest, TTP_STR("allocated: "), &f->allocated) &&
                  number_after(&rest, TTP_STR("free: "), &f->free) &&
                  number_after(&rest, TTP_STR("largest free block: "), &f->largest_free);
    judge_space(f);
    return true;
}

/* "circular" or "dataflow", the word before " buffers in program". */
static ttp_str what_buffers(ttp_str rest)
{
    return ttp_str_has(rest, TTP_STR("Statically allocated dataflow")) ? TTP_STR("dataflow")
                                                                       : TTP_STR("circular");
}

static bool parse_clash(struct ttp_mem_failure *f, ttp_str rest, struct ttp_arena *arena)
{
    *f = (struct ttp_mem_failure){
        .kind = TTP_MEM_CB_CLASH, .verdict = TTP_MEM_VERDICT_CLASH, .what = what_buffers(rest)};
    if (!number_after(&rest, TTP_STR(" buffers in program "), &f->program))
        return false;
    const size_t range = ttp_str_find(rest, TTP_STR(" on core range "));
    if (range == TTP_NPOS)
        return false;
    rest = ttp_str_slice(rest, range + 15, rest.len);
    const size_t end = ttp_str_find(rest, TTP_STR(". "));
    f->cores =
        ttp_arena_copy(arena, ttp_str_slice(rest, 0, end == TTP_NPOS || end > 4096 ? 4096 : end));
    if (!number_after(&rest, TTP_STR("L1 buffer allocated at "), &f->lowest_l1) ||
        !number_after(&rest, TTP_STR("region ends at "), &f->region_end))
        return false;
    f->has_short = f->region_end > f->lowest_l1;
    f->short_by = f->has_short ? f->region_end - f->lowest_l1 : 0;
    return true;
}

static bool parse_growth(struct ttp_mem_failure *f, ttp_str rest, struct ttp_arena *arena)
{
    *f = (struct ttp_mem_failure){.kind = TTP_MEM_CB_TOO_LARGE,
                                  .verdict = TTP_MEM_VERDICT_TOO_LARGE,
                                  .what = what_buffers(rest)};
    const size_t range = ttp_str_find(rest, TTP_STR(" on core range "));
    const size_t grow = ttp_str_find(rest, TTP_STR(" grow to "));
    if (range != TTP_NPOS && range + 15 < grow && grow - range < 4096)
        f->cores = ttp_arena_copy(arena, ttp_str_slice(rest, range + 15, grow));
    (void)number_after(&rest, TTP_STR(" buffers in program "), &f->program);
    if (!number_after(&rest, TTP_STR(" grow to "), &f->region_end) ||
        !number_after(&rest, TTP_STR("beyond max L1 size of "), &f->max_l1))
        return false;
    f->has_short = f->region_end > f->max_l1;
    f->short_by = f->has_short ? f->region_end - f->max_l1 : 0;
    return true;
}

bool ttp_mem_parse_failure(struct ttp_mem_failure *out, ttp_str message, struct ttp_arena *arena)
{
    static const struct {
        ttp_str words;
        bool (*parse)(struct ttp_mem_failure *f, ttp_str rest, struct ttp_arena *arena);
    } kinds[] = {
        {TTP_STR("Out of Memory: "), parse_space},
        {TTP_STR(" clash with L1 buffers"), parse_clash},
        {TTP_STR("beyond max L1 size of "), parse_growth},
    };

    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (ttp_str_has(message, kinds[i].words) && kinds[i].parse(out, message, arena))
            return true;
    return false;
}

bool ttp_mem_same_failure(const struct ttp_mem_failure *a, const struct ttp_mem_failure *b)
{
    return a->kind == b->kind && a->has_bank == b->has_bank && a->bytes == b->bytes &&
           a->banks == b->banks && a->bytes_per_bank == b->bytes_per_bank &&
           a->bank_bytes == b->bank_bytes && a->allocated == b->allocated && a->free == b->free &&
           a->largest_free == b->largest_free && a->program == b->program &&
           a->lowest_l1 == b->lowest_l1 && a->region_end == b->region_end &&
           a->max_l1 == b->max_l1 && ttp_str_eq(a->pool, b->pool) &&
           ttp_str_eq(a->cores, b->cores) && ttp_str_eq(a->what, b->what);
}

struct log {
    struct ttp_mem_failures *out;
    struct ttp_arena *arena;
    const char *path;
    uint64_t line;
};

static ttp_code read_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct log *log = arg;
    ttp_str line;

    (void)err;
    while (ttp_str_next_line(&text, &line)) {
        struct ttp_mem_failure f;

        log->line++;
        if (!ttp_mem_parse_failure(&f, line, log->arena))
            continue;
        f.path = log->path;
        f.line = log->line;
        *TTP_PUSH(log->arena, log->out->item, log->out->count) = f;
    }
    return TTP_OK;
}

ttp_code ttp_mem_read_log(struct ttp_mem_failures *out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct log log = {out, arena, path, 0};

    return ttp_input_each(path, ttp_input_cut_lines, read_lines, &log, err);
}

/* --- what would have to go --- */

static enum ttp_mem_pool pool_named(ttp_str name)
{
    for (int p = 0; p < TTP_MEM_POOLS; p++)
        if (ttp_str_eq(name, ttp_str_from(ttp_mem_pool_name((enum ttp_mem_pool)p))))
            return (enum ttp_mem_pool)p;
    return TTP_MEM_POOLS;
}

/* The device whose bank is the one of the message, else the first that has a bank. */
static uint32_t device_of(const struct ttp_mem_capture *c, const struct ttp_mem_failure *f)
{
    uint32_t found = TTP_MEM_NONE;

    for (uint32_t d = 0; d < c->devices; d++) {
        const int64_t bank = c->device[d].l1_bank_bytes;

        if (bank > 0 && f->has_bank && (uint64_t)bank == f->bank_bytes)
            return d;
        if (bank > 0 && found == TTP_MEM_NONE)
            found = d;
    }
    return found;
}

/* Live buffers of L1 at the end, by address; false: one of them has none. */
static bool list_live(uint32_t **out, size_t *count, const struct ttp_mem_capture *c,
                      uint32_t device, struct ttp_arena *arena)
{
    *out = TTP_NEW(arena, uint32_t, c->buffers + 1);
    *count = 0;
    for (uint32_t i = 0; i < c->buffers; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[i];

        if (b->pool != TTP_MEM_L1 || b->device != device || b->freed != TTP_MEM_NONE)
            continue;
        if (!b->has_address || b->address <= 0)
            return false;
        (*out)[(*count)++] = i;
    }
    ttp_mem_sort_by_address(*out, *count, c);
    return true;
}

/* Does the op that never ended need it? */
static bool is_needed(const struct ttp_mem_capture *c, const struct ttp_mem_buffer *b)
{
    const struct ttp_mem_op *op = c->ops ? &c->op[c->ops - 1] : NULL;

    if (!op || op->finished)
        return false;
    return (b->alloc != TTP_MEM_NONE && b->alloc >= op->start) ||
           ttp_mem_next_use(c, b, op->start) != TTP_MEM_NONE;
}

static void judge_by_capture(struct ttp_mem_failure *f, const struct ttp_mem_capture *c,
                             const uint32_t *live, size_t count, const struct ttp_mem_device *d)
{
    struct ttp_mem_sweep sweep;

    ttp_mem_sweep_begin(&sweep, d);
    for (size_t i = 0; i < count; i++)
        ttp_mem_sweep_block(&sweep, (uint64_t)c->buffer[live[i]].address, c->buffer[live[i]].bytes);
    const struct ttp_mem_gaps gaps = ttp_mem_sweep_end(&sweep);
    struct ttp_mem_failure known = *f;
    known.has_bank = true;
    known.bank_bytes = (uint64_t)d->l1_bank_bytes;
    known.free = gaps.free;
    known.largest_free = gaps.largest;
    judge_space(&known);
    f->verdict = known.verdict;
    f->short_by = known.short_by;
    f->has_short = known.has_short;
    f->from_capture = known.verdict != TTP_MEM_VERDICT_UNKNOWN;
}

/* Which buffers must go so that the circular buffers of the op that never ended overlap nothing?
 * Those below their end which the op does not need; and as many as leave a hole above it for what
 * the op itself allocated below, because L1 is filled from the top. Inputs of the op stay. */
static void explain_clash(struct ttp_mem_to_free *out, const struct ttp_mem_failure *f,
                          const struct ttp_mem_capture *c, uint32_t device, struct ttp_arena *arena)
{
    const struct ttp_mem_device *d = &c->device[device];
    const struct ttp_mem_op *op = c->ops ? &c->op[c->ops - 1] : NULL;
    struct ttp_mem_live above = {.from = f->region_end,
                                 .to = (uint64_t)(d->l1_base + d->l1_bank_bytes)};
    struct ttp_mem_to_free hole = {0};
    uint64_t bytes = 0, own = 0;
    uint32_t *live, *gone;
    size_t count, below = 0;

    if (!op || op->finished || !list_live(&live, &count, c, device, arena))
        return;
    gone = TTP_NEW(arena, uint32_t, count + 1);
    above.stays = TTP_NEW(arena, bool, count + 1);
    above.buffer = TTP_NEW(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[live[i]];
        const bool needed = is_needed(c, b);

        if ((uint64_t)b->address >= f->region_end) {
            above.stays[above.count] = needed;
            above.buffer[above.count++] = live[i];
        } else if (!needed) {
            gone[below++] = live[i];
            bytes += b->bytes;
        } else if (b->alloc != TTP_MEM_NONE && b->alloc >= op->start) {
            own = b->bytes > own ? b->bytes : own;
        } else {
            return;
        }
    }
    if (own)
        ttp_mem_find_run(&hole, c, &above, own);
    if (own && !hole.any)
        return;
    for (size_t i = 0; i < hole.count; i++)
        gone[below + i] = hole.buffer[i];
    *out = (struct ttp_mem_to_free){.any = below + hole.count > 0,
                                    .buffer = gone,
                                    .count = below + hole.count,
                                    .bytes = bytes + hole.bytes,
                                    .hole = hole.hole};
}

void ttp_mem_explain(struct ttp_mem_to_free *out, struct ttp_mem_failure *f,
                     const struct ttp_mem_capture *c, struct ttp_arena *arena)
{
    const uint32_t device = device_of(c, f);
    uint32_t *live;
    size_t count;

    *out = (struct ttp_mem_to_free){0};
    if (f->kind == TTP_MEM_CB_CLASH && device != TTP_MEM_NONE)
        explain_clash(out, f, c, device, arena);
    if (f->kind != TTP_MEM_OUT_OF_MEMORY || pool_named(f->pool) != TTP_MEM_L1 ||
        device == TTP_MEM_NONE || !list_live(&live, &count, c, device, arena))
        return;
    const struct ttp_mem_device *d = &c->device[device];
    if (!f->has_bank)
        judge_by_capture(f, c, live, count, d);
    struct ttp_mem_live blocks = {.buffer = live,
                                  .stays = TTP_NEW(arena, bool, count + 1),
                                  .count = count,
                                  .from = (uint64_t)d->l1_base,
                                  .to = (uint64_t)(d->l1_base + d->l1_bank_bytes)};
    for (size_t i = 0; i < count; i++)
        blocks.stays[i] = is_needed(c, &c->buffer[live[i]]);
    ttp_mem_find_run(out, c, &blocks, f->bytes_per_bank);
}

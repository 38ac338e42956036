/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's share of the zones of a device log: rows to zones that are complete, and to bare
 * markers where the other half is not in the run. */
#include "base/python_text.h"
#include "base/vec.h"
#include "logs/device_log.h"
#include "logs/device_row.h"
#include "logs/zone_log.h"

enum { CACHED_SITES = 256, MAX_DEPTH = 256 };

/* The texts a site was found by; they are slices of the block. */
struct cached_site {
    ttp_str name, file, line;
    uint64_t timer;
    uint32_t site;
};

struct open_zone {
    uint32_t site;
    uint64_t cycle;
};

struct reader {
    struct ttp_zone_block *block;
    const struct ttp_zone_request *request;
    struct ttp_device_cursor at;
    uint32_t core;
    struct ttp_zone_run *run; /* of the rows at the cursor's place and execution */
    struct open_zone stack[MAX_DEPTH];
    size_t depth;
    struct cached_site cache[CACHED_SITES];
};

uint32_t ttp_logs_site_intern(struct ttp_site_table *t, const struct ttp_zone_site *site,
                              struct ttp_arena *arena)
{
    const uint64_t hash = ttp_hash_u64(ttp_hash_u64(0, (uint64_t)site->name << 32 | site->file),
                                       (uint64_t)site->line << 32 | site->timer_id);
    uint32_t at;

    TTP_MAP_EACH (at, &t->known, hash) {
        const struct ttp_zone_site *s = &t->site[at];
        if (s->name == site->name && s->file == site->file && s->line == site->line &&
            s->timer_id == site->timer_id)
            return at;
    }
    t->known.arena = arena;
    ttp_map_add(&t->known, hash, (uint32_t)t->count);
    *TTP_PUSH(arena, t->site, t->count) = *site;
    return (uint32_t)t->count - 1;
}

static TTP_NOINLINE uint32_t new_site(struct reader *r, const struct cached_site *c)
{
    struct ttp_zone_block *b = r->block;
    const ttp_str name = ttp_str_trim(c->name);
    const bool dispatch = ttp_logs_zone_of(name).dispatch;
    const size_t colon = dispatch ? ttp_str_find_char(name, ':') : TTP_NPOS;
    struct ttp_zone_site site = {.name = ttp_sym_intern(&b->names, name),
                                 .file = ttp_sym_intern(&b->names, ttp_str_trim(c->file)),
                                 .timer_id = (uint32_t)c->timer,
                                 .firmware = ttp_str_ends(name, TTP_STR("-FW")),
                                 .dispatch = dispatch};
    uint64_t line;

    if (ttp_str_to_u64(ttp_str_trim(c->line), &line) && line <= UINT32_MAX)
        site.line = (uint32_t)line;
    site.base =
        colon == TTP_NPOS ? site.name : ttp_sym_intern(&b->names, ttp_str_slice(name, 0, colon));
    return ttp_logs_site_intern(&b->sites, &site, b->arena);
}

/* The site of the row under the cursor. */
TTP_INLINE uint32_t site_of(struct reader *r, uint64_t timer)
{
    struct cached_site *c = &r->cache[timer % CACHED_SITES];
    const ttp_str name = ttp_device_field(&r->at, TTP_COL_ZONE);
    const ttp_str file = ttp_device_field(&r->at, TTP_COL_FILE);
    const ttp_str line = ttp_device_field(&r->at, TTP_COL_LINE);

    if (TTP_LIKELY(c->name.ptr && c->timer == timer && ttp_str_eq(c->name, name) &&
                   ttp_str_eq(c->file, file) && ttp_str_eq(c->line, line)))
        return c->site;
    *c = (struct cached_site){name, file, line, timer, 0};
    c->site = new_site(r, c);
    return c->site;
}

static void put(struct reader *r, const struct ttp_zone_mark *mark)
{
    struct ttp_zone_block *b = r->block;

    *TTP_PUSH(b->arena, b->mark, b->nmarks) = *mark;
}

static void put_bare(struct reader *r, unsigned kind, uint32_t site, uint64_t cycle)
{
    put(r, &(struct ttp_zone_mark){
               .site = site, .kind = (uint8_t)kind, .start_cycle = cycle, .end_cycle = cycle});
}

/* What is open may end in another block. */
static void pass_on(struct reader *r)
{
    for (size_t i = 0; i < r->depth; i++)
        put_bare(r, TTP_MARK_START, r->stack[i].site, r->stack[i].cycle);
    r->depth = 0;
}

static void end_run(struct reader *r)
{
    if (!r->run)
        return;
    pass_on(r);
    r->run->count = r->block->nmarks - r->run->first;
}

static void begin_run(struct reader *r)
{
    struct ttp_zone_block *b = r->block;
    const ttp_str risc = ttp_str_trim(ttp_device_field(&r->at, TTP_COL_RISC));

    end_run(r);
    TTP_ROOM(b->arena, b->run, b->nruns);
    b->run[b->nruns] = (struct ttp_zone_run){
        .core = r->core,
        .risc = r->at.risc,
        .risc_name = ttp_sym_intern(&b->names, risc),
        .key = {.run_id = r->at.run_id, .trace_id = r->at.trace_id, .replay = r->at.replay},
        .first = b->nmarks};
    r->run = &b->run[b->nruns++];
}

static void refuse(struct reader *r)
{
    if (r->block->bad.count++ == 0)
        r->block->bad.line = r->at.row.line;
    r->block->has_nul |= ttp_device_row_has_nul(&r->at);
}

static void begin_zone(struct reader *r, uint32_t site, uint64_t cycle)
{
    const struct ttp_zone_site *s = &r->block->sites.site[site];

    if (s->dispatch) {
        pass_on(r);
        put_bare(r, TTP_MARK_START, site, cycle);
        return;
    }
    if (s->firmware) {
        r->block->orphan_starts += r->depth;
        r->depth = 0;
        put_bare(r, TTP_MARK_RESET, site, cycle);
    }
    if (r->depth == MAX_DEPTH)
        pass_on(r);
    r->stack[r->depth++] = (struct open_zone){site, cycle};
}

static void end_zone(struct reader *r, uint32_t site, uint64_t cycle)
{
    const struct ttp_zone_site *sites = r->block->sites.site;
    size_t i = r->depth;

    while (i > 0 && sites[r->stack[i - 1].site].base != sites[site].base)
        i--;
    if (i == 0 || sites[site].dispatch) {
        pass_on(r);
        put_bare(r, TTP_MARK_END, site, cycle);
        return;
    }
    const struct open_zone *z = &r->stack[i - 1];
    r->block->orphan_starts += r->depth - i;
    r->depth = i - 1;
    if (cycle < z->cycle)
        r->block->backward_zones++;
    else
        put(r, &(struct ttp_zone_mark){.site = z->site,
                                       .depth = (uint16_t)r->depth,
                                       .kind = TTP_MARK_ZONE,
                                       .start_cycle = z->cycle,
                                       .end_cycle = cycle});
}

static bool wants(const struct reader *r, enum ttp_mark_kind kind)
{
    return r->request->kinds >> kind & 1;
}

static void add_mark(struct reader *r, enum ttp_row_type type, uint32_t site, uint64_t cycle)
{
    struct ttp_zone_mark mark = {.site = site, .start_cycle = cycle, .end_cycle = cycle};

    if (type == TTP_ROW_START || type == TTP_ROW_END) {
        const enum ttp_mark_kind bare = type == TTP_ROW_START ? TTP_MARK_START : TTP_MARK_END;
        if (wants(r, bare))
            put_bare(r, bare, site, cycle);
        else if (type == TTP_ROW_START)
            begin_zone(r, site, cycle);
        else
            end_zone(r, site, cycle);
        return;
    }
    mark.kind = type == TTP_ROW_TOTAL  ? TTP_MARK_TOTAL
                : type == TTP_ROW_DATA ? TTP_MARK_DATA
                                       : TTP_MARK_EVENT;
    mark.depth = (uint16_t)r->depth;
    (void)ttp_device_to_u64(ttp_device_field(&r->at, TTP_COL_DATA), &mark.data);
    put(r, &mark);
}

static bool wanted_type(const struct reader *r, enum ttp_row_type type)
{
    switch (type) {
    case TTP_ROW_START:
    case TTP_ROW_END:
        return wants(r, TTP_MARK_ZONE) || wants(r, TTP_MARK_START);
    case TTP_ROW_TOTAL:
        return wants(r, TTP_MARK_TOTAL);
    case TTP_ROW_DATA:
        return wants(r, TTP_MARK_DATA);
    case TTP_ROW_EVENT:
        return wants(r, TTP_MARK_EVENT);
    case TTP_ROW_OTHER:
        break;
    }
    return false;
}

/* Where TT-Lang's scripts take a row, numbers or not. */
static enum ttp_device_step locate_leniently(struct ttp_device_cursor *c)
{
    const enum ttp_device_step step = ttp_device_locate(c);

    if (step != TTP_STEP_BAD)
        return step;
    c->core = (struct ttp_block_core){0, 0, 0};
    c->risc = ttp_logs_risc_of(ttp_str_trim(ttp_device_field(c, TTP_COL_RISC)));
    c->run_id = 0;
    c->trace_id = c->replay = TTP_NO_ID;
    c->place = c->key = (ttp_str){0};
    return TTP_STEP_PLACE;
}

TTP_INLINE bool locate(struct reader *r)
{
    const enum ttp_device_step step =
        r->request->by_position ? locate_leniently(&r->at) : ttp_device_locate(&r->at);

    if (TTP_LIKELY(step == TTP_STEP_SAME))
        return true;
    if (step == TTP_STEP_BAD)
        return false;
    if (step == TTP_STEP_PLACE)
        r->core = ttp_logs_block_core_of(&r->block->core, &r->block->ncores, &r->at.core,
                                         r->block->arena);
    begin_run(r);
    return true;
}

/* Time and timer id. */
static bool read_numbers(const struct reader *r, uint64_t *cycle, uint64_t *timer)
{
    const ttp_str time = ttp_device_field(&r->at, TTP_COL_TIME);
    const ttp_str id = ttp_device_field(&r->at, TTP_COL_TIMER);
    int64_t number;

    *timer = 0;
    if (!r->request->by_position)
        return ttp_device_to_u64(time, cycle) &&
               (r->at.header->at[TTP_COL_TIMER] == TTP_NPOS || ttp_device_to_u64(id, timer));
    (void)ttp_device_to_u64(id, timer);
    if (ttp_device_to_u64(time, cycle))
        return true;
    if (!ttp_python_int(time, &number))
        return false;
    *cycle = (uint64_t)number;
    return true;
}

static void read_row(struct reader *r)
{
    const struct ttp_zone_request *request = r->request;
    uint64_t cycle, timer;

    if (TTP_UNLIKELY(request->by_position ? r->at.row.nfields < request->by_position
                                          : r->at.row.nfields != r->at.header->columns)) {
        refuse(r);
        return;
    }
    if (TTP_UNLIKELY(ttp_device_row_has_nul(&r->at)) && !request->by_position) {
        refuse(r);
        return;
    }
    const enum ttp_row_type type = ttp_device_row_type(ttp_device_field(&r->at, TTP_COL_TYPE));
    if (!wanted_type(r, type)) {
        r->block->rows++;
        return;
    }
    if (!locate(r) || !read_numbers(r, &cycle, &timer)) {
        refuse(r);
        return;
    }
    r->block->rows++;
    add_mark(r, type, site_of(r, timer), cycle);
}

void ttp_logs_zone_read_rows(struct ttp_zone_block *b, ttp_str text,
                             const struct ttp_device_header *header,
                             const struct ttp_zone_request *request)
{
    struct reader *r = TTP_NEW(b->arena, struct reader, 1);

    r->block = b;
    r->request = request;
    ttp_logs_device_log_cursor_init(&r->at, text, header);
    b->names.arena = b->arena;
    while (ttp_csv_next(&r->at.csv, &r->at.row))
        read_row(r);
    end_run(r);
    b->lines = r->at.csv.lines;
}

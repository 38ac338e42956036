/* SPDX-License-Identifier: Apache-2.0 */
/* device_runs.c - the ops of each device, in the order of the file, with equal keys for
 * equal ones, and the replays among them. */
#include <math.h>
#include <stdlib.h>

#include "analysis/phases.h"
#include "base/map.h"
#include "base/order.h"
#include "base/vec.h"

#define NO_DEVICE INT64_MIN

/* ---- keys ---- */

/* Rows that are hashed together, column by column: columns begin at equal places of pages, so that
 * reading row by row would evict them from the cache. */
#define HASHED 512

/* Columns of symbols; one of zeros makes their number even. */
struct columns {
    const ttp_sym *sym[TTP_OPS_TEXTS + 1];
    size_t count;
};

/* Name, attributes, fidelity, and datatype, memory, layout and shape of the tensors. Two symbols
 * at once, times an odd number of their own: sums differ if one symbol does. */
static void hash_rows(uint64_t *hash, const struct columns *columns, size_t from, size_t count)
{
    uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);

    memset(hash, 0, count * sizeof(*hash));
    for (size_t c = 0; c < columns->count; c += 2) {
        const ttp_sym *a = columns->sym[c] + from, *b = columns->sym[c + 1] + from;
        for (size_t i = 0; i < count; i++)
            hash[i] += ((uint64_t)a[i] << 32 | b[i]) * factor;
        factor = ttp_hash_u64(factor, c + 1) | 1;
    }
}

/* A column with one symbol throughout tells no ops apart. */
static void add_column(struct columns *out, const struct ttp_ops *ops, size_t column)
{
    const ttp_sym *sym = ops->text[column].sym;

    if (sym && ops->rows > 1 && memcmp(sym, sym + 1, (ops->rows - 1) * sizeof(*sym)) != 0)
        out->sym[out->count++] = sym;
}

static void list_columns(struct columns *out, const struct ttp_ops *ops, struct ttp_arena *arena)
{
    static const enum ttp_ops_text plain[] = {
        TTP_OPS_CODE,         TTP_OPS_ATTRIBUTES,   TTP_OPS_FIDELITY,   TTP_OPS_IN0_DATATYPE,
        TTP_OPS_IN1_DATATYPE, TTP_OPS_OUT_DATATYPE, TTP_OPS_IN0_MEMORY, TTP_OPS_IN1_MEMORY,
        TTP_OPS_OUT_MEMORY,   TTP_OPS_IN0_LAYOUT,   TTP_OPS_IN1_LAYOUT, TTP_OPS_OUT_LAYOUT,
    };

    out->count = 0;
    for (size_t i = 0; i < TTP_COUNT(plain); i++)
        add_column(out, ops, plain[i]);
    for (size_t i = TTP_OPS_DIMS; i < TTP_OPS_TEXTS; i++)
        add_column(out, ops, i);
    if (out->count % 2)
        out->sym[out->count++] = TTP_NEW(arena, ttp_sym, ops->rows);
}

static bool is_device_op(const struct ttp_stage *s, uint32_t row)
{
    return ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE &&
           !(ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_CODE, row)) & TTP_TRAIT_TORCH);
}

static void set_keys(struct ttp_phase_facts *facts)
{
    const struct ttp_stage *s = facts->stage;
    const size_t rows = s->ops->rows;
    uint64_t hash[HASHED];
    struct ttp_map number = {.arena = facts->arena}; /* of a hash, in order of arrival */
    struct columns columns;

    facts->key_of = TTP_NEW(facts->arena, uint32_t, rows);
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    list_columns(&columns, s->ops, facts->arena);
    for (uint32_t r = 0; r < rows; r++) {
        if (r % HASHED == 0)
            hash_rows(hash, &columns, r, rows - r < HASHED ? rows - r : HASHED);
        if (!is_device_op(s, r) || (s->captured && s->captured[r]))
            continue;
        uint32_t key = ttp_map_get(&number, hash[r % HASHED]);
        if (key == TTP_MAP_NONE) {
            key = (uint32_t)number.count;
            ttp_map_put(&number, hash[r % HASHED], key);
        }
        facts->key_of[r] = key + 1;
    }
    facts->keys = (uint32_t)number.count + 1;
    ttp_arena_rewind(facts->arena, mark);
}

/* Every part of the stage asks for them, some several times. */
static void set_times(struct ttp_phase_facts *facts)
{
    const struct ttp_ops *ops = facts->stage->ops;

    facts->ns = TTP_NEW(facts->arena, double, ops->rows);
    facts->gap_ns = TTP_NEW(facts->arena, double, ops->rows);
    for (uint32_t r = 0; r < ops->rows; r++) {
        if (!facts->key_of[r]) {
            facts->ns[r] = facts->gap_ns[r] = NAN;
            continue;
        }
        facts->gap_ns[r] = ttp_stage_gap_ns(ops, r);
        facts->ns[r] = ttp_analysis_stage_duration_ns(ops, r, facts->gap_ns[r]);
    }
}

/* ---- devices ---- */

static int64_t device_of(const struct ttp_stage *s, uint32_t row)
{
    const struct ttp_cell c = ttp_ops_cell(s->ops, TTP_OPS_DEVICE, row);
    double v;

    if (c.kind == TTP_CELL_INT)
        return c.v.i;
    if (!ttp_cell_f64(c, &v) || !(v >= -0x1p63 && v < 0x1p63))
        return NO_DEVICE;
    return (int64_t)v;
}

TTP_ORDER(by_device, struct ttp_device_run, TTP_UP(device))

/* Ops of one device after one another: where they begin, and their device. */
struct piece {
    int64_t device;
    uint32_t first, count;
};

/* Ops that ran, in pieces of one device each; ops that did not run may lie between. */
static size_t list_pieces(const struct ttp_phase_facts *facts, struct piece **out)
{
    struct piece *piece = NULL;
    size_t n = 0;

    for (uint32_t r = 0; r < facts->stage->ops->rows; r++) {
        if (!facts->key_of[r])
            continue;
        const int64_t device = device_of(facts->stage, r);
        if (n == 0 || piece[n - 1].device != device) {
            TTP_ROOM(facts->arena, piece, n);
            piece[n++] = (struct piece){device, r, 0};
        }
        piece[n - 1].count++;
    }
    *out = piece;
    return n;
}

static struct ttp_device_run *run_of(const struct ttp_phase_facts *facts, int64_t device)
{
    const struct ttp_device_run wanted = {.device = device};

    return bsearch(&wanted, facts->device, facts->devices, sizeof(wanted), by_device);
}

static void put_piece(const struct ttp_phase_facts *facts, const struct piece *piece)
{
    struct ttp_device_run *run = run_of(facts, piece->device);
    uint32_t left = piece->count;

    for (uint32_t r = piece->first; left; r++) {
        if (!facts->key_of[r])
            continue;
        run->row[run->count] = r;
        run->key[run->count++] = facts->key_of[r];
        left--;
    }
}

void ttp_analysis_find_device_runs(struct ttp_phase_facts *facts)
{
    struct piece *piece;

    set_keys(facts);
    set_times(facts);
    const size_t n = list_pieces(facts, &piece);
    facts->device = TTP_NEW(facts->arena, struct ttp_device_run, n);
    for (size_t i = 0; i < n; i++)
        facts->device[i].device = piece[i].device;
    TTP_SORT(facts->device, n, by_device);
    for (size_t i = 0; i < n; i++)
        if (facts->devices == 0 ||
            facts->device[facts->devices - 1].device != facts->device[i].device)
            facts->device[facts->devices++] = facts->device[i];
    for (size_t i = 0; i < n; i++)
        run_of(facts, piece[i].device)->count += piece[i].count;
    for (size_t d = 0; d < facts->devices; d++) {
        struct ttp_device_run *run = &facts->device[d];
        run->row = TTP_NEW(facts->arena, uint32_t, run->count);
        run->key = TTP_NEW(facts->arena, uint32_t, run->count);
        run->count = 0;
    }
    for (size_t i = 0; i < n; i++)
        put_piece(facts, &piece[i]);
}

/* The first place of the device's ops at or after that row. */
static size_t place_of(const struct ttp_device_run *run, uint32_t row)
{
    size_t from = 0;

    TTP_BISECT(from, run->count, middle, run->row[middle] < row);
    return from;
}

/* Ranks in one table mark their ranges among the rows of the others. */
static bool marks_device(const struct ttp_phase_facts *facts, const struct ttp_range *range,
                         int64_t device)
{
    const struct ttp_ops *ops = facts->stage->ops;

    return !range->has_rank || device < 0 || (uint64_t)device >= ops->devices ||
           ops->device[device].rank == range->rank;
}

struct ttp_pass ttp_analysis_window_ops_in_range(const struct ttp_phase_facts *facts, size_t device,
                                                 uint32_t range, const uint32_t **key)
{
    const struct ttp_device_run *run = &facts->device[device];

    for (uint32_t r = range; r; r = facts->ranges.item[r - 1].next) {
        if (!marks_device(facts, &facts->ranges.item[r - 1], run->device))
            continue;
        const size_t from = place_of(run, facts->ranges.item[r - 1].first_row);
        const size_t to = place_of(run, facts->ranges.item[r - 1].last_row);
        if (key)
            *key = run->key + from;
        if (from < to)
            return (struct ttp_pass){.row = run->row + from, .count = to - from};
    }
    return (struct ttp_pass){0};
}

/* ---- replays ---- */

struct placed {
    uint32_t replay, at; /* number of its replay, place among the device's ops */
};

TTP_ORDER(by_replay, struct placed, TTP_UP(replay), TTP_UP(at))

static bool trace_and_session(const struct ttp_stage *s, uint32_t row, struct ttp_trace_replay *out)
{
    double trace = 0, session;

    if (!ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_REPLAY, row), &session) ||
        !(session >= 1 && session < 0x1p53))
        return false;
    (void)ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_TRACE_ID, row), &trace);
    out->trace = trace >= -0x1p53 && trace < 0x1p53 ? (int64_t)trace : 0;
    out->session = (int64_t)session;
    return true;
}

struct replay_search {
    const struct ttp_phase_facts *facts;
    struct ttp_trace_replay *item;
    size_t count;
    size_t since; /* replays before it are over: ops outside traces came after them */
    size_t last;  /* that a row was found to belong to */
};

/* The newest generation of a trace, and whether this session is a later one of it. Sessions count
 * up until the trace is captured again. */
static uint32_t generation_of(const struct replay_search *f, const struct ttp_trace_replay *r)
{
    for (size_t i = f->count; i-- > 0;)
        if (f->item[i].trace == r->trace)
            return f->item[i].generation + (f->item[i].session >= r->session);
    return 0;
}

static bool is_same(const struct ttp_trace_replay *a, const struct ttp_trace_replay *b)
{
    return a->trace == b->trace && a->session == b->session && a->range == b->range;
}

/* The replay that a row belongs to. In files by time a replay is one piece; in those by op all
 * sessions of an op are together. Either way nothing else of the device comes between. */
static size_t replay_of(struct replay_search *f, const struct ttp_trace_replay *r)
{
    const size_t guess[] = {f->last, f->last + 1, f->since};

    for (size_t i = 0; i < TTP_COUNT(guess); i++)
        if (guess[i] >= f->since && guess[i] < f->count && is_same(&f->item[guess[i]], r))
            return f->last = guess[i];
    for (size_t i = f->count; i-- > f->since;)
        if (is_same(&f->item[i], r))
            return f->last = i;
    TTP_ROOM(f->facts->arena, f->item, f->count);
    f->item[f->count] = *r;
    f->item[f->count].generation = generation_of(f, r);
    return f->last = f->count++;
}

static void find_on_device(struct ttp_phase_facts *facts, size_t device)
{
    const struct ttp_device_run *run = &facts->device[device];
    struct replay_search f = {.facts = facts};
    struct placed *placed = TTP_NEW(facts->arena, struct placed, run->count);
    uint32_t *row = TTP_NEW(facts->arena, uint32_t, run->count);
    size_t n = 0;

    for (size_t i = 0; i < run->count; i++) {
        struct ttp_trace_replay r = {.range = facts->range_of[run->row[i]]};

        if (!trace_and_session(facts->stage, run->row[i], &r)) {
            f.since = f.count;
            continue;
        }
        placed[n++] = (struct placed){(uint32_t)replay_of(&f, &r), (uint32_t)i};
    }
    TTP_SORT(placed, n, by_replay);
    for (size_t i = 0; i < n; i++) {
        struct ttp_pass *pass = &f.item[placed[i].replay].pass;
        row[i] = run->row[placed[i].at];
        if (pass->count++ == 0)
            pass->row = &row[i];
    }
    facts->replay[device] = f.item;
    facts->replays[device] = f.count;
}

void ttp_analysis_find_replays(struct ttp_phase_facts *facts)
{
    facts->replay = TTP_NEW(facts->arena, struct ttp_trace_replay *, facts->devices);
    facts->replays = TTP_NEW(facts->arena, size_t, facts->devices);
    if (!facts->stage->ops->number[TTP_OPS_REPLAY].kind)
        return;
    for (size_t d = 0; d < facts->devices; d++)
        find_on_device(facts, d);
}

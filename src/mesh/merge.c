/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - many ranks by their tables. Each process reduces its own; what travels is a thin table
 * of each rank along its line, and rows that add up on the way. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sink.h"
#include "mesh/merge.h"

/* An execution that seems longer has a damaged time; sums of a million stay within 64 bits. */
#define LONGEST_NS 0x1p43

struct merging {
    struct ttp_mesh_reduced *const *table;
    size_t tables;
    const struct ttp_mesh_options *options;
    const struct ttp_merge_net *net;
    struct ttp_arena *arena;
    struct ttp_merge_local *local; /* by table */
    int64_t *line;                 /* mesh ids, ascending */
    size_t lines;
    struct ttp_words notes; /* of lines whose first rank is here */
};

static void copy_text(char *to, size_t room, ttp_str from)
{
    const size_t n = from.len < room ? from.len : room - 1;

    memset(to, 0, room);
    memcpy(to, from.ptr, n);
}

struct ttp_merge_rank ttp_mesh_merge_failed(int64_t rank, const char *why)
{
    struct ttp_merge_rank r;

    memset(&r, 0, sizeof(r));
    r.rank = rank;
    r.mesh_id = -1;
    copy_text(r.error, sizeof(r.error), ttp_str_from(why));
    return r;
}

static ttp_code share(struct merging *g, bool member, ttp_str mine, ttp_str **out, size_t *count,
                      struct ttp_err *err)
{
    if (g->net)
        return g->net->all(g->net->arg, member, mine, out, count, g->arena, err);
    *out = TTP_NEW(g->arena, ttp_str, 1);
    (*out)[0] = mine;
    *count = member;
    return TTP_OK;
}

/* Ranks of different jobs are no run. Whoever does not know its job fits all. */
static ttp_code check_jobs(struct merging *g, struct ttp_err *err)
{
    const ttp_str mine = ttp_mesh_merge_pack_jobs(g->table, g->tables, g->arena);
    ttp_str *all;
    size_t count;

    TTP_TRY(share(g, true, mine, &all, &count, err));
    return ttp_mesh_merge_check_jobs(all, count, err);
}

/* ---- lines ---- */

static int by_i64(const void *pa, const void *pb)
{
    const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return (a > b) - (a < b);
}

/* Mesh ids that any process has. */
static ttp_code find_lines(struct merging *g, struct ttp_err *err)
{
    int64_t *mine = TTP_NEW(g->arena, int64_t, g->tables + 1);
    size_t count, n = 0;
    ttp_str *all;

    for (size_t i = 0; i < g->tables; i++)
        mine[i] = g->table[i]->mesh_id;
    TTP_TRY(share(g, true, (ttp_str){(char *)mine, g->tables * sizeof(*mine)}, &all, &count, err));
    for (size_t i = 0; i < count; i++)
        n += all[i].len / sizeof(*g->line);
    g->line = TTP_NEW(g->arena, int64_t, n + 1);
    n = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(g->line + n, all[i].ptr, all[i].len - all[i].len % sizeof(*g->line));
        n += all[i].len / sizeof(*g->line);
    }
    qsort(g->line, n, sizeof(*g->line), by_i64);
    for (size_t i = 0; i < n; i++)
        if (g->lines == 0 || g->line[g->lines - 1] != g->line[i])
            g->line[g->lines++] = g->line[i];
    return TTP_OK;
}

/* The thin tables of our ranks on a line, one after the other, each with its length. */
static ttp_str pack_line(struct merging *g, int64_t mesh_id)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, g->arena);
    for (size_t i = 0; i < g->tables; i++) {
        struct ttp_mesh_reduced thin;
        struct ttp_sink one;
        if (g->table[i]->mesh_id != mesh_id)
            continue;
        ttp_mesh_table_thin(&thin, g->table[i], g->arena);
        ttp_sink_to_arena(&one, g->arena);
        ttp_mesh_write_reduced(&one, &thin);
        const ttp_str text = ttp_sink_text(&one);
        g->local[i].sent_bytes = (uint32_t)text.len;
        char *to = ttp_sink_room(&out, 4 + text.len);
        const uint32_t n = (uint32_t)text.len;
        memcpy(to, &n, 4);
        memcpy(to + 4, text.ptr, text.len);
        out.len += 4 + text.len;
    }
    return ttp_sink_text(&out);
}

static ttp_code unpack(struct ttp_mesh_part **part, size_t *parts, ttp_str text,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    for (size_t at = 0; at + 4 <= text.len;) {
        struct ttp_mesh_reduced *t;
        uint32_t n;
        memcpy(&n, text.ptr + at, 4);
        TTP_TRY(ttp_mesh_read_reduced(&t, ttp_str_slice(text, at + 4, at + 4 + n), arena, err));
        *part = ttp_arena_resize(arena, *part, (*parts + 1) * sizeof(**part));
        (*part)[(*parts)++] = (struct ttp_mesh_part){
            .rank = t->rank,
            .mesh_id = t->mesh_id,
            .host = t->host.len ? ttp_arena_zstr(arena, t->host) : NULL,
            .name = ttp_arena_zstr(
                arena, ttp_sink_format(arena, "a table of rank %lld", (long long)t->rank)),
            .clock = t->clock,
            .table = t};
        at += 4 + n;
    }
    return TTP_OK;
}

static uint32_t *list_groups(const struct ttp_mesh *m, struct ttp_arena *arena)
{
    uint32_t *of = TTP_NEW(arena, uint32_t, m->axes * m->devices + 1);

    for (uint32_t g = 0; g < m->groups; g++)
        for (size_t i = 0; i < m->group[g].members; i++)
            of[m->group[g].axis * m->devices + m->group[g].member[i]] = g + 1;
    return of;
}

static void place_locals(struct merging *g, const struct ttp_mesh *m, uint32_t line)
{
    uint32_t *groups = list_groups(m, g->arena);

    for (size_t i = 0; i < g->tables; i++) {
        struct ttp_merge_local *l = &g->local[i];
        if (g->table[i]->mesh_id != g->line[line])
            continue;
        l->table = g->table[i];
        l->mesh = m;
        l->line = line;
        l->group_of = groups;
        while (m->rank[l->part].rank != g->table[i]->rank)
            l->part++;
        while (m->device[l->first_device].part != l->part)
            l->first_device++;
        if (l->part == 0) /* it speaks for the line */
            for (size_t k = 0; k < m->notes.count; k++)
                ttp_words_add(&g->notes, m->notes.word[k], g->arena);
    }
}

static ttp_code align_line(struct merging *g, uint32_t line, struct ttp_err *err)
{
    struct ttp_mesh_options how = *g->options;
    struct ttp_mesh *mesh = TTP_NEW(g->arena, struct ttp_mesh, 1);
    struct ttp_mesh_part *part = NULL;
    size_t parts = 0, count;
    ttp_str *all;
    const ttp_str mine = pack_line(g, g->line[line]);

    TTP_TRY(share(g, mine.len > 0, mine, &all, &count, err));
    if (mine.len == 0)
        return TTP_OK;
    for (size_t i = 0; i < count; i++)
        TTP_TRY(unpack(&part, &parts, all[i], g->arena, err));
    how.ranks = 0;
    for (size_t i = 0; i < parts && g->lines == 1; i++)
        if (part[i].table->size > how.ranks)
            how.ranks = part[i].table->size;
    TTP_TRY(ttp_mesh_make(mesh, (struct ttp_mesh_parts){part, parts}, &how, g->arena, err));
    place_locals(g, mesh, line);
    return TTP_OK;
}

/* ---- rows of our ranks ---- */

int64_t ttp_mesh_merge_ns(const struct ttp_merge_local *l, const struct ttp_table_cell *c)
{
    const double ns = (double)(c->end - c->start) / l->table->device[c->device].ghz;

    return llround(fmin(ns, LONGEST_NS));
}

uint32_t ttp_mesh_merge_group(const struct ttp_merge_local *l, uint32_t op, uint32_t device)
{
    const struct ttp_mesh *m = l->mesh;
    const uint32_t axis = m->op[op].axis_at;
    const uint32_t group =
        axis == TTP_MESH_NONE ? 0 : l->group_of[axis * m->devices + l->first_device + device];

    return group ? group - m->axis[axis].first_group : 0;
}

static void put_op(struct ttp_merge_rows *rows, const struct ttp_merge_local *l, uint32_t op,
                   const struct ttp_table_cell *c)
{
    const struct ttp_mesh_op *o = &l->mesh->op[op];
    const int64_t ns = ttp_mesh_merge_ns(l, c);
    struct ttp_merge_op *row = ttp_mesh_merge_new_row(rows);

    row->key = (struct ttp_merge_key){l->line, op, 0, 1};
    row->min_ns = row->max_ns = row->total_ns = ns;
    row->rank = l->table->rank;
    row->device = l->table->device[c->device].id;
    row->axis = o->axis_at == TTP_MESH_NONE ? -1 : l->mesh->axis[o->axis_at].axis;
    row->ring = o->axis_at == TTP_MESH_NONE ? 0 : (uint32_t)l->mesh->axis[o->axis_at].size;
    row->kind = o->kind;
    copy_text(row->code, sizeof(row->code), o->code);
    copy_text(row->shape, sizeof(row->shape), o->shape);
}

static void put_meeting(struct ttp_merge_rows *rows, const struct ttp_merge_local *l, uint32_t op,
                        const struct ttp_table_cell *c)
{
    const struct ttp_mesh *m = l->mesh;
    const uint32_t d = l->first_device + c->device, group = ttp_mesh_merge_group(l, op, c->device);
    const struct ttp_mesh_device *device = &m->device[d];

    if (!group)
        return;
    const uint32_t of_axis = m->axis[m->op[op].axis_at].first_group;
    const uint32_t first = m->group[of_axis + group - 1].member[0];
    const double theta = m->moment[op].theta[d].estimate;
    struct ttp_merge_meeting *row = ttp_mesh_merge_new_row(rows);
    row->key = (struct ttp_merge_key){l->line, op, group, 1};
    row->aligned = device->component == m->device[first].component;
    row->fused = m->op[op].fused;
    row->first_ns = row->last_ns =
        llround((double)(c->start - device->base_cycle) / device->ghz + theta);
    row->second_ns = INT64_MIN;
    row->end_ns = llround((double)(c->end - device->base_cycle) / device->ghz + theta);
    row->shortest_ns = row->total_ns = ttp_mesh_merge_ns(l, c);
    row->rank = l->table->rank;
    row->device = device->id;
}

/* Which of the parts between least and most of its op a duration falls in. */
static size_t bin_of(const struct ttp_merge_op *op, int64_t ns)
{
    const double wide = (double)op->max_ns - (double)op->min_ns;
    const double part = wide > 0 ? ((double)ns - (double)op->min_ns) / wide : 0;
    const size_t bin = part > 0 ? (size_t)(fmin(part, 1) * TTP_MERGE_BINS) : 0;

    return bin < TTP_MERGE_BINS ? bin : TTP_MERGE_BINS - 1;
}

static void put_spread(struct ttp_merge_rows *rows, const struct ttp_merge_local *l, uint32_t op,
                       const struct ttp_table_cell *c, ttp_str ops)
{
    const struct ttp_merge_op *of_all = ttp_mesh_merge_find(ops, &ttp_merge_ops, l->line, op, 0);
    struct ttp_merge_spread *row = ttp_mesh_merge_new_row(rows);

    row->key = (struct ttp_merge_key){l->line, op, 0, 1};
    if (of_all)
        row->bin[bin_of(of_all, ttp_mesh_merge_ns(l, c))] = 1;
}

enum pass { PASS_OPS, PASS_MEETINGS, PASS_SPREADS };

/* The rows of all our ranks, then the sum with everybody's. */
static ttp_code sum_pass(struct merging *g, enum pass pass, ttp_str ops, ttp_str *out,
                         struct ttp_err *err)
{
    static const struct ttp_merge_sum *const how[] = {
        [PASS_OPS] = &ttp_merge_ops,
        [PASS_MEETINGS] = &ttp_merge_meetings,
        [PASS_SPREADS] = &ttp_merge_spreads,
    };
    *out = TTP_STR("");
    for (size_t i = 0; i < g->tables; i++) {
        const struct ttp_merge_local *l = &g->local[i];
        struct ttp_merge_rows rows = {.how = how[pass], .arena = g->arena};
        for (uint32_t k = 0; k < l->table->steps; k++) {
            const struct ttp_table_step *step = &l->table->step[k];
            const uint32_t op = l->mesh->op_of_step[l->part][k];
            for (uint32_t c = step->cell; c < step->cell + step->cells; c++)
                if (pass == PASS_OPS)
                    put_op(&rows, l, op, &l->table->cell[c]);
                else if (pass == PASS_MEETINGS)
                    put_meeting(&rows, l, op, &l->table->cell[c]);
                else
                    put_spread(&rows, l, op, &l->table->cell[c], ops);
        }
        const ttp_str one = ttp_mesh_merge_settle(&rows);
        *out = out->len ? ttp_mesh_merge_add(*out, one, how[pass], g->arena) : one;
    }
    return g->net ? g->net->sum(g->net->arg, out, how[pass], g->arena, err) : TTP_OK;
}

/* Of two in the middle the slower one, as in the mesh; within a part of the spread. */
static struct ttp_merge_op *set_medians(ttp_str ops, ttp_str spreads, struct ttp_arena *arena)
{
    struct ttp_merge_op *op = TTP_NEW(arena, struct ttp_merge_op, ops.len / sizeof(*op) + 1);

    if (ops.len)
        memcpy(op, ops.ptr, ops.len);
    for (size_t i = 0; i < ops.len / sizeof(*op); i++) {
        const struct ttp_merge_spread *s =
            ttp_mesh_merge_find(spreads, &ttp_merge_spreads, op[i].key.line, op[i].key.ordinal, 0);
        uint32_t below = 0;
        size_t bin = 0;
        while (s && bin + 1 < TTP_MERGE_BINS && below + s->bin[bin] <= s->key.count / 2)
            below += s->bin[bin++];
        op[i].median_ns = op[i].min_ns + (int64_t)((double)(op[i].max_ns - op[i].min_ns) *
                                                   ((double)bin + 0.5) / TTP_MERGE_BINS);
    }
    return op;
}

/* ---- at the root ---- */

static ttp_code collect(struct merging *g, ttp_str mine, ttp_str *out, struct ttp_err *err)
{
    struct ttp_sink all;
    size_t count;
    ttp_str *part;

    *out = mine;
    if (!g->net)
        return TTP_OK;
    TTP_TRY(g->net->root(g->net->arg, mine, &part, &count, g->arena, err));
    ttp_sink_to_arena(&all, g->arena);
    for (size_t i = 0; i < count; i++) {
        memcpy(ttp_sink_room(&all, part[i].len + 1), part[i].ptr, part[i].len);
        all.len += part[i].len;
    }
    *out = ttp_sink_text(&all);
    return TTP_OK;
}

static int by_device(const void *pa, const void *pb)
{
    const struct ttp_merge_device *a = pa, *b = pb;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static ttp_code collect_devices(struct merging *g, struct ttp_merge *out, ttp_str ops,
                                ttp_str meetings, struct ttp_err *err)
{
    struct ttp_merge_device *device;
    size_t n = 0;
    ttp_str all;

    for (size_t i = 0; i < g->tables; i++)
        n += g->table[i]->devices;
    device = TTP_NEW(g->arena, struct ttp_merge_device, n + 1);
    n = 0;
    for (size_t i = 0; i < g->tables; i++) {
        ttp_mesh_merge_devices(device + n, &g->local[i], ops, meetings, g->arena);
        n += g->table[i]->devices;
    }
    TTP_TRY(collect(g, (ttp_str){(char *)device, n * sizeof(*device)}, &all, err));
    out->devices = all.len / sizeof(*device);
    out->device = TTP_NEW(g->arena, struct ttp_merge_device, out->devices + 1);
    if (out->devices)
        memcpy(out->device, all.ptr, all.len);
    qsort(out->device, out->devices, sizeof(*device), by_device);
    return TTP_OK;
}

static int by_rank(const void *pa, const void *pb)
{
    const struct ttp_merge_rank *a = pa, *b = pb;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void describe_rank(struct ttp_merge_rank *r, const struct ttp_merge_local *l)
{
    const struct ttp_mesh_rank *from = &l->mesh->rank[l->part];

    *r = ttp_mesh_merge_failed(l->table->rank, "");
    r->size = l->table->size;
    r->mesh_id = l->table->mesh_id;
    r->shift = from->shift;
    r->devices = (uint32_t)l->table->devices;
    r->ops = (uint32_t)l->table->steps;
    r->unmatched = (uint32_t)from->unmatched;
    r->shifts = (uint32_t)from->shifts;
    r->doubtful = from->doubtful;
    r->sent_bytes = l->sent_bytes;
    copy_text(r->host, sizeof(r->host), l->table->host);
}

/* Those without a part. */
static void add_missing(struct ttp_merge *out, struct ttp_arena *arena)
{
    int64_t size = 0;
    size_t had = out->ranks;

    for (size_t i = 0; i < had; i++) {
        if (out->rank[i].size > size)
            size = out->rank[i].size;
        if (out->rank[i].rank >= size)
            size = out->rank[i].rank + 1;
        out->failed += out->rank[i].error[0] != 0;
        out->doubtful += out->rank[i].doubtful;
    }
    struct ttp_merge_rank *all = TTP_NEW(arena, struct ttp_merge_rank, (size_t)size + had + 1);
    size_t n = 0, at = 0;
    for (int64_t r = 0; r < size; r++) {
        if (at < had && out->rank[at].rank == r) {
            while (at < had && out->rank[at].rank == r)
                all[n++] = out->rank[at++];
            continue;
        }
        all[n] = ttp_mesh_merge_failed(r, "");
        all[n++].missing = 1;
        out->missing++;
    }
    out->rank = all;
    out->ranks = n;
}

static ttp_code collect_ranks(struct merging *g, struct ttp_merge *out,
                              const struct ttp_merge_rank *failed, size_t nfailed,
                              struct ttp_err *err)
{
    struct ttp_merge_rank *mine = TTP_NEW(g->arena, struct ttp_merge_rank, g->tables + nfailed + 1);
    ttp_str all;

    for (size_t i = 0; i < g->tables; i++)
        describe_rank(&mine[i], &g->local[i]);
    if (nfailed)
        memcpy(mine + g->tables, failed, nfailed * sizeof(*mine));
    TTP_TRY(collect(g, (ttp_str){(char *)mine, (g->tables + nfailed) * sizeof(*mine)}, &all, err));
    out->ranks = all.len / sizeof(*mine);
    out->rank = TTP_NEW(g->arena, struct ttp_merge_rank, out->ranks + 1);
    if (out->ranks)
        memcpy(out->rank, all.ptr, all.len);
    qsort(out->rank, out->ranks, sizeof(*mine), by_rank);
    for (size_t i = 1; i < out->ranks; i++)
        if (out->rank[i].rank == out->rank[i - 1].rank)
            return ttp_fail(err, TTP_EPARSE, "two parts of rank %lld",
                            (long long)out->rank[i].rank);
    add_missing(out, g->arena);
    return TTP_OK;
}

static int by_text(const void *pa, const void *pb)
{
    return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

static ttp_code collect_notes(struct merging *g, struct ttp_merge *out, struct ttp_err *err)
{
    struct ttp_sink lines;
    ttp_str all, line;

    ttp_sink_to_arena(&lines, g->arena);
    for (size_t i = 0; i < g->notes.count; i++)
        ttp_sink_printf(&lines, "%s\n", g->notes.word[i]);
    TTP_TRY(collect(g, ttp_sink_text(&lines), &all, err));
    while (ttp_str_next_line(&all, &line))
        ttp_words_add(&out->notes, ttp_arena_zstr(g->arena, line), g->arena);
    if (out->notes.count)
        qsort(out->notes.word, out->notes.count, sizeof(*out->notes.word), by_text);
    return TTP_OK;
}

/* Who was last, as far as the clocks can tell: beyond the errors of two clocks, certain beyond
 * their bounds. The worst of all represent both. */
static void count_last(struct ttp_merge *out)
{
    for (size_t d = 0; d < out->devices; d++) {
        if (!isfinite(out->device[d].bound_us))
            continue;
        out->bound_us = fmax(out->bound_us, out->device[d].bound_us);
        out->error_us = fmax(out->error_us, out->device[d].error_us);
    }
    for (size_t i = 0; i < out->meetings; i++) {
        const struct ttp_merge_meeting *m = &out->meeting[i];
        const struct ttp_merge_device key = {.rank = m->rank, .id = m->device};
        struct ttp_merge_device *d =
            out->devices ? bsearch(&key, out->device, out->devices, sizeof(key), by_device) : NULL;
        if (!d || m->aligned != m->key.count || m->key.count < 2 || !isfinite(d->bound_us))
            continue;
        const double lead = (double)(m->last_ns - m->second_ns) / 1000;
        d->last += lead > 2 * out->error_us;
        d->certain += lead > 2 * out->bound_us;
    }
}

/* What all ranks add up to, as bytes of their records. */
struct sums {
    ttp_str ops, meetings;
};

static ttp_code add_up(struct merging *g, struct sums *sums, struct ttp_err *err)
{
    ttp_str spreads;

    TTP_TRY(sum_pass(g, PASS_OPS, TTP_STR(""), &sums->ops, err));
    TTP_TRY(sum_pass(g, PASS_SPREADS, sums->ops, &spreads, err));
    TTP_TRY(sum_pass(g, PASS_MEETINGS, sums->ops, &sums->meetings, err));
    sums->ops.ptr = (const char *)set_medians(sums->ops, spreads, g->arena);
    return TTP_OK;
}

static ttp_code align_lines(struct merging *g, struct ttp_err *err)
{
    for (uint32_t l = 0; l < g->lines; l++)
        TTP_TRY(align_line(g, l, err));
    return TTP_OK;
}

static void take_sums(struct ttp_merge *out, const struct sums *sums)
{
    out->ops = sums->ops.len / sizeof(*out->op);
    out->op = TTP_NEW(out->arena, struct ttp_merge_op, out->ops + 1);
    if (out->ops)
        memcpy(out->op, sums->ops.ptr, sums->ops.len);
    out->meetings = sums->meetings.len / sizeof(*out->meeting);
    out->meeting = TTP_NEW(out->arena, struct ttp_merge_meeting, out->meetings + 1);
    if (out->meetings)
        memcpy(out->meeting, sums->meetings.ptr, sums->meetings.len);
}

ttp_code ttp_mesh_merge_tables(struct ttp_merge *out, struct ttp_mesh_reduced *const *table,
                               size_t tables, const struct ttp_merge_rank *failed, size_t nfailed,
                               const struct ttp_mesh_options *options,
                               const struct ttp_merge_net *net, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct merging g = {.table = table,
                        .tables = tables,
                        .options = options,
                        .net = net,
                        .arena = arena,
                        .local = TTP_NEW(arena, struct ttp_merge_local, tables + 1)};
    struct sums sums;

    *out = (struct ttp_merge){.arena = arena};
    TTP_TRY(check_jobs(&g, err));
    TTP_TRY(find_lines(&g, err));
    TTP_TRY(align_lines(&g, err));
    TTP_TRY(add_up(&g, &sums, err));
    TTP_TRY(collect_devices(&g, out, sums.ops, sums.meetings, err));
    TTP_TRY(collect_ranks(&g, out, failed, nfailed, err));
    TTP_TRY(collect_notes(&g, out, err));
    if (net && !net->is_root) {
        *out = (struct ttp_merge){.arena = arena};
        return TTP_OK;
    }
    take_sums(out, &sums);
    count_last(out);
    return TTP_OK;
}

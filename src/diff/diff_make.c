/* SPDX-License-Identifier: Apache-2.0 */
/* diff_make.c - from two sides to pairs, groups and totals. */
#include <math.h>

#include "base/order.h"
#include "base/vec.h"
#include "diff/diff_doubts.h"
#include "diff/identity.h"
#include "diff/settings.h"
#include "diff/significance.h"

/* One side while the diff is made. */
struct side {
    const struct ttp_diff_side *given;
    struct ttp_identities first; /* of the first run */
    double *time, *gap;          /* [op * runs + run]; NAN: the run has no such op */
    size_t runs;
};

struct maker {
    struct ttp_diff *diff;
    struct ttp_arena *arena;
    struct ttp_identity_names names;
    struct side side[2];
    uint32_t *other_partner;    /* by op of the other side: its base, or TTP_DIFF_NONE */
    uint8_t *how;               /* by op of the other side: enum ttp_diff_kind of its pair */
    bool *taken;                /* by op of the base: it has a partner */
    struct ttp_symtab programs; /* pairs of attributes that were compared */
    bool *program_differs;      /* by such pair */
    size_t programs_cap;
    struct ttp_arena scratch;
};

/* What an op adds to the time of the run. */
static double added_time(const struct ttp_op *op)
{
    return (op->has & TTP_HAS_TIME ? op->time_us : 0) -
           (op->has & TTP_HAS_OVERLAP ? op->overlap_us : 0);
}

/* It ran on a device, but how long is not known. */
static bool is_untimed(const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE && op->has & TTP_DURATION_INVALID;
}

static double idle_before(const struct maker *m, const struct ttp_op *op)
{
    return m->diff->with_gaps && (op->has & TTP_HAS_GAP) ? fmax(op->gap_us, 0) : 0;
}

/* ---- runs of one side ---- */

static void copy_key_counts(uint32_t keys[TTP_ALIGN_LEVELS], const struct ttp_identity_names *names)
{
    for (size_t i = 0; i < TTP_ALIGN_LEVELS; i++)
        keys[i] = names->key[i].count;
}

static void take_run(struct maker *m, struct side *s, size_t run, const uint32_t *partner)
{
    const struct ttp_report *report = s->given->run[run].report;
    size_t unlike = 0;

    for (size_t i = 0; i < s->first.sequence.count; i++) {
        const uint32_t at = partner ? partner[i] : (uint32_t)i;
        double *time = &s->time[i * s->runs + run], *gap = &s->gap[i * s->runs + run];
        unlike += at == UINT32_MAX;
        *time = at == UINT32_MAX || is_untimed(&report->op[at]) ? NAN : added_time(&report->op[at]);
        *gap = at == UINT32_MAX ? NAN : idle_before(m, &report->op[at]);
    }
    m->diff->unlike_runs += unlike || report->count != s->first.sequence.count;
}

static void read_side(struct maker *m, struct side *s)
{
    const size_t count = s->given->run[0].report->count;

    s->runs = s->given->runs;
    ttp_diff_identify(&s->first, &s->given->run[0], &m->names);
    s->time = TTP_NEW(m->arena, double, count * s->runs);
    s->gap = TTP_NEW(m->arena, double, count * s->runs);
    take_run(m, s, 0, NULL);
    for (size_t r = 1; r < s->runs; r++) {
        struct ttp_identities again;
        uint32_t keys[TTP_ALIGN_LEVELS];
        uint32_t *partner = TTP_NEW(m->arena, uint32_t, count);

        ttp_diff_identify(&again, &s->given->run[r], &m->names);
        copy_key_counts(keys, &m->names);
        ttp_diff_align(partner, &s->first.sequence, &again.sequence, keys, m->arena);
        take_run(m, s, r, partner);
    }
}

/* Of the runs that have the op. */
static double mean_of(const double *v, size_t runs)
{
    double sum = 0;
    size_t n = 0;

    for (size_t r = 0; r < runs; r++) {
        if (isnan(v[r]))
            continue;
        sum += v[r];
        n++;
    }
    return n ? sum / (double)n : 0;
}

static bool is_known(const double *v, size_t runs)
{
    for (size_t r = 0; r < runs; r++)
        if (!isnan(v[r]))
            return true;
    return false;
}

/* ---- pairs ---- */

/* Keys of the ops of both sides that have no partner yet. */
struct keys {
    const ttp_sym *base, *other; /* TTP_IDENTITY_UNKNOWN: no partner is sought */
    uint32_t count;              /* they are below it */
};

/* Pair the rest of both sides where the keys are equal, in order. */
static void pair_rest(struct maker *m, const struct keys *keys, enum ttp_diff_kind kind)
{
    const size_t nbase = m->side[0].first.sequence.count;
    const size_t nother = m->side[1].first.sequence.count;
    uint32_t *head = TTP_NEW(m->arena, uint32_t, keys->count); /* place + 1 */
    uint32_t *next = TTP_NEW(m->arena, uint32_t, nbase);

    for (size_t i = nbase; i-- > 0;) {
        if (m->taken[i] || keys->base[i] == TTP_IDENTITY_UNKNOWN)
            continue;
        next[i] = head[keys->base[i]];
        head[keys->base[i]] = (uint32_t)i + 1;
    }
    for (size_t j = 0; j < nother; j++) {
        if (m->other_partner[j] != TTP_DIFF_NONE || keys->other[j] == TTP_IDENTITY_UNKNOWN)
            continue;
        uint32_t *first = &head[keys->other[j]];
        if (*first == 0)
            continue;
        m->other_partner[j] = *first - 1;
        m->taken[*first - 1] = true;
        m->how[j] = (uint8_t)kind;
        *first = next[*first - 1];
    }
}

/* What was taken out here and put in there is the same op, if it is exactly the same. */
static void find_moves(struct maker *m)
{
    pair_rest(m,
              &(struct keys){m->side[0].first.sequence.key[0], m->side[1].first.sequence.key[0],
                             m->names.key[0].count},
              TTP_DIFF_MOVED);
}

/* What stands between the same two pairs, is of the same family and has the same shapes does the
 * work of what was there. Gaps between pairs are numbered. */
static ttp_sym *keys_in_gaps(struct maker *m, const struct side *s, const bool *paired,
                             struct ttp_symtab *table)
{
    ttp_sym *key = TTP_NEW(m->arena, ttp_sym, s->first.sequence.count);
    ttp_sym gap = 0;

    for (size_t i = 0; i < s->first.sequence.count; i++) {
        const ttp_sym part[] = {gap, s->first.item[i].kin};

        gap += paired[i];
        key[i] = paired[i] || part[1] == TTP_IDENTITY_UNKNOWN
                     ? TTP_IDENTITY_UNKNOWN
                     : ttp_sym_intern(table, (ttp_str){(const char *)part, sizeof(part)});
    }
    return key;
}

static void pair_sides(struct maker *m)
{
    const struct ttp_sequence *base = &m->side[0].first.sequence;
    const struct ttp_sequence *other = &m->side[1].first.sequence;
    uint32_t *partner = TTP_NEW(m->arena, uint32_t, base->count);
    bool *paired = TTP_NEW(m->arena, bool, other->count);
    struct ttp_symtab table = {.arena = m->arena};
    uint32_t keys[TTP_ALIGN_LEVELS];

    copy_key_counts(keys, &m->names);
    ttp_diff_align(partner, base, other, keys, m->arena);
    m->other_partner = TTP_NEW(m->arena, uint32_t, other->count);
    m->how = TTP_NEW(m->arena, uint8_t, other->count);
    m->taken = TTP_NEW(m->arena, bool, base->count);
    for (size_t j = 0; j < other->count; j++)
        m->other_partner[j] = TTP_DIFF_NONE;
    for (uint32_t i = 0; i < base->count; i++) {
        if (partner[i] == UINT32_MAX)
            continue;
        m->other_partner[partner[i]] = i;
        m->taken[i] = paired[partner[i]] = true;
    }
    struct keys gaps = {keys_in_gaps(m, &m->side[0], m->taken, &table),
                        keys_in_gaps(m, &m->side[1], paired, &table), 0};
    gaps.count = table.count;
    find_moves(m);
    pair_rest(m, &gaps, TTP_DIFF_REPLACED);
}

/* Texts that differ need not mean another program; pairs of texts are few. */
static bool program_differs(struct maker *m, ttp_sym before, ttp_sym after)
{
    const ttp_sym key[] = {before, after};
    const uint32_t known = m->programs.count;
    const ttp_sym pair = ttp_sym_intern(&m->programs, (ttp_str){(const char *)key, sizeof(key)});

    if (pair == known) {
        const struct ttp_mark mark = ttp_arena_mark(&m->scratch);
        TTP_RESERVE(m->arena, m->program_differs, (size_t)pair + 1, m->programs_cap);
        m->program_differs[pair] =
            ttp_diff_settings_compare(NULL, 0, ttp_sym_name(&m->names.text, before),
                                      ttp_sym_name(&m->names.text, after), &m->scratch) > 0;
        ttp_arena_rewind(&m->scratch, mark);
    }
    return m->program_differs[pair];
}

static unsigned changes_of(struct maker *m, const struct ttp_identity *a,
                           const struct ttp_identity *b)
{
    const unsigned changes = ttp_diff_identity_changes(a, b);

    if ((changes & TTP_CHANGED_PROGRAM) && !program_differs(m, a->program, b->program))
        return changes & ~(unsigned)TTP_CHANGED_PROGRAM;
    return changes;
}

static void add_op(struct maker *m, uint32_t base, uint32_t other, enum ttp_diff_kind kind)
{
    struct ttp_diff *d = m->diff;
    struct ttp_diff_op *op = &d->op[d->count++];
    const struct side *a = &m->side[0], *b = &m->side[1];

    *op = (struct ttp_diff_op){.base = base, .other = other, .kind = (uint8_t)kind};
    if (base != TTP_DIFF_NONE) {
        op->times.base_us = mean_of(a->time + base * a->runs, a->runs);
        op->base_untimed = !is_known(a->time + base * a->runs, a->runs);
        op->times.base_gap_us = mean_of(a->gap + base * a->runs, a->runs);
    }
    if (other != TTP_DIFF_NONE) {
        op->times.other_us = mean_of(b->time + other * b->runs, b->runs);
        op->other_untimed = !is_known(b->time + other * b->runs, b->runs);
        op->times.other_gap_us = mean_of(b->gap + other * b->runs, b->runs);
    }
    if (base != TTP_DIFF_NONE && other != TTP_DIFF_NONE) {
        op->changed = (uint16_t)changes_of(m, &a->first.item[base], &b->first.item[other]);
        if (op->changed && kind == TTP_DIFF_SAME)
            op->kind = TTP_DIFF_CHANGED;
        if (kind == TTP_DIFF_REPLACED) /* settings of different ops are not compared */
            op->changed &= (uint16_t)~TTP_CHANGED_PROGRAM;
    }
    if (op->base_untimed != op->other_untimed)
        d->untimed_us += op->times.base_us + op->times.other_us;
    d->kinds[op->kind]++;
}

/* In the order of the other side; removed ops are before the op that followed them. */
static void list_ops(struct maker *m)
{
    const size_t nbase = m->side[0].first.sequence.count;
    const size_t nother = m->side[1].first.sequence.count;
    uint32_t next = 0;

    m->diff->op = TTP_NEW(m->arena, struct ttp_diff_op, nbase + nother);
    for (uint32_t j = 0; j < nother; j++) {
        const uint32_t i = m->other_partner[j];
        if (i == TTP_DIFF_NONE) {
            add_op(m, TTP_DIFF_NONE, j, TTP_DIFF_ADDED);
            continue;
        }
        if (m->how[j] != TTP_DIFF_SAME) { /* out of order */
            add_op(m, i, j, (enum ttp_diff_kind)m->how[j]);
            continue;
        }
        for (; next < i; next++)
            if (!m->taken[next])
                add_op(m, next, TTP_DIFF_NONE, TTP_DIFF_REMOVED);
        next = i + 1;
        add_op(m, i, j, TTP_DIFF_SAME);
    }
    for (; next < nbase; next++)
        if (!m->taken[next])
            add_op(m, next, TTP_DIFF_NONE, TTP_DIFF_REMOVED);
}

/* ---- groups ---- */

static void add_times(struct ttp_diff_times *sum, const struct ttp_diff_times *t)
{
    sum->base_us += t->base_us;
    sum->other_us += t->other_us;
    sum->base_gap_us += t->base_gap_us;
    sum->other_gap_us += t->other_gap_us;
}

static double delta_of(const struct ttp_diff_times *t)
{
    return t->other_us - t->base_us;
}

static void add_to_group(struct ttp_diff_group *g, const struct ttp_diff_op *op, uint32_t at)
{
    const double delta = delta_of(&op->times);

    if (g->count++ == 0) {
        g->first = at;
        g->min_delta_us = g->max_delta_us = delta;
    }
    g->min_delta_us = fmin(g->min_delta_us, delta);
    g->max_delta_us = fmax(g->max_delta_us, delta);
    add_times(&g->times, &op->times);
}

/* Lines are the same if both ops are, and what became of them is. */
static void group_ops(struct maker *m)
{
    struct ttp_diff *d = m->diff;
    struct ttp_symtab kinds = {.arena = m->arena};

    d->group = TTP_NEW(m->arena, struct ttp_diff_group, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        struct ttp_diff_op *op = &d->op[i];
        const bool in_base = op->base != TTP_DIFF_NONE, in_other = op->other != TTP_DIFF_NONE;
        const ttp_sym key[] = {in_base ? m->side[0].first.item[op->base].whole : 0,
                               in_other ? m->side[1].first.item[op->other].whole : 0, op->kind,
                               (ttp_sym)(op->base_untimed + 2 * op->other_untimed)};
        op->group = ttp_sym_intern(&kinds, (ttp_str){(const char *)key, sizeof(key)});
        add_to_group(&d->group[op->group], op, i);
    }
    d->groups = kinds.count;
}

static int by_change(const void *pa, const void *pb)
{
    const struct ttp_diff_group *a = pa, *b = pb;
    const double x = fabs(delta_of(&a->times)), y = fabs(delta_of(&b->times));

    if (x != y)
        return x < y ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

static void sort_groups(struct maker *m)
{
    struct ttp_diff *d = m->diff;
    uint32_t *place = TTP_NEW(m->arena, uint32_t, d->groups);

    TTP_SORT(d->group, d->groups, by_change);
    for (uint32_t g = 0; g < d->groups; g++)
        place[d->op[d->group[g].first].group] = g;
    for (size_t i = 0; i < d->count; i++)
        d->op[i].group = place[d->op[i].group];
}

static void sum_up(struct maker *m)
{
    struct ttp_diff *d = m->diff;
    struct ttp_sum sum[4] = {{0}};

    for (size_t i = 0; i < d->count; i++) {
        const struct ttp_diff_times *t = &d->op[i].times;
        ttp_analysis_sum_add(&sum[0], t->base_us);
        ttp_analysis_sum_add(&sum[1], t->other_us);
        ttp_analysis_sum_add(&sum[2], t->base_gap_us);
        ttp_analysis_sum_add(&sum[3], t->other_gap_us);
    }
    d->times =
        (struct ttp_diff_times){ttp_analysis_sum_value(&sum[0]), ttp_analysis_sum_value(&sum[1]),
                                ttp_analysis_sum_value(&sum[2]), ttp_analysis_sum_value(&sum[3])};
}

/* The mean over the runs of a side; false: one has no window with device ops. */
static bool iteration_of(const struct ttp_diff_side *side, double *us, double *gap_us)
{
    *us = *gap_us = 0;
    for (size_t r = 0; r < side->runs; r++) {
        const struct ttp_window *w = &side->run[r].report->window;
        if (w->devices == 0)
            return false;
        *us += w->device_us / (double)side->runs;
        *gap_us += w->gap_us / (double)side->runs;
    }
    return true;
}

static void set_iteration(struct ttp_diff *d)
{
    struct ttp_diff_times *t = &d->iteration;

    if (!iteration_of(&d->base, &t->base_us, &t->base_gap_us) ||
        !iteration_of(&d->other, &t->other_us, &t->other_gap_us))
        *t = d->times;
    if (!d->with_gaps)
        t->base_gap_us = t->other_gap_us = 0;
}

void ttp_diff_make(struct ttp_diff *out, const struct ttp_diff_side *base,
                   const struct ttp_diff_side *other, bool with_gaps, struct ttp_arena *arena)
{
    struct maker m = {.diff = out, .arena = arena, .side = {{.given = base}, {.given = other}}};

    *out = (struct ttp_diff){.base = *base, .other = *other, .with_gaps = with_gaps};
    m.programs.arena = arena;
    ttp_diff_identity_names_init(&m.names, arena);
    read_side(&m, &m.side[0]);
    read_side(&m, &m.side[1]);
    pair_sides(&m);
    list_ops(&m);
    group_ops(&m);
    sort_groups(&m);
    sum_up(&m);
    set_iteration(out);
    const struct ttp_diff_samples samples[2] = {
        {m.side[0].time, m.side[0].runs},
        {m.side[1].time, m.side[1].runs},
    };
    ttp_diff_test(out, samples, arena);
    ttp_arena_free(&m.scratch);
}

double ttp_diff_total_pct(const struct ttp_diff *diff)
{
    const double base = ttp_diff_base_total(&diff->iteration);

    return base > 0 ? (ttp_diff_other_total(&diff->iteration) - base) / base * 100 : 0;
}

double ttp_diff_device_pct(const struct ttp_diff *diff)
{
    const struct ttp_diff_times *t = &diff->iteration;

    return t->base_us > 0 ? (t->other_us - t->base_us) / t->base_us * 100 : 0;
}

double ttp_diff_clock_mhz(const struct ttp_diff_side *side)
{
    double sum = 0;
    size_t known = 0;

    for (size_t r = 0; r < side->runs; r++) {
        const struct ttp_machine_use *m = &side->run[r].report->machine;

        sum += m->known ? m->mean_mhz : 0;
        known += m->known;
    }
    return known ? sum / (double)known : 0;
}

/* The first run of either side that differs from the first of the base; NULL: none. */
static const struct ttp_report *odd_run(const struct ttp_diff *diff,
                                        bool (*differ)(const struct ttp_report *,
                                                       const struct ttp_report *))
{
    const struct ttp_diff_side *sides[] = {&diff->base, &diff->other};

    for (size_t s = 0; s < TTP_COUNT(sides); s++)
        for (size_t r = 0; r < sides[s]->runs; r++)
            if (differ(diff->base.run[0].report, sides[s]->run[r].report))
                return sides[s]->run[r].report;
    return NULL;
}

static bool kinds_differ(const struct ttp_report *a, const struct ttp_report *b)
{
    return a->window.kind != b->window.kind;
}

static bool archs_differ(const struct ttp_report *a, const struct ttp_report *b)
{
    return strcmp(a->arch->name, b->arch->name) != 0;
}

/* A window without devices has no times, which is another problem. */
static bool devices_differ(const struct ttp_report *a, const struct ttp_report *b)
{
    return a->window.devices && b->window.devices && a->window.devices != b->window.devices;
}

const struct ttp_report *ttp_diff_odd_window(const struct ttp_diff *diff)
{
    return odd_run(diff, kinds_differ);
}

const struct ttp_report *ttp_diff_odd_arch(const struct ttp_diff *diff)
{
    return odd_run(diff, archs_differ);
}

const struct ttp_report *ttp_diff_odd_devices(const struct ttp_diff *diff)
{
    return odd_run(diff, devices_differ);
}

bool ttp_diff_is_same_run(const struct ttp_diff_run *a, const struct ttp_diff_run *b)
{
    const struct ttp_ops *x = a->ops, *y = b->ops;

    if (x->rows != y->rows)
        return false;
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++) {
        const struct ttp_number_column *p = &x->number[c], *q = &y->number[c];

        if (!p->kind != !q->kind || (p->kind && memcmp(p->kind, q->kind, x->rows) != 0))
            return false;
        for (size_t r = 0; p->kind && r < x->rows; r++)
            if (p->kind[r] != TTP_CELL_MISSING && p->kind[r] != TTP_CELL_TEXT &&
                p->value[r].i != q->value[r].i)
                return false;
    }
    return true;
}

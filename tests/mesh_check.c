/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_check.c - does the mesh module keep its promises?
 *
 *   mesh_check golden TRUTH EXPECTED LIMIT_US RANK=CSV...   synthetic runs with known clocks
 *                                                           (EXPECTED '-': what is known of them)
 *   mesh_check real ASIDE CSV                               real ones: rows set aside, left-out
 *                                                           collectives, contradictions
 * A line for each promise that is not kept, and exit status 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "mesh/pairs.h"

static int failures;

#define EXPECT(what, ...)                                                                          \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("NOT KEPT: " __VA_ARGS__);                                                      \
            putchar('\n');                                                                         \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static _Noreturn void give_up(const char *what, const struct ttp_err *err)
{
    fprintf(stderr, "mesh_check: %s: %s\n", what, err ? err->text : "?");
    exit(2);
}

static const struct ttp_node *read_json(const char *path, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    struct ttp_file file;
    struct ttp_node *tree;

    if (ttp_file_map(&file, path, &err) != TTP_OK ||
        ttp_json_tree(&tree, file.text, arena, &err) != TTP_OK || !tree)
        give_up(path, &err);
    return tree;
}

static void read_mesh(struct ttp_mesh *mesh, char **operand, int operands, struct ttp_arena *arena)
{
    struct ttp_mesh_part *part = TTP_NEW(arena, struct ttp_mesh_part, (size_t)operands);
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_mesh_options options = {0};
    struct ttp_err err = {0};

    for (int i = 0; i < operands; i++) {
        const ttp_str arg = ttp_str_from(operand[i]);
        const size_t sign = ttp_str_find_char(arg, '=');
        const char *path = sign == TTP_NPOS ? operand[i] : operand[i] + sign + 1;
        int64_t rank = 0;

        if (sign != TTP_NPOS && !ttp_str_to_i64(ttp_str_slice(arg, 0, sign), &rank))
            give_up(operand[i], NULL);
        part[i] = (struct ttp_mesh_part){.rank = rank, .mesh_id = -1, .name = path};
        part[i].ops = TTP_NEW(arena, struct ttp_ops, 1);
        if (ttp_ops_read_csv(part[i].ops, (struct ttp_paths){&path, 1}, &reading, arena, &err) !=
            TTP_OK)
            give_up(path, &err);
    }
    if (ttp_mesh_make(mesh, (struct ttp_mesh_parts){part, (size_t)operands}, &options, arena,
                      &err) != TTP_OK)
        give_up("mesh", &err);
}

/* ---- clocks that are known ---- */

struct clock {
    double ghz, cycles_at_0, ppm;
    const struct ttp_node *extra;
};

static double second_of(const struct ttp_node *pair)
{
    return ttp_node_f64(ttp_node_first(pair)->next);
}

static double extra_at(const struct clock *c, double t)
{
    const struct ttp_node *p = ttp_node_first(c->extra), *q = NULL;

    if (!p)
        return 0;
    for (; p; q = p, p = p->next) {
        const double x = ttp_node_f64(ttp_node_first(p));
        if (t > x)
            continue;
        if (!q)
            return second_of(p);
        const double w = ttp_node_f64(ttp_node_first(q));
        return second_of(q) + (second_of(p) - second_of(q)) * (t - w) / (x - w);
    }
    return second_of(q);
}

static double cycles_at(const struct clock *c, double t)
{
    return c->cycles_at_0 + c->ghz * (t * (1 + c->ppm * 1e-6) + extra_at(c, t));
}

static double time_of(const struct clock *c, double cycles)
{
    double t = (cycles - c->cycles_at_0) / c->ghz;

    for (int i = 0; i < 20; i++)
        t -= (cycles_at(c, t) - cycles) / c->ghz;
    return t;
}

static struct clock clock_of(const struct ttp_node *truth, int64_t rank, int64_t id)
{
    const struct ttp_node *d = ttp_node_first_of(truth, "devices");

    for (; d; d = d->next)
        if (ttp_node_f64_of(d, "rank") == (double)rank && ttp_node_f64_of(d, "id") == (double)id)
            return (struct clock){.ghz = ttp_node_f64_of(d, "nominal_ghz"),
                                  .cycles_at_0 = ttp_node_f64_of(d, "cycles_at_0"),
                                  .ppm = ttp_node_f64_of(d, "ppm"),
                                  .extra = ttp_node_get(d, "clock")};
    give_up("a device that is not in the truth", NULL);
}

static int by_value(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

static double p95(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_value);
    return n ? v[(size_t)ceil(0.95 * (double)n) - 1] : 0;
}

static const struct ttp_node *item(const struct ttp_node *array, size_t i)
{
    const struct ttp_node *n = ttp_node_first(array);

    while (n && i--)
        n = n->next;
    return n;
}

struct golden {
    const struct ttp_mesh *m;
    const struct ttp_node *truth, *expected;
    double limit_us;
    struct ttp_arena *arena;
};

/* Offsets of clocks at the moments of the grid against the truth. */
struct offsets {
    double *error; /* us */
    size_t n, inside, of;
    double wider; /* bounds over those expected, the most */
};

/* How much wider than expected the bounds are at the start, in the middle and at the end. */
static double width_ratio(const struct ttp_node *expected, const struct ttp_mesh_theta *t, size_t k)
{
    if (k % 4 != 0 || !expected)
        return 0;
    const struct ttp_node *b = item(ttp_node_get(expected, "theta_ns_at_start_mid_end"), k / 4);
    const double want = second_of(b) - ttp_node_f64(ttp_node_first(b));

    return (t->high - t->low - 2000) / want;
}

static void check_device(struct offsets *o, const struct golden *g, size_t d,
                         const struct ttp_node *expected)
{
    const struct ttp_mesh *m = g->m;
    const struct ttp_mesh_device *ref = &m->device[m->reference], *dev = &m->device[d];
    const struct clock rc = clock_of(g->truth, ref->rank, ref->id);
    const struct clock dc = clock_of(g->truth, dev->rank, dev->id);

    EXPECT(fabs(dev->ghz - dc.ghz) < 1e-9, "%lld:%lld: %.6f GHz instead of %.6f",
           (long long)dev->rank, (long long)dev->id, dev->ghz, dc.ghz);
    for (size_t k = 0; k < m->grids && d != m->reference; k++) {
        const struct ttp_mesh_theta *t = &m->grid[k].theta[d];
        const double when = time_of(&rc, (double)ref->base_cycle + m->grid[k].at * rc.ghz);
        const double own = (cycles_at(&dc, when) - (double)dev->base_cycle) / dc.ghz;
        const double theta = m->grid[k].at - own;

        o->of++;
        o->inside += theta >= t->low - 5 && theta <= t->high + 5;
        o->error[o->n++] = fabs(t->estimate - theta) / 1000;
        o->wider = fmax(o->wider, width_ratio(expected, t, k));
    }
}

static void check_theta(const struct golden *g)
{
    const struct ttp_mesh *m = g->m;
    const struct ttp_node *e = ttp_node_first_of(g->expected, "devices");
    struct offsets o = {.error = TTP_NEW(g->arena, double, m->devices * 9)};

    EXPECT(m->grids == 9, "%zu moments instead of 9", m->grids);
    for (size_t d = 0; d < m->devices; d++, e = e ? e->next : NULL)
        check_device(&o, g, d, e);
    const double worst = p95(o.error, o.n);
    EXPECT(o.inside == o.of, "truth inside the bounds %zu of %zu", o.inside, o.of);
    EXPECT(o.wider <= 1.15, "bounds %.2f times as wide as expected", o.wider);
    EXPECT(worst <= g->limit_us, "estimate off by %.2f us (95 %%)", worst);
    printf("theta: inside %zu of %zu, widest %.3f x expected, estimate %.2f us\n", o.inside, o.of,
           o.wider, worst);
}

static size_t find_device(const struct ttp_mesh *m, double rank, double id)
{
    for (size_t d = 0; d < m->devices; d++)
        if ((double)m->device[d].rank == rank && (double)m->device[d].id == id)
            return d;
    return TTP_NPOS;
}

/* Is a group of the truth, without devices that are missing, one of ours? Returns how many of
 * its devices there are. */
static size_t check_group(const struct golden *g, const struct ttp_node *group)
{
    const struct ttp_mesh *m = g->m;
    uint32_t *member = TTP_NEW(g->arena, uint32_t, m->devices);
    size_t want = 0, found = 0;

    for (const struct ttp_node *d = ttp_node_first(group); d; d = d->next) {
        const size_t at = find_device(m, ttp_node_f64(ttp_node_first(d)), second_of(d));
        if (at != TTP_NPOS)
            member[want++] = (uint32_t)at;
    }
    for (size_t k = 0; k < m->groups; k++)
        found += m->group[k].members == want &&
                 memcmp(m->group[k].member, member, want * sizeof(*member)) == 0;
    EXPECT(want == 0 || found >= 1, "a group of %zu devices is not found", want);
    return want;
}

static void check_groups(const struct golden *g)
{
    const struct ttp_node *axis = ttp_node_get(g->truth, "groups")->child;
    size_t groups = 0;

    for (; axis; axis = axis->next)
        for (const struct ttp_node *group = ttp_node_first(axis); group; group = group->next)
            groups += check_group(g, group) > 0;
    EXPECT(groups == g->m->groups, "%zu groups instead of %zu", g->m->groups, groups);
}

/* The figures of one device; `straggler`: the one of the truth. */
static void check_excess(const struct golden *g, const struct ttp_node *e, size_t straggler)
{
    const struct ttp_mesh *m = g->m;
    const struct ttp_node *d = ttp_node_get(e, "device");
    const size_t at = find_device(m, ttp_node_f64(ttp_node_first(d)), second_of(d));
    /* which rows are wrong is not told alike; without such rows they agree */
    const bool clean = ttp_node_first_of(g->truth, "rows_wrong") == NULL;
    const double exact = clean ? 0.01 : 50, op = at == straggler ? 0.01 : 2;
    const struct {
        const char *key;
        double ours, slack;
    } figure[] = {{"excess_us", m->device[at].excess_us, exact},
                  {"gap_us", m->device[at].gap_us, clean ? 0.01 : 500},
                  {"op_us", m->device[at].op_us, clean ? op : 150},
                  {"stretches", (double)m->device[at].stretches, clean ? 0 : 4},
                  {"last", (double)m->device[at].clear, clean ? 0 : 1},
                  {"cost_us", m->device[at].cost_us, clean ? 2 : 150}};
    for (size_t i = 0; i < TTP_COUNT(figure); i++)
        EXPECT(fabs(figure[i].ours - ttp_node_f64_of(e, figure[i].key)) <= figure[i].slack,
               "%zu: %s %.2f, expected %.2f", at, figure[i].key, figure[i].ours,
               ttp_node_f64_of(e, figure[i].key));
}

static void check_straggler(const struct golden *g)
{
    const struct ttp_mesh *m = g->m;
    const struct ttp_node *s = ttp_node_get(g->truth, "straggler");
    const size_t want = find_device(m, ttp_node_f64(ttp_node_first(s)), second_of(s));
    size_t worst = 0;

    for (size_t d = 1; d < m->devices; d++)
        if (m->device[d].excess_us > m->device[worst].excess_us)
            worst = d;
    EXPECT(worst == want, "straggler %lld:%lld", (long long)m->device[worst].rank,
           (long long)m->device[worst].id);
    EXPECT(ttp_str_eq(m->device[worst].op, TTP_STR("MatmulDeviceOperation")), "its op is '%.*s'",
           TTP_FMT(m->device[worst].op));
    for (const struct ttp_node *e = ttp_node_first_of(g->expected, "stragglers"); e; e = e->next)
        check_excess(g, e, want);
}

/* When members of a collective really began, and when they did by the estimate. */
struct meeting {
    double first, last;  /* true starts */
    size_t who;          /* began last */
    double latest, ends; /* by the estimate: the last start, the first end */
};

static struct meeting meet(const struct golden *g, const struct ttp_mesh_collective *c)
{
    const struct ttp_mesh *m = g->m;
    struct meeting a = {
        .first = INFINITY, .last = -INFINITY, .latest = -INFINITY, .ends = INFINITY};

    for (size_t i = 0; i < c->members; i++) {
        const struct ttp_mesh_device *d = &m->device[c->member[i].device];
        const struct clock clock = clock_of(g->truth, d->rank, d->id);
        const struct ttp_mesh_cell *cell = &m->cell[c->member[i].cell];
        const double t = time_of(&clock, (double)cell->start_cycle);
        const struct ttp_mesh_theta theta = ttp_mesh_theta_at(m, c->op, cell);

        a.first = fmin(a.first, t);
        if (t > a.last) {
            a.last = t;
            a.who = c->member[i].device;
        }
        a.latest = fmax(a.latest, cell->start + theta.estimate);
        a.ends = fmin(a.ends, cell->end + theta.estimate);
    }
    return a;
}

static void check_skew(const struct golden *g)
{
    const struct ttp_mesh *m = g->m;
    double *error = TTP_NEW(g->arena, double, m->collectives + 1);
    size_t n = 0, early = 0, certain = 0, right = 0;

    for (size_t k = 0; k < m->collectives; k++) {
        const struct ttp_mesh_collective *c = &m->collective[k];
        const struct meeting a = meet(g, c);

        EXPECT(c->aligned, "collective %zu is not aligned", k);
        error[n++] = fabs(c->skew_us - (a.last - a.first) / 1000);
        early += a.ends < a.latest - c->error_us * 1000;
        certain += c->certain;
        right += c->certain && c->last == a.who;
    }
    const double worst = p95(error, n);
    EXPECT(worst <= 3, "skew off by %.2f us (95 %%)", worst);
    EXPECT(early == 0, "%zu collectives end before all have begun", early);
    EXPECT(certain == right, "certain last right %zu of %zu", right, certain);
    printf("skew: %zu collectives, off by %.2f us, certain last %zu of %zu right, path %.1f of "
           "%.1f us\n",
           n, worst, right, certain, m->path.length_us, m->span_us);
}

static int check_golden(int argc, char **argv, struct ttp_arena *arena)
{
    struct golden g = {.truth = read_json(argv[0], arena),
                       .expected = strcmp(argv[1], "-") == 0 ? NULL : read_json(argv[1], arena),
                       .limit_us = ttp_node_f64(&(struct ttp_node){.kind = TTP_JSON_NUMBER,
                                                                   .text = ttp_str_from(argv[2])}),
                       .arena = arena};
    struct ttp_mesh mesh;

    read_mesh(&mesh, argv + 3, argc - 3, arena);
    g.m = &mesh;
    if (mesh.reference == TTP_MESH_NONE)
        give_up("no clock relates to another", NULL);
    check_theta(&g);
    check_groups(&g);
    check_straggler(&g);
    check_skew(&g);
    return failures != 0;
}

/* ---- real runs ---- */

/* Bounds from all other collectives of the pair against what the one left out says itself. */
static bool agrees_without(struct ttp_mesh_pairs *pairs, size_t p, size_t k)
{
    struct ttp_mesh_pairs one = {
        .pair = &pairs->pair[p], .count = 1, .arena = pairs->arena, .mesh = pairs->mesh};
    struct ttp_witness *w = &pairs->pair[p].witness[k];
    double low, high, none;

    w->out = true;
    (void)ttp_mesh_pairs_settle(&one, false);
    w->out = false;
    ttp_mesh_pair_bounds(&pairs->pair[p], w->floor_at, &none, &high);
    ttp_mesh_pair_bounds(&pairs->pair[p], w->roof_at, &low, &none);
    return w->floor <= high + 2 && w->roof >= low - 2;
}

static void check_left_out(const struct ttp_mesh *m, struct ttp_arena *arena)
{
    const struct ttp_mesh_grouping all = {
        .group = m->group, .groups = m->groups, .axis = TTP_MESH_NONE};
    struct ttp_mesh_pairs pairs;
    size_t n = 0, agree = 0;

    ttp_mesh_pairs_make(&pairs, m, &all, arena);
    ttp_mesh_pairs_find_rates(&pairs);
    for (size_t p = 0; p < pairs.count; p++)
        for (size_t k = 0; k < pairs.pair[p].witnesses; k++) {
            const struct ttp_mark mark = ttp_arena_mark(arena);
            const bool out = pairs.pair[p].witness[k].out;
            n++;
            agree += agrees_without(&pairs, p, k);
            pairs.pair[p].witness[k].out = out;
            ttp_arena_rewind(arena, mark);
        }
    EXPECT((double)agree >= 0.994 * (double)n, "left-out collectives: %zu of %zu agree", agree, n);
    printf("left out: %zu of %zu agree\n", agree, n);
}

static int check_real(char **argv, struct ttp_arena *arena)
{
    struct ttp_mesh m;
    uint64_t aside;

    if (!ttp_str_to_u64(ttp_str_from(argv[0]), &aside))
        give_up(argv[0], NULL);
    read_mesh(&m, argv + 1, 1, arena);
    EXPECT(m.rows_aside <= aside, "%zu rows set aside", m.rows_aside);
    EXPECT(m.inconsistency_ns <= 1000, "inconsistent by %.0f ns", m.inconsistency_ns);
    EXPECT(m.components == 1, "%zu time lines", m.components);
    check_left_out(&m, arena);
    printf(
        "%zu devices, %zu rows, %zu aside, %zu pairs, %zu against, bound %.1f us, ends %.2f us\n",
        m.devices, m.collective_rows, m.rows_aside, m.pairs, m.pair_rows_against, m.bound_us,
        m.estimate_us);
    for (size_t a = 0; a < m.axes; a++)
        printf(
            "axis %lld ring %zu: %u groups, against %zu of %zu, proven %d, same %d, refused %d\n",
            (long long)m.axis[a].axis, m.axis[a].size, m.axis[a].groups, m.axis[a].rows_against,
            m.axis[a].rows, m.axis[a].proven, m.axis[a].same_from_data, m.axis[a].refused);
    for (size_t i = 0; i < m.notes.count; i++)
        printf("note: %s\n", m.notes.word[i]);
    return failures != 0;
}

int main(int argc, char **argv)
{
    struct ttp_arena arena = {0};
    int status = 2;

    if (argc > 5 && ttp_str_eq(ttp_str_from(argv[1]), TTP_STR("golden")))
        status = check_golden(argc - 2, argv + 2, &arena);
    else if (argc == 4 && ttp_str_eq(ttp_str_from(argv[1]), TTP_STR("real")))
        status = check_real(argv + 2, &arena);
    else
        fputs("usage: mesh_check golden TRUTH EXPECTED LIMIT_US RANK=CSV... | real ASIDE CSV\n",
              stderr);
    ttp_arena_free(&arena);
    return status;
}

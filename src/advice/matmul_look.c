/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_look.c - predictions of the cost model for the matmuls of a run.
 *
 * The model errs alike on two variants of one matmul, so that the ratio of its predictions is surer
 * than their difference: every gain is a part of the measured time. */
#include "advice/matmul_look.h"

#include <math.h>

#include "advice/plan_rules.h"
#include "base/order.h"

/* Matmuls that differ, the longest first: more of them are not looked at. */
#define LOOKS_MAX 24
/* Of the run's device time: less is not worth a search. */
#define LEAST_SHARE 0.002

struct looking {
    const struct ttp_report *report;
    const struct ttp_router *router;
    struct ttp_matmul_look *look;
    size_t count, cap;
    struct known_program *known; /* by program; NULL: rows of one need not be alike */
    struct ttp_arena *arena;
};

/* What was found for the first row of a program. */
struct known_program {
    const struct ttp_op *op; /* that row; NULL: not seen yet */
    size_t look;             /* counted from 1; 0: none */
};

static size_t find(const struct looking *l, const struct ttp_config_op *op)
{
    size_t i = 0;

    while (i < l->count && !ttp_config_op_same(&l->look[i].op, op))
        i++;
    return i;
}

/* ---- one matmul ---- */

static double predicted_ns(const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    struct ttp_matmul_time time;

    return ttp_cost_matmul(&time, p, c) ? time.ns : 0;
}

double ttp_advice_part_left(double then, double now)
{
    return then > 0 && now > 0 ? fmin(then / now, 1) : 1;
}

static double as_it_is(const struct ttp_matmul_look *look, const struct ttp_matmul *p)
{
    return predicted_ns(p, &look->op.config);
}

/* LoFi is enough for weights in a block format, HiFi2 for others; where those are at HiFi2 already,
 * LoFi takes bfloat8_b. */
struct ttp_formats ttp_advice_formats_after(const struct ttp_matmul *p, unsigned changes)
{
    const bool blocks = p->b == TTP_TILE_BFP8 || p->b == TTP_TILE_BFP4;
    const bool lower = changes & TTP_FORMAT_FIDELITY;
    const bool needs_bfp8 = lower && p->b == TTP_TILE_BF16 && p->fidelity == TTP_FIDELITY_HIFI2;
    const bool has_bfp8 = blocks || needs_bfp8 || (changes & TTP_FORMAT_BFP8);
    struct ttp_formats f = {p->b, p->fidelity};
    enum ttp_fidelity most = TTP_FIDELITY_HIFI4;

    if (p->b == TTP_TILE_BF16 && has_bfp8)
        f.weights = TTP_TILE_BFP8;
    if (changes & TTP_FORMAT_BFP8 || (lower && !blocks))
        most = TTP_FIDELITY_HIFI2;
    if (lower && (blocks || needs_bfp8))
        most = TTP_FIDELITY_LOFI;
    if ((changes & TTP_FORMAT_BFP4) && has_bfp8) {
        f.weights = TTP_TILE_BFP4;
        most = TTP_FIDELITY_LOFI;
    }
    f.fidelity = f.fidelity < most ? f.fidelity : most;
    return f;
}

static double with_formats(const struct ttp_matmul_look *look, unsigned changes,
                           ttp_predict_fn *predict)
{
    const struct ttp_formats f = ttp_advice_formats_after(&look->op.problem, changes);
    struct ttp_matmul p = look->op.problem;

    p.b = f.weights;
    p.fidelity = f.fidelity;
    return predict(look, &p);
}

void ttp_advice_look_at_formats(struct ttp_matmul_look *look, ttp_predict_fn *predict)
{
    const unsigned both = TTP_FORMAT_BFP8 | TTP_FORMAT_BFP4;
    const double now = with_formats(look, 0, predict);
    /* from bfloat16 the way leads over bfloat8_b: what bfloat4_b brings is the step from there */
    const double eight = with_formats(look, TTP_FORMAT_BFP8, predict);
    const double four = with_formats(look, both, predict);

    for (unsigned set = 1; set < TTP_FORMAT_CHANGES; set++) {
        const bool step = (set & both) == TTP_FORMAT_BFP4 &&
                          ttp_advice_formats_after(&look->op.problem, set).weights != TTP_TILE_BFP4;
        const double then = with_formats(look, set, predict);

        look->left.format[set] =
            ttp_advice_part_left(step && then > 0 ? then - (eight - four) : then, now);
    }
}

static bool reads_weights_per_batch(const struct ttp_config_op *op)
{
    return op->problem.batch > 1 && op->problem.batch_b == 1 && !op->config.fuse_batch &&
           op->config.type != TTP_MATMUL_MINIMAL && op->config.type != TTP_MATMUL_DRAM;
}

/* The best of all configs for all rows in one batch. */
static void look_at_fold(struct ttp_matmul_look *look, double now, struct ttp_arena *arena)
{
    struct ttp_matmul p = look->op.problem;
    const struct ttp_config_request request = {.top = 1};
    struct ttp_config_proposals found;

    ttp_config_fold_batch(&p);
    ttp_config_propose(&found, &p, &request, arena);
    for (size_t i = 0; i < found.count; i++)
        if (found.row[i].origin == TTP_ORIGIN_PROPOSED && found.row[i].has_time)
            look->left.fold = ttp_advice_part_left(found.row[i].time.ns, now);
}

bool ttp_advice_is_of_family(enum ttp_matmul_type type, enum ttp_matmul_type used,
                             enum ttp_config_family family)
{
    switch (family) {
    case TTP_FAMILY_USUAL:
        return type == used || (type != TTP_MATMUL_DRAM && type != TTP_MATMUL_MINIMAL);
    case TTP_FAMILY_DRAM:
        return type == TTP_MATMUL_DRAM;
    case TTP_FAMILY_MINIMAL:
        return type == TTP_MATMUL_MINIMAL;
    default:
        return true;
    }
}

static double *left_by_type(struct ttp_matmul_look *look, enum ttp_matmul_type type, double **most)
{
    if (ttp_advice_is_of_family(type, look->op.config.type, TTP_FAMILY_USUAL)) {
        *most = &look->most.config;
        return &look->left.config;
    }
    const bool dram = type == TTP_MATMUL_DRAM;
    *most = dram ? &look->most.dram : &look->most.minimal;
    return dram ? &look->left.dram : &look->left.minimal;
}

static void look_at_configs(struct ttp_matmul_look *look, double now, enum ttp_confidence known,
                            struct ttp_arena *arena)
{
    const struct ttp_config_request request = {
        .used = look->op.has_config ? &look->op.config : NULL, .top = TTP_PROPOSALS};
    struct ttp_config_proposals found;

    ttp_config_propose(&found, &look->op.problem, &request, arena);
    for (size_t i = 0; i < found.count; i++) {
        const struct ttp_config_row *row = &found.row[i];
        double *most, *left = left_by_type(look, row->config.type, &most);

        /* errors of two configs of one kind cancel each other; of a kind that is known less than
         * that in use, 'tt-perf config' says "try", and no gain is promised */
        if (row->origin != TTP_ORIGIN_PROPOSED || !row->has_time || row->time.confidence < known ||
            ttp_advice_part_left(row->time.ns, now) >= *left)
            continue;
        *left = ttp_advice_part_left(row->time.ns, now);
        *most = row->time.high_ns / now;
        if (left == &look->left.minimal)
            look->minimal_known = row->time.confidence > TTP_CONFIDENCE_LOW;
    }
}

/* What one op over both weights would take of the time of two. */
static void look_at_pack(struct ttp_matmul_look *look)
{
    struct ttp_matmul p = look->op.problem;
    struct ttp_matmul_config c = look->op.config;
    const double one = predicted_ns(&p, &c);

    p.n *= 2;
    c.per_core_n *= 2;
    if (c.type != TTP_MATMUL_DRAM && c.type != TTP_MATMUL_1D)
        return;
    if (c.type == TTP_MATMUL_1D)
        c.out_block_w *= 2;
    look->left.pack = ttp_advice_part_left(predicted_ns(&p, &c), 2 * one);
}

static void look_at(struct ttp_matmul_look *look, const struct ttp_router *router,
                    struct ttp_arena *arena)
{
    struct ttp_config_row judged;
    double now = look->op.measured_ns;
    enum ttp_confidence known = TTP_CONFIDENCE_NONE;

    look->left = (struct ttp_matmul_left){{1, 1, 1, 1, 1, 1, 1, 1}, 1, 1, 1, 1, 1, 1};
    if (look->op.problem.sparse) {
        ttp_advice_look_at_sparse(look);
        return;
    }
    if (look->op.has_config) {
        ttp_config_judge(&judged, TTP_ORIGIN_USED, &look->op.problem, &look->op.config);
        look->predicted = judged.has_time;
        now = judged.has_time ? judged.time.ns : now;
        known = judged.has_time ? judged.time.confidence : known;
    }
    if (look->predicted) {
        ttp_advice_look_at_formats(look, as_it_is);
        look_at_pack(look);
    }
    ttp_advice_look_at_experts(look, router, now);
    if (reads_weights_per_batch(&look->op))
        look_at_fold(look, now, arena);
    else
        look_at_configs(look, now, known, arena);
}

/* ---- those of a run ---- */

TTP_ORDER(by_time, struct ttp_matmul_look *const, TTP_COMPARE((*y)->us, (*x)->us),
          TTP_COMPARE(*x, *y))

/* Which look an op has, counted from 1; 0: none. */
static size_t find_look(struct looking *l, size_t op)
{
    struct ttp_config_op matmul;

    if (!ttp_advice_matmul(&matmul, l->report, op))
        return 0;
    matmul.measured_ns = l->report->op[op].time_us * 1e3;
    const size_t at = find(l, &matmul);
    if (at == l->count) {
        if (l->count == l->cap)
            return 0;
        struct ttp_matmul_look *look = &l->look[l->count++];
        double products[2];
        *look = (struct ttp_matmul_look){.op = matmul};
        if (matmul.problem.sparse &&
            ttp_advice_sparse_products(l->report, &matmul, op, l->router, products)) {
            look->active = products[0];
            look->products = products[1];
        }
    }
    return at + 1;
}

/* Room to remember programs. With a graph capture rows of one program differ by what L1 has left.
 */
static struct known_program *make_room(const struct ttp_report *r, struct ttp_arena *arena)
{
    uint32_t most = 0;

    if (!r->program_of || !r->ops || r->ops->memory)
        return NULL;
    for (size_t i = 0; i < r->count; i++)
        most = r->program_of[r->op[i].row] > most ? r->program_of[r->op[i].row] : most;
    return TTP_NEW(arena, struct known_program, (size_t)most + 1);
}

static bool reads_alike(const struct ttp_ops *ops, const struct ttp_op *a, const struct ttp_op *b)
{
    return a->available_cores == b->available_cores && a->analysed == b->analysed &&
           ttp_ops_sym(ops, TTP_OPS_IN2_DATATYPE, a->row) ==
               ttp_ops_sym(ops, TTP_OPS_IN2_DATATYPE, b->row);
}

static size_t add(struct looking *l, size_t op)
{
    const struct ttp_report *r = l->report;
    const struct ttp_op *o = &r->op[op];
    const uint32_t program = l->known ? r->program_of[o->row] : 0;
    size_t look;

    if (!(o->has & TTP_HAS_TIME) || o->time_us < LEAST_SHARE / 64 * r->time_us)
        return 0;
    struct known_program *known = program ? &l->known[program] : NULL;
    if (known && known->op && reads_alike(r->ops, known->op, o)) {
        look = known->look;
    } else {
        look = find_look(l, op);
        if (known)
            *known = (struct known_program){o, look};
    }
    if (look)
        l->look[look - 1].us += o->time_us;
    return look;
}

const struct ttp_matmul_look *const *ttp_advice_matmuls_look(const struct ttp_report *report,
                                                             const struct ttp_router *router,
                                                             struct ttp_arena *arena)
{
    struct looking l = {.report = report, .router = router, .cap = 128, .arena = arena};
    const struct ttp_matmul_look **out =
        TTP_NEW(arena, const struct ttp_matmul_look *, report->count);
    struct ttp_matmul_look **order;
    size_t *which = TTP_NEW(arena, size_t, report->count), kept = 0;

    l.look = TTP_NEW(arena, struct ttp_matmul_look, l.cap);
    l.known = make_room(report, arena);
    order = TTP_NEW(arena, struct ttp_matmul_look *, l.cap);
    for (size_t i = 0; i < report->count; i++)
        which[i] = add(&l, i);
    for (size_t i = 0; i < l.count; i++)
        if (l.look[i].us >= LEAST_SHARE * report->time_us)
            order[kept++] = &l.look[i];
    if (kept) /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
        TTP_SORT(order, kept, by_time);
    for (size_t i = 0; i < kept && i < LOOKS_MAX; i++)
        look_at(order[i], router, arena);
    for (size_t i = 0; i < report->count; i++)
        if (which[i] && l.look[which[i] - 1].left.config > 0)
            out[i] = &l.look[which[i] - 1];
    return out;
}

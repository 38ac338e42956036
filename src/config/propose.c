/* SPDX-License-Identifier: Apache-2.0 */
/* propose.c - legal configs of a matmul, the fastest by prediction first.
 *
 * Goes through the sizes that make a difference: cores along M and N, steps that divide K, parts of
 * a core's block that divide it, and the largest subblocks. Two configs within 2 % are equal: the
 * model does not tell them apart. */
#include "config/propose.h"
#include "base/vec.h"

#define TIE       1.02
#define EXTRA     24     /* classes of 2 % that the error of the model spans at most */
#define FOUND_MAX 200000 /* never reached: a bound on memory for extreme shapes */

const char *ttp_config_origin_name(enum ttp_config_origin origin)
{
    static const char *const names[] = {"proposed", "in use", "default", "given"};

    return names[origin];
}

bool ttp_config_search_add(struct ttp_search *s, const struct ttp_matmul_config *c)
{
    struct ttp_config_check check;
    double ns;

    s->tried++;
    ttp_cost_matmul_fold(&s->tiles, &s->problem, c);
    ttp_config_check_quickly(&check, &s->problem, c, &s->tiles);
    if (check.verdict != TTP_CONFIG_LEGAL)
        return check.rule == NULL || strcmp(check.rule, "L1") != 0;
    s->legal++;
    if (!ttp_cost_matmul_ns(&ns, &s->problem, c, &s->tiles) || s->count == FOUND_MAX)
        return true;
    TTP_ROOM(s->scratch, s->found, s->count);
    s->found[s->count++] = (struct ttp_found){*c, ns, s->variant};
    return true;
}

/* Two sorted parts become one. */
static void merge(struct ttp_ranked *to, const struct ttp_ranked *part, size_t middle, size_t end)
{
    size_t a = 0, b = middle;

    for (size_t i = 0; i < end; i++) {
        const bool left = b == end || (a < middle && part[a].ns <= part[b].ns);

        to[i] = part[left ? a : b];
        a += left;
        b += !left;
    }
}

/* A merge sort without calls, since qsort(3) took a tenth of the time of a small report. */
static void sort_by_time(struct ttp_search *s)
{
    const size_t count = s->count;
    struct ttp_ranked *from = TTP_NEW(s->scratch, struct ttp_ranked, count);
    struct ttp_ranked *to = TTP_NEW(s->scratch, struct ttp_ranked, count);

    for (size_t i = 0; i < count; i++)
        from[i] = (struct ttp_ranked){s->found[i].ns, (uint32_t)i};
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t left = count - first;

            merge(to + first, from + first, width < left ? width : left,
                  2 * width < left ? 2 * width : left);
        }
        struct ttp_ranked *const sorted = to;
        to = from;
        from = sorted;
    }
    s->by_time = from;
}

/* Such configs were not among the measured ones, or few were. */
static bool is_new_ground(const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                          enum ttp_confidence confidence)
{
    return confidence != TTP_CONFIDENCE_HIGH ||
           (c->type == TTP_MATMUL_1D && p->m > p->tile_h && c->block_w >= 12);
}

static bool same_place(const struct ttp_placement *a, const struct ttp_placement *b)
{
    return a->layout == b->layout && a->l1 == b->l1 && a->nd == b->nd;
}

static void fill_row(struct ttp_config_row *row, const struct ttp_matmul *asked)
{
    const struct ttp_matmul *p = &row->problem;
    const struct ttp_matmul_config *c = &row->config;
    struct ttp_matmul_tiles t;

    ttp_config_check(&row->check, p, c);
    row->has_time = row->check.verdict != TTP_CONFIG_BROKEN && ttp_cost_matmul(&row->time, p, c);
    row->moves_tensors = !same_place(&p->in0, &asked->in0) || !same_place(&p->in1, &asked->in1) ||
                         !same_place(&p->out_at, &asked->out_at);
    row->folds = p->batch > 1 && p->batch_b == 1 &&
                 (c->fuse_batch || c->type == TTP_MATMUL_MINIMAL || c->type == TTP_MATMUL_DRAM);
    ttp_cost_matmul_measure(&t, p, c);
    row->pads = c->per_core_n && c->type != TTP_MATMUL_REUSE &&
                (t.n % c->per_core_n != 0 || t.mf % (c->per_core_m ? c->per_core_m : 1) != 0);
    row->try_it = row->origin == TTP_ORIGIN_PROPOSED && row->has_time &&
                  is_new_ground(p, c, row->time.confidence);
}

static bool sharded_somehow(const struct ttp_placement *at)
{
    return at->l1 && ttp_is_sharded(at) && !at->has_shard;
}

bool ttp_config_needs_other_shards(const struct ttp_matmul *p, const struct ttp_matmul_config *used,
                                   const struct ttp_matmul_config *c)
{
    if (!used->per_core_n || !c->per_core_n) /* blocks of such configs say nothing about shards */
        return false;
    if (sharded_somehow(&p->out_at) &&
        (c->per_core_n != used->per_core_n || c->per_core_m != used->per_core_m))
        return true;
    /* a shard of input 0 is a whole number of blocks wide */
    return sharded_somehow(&p->in0) && c->block_w && used->block_w % c->block_w != 0;
}

void ttp_config_judge(struct ttp_config_row *out, enum ttp_config_origin origin,
                      const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    *out = (struct ttp_config_row){.origin = origin, .problem = *p, .config = *c};
    fill_row(out, p);
}

/* What is asked, and what is in use; NULL: nothing. */
struct asked {
    const struct ttp_variants *variants;
    const struct ttp_matmul_config *used;
    size_t top;
};

static bool moves(const struct asked *asked, const struct ttp_found *f)
{
    return f->variant || (asked->used && ttp_config_needs_other_shards(&asked->variants->problem[0],
                                                                       asked->used, &f->config));
}

/* What a config asks of the user and of trust, then of L1: the least wins among equals. */
static uint64_t price(const struct asked *asked, const struct ttp_found *f)
{
    const struct ttp_matmul_config *c = &f->config;
    struct ttp_matmul p = asked->variants->problem[f->variant];
    struct ttp_matmul_tiles t;

    ttp_cost_matmul_measure(&t, &p, c);
    ttp_config_place_shards(&p, c);
    const bool splits = c->type != TTP_MATMUL_MINIMAL && c->type != TTP_MATMUL_DRAM &&
                        (c->out_block_h != c->per_core_m || c->out_block_w != c->per_core_n);
    const unsigned asks = (moves(asked, f) ? 8U : 0) +
                          (is_new_ground(&p, c, ttp_cost_matmul_confidence(&p, c)) ? 4U : 0) +
                          (c->per_core_n && t.n % c->per_core_n != 0 ? 2U : 0) + splits;
    return (uint64_t)asks << 40 | ttp_config_l1_bytes_of(&p, c, &t);
}

/* Of each class of configs within 2 % of its best, the one that asks least: `top` of them, and as
 * many as it takes to have one that leaves tensors where they are. */
static void pick(struct ttp_config_proposals *out, const struct ttp_search *s,
                 const struct asked *asked)
{
    const struct ttp_variants *variants = asked->variants;
    const size_t top = asked->top;
    bool stays = false;
    size_t first = 0;

    for (size_t rank = 1; first < s->count && (rank <= top || (!stays && rank <= top + EXTRA));
         rank++) {
        uint64_t least = UINT64_MAX;
        const struct ttp_found *best = &s->found[s->by_time[first].at];
        size_t end = first;

        for (; end < s->count && s->by_time[end].ns <= TIE * s->by_time[first].ns; end++) {
            const struct ttp_found *f = &s->found[s->by_time[end].at];
            const uint64_t here = price(asked, f);

            if (here < least) {
                least = here;
                best = f;
            }
        }
        struct ttp_config_row *row = &out->row[out->count++];
        row->origin = TTP_ORIGIN_PROPOSED;
        row->problem = variants->problem[best->variant];
        row->config = best->config;
        row->ties = end - first - 1;
        ttp_config_place_shards(&row->problem, &row->config);
        fill_row(row, &variants->problem[0]);
        row->moves_tensors = row->moves_tensors || moves(asked, best);
        stays = stays || !row->moves_tensors;
        first = end;
    }
}

/* Move the rows from `first` on that move tensors for less than the model's error, compared with
 * the best that does not, to after that one. */
static void put_unsure_moves_back(struct ttp_config_proposals *out, size_t first,
                                  const struct ttp_config_row *used)
{
    double stays = used->has_time ? used->time.ns : 0;
    size_t best = first;

    while (best < out->count && out->row[best].moves_tensors)
        best++;
    if (best < out->count && (!(stays > 0) || out->row[best].time.ns < stays))
        stays = out->row[best].time.ns;
    size_t sure = first;
    for (size_t i = first; stays > 0 && i < best; i++) {
        struct ttp_config_row *row = &out->row[i];

        row->unsure_move = row->time.high_ns >= stays;
        row->try_it = row->try_it || row->unsure_move;
    }
    if (best == out->count)
        return;
    /* they are sorted by time, so that the sure ones are first */
    while (sure < best && !out->row[sure].unsure_move)
        sure++;
    const struct ttp_config_row row = out->row[best];
    memmove(&out->row[sure + 1], &out->row[sure], (best - sure) * sizeof(row));
    out->row[sure] = row;
}

/* The rank that a config in use would have. */
static size_t rank_of(const struct ttp_search *s, double ns)
{
    size_t rank = 1;
    double last = 0;

    for (size_t i = 0; i < s->count && s->by_time[i].ns * TIE < ns; i++)
        if (s->by_time[i].ns > TIE * last) {
            last = s->by_time[i].ns;
            rank++;
        }
    return s->count && s->by_time[0].ns * TIE >= ns ? 1 : rank;
}

static void add_known(struct ttp_config_proposals *out, const struct ttp_matmul *p,
                      const struct ttp_config_request *request, const struct ttp_search *s)
{
    struct ttp_config_auto automatic;
    struct ttp_config_row *row;

    if (request->used) {
        row = &out->row[out->count++];
        ttp_config_judge(row, TTP_ORIGIN_USED, p, request->used);
        row->measured_us = request->measured_us;
        row->rank = row->has_time ? rank_of(s, row->time.ns) : 0;
    }
    if (ttp_config_auto(&automatic, p, false)) {
        row = &out->row[out->count++];
        ttp_config_judge(row, TTP_ORIGIN_DEFAULT, p, &automatic.config);
        row->rank = row->has_time ? rank_of(s, row->time.ns) : 0;
    }
}

/* Without those that need other shards than the config in use. */
static void keep_placed(struct ttp_config_proposals *out, size_t first)
{
    size_t kept = first;

    for (size_t i = first; i < out->count; i++)
        if (!out->row[i].moves_tensors)
            out->row[kept++] = out->row[i];
    out->count = kept;
}

/* The config in use is listed as such, and once. */
static void number(struct ttp_config_proposals *out, size_t first, struct ttp_config_row *used,
                   size_t top, struct ttp_arena *scratch)
{
    const ttp_str in_use = used ? ttp_config_text(&used->config, scratch) : (ttp_str){0};
    size_t kept = first, rank = 1;

    for (size_t i = first; i < out->count && kept < first + top; i++, rank++) {
        struct ttp_config_row *row = &out->row[i];

        row->rank = rank;
        /* unused parameters may differ: the text has what counts */
        if (used && !row->moves_tensors &&
            ttp_str_eq(ttp_config_text(&row->config, scratch), in_use))
            used->rank = rank;
        else
            out->row[kept++] = *row;
    }
    out->count = kept;
}

const struct ttp_config_row *ttp_config_best(const struct ttp_config_proposals *found)
{
    const struct ttp_config_row *used = NULL;

    for (size_t i = 0; i < found->count; i++) {
        const struct ttp_config_row *row = &found->row[i];

        if (row->origin == TTP_ORIGIN_USED && row->has_time)
            used = row;
        if (row->origin == TTP_ORIGIN_PROPOSED)
            return used && used->rank && used->rank < row->rank ? used : row;
    }
    return used;
}

void ttp_config_row_scale(struct ttp_config_row *row, double scale)
{
    if (!(scale > 0) || !row->has_time)
        return;
    row->scale = scale;
    row->time.ns *= scale;
    row->time.low_ns *= scale;
    row->time.high_ns *= scale;
}

double ttp_config_scale(const struct ttp_config_op *op)
{
    struct ttp_config_row now;

    if (!op->has_config || op->problem.sparse || !(op->measured_ns > 0))
        return 0;
    ttp_config_judge(&now, TTP_ORIGIN_USED, &op->problem, &op->config);
    return now.has_time && now.time.ns > 0 ? op->measured_ns / now.time.ns : 0;
}

void ttp_config_propose(struct ttp_config_proposals *out, const struct ttp_matmul *p,
                        const struct ttp_config_request *request, struct ttp_arena *arena)
{
    const size_t top = request->top ? request->top : 5;
    struct ttp_arena scratch = {0};
    struct ttp_search s = {.scratch = &scratch};
    struct ttp_variants variants;

    *out = (struct ttp_config_proposals){
        .row = TTP_NEW(arena, struct ttp_config_row, top + 3 + EXTRA)};
    ttp_config_search_variants(&variants, p, request->keep_placement);
    for (s.variant = 0; s.variant < variants.count; s.variant++) {
        s.problem = variants.problem[s.variant];
        ttp_config_search_all(&s);
    }
    sort_by_time(&s);
    out->tried = s.tried;
    out->legal = s.legal;
    add_known(out, p, request, &s);
    const size_t first = out->count;
    struct ttp_config_row *used = request->used ? &out->row[0] : NULL;
    pick(out, &s, &(struct asked){&variants, request->used, top + (used != NULL)});
    if (request->keep_placement)
        keep_placed(out, first);
    if (used)
        put_unsure_moves_back(out, first, used);
    number(out, first, used, top, &scratch);
    for (size_t i = 0; i < out->count; i++)
        ttp_config_row_scale(&out->row[i], request->scale);
    ttp_arena_free(&scratch);
}

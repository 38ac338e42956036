/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - ops grouped by name, memory or category ("stacked report"). */
#include <math.h>

#include "analysis/stages.h"
#include "base/map.h"
#include "base/order.h"
#include "base/python_text.h"
#include "base/sink.h"
#include "base/vec.h"

/* Running sums of one group: Kahan for sums, Welford for the variance, as pandas groups do. */
struct tally {
    struct ttp_group group;
    double kahan_time, kahan_flops, flops_sum;
    double welford_mean, welford_m2;
    size_t flops_count;
    double weighted, weighted_time; /* over all devices: see share_weights() */
    ttp_sym key;
};

/* The key of the last op of a code, which is that of all with its memory. */
struct known_key {
    ttp_sym memory, key;
    bool known, grouped;
};

struct grouping {
    const struct ttp_report *report;
    const struct ttp_analysis_rules *rules;
    bool per_device;
    enum ttp_group_by by;
    struct ttp_arena *arena;
    struct ttp_symtab keys;
    struct known_key *known; /* by symbol of a code */
    struct ttp_sink text;    /* reset for each key */
    struct tally *tally;
    size_t count;
    struct ttp_map tallies; /* by key and device */
};

static void kahan_add(double *sum, double *error, double x)
{
    const double y = x - *error, t = *sum + y;

    *error = t - *sum - y;
    if (*error != *error) /* inf - inf */
        *error = 0;
    *sum = t;
}

/* " (in0:X_Y)": the last two pieces between underscores, in lower case. False: no underscore at
 * all. */
static bool put_memory(struct ttp_sink *out, ttp_str memory)
{
    size_t at = memory.len, underscores = 0;

    while (at > 0 && underscores < 2)
        underscores += memory.ptr[--at] == '_';
    if (underscores == 0)
        return false;
    ttp_sink_put(out, TTP_STR(" (in0:"));
    ttp_python_put_lower(out, ttp_str_slice(memory, underscores == 2 ? at + 1 : 0, memory.len));
    ttp_sink_char(out, ')');
    return true;
}

/* Which part of a tt-mlir program the op is. */
static void put_origin(struct ttp_sink *key, const struct grouping *g, const struct ttp_op *op)
{
    static const enum ttp_ops_text column[] = {[TTP_GROUP_LOCATION] = TTP_OPS_LOCATION,
                                               [TTP_GROUP_CONST_EVAL] = TTP_OPS_CONST_EVAL,
                                               [TTP_GROUP_PROGRAM] = TTP_OPS_PROGRAM};
    const ttp_str text = ttp_analysis_text(g->report, op, column[g->by]);

    if (g->by == TTP_GROUP_CONST_EVAL && text.len)
        ttp_sink_put(key, ttp_str_eq_any_case(text, TTP_STR("true")) ? TTP_STR("const-eval")
                                                                     : TTP_STR("model"));
    else
        ttp_sink_put(key, text.len ? text : TTP_STR("(not given)"));
}

/* The group of an op; false: it has none. */
static bool put_key(struct ttp_sink *key, const struct grouping *g, const struct ttp_op *op)
{
    const ttp_str code = ttp_sym_name(g->report->syms, op->code);
    const ttp_str memory = ttp_sym_name(g->report->syms, op->in0_memory);

    key->len = 0;
    if (g->by == TTP_GROUP_CATEGORY) {
        ttp_sink_put(key, ttp_str_from(ttp_device_category_name((enum ttp_category)op->category)));
        return true;
    }
    if (g->by >= TTP_GROUP_LOCATION) {
        put_origin(key, g, op);
        return true;
    }
    ttp_sink_put(key, ttp_python_first_word(code));
    return g->by == TTP_GROUP_OP || memory.len == 0 || put_memory(key, memory) ||
           !g->rules->layouts_only;
}

static bool key_of(ttp_sym *key, struct grouping *g, const struct ttp_op *op)
{
    const bool by_code = g->by == TTP_GROUP_OP || g->by == TTP_GROUP_MEMORY;
    struct known_key *k = by_code ? &g->known[op->code] : &(struct known_key){0};

    if (!k->known || k->memory != op->in0_memory) {
        *k = (struct known_key){.memory = op->in0_memory, .known = true};
        k->grouped = put_key(&g->text, g, op);
        k->key = k->grouped ? ttp_sym_intern(&g->keys, ttp_sink_text(&g->text)) : TTP_SYM_MISSING;
    }
    *key = k->key;
    return k->grouped;
}

static struct tally *find_tally(struct grouping *g, ttp_sym key, int64_t device)
{
    const uint64_t hash = ttp_hash_u64(ttp_hash_u64(0, (uint64_t)device), key);
    uint32_t at;

    TTP_MAP_EACH (at, &g->tallies, hash)
        if (g->tally[at].key == key && g->tally[at].group.device == device)
            return &g->tally[at];
    ttp_map_add(&g->tallies, hash, (uint32_t)g->count);
    struct tally *t = TTP_PUSH(g->arena, g->tally, g->count);
    *t = (struct tally){.key = key, .group = {.device = device}};
    return t;
}

static void add_flops(struct tally *t, const struct ttp_op *op, double time)
{
    struct ttp_group *gr = &t->group;
    const double pct = op->flops_pct;

    if (!(op->has & TTP_HAS_FLOPS_PCT) || isnan(pct))
        return;
    if (t->flops_count == 0 || pct < gr->flops_min)
        gr->flops_min = pct;
    if (t->flops_count == 0 || pct > gr->flops_max)
        gr->flops_max = pct;
    t->flops_count++;
    kahan_add(&t->flops_sum, &t->kahan_flops, pct);
    const double delta = pct - t->welford_mean;
    t->welford_mean += delta / (double)t->flops_count;
    t->welford_m2 += delta * (pct - t->welford_mean);
    if (!isnan(pct * time)) /* an infinite share of no time */
        t->weighted += pct * time;
    t->weighted_time += time;
}

/* Where names tell, a matmul of the host takes no time. */
static bool counts_time(const struct grouping *g, const struct ttp_op *op)
{
    return (op->has & TTP_HAS_TIME) &&
           !(g->rules->by_name && op->analysed == TTP_ANALYSED_FULL &&
             ttp_str_has(ttp_sym_name(g->report->syms, op->code), TTP_STR("(torch)")));
}

static void add_op(struct grouping *g, struct tally *t, const struct ttp_op *op)
{
    const double time = counts_time(g, op) ? op->time_us : 0;

    if (t->group.count++ == 0)
        t->group.category = (enum ttp_category)op->category;
    kahan_add(&t->group.time_us, &t->kahan_time, time);
    if (g->by < TTP_GROUP_CATEGORY)
        add_flops(t, op, time);
}

static void finish_group(struct grouping *g, struct tally *t)
{
    struct ttp_group *gr = &t->group;

    gr->key = ttp_sym_name(&g->keys, t->key);
    gr->has_flops = t->flops_count > 0;
    if (!gr->has_flops)
        return;
    gr->flops_mean = t->flops_sum / (double)t->flops_count;
    gr->has_std = t->flops_count > 1;
    if (gr->has_std)
        gr->flops_std = sqrt(t->welford_m2 / (double)(t->flops_count - 1));
}

/* The weighted mean belongs to the first part of the key: devices share it. */
static void share_weights(struct grouping *g)
{
    double *weighted = TTP_NEW(g->arena, double, g->keys.count);
    double *time = TTP_NEW(g->arena, double, g->keys.count);

    for (size_t i = 0; i < g->count; i++) {
        weighted[g->tally[i].key] += g->tally[i].weighted;
        time[g->tally[i].key] += g->tally[i].weighted_time;
    }
    for (size_t i = 0; i < g->count; i++) {
        struct tally *t = &g->tally[i];
        t->group.has_weighted = time[t->key] != 0;
        if (t->group.has_weighted)
            t->group.flops_weighted = weighted[t->key] / time[t->key];
    }
}

TTP_ORDER(by_time, struct ttp_group, TTP_DOWN(time_us), ttp_str_cmp(x->key, y->key), TTP_UP(device))

TTP_ORDER(by_key, struct ttp_group, ttp_str_cmp(x->key, y->key), TTP_UP(device))

/* In percent; 0 where it is invalid: no time at all, or infinite times. */
static double share_of(double time, double whole)
{
    const double pct = time / whole * 100;
    return isnan(pct) || whole == 0 ? 0 : pct;
}

/* Groups of a device one after the other, in their order: sums depend on it. */
TTP_ORDER(by_device, struct ttp_group *const, TTP_COMPARE((*x)->device, (*y)->device),
          TTP_COMPARE(*x, *y))

/* Shares of the whole with the waits in collectives, or of the device's own time. */
static void set_shares(struct ttp_summary *out, double wait_us, struct ttp_arena *arena)
{
    struct ttp_group **group = TTP_NEW(arena, struct ttp_group *, out->count);

    for (size_t i = 0; i < out->count; i++)
        group[i] = &out->group[i];
    if (out->per_device && out->count)
        /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
        TTP_SORT(group, out->count, by_device);
    for (size_t from = 0, to; from < out->count; from = to) {
        double whole = out->per_device ? 0 : wait_us;

        for (to = from;
             to < out->count && (!out->per_device || group[to]->device == group[from]->device);
             to++)
            whole += group[to]->time_us;
        for (size_t i = from; i < to; i++)
            group[i]->time_pct = share_of(group[i]->time_us, whole);
    }
}

/* What was warned of: one line per word, however many codes begin with it. */
struct warned {
    bool *code; /* by symbol of the report */
    struct ttp_symtab words;
};

/* False: the name has no word to go by. */
static bool warn_unclassified(struct ttp_summary *out, const struct ttp_report *report,
                              const struct ttp_op *op, const struct ttp_analysis_talk *talk,
                              struct warned *warned)
{
    const ttp_str word = ttp_python_first_word(ttp_sym_name(report->syms, op->code));

    const uint32_t words = warned->words.count;

    if (op->category != TTP_CATEGORY_OTHER || warned->code[op->raw_code])
        return true;
    warned->code[op->raw_code] = true;
    if (word.len && ttp_sym_intern(&warned->words, word) == words)
        talk->unclassified(&out->notes, word);
    return word.len != 0;
}

static bool takes_part(const struct ttp_report *report, const struct ttp_op *op, bool by_name)
{
    return by_name ? !ttp_str_has(ttp_sym_name(report->syms, op->code), TTP_STR("signpost"))
                   : op->kind != TTP_OP_SIGNPOST;
}

ttp_code ttp_analysis_summarise(struct ttp_summary *out, const struct ttp_report *report,
                                enum ttp_group_by by, const struct ttp_report_options *options,
                                struct ttp_arena *arena, struct ttp_err *err)
{
    struct grouping g = {.report = report,
                         .rules = options->rules ? options->rules : &ttp_our_rules,
                         .per_device = options->no_merge_devices,
                         .by = by,
                         .arena = arena,
                         .tallies.arena = arena,
                         .keys = {.arena = arena}};
    struct warned warned = {TTP_NEW(arena, bool, report->syms->count), {.arena = arena}};
    ttp_sym key;
    bool any_float = false, any_memory = false, any_split = false, any = false, named = true;

    *out = (struct ttp_summary){.per_device = g.per_device, .by = by, .notes = {.arena = arena}};
    g.known = TTP_NEW(arena, struct known_key, report->syms->count);
    ttp_sink_to_arena(&g.text, arena);
    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if (!takes_part(report, op, g.rules->by_name))
            continue;
        any = true;
        if (g.rules->talk)
            named &= warn_unclassified(out, report, op, g.rules->talk, &warned);
        if (!named)
            return ttp_fail(err, TTP_EPARSE, "row %u: 'OP CODE' is blank", op->row + 2);
        const bool grouped = key_of(&key, &g, op);
        any_memory |= op->in0_memory != TTP_SYM_MISSING;
        any_split |= grouped && op->in0_memory != TTP_SYM_MISSING;
        any_float |= counts_time(&g, op) && !(op->has & TTP_TIME_IS_INT);
        if (grouped && (!g.per_device || (op->has & TTP_HAS_DEVICE)))
            add_op(&g, find_tally(&g, key, g.per_device ? op->device : 0), op);
    }
    if (any && g.rules->layouts_only && by == TTP_GROUP_MEMORY && any_memory && !any_split)
        return ttp_fail(err, TTP_EPARSE, "no 'INPUT_0_MEMORY' names a layout to group by");
    share_weights(&g);
    out->group = TTP_NEW(arena, struct ttp_group, g.count);
    for (size_t i = 0; i < g.count; i++) {
        finish_group(&g, &g.tally[i]);
        out->group[i] = g.tally[i].group;
        out->group[i].time_is_int = !any_float;
    }
    out->count = g.count;
    out->empty = g.count == 0;
    TTP_SORT(out->group, out->count, by_key);
    for (size_t i = 0; i < out->count; i++)
        out->time_us += out->group[i].time_us;
    set_shares(out, report->wait_us, arena);
    TTP_SORT(out->group, out->count, by_time);
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* store_best.c - the fastest run of an op with each combination of its settings, and ops of a
 * report that ran faster in the history. One row for each combination, however many runs there are.
 */
#include "base/order.h"
#include "base/vec.h"
#include "device/device.h"
#include "store/store_internal.h"

/* Replays of one setting differ by up to 0.5 %, runs by 0.3 %: less is not worth copying. */
#define LEAST_GAIN    0.03
#define LEAST_GAIN_US 0.5

/* ---- adding ---- */

struct timed {
    int64_t kind, cores;
    double time_ns;
};

TTP_ORDER(by_settings, struct timed, TTP_UP(kind), TTP_UP(cores), TTP_UP(time_ns))

/* `t`: ops of one kind on the same cores, by time. */
static ttp_code add_one(struct ttp_store *s, int64_t run, const struct timed *t, size_t count,
                        struct ttp_err *err)
{
    const double middle =
        count % 2 ? t[count / 2].time_ns : (t[count / 2 - 1].time_ns + t[count / 2].time_ns) / 2;
    const struct ttp_db_value value[] = {
        ttp_db_int(t->kind),        ttp_db_int(t->cores), ttp_db_real(middle),
        ttp_db_int((int64_t)count), ttp_db_int(run),
    };

    return ttp_store_query(
        NULL, s,
        &(struct ttp_sql){
            "INSERT INTO op_best (kind, cores, time_ns, ops, run, runs) VALUES ($1, $2, $3, $4, "
            "$5, 1) "
            "ON CONFLICT (kind, cores) DO UPDATE SET runs = op_best.runs + 1, "
            "ops = CASE WHEN excluded.time_ns < op_best.time_ns THEN excluded.ops ELSE op_best.ops "
            "END, run = CASE WHEN excluded.time_ns < op_best.time_ns THEN excluded.run ELSE "
            "op_best.run END, time_ns = CASE WHEN excluded.time_ns < op_best.time_ns THEN "
            "excluded.time_ns ELSE op_best.time_ns END",
            value, TTP_COUNT(value)},
        NULL, err);
}

ttp_code ttp_store_add_best(struct ttp_store *s, const struct ttp_added_ops *ops,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct timed *t = TTP_NEW(arena, struct timed, ops->count ? ops->count : 1);
    size_t count = 0;

    for (size_t i = 0; i < ops->count; i++) {
        const struct ttp_run_op *op = &ops->op[i];
        if (op->name.len && isfinite(op->time_ns) && op->time_ns > 0)
            t[count++] = (struct timed){ops->kind[i], op->cores, op->time_ns};
    }
    TTP_SORT(t, count, by_settings);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1;
             to < count && t[to].kind == t[from].kind && t[to].cores == t[from].cores;)
            to++;
        TTP_TRY(add_one(s, ops->run, &t[from], to - from, err));
    }
    return TTP_OK;
}

/* ---- asking ---- */

#define BEST                                                                                       \
    "SELECT k.code, k.shapes, k.datatypes, k.memory, k.fidelity, b.cores, b.time_ns, k.name, "     \
    "k.chip, k.config, b.ops, b.runs, b.run, r.time_ns, r.name, r.commit_hash FROM op_kind k "     \
    "JOIN op_best b ON b.kind = k.id JOIN run r ON r.id = b.run "

static struct ttp_best_op take(const struct ttp_db_table *t, size_t row)
{
    return (struct ttp_best_op){
        .op = {.code = ttp_store_db_get_text(t, row, 0),
               .shapes = ttp_store_db_get_text(t, row, 1),
               .datatypes = ttp_store_db_get_text(t, row, 2),
               .memory = ttp_store_db_get_text(t, row, 3),
               .fidelity = ttp_store_db_get_text(t, row, 4),
               .device = -1,
               .cores = ttp_store_db_get_int(t, row, 5),
               .time_ns = ttp_store_db_get_real(t, row, 6),
               .gap_ns = NAN,
               .name = ttp_store_db_get_text(t, row, 7),
               .chip = ttp_store_db_get_text(t, row, 8),
               .config = ttp_store_db_get_text(t, row, 9)},
        .ops = ttp_store_db_get_int(t, row, 10),
        .runs = ttp_store_db_get_int(t, row, 11),
        .run = ttp_store_db_get_int(t, row, 12),
        .run_time_ns = ttp_store_db_get_int(t, row, 13),
        .run_name = ttp_store_db_get_text(t, row, 14),
        .commit = ttp_store_db_get_text(t, row, 15),
    };
}

static void take_all(struct ttp_best_ops *out, const struct ttp_db_table *t,
                     struct ttp_arena *arena)
{
    out->count = t->rows;
    out->item = TTP_NEW(arena, struct ttp_best_op, t->rows ? t->rows : 1);
    for (size_t i = 0; i < t->rows; i++)
        out->item[i] = take(t, i);
}

/* "Matmul 32x4096 X 14336" as we write it: "Matmul 32 x 4096 x 14336". */
static ttp_str plain_name(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_sink out;
    char last = 0;

    ttp_sink_to_arena(&out, arena);
    text = ttp_str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        size_t next = i + 1, before = i;

        while (next < text.len && text.ptr[next] == ' ')
            next++;
        while (before > 0 && text.ptr[before - 1] == ' ')
            before--;
        const bool times = (text.ptr[i] == 'x' || text.ptr[i] == 'X') && before > 0 &&
                           text.ptr[before - 1] >= '0' && text.ptr[before - 1] <= '9' &&
                           next < text.len && text.ptr[next] >= '0' && text.ptr[next] <= '9';
        if (times) {
            ttp_sink_put(&out, last == ' ' ? TTP_STR("x ") : TTP_STR(" x "));
            i = next - 1;
        } else if (text.ptr[i] != ' ' || last != ' ') {
            ttp_sink_char(&out, text.ptr[i]);
        }
        last = ' ';
        if (!times)
            last = text.ptr[i];
    }
    return ttp_sink_text(&out);
}

ttp_code ttp_store_best(struct ttp_best_ops *out, struct ttp_store *s, ttp_str name,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_str plain = plain_name(name, arena);
    const struct ttp_db_value exact = ttp_store_db_text(plain, arena);
    const struct ttp_db_value part[] = {ttp_db_int((int64_t)ttp_str_code_points(plain)), exact};
    struct ttp_db_table t = {0};

    if (plain.len)
        TTP_TRY(ttp_store_query(
            &t, s,
            &(struct ttp_sql){
                BEST "WHERE k.name = $1 ORDER BY k.datatypes, k.chip, b.time_ns, b.kind, b.cores",
                &exact, 1},
            arena, err));
    if (t.rows == 0) /* a part of a name: all ops that begin so */
        TTP_TRY(ttp_store_query(
            &t, s,
            &(struct ttp_sql){BEST "WHERE substr(k.name, 1, CAST($1 AS INTEGER)) = $2 ORDER BY "
                                   "k.name, k.datatypes, k.chip, "
                                   "b.time_ns, b.kind, b.cores",
                              part, 2},
            arena, err));
    take_all(out, &t, arena);
    return TTP_OK;
}

ttp_code ttp_store_unnamed(size_t *out, struct ttp_store *s, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_db_table t;

    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){"SELECT count(*) FROM run r WHERE r.op_count > 0 AND EXISTS (SELECT 1 "
                          "FROM op o JOIN op_kind k ON k.id = o.kind WHERE o.run = r.id AND "
                          "o.position = 0 AND k.name = '')",
                          NULL, 0},
        arena, err));
    *out = t.rows ? (size_t)ttp_store_db_get_int(&t, 0, 0) : 0;
    return TTP_OK;
}

/* ---- ops of a report ---- */

struct alike {
    struct ttp_run_op op;
    double *time_ns;
    size_t *index;
    size_t times, count;
};

struct gathering {
    struct ttp_arena *arena;
    struct ttp_symtab key;
    struct alike *item;
    size_t count;
};

static ttp_str key_of(const struct ttp_run_op *o, struct ttp_arena *arena)
{
    const ttp_str part[] = {o->name,   o->shapes,   o->datatypes, o->chip,
                            o->memory, o->fidelity, o->config};
    struct ttp_sink key;

    ttp_sink_to_arena(&key, arena);
    for (size_t i = 0; i < TTP_COUNT(part); i++) {
        ttp_sink_put(&key, part[i]);
        ttp_sink_char(&key, '\0');
    }
    ttp_sink_printf(&key, "%lld", (long long)o->cores);
    return ttp_sink_text(&key);
}

static void gather(struct gathering *g, const struct ttp_report *report)
{
    g->key.arena = g->arena;
    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if (op->kind != TTP_OP_DEVICE || !(op->has & TTP_HAS_TIME) || !(op->time_us > 0) ||
            (ttp_analysis_family(report, op->raw_code).marks & TTP_OP_BY_VALUES))
            continue;
        const struct ttp_run_op o = ttp_history_run_op_of(report, op, g->arena);
        const size_t at = ttp_sym_intern(&g->key, key_of(&o, g->arena));
        if (at == g->count)
            *TTP_PUSH(g->arena, g->item, g->count) = (struct alike){.op = o};
        struct alike *a = &g->item[at];
        *TTP_PUSH(g->arena, a->time_ns, a->times) = o.time_ns;
        *TTP_PUSH(g->arena, a->index, a->count) = i;
    }
    for (size_t i = 0; i < g->count; i++) {
        struct alike *a = &g->item[i];
        a->op.time_ns =
            ttp_stats_quantile(ttp_stats_sorted(a->time_ns, a->times, g->arena), a->times, 0.5);
    }
}

/* The fastest run of an op with other settings; no gain: none that is worth copying. */
static ttp_code find_faster(struct ttp_known_op *out, struct ttp_store *s, const struct alike *a,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    /* the name of a matmul has its sizes; rows that pad its tiles cost as much as others */
    const ttp_str shapes = ttp_str_has(a->op.code, TTP_STR("atmul")) ? (ttp_str){0} : a->op.shapes;
    const struct ttp_db_value value[] = {
        ttp_store_db_text(a->op.name, arena), ttp_store_db_text(shapes, arena),
        ttp_store_db_text(a->op.datatypes, arena), ttp_store_db_text(a->op.chip, arena),
        ttp_db_real(a->op.time_ns * (1 - LEAST_GAIN))};
    struct ttp_db_table t;

    *out = (struct ttp_known_op){0};
    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){
            BEST "WHERE k.name = $1 AND ($2 = '' OR k.shapes = $2) AND k.datatypes = $3 AND "
                 "k.chip = $4 AND b.time_ns <= $5 ORDER BY b.time_ns, b.run, b.kind",
            value, TTP_COUNT(value)},
        arena, err));
    for (size_t i = 0; i < t.rows && !(out->gain_us > 0); i++) {
        const struct ttp_best_op best = take(&t, i);
        const ttp_str change = ttp_history_op_settings(&a->op, &best.op, arena);
        const double gain_us = (a->op.time_ns - best.op.time_ns) / 1e3 * (double)a->count;

        if (change.len > 0 && gain_us >= LEAST_GAIN_US)
            *out = (struct ttp_known_op){a->op,
                                         a->index,
                                         a->count,
                                         best,
                                         gain_us,
                                         change,
                                         ttp_history_op_settings(&best.op, &a->op, arena)};
    }
    return TTP_OK;
}

TTP_ORDER(by_gain, struct ttp_known_op, TTP_DOWN(gain_us), TTP_UP(op[0]))

ttp_code ttp_store_known(struct ttp_known_ops *out, struct ttp_store *s,
                         const struct ttp_report *report, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    struct gathering g = {.arena = arena};

    *out = (struct ttp_known_ops){0};
    gather(&g, report);
    for (size_t i = 0; i < g.count; i++) {
        struct ttp_known_op known;

        TTP_TRY(find_faster(&known, s, &g.item[i], arena, err));
        if (known.gain_us > 0)
            *TTP_PUSH(arena, out->item, out->count) = known;
    }
    TTP_SORT(out->item, out->count, by_gain);
    return TTP_OK;
}

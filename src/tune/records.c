/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - what each record of a ledger does to the session. */
#include <assert.h>
#include <math.h>

#include "base/vec.h"
#include "tune/ledger.h"
#include "tune/tuner.h"

struct applying {
    struct ttp_tune_session *session;
    const struct ttp_node *record;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static const char *text_of(const struct applying *a, const struct ttp_node *n, const char *key)
{
    const struct ttp_node *v = ttp_node_get(n, key);

    return v && v->kind == TTP_JSON_STRING ? ttp_arena_zstr(a->arena, v->text) : NULL;
}

static const char *text_or_empty(const struct applying *a, const struct ttp_node *n,
                                 const char *key)
{
    const char *text = text_of(a, n, key);

    return text ? text : "";
}

static uint64_t count_of(const struct ttp_node *n, const char *key)
{
    const struct ttp_node *v = ttp_node_get(n, key);
    uint64_t count = 0;

    if (v && ttp_json_to_u64(v->text, &count))
        return count;
    return 0;
}

static int64_t time_of(const struct applying *a)
{
    const struct ttp_node *v = ttp_node_get(a->record, "time_ns");
    int64_t t = 0;

    if (v && ttp_json_to_i64(v->text, &t))
        return t;
    return 0;
}

static struct ttp_words words_of(const struct applying *a, const struct ttp_node *n,
                                 const char *key)
{
    struct ttp_words words = {0};

    for (const struct ttp_node *v = ttp_node_first_of(n, key); v; v = v->next)
        if (v->kind == TTP_JSON_STRING)
            ttp_words_add(&words, ttp_arena_zstr(a->arena, v->text), a->arena);
    return words;
}

static ttp_code senseless(const struct applying *a, const char *why)
{
    return ttp_fail(a->err, TTP_EPARSE, "invalid record: %s", why);
}

/* ---- parts ---- */

static ttp_code read_side(struct ttp_tune_side *out, const struct applying *a)
{
    const struct ttp_node *n = ttp_node_get(a->record, "side");

    *out = (struct ttp_tune_side){.commit = text_of(a, n, "commit"),
                                  .command = text_of(a, n, "command"),
                                  .env = words_of(a, n, "env")};
    if (!out->command || !*out->command)
        return senseless(a, "nothing to run");
    return TTP_OK;
}

static ttp_code read_setup(struct ttp_tune_setup *out, const struct applying *a)
{
    const struct ttp_node *n = ttp_node_get(a->record, "setup");

    *out = (struct ttp_tune_setup){
        .command = text_of(a, n, "command"),
        .build = text_of(a, n, "build"),
        .check = text_of(a, n, "check"),
        .metric = text_of(a, n, "metric"),
        .golden = text_of(a, n, "golden"),
        .outputs = text_or_empty(a, n, "outputs"),
        .links = words_of(a, n, "links"),
        .pcc = ttp_node_f64_of(n, "pcc"),
        .frobenius = ttp_node_f64_of(n, "frobenius"),
        .goal = text_of(a, n, "goal"),
        .goal_value = ttp_node_f64_of(n, "goal_value"),
        .data = text_of(a, n, "data"),
        .board = text_of(a, n, "board"),
        .chips = count_of(n, "chips"),
        .kernel = ttp_node_true_of(n, "kernel"),
        .run = text_of(a, n, "run"),
        .window = text_of(a, n, "window"),
        .profile = text_of(a, n, "profile"),
        .min_effect = ttp_node_f64_of(n, "min_effect"),
        .confidence = ttp_node_f64_of(n, "confidence"),
        .min_runs = count_of(n, "min_runs"),
        .max_runs = count_of(n, "max_runs"),
        .warm_ups = count_of(n, "warm_ups"),
        .max_time_s = ttp_node_f64_of(n, "max_time_s"),
        .timeout_s = ttp_node_f64_of(n, "timeout_s"),
    };
    if (!out->command || !out->metric)
        return senseless(a, "no command or no metric");
    if (!(out->min_effect >= 0) || !(out->confidence > 0 && out->confidence < 1) ||
        out->min_runs == 0 || out->max_runs < out->min_runs || !(out->max_time_s >= 0) ||
        !(out->timeout_s >= 0) || !isfinite(out->pcc) || !isfinite(out->frobenius))
        return senseless(a, "a number of the setup is out of range");
    return TTP_OK;
}

static void read_stat(struct ttp_tune_stat *out, const struct ttp_node *n)
{
    *out = (struct ttp_tune_stat){.n = (size_t)count_of(n, "n"),
                                  .min = ttp_node_f64_of(n, "min"),
                                  .median = ttp_node_f64_of(n, "median"),
                                  .mean = ttp_node_f64_of(n, "mean"),
                                  .sd = ttp_node_f64_of(n, "sd"),
                                  .p95 = ttp_node_f64_of(n, "p95"),
                                  .scatter = ttp_node_f64_of(n, "scatter")};
}

static ttp_code read_figures(struct ttp_tune_figures *out, const struct applying *a,
                             const struct ttp_node *n)
{
    static const char *const verdicts[] = {"undecided", "same", "less", "more"};
    const struct ttp_node *first = ttp_node_first_of(n, "sides");
    const ttp_str verdict = ttp_node_str_of(n, "verdict");

    *out = (struct ttp_tune_figures){
        .metric = text_or_empty(a, n, "metric"),
        .unit = text_or_empty(a, n, "unit"),
        .better = ttp_measure_better_of(ttp_node_str_of(n, "better")),
        .change = ttp_node_f64_of(n, "change"),
        .low = ttp_node_f64_of(n, "low"),
        .high = ttp_node_f64_of(n, "high"),
        .p = ttp_node_f64_of(n, "p"),
        .more_runs = (size_t)count_of(n, "more_runs"),
    };
    if (!first || !first->next)
        return senseless(a, "figures without two sides");
    read_stat(&out->side[0], first);
    read_stat(&out->side[1], first->next);
    for (size_t i = 0; i < TTP_COUNT(verdicts); i++)
        if (ttp_str_eq(verdict, ttp_str_from(verdicts[i])))
            out->verdict = (enum ttp_verdict)i;
    return TTP_OK;
}

static ttp_code read_measured(struct ttp_tune_measured *out, const struct applying *a)
{
    const struct ttp_node *n = ttp_node_get(a->record, "measured");

    *out = (struct ttp_tune_measured){.noise = NAN};
    if (!n)
        return TTP_OK;
    out->noise = ttp_node_f64_of(n, "noise");
    out->tainted = (size_t)count_of(n, "tainted");
    out->taint = text_of(a, n, "taint");
    for (const struct ttp_node *f = ttp_node_first_of(n, "figures");
         f && out->count < TTP_TUNE_METRICS; f = f->next)
        TTP_TRY(read_figures(&out->of[out->count++], a, f));
    return out->count ? TTP_OK : senseless(a, "measured, but without figures");
}

static ttp_code read_golden(const struct applying *a)
{
    struct ttp_tune_session *s = a->session;
    size_t n = 0;

    const struct ttp_node *first = ttp_node_first_of(a->record, "golden_files");
    for (const struct ttp_node *f = first; f; f = f->next)
        n++;
    s->golden = TTP_NEW(a->arena, struct ttp_tune_golden, n);
    s->ngolden = n;
    n = 0;
    for (const struct ttp_node *f = first; f; f = f->next) {
        struct ttp_tune_golden *g = &s->golden[n++];

        *g = (struct ttp_tune_golden){.name = text_of(a, f, "name"),
                                      .bytes = count_of(f, "bytes"),
                                      .crc = (uint32_t)count_of(f, "crc")};
        if (!g->name || !*g->name || strchr(g->name, '/'))
            return senseless(a, "a golden file without a name");
    }
    return TTP_OK;
}

/* ---- records ---- */

static ttp_code apply_init(const struct applying *a)
{
    struct ttp_tune_session *s = a->session;

    if (s->setup.command && s->measured)
        return senseless(a, "a session begins twice");
    TTP_TRY(read_setup(&s->setup, a));
    TTP_TRY(read_side(&s->baseline, a));
    TTP_TRY(read_golden(a));
    s->machine = text_or_empty(a, a->record, "machine");
    s->branch = text_or_empty(a, a->record, "branch");
    s->prefix = text_or_empty(a, a->record, "prefix");
    s->start_ns = time_of(a);
    return TTP_OK;
}

static ttp_code apply_baseline(const struct applying *a)
{
    if (!a->session->setup.command || a->session->measured)
        return senseless(a, "a baseline before its session, or twice");
    TTP_TRY(read_measured(&a->session->at_start, a));
    if (a->session->at_start.count == 0)
        return senseless(a, "a baseline that was not measured");
    a->session->measured = true;
    ttp_ledger_read_gate(&a->session->gate_at_start, a->record, a->arena);
    ttp_ledger_read_profile(&a->session->profile, a->record, a->arena);
    return TTP_OK;
}

static ttp_code new_change(struct ttp_tune_change **out, const struct applying *a)
{
    struct ttp_tune_session *s = a->session;

    *out = NULL;
    if (!s->measured)
        return senseless(a, "a change before the baseline");
    if (ttp_tune_pending(s))
        return senseless(a, "a change while another is pending");
    struct ttp_tune_change *c = TTP_PUSH(a->arena, s->change, s->count);
    *c = (struct ttp_tune_change){.number = s->count,
                                  .title = text_or_empty(a, a->record, "title"),
                                  .detail = text_or_empty(a, a->record, "detail"),
                                  .step = text_or_empty(a, a->record, "step"),
                                  .stat = "",
                                  .reason = "",
                                  .tree = "",
                                  .gate = {.worst_pcc = NAN, .worst = "", .tile = "", .reason = ""},
                                  .sweep_best = TTP_NPOS,
                                  .start_ns = time_of(a)};
    ttp_tune_profile_init(&c->profile);
    ttp_ledger_read_promise(&c->promise, a->record, a->arena);
    s->trial = (struct ttp_tune_promise){0};
    *out = c;
    return TTP_OK;
}

static const char *const kinds[] = {"edit", "patch", "env", "git", "command", "sweep"};
static const char *const outcomes[] = {"pending",   "kept",    "reverted",
                                       "undecided", "dropped", "undone"};

const char *ttp_tune_kind_name(enum ttp_tune_kind k)
{
    return kinds[k];
}

const char *ttp_tune_outcome_name(enum ttp_tune_outcome o)
{
    return outcomes[o];
}

static bool find_word(size_t *out, const char *const *words, size_t count, ttp_str word)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq(ttp_str_from(words[i]), word)) {
            *out = i;
            return true;
        }
    return false;
}

static ttp_code apply_try(const struct applying *a)
{
    struct ttp_tune_change *c = ttp_tune_pending(a->session);
    size_t kind;

    if (!find_word(&kind, kinds, TTP_COUNT(kinds), ttp_node_str_of(a->record, "kind")))
        return senseless(a, "a change of an unknown kind");
    /* a sweep becomes a change when its best point is known */
    if (!(c && c->kind == TTP_TUNE_SWEEP && kind == TTP_TUNE_SWEEP && !c->side.command))
        TTP_TRY(new_change(&c, a));
    assert(c);
    c->kind = (enum ttp_tune_kind)kind;
    c->stat = text_or_empty(a, a->record, "stat");
    c->keep_edit = ttp_node_true_of(a->record, "keep_edit");
    if (kind == TTP_TUNE_SWEEP) {
        c->sweep_best = (size_t)count_of(a->record, "point");
        c->detail = text_or_empty(a, a->record, "detail");
        if (c->sweep_best >= c->npoints)
            return senseless(a, "a point that is not part of the sweep");
    }
    return read_side(&c->side, a);
}

static ttp_code apply_sweep(const struct applying *a)
{
    struct ttp_tune_change *c;

    TTP_TRY(new_change(&c, a));
    assert(c);
    c->kind = TTP_TUNE_SWEEP;
    c->sweeps = words_of(a, a->record, "sweeps");
    ttp_ledger_read_space(&c->space, a->record, a->arena);
    return c->sweeps.count || c->space.configs ? TTP_OK : senseless(a, "an empty sweep");
}

static ttp_code apply_point(const struct applying *a)
{
    struct ttp_tune_change *c = ttp_tune_pending(a->session);

    if (!c || c->kind != TTP_TUNE_SWEEP || c->side.command)
        return senseless(a, "a point without its sweep");
    if (c->npoints >= TTP_SWEEP_VALUES_MAX)
        return senseless(a, "too many points");
    if (!c->point)
        c->point = TTP_NEW(a->arena, struct ttp_tune_point, TTP_SWEEP_VALUES_MAX);
    c->point[c->npoints++] =
        (struct ttp_tune_point){.set = words_of(a, a->record, "set"),
                                .pass = ttp_node_true_of(a->record, "pass"),
                                .value = ttp_node_f64_of(a->record, "value"),
                                .reason = text_or_empty(a, a->record, "reason")};
    return TTP_OK;
}

/* Another state is the best now. */
static void forget_end(struct ttp_tune_session *s)
{
    s->at_end = (struct ttp_tune_measured){0};
    s->gate_at_end =
        (struct ttp_tune_gate){.worst_pcc = NAN, .worst = "", .tile = "", .reason = ""};
}

static ttp_code apply_decision(const struct applying *a)
{
    struct ttp_tune_change *c = ttp_tune_pending(a->session);
    size_t outcome;

    if (!c)
        return senseless(a, "a decision without a change");
    if (!find_word(&outcome, outcomes, TTP_COUNT(outcomes),
                   ttp_node_str_of(a->record, "outcome")) ||
        outcome == TTP_TUNE_PENDING || outcome == TTP_TUNE_UNDONE)
        return senseless(a, "an unknown outcome");
    if (outcome == TTP_TUNE_KEPT && !c->side.command)
        return senseless(a, "an unknown change is kept");
    c->reason = text_or_empty(a, a->record, "reason");
    c->end_ns = time_of(a);
    ttp_ledger_read_gate(&c->gate, a->record, a->arena);
    ttp_ledger_read_profile(&c->profile, a->record, a->arena);
    TTP_TRY(read_measured(&c->measured, a));
    c->outcome = (enum ttp_tune_outcome)outcome;
    if (outcome == TTP_TUNE_KEPT)
        forget_end(a->session);
    return TTP_OK;
}

/* Decided or undone, and the working tree follows. */
static ttp_code apply_settled(const struct applying *a)
{
    const uint64_t number = count_of(a->record, "change");

    if (number == 0 || number > a->session->count ||
        a->session->change[number - 1].outcome == TTP_TUNE_PENDING)
        return senseless(a, "settled, but not decided");
    a->session->change[number - 1].settled = true;
    a->session->change[number - 1].tree = text_or_empty(a, a->record, "tree");
    return TTP_OK;
}

static ttp_code apply_undo(const struct applying *a)
{
    const struct ttp_tune_change *last = ttp_tune_last_kept(a->session);

    if (!last || last->number != count_of(a->record, "change"))
        return senseless(a, "undone, but not the last that was kept");
    struct ttp_tune_change *c = &a->session->change[last->number - 1];
    c->outcome = TTP_TUNE_UNDONE;
    c->settled = false;
    forget_end(a->session);
    return TTP_OK;
}

static ttp_code apply_final(const struct applying *a)
{
    if (!a->session->measured)
        return senseless(a, "an end before the baseline");
    ttp_ledger_read_gate(&a->session->gate_at_end, a->record, a->arena);
    return read_measured(&a->session->at_end, a);
}

/* The next change tests this; nothing in it: no longer. */
static ttp_code apply_advice(const struct applying *a)
{
    if (!a->session->measured || ttp_tune_pending(a->session))
        return senseless(a, "advice before the baseline, or while a change is pending");
    ttp_ledger_read_promise(&a->session->trial, a->record, a->arena);
    return TTP_OK;
}

static ttp_code apply_nothing(const struct applying *a)
{
    (void)a;
    return TTP_OK;
}

ttp_code ttp_ledger_apply(struct ttp_tune_session *s, const struct ttp_node *record,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct {
        const char *event;
        ttp_code (*apply)(const struct applying *a);
    } events[] = {
        {"init", apply_init},       {"baseline", apply_baseline}, {"try", apply_try},
        {"sweep", apply_sweep},     {"point", apply_point},       {"decision", apply_decision},
        {"settled", apply_settled}, {"undo", apply_undo},         {"final", apply_final},
        {"advice", apply_advice},   {"recovered", apply_nothing},
    };
    const struct applying a = {s, record, arena, err};
    const ttp_str event = ttp_node_str_of(record, "event");

    for (size_t i = 0; i < TTP_COUNT(events); i++)
        if (ttp_str_eq(event, ttp_str_from(events[i].event))) {
            TTP_TRY(events[i].apply(&a));
            s->last_ns = time_of(&a);
            return TTP_OK;
        }
    ttp_fail(err, TTP_EPARSE, "an unknown record '%.*s'", TTP_FMT(ttp_str_slice(event, 0, 40)));
    ttp_err_hint(err, "a newer tt-perf may have written it");
    return TTP_EPARSE;
}

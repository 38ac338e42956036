/* SPDX-License-Identifier: Apache-2.0 */
/* phases.c - the part of a run that a report is about: one iteration, measured over all of them. */
#include <math.h>

#include "analysis/phases.h"
#include "base/order.h"
#include "base/sink.h"

/* Iterations in front that take longer than the middle one by more than this part warm up. */
#define WARMUP_PART 0.05
/* Gaps depend on the host and vary more: with them iterations that take that many times the middle
 * one warm up. */
#define WARMUP_TIMES 2.0
/* A window with less of the device time is worth a warning. */
#define LOW_SHARE_PCT 10.0

const char *ttp_analysis_window_kind_name(enum ttp_window_kind kind)
{
    static const char *const names[] = {
        [TTP_WINDOW_WHOLE] = "whole",
        [TTP_WINDOW_REPLAY] = "replay",
        [TTP_WINDOW_SIGNPOSTS] = "range",
        [TTP_WINDOW_REPETITION] = "repetition",
    };
    return names[kind];
}

static double sum_us(const struct ttp_phase_facts *facts, const struct ttp_pass *pass)
{
    struct ttp_sum sum = {0};

    for (size_t i = 0; i < pass->count; i++)
        ttp_analysis_sum_add(&sum, ttp_row_us(facts, pass->row[i]));
    return ttp_analysis_sum_value(&sum);
}

static void time_passes(struct ttp_passes *passes, const struct ttp_phase_facts *facts)
{
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < passes->count[d]; i++) {
            passes->pass[d][i].us = sum_us(facts, &passes->pass[d][i]);
            passes->pass[d][i].gap_us = ttp_analysis_pass_gaps_us(facts, &passes->pass[d][i]);
        }
}

/* Does the device wait in it for programs that run for the first time, for a good part of it? */
static bool is_cold_pass(const struct ttp_phase_facts *facts, const struct ttp_pass *pass)
{
    double waited_us = 0;

    for (size_t i = 1; i < pass->count; i++)
        if (facts->cold[pass->row[i]] && facts->gap_ns[pass->row[i]] > TTP_COLD_GAP_US * 1e3)
            waited_us += facts->gap_ns[pass->row[i]] / 1e3;
    return waited_us > WARMUP_PART * (pass->us + pass->gap_us);
}

/* Leading iterations of a device that are not steady yet: those that take longer than the middle
 * one, and cold ones, of which two iterations are enough to tell. */
static size_t count_warmups(const struct ttp_pass *pass, size_t n,
                            const struct ttp_phase_facts *facts)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, n), *total = TTP_NEW(facts->arena, double, n);
    size_t warm = 0;

    for (size_t i = 0; i < n; i++) {
        us[i] = pass[i].us;
        total[i] = pass[i].us + pass[i].gap_us;
    }
    const bool enough = n >= 3;
    const double limit = ttp_middle(us, n) * (1 + WARMUP_PART);
    const double total_limit = ttp_middle(total, n) * WARMUP_TIMES;
    while (warm + 1 < n &&
           (is_cold_pass(facts, &pass[warm]) ||
            (enough && (pass[warm].us > limit || pass[warm].us + pass[warm].gap_us > total_limit))))
        warm++;
    ttp_arena_rewind(facts->arena, mark);
    return warm;
}

/* Devices with as many iterations ran them together: what most of them did not count is not counted
 * on any. */
static void drop_warmups(struct ttp_passes *passes, struct ttp_window *window,
                         const struct ttp_phase_facts *facts)
{
    size_t *warm = TTP_NEW(facts->arena, size_t, facts->devices);
    double *alike = TTP_NEW(facts->arena, double, facts->devices);
    bool *done = TTP_NEW(facts->arena, bool, facts->devices);

    for (size_t d = 0; d < facts->devices; d++)
        if (passes->count[d] > 1)
            warm[d] = count_warmups(passes->pass[d], passes->count[d], facts);
    for (size_t d = 0; d < facts->devices; d++) {
        const size_t n = passes->count[d];
        size_t count = 0;

        if (n < 2 || done[d])
            continue;
        for (size_t e = d; e < facts->devices; e++)
            if (!done[e] && passes->count[e] == n)
                alike[count++] = (double)warm[e];
        const size_t drop = (size_t)ttp_middle(alike, count);
        for (size_t e = d; e < facts->devices; e++)
            if (!done[e] && passes->count[e] == n) {
                done[e] = true;
                passes->pass[e] += drop;
                passes->count[e] -= drop;
            }
        window->warmups = drop > window->warmups ? drop : window->warmups;
    }
}

/* Keep the n-th iteration alone. */
static ttp_code keep_iteration(struct ttp_passes *passes, const struct ttp_phase_facts *facts,
                               int64_t number, struct ttp_err *err)
{
    size_t most = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        most = passes->count[d] > most ? passes->count[d] : most;
        if ((uint64_t)number > passes->count[d]) {
            passes->count[d] = 0;
            continue;
        }
        passes->pass[d] += number - 1;
        passes->count[d] = 1;
    }
    if ((uint64_t)number <= most)
        return TTP_OK;
    (void)ttp_fail(err, TTP_ENOTFOUND, "no iteration %lld", (long long)number);
    ttp_err_hint(err, "the run has iterations 1 to %zu", most);
    return TTP_ENOTFOUND;
}

/* ---- phases ---- */

static bool is_hit(const struct ttp_ops *ops, uint32_t row)
{
    const ttp_sym sym = ttp_ops_sym(ops, TTP_OPS_CACHE_HIT, row);
    const ttp_str text = sym == TTP_SYM_MISSING ? TTP_STR("") : ttp_sym_name(&ops->syms, sym);

    return ttp_str_eq_any_case(text, TTP_STR("true")) || ttp_str_eq(text, TTP_STR("1"));
}

/* Programs that a device ran for the first time: what it waited for them, and which rows they are.
 * The column of cache hits may call every op a miss, so a first run is what counts; a hit is not.
 */
static void find_cold(struct ttp_phase_facts *facts)
{
    uint32_t *seen = TTP_NEW(facts->arena, uint32_t, facts->keys); /* the last device, from 1 */

    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_device_run *run = &facts->device[d];

        for (size_t i = 0; i < run->count; i++) {
            if (seen[run->key[i]] == d + 1)
                continue;
            seen[run->key[i]] = (uint32_t)d + 1;
            facts->cold[run->row[i]] = !is_hit(facts->stage->ops, run->row[i]);
        }
    }
}

static void measure_cold(struct ttp_window *w, const struct ttp_phase_facts *facts)
{
    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_device_run *run = &facts->device[d];
        double waited_ns = 0;
        size_t programs = 0;

        for (size_t i = 0; i < run->count; i++) {
            if (!facts->cold[run->row[i]])
                continue;
            programs++;
            if (facts->gap_ns[run->row[i]] > 0)
                waited_ns += facts->gap_ns[run->row[i]];
        }
        w->cold_s = fmax(w->cold_s, waited_ns / 1e9);
        w->compiled_programs = programs > w->compiled_programs ? programs : w->compiled_programs;
    }
}

/* Rows of the iterations, and the keys that occur there. */
static void mark_iterations(bool *inside, bool *of_iteration, const struct ttp_passes *passes,
                            const struct ttp_phase_facts *facts)
{
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < passes->count[d]; i++)
            for (size_t k = 0; k < passes->pass[d][i].count; k++) {
                inside[passes->pass[d][i].row[k]] = true;
                of_iteration[facts->key_of[passes->pass[d][i].row[k]]] = true;
            }
}

static void total_phases(struct ttp_window *w, const struct ttp_passes *passes,
                         const struct ttp_phase_facts *facts)
{
    const struct ttp_stage *s = facts->stage;
    bool *inside = TTP_NEW(facts->arena, bool, s->ops->rows);
    bool *of_iteration = TTP_NEW(facts->arena, bool, facts->keys);
    double all = 0;

    mark_iterations(inside, of_iteration, passes, facts);
    s->report->in_window = inside;
    for (uint32_t r = 0; r < s->ops->rows; r++) {
        if (facts->elsewhere && facts->elsewhere[r])
            continue;
        enum ttp_phase phase = facts->cold[r] ? TTP_PHASE_COLD : TTP_PHASE_WARMUP;

        if (s->captured && s->captured[r])
            phase = TTP_PHASE_CAPTURE;
        else if (!facts->key_of[r])
            continue;
        else if (inside[r])
            phase = TTP_PHASE_ITERATION;
        else if (r > w->last_row)
            phase = TTP_PHASE_AFTER;
        else if (!of_iteration[facts->key_of[r]])
            phase = TTP_PHASE_SETUP;
        const double us = phase == TTP_PHASE_CAPTURE ? 0 : ttp_row_us(facts, r);
        w->phase[phase].ops++;
        w->phase[phase].time_us += us;
        all += us;
    }
    w->share_pct = all > 0 ? w->phase[TTP_PHASE_ITERATION].time_us / all * 100 : 100;
}

/* ---- devices that were asked for ---- */

static void swap(void *list, size_t size, size_t a, size_t b)
{
    char *at = list, kept[sizeof(struct ttp_device_run)];

    memcpy(kept, at + a * size, size);
    memmove(at + a * size, at + b * size, size);
    memcpy(at + b * size, kept, size);
}

static void swap_devices(struct ttp_phase_facts *facts, struct ttp_passes *passes, size_t a,
                         size_t b)
{
    swap(facts->device, sizeof(*facts->device), a, b);
    swap(facts->replay, sizeof(struct ttp_trace_replay *), a, b);
    swap(facts->replays, sizeof(*facts->replays), a, b);
    swap(passes->pass, sizeof(struct ttp_pass *), a, b);
    swap(passes->count, sizeof(*passes->count), a, b);
}

/* What ran on the others chose the iterations, too: all devices run them together. Figures are of
 * those that were asked for alone. */
static ttp_code leave_others(struct ttp_phase_facts *facts, struct ttp_passes *passes,
                             struct ttp_err *err)
{
    const struct ttp_stage *s = facts->stage;
    struct ttp_device_choice choice;
    size_t n = 0;

    facts->all_devices = facts->devices;
    if (!s->options->rank && !s->options->device)
        return TTP_OK;
    TTP_TRY(ttp_ops_parse_choice(&choice, s->options->rank, s->options->device, err));
    facts->elsewhere = TTP_NEW(facts->arena, bool, s->ops->rows);
    for (size_t r = 0; r < s->ops->rows; r++)
        facts->elsewhere[r] = !ttp_ops_is_chosen(s->ops, &choice, r);
    for (size_t d = 0; d < facts->devices; d++)
        if (!facts->elsewhere[facts->device[d].row[0]])
            swap_devices(facts, passes, n++, d);
    facts->devices = n;
    return TTP_OK;
}

/* ---- ranges ---- */

static void measure_range(struct ttp_range *range, const struct ttp_phase_facts *facts, double all)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, facts->devices);
    double *gap = TTP_NEW(facts->arena, double, facts->devices);
    double *count = TTP_NEW(facts->arena, double, facts->devices);
    double sum = 0;
    size_t n = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_pass ops = ttp_analysis_window_ops_in_range(
            facts, d, (uint32_t)(range - facts->ranges.item) + 1, NULL);
        if (ops.count == 0)
            continue;
        us[n] = sum_us(facts, &ops);
        gap[n] = ttp_analysis_pass_gaps_us(facts, &ops);
        sum += us[n];
        count[n++] = (double)ops.count;
    }
    range->devices = n;
    if (n) {
        range->ops = (size_t)ttp_middle(count, n);
        range->time_us = ttp_middle(us, n);
        range->gap_us = ttp_middle(gap, n);
    }
    range->share_pct = all > 0 ? sum / all * 100 : 0;
    ttp_arena_rewind(facts->arena, mark);
}

static void measure_ranges(struct ttp_phase_facts *facts)
{
    double all = 0;

    if (facts->ranges.count == 0)
        return;
    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_pass run = {.row = facts->device[d].row, .count = facts->device[d].count};
        all += sum_us(facts, &run);
    }
    for (size_t i = 0; i < facts->ranges.count; i++)
        if (facts->ranges.item[i].first_of == i + 1)
            measure_range(&facts->ranges.item[i], facts, all);
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < facts->replays[d]; i++)
            for (uint32_t r = facts->replay[d][i].range; r && d == 0;
                 r = facts->ranges.item[r - 1].parent)
                facts->ranges.item[r - 1].replays++;
}

/* ---- rows ---- */

/* Rows of the last iteration, and what the host did and marked meanwhile. */
static void keep_last_iteration(struct ttp_stage *s, struct ttp_rows *rows,
                                const struct ttp_window *w, const struct ttp_passes *passes,
                                const struct ttp_phase_facts *facts)
{
    bool *keep = TTP_NEW(s->arena, bool, s->ops->rows);
    uint32_t from = UINT32_MAX, to = 0;
    size_t n = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        if (passes->count[d] == 0)
            continue;
        const struct ttp_pass *last = &passes->pass[d][passes->count[d] - 1];
        for (size_t k = 0; k < last->count; k++) {
            keep[last->row[k]] = true;
            from = last->row[k] < from ? last->row[k] : from;
            to = last->row[k] > to ? last->row[k] : to;
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t r = rows->row[i];
        const bool meanwhile = w->kind != TTP_WINDOW_REPLAY && !facts->key_of[r] && r >= from &&
                               r <= to && !(s->captured && s->captured[r]);
        if (keep[r] || (meanwhile && (s->options->print_signposts || !ttp_stage_is_post(s, r))))
            rows->row[n++] = r;
    }
    rows->count = n;
}

/* Rows that are marked, without iterations. */
static void keep_marked(const struct ttp_stage *s, struct ttp_rows *rows, const bool *mark)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (mark ? mark[rows->row[i]]
                 : s->options->print_signposts || !ttp_stage_is_post(s, rows->row[i]))
            rows->row[n++] = rows->row[i];
    rows->count = n;
}

/* One pass of each device: those of its ops that are among the rows. */
static void pass_of_rows(struct ttp_passes *out, const struct ttp_rows *rows,
                         const struct ttp_phase_facts *facts)
{
    bool *kept = TTP_NEW(facts->arena, bool, facts->stage->ops->rows);

    for (size_t i = 0; i < rows->count; i++)
        kept[rows->row[i]] = true;
    out->pass = TTP_NEW(facts->arena, struct ttp_pass *, facts->devices);
    out->count = TTP_NEW(facts->arena, size_t, facts->devices);
    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_device_run *run = &facts->device[d];
        uint32_t *row = TTP_NEW(facts->arena, uint32_t, run->count);
        size_t n = 0;

        for (size_t i = 0; i < run->count; i++)
            if (kept[run->row[i]])
                row[n++] = run->row[i];
        out->pass[d] = TTP_NEW(facts->arena, struct ttp_pass, 1);
        *out->pass[d] = (struct ttp_pass){.row = row, .count = n};
        out->count[d] = n > 0;
    }
}

/* The old options: one piece of the file, whatever it holds. */
static bool chosen_otherwise(const struct ttp_report_options *o)
{
    return (o->start_signpost && o->start_signpost[0]) || (o->end_signpost && o->end_signpost[0]) ||
           o->ignore_signposts || o->has_id_range;
}

/* Notes about the default choice, and about oddities of it. */
static void note_window(struct ttp_stage *s, const struct ttp_window *w)
{
    const char *one = w->iterations == 1 ? "" : "one of ";

    if (!s->options->window && w->kind == TTP_WINDOW_REPLAY)
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS,
                              "showing %s%zu replay%s of %.*s (choose with --window)", one,
                              w->iterations, w->iterations == 1 ? "" : "s", TTP_FMT(w->name));
    else if (!s->options->window && w->kind == TTP_WINDOW_REPETITION)
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_STATUS,
            "showing one of %zu repetitions of the same %zu ops (choose with --window)",
            w->iterations, w->ops);
    else if (!s->options->window && w->kind == TTP_WINDOW_SIGNPOSTS &&
             !chosen_otherwise(s->options))
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_STATUS,
            "showing %s%zu iteration%s of the range '%.*s' between signposts (choose with "
            "--window, see --ranges)",
            one, w->iterations, w->iterations == 1 ? "" : "s", TTP_FMT(w->name));
    if (!s->options->window && !chosen_otherwise(s->options) && w->kind != TTP_WINDOW_WHOLE &&
        w->share_pct < LOW_SHARE_PCT)
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "the window (%s%s%.*s) covers only %.1f %% of the device time of the run; "
            "choose another with --window (listed by 'tt-perf report --ranges')",
            ttp_analysis_window_kind_name(w->kind), w->name.len ? " " : "", TTP_FMT(w->name),
            w->share_pct);
}

/* Where no evidence chooses: the whole run, or rows of one kind. */
static ttp_code take_rows(struct ttp_passes *passes, struct ttp_rows *rows,
                          const struct ttp_phase_facts *facts, const struct ttp_window_words *words,
                          struct ttp_err *err)
{
    const struct ttp_stage *s = facts->stage;
    const bool capture = words->choice == TTP_WINDOW_CAPTURE;

    if (words->choice == TTP_WINDOW_ITERATION && words->number > 1) {
        (void)ttp_fail(err, TTP_ENOTFOUND, "no iteration %lld: nothing in the run repeats",
                       (long long)words->number);
        ttp_err_hint(err, "the run is one iteration; --window all selects it");
        return TTP_ENOTFOUND;
    }
    if (capture || words->choice == TTP_WINDOW_COLD) {
        keep_marked(s, rows, capture ? s->captured : facts->cold);
        s->report->window.name = ttp_str_from(s->options->window);
    } else {
        keep_marked(s, rows, NULL);
    }
    if (capture && !s->captured)
        rows->count = 0;
    pass_of_rows(passes, rows, facts);
    return TTP_OK;
}

static ttp_code choose(struct ttp_passes *passes, struct ttp_rows *rows,
                       const struct ttp_phase_facts *facts, struct ttp_err *err)
{
    struct ttp_stage *s = facts->stage;
    struct ttp_window *w = &s->report->window;
    struct ttp_window_words words;
    bool chosen = false;

    TTP_TRY(ttp_analysis_window_parse(&words, s->options->window, err));
    switch (words.choice) {
    case TTP_WINDOW_RANGE:
        TTP_TRY(ttp_analysis_window_choose_in_range(passes, w, facts, words.name, err));
        chosen = true;
        break;
    case TTP_WINDOW_TRACE:
        TTP_TRY(ttp_analysis_window_choose_trace(passes, w, facts, words.number, err));
        chosen = true;
        break;
    case TTP_WINDOW_AUTO:
    case TTP_WINDOW_ITERATION:
        chosen = ttp_analysis_window_choose_by_evidence(passes, w, facts);
        break;
    case TTP_WINDOW_COLD:
    case TTP_WINDOW_CAPTURE:
    case TTP_WINDOW_ALL:
        break;
    }
    if (!chosen)
        TTP_TRY(take_rows(passes, rows, facts, &words, err));
    time_passes(passes, facts);
    if (words.choice == TTP_WINDOW_ITERATION && chosen)
        TTP_TRY(keep_iteration(passes, facts, words.number, err));
    else if (chosen)
        drop_warmups(passes, w, facts);
    return TTP_OK;
}

/* What choosing the iterations needs to know; programs by row are for later stages as well. */
static void find_facts(struct ttp_phase_facts *facts)
{
    struct ttp_stage *s = facts->stage;

    ttp_analysis_window_find_ranges(&facts->ranges, &facts->range_of, s);
    ttp_analysis_find_device_runs(facts);
    ttp_analysis_find_replays(facts);
    facts->cold = TTP_NEW(s->arena, bool, s->ops->rows);
    find_cold(facts);
    s->report->first_run = facts->cold;
    s->report->captured = s->captured;
    s->report->program_of = facts->key_of;
    s->report->programs = facts->keys;
}

static ttp_code take_piece(struct ttp_passes *passes, struct ttp_rows *rows,
                           struct ttp_phase_facts *facts, struct ttp_err *err)
{
    struct ttp_stage *s = facts->stage;
    struct ttp_window *w = &s->report->window;
    const char *start = s->options->start_signpost;

    TTP_TRY(ttp_analysis_stage_window(s, rows, err));
    pass_of_rows(passes, rows, facts);
    w->name = start ? ttp_str_from(start) : TTP_STR("");
    w->kind = w->name.len || s->options->end_signpost ? TTP_WINDOW_SIGNPOSTS : TTP_WINDOW_WHOLE;
    time_passes(passes, facts);
    TTP_TRY(leave_others(facts, passes, err));
    ttp_analysis_window_measure(w, passes, facts);
    return TTP_OK;
}

static ttp_code take_iterations(struct ttp_passes *passes, struct ttp_rows *rows,
                                struct ttp_phase_facts *facts, struct ttp_err *err)
{
    struct ttp_stage *s = facts->stage;
    struct ttp_window *w = &s->report->window;
    const struct ttp_rows all = *rows;

    TTP_TRY(choose(passes, rows, facts, err));
    TTP_TRY(leave_others(facts, passes, err));
    ttp_analysis_window_measure(w, passes, facts);
    if (w->kind == TTP_WINDOW_WHOLE)
        return TTP_OK;
    *rows = all;
    keep_last_iteration(s, rows, w, passes, facts);
    ttp_analysis_spread_ops(s, passes, facts);
    return TTP_OK;
}

ttp_code ttp_analysis_stage_phases(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct ttp_phase_facts facts = {.stage = s, .arena = s->arena};
    struct ttp_window *w = &s->report->window;
    struct ttp_passes passes = {0};

    find_facts(&facts);
    TTP_TRY(chosen_otherwise(s->options) ? take_piece(&passes, rows, &facts, err)
                                         : take_iterations(&passes, rows, &facts, err));
    measure_cold(w, &facts);
    measure_ranges(&facts);
    s->report->ranges = facts.ranges;
    if (s->options->median_device)
        ttp_analysis_find_middle(s, &passes, &facts);
    ttp_analysis_mean_between(w, &passes, &facts);
    total_phases(w, &passes, &facts);
    if (w->iterations == 0) /* nothing ran on a device */
        w->iterations = 1;
    note_window(s, w);
    ttp_analysis_stage_machine(s, &passes, &facts);
    ttp_analysis_stage_quality(s, &passes, &facts);
    return TTP_OK;
}

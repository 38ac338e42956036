/* SPDX-License-Identifier: Apache-2.0 */
/* window_choice.c - which passes of the devices are the iterations that count.
 *
 * Evidence in this order: replays of a trace, ranges between signposts, repetition of the ops. */
#include "analysis/phases.h"
#include "base/sink.h"

/* A repetition with less of the device time is only part of a larger one. */
#define MIN_SHARE 0.1
/* Ops after a repetition that it does not have, with more than this part of one repetition's time,
 * show that it is a layer of something and not an iteration: the head of a model, say. */
#define MAX_REST 0.05
/* Repetitions that cover less than this part of the run do not say what it did. */
#define MOST 0.5

ttp_code ttp_analysis_window_parse(struct ttp_window_words *out, const char *text,
                                   struct ttp_err *err)
{
    static const struct {
        const char *word;
        enum ttp_window_choice choice;
        bool named, numbered;
    } words[] = {
        {"auto", TTP_WINDOW_AUTO, false, false},
        {"all", TTP_WINDOW_ALL, false, false},
        {"cold", TTP_WINDOW_COLD, false, false},
        {"capture", TTP_WINDOW_CAPTURE, false, false},
        {"iteration", TTP_WINDOW_ITERATION, true, true},
        {"range", TTP_WINDOW_RANGE, true, false},
        {"trace", TTP_WINDOW_TRACE, true, true},
    };
    const ttp_str all = ttp_str_from(text ? text : "auto");
    const size_t equals = ttp_str_find_char(all, '=');
    const bool has_value = equals != TTP_NPOS;
    const ttp_str word = has_value ? ttp_str_slice(all, 0, equals) : all;
    const ttp_str value = has_value ? ttp_str_slice(all, equals + 1, all.len) : TTP_STR("");

    *out = (struct ttp_window_words){.name = value};
    for (size_t i = 0; i < TTP_COUNT(words); i++) {
        if (!ttp_str_eq(word, ttp_str_from(words[i].word)) || has_value != words[i].named ||
            (has_value && value.len == 0) ||
            (words[i].numbered && !ttp_str_to_i64(value, &out->number)))
            continue;
        out->choice = words[i].choice;
        if (out->choice != TTP_WINDOW_ITERATION || out->number >= 1)
            return TTP_OK;
    }
    (void)ttp_fail(err, TTP_EUSAGE, "invalid window '%s'", text ? text : "");
    ttp_err_hint(err, "use auto, all, cold, capture, iteration=N (from 1), range=NAME or trace=N");
    return TTP_EUSAGE;
}

static void make_room(struct ttp_passes *out, const struct ttp_phase_facts *facts)
{
    out->pass = TTP_NEW(facts->arena, struct ttp_pass *, facts->devices);
    out->count = TTP_NEW(facts->arena, size_t, facts->devices);
}

static double sum_us(const struct ttp_phase_facts *facts, const struct ttp_pass *pass)
{
    double sum = 0;

    for (size_t i = 0; i < pass->count; i++)
        sum += ttp_row_us(facts, pass->row[i]);
    return sum;
}

/* ---- replays ---- */

/* Which replays are considered. */
struct replay_filter {
    uint32_t outer; /* range that they lie in; 0: any */
    bool has_trace;
    int64_t trace;
    bool everywhere; /* replays of the trace inside and outside of all ranges */
};

static bool is_wanted(const struct ttp_phase_facts *facts, const struct ttp_trace_replay *r,
                      const struct replay_filter *filter)
{
    return (!filter->outer || ttp_analysis_range_within(&facts->ranges, r->range, filter->outer)) &&
           (!filter->has_trace || r->trace == filter->trace);
}

struct trace_total {
    int64_t trace;
    uint32_t generation;
    double us;
};

/* The trace with the most device time of those that are wanted. */
static bool longest_trace(struct trace_total *out, const struct ttp_phase_facts *facts,
                          const struct replay_filter *filter)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    struct trace_total *total;
    size_t count = 0, all = 0, best = 0;

    for (size_t d = 0; d < facts->devices; d++)
        all += facts->replays[d];
    total = TTP_NEW(facts->arena, struct trace_total, all);
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < facts->replays[d]; i++) {
            const struct ttp_trace_replay *r = &facts->replay[d][i];
            size_t t = count;

            if (!is_wanted(facts, r, filter))
                continue;
            while (t > 0 &&
                   (total[t - 1].trace != r->trace || total[t - 1].generation != r->generation))
                t--;
            if (t == 0) {
                total[count] = (struct trace_total){r->trace, r->generation, 0};
                t = ++count;
            }
            total[t - 1].us += sum_us(facts, &r->pass);
        }
    for (size_t t = 1; t < count; t++)
        if (total[t].us > total[best].us)
            best = t;
    if (count)
        *out = total[best];
    ttp_arena_rewind(facts->arena, mark);
    return count > 0;
}

/* Are they the same range, or ranges that only count up ("step 3", "step 4")? */
static bool is_same_series(const struct ttp_ranges *ranges, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    if (!a || !b || ranges->item[a - 1].depth != ranges->item[b - 1].depth)
        return false;
    const ttp_str x = ranges->item[a - 1].name, y = ranges->item[b - 1].name;
    size_t i = 0, k = 0;
    while (i < x.len && k < y.len) {
        const bool dx = x.ptr[i] >= '0' && x.ptr[i] <= '9', dy = y.ptr[k] >= '0' && y.ptr[k] <= '9';
        if (dx && dy) {
            while (i < x.len && x.ptr[i] >= '0' && x.ptr[i] <= '9')
                i++;
            while (k < y.len && y.ptr[k] >= '0' && y.ptr[k] <= '9')
                k++;
        } else if (x.ptr[i++] != y.ptr[k++]) {
            return false;
        }
    }
    return i == x.len && k == y.len;
}

/* Replays of one trace. Unless all are asked for, those between signposts count, if there are any:
 * of the last range, and of those that are named like it. The others warm up. */
static bool choose_replays(struct ttp_passes *out, struct ttp_window *window,
                           const struct ttp_phase_facts *facts, const struct replay_filter *filter)
{
    struct trace_total trace;
    uint32_t range = 0;

    if (!longest_trace(&trace, facts, filter))
        return false;
    const struct replay_filter of_trace = {
        .outer = filter->outer, .has_trace = true, .trace = trace.trace};
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < facts->replays[d]; i++) {
            const struct ttp_trace_replay *r = &facts->replay[d][i];
            if (is_wanted(facts, r, &of_trace) && r->generation == trace.generation &&
                r->range > range)
                range = r->range;
        }
    make_room(out, facts);
    for (size_t d = 0; d < facts->devices; d++) {
        out->pass[d] = TTP_NEW(facts->arena, struct ttp_pass, facts->replays[d]);
        for (size_t i = 0; i < facts->replays[d]; i++) {
            const struct ttp_trace_replay *r = &facts->replay[d][i];
            if (is_wanted(facts, r, &of_trace) && r->generation == trace.generation &&
                (filter->everywhere || is_same_series(&facts->ranges, r->range, range)))
                out->pass[d][out->count[d]++] = r->pass;
        }
    }
    window->kind = TTP_WINDOW_REPLAY;
    window->name = ttp_sink_format(facts->arena, "trace %lld", (long long)trace.trace);
    return true;
}

static bool has_other_trace(const struct ttp_phase_facts *facts, int64_t trace)
{
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < facts->replays[d]; i++)
            if (facts->replay[d][i].trace != trace)
                return true;
    return false;
}

ttp_code ttp_analysis_window_choose_trace(struct ttp_passes *out, struct ttp_window *window,
                                          const struct ttp_phase_facts *facts, int64_t trace,
                                          struct ttp_err *err)
{
    const struct replay_filter filter = {.has_trace = true, .trace = trace, .everywhere = true};

    if (choose_replays(out, window, facts, &filter))
        return TTP_OK;
    (void)ttp_fail(err, TTP_ENOTFOUND, "no replays of trace %lld", (long long)trace);
    for (size_t d = 0; d < facts->devices; d++)
        if (facts->replays[d]) {
            const int64_t first = facts->replay[d][0].trace;
            ttp_err_hint(err, "the run has replays of trace %lld%s", (long long)first,
                         has_other_trace(facts, first) ? ", ..." : "");
            return TTP_ENOTFOUND;
        }
    ttp_err_hint(err, "the run has no trace replays");
    return TTP_ENOTFOUND;
}

/* ---- ranges ---- */

static bool has_ops(const struct ttp_phase_facts *facts, uint32_t range)
{
    for (size_t d = 0; d < facts->devices; d++)
        if (ttp_analysis_window_ops_in_range(facts, d, range, NULL).count)
            return true;
    return false;
}

/* Do all devices run the same in both ranges? */
static bool run_alike(const struct ttp_phase_facts *facts, uint32_t a, uint32_t b)
{
    for (size_t d = 0; d < facts->devices; d++) {
        const uint32_t *x, *y;
        const struct ttp_pass pa = ttp_analysis_window_ops_in_range(facts, d, a, &x);
        const struct ttp_pass pb = ttp_analysis_window_ops_in_range(facts, d, b, &y);
        if (pa.count != pb.count || (pa.count && memcmp(x, y, pa.count * sizeof(*x)) != 0))
            return false;
    }
    return true;
}

/* How often every device repeats the ops of the range, with nothing left over. */
static size_t repeats_of(const struct ttp_phase_facts *facts, uint32_t range)
{
    size_t repeats = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        const uint32_t *key;
        const struct ttp_pass ops = ttp_analysis_window_ops_in_range(facts, d, range, &key);
        if (ops.count == 0)
            continue;
        const size_t n = ops.count / ttp_analysis_exact_period(key, ops.count, facts->arena);
        if (repeats && n != repeats)
            return 1;
        repeats = n;
    }
    return repeats ? repeats : 1;
}

/* Ranges that repeat, the last first. */
struct range_series {
    const uint32_t *series;
    size_t ranges, repeats;
};

/* Iterations of one device in ranges of one name: `series`, the last first. */
static void put_range_passes(struct ttp_passes *out, const struct ttp_phase_facts *facts, size_t d,
                             struct range_series of)
{
    struct ttp_pass ops = ttp_analysis_window_ops_in_range(facts, d, of.series[0], NULL);
    const size_t each = ops.count / of.repeats;

    if (ops.count == 0)
        return;
    out->pass[d] = TTP_NEW(facts->arena, struct ttp_pass, of.ranges * of.repeats);
    for (size_t i = of.ranges; i-- > 0;) {
        ops = ttp_analysis_window_ops_in_range(facts, d, of.series[i], NULL);
        for (size_t k = 0; k < of.repeats; k++)
            out->pass[d][out->count[d]++] =
                (struct ttp_pass){.row = ops.row + k * each, .count = each};
    }
}

/* The range, and those before it of the same name that ran the same: each an iteration, or several.
 */
static void choose_range(struct ttp_passes *out, struct ttp_window *window,
                         const struct ttp_phase_facts *facts, uint32_t range)
{
    const struct ttp_range *item = facts->ranges.item;
    const size_t repeats = repeats_of(facts, range);
    uint32_t *series = TTP_NEW(facts->arena, uint32_t, item[range - 1].number + 1);
    size_t n = 0;

    for (uint32_t r = range; r && (n == 0 || run_alike(facts, r, range)); r = item[r - 1].before)
        series[n++] = r;
    make_room(out, facts);
    for (size_t d = 0; d < facts->devices; d++)
        put_range_passes(out, facts, d, (struct range_series){series, n, repeats});
    window->kind = TTP_WINDOW_SIGNPOSTS;
    window->name = item[range - 1].name;
}

/* The last outermost range with ops; 0: none. */
static uint32_t last_range(const struct ttp_phase_facts *facts)
{
    for (size_t i = facts->ranges.count; i-- > 0;)
        if (facts->ranges.item[i].depth == 0 && facts->ranges.item[i].first_of == i + 1 &&
            has_ops(facts, (uint32_t)i + 1))
            return (uint32_t)i + 1;
    return 0;
}

static ttp_code no_such_range(const struct ttp_phase_facts *facts, ttp_str name,
                              struct ttp_err *err)
{
    struct ttp_sink list;

    (void)ttp_fail(err, TTP_ENOTFOUND, "no range '%.*s' between signposts", TTP_FMT(name));
    ttp_sink_to_arena(&list, facts->arena);
    for (size_t i = 0; i < facts->ranges.count && list.len < 160; i++)
        if (!facts->ranges.item[i].before && facts->ranges.item[i].first_of == i + 1)
            ttp_sink_printf(&list, "%s%.*s", list.len ? ", " : "",
                            TTP_FMT(facts->ranges.item[i].name));
    if (facts->ranges.count)
        ttp_err_hint(err, "the run has: %.*s ('tt-perf report --ranges' shows them)",
                     TTP_FMT(ttp_sink_text(&list)));
    else
        ttp_err_hint(err, "the run has no matching pair of signposts");
    return TTP_ENOTFOUND;
}

/* By the name of its first signpost, or by that name without case and start word. */
static uint32_t find_range(const struct ttp_phase_facts *facts, ttp_str name)
{
    uint32_t alike = 0, exact = 0, exact_any = 0, alike_any = 0;
    ttp_str wanted, base;

    (void)ttp_analysis_post_parse(&wanted, name, facts->arena);
    for (size_t i = 0; i < facts->ranges.count; i++) {
        const struct ttp_range *r = &facts->ranges.item[i];
        const bool full = r->first_of == i + 1 && has_ops(facts, (uint32_t)i + 1);

        if (r->first_of != i + 1)
            continue;
        if (ttp_str_eq(r->name, name)) {
            exact_any = (uint32_t)i + 1;
            exact = full ? exact_any : exact;
            continue;
        }
        (void)ttp_analysis_post_parse(&base, r->name, facts->arena);
        if (ttp_str_eq(base, wanted)) {
            alike_any = (uint32_t)i + 1;
            alike = full ? alike_any : alike;
        }
    }
    return exact ? exact : exact_any ? exact_any : alike ? alike : alike_any;
}

ttp_code ttp_analysis_window_choose_in_range(struct ttp_passes *out, struct ttp_window *window,
                                             const struct ttp_phase_facts *facts, ttp_str name,
                                             struct ttp_err *err)
{
    const uint32_t range = find_range(facts, name);
    const struct replay_filter filter = {.outer = range};

    if (!range)
        return no_such_range(facts, name, err);
    if (!choose_replays(out, window, facts, &filter))
        choose_range(out, window, facts, range);
    window->name = facts->ranges.item[range - 1].name;
    return TTP_OK;
}

/* ---- repetition ---- */

/* Time of the ops after the repetition that are unlike all of its ops. */
static double unlike_rest_us(const struct ttp_phase_facts *facts, const struct ttp_device_run *run,
                             const struct ttp_repetition *r)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    bool *has = TTP_NEW(facts->arena, bool, facts->keys);
    double us = 0;

    for (size_t i = r->start[0]; i < r->end; i++)
        has[run->key[i]] = true;
    for (size_t i = r->end; i < run->count; i++)
        us += has[run->key[i]] ? 0 : ttp_row_us(facts, run->row[i]);
    ttp_arena_rewind(facts->arena, mark);
    return us;
}

/* Of one device: the last repetition with a good part of its time. */
static bool last_repetition(struct ttp_repetition *out, const struct ttp_phase_facts *facts,
                            size_t device)
{
    const struct ttp_device_run *run = &facts->device[device];
    double *until = TTP_NEW(facts->arena, double, run->count + 1); /* time of the first i ops */
    size_t from = 0, covered = 0;
    double covered_us = 0;
    bool found = false;
    struct ttp_repetition r;

    for (size_t i = 0; i < run->count; i++)
        until[i + 1] = until[i] + ttp_row_us(facts, run->row[i]);
    const double all = until[run->count];
    while (ttp_analysis_find_repetition(&r, run->key + from, run->count - from, facts->arena)) {
        for (size_t i = 0; i < r.parts; i++)
            r.start[i] += from;
        r.end += from;
        const double us = until[r.end] - until[r.start[0]];
        covered += r.end - r.start[0];
        covered_us += us;
        if (us >= MIN_SHARE * all) {
            *out = r;
            found = true;
        }
        from = r.end;
    }
    if (found) {
        const double each = (until[out->end] - until[out->start[0]]) / (double)out->parts;
        found = unlike_rest_us(facts, run, out) <= MAX_REST * each;
    }
    return found && ((double)covered >= MOST * (double)run->count || covered_us >= MOST * all);
}

static bool choose_repetition(struct ttp_passes *out, struct ttp_window *window,
                              const struct ttp_phase_facts *facts)
{
    struct ttp_sink name;
    size_t ops = 0;

    make_room(out, facts);
    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_device_run *run = &facts->device[d];
        struct ttp_repetition r;

        if (!last_repetition(&r, facts, d))
            continue;
        out->pass[d] = TTP_NEW(facts->arena, struct ttp_pass, r.parts);
        out->count[d] = r.parts;
        for (size_t i = 0; i < r.parts; i++) {
            const size_t end = i + 1 < r.parts ? r.start[i + 1] : r.end;
            out->pass[d][i] =
                (struct ttp_pass){.row = run->row + r.start[i], .count = end - r.start[i]};
        }
        ops = ops ? ops : r.period;
    }
    if (!ops)
        return false;
    ttp_sink_to_arena(&name, facts->arena);
    ttp_sink_printf(&name, "%zu ops that repeat", ops);
    window->kind = TTP_WINDOW_REPETITION;
    window->name = ttp_sink_text(&name);
    return true;
}

bool ttp_analysis_window_choose_by_evidence(struct ttp_passes *out, struct ttp_window *window,
                                            const struct ttp_phase_facts *facts)
{
    const struct replay_filter any = {0};

    if (choose_replays(out, window, facts, &any))
        return true;
    const uint32_t range = last_range(facts);
    if (range) {
        choose_range(out, window, facts, range);
        return true;
    }
    return facts->ranges.posts == 0 && choose_repetition(out, window, facts);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* quality.c - checks whether the numbers of a run can be trusted. */
#include <math.h>
#include <stdarg.h>

#include "analysis/phases.h"
#include "base/quantity.h"
#include "base/sink.h"

/* Ops without device time, in percent of those of the window or of its time, from which its sums
 * are wrong. */
#define MANY_UNTIMED_PCT 1.0
/* Iterations whose slowest takes that much longer than the fastest, in percent, are not steady. */
#define UNSTEADY_PCT 5.0
/* The same with their gaps, which depend on the host. */
#define UNSTEADY_TOTAL_PCT 50.0
/* The clock is a mean over an op; short ops round it too much. */
#define MIN_CLOCK_NS    5000.0
#define CLOCK_DRIFT_PCT 2.0
#define FEW_ITERATIONS  3
/* Shorter dips of the clock are lost between two samples. */
#define LOW_CLOCK_PCT 1.0
/* An empty zone, which is two markers, takes that long (measured in TT-Lang's line profiles). */
#define ZONE_CYCLES 18.0
/* After each op the cores write their markers to DRAM, before the next one can start: 100 matmuls
 * of a trace take 5.91 ms with it and 5.83 ms without (tt-metal, pull request 26436). */
#define FLUSH_US 0.8
#define RISCS    5
/* Of each RISC, outside of what counts as kernel time. */
#define FIRMWARE_MARKERS 2
/* If the file does not have the clock. */
#define USUAL_MHZ 1000.0
/* An overhead above this, in percent of the device time or of the iteration, is worth a word. */
#define MUCH_DEVICE_PCT    2.0
#define MUCH_ITERATION_PCT 10.0

const char *ttp_analysis_quality_name(enum ttp_quality_level level)
{
    static const char *const names[] = {
        [TTP_QUALITY_GOOD] = "good",
        [TTP_QUALITY_UNKNOWN] = "unknown",
        [TTP_QUALITY_CAUTION] = "caution",
        [TTP_QUALITY_BAD] = "bad",
    };
    return names[level];
}

const char *ttp_analysis_check_name(enum ttp_quality_check check)
{
    static const char *const names[TTP_CHECKS] = {
        [TTP_CHECK_LOGS] = "logs",         [TTP_CHECK_TIMES] = "device-times",
        [TTP_CHECK_COUNTERS] = "counters", [TTP_CHECK_CLOCK] = "clock",
        [TTP_CHECK_OVERHEAD] = "overhead", [TTP_CHECK_ITERATIONS] = "iterations",
        [TTP_CHECK_WINDOW] = "window",
    };
    return names[check];
}

struct judge {
    struct ttp_stage *stage;
    const struct ttp_passes *passes;
    const struct ttp_phase_facts *facts;
    struct ttp_quality *out;
};

TTP_PRINTF(5, 6)
static void say(struct judge *j, enum ttp_quality_check check, enum ttp_quality_level level,
                const char *to_do, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    j->out->item[check] =
        (struct ttp_quality_item){level, ttp_sink_vformat(j->stage->arena, fmt, ap), to_do};
    va_end(ap);
}

/* The worst of the checks; an unknown one does not make the rest doubtful. */
static void sum_up(struct ttp_quality *q)
{
    q->level = TTP_QUALITY_GOOD;
    for (size_t c = 0; c < TTP_CHECKS; c++)
        if (q->item[c].level > q->level && q->item[c].level != TTP_QUALITY_UNKNOWN)
            q->level = q->item[c].level;
}

void ttp_analysis_name_run(struct ttp_quality *quality, ttp_str name, struct ttp_arena *arena)
{
    const ttp_str placeholder = TTP_STR("--run RUN");

    for (size_t c = 0; c < TTP_CHECKS; c++) {
        const ttp_str text = ttp_str_from(quality->item[c].to_do ? quality->item[c].to_do : "");
        const size_t at = ttp_str_find(text, placeholder);
        struct ttp_sink out;

        if (at == TTP_NPOS)
            continue;
        ttp_sink_to_arena(&out, arena);
        ttp_sink_put(&out, ttp_str_slice(text, 0, at));
        ttp_sink_put(&out, TTP_STR("--run "));
        ttp_sink_put(&out, name);
        ttp_sink_put(&out, ttp_str_slice(text, at + placeholder.len, text.len));
        quality->item[c].to_do = ttp_arena_zstr(arena, ttp_sink_text(&out));
    }
}

const struct ttp_quality_item *ttp_analysis_worst_check(const struct ttp_quality *quality)
{
    for (size_t c = 0; c < TTP_CHECKS; c++)
        if (quality->item[c].level >= TTP_QUALITY_CAUTION &&
            quality->item[c].level >= quality->level)
            return &quality->item[c];
    return NULL;
}

/* Calls `look` with every op of the window, and the op before it in its pass. */
typedef void look_fn(void *arg, const struct ttp_stage *s, uint32_t row, const uint32_t *before);
static void each_op_of(const struct judge *j, size_t device, look_fn *look, void *arg)
{
    for (size_t i = 0; i < j->passes->count[device]; i++) {
        const struct ttp_pass *p = &j->passes->pass[device][i];
        for (size_t k = 0; k < p->count; k++)
            look(arg, j->stage, p->row[k], k ? &p->row[k - 1] : NULL);
    }
}

static void each_op(const struct judge *j, look_fn *look, void *arg)
{
    for (size_t d = 0; d < j->facts->devices; d++)
        each_op_of(j, d, look, arg);
}

static void judge_logs(struct judge *j)
{
    const struct ttp_words *problems = &j->stage->ops->problems;
    const struct ttp_run_end *end = &j->stage->ops->end;

    if (j->stage->ops->damage) /* what the other cells were is unknown */
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_BAD,
            "copy the file again, or make it again with 'tt-perf ops'", "%s",
            j->stage->ops->damage);
    else if (j->stage->ops->truncated) /* what is missing is unknown */
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_BAD,
            "copy the file again, or run again with enough space on the disk",
            "a file of the run is truncated: it ends in the middle of a row");
    else if (end->how >= TTP_RUN_FAILED)
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_BAD, "find out why it ended, and record it again", "%s",
            end->text);
    else if (j->stage->lost_replays)
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_BAD,
            "the file lacks rows: copy it again, or make it again with 'tt-perf ops'",
            "%zu op%s captured into a trace %s not in its replays", j->stage->lost_replays,
            j->stage->lost_replays == 1 ? "" : "s", j->stage->lost_replays == 1 ? "is" : "are");
    else if (end->how == TTP_RUN_INTERRUPTED)
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_CAUTION,
            "check that the window is one you want, or let the command run to its end", "%s",
            end->text);
    else if (problems->count) /* if times are missing for it, the next check reports it */
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_CAUTION, "follow the warnings", "%s%s",
            problems->word[0], problems->count > 1 ? ", and more" : "");
    else
        say(j, TTP_CHECK_LOGS, TTP_QUALITY_GOOD, NULL, "no data was lost while reading");
}

/* The times of an op in other iterations, or of others that are the same. */
struct known_time {
    double ns;
    size_t count;
};

struct timed {
    const double *ns;
    const uint32_t *key_of;
    struct known_time *known; /* by key */
    double known_ns, lost_ns; /* of all ops; of those without, as others that are the same took */
    size_t ops, without, odd; /* odd: without, and the cell has something that is not a time */
    uint32_t first_row, odd_row; /* of those */
};

static void look_for_time(void *arg, const struct ttp_stage *s, uint32_t row,
                          const uint32_t *before)
{
    struct timed *t = arg;

    (void)before;
    t->ops++;
    if (t->ns[row] >= 0) {
        t->known_ns += t->ns[row];
        t->known[t->key_of[row]].ns += t->ns[row];
        t->known[t->key_of[row]].count++;
        return;
    }
    if (t->without++ == 0)
        t->first_row = row;
    if (ttp_analysis_stage_odd_duration(s->ops, row) && t->odd++ == 0)
        t->odd_row = row;
}

static void look_for_loss(void *arg, const struct ttp_stage *s, uint32_t row,
                          const uint32_t *before)
{
    struct timed *t = arg;
    const struct known_time *same = &t->known[t->key_of[row]];

    (void)s;
    (void)before;
    if (!(t->ns[row] >= 0) && same->count)
        t->lost_ns += same->ns / (double)same->count;
}

/* Few ops may be most of the time. */
static bool lacks_much(const struct timed *t)
{
    return (double)t->without * 100 > MANY_UNTIMED_PCT * (double)t->ops ||
           t->lost_ns * 100 > MANY_UNTIMED_PCT * (t->known_ns + t->lost_ns);
}

/* Of any row of the file: buffers that are full lose some of them. */
static bool has_any_time(const struct judge *j)
{
    for (size_t r = 0; r < j->stage->ops->rows; r++)
        if (j->facts->ns[r] >= 0)
            return true;
    return false;
}

static void judge_times(struct judge *j)
{
    struct timed t = {.ns = j->facts->ns, .key_of = j->facts->key_of};

    t.known = TTP_NEW(j->stage->arena, struct known_time, j->facts->keys);
    each_op(j, look_for_time, &t);
    if (t.without)
        each_op(j, look_for_loss, &t);
    if (t.ops && t.without == t.ops && t.odd == 0 && !has_any_time(j))
        say(j, TTP_CHECK_TIMES, TTP_QUALITY_BAD,
            "this file has no device times: run with the device profiler on "
            "(TT_METAL_DEVICE_PROFILER=1, or 'tt-perf record')",
            "no op of the file has a device time");
    else if (j->facts->devices == 0 && j->stage->ops->rows > 0)
        say(j, TTP_CHECK_TIMES, TTP_QUALITY_BAD,
            "run with the device profiler on (TT_METAL_DEVICE_PROFILER=1, or 'tt-perf record'); "
            "--host-ops lists what ran on the host",
            "no op of the file ran on a device");
    else if (t.without == 0)
        say(j, TTP_CHECK_TIMES, TTP_QUALITY_GOOD, NULL, "every op has its device time");
    else if (t.odd) /* the profiler writes no such cell */
        say(j, TTP_CHECK_TIMES, TTP_QUALITY_BAD,
            "the file is damaged or was edited: copy it again, or run again",
            "%zu of %zu ops %s an impossible device time, ID %u has %.*s", t.odd, t.ops,
            t.odd == 1 ? "has" : "have", t.odd_row + 2,
            TTP_FMT(ttp_analysis_stage_odd_text(j->stage->ops, t.odd_row, j->stage->arena)));
    else
        say(j, TTP_CHECK_TIMES, lacks_much(&t) ? TTP_QUALITY_BAD : TTP_QUALITY_CAUTION,
            "the profiler's buffers were full: profile fewer ops at a time and run again",
            "%zu of %zu ops %s no device time or an impossible one, %sID %u", t.without, t.ops,
            t.without == 1 ? "has" : "have", t.without == 1 ? "" : "first ", t.first_row + 2);
}

static bool has_cycles(const struct ttp_ops *ops)
{
    return ops->number[TTP_OPS_FW_START_CYCLE].kind && ops->number[TTP_OPS_FW_END_CYCLE].kind;
}

struct counted {
    size_t known, backwards;
};
static bool cycle(const struct ttp_stage *s, enum ttp_ops_number column, uint32_t row, double *out)
{
    return ttp_cell_f64(ttp_ops_cell(s->ops, column, row), out) && isfinite(*out);
}
static void look_at_counter(void *arg, const struct ttp_stage *s, uint32_t row,
                            const uint32_t *before)
{
    struct counted *c = arg;
    double start, end, earlier;

    if (!cycle(s, TTP_OPS_FW_START_CYCLE, row, &start) ||
        !cycle(s, TTP_OPS_FW_END_CYCLE, row, &end))
        return;
    c->known++;
    c->backwards += end < start || (before && cycle(s, TTP_OPS_FW_START_CYCLE, *before, &earlier) &&
                                    start < earlier);
}

static void judge_counters(struct judge *j)
{
    struct counted c = {0};

    if (has_cycles(j->stage->ops))
        each_op(j, look_at_counter, &c);
    if (c.known == 0)
        say(j, TTP_CHECK_COUNTERS, TTP_QUALITY_UNKNOWN, NULL,
            "the file has no cycle counters of the device");
    else if (c.backwards)
        say(j, TTP_CHECK_COUNTERS, TTP_QUALITY_BAD,
            "reset the device (tt-smi -r) and run again; times across the step are wrong",
            "the cycle counter went backwards at %zu of %zu ops", c.backwards, c.known);
    else
        say(j, TTP_CHECK_COUNTERS, TTP_QUALITY_GOOD, NULL, "cycle counters only increase");
}

struct clock {
    double least, most;
};
static void look_at_clock(void *arg, const struct ttp_stage *s, uint32_t row,
                          const uint32_t *before)
{
    struct clock *c = arg;
    double start, end, ns;

    (void)before;
    if (!cycle(s, TTP_OPS_FW_START_CYCLE, row, &start) ||
        !cycle(s, TTP_OPS_FW_END_CYCLE, row, &end) || !cycle(s, TTP_OPS_FW_NS, row, &ns) ||
        ns < MIN_CLOCK_NS || end <= start)
        return;
    const double mhz = (end - start) * 1000 / ns;
    c->least = c->least > 0 ? fmin(c->least, mhz) : mhz;
    c->most = fmax(c->most, mhz);
}

static bool drifts(const struct clock *c)
{
    return (c->most - c->least) * 100 > CLOCK_DRIFT_PCT * c->most;
}

/* The clock of all devices, and of the one whose clock changed most: chips may run at different
 * clocks, each at a constant one. */
static void look_at_clocks(const struct judge *j, struct clock *all, struct clock *changed)
{
    *all = *changed = (struct clock){0};
    for (size_t d = 0; d < j->facts->devices && has_cycles(j->stage->ops); d++) {
        struct clock c = {0};
        each_op_of(j, d, look_at_clock, &c);
        if (c.most == 0)
            continue;
        all->least = all->least > 0 ? fmin(all->least, c.least) : c.least;
        all->most = fmax(all->most, c.most);
        if (c.most - c.least > changed->most - changed->least || changed->most == 0)
            *changed = c;
    }
}

/* What was sampled while it ran: the cycle counter cannot tell, for its clock slows down too. */
static void judge_sampled_clock(struct judge *j, const struct ttp_machine_use *m)
{
    const char *limit = ttp_logs_machine_throttle_name(m->throttle);

    if (m->low_pct < LOW_CLOCK_PCT) {
        say(j, TTP_CHECK_CLOCK, TTP_QUALITY_GOOD, NULL, "AICLK stayed at %.0f MHz", m->mean_mhz);
        return;
    }
    say(j, TTP_CHECK_CLOCK, m->loss_pct > CLOCK_DRIFT_PCT ? TTP_QUALITY_BAD : TTP_QUALITY_CAUTION,
        "check cooling and power ('tt-perf doctor --why low-throughput --run RUN') and run again; "
        "device times are cycles at the full clock, so the real ones are longer",
        "AICLK fell from %.0f to %.0f MHz for %.0f %% of the window%s%s%s: at full clock it would "
        "take up to %.0f %% less time",
        m->full_mhz, m->low_mhz, m->low_pct, *limit ? " (" : "", limit, *limit ? " limit)" : "",
        m->loss_pct);
}

static void judge_clock(struct judge *j)
{
    struct clock all, changed;

    look_at_clocks(j, &all, &changed);
    if (drifts(&changed))
        say(j, TTP_CHECK_CLOCK, TTP_QUALITY_BAD,
            "let the board cool down, check its power ('tt-perf doctor') and run again",
            "the clock changed between %.0f and %.0f MHz", changed.least, changed.most);
    else if (j->stage->report->machine.known)
        judge_sampled_clock(j, &j->stage->report->machine);
    else if (all.most == 0)
        say(j, TTP_CHECK_CLOCK, TTP_QUALITY_UNKNOWN, NULL, "the file lacks the clock frequency");
    else if (drifts(&all))
        say(j, TTP_CHECK_CLOCK, TTP_QUALITY_GOOD, NULL,
            "chips run at different clocks, each at a constant one: %.0f to %.0f MHz", all.least,
            all.most);
    else
        say(j, TTP_CHECK_CLOCK, TTP_QUALITY_GOOD, NULL, "one clock, %.0f MHz", all.most);
}

static void look_for_noc(void *arg, const struct ttp_stage *s, uint32_t row, const uint32_t *before)
{
    double util;

    (void)before;
    *(size_t *)arg += cycle(s, TTP_OPS_NOC_UTIL, row, &util);
}

/* An estimate: markers inside the kernels, and what it takes to store them between ops. */
static void judge_overhead(struct judge *j)
{
    const struct ttp_window *w = &j->stage->report->window;
    const double markers = j->stage->ops->core_markers;
    const double zones = fmax(1, (markers / RISCS - FIRMWARE_MARKERS) / 2);
    struct clock c, changed;
    size_t noc = 0;

    if (!(w->device_us > 0)) {
        say(j, TTP_CHECK_OVERHEAD, TTP_QUALITY_UNKNOWN, NULL,
            "no device time to compare the profiler's overhead with");
        return;
    }
    look_at_clocks(j, &c, &changed);
    each_op(j, look_for_noc, &noc);
    const double device_us =
        (double)w->ops * zones * ZONE_CYCLES / (c.most > 0 ? c.most : USUAL_MHZ);
    const double gaps_us = fmin((double)w->ops * FLUSH_US, w->gap_us);
    const double device_pct = device_us / w->device_us * 100;
    const bool much = device_pct > MUCH_DEVICE_PCT ||
                      (device_us + gaps_us) * 100 > MUCH_ITERATION_PCT * (w->device_us + w->gap_us);

    if (noc)
        say(j, TTP_CHECK_OVERHEAD, TTP_QUALITY_CAUTION,
            "take times from a run without NoC events, and use this one for its traffic",
            "NoC events were recorded, which makes kernels 1 to 15 %% slower");
    else
        say(j, TTP_CHECK_OVERHEAD, much ? TTP_QUALITY_CAUTION : TTP_QUALITY_GOOD,
            much ? "measure it: 'tt-perf bench' without the profiler, 'tt-perf history add', then "
                   "'tt-perf report --unprofiled NAME'"
                 : NULL,
            "profiling adds %.*s (%.1f %%) to kernels, up to %.*s to gaps",
            TTP_FMT(ttp_time_us_text(device_us, j->stage->arena)), device_pct,
            TTP_FMT(ttp_time_us_text(gaps_us, j->stage->arena)));
}

static double spread_pct(double least, double most)
{
    return least > 0 ? (most - least) / least * 100 : 0;
}

/* The trace with the most replays on one device, if they are enough; NULL: none. */
static const struct ttp_trace_replay *most_replayed(const struct judge *j, size_t *most)
{
    const struct ttp_trace_replay *found = NULL;

    *most = 0;
    for (size_t d = 0; d < j->facts->devices; d++) {
        const struct ttp_trace_replay *replay = j->facts->replay[d];
        for (size_t i = 0, same; i < j->facts->replays[d]; i++) {
            same = 0;
            for (size_t k = 0; k < j->facts->replays[d] && replay[i].trace >= 0; k++)
                same += replay[k].trace == replay[i].trace;
            if (same >= FEW_ITERATIONS && same > *most) {
                *most = same;
                found = &replay[i];
            }
        }
    }
    return found;
}

/* The file may have the iterations that the window lacks. */
static const char *how_to_get_more(const struct judge *j)
{
    size_t most;
    const struct ttp_trace_replay *replay = most_replayed(j, &most);
    struct ttp_sink text;

    if (!replay)
        return "run more iterations, or run several times and pass all runs to 'tt-perf diff'";
    ttp_sink_to_arena(&text, j->stage->arena);
    ttp_sink_printf(&text,
                    "the file has %zu replays of trace %lld: choose them with --window trace=%lld",
                    most, (long long)replay->trace, (long long)replay->trace);
    return ttp_arena_zstr(j->stage->arena, ttp_sink_text(&text));
}

static void judge_iterations(struct judge *j)
{
    const struct ttp_window *w = &j->stage->report->window;
    const double spread = spread_pct(w->min_us, w->max_us);
    const double total_spread = spread_pct(w->min_total_us, w->max_total_us);

    if (w->iterations < FEW_ITERATIONS)
        say(j, TTP_CHECK_ITERATIONS, TTP_QUALITY_CAUTION, how_to_get_more(j),
            "%zu iteration%s: too few to separate a small change from noise", w->iterations,
            w->iterations == 1 ? "" : "s");
    else if (spread > UNSTEADY_PCT)
        say(j, TTP_CHECK_ITERATIONS, TTP_QUALITY_CAUTION,
            "warm up longer, and inspect the slowest one with --window iteration=N",
            "the device time of iterations is from %.*s to %.*s, %.0f %% apart",
            TTP_FMT(ttp_time_us_text(w->min_us, j->stage->arena)),
            TTP_FMT(ttp_time_us_text(w->max_us, j->stage->arena)), spread);
    else if (total_spread > UNSTEADY_TOTAL_PCT)
        say(j, TTP_CHECK_ITERATIONS, TTP_QUALITY_CAUTION,
            "trust device times, not gaps: they depend on what else the host did",
            "with gaps, iterations take from %.*s to %.*s, %.0f %% apart",
            TTP_FMT(ttp_time_us_text(w->min_total_us, j->stage->arena)),
            TTP_FMT(ttp_time_us_text(w->max_total_us, j->stage->arena)), total_spread);
    else
        say(j, TTP_CHECK_ITERATIONS, TTP_QUALITY_GOOD, NULL,
            "%zu iterations within %.1f %%, with gaps within %.1f %%", w->iterations, spread,
            total_spread);
}

/* Iterations of a device that do not run the ops of its last one. */
static size_t odd_iterations(const struct judge *j, size_t device)
{
    const size_t count = j->passes->count[device];
    size_t odd = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        const struct ttp_pass *p = &j->passes->pass[device][i];
        const struct ttp_pass *last = &j->passes->pass[device][count - 1];
        bool same = p->count == last->count;
        for (size_t k = 0; k < p->count && same; k++)
            same = j->facts->key_of[p->row[k]] == j->facts->key_of[last->row[k]];
        odd += !same;
    }
    return odd;
}

static void judge_window(struct judge *j)
{
    size_t odd = 0, least = SIZE_MAX, most = 0;

    for (size_t d = 0; d < j->facts->devices; d++) {
        const size_t count = j->passes->count[d], of_device = odd_iterations(j, d);
        if (count == 0)
            continue;
        odd = of_device > odd ? of_device : odd;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (most && least != most)
        say(j, TTP_CHECK_WINDOW, TTP_QUALITY_CAUTION,
            "inspect single devices with --no-merge-devices",
            "devices have different numbers of iterations, %zu to %zu", least, most);
    else if (odd)
        say(j, TTP_CHECK_WINDOW, TTP_QUALITY_CAUTION,
            "mark one iteration with signposts, or choose one with --window iteration=N",
            "%zu of %zu iterations do not run the same ops as the last one", odd, most);
    else
        say(j, TTP_CHECK_WINDOW, TTP_QUALITY_GOOD, NULL, "all iterations run the same ops");
}

void ttp_analysis_stage_quality(struct ttp_stage *s, const struct ttp_passes *passes,
                                const struct ttp_phase_facts *facts)
{
    struct judge j = {s, passes, facts, &s->report->quality};

    judge_logs(&j);
    judge_times(&j);
    judge_counters(&j);
    judge_clock(&j);
    judge_overhead(&j);
    judge_iterations(&j);
    judge_window(&j);
    sum_up(j.out);
}

void ttp_analysis_spoil(struct ttp_quality *quality, enum ttp_quality_check check, ttp_str text,
                        const char *to_do)
{
    if (quality->item[check].level < TTP_QUALITY_BAD)
        quality->item[check] = (struct ttp_quality_item){TTP_QUALITY_BAD, text, to_do};
    sum_up(quality);
}

void ttp_analysis_set_unprofiled(struct ttp_report *report, const struct ttp_unprofiled *without)
{
    const struct ttp_window *w = &report->window;
    const double us = w->device_us + w->gap_us + (w->between_us > 0 ? w->between_us : 0);
    const double pct = (us - without->iteration_us) / without->iteration_us * 100;
    const bool much = pct > MUCH_ITERATION_PCT;

    report->quality.item[TTP_CHECK_OVERHEAD] = (struct ttp_quality_item){
        much ? TTP_QUALITY_CAUTION : TTP_QUALITY_GOOD,
        ttp_sink_format(report->notes.arena,
                        "%+.1f %% with the profiler: %.*s for one iteration, %.*s without (%.*s)",
                        pct, TTP_FMT(ttp_time_us_text(us, report->notes.arena)),
                        TTP_FMT(ttp_time_us_text(without->iteration_us, report->notes.arena)),
                        TTP_FMT(without->source)),
        much ? "trust device times, not gaps: the profiler stores its markers between ops" : NULL};
    sum_up(&report->quality);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* startup_text.c - where the cold seconds went, for people. */
#include <math.h>

#include "base/gate.h"
#include "outputs/cells.h"
#include "outputs/columns_text.h"
#include "outputs/outputs.h"

#define SLOWEST_SHOWN 5
#define GAPS_SHOWN    3

struct printing {
    struct ttp_sink *out;
    const struct ttp_mem_style *style;
    struct ttp_arena *arena;
};

static TTP_PRINTF(2, 3) void say(const struct printing *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const ttp_str text = ttp_sink_vformat(p->arena, fmt, args);
    va_end(args);
    ttp_paint_wrapped(p->out, text, p->style->markdown ? 0 : p->style->width, 0, 2);
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static ttp_str seconds_text(const struct printing *p, int64_t ns)
{
    struct ttp_sink text;

    if (ns == 0)
        return TTP_STR("-");
    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(&text, ns < 100000000 ? "%.3f s" : "%.1f s", seconds(ns));
    return ttp_sink_text(&text);
}

static unsigned percent(int64_t part, int64_t all)
{
    return all > 0 ? (unsigned)lround(100.0 * (double)part / (double)all) : 0;
}

/* Compiling before the steady state. */
static int64_t compiling(const struct ttp_startup *s, bool building)
{
    int64_t sum = 0;

    for (size_t i = 0; i < s->phases; i++)
        sum += building ? s->phase[i].build_ns : s->phase[i].compile_ns;
    return sum;
}

static void put_verdict(const struct printing *p, const struct ttp_startup *s)
{
    const int64_t compile = compiling(s, false);

    say(p,
        "%.1f s from start to %s; compiling %.1f s (%u %%) of %llu programs: %llu kernels built, "
        "%llu from the cache, %llu seen before",
        seconds(s->startup_ns),
        s->steady_ns == TTP_STARTUP_NONE ? "the end of the log, no steady state" : "steady",
        seconds(compile), percent(compile, s->startup_ns), (unsigned long long)s->programs_compiled,
        (unsigned long long)s->kernels_built, (unsigned long long)s->kernels_cached,
        (unsigned long long)s->kernels_repeated);
}

static void put_table(const struct printing *p, const struct ttp_cells *cells)
{
    if (p->style->markdown)
        ttp_cells_markdown(p->out, cells);
    else
        ttp_cells_text(p->out, cells, p->style->width, p->style->color);
}

static void put_phases(const struct printing *p, const struct ttp_startup *s)
{
    static const struct ttp_cell_column columns[] = {
        {"phase", true, 0}, {"wall", false, 0}, {"compiling", false, 0}, {"other", false, 0}};
    static const char *const names[] = {"before device", "open device", "warm-up"};
    struct ttp_cells cells;

    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    for (size_t i = 0; i < s->phases; i++) {
        const struct ttp_startup_phase *phase = &s->phase[i];

        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(names[phase->kind]));
        ttp_cells_set(&cells, 1, seconds_text(p, phase->wall_ns));
        ttp_cells_set(&cells, 2, seconds_text(p, phase->compile_ns));
        ttp_cells_set(&cells, 3, seconds_text(p, phase->other_ns));
    }
    if (s->phases)
        put_table(p, &cells);
}

static void put_slowest(const struct printing *p, const struct ttp_startup *s)
{
    struct ttp_sink line;

    if (s->operations == 0)
        return;
    ttp_sink_to_arena(&line, p->arena);
    ttp_sink_put(&line, TTP_STR("slowest: "));
    for (size_t i = 0; i < s->operations && i < SLOWEST_SHOWN; i++) {
        const struct ttp_startup_operation *o = &s->operation[i];

        ttp_sink_printf(&line, "%s%.*s %.*s (%llu program%s)", i ? ", " : "", TTP_FMT(o->label),
                        TTP_FMT(seconds_text(p, (int64_t)o->compile_ns)),
                        (unsigned long long)o->programs, o->programs == 1 ? "" : "s");
    }
    say(p, "%.*s", TTP_FMT(ttp_sink_text(&line)));
}

static void put_gaps(const struct printing *p, const struct ttp_startup *s)
{
    for (size_t i = 0; i < s->gaps && i < GAPS_SHOWN; i++)
        say(p, "nothing logged for %.1f s from %.1f s on", seconds(s->gap[i].length_ns),
            seconds(s->gap[i].from_ns));
}

static void put_next(const struct printing *p, const struct ttp_startup *s)
{
    const int64_t built = compiling(s, true);

    if (s->log.has_cache)
        say(p, "kernel cache: %llu of %llu hits (%.1f %%)", (unsigned long long)s->log.hits,
            (unsigned long long)s->log.total, s->log.percent);
    if (built == 0 || s->cache_root.len == 0)
        return;
    say(p, "next run: about %.1f s if the cache at %.*s is kept", seconds(s->startup_ns - built),
        TTP_FMT(s->cache_root));
}

static void put_notes(const struct printing *p, const struct ttp_startup *s)
{
    if (!s->has_startup_file)
        say(p, "note: no startup.yaml: times count from the first record");
    if (s->incomplete)
        say(p, "note: %llu record%s cut short, as by a process that died or still runs",
            (unsigned long long)s->incomplete, s->incomplete == 1 ? " is" : "s are");
    if (s->unknown_kinds)
        say(p, "note: %llu records are of a kind that this version does not know",
            (unsigned long long)s->unknown_kinds);
}

static void put_process(const struct printing *p, const struct ttp_startup *s)
{
    put_verdict(p, s);
    put_phases(p, s);
    put_slowest(p, s);
    put_gaps(p, s);
    put_next(p, s);
    put_notes(p, s);
}

static void put_ranks(const struct printing *p, const struct ttp_startup_view *view)
{
    static const struct ttp_cell_column columns[] = {
        {"rank", false, 0},  {"start-up", false, 0}, {"compiling", false, 0},
        {"built", false, 0}, {"cached", false, 0},   {"launches", false, 0}};
    struct ttp_cells cells;
    size_t slow = 0;

    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    for (size_t i = 0; i < view->ranks; i++) {
        const struct ttp_startup *s = &view->run[i];
        const uint64_t figure[] = {s->kernels_built, s->kernels_cached, s->launches};

        slow = s->startup_ns > view->run[slow].startup_ns ? i : slow;
        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, s->rank);
        ttp_cells_set(&cells, 1, seconds_text(p, s->startup_ns));
        ttp_cells_set(&cells, 2, seconds_text(p, compiling(s, false)));
        for (size_t k = 0; k < TTP_COUNT(figure); k++) {
            char text[TTP_NUM_MAX];

            ttp_cells_set(&cells, 3 + k, ttp_grouped(text, (int64_t)figure[k]));
        }
    }
    put_table(p, &cells);
    say(p, "slowest is rank %.*s:", TTP_FMT(view->run[slow].rank));
    put_process(p, &view->run[slow]);
}

/* One line of the comparison. */
struct pair {
    const char *name;
    int64_t a, b;
    bool time;
};

static void put_comparison(const struct printing *p, const struct ttp_startup *a,
                           const struct ttp_startup *b)
{
    static const struct ttp_cell_column columns[] = {
        {"", true, 0}, {"A", false, 0}, {"B", false, 0}, {"B - A", false, 0}};
    const struct pair pairs[] = {
        {"start-up", a->startup_ns, b->startup_ns, true},
        {"compiling", compiling(a, false), compiling(b, false), true},
        {"building kernels", compiling(a, true), compiling(b, true), true},
        {"silent", a->gaps_ns, b->gaps_ns, true},
        {"kernels built", (int64_t)a->kernels_built, (int64_t)b->kernels_built, false},
        {"from the cache", (int64_t)a->kernels_cached, (int64_t)b->kernels_cached, false},
        {"programs compiled", (int64_t)a->programs_compiled, (int64_t)b->programs_compiled, false},
        {"late compiles", (int64_t)a->late_compiles, (int64_t)b->late_compiles, false},
    };
    struct ttp_cells cells;

    ttp_cells_init(&cells, columns, TTP_COUNT(columns), p->arena);
    for (size_t i = 0; i < TTP_COUNT(pairs); i++) {
        const int64_t v[] = {pairs[i].a, pairs[i].b, pairs[i].b - pairs[i].a};

        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, ttp_str_from(pairs[i].name));
        for (size_t k = 0; k < TTP_COUNT(v); k++) {
            char text[TTP_NUM_FIXED_MAX];
            const size_t n = pairs[i].time ? ttp_num_fixed(text, seconds(v[k]), 2, true)
                                           : ttp_num_i64_grouped(text, v[k]);

            if (pairs[i].time && n + 2 < sizeof(text))
                memcpy(text + n, " s", 2);
            ttp_cells_set(&cells, 1 + k, (ttp_str){text, n + (pairs[i].time ? 2 : 0)});
        }
    }
    put_table(p, &cells);
}

void ttp_out_startup_text(struct ttp_sink *out, const struct ttp_startup_view *view,
                          const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    const struct printing p = {out, style, arena};

    if (view->others)
        put_comparison(&p, view->run, view->other);
    else if (view->ranks > 1)
        put_ranks(&p, view);
    else if (view->ranks)
        put_process(&p, view->run);
    for (size_t i = 0; i < view->findings; i++)
        say(&p, "finding: %s", view->finding[i].text);
}

void ttp_out_startup_csv(struct ttp_sink *out, const struct ttp_startup_view *view,
                         struct ttp_arena *arena)
{
    (void)arena;
    ttp_sink_own(out, "rank,program_id,label,start_ns,compile_ns,kernels,built\n");
    for (size_t i = 0; i < view->ranks; i++) {
        const struct ttp_startup *s = &view->run[i];

        for (size_t k = 0; k < s->compiled; k++) {
            const struct ttp_startup_program *program = &s->program[k];

            ttp_gate_put_csv(out, s->rank);
            ttp_sink_printf(out, ",%llu,", (unsigned long long)program->id);
            ttp_gate_put_csv(out, program->label);
            ttp_sink_printf(out, ",%lld,%lld,%u,%u\n", (long long)program->start_ns,
                            (long long)(program->end_ns - program->start_ns), program->kernels,
                            program->built);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* startup_text.c - where start-up time went, for human readers. */
#include <math.h>

#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"
#include "outputs/startup/startup_fields.h"

#define SLOWEST_SHOWN 5
#define GAPS_SHOWN    3

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static ttp_str seconds_text(const struct ttp_show *p, int64_t ns)
{
    if (ns == 0)
        return TTP_STR("-");
    return ttp_sink_format(p->arena, ns < 100000000 ? "%.3f s" : "%.1f s", seconds(ns));
}

static unsigned percent(int64_t part, int64_t all)
{
    return all > 0 ? (unsigned)lround(100.0 * (double)part / (double)all) : 0;
}

/* Compiling before the steady state. */
static int64_t compiling(const struct ttp_startup *s, bool building)
{
    return building ? s->startup_build_ns : s->startup_compile_ns;
}

static void put_verdict(const struct ttp_show *p, const struct ttp_startup *s)
{
    const int64_t compile = compiling(s, false);

    ttp_show_sentence(
        p,
        "%.1f s from start to %s; compiling %.1f s (%u %%) of %llu programs: %llu kernels built, "
        "%llu from the cache, %llu seen before",
        seconds(s->startup_ns),
        s->steady_ns == TTP_STARTUP_NONE ? "the end of the log, no steady state" : "steady",
        seconds(compile), percent(compile, s->startup_ns), (unsigned long long)s->programs_compiled,
        (unsigned long long)s->kernels_built, (unsigned long long)s->kernels_cached,
        (unsigned long long)s->kernels_repeated);
}

/* A table next to that of programs. */
static void put_rows(const struct ttp_show *p, const struct ttp_records *rows)
{
    ttp_sink_repeat(p->out, '\n', p->form == TTP_FORM_MARKDOWN);
    ttp_show_table(p, &(struct ttp_table){.rows = rows, .aside = true});
    ttp_sink_repeat(p->out, '\n', p->form == TTP_FORM_MARKDOWN);
}

static const char *const phase_names[] = {"before device", "open device", "warm-up"};
#define OF_PHASE(name, value) TTP_GET(name, void, struct ttp_startup_phase, value)
OF_PHASE(get_phase, ttp_value_word(phase_names[r->kind]))
OF_PHASE(get_wall, ttp_value_f64((double)r->wall_ns))
OF_PHASE(get_compile, ttp_value_f64((double)r->compile_ns))
OF_PHASE(get_other, ttp_value_f64((double)r->other_ns))
static const struct ttp_field phase_fields[] = {
    TTP_WORDS_COLUMN("phase", "Phase", 0, .get = get_phase),
    TTP_REAL_COLUMN("wall_ns", "Wall", "ns", 1, 0, .get = get_wall),
    TTP_REAL_COLUMN("compile_ns", "Compiling", "ns", 1, 0, .get = get_compile),
    TTP_REAL_COLUMN("other_ns", "Other", "ns", 1, 0, .get = get_other),
};
static const struct ttp_fields phase_figures = {TTP_FIELDS(phase_fields)};

static void put_phases(const struct ttp_show *p, const struct ttp_startup *s)
{
    const struct ttp_records rows = {&phase_figures, NULL, s->phase, sizeof(*s->phase), s->phases};

    if (s->phases)
        put_rows(p, &rows);
}

/* A label of slashes is the comment that an inline source begins with. */
static ttp_str readable(ttp_str label)
{
    for (size_t i = 0; i < label.len; i++)
        if (label.ptr[i] != '/')
            return label;
    return label.len ? TTP_STR("inline source") : label;
}

static void put_slowest(const struct ttp_show *p, const struct ttp_startup *s)
{
    struct ttp_sink line;

    if (s->operations == 0)
        return;
    ttp_sink_to_arena(&line, p->arena);
    ttp_sink_put(&line, TTP_STR("slowest: "));
    for (size_t i = 0; i < s->operations && i < SLOWEST_SHOWN; i++) {
        const struct ttp_startup_operation *o = &s->operation[i];

        ttp_sink_printf(&line, "%s%.*s %.*s (%llu program%s)", i ? ", " : "",
                        TTP_FMT(readable(o->label)),
                        TTP_FMT(seconds_text(p, (int64_t)o->compile_ns)),
                        (unsigned long long)o->programs, o->programs == 1 ? "" : "s");
    }
    ttp_show_sentence(p, "%.*s", TTP_FMT(ttp_sink_text(&line)));
}

static void put_gaps(const struct ttp_show *p, const struct ttp_startup *s)
{
    for (size_t i = 0; i < s->gaps && i < GAPS_SHOWN; i++)
        ttp_show_sentence(p, "no records for %.1f s from %.1f s on", seconds(s->gap[i].length_ns),
                          seconds(s->gap[i].from_ns));
}

static void put_next(const struct ttp_show *p, const struct ttp_startup *s)
{
    const int64_t built = compiling(s, true);

    if (s->log.has_cache)
        ttp_show_sentence(p,
                          "cache by the log of the runtime, which counts each request for a "
                          "kernel: %llu of %llu hits (%.1f %%)",
                          (unsigned long long)s->log.hits, (unsigned long long)s->log.total,
                          s->log.percent);
    if (built == 0 || s->cache_root.len == 0)
        return;
    ttp_show_sentence(p, "next run: %.1f s or less if the cache at %.*s is kept",
                      seconds(s->startup_ns - built), TTP_FMT(s->cache_root));
}

static void put_notes(const struct ttp_show *p, const struct ttp_startup *s)
{
    if (!s->has_startup_file)
        ttp_show_sentence(p, "note: no startup.yaml: times count from the first record");
    if (s->incomplete)
        ttp_show_sentence(p,
                          "note: %llu record%s truncated, as by a process that died or still runs",
                          (unsigned long long)s->incomplete, s->incomplete == 1 ? " is" : "s are");
    if (s->unknown_kinds)
        ttp_show_sentence(p, "note: %llu records have an unknown kind",
                          (unsigned long long)s->unknown_kinds);
}

static void put_process(const struct ttp_show *p, const struct ttp_startup *s)
{
    put_verdict(p, s);
    put_phases(p, s);
    put_slowest(p, s);
    put_gaps(p, s);
    put_next(p, s);
    put_notes(p, s);
}

#define RUN                 struct ttp_startup
#define OF_RUN(name, value) TTP_GET(name, void, RUN, value)
OF_RUN(get_run_startup, ttp_value_f64((double)r->startup_ns))
OF_RUN(get_run_compiling, ttp_value_f64((double)compiling(r, false)))
static const struct ttp_field rank_fields[] = {
    {.id = "rank", TTP_SHOWN("Rank"), .type = TTP_TEXT, TTP_FIGURE(RUN, rank)},
    TTP_REAL_COLUMN("startup_ns", "Start-Up", "ns", 1, 0, .get = get_run_startup),
    TTP_REAL_COLUMN("compile_ns", "Compiling", "ns", 1, 0, .get = get_run_compiling),
    TTP_INT_COLUMN("kernels_built", "Built", "", 0, TTP_FIGURE(RUN, kernels_built)),
    TTP_INT_COLUMN("kernels_cached", "Cached", "", 0, TTP_FIGURE(RUN, kernels_cached)),
    TTP_INT_COLUMN("launches", "Launches", "", 0, TTP_FIGURE(RUN, launches)),
};
static const struct ttp_fields rank_figures = {TTP_FIELDS(rank_fields)};

static void put_ranks(const struct ttp_show *p, const struct ttp_startup_view *view)
{
    size_t slow = 0;

    for (size_t i = 0; i < view->ranks; i++)
        slow = view->run[i].startup_ns > view->run[slow].startup_ns ? i : slow;
    put_rows(
        p, &(struct ttp_records){&rank_figures, NULL, view->run, sizeof(*view->run), view->ranks});
    ttp_show_sentence(p, "slowest is rank %.*s:", TTP_FMT(view->run[slow].rank));
    put_process(p, &view->run[slow]);
}

/* One line of the comparison. */
struct pair {
    const char *name;
    int64_t a, b;
    bool time;
};

static struct ttp_value pair_text(struct ttp_arena *arena, const struct pair *pair, int64_t v)
{
    char number[TTP_NUM_FIXED_MAX];
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    if (pair->time)
        ttp_sink_printf(&text, "%.*s s", (int)ttp_num_fixed(number, seconds(v), 2, true), number);
    else
        ttp_put_grouped(&text, v);
    return ttp_value_text(ttp_sink_text(&text));
}

/* The context is the show. */
#define OF_PAIR(name, value)                                                                       \
    TTP_GET(name, struct ttp_show, struct pair, pair_text(c->arena, r, value))
OF_PAIR(get_a, r->a)
OF_PAIR(get_b, r->b)
OF_PAIR(get_change, r->b - r->a)
static const struct ttp_field pair_fields[] = {
    TTP_WORDS_COLUMN("figure", "", 0, TTP_FIGURE(struct pair, name)),
    {.id = "a", TTP_SHOWN("A"), .type = TTP_TEXT, .get = get_a},
    {.id = "b", TTP_SHOWN("B"), .type = TTP_TEXT, .get = get_b},
    {.id = "change", TTP_SHOWN("B - A"), .type = TTP_TEXT, .get = get_change},
};
static const struct ttp_fields pair_figures = {TTP_FIELDS(pair_fields)};

static void put_comparison(const struct ttp_show *p, const struct ttp_startup *a,
                           const struct ttp_startup *b)
{
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

    put_rows(p, &(struct ttp_records){&pair_figures, p, pairs, sizeof(*pairs), TTP_COUNT(pairs)});
}

/* --- programs that were compiled --- */

struct program {
    ttp_str rank;
    const struct ttp_startup_program *p;
};
#define OF_PROGRAM(name, value) TTP_GET(name, void, struct program, value)
OF_PROGRAM(get_id, ttp_value_i64((int64_t)r->p->id))
OF_PROGRAM(get_label, ttp_value_text(readable(r->p->label)))
OF_PROGRAM(get_start, ttp_value_i64(r->p->start_ns))
OF_PROGRAM(get_compiling, ttp_value_i64(r->p->end_ns - r->p->start_ns))
OF_PROGRAM(get_kernels, ttp_value_i64(r->p->kernels))
OF_PROGRAM(get_built, ttp_value_i64(r->p->built))
static const struct ttp_field program_fields[] = {
    TTP_WORDS_COLUMN("rank", "Rank", 0, TTP_FIGURE(struct program, rank),
                     .help = "of its process, if there are several"),
    TTP_INT_COLUMN("program_id", "Program", "", 0, .get = get_id, .help = "of the inspector"),
    TTP_WORDS_COLUMN("label", "Label", 0, .get = get_label, .help = "folder of its kernels"),
    TTP_INT_COLUMN("start_ns", "From", "ns", 1, .get = get_start,
                   .help = "since the start of the process"),
    TTP_INT_COLUMN("compile_ns", "Compiling", "ns", 0, .get = get_compiling,
                   .help = "how long it took"),
    TTP_INT_COLUMN("kernels", "Kernels", "", 0, .get = get_kernels, .help = "of the program"),
    TTP_INT_COLUMN("built", "Built", "", 0, .get = get_built,
                   .help = "kernels that did not come from the cache"),
};
static const struct ttp_fields program_figures = {
    TTP_FIELDS(program_fields), .hint = "tt-perf startup --columns help lists them"};

/* --- the document --- */

static const struct ttp_part_spec parts[] = {
    {.id = "programs", .fields = &program_figures, .table_only = true},
    {.kind = TTP_PART_DATA, .fields = &ttp_startup_fields, .json_only = true, .optional = true},
    {.kind = TTP_PART_DATA, .fields = &ttp_startup_view_fields, .json_only = true},
};
const struct ttp_document_spec ttp_startup_document = {
    .schema = "tt-perf.startup/1",
    .help = "Compiled programs, slowest first",
    TTP_PARTS(parts),
    .whole_json = true,
};

static void put_head(const struct ttp_show *p, const void *arg)
{
    const struct ttp_startup_view *view = arg;

    if (view->others)
        put_comparison(p, view->run, view->other);
    else if (view->ranks > 1)
        put_ranks(p, view);
    else if (view->ranks)
        put_process(p, view->run);
    for (size_t i = 0; i < view->findings; i++)
        ttp_show_sentence(p, "finding: %s", view->finding[i].text);
}

/* The slowest are named above: the table is for those who ask for rows or columns. */
static void put_programs(const struct ttp_show *p, const void *arg, size_t part,
                         const struct ttp_table *table)
{
    const struct ttp_selection *s = &p->selection;

    (void)arg, (void)part;
    if (!p->columns && !s->where && !s->sort && !s->top)
        return;
    ttp_show_heading(p, ttp_startup_document.help);
    ttp_show_table(p, table);
}

ttp_code ttp_out_startup(const struct ttp_show *show, const struct ttp_startup_view *view,
                         struct ttp_err *err)
{
    static const struct ttp_html html = {.title = "Start-up"};
    const struct ttp_page page = {
        .arg = view, .head = put_head, .body = put_programs, .html = &html};
    struct ttp_document doc;
    size_t n = 0;

    for (size_t i = 0; i < view->ranks; i++)
        n += view->run[i].compiled;
    struct program *row = TTP_NEW(show->arena, struct program, n);
    n = 0;
    for (size_t i = 0; i < view->ranks; i++)
        for (size_t k = 0; k < view->run[i].compiled; k++)
            row[n++] = (struct program){view->run[i].rank, &view->run[i].program[k]};
    ttp_document_init(&doc, &ttp_startup_document, show->arena);
    ttp_document_rows(&doc, 0, NULL, row, n);
    if (show->form == TTP_FORM_JSON) {
        if (view->ranks && !ttp_out_startup_has_ranks(view))
            ttp_document_object(&doc, 1, NULL, view->run);
        ttp_document_object(&doc, 2, NULL, view);
    }
    return ttp_show_document(show, &doc, &page, err);
}

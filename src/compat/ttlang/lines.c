/* SPDX-License-Identifier: Apache-2.0 */
/* TT-Lang's AUTO-PROFILE REPORT byte for byte. Layout and arithmetic are those of its
 * auto_profile.py; where that divides by zero, so does this, and says so to the caller. */
#include "compat/ttlang/lines.h"
#include "base/num.h"
#include "base/order.h"
#include "base/python_text.h"
#include "compat/compat.h"

#define RED    "\x1b[91m"
#define YELLOW "\x1b[93m"
#define DIM    "\x1b[2m"
#define RESET  "\x1b[0m"

enum { BACKGROUNDS = 8 };
static const char *const background[BACKGROUNDS] = {
    "\x1b[48;5;153m", "\x1b[48;5;158m", "\x1b[48;5;183m", "\x1b[48;5;151m",
    "\x1b[48;5;181m", "\x1b[48;5;152m", "\x1b[48;5;187m", "\x1b[48;5;146m",
};
static const char *const thread_order[] = {"NCRISC", "BRISC", "TRISC_0", "TRISC_1", "TRISC_2"};

static void put(const struct ttp_lines_report *r, const char *text)
{
    ttp_sink_put(r->out, ttp_str_from(text));
}

/* An escape sequence, if there is colour. */
static void paint(const struct ttp_lines_report *r, const char *code)
{
    if (r->view->color)
        put(r, code);
}

static const char *background_of(int64_t buffer)
{
    return buffer >= 0 && buffer < BACKGROUNDS ? background[buffer] : "";
}

static void rule(const struct ttp_lines_report *r)
{
    ttp_sink_repeat(r->out, '=', 100);
    ttp_sink_char(r->out, '\n');
}

/* --- what was measured --- */

static const struct ttp_side_line *find_line(const struct ttp_side_tables *t, ttp_str zone)
{
    for (size_t i = t->nlines; i-- > 0;) /* of a repeated key the last one counts */
        if (ttp_str_eq(t->line[i].zone, zone))
            return &t->line[i];
    return NULL;
}

TTP_ORDER(by_line, struct ttp_lines_sample, TTP_UP(line), TTP_UP(zone->first))

static void collect_samples(struct ttp_lines_report *r)
{
    const struct ttp_original_zones *zones = r->view->zones;

    r->sample = TTP_NEW(r->arena, struct ttp_lines_sample, zones->count);
    for (size_t i = 0; i < zones->count; i++) {
        const struct ttp_original_zone *z = &zones->zone[i];
        const struct ttp_side_line *line = find_line(r->view->tables, z->name);
        if (!line)
            continue;
        struct ttp_lines_sample *s = &r->sample[r->nsamples++];
        *s = (struct ttp_lines_sample){
            .zone = z, .line = line->line, .text = ttp_python_strip(line->source)};
        s->has_op = ttp_kernel_leftmost_op(z->name, &s->op, &s->implicit);
    }
    TTP_SORT(r->sample, r->nsamples, by_line);
}

static size_t rank_of(ttp_str thread)
{
    size_t i = 0;

    while (i < TTP_COUNT(thread_order) && !ttp_str_eq(thread, ttp_str_from(thread_order[i])))
        i++;
    return i;
}

static ttp_str kernel_of(const struct ttp_side_tables *t, ttp_str thread)
{
    for (size_t i = t->nthreads; i-- > 0;)
        if (ttp_str_eq(t->thread[i].thread, thread))
            return t->thread[i].kernel;
    return TTP_STR("");
}

static const struct ttp_side_kernel *source_of(const struct ttp_side_tables *t, ttp_str kernel)
{
    for (size_t i = 0; i < t->nkernels; i++)
        if (ttp_str_eq(t->kernel[i].name, kernel) && t->kernel[i].nlines)
            return &t->kernel[i];
    return NULL;
}

static struct ttp_lines_thread *thread_of(struct ttp_lines_report *r,
                                          const struct ttp_lines_sample *s)
{
    for (size_t i = 0; i < r->nthreads; i++)
        if (ttp_str_eq(r->thread[i].name, s->zone->thread))
            return &r->thread[i];
    struct ttp_lines_thread *t = &r->thread[r->nthreads++];
    *t = (struct ttp_lines_thread){.name = s->zone->thread,
                                   .kernel = kernel_of(r->view->tables, s->zone->thread),
                                   .first_line = s->line,
                                   .first = s->zone->first,
                                   .rank = rank_of(s->zone->thread)};
    t->source = source_of(r->view->tables, t->kernel);
    return t;
}

TTP_ORDER(by_rank, struct ttp_lines_thread, TTP_UP(rank), TTP_UP(first_line), TTP_UP(first))

static bool is_sync(const struct ttp_lines_sample *s)
{
    return s->has_op &&
           (ttp_str_eq(s->op, TTP_STR("cb_wait")) || ttp_str_eq(s->op, TTP_STR("cb_reserve")));
}

static void collect_threads(struct ttp_lines_report *r)
{
    r->thread = TTP_NEW(r->arena, struct ttp_lines_thread, r->nsamples);
    for (size_t i = 0; i < r->nsamples; i++) {
        struct ttp_lines_thread *t = thread_of(r, &r->sample[i]);
        t->cycles = ttp_num_add(t->cycles, r->sample[i].zone->sum);
        t->ops += r->sample[i].zone->count;
        t->sync = ttp_num_add(t->sync, is_sync(&r->sample[i]) ? r->sample[i].zone->sum : 0);
    }
    for (size_t i = 0; i < r->nthreads; i++) {
        r->thread[i].work = ttp_num_sub(r->thread[i].cycles, r->thread[i].sync);
        if (i == 0 || r->thread[i].cycles > r->total)
            r->total = r->thread[i].cycles;
    }
    TTP_SORT(r->thread, r->nthreads, by_rank);
}

/* --- lines --- */

/* Samples of a thread whose lines read alike are one group. */
struct group {
    const struct ttp_lines_sample **sample;
    size_t count;
    uint64_t n;
    int64_t sum, min, max;
    bool named;
};

static void collect_group(const struct ttp_lines_report *r, struct group *g,
                          const struct ttp_lines_thread *t, ttp_str text)
{
    g->count = g->n = 0;
    g->sum = 0;
    g->min = INT64_MAX;
    g->max = INT64_MIN;
    g->named = false;
    for (size_t i = 0; i < r->nsamples; i++) {
        const struct ttp_lines_sample *s = &r->sample[i];
        if (!ttp_str_eq(s->zone->thread, t->name) || !ttp_str_eq(s->text, text))
            continue;
        g->sample[g->count++] = s;
        g->n += s->zone->count;
        g->sum = ttp_num_add(g->sum, s->zone->sum);
        g->min = s->zone->min < g->min ? s->zone->min : g->min;
        g->max = s->zone->max > g->max ? s->zone->max : g->max;
        g->named |= s->op.len > 0;
    }
}

/* The two largest sums of the thread's groups. */
static void find_hottest(const struct ttp_lines_report *r, struct group *g,
                         const struct ttp_lines_thread *t, int64_t hot[2])
{
    size_t found = 0;

    for (size_t i = 0; i < r->nsamples; i++) {
        if (!ttp_str_eq(r->sample[i].zone->thread, t->name))
            continue;
        collect_group(r, g, t, r->sample[i].text);
        if (g->sample[0] != &r->sample[i])
            continue; /* another line of the same text was there before */
        if (found == 0 || g->sum > hot[0]) {
            hot[1] = found ? hot[0] : 0;
            hot[0] = g->sum;
        } else if (found == 1 || g->sum > hot[1]) {
            hot[1] = g->sum;
        }
        found++;
    }
}

struct child {
    const char *label;
    ttp_str op;
    bool implicit;
    uint64_t n;
    int64_t sum;
};

TTP_ORDER(by_op, struct child, TTP_UP(implicit), ttp_str_cmp(x->op, y->op))

static void begin_child(const struct ttp_lines_report *r, size_t indent, bool last)
{
    paint(r, DIM);
    ttp_sink_repeat(r->out, ' ', indent);
    put(r, last ? "╰─ " : "├─ ");
}

static void end_child(const struct ttp_lines_report *r)
{
    paint(r, RESET);
    ttp_sink_char(r->out, '\n');
}

/* A nameless sample and one whose name is empty are told apart, though both are called "line". */
static void put_ops(const struct ttp_lines_report *r, const struct group *g, size_t indent,
                    bool more)
{
    struct child *child = TTP_NEW(r->arena, struct child, g->count);
    bool *nameless = TTP_NEW(r->arena, bool, g->count);
    size_t n = 0;

    for (size_t i = 0; i < g->count; i++) {
        const struct ttp_lines_sample *s = g->sample[i];
        size_t k = 0;
        while (k < n && (child[k].implicit != s->implicit || nameless[k] != !s->has_op ||
                         !ttp_str_eq(child[k].op, s->op)))
            k++;
        if (k == n) {
            child[n] = (struct child){.op = s->op, .implicit = s->implicit};
            nameless[n++] = !s->has_op;
        }
        child[k].n += s->zone->count;
        child[k].sum = ttp_num_add(child[k].sum, s->zone->sum);
    }
    TTP_SORT(child, n, by_op);
    for (size_t i = 0; i < n; i++) {
        begin_child(r, indent, i + 1 == n && !more);
        ttp_put_grouped(r->out, child[i].sum);
        ttp_sink_char(r->out, ' ');
        ttp_sink_put(r->out, child[i].op.len ? child[i].op : TTP_STR("line"));
        put(r, child[i].implicit ? " (implicit)" : "");
        if (child[i].n > 1)
            ttp_sink_printf(r->out, " (x%llu)", (unsigned long long)child[i].n);
        end_child(r);
    }
}

static void put_remark(const struct ttp_lines_report *r, size_t indent, bool last, int64_t buffer,
                       ttp_str text)
{
    const char *ground = background_of(buffer);

    begin_child(r, indent, last);
    paint(r, ground);
    ttp_sink_put(r->out, text);
    paint(r, ground[0] ? RESET : "");
    end_child(r);
}

static ttp_str right_stripped(ttp_str line)
{
    const ttp_str text = ttp_python_strip(line);
    return text.len ? (ttp_str){line.ptr, (size_t)(text.ptr + text.len - line.ptr)} : TTP_STR("");
}

struct source_line {
    ttp_str line;
    int64_t number;
};

/* A line that was measured: its numbers, its ops and what it waits for. */
static void put_measured(const struct ttp_lines_report *r, const struct ttp_lines_thread *t,
                         const struct group *g, struct source_line of, const char *color)
{
    const struct ttp_flow_waits *waits = r->view->waits;
    const int64_t first = g->sample[0]->line;
    const struct ttp_wait_source *from = ttp_kernel_find_source(waits, t->kernel, first, 0);
    const struct ttp_dma_barrier *barrier = ttp_kernel_find_barrier(waits, t->kernel, first);
    const char *ground = barrier ? background_of(barrier->buffer) : "";
    const size_t indent = 27 + ttp_str_code_points(of.line);
    const bool once = g->n == 1 && !g->named, range = !once && !g->named && g->min != g->max;
    struct ttp_sink cycles;
    char buf[TTP_NUM_MAX];

    ttp_sink_to_arena(&cycles, r->arena);
    ttp_put_grouped(&cycles, g->named ? g->sum : g->min);
    if (range) {
        ttp_sink_char(&cycles, '-');
        ttp_put_grouped(&cycles, g->max);
    }
    paint(r, color);
    ttp_put_left(r->out, (ttp_str){buf, ttp_num_i64(buf, of.number)}, 6);
    ttp_sink_char(r->out, ' ');
    ttp_put_fixed_right(r->out, 100.0 * (double)g->sum / (double)t->cycles, 1, 5);
    put(r, "%  ");
    ttp_put_left(r->out, ttp_sink_text(&cycles), 10);
    ttp_sink_char(r->out, ' ');
    paint(r, ground);
    ttp_sink_put(r->out, of.line);
    paint(r, ground[0] ? RESET : "");
    if (!once && !g->named)
        put(r, "  ");
    paint(r, color[0] ? RESET : "");
    if (!once && !g->named) {
        paint(r, DIM);
        ttp_sink_printf(r->out, "(x%llu", (unsigned long long)g->n);
        if (range) {
            put(r, ", avg=");
            ttp_sink_fixed(r->out, (double)g->sum / (double)g->n, 1, false);
            put(r, ", total=");
            ttp_put_grouped(r->out, g->sum);
            put(r, ")");
        } else {
            put(r, " = ");
            ttp_put_grouped(r->out, g->sum);
            put(r, " cycles)");
        }
        paint(r, RESET);
    }
    ttp_sink_char(r->out, '\n');
    if (g->named)
        put_ops(r, g, indent, from || barrier);
    if (from) {
        struct ttp_sink text;
        ttp_sink_to_arena(&text, r->arena);
        ttp_sink_printf(&text, "waiting for %s @ line %lld (%.*s)", from->dma ? "DMA" : "compute",
                        (long long)from->from_line, TTP_FMT(from->from_kernel));
        put_remark(r, indent, !barrier, from->buffer, ttp_sink_text(&text));
    }
    if (barrier) {
        struct ttp_sink text;
        ttp_sink_to_arena(&text, r->arena);
        ttp_sink_printf(&text, "DMA barrier for CB[%lld]", (long long)barrier->buffer);
        put_remark(r, indent, true, barrier->buffer, ttp_sink_text(&text));
    }
}

/* False: the original divides by zero here. */
static bool put_source(const struct ttp_lines_report *r, const struct ttp_lines_thread *t)
{
    struct group g = {.sample = TTP_NEW(r->arena, const struct ttp_lines_sample *, r->nsamples)};
    int64_t hot[2] = {0, 0};

    find_hottest(r, &g, t, hot);
    for (size_t i = 0; i < t->source->nlines; i++) {
        const ttp_str line = right_stripped(t->source->line[i]);
        const ttp_str text = ttp_python_strip(line);
        const int64_t number = t->source->offset + (int64_t)i + 1;
        char buf[TTP_NUM_MAX];

        collect_group(r, &g, t, text);
        if (g.count) {
            if (t->cycles == 0)
                return false;
            const char *color = g.sum >= hot[0] && hot[0] > 0   ? RED
                                : g.sum >= hot[1] && hot[1] > 0 ? YELLOW
                                                                : "";
            put_measured(r, t, &g, (struct source_line){line, number}, color);
        } else if (text.len) {
            ttp_put_left(r->out, (ttp_str){buf, ttp_num_i64(buf, number)}, 6);
            ttp_sink_repeat(r->out, ' ', 20);
            ttp_sink_put(r->out, line);
            ttp_sink_char(r->out, '\n');
        }
    }
    return true;
}

static bool put_thread(const struct ttp_lines_report *r, const struct ttp_lines_thread *t)
{
    rule(r);
    if (r->total == 0)
        return false;
    put(r, "THREAD: ");
    ttp_put_left(r->out, t->name, 10);
    if (t->kernel.len)
        ttp_sink_printf(r->out, " [%.*s]", TTP_FMT(t->kernel));
    ttp_sink_printf(r->out, " (%llu ops, ", (unsigned long long)t->ops);
    ttp_put_grouped(r->out, t->cycles);
    put(r, " cycles, ");
    ttp_sink_fixed(r->out, 100.0 * (double)t->cycles / (double)r->total, 1, false);
    put(r, "% of total)\n");
    rule(r);
    put(r, "\nLINE   %TIME   CYCLES     SOURCE\n------ ------- ---------- ");
    ttp_sink_repeat(r->out, '-', 70);
    ttp_sink_char(r->out, '\n');
    if (t->source) {
        if (!put_source(r, t))
            return false;
    } else {
        ttp_sink_printf(r->out, "       (no source available for kernel '%.*s')\n",
                        TTP_FMT(t->kernel));
    }
    ttp_sink_char(r->out, '\n');
    return true;
}

/* --- the whole --- */

static void put_legend(const struct ttp_lines_report *r)
{
    const struct ttp_flow_waits *w = r->view->waits;

    if (w->nsources + w->nbarriers == 0)
        return;
    put(r, "CB Colors: ");
    for (int64_t buffer = 0; buffer < BACKGROUNDS; buffer++) {
        bool used = false;
        for (size_t i = 0; i < w->nsources; i++)
            used |= w->source[i].buffer == buffer;
        for (size_t i = 0; i < w->nbarriers; i++)
            used |= w->barrier[i].buffer == buffer;
        if (!used)
            continue;
        paint(r, background[buffer]);
        ttp_sink_printf(r->out, " CB[%d] ", (int)buffer);
        paint(r, RESET);
        put(r, " ");
    }
    put(r, "\n\n");
}

bool ttp_out_original_lines(struct ttp_sink *out, const struct ttp_original_lines_view *view,
                            struct ttp_arena *arena)
{
    struct ttp_lines_report r = {.out = out, .view = view, .arena = arena};
    uint64_t operations = 0;

    collect_samples(&r);
    collect_threads(&r);
    if (r.nsamples == 0) {
        put(&r, "[Auto-profile] No signpost results found in profile CSV\n");
        return true;
    }
    for (size_t i = 0; i < r.nsamples; i++)
        operations += r.sample[i].zone->count;
    put(&r, "\n");
    rule(&r);
    put(&r, "TTLANG AUTO-PROFILE REPORT\n");
    rule(&r);
    put(&r, "\n");
    put_legend(&r);
    ttp_sink_printf(out,
                    "Total operations: %llu\nLongest thread: ", (unsigned long long)operations);
    ttp_put_grouped(out, r.total);
    put(&r, " cycles\n\n");
    for (size_t i = 0; i < r.nthreads; i++)
        if (!put_thread(&r, &r.thread[i]))
            return false;
    ttp_compat_lines_put_summary(&r);
    ttp_compat_lines_put_roofline(&r);
    rule(&r);
    put(&r, "\n");
    return true;
}

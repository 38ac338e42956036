/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source with the cycles they took, thread by thread. */
#include "base/gate.h"
#include "base/quantity.h"
#include "outputs/kernel/annotate_fields.h"
#include "outputs/kernel/kernel_parts.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

enum {
    NUMBERS = 31,    /* columns before the source text */
    CHILD = 56,      /* a usual line below it */
    ROOM_LEAST = 20, /* for source text */
};

struct page {
    const struct ttp_show *show;
    struct ttp_sink *out; /* of show */
    size_t child;         /* column of what is below a line */
    size_t dedent;        /* blanks that all lines of the thread begin with */
    const struct ttp_annotate_view *view;
    const struct ttp_annotated_thread *thread, *other; /* other: of the run compared with */
    struct ttp_arena *arena;
};

static void put(const struct page *p, const char *text)
{
    ttp_sink_put(p->out, ttp_str_from(text));
}

static void paint(const struct page *p, enum ttp_color color, ttp_str text)
{
    ttp_paint_themed(p->out, p->show->color ? color : TTP_PLAIN, text);
}

#define HOT_PCT                                                                                    \
    5 /* what takes less is not hot, even if nothing but the hottest line takes more               \
       */

static enum ttp_color color_of(const struct ttp_annotated_thread *t, uint64_t sum)
{
    if (sum && sum >= t->hottest)
        return TTP_RED;
    return sum && sum >= t->second && ttp_out_annotate_pct(t, sum) >= HOT_PCT ? TTP_YELLOW
                                                                              : TTP_PLAIN;
}

/* "924-1,198" or one number. */
static ttp_str range_text(const struct ttp_cycle_count *c, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_put_grouped(&s, (int64_t)c->min);
    if (c->min != c->max) {
        ttp_sink_char(&s, '-');
        ttp_put_grouped(&s, (int64_t)c->max);
    }
    return ttp_sink_text(&s);
}

static void put_children_head(const struct page *p, bool last)
{
    ttp_sink_repeat(p->out, ' ', p->child);
    put(p, last ? "╰─ " : "├─ ");
}

static void put_part(const struct page *p, ttp_str name, bool implicit,
                     const struct ttp_cycle_count *c, bool last)
{
    put_children_head(p, last);
    ttp_sink_put(p->out, name);
    put(p, implicit ? " (implicit) " : " ");
    ttp_put_grouped(p->out, (int64_t)c->sum);
    ttp_sink_printf(p->out, " in all (x%llu, ", (unsigned long long)c->count);
    ttp_sink_put(p->out, range_text(c, p->arena));
    ttp_sink_own(p->out, " each)\n");
}

/* What the line waits for; one line may wait for several buffers. */
static size_t count_remarks(const struct page *p, int64_t line)
{
    const struct ttp_flow_waits *w = p->view->waits;
    size_t n = 0;

    while (ttp_kernel_find_source(w, p->thread->kernel, line, n))
        n++;
    return n + (ttp_kernel_find_barrier(w, p->thread->kernel, line) != NULL);
}

static void put_remarks(const struct page *p, int64_t line, size_t n)
{
    const struct ttp_flow_waits *w = p->view->waits;
    const struct ttp_dma_barrier *barrier = ttp_kernel_find_barrier(w, p->thread->kernel, line);
    const struct ttp_wait_source *s;

    for (size_t i = 0; (s = ttp_kernel_find_source(w, p->thread->kernel, line, i)); i++) {
        put_children_head(p, i + 1 == n);
        ttp_sink_printf(p->out, "waiting for %s @ line %lld (%.*s, DFB %lld)\n",
                        s->dma ? "DMA" : "compute", (long long)s->from_line,
                        TTP_FMT(s->from_kernel), (long long)s->buffer);
    }
    if (barrier) {
        put_children_head(p, true);
        ttp_sink_printf(p->out, "DMA barrier, %s DFB %lld\n",
                        barrier->write ? "write out of" : "read into", (long long)barrier->buffer);
    }
}

/* `count`: how often it ran, where that did not fit on the line; or empty. */
static void put_children(const struct page *p, const struct ttp_annotated_line *l, ttp_str count)
{
    const size_t remarks = count_remarks(p, l->line);
    const bool plain = l->nparts && l->plain.count;

    if (count.len) {
        put_children_head(p, l->nparts == 0 && remarks == 0);
        paint(p, TTP_GREY, count);
        ttp_sink_char(p->out, '\n');
    }
    if (plain)
        put_part(p, TTP_STR("line"), false, &l->plain, false);
    for (size_t i = 0; i < l->nparts; i++)
        put_part(p, l->part[i].name, l->part[i].implicit, &l->part[i].cycles,
                 i + 1 == l->nparts && remarks == 0);
    put_remarks(p, l->line, remarks);
}

static void put_delta(const struct page *p, const struct ttp_annotated_line *l, int64_t number)
{
    const struct ttp_annotated_line *before =
        p->other ? ttp_kernel_find_line(p->other, number) : NULL;
    const double now = ttp_out_annotate_per_core(p->thread, l);
    const double was = p->other ? ttp_out_annotate_per_core(p->other, before) : 0;

    ttp_put_grouped_right(p->out, (int64_t)(was + 0.5), 11);
    ttp_put_grouped_right(p->out, (int64_t)(now + 0.5), 11);
    if (was > 0) {
        struct ttp_sink s;
        ttp_sink_to_arena(&s, p->arena);
        put(p, " ");
        ttp_sink_put(&s, now > was ? TTP_STR("+") : TTP_STR(""));
        ttp_sink_fixed(&s, 100 * (now - was) / was, 1, false);
        ttp_sink_put(&s, TTP_STR("%"));
        ttp_sink_repeat(p->out, ' ', s.len < 8 ? 8 - s.len : 0);
        paint(p,
              now > was * 1.02   ? TTP_RED
              : now < was * 0.98 ? TTP_GREEN
                                 : TTP_PLAIN,
              ttp_sink_text(&s));
    } else {
        put(p, now > 0 ? "      new" : "         ");
    }
}

static void put_numbers(const struct page *p, const struct ttp_annotated_line *l, int64_t number)
{
    const enum ttp_color color = l ? color_of(p->thread, l->all.sum) : TTP_PLAIN;
    struct ttp_sink s;
    char buf[TTP_NUM_MAX];

    ttp_sink_to_arena(&s, p->arena);
    ttp_put_right(&s, (ttp_str){buf, ttp_num_i64(buf, number)}, 5);
    ttp_sink_put(&s, color == TTP_RED      ? TTP_STR(" █ ")
                     : color == TTP_YELLOW ? TTP_STR(" ▓ ")
                                           : TTP_STR("   "));
    if (l) {
        ttp_put_fixed_right(&s, ttp_out_annotate_pct(p->thread, l->all.sum), 1, 5);
        ttp_sink_put(&s, TTP_STR("% "));
        struct ttp_sink sum;
        ttp_sink_to_arena(&sum, p->arena);
        ttp_put_grouped(&sum, (int64_t)l->all.sum);
        ttp_put_left(&s, ttp_sink_text(&sum), 16);
    } else {
        ttp_sink_repeat(&s, ' ', 23);
    }
    paint(p, color, ttp_sink_text(&s));
}

static size_t blanks_before(ttp_str text)
{
    size_t n = 0;

    while (n < text.len && (text.ptr[n] == ' ' || text.ptr[n] == '\t'))
        n++;
    return n;
}

/* Columns that are left for the source text; SIZE_MAX: any. */
static size_t room_of(const struct page *p, size_t numbers)
{
    const size_t width = p->show->width > 0 ? (size_t)p->show->width : 0;

    return width >= numbers + ROOM_LEAST ? width - numbers : SIZE_MAX;
}

#define TAB 4

/* Tabs become blanks, because the numbers before the text have moved it. */
static ttp_str source_text(const struct page *p, ttp_str text, size_t room)
{
    const size_t blanks = blanks_before(text);
    struct ttp_sink spaced;

    text = ttp_str_slice(text, blanks < p->dedent ? blanks : p->dedent, text.len);
    ttp_sink_to_arena(&spaced, p->arena);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\t')
            ttp_sink_repeat(&spaced, ' ', TAB - spaced.len % TAB);
        else
            ttp_sink_char(&spaced, text.ptr[i]);
    return ttp_paint_shorten(ttp_gate_text(p->arena, ttp_sink_text(&spaced)), room, p->arena);
}

/* Nothing follows the numbers: their blanks go. */
static void end_line(const struct page *p)
{
    while (p->out->len && p->out->buf[p->out->len - 1] == ' ')
        p->out->len--;
    ttp_sink_char(p->out, '\n');
}

static void put_compared(const struct page *p, const struct ttp_annotated_line *l, int64_t number,
                         ttp_str text)
{
    enum { COMPARED = 38 };
    char buf[TTP_NUM_MAX];

    ttp_put_right(p->out, (ttp_str){buf, ttp_num_i64(buf, number)}, 5);
    if (l || (p->other && ttp_kernel_find_line(p->other, number)))
        put_delta(p, l, number);
    else
        ttp_sink_repeat(p->out, ' ', 31);
    put(p, "  ");
    ttp_sink_put(p->out, source_text(p, text, room_of(p, COMPARED)));
    end_line(p);
}

/* "(x768, 46 each)", "(x768, 924-1,198 each, avg 1,024.5)" */
static ttp_str count_text(const struct ttp_cycle_count *c, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_sink_printf(&s, "(x%llu, ", (unsigned long long)c->count);
    ttp_sink_put(&s, range_text(c, arena));
    ttp_sink_put(&s, TTP_STR(" each"));
    if (c->min != c->max) {
        ttp_sink_put(&s, TTP_STR(", avg "));
        ttp_sink_fixed(&s, (double)c->sum / (double)c->count, 1, true);
    }
    ttp_sink_put(&s, TTP_STR(")"));
    return ttp_sink_text(&s);
}

static void put_line(const struct page *from, const struct ttp_annotated_line *l, int64_t number,
                     ttp_str text)
{
    struct page page = *from;
    const struct page *p = &page;
    const size_t room = room_of(p, NUMBERS);
    const ttp_str shown = source_text(p, text, room);
    ttp_str count = TTP_STR("");

    if (p->view->other) {
        put_compared(p, l, number, text);
        return;
    }
    page.child = NUMBERS + blanks_before(shown) + 2;
    if (room != SIZE_MAX && page.child + CHILD > NUMBERS + room)
        page.child = NUMBERS + room > CHILD + 8 ? NUMBERS + room - CHILD : 8;
    put_numbers(p, l, number);
    ttp_sink_put(p->out, shown);
    if (l && l->nparts == 0 && l->all.count > 1)
        count = count_text(&l->all, p->arena);
    if (count.len && ttp_str_code_points(shown) + 2 + count.len <= room) {
        put(p, "  ");
        paint(p, TTP_GREY, count);
        count.len = 0;
    }
    end_line(p);
    if (l)
        put_children(p, l, count);
}

static ttp_str without_end(ttp_str line)
{
    while (line.len && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == ' ' ||
                        line.ptr[line.len - 1] == '\t'))
        line.len--;
    return line;
}

static size_t common_blanks(const struct ttp_annotated_thread *t)
{
    size_t least = SIZE_MAX;

    for (int64_t n = t->first_line; n <= t->last_line; n++) {
        const ttp_str text = without_end(t->source->line[n - 1]);
        const size_t blanks = blanks_before(text);
        if (text.len && blanks < least)
            least = blanks;
    }
    return least == SIZE_MAX ? 0 : least;
}

static void put_source(struct page *p)
{
    const struct ttp_annotated_thread *t = p->thread;

    if (!t->source) {
        for (size_t i = 0; i < t->nlines; i++)
            put_line(p, &t->line[i], t->line[i].line, TTP_STR(""));
        return;
    }
    for (size_t i = 0; i < t->nlines && t->line[i].line <= 0; i++)
        put_line(p, &t->line[i], t->line[i].line, TTP_STR(""));
    p->dedent = common_blanks(t);
    for (int64_t n = t->first_line; n <= t->last_line; n++) {
        const ttp_str text = without_end(t->source->line[n - 1]);
        const struct ttp_annotated_line *l = ttp_kernel_find_line(t, n);
        if (l || ttp_str_trim(text).len)
            put_line(p, l, n, text);
    }
}

static void put_title(const struct page *p)
{
    const struct ttp_annotated_thread *t = p->thread;
    struct ttp_sink head;

    ttp_sink_to_arena(&head, p->arena);
    ttp_sink_printf(&head, "THREAD: %-8s", ttp_kernel_risc_name(t->risc));
    if (t->kernel.len)
        ttp_sink_printf(&head, " [%.*s]", TTP_FMT(t->kernel));
    if (t->source)
        ttp_sink_printf(&head, " %s", t->source->path);
    else if (t->file.len)
        ttp_sink_printf(&head, " %.*s (source not found: --source FILE or --src-root DIR)",
                        TTP_FMT(t->file));
    ttp_paint_wrapped(p->out, ttp_sink_text(&head), p->show->width, 0, 2);
    put(p, "  ");
    ttp_put_grouped(p->out, (int64_t)t->zones);
    put(p, t->zones == 1 ? " zone" : " zones");
    if (t->cores)
        ttp_sink_printf(p->out, " on %llu core%s", (unsigned long long)t->most_cores,
                        t->most_cores == 1 ? "" : "s");
    if (t->cores && t->invocations > 1)
        ttp_sink_printf(p->out, " in %llu invocations", (unsigned long long)t->invocations);
    put(p, ", ");
    ttp_put_grouped(p->out, (int64_t)(t->kernel_cycles ? t->kernel_cycles : t->zone_cycles));
    put(p, t->kernel_cycles ? " kernel cycles in all, " : " cycles in zones");
    if (t->kernel_cycles) {
        ttp_sink_fixed(p->out,
                       100.0 - ttp_out_annotate_pct(t, t->zone_cycles) > 0
                           ? 100.0 - ttp_out_annotate_pct(t, t->zone_cycles)
                           : 0,
                       1, false);
        put(p, "% outside zones");
    }
    ttp_sink_printf(p->out, "\n LINE %s\n",
                    p->view->other ? "    BEFORE        NOW    DELTA  SOURCE   (cycles per core)"
                                   : "   %TIME TOTAL CYCLES    SOURCE   (of all executions)");
}

static void put_sources(const struct ttp_show *show, const struct ttp_annotate_view *view)
{
    const struct ttp_annotation *a = view->run;

    for (size_t i = 0; i < a->nthreads; i++) {
        struct page p = {.show = show,
                         .out = show->out,
                         .view = view,
                         .thread = &a->thread[i],
                         .other = ttp_out_annotate_other(view, &a->thread[i]),
                         .arena = show->arena};
        put_title(&p);
        put_source(&p);
        ttp_sink_char(show->out, '\n');
    }
}

static void put_cycles_of(struct ttp_sink *out, const struct ttp_kernel_program *m, uint64_t mhz)
{
    ttp_put_grouped(out, (int64_t)m->duration_cycles);
    ttp_sink_put(out, TTP_STR(" cycles"));
    if (!mhz)
        return;
    ttp_sink_put(out, TTP_STR(" ("));
    ttp_put_time_us(out, (double)m->duration_cycles / (double)mhz);
    ttp_sink_put(out, TTP_STR(")"));
}

/* Which program it is, and how long it took in this run and in the one before. */
static void put_program(const struct ttp_show *show, const struct ttp_annotate_view *view)
{
    const struct ttp_kernel_program *m = view->program, *base = view->base;
    struct ttp_sink text;

    if (!m || m->duration_cycles == 0)
        return;
    ttp_sink_to_arena(&text, show->arena);
    ttp_out_put_program_title(&text, m);
    ttp_sink_put(&text, TTP_STR(": "));
    if (base && base->duration_cycles) {
        const double now = (double)m->duration_cycles, was = (double)base->duration_cycles;

        put_cycles_of(&text, base, view->base_clock_mhz);
        ttp_sink_put(&text, TTP_STR(" before, "));
        put_cycles_of(&text, m, view->clock_mhz);
        ttp_sink_put(&text, now > was ? TTP_STR(" now, +") : TTP_STR(" now, "));
        ttp_sink_fixed(&text, 100 * (now / was - 1), 1, false);
        ttp_sink_put(&text, TTP_STR(" % cycles"));
    } else {
        put_cycles_of(&text, m, view->clock_mhz);
    }
    ttp_paint_wrapped(show->out, ttp_sink_text(&text), show->width, 0, 2);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_annotate_view *view = arg;

    ttp_sink_printf(show->out, "%zu of %zu invocation%s%s\n", view->run->invocations,
                    view->invocations, view->invocations == 1 ? "" : "s",
                    view->invocations > view->run->invocations ? "; --program chooses others" : "");
    put_program(show, view);
    ttp_sink_char(show->out, '\n');
}

static bool trim_source(ttp_str *text, const void *arg, const struct ttp_field *field,
                        const void *row, struct ttp_arena *arena)
{
    (void)arg, (void)arena;
    *text = ttp_str_trim(((const struct ttp_annotate_row *)row)->source);
    return strcmp(field->id, "source") == 0;
}

/* Lines that were chosen do not are next to each other: a table. */
static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_selection *s = &show->selection;
    struct ttp_table trimmed = *table;

    (void)part;
    trimmed.cell = trim_source;
    if (show->form == TTP_FORM_MARKDOWN || show->columns || s->where || s->sort || s->top)
        ttp_show_table(show, &trimmed);
    else
        put_sources(show, arg);
}

/* --- the document --- */

static struct ttp_value get_shown(const void *context, const void *row)
{
    (void)context;
    return ttp_value_i64((int64_t)((const struct ttp_annotate_view *)row)->run->invocations);
}

static const struct ttp_field about_fields[] = {
    TTP_INT("clock_mhz", "MHz", TTP_FIGURE(struct ttp_annotate_view, clock_mhz), .above_0 = true),
    TTP_INT("invocations", "", TTP_FIGURE(struct ttp_annotate_view, invocations)),
    TTP_INT("invocations_shown", "", .get = get_shown),
};
static const struct ttp_fields about = {TTP_FIELDS(about_fields)};

enum { PART_ABOUT, PART_THREADS, PART_LINES };
static const struct ttp_part_spec parts[] = {
    [PART_ABOUT] = {.kind = TTP_PART_DATA, .fields = &about, .json_only = true},
    [PART_THREADS] = {.id = "threads", .fields = &ttp_annotate_thread_fields, .json_only = true},
    [PART_LINES] = {.id = "lines", .fields = &ttp_annotate_fields},
};
const struct ttp_document_spec ttp_annotate_document = {
    .schema = "tt-perf.annotate/2",
    .help = "Cycles of source lines",
    TTP_PARTS(parts),
    .main = PART_LINES,
};

static const struct ttp_chart charts[] = {{.kind = "bars",
                                           .part = "lines",
                                           .title = "Lines",
                                           .label = "source",
                                           .y = "total_cycles",
                                           .color = "thread"}};
static const struct ttp_html html = {
    .title = "Source lines of a kernel", .chart = charts, .charts = TTP_COUNT(charts)};

ttp_code ttp_out_annotate(const struct ttp_show *show, const struct ttp_annotate_view *view,
                          struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_body, .html = &html};
    struct ttp_document doc;
    size_t lines;
    const struct ttp_annotate_row *line = ttp_out_annotate_rows(&lines, view, show->arena);
    const struct ttp_annotate_thread_row *thread = ttp_out_annotate_threads(view, show->arena);

    ttp_document_init(&doc, &ttp_annotate_document, show->arena);
    ttp_document_object(&doc, PART_ABOUT, NULL, view);
    ttp_document_rows(&doc, PART_THREADS, NULL, thread, view->run->nthreads);
    ttp_document_rows(&doc, PART_LINES, NULL, line, lines);
    return ttp_show_document(show, &doc, &page, err);
}

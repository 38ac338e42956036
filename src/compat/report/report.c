/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - table and advice as tt-perf-report 1.2.4 prints them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena_pool.h"
#include "base/par.h"
#include "compat/report/original_table.h"

/* Rows a worker formats at a time, and how many are worth a second thread. */
#define ROWS_PER_ITEM 512
#define FEW_ROWS      1024

static void put_line(struct ttp_sink *out, enum ttp_color color, const char *fmt, va_list ap)
{
    char text[1024];
    va_list again;

    va_copy(again, ap);
    const int n = vsnprintf(text, sizeof(text), fmt, ap);
    if (n >= 0 && (size_t)n < sizeof(text)) {
        ttp_paint(out, color, (ttp_str){text, (size_t)n});
    } else if (n > 0) { /* a very long path */
        struct ttp_arena arena = {0};
        char *longer = TTP_NEW(&arena, char, (size_t)n + 1);
        (void)vsnprintf(longer, (size_t)n + 1, fmt, again);
        ttp_paint(out, color, (ttp_str){longer, (size_t)n});
        ttp_arena_free(&arena);
    }
    va_end(again);
    ttp_sink_char(out, '\n');
}

void ttp_out_original_line(struct ttp_sink *out, enum ttp_note_level level, bool color,
                           const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put_line(out, !color ? TTP_PLAIN : level == TTP_NOTE_STATUS ? TTP_CYAN : TTP_YELLOW, fmt, ap);
    va_end(ap);
}

void ttp_out_original_error(struct ttp_sink *out, bool color, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put_line(out, color ? TTP_RED : TTP_PLAIN, fmt, ap);
    va_end(ap);
}

void ttp_out_original_notes(struct ttp_sink *out, const struct ttp_notes *notes, bool color)
{
    for (size_t i = 0; i < notes->count; i++) {
        const struct ttp_note *n = &notes->item[i];
        ttp_paint(out,
                  !color                        ? TTP_PLAIN
                  : n->level == TTP_NOTE_STATUS ? TTP_CYAN
                                                : TTP_YELLOW,
                  n->text);
        ttp_sink_char(out, '\n');
    }
}

/* What goes onto the page for one op; false: nothing. */
typedef void put_fn(struct ttp_sink *out, const struct ttp_original_table *t, size_t op,
                    struct ttp_arena *arena);

struct page {
    const struct ttp_original_table *table;
    struct ttp_sink *out;
    put_fn *put;
    size_t next;
    struct ttp_arena_pool arenas;
};

struct piece {
    size_t from, to;
    struct ttp_arena arena;
    struct ttp_sink text;
};

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct page *page = ctx;
    struct piece *p = item;
    const size_t left = page->table->report->count - page->next;

    (void)err;
    *more = left > 0;
    if (*more)
        p->arena = ttp_arena_pool_take(&page->arenas);
    p->from = page->next;
    p->to = page->next += left < ROWS_PER_ITEM ? left : ROWS_PER_ITEM;
    return TTP_OK;
}

static ttp_code work(void *ctx, void *item, struct ttp_err *err)
{
    const struct page *page = ctx;
    struct piece *p = item;

    (void)err;
    ttp_sink_to_arena(&p->text, &p->arena);
    (void)ttp_sink_room(&p->text, (p->to - p->from) * page->table->usual_row);
    for (size_t i = p->from; i < p->to; i++)
        page->put(&p->text, page->table, i, &p->arena);
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct page *page = ctx;
    const struct piece *p = item;

    (void)err;
    ttp_sink_put(page->out, ttp_sink_text(&p->text));
    return TTP_OK;
}

static void drop(void *ctx, void *item)
{
    struct page *page = ctx;
    struct piece *p = item;

    ttp_arena_pool_give(&page->arenas, &p->arena);
}

static ttp_code put_all(struct ttp_sink *out, const struct ttp_original_table *t, put_fn *put,
                        struct ttp_err *err)
{
    static const struct ttp_pipeline stages = {sizeof(struct piece), produce, work, merge, drop};
    struct page page = {.table = t, .out = out, .put = put};
    const bool few = t->report->count <= FEW_ROWS;

    ttp_arena_pool_init(&page.arenas);
    const ttp_code rc = ttp_par_pipeline(&stages, &page, few ? 1 : t->style->threads, err);
    ttp_arena_pool_clear(&page.arenas);
    return rc;
}

static void put_row(struct ttp_sink *out, const struct ttp_original_table *t, size_t i,
                    struct ttp_arena *arena)
{
    (void)arena;
    ttp_original_table_row(out, t, &t->report->op[i]);
}

static bool is_fallback(const struct ttp_original_table *t, size_t i)
{
    return t->shown[t->report->op[i].code].is_torch;
}

static bool has_high_gap(const struct ttp_original_table *t, size_t i)
{
    const struct ttp_op *op = &t->report->op[i];
    return (op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US;
}

static bool is_matmul(const struct ttp_original_table *t, size_t i)
{
    return t->shown[t->report->op[i].code].is_matmul;
}

static void put_fallback(struct ttp_sink *out, const struct ttp_original_table *t, size_t i,
                         struct ttp_arena *arena)
{
    if (is_fallback(t, i))
        put_row(out, t, i, arena);
}

static void put_high_gap(struct ttp_sink *out, const struct ttp_original_table *t, size_t i,
                         struct ttp_arena *arena)
{
    if (has_high_gap(t, i))
        put_row(out, t, i, arena);
}

static void put_matmul(struct ttp_sink *out, const struct ttp_original_table *t, size_t i,
                       struct ttp_arena *arena)
{
    const enum ttp_color color = !t->style->color                             ? TTP_PLAIN
                                 : ttp_original_is_grey(t, &t->report->op[i]) ? TTP_GREY
                                                                              : TTP_WHITE;
    struct ttp_finding found[TTP_ADVICE_PER_OP];
    bool any = false;

    if (!is_matmul(t, i))
        return;
    put_row(out, t, i, arena);
    const size_t n = ttp_advice_for_op(found, t->report, i, &ttp_compat_advice, arena);
    for (size_t k = 0; k < n; k++) {
        struct ttp_sink line;

        if (found[k].section != TTP_ADVICE_MATMUL)
            continue;
        any = true;
        ttp_sink_to_arena(&line, arena);
        ttp_sink_put(&line, TTP_STR("- "));
        ttp_sink_put(&line, found[k].text);
        ttp_paint(out, color, ttp_sink_text(&line));
        ttp_sink_char(out, '\n');
    }
    if (!any) {
        ttp_paint(out, color, TTP_STR("✅ Optimized"));
        ttp_sink_char(out, '\n');
    }
    ttp_sink_char(out, '\n');
}

static bool any_op(const struct ttp_original_table *t,
                   bool (*test)(const struct ttp_original_table *, size_t))
{
    for (size_t i = 0; i < t->report->count; i++)
        if (test(t, i))
            return true;
    return false;
}

static ttp_code put_advice(struct ttp_sink *out, const struct ttp_original_table *t,
                           struct ttp_err *err)
{
    double gain_us, saving_pct;

    ttp_sink_own(out, "\n💡 Advice 💡\n============\n\n");
    if (any_op(t, is_fallback)) {
        ttp_sink_own(out, "Fallback\n--------\n");
        TTP_TRY(put_all(out, t, put_fallback, err));
        ttp_sink_own(out, "\nThese ops should be moved to run on device.\n\n");
    }
    if (any_op(t, has_high_gap)) {
        ttp_sink_own(out, "High Op-to-Op Gap\n----------------\n");
        TTP_TRY(put_all(out, t, put_high_gap, err));
        ttp_advice_gap_saving(t->report, &gain_us, &saving_pct);
        ttp_sink_own(out, "\nThese ops have a >6 μs gap since the previous operation. Running "
                          "with tracing could save ");
        ttp_sink_fixed(out, gain_us, 0, false);
        ttp_sink_put(out, TTP_STR(" μs ("));
        ttp_sink_fixed(out, saving_pct, 1, false);
        ttp_sink_own(out, "% of overall time)\nAlternatively ensure device is not waiting for "
                          "the host and use device.enable_async(True). Experts can try moving "
                          "runtime args in the kernels to compile-time args.\n\n");
    }
    if (any_op(t, is_matmul)) {
        ttp_sink_own(out, "Matmul Optimization\n-------------------\n");
        TTP_TRY(put_all(out, t, put_matmul, err));
    }
    return TTP_OK;
}

ttp_code ttp_out_original_report(struct ttp_sink *out, const struct ttp_report *report,
                                 const struct ttp_original_style *style, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct ttp_original_table t;

    ttp_original_table_init(&t, report, style, arena);
    ttp_sink_own(out, "\n🚀 Performance Report 🚀\n========================\n\n");
    ttp_original_table_header(out, &t);
    ttp_original_table_dashes(out, &t);
    TTP_TRY(put_all(out, &t, put_row, err));
    ttp_original_table_dashes(out, &t);
    ttp_original_table_totals(out, &t);
    return style->no_advice ? TTP_OK : put_advice(out, &t, err);
}

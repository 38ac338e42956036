/* SPDX-License-Identifier: Apache-2.0 */
/* bench_tables.c - measurements as Markdown and as CSV. */
#include <math.h>

#include "base/gate.h"
#include "outputs/bench_words.h"
#include "outputs/cells.h"
#include "outputs/json_time.h"

void ttp_out_bench_markdown(struct ttp_sink *out, const struct ttp_bench_view *view,
                            struct ttp_arena *arena)
{
    const struct ttp_bench *b = view->bench;
    struct ttp_cells cells;

    if (view->sweep) {
        ttp_bench_sweep_cells(&cells, view, arena);
        ttp_cells_markdown(out, &cells);
        ttp_sink_printf(out, "\n%.*s\n", TTP_FMT(ttp_bench_sweep_sentence(view, arena)));
        return;
    }
    for (size_t k = 0; k < b->nmetrics; k++) {
        if (k)
            ttp_sink_char(out, '\n');
        ttp_sink_printf(out, "**%s**\n\n", b->metric[k].name);
        ttp_bench_variant_cells(&cells, view, k, arena);
        ttp_cells_markdown(out, &cells);
        for (size_t i = 1; i < b->nvariants; i++)
            ttp_sink_printf(out, "\n%.*s\n", TTP_FMT(ttp_bench_sentence(view, i, k, arena)));
    }
}

static void put_text(struct ttp_sink *out, const char *text)
{
    ttp_sink_char(out, ',');
    ttp_gate_put_csv(out, ttp_str_from(text));
}

static void put_rows(struct ttp_sink *out, const struct ttp_bench *b, const char *point)
{
    char time[TTP_ISO_TIME_MAX];

    for (size_t i = 0; i < b->ntrials; i++) {
        const struct ttp_trial *t = &b->trial[i];

        for (size_t k = 0; k < b->nmetrics; k++) {
            time[0] = '\0';
            if (t->start_ns > 0)
                ttp_iso_time(time, t->start_ns);
            ttp_sink_printf(out, "%zu", i + 1);
            put_text(out, b->variant[t->variant].name);
            put_text(out, point);
            ttp_sink_printf(out, ",%s,%s", t->warm_up ? "yes" : "no", time);
            put_text(out, b->metric[k].name);
            put_text(out, b->metric[k].unit);
            ttp_sink_char(out, ',');
            if (isfinite(t->value[k]))
                ttp_sink_f64(out, t->value[k], TTP_NUM_JSON);
            put_text(out, t->failure ? t->failure : "");
            put_text(out, t->taint ? t->taint : "");
            ttp_sink_char(out, '\n');
        }
    }
}

void ttp_out_bench_csv(struct ttp_sink *out, const struct ttp_bench_view *view,
                       struct ttp_arena *arena)
{
    ttp_sink_own(out, "trial,variant,point,warm_up,start,metric,unit,value,failure,taint\n");
    if (!view->sweep) {
        put_rows(out, view->bench, "");
        return;
    }
    for (size_t i = 0; i < view->sweep->npoints; i++)
        put_rows(out, &view->sweep->point[i].bench,
                 ttp_arena_zstr(arena, ttp_bench_point_name(&view->sweep->point[i], arena)));
}

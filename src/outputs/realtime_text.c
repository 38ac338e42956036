/* SPDX-License-Identifier: Apache-2.0 */
/* realtime_text.c - programs of the real-time profiler, as text and JSON.
 * docs/schemas/tt-perf.realtime-1.json describes the latter. */
#include <math.h>

#include "base/gate.h"
#include "outputs/cells.h"
#include "outputs/columns_text.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"

static double share(uint64_t part, uint64_t all)
{
    return all ? round(100e3 * (double)part / (double)all) / 1e3 : 0;
}

static double window_ns(const struct ttp_realtime_chip *c)
{
    return c->ghz > 0 ? round((double)c->window_cycles / c->ghz) : NAN;
}

static void put_chip(struct ttp_json_writer *w, const struct ttp_realtime_chip *c)
{
    ttp_json_begin_object(w);
    ttp_member_u64(w, "busy_cycles", c->busy_cycles);
    ttp_member_f64(w, "busy_percent", share(c->union_cycles, c->window_cycles));
    ttp_member_array(w, "ops");
    for (size_t i = 0; i < c->ops; i++) {
        ttp_json_begin_object(w);
        ttp_member_u64(w, "count", c->op[i].count);
        ttp_member_u64(w, "cycles", c->op[i].cycles);
        ttp_member_str(w, "name", c->op[i].name);
        ttp_member_f64(w, "share_percent", share(c->op[i].cycles, c->busy_cycles));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "window_cycles", c->window_cycles);
    ttp_member_known(w, "window_ns", c->ghz > 0, window_ns(c));
    ttp_json_end_object(w);
}

void ttp_out_realtime_json(struct ttp_json_writer *w, const struct ttp_realtime *r)
{
    ttp_json_begin_object(w);
    ttp_member_object(w, "chips");
    for (size_t i = 0; i < r->chips; i++) {
        char key[TTP_NUM_MAX];

        ttp_json_put_key(w, (ttp_str){key, ttp_num_u64(key, r->chip[i].chip)});
        put_chip(w, &r->chip[i]);
    }
    ttp_json_end_object(w);
    ttp_member_u64(w, "end_before_start", r->reversed);
    ttp_member_u64(w, "records", r->records);
    ttp_member_u64(w, "without_name", r->unnamed);
    ttp_json_end_object(w);
}

void ttp_out_realtime_csv(struct ttp_sink *out, const struct ttp_realtime *r)
{
    ttp_sink_own(out, "chip,op,count,cycles,share_percent\n");
    for (size_t i = 0; i < r->chips; i++)
        for (size_t k = 0; k < r->chip[i].ops; k++) {
            const struct ttp_realtime_op *op = &r->chip[i].op[k];

            ttp_sink_printf(out, "%llu,", (unsigned long long)r->chip[i].chip);
            ttp_gate_put_csv(out, op->name);
            ttp_sink_printf(out, ",%llu,%llu,", (unsigned long long)op->count,
                            (unsigned long long)op->cycles);
            ttp_sink_f64(out, share(op->cycles, r->chip[i].busy_cycles), TTP_NUM_PYTHON);
            ttp_sink_char(out, '\n');
        }
}

static void put_ops(struct ttp_sink *out, const struct ttp_realtime_chip *c,
                    const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    static const struct ttp_cell_column columns[] = {{"op", true, 0},
                                                     {"launches", false, 0},
                                                     {"cycles", false, 1},
                                                     {"us", false, 0},
                                                     {"%", false, 0}};
    struct ttp_cells cells;

    ttp_cells_init(&cells, columns, TTP_COUNT(columns), arena);
    cells.indent = style->markdown ? 0 : 2;
    cells.name_least = 12;
    for (size_t i = 0; i < c->ops && i < style->top; i++) {
        char text[TTP_NUM_FIXED_MAX];

        ttp_cells_add_row(&cells);
        ttp_cells_set(&cells, 0, c->op[i].name);
        ttp_cells_set(&cells, 1, ttp_grouped(text, (int64_t)c->op[i].count));
        ttp_cells_set(&cells, 2, ttp_grouped(text, (int64_t)c->op[i].cycles));
        if (c->ghz > 0)
            ttp_cells_set(
                &cells, 3,
                (ttp_str){text,
                          ttp_num_fixed(text, (double)c->op[i].cycles / c->ghz / 1e3, 1, true)});
        ttp_cells_set(
            &cells, 4,
            (ttp_str){text, ttp_num_fixed(text, share(c->op[i].cycles, c->busy_cycles), 1, false)});
    }
    if (style->markdown)
        ttp_cells_markdown(out, &cells);
    else
        ttp_cells_text(out, &cells, style->width, style->color);
}

void ttp_out_realtime_text(struct ttp_sink *out, const struct ttp_realtime *r,
                           const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    for (size_t i = 0; i < r->chips; i++) {
        const struct ttp_realtime_chip *c = &r->chip[i];

        ttp_sink_printf(out, "%schip %llu: busy %.1f %% of ", i ? "\n" : "",
                        (unsigned long long)c->chip, share(c->union_cycles, c->window_cycles));
        if (c->ghz > 0)
            ttp_sink_printf(out, "%.3f ms\n", window_ns(c) / 1e6);
        else
            ttp_sink_printf(out, "%llu cycles\n", (unsigned long long)c->window_cycles);
        put_ops(out, c, style, arena);
    }
    if (r->unnamed)
        ttp_sink_printf(out,
                        "note: %llu of %llu records have no op name; in brackets is the folder of "
                        "their kernels (TT_METAL_INSPECTOR_LOG_RUNTIME_ENTRIES=1 logs names)\n",
                        (unsigned long long)r->unnamed, (unsigned long long)r->records);
    if (r->reversed)
        ttp_sink_printf(out, "note: %llu records end before they start and are left out\n",
                        (unsigned long long)r->reversed);
}

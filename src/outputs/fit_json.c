/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.fit-1.json describes what is written here. */
#include <math.h>

#include "outputs/json_members.h"
#include "outputs/outputs.h"

static void put_plan(struct ttp_json_writer *w, const struct ttp_fit_view *view)
{
    const struct ttp_fit_plan *plan = view->plan;

    ttp_member_bool(w, "fits", plan->fits);
    ttp_member_u64(w, "buffer_bytes", plan->buffer_bytes);
    ttp_member_u64(w, "available_bytes", plan->available_bytes);
    ttp_member_u64(w, "left_bytes", plan->left_bytes);
    ttp_member_u64(w, "over_bytes", plan->over_bytes);
    ttp_member_u64(w, "scale_all", plan->scale_all);
    ttp_json_put_key(w, TTP_STR("buffers"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->buffers; i++) {
        const struct ttp_fit_buffer *b = &view->buffer[i];

        ttp_json_begin_object(w);
        ttp_member_str(w, "text", b->text);
        ttp_member_u64(w, "rows", b->rows);
        ttp_member_u64(w, "cols", b->cols);
        ttp_member_u64(w, "count", b->count);
        ttp_member_str(w, "dtype", ttp_str_from(ttp_dtype_name(b->type)));
        ttp_member_u64(w, "tile_bytes", b->tile_bytes);
        ttp_member_u64(w, "block_bytes", b->block_bytes);
        ttp_member_u64(w, "bytes", b->bytes);
        ttp_member_u64(w, "max_tiles", b->max_tiles);
        ttp_member_u64(w, "max_rows", b->max_rows);
        ttp_member_u64(w, "max_cols", b->max_cols);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("sweep"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < plan->steps; i++) {
        ttp_json_begin_object(w);
        ttp_member_u64(w, "block_edge", plan->step[i].edge);
        ttp_member_u64(w, "bytes", plan->step[i].bytes);
        ttp_member_u64(w, "transfers", plan->step[i].transfers);
        ttp_member_bool(w, "fits", plan->step[i].fits);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_table(struct ttp_json_writer *w, const struct ttp_fit_table *t)
{
    static const char *const places[] = {"core", "grid", "dram", "nowhere"};

    ttp_json_put_key(w, TTP_STR("embedding"));
    ttp_json_begin_object(w);
    ttp_member_u64(w, "rows", t->rows);
    ttp_member_u64(w, "cols", t->cols);
    ttp_member_str(w, "dtype", ttp_str_from(ttp_dtype_name(t->type)));
    ttp_member_u64(w, "bytes", t->bytes);
    ttp_member_u64(w, "core_bytes", t->core_bytes);
    ttp_member_u64(w, "cores", t->cores);
    ttp_member_u64(w, "grid_bytes", t->grid_bytes);
    ttp_member_u64(w, "dram_bytes", t->dram_bytes);
    ttp_member_str(w, "place", ttp_str_from(places[t->place]));
    ttp_member_u64(w, "cores_needed", t->cores_needed);
    ttp_member_u64(w, "rows_per_core", t->rows_per_core);
    ttp_member_u64(w, "rows_in_grid", t->rows_in_grid);
    ttp_member_u64(w, "chips_needed", t->chips_needed);
    ttp_json_end_object(w);
}

static void put_ops(struct ttp_json_writer *w, const struct ttp_fit_view *view)
{
    ttp_json_put_key(w, TTP_STR("ops"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->nops; i++) {
        const struct ttp_fit_op *o = &view->op[i];
        const ttp_sym code = ttp_ops_sym(view->ops, TTP_OPS_CODE, o->row);

        ttp_json_begin_object(w);
        ttp_member_u64(w, "id", o->row + 2);
        ttp_member_str(
            w, "op", code == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&view->ops->syms, code));
        ttp_member_u64(w, "cores", o->cores);
        ttp_member_u64(w, "input_0_bytes", o->bytes[0]);
        ttp_member_u64(w, "input_1_bytes", o->bytes[1]);
        ttp_member_u64(w, "output_bytes", o->bytes[2]);
        ttp_member_u64(w, "core_bytes", o->total_bytes);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_kernel(struct ttp_json_writer *w, const struct ttp_fit_kernel *k)
{
    ttp_json_put_key(w, TTP_STR("kernel"));
    ttp_json_begin_object(w);
    ttp_member_str(w, "program", k->program);
    ttp_json_put_key(w, TTP_STR("buffers"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < k->buffers; i++) {
        ttp_json_begin_object(w);
        ttp_json_put_key(w, TTP_STR("index"));
        ttp_json_put_i64(w, k->buffer[i].index);
        ttp_member_str(w, "filled_by", k->buffer[i].producer);
        ttp_member_str(w, "emptied_by", k->buffer[i].consumer);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    if (k->blocks_bytes) {
        ttp_member_u64(w, "blocks_bytes", k->blocks_bytes);
        ttp_member_bool(w, "at_least", k->at_least);
        ttp_member_u64(w, "core_bytes", k->bytes);
        ttp_member_u64(w, "available_bytes", k->available_bytes);
        ttp_member_bool(w, "fits", k->fits);
        ttp_member_u64(w, "scale", k->scale);
    }
    ttp_json_end_object(w);
}

void ttp_out_fit_json(struct ttp_json_writer *w, const struct ttp_fit_view *view)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "board", ttp_str_from(view->core->board->name));
    ttp_member_u64(w, "l1_bytes", view->core->l1_bytes);
    ttp_member_u64(w, "reserved_bytes", view->core->reserved_bytes);
    ttp_member_u64(w, "other_bytes", view->core->other_bytes);
    if (view->plan)
        put_plan(w, view);
    if (view->table)
        put_table(w, view->table);
    if (view->kernel)
        put_kernel(w, view->kernel);
    if (view->ops)
        put_ops(w, view);
    ttp_json_end_object(w);
}

static void put_facts(struct ttp_json_writer *w, const struct ttp_board *board)
{
    char text[TTP_VERSION_MAX];

    ttp_json_put_key(w, TTP_STR("facts"));
    ttp_json_begin_array(w);
    for (int f = 0; f < TTP_FACTS; f++) {
        const struct ttp_fact_value *v = &board->fact[f];

        if (!v->source)
            continue;
        ttp_json_begin_object(w);
        ttp_member_str(w, "id", ttp_str_from(ttp_fact_specs[f].id));
        ttp_member_str(w, "title", ttp_str_from(ttp_fact_specs[f].title));
        ttp_member_str(w, "unit", ttp_str_from(ttp_fact_specs[f].unit));
        if (ttp_fact_specs[f].kind == TTP_FACT_VERSION)
            ttp_member_str(w, "version", ttp_version_text(text, (uint32_t)v->value));
        else
            ttp_member_f64(w, "value", v->value);
        ttp_member_str(w, "source", ttp_str_from(v->source->name));
        ttp_member_str(w, "date", ttp_str_from(v->source->date));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

void ttp_out_ranges_json(struct ttp_json_writer *w, const struct ttp_board *board)
{
    static const char *const keys[] = {"lofi_tflops", "hifi2_tflops", "hifi3_tflops",
                                       "hifi4_tflops"};
    struct ttp_fit_roofline r;

    ttp_fit_roofline(&r, board);
    ttp_json_begin_object(w);
    ttp_member_str(w, "board", ttp_str_from(board->name));
    ttp_member_str(w, "arch", ttp_str_from(board->chip));
    ttp_json_put_key(w, TTP_STR("roofline"));
    ttp_json_begin_object(w);
    for (int f = 0; f < TTP_FIDELITIES; f++)
        ttp_member_f64(w, keys[f], r.tflops[f]);
    ttp_member_f64(w, "cores", r.cores);
    ttp_member_f64(w, "dram_gbs", r.dram_gbs);
    ttp_member_f64(w, "pcie_gbs", r.pcie_gbs);
    ttp_member_f64(w, "l1_bytes", r.l1_bytes);
    ttp_member_f64(w, "balance_flop_per_byte", r.balance_flop_byte);
    ttp_json_end_object(w);
    put_facts(w, board);
    ttp_json_end_object(w);
}

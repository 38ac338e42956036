/* SPDX-License-Identifier: Apache-2.0 */
/* measure_ops.c - one op per row: times, sizes, rates, and the name the report gives it. */
#include <math.h>
#include <string.h>

#include "analysis/shapes.h"
#include "analysis/stages.h"
#include "base/python_text.h"

/* What was worked out for a text, by symbol of the table as it was read. */
struct text_cache {
    struct ttp_blocks blocks; /* of ATTRIBUTES */
    bool has_blocks;
    const struct ttp_conv_text *conv; /* of ATTRIBUTES; NULL: not yet known */
    uint8_t category;                 /* of OP CODE, + 1 */
    ttp_sym halo_code, halo_name;     /* the last name of a halo op with these ATTRIBUTES */
    struct ttp_name_key named;        /* of OP CODE: the last op of it that was named */
    ttp_sym name;                     /* its name */
};

/* The plain fidelity text of the last combination of datatypes: ops of a kind come in runs. */
struct type_cache {
    ttp_sym in0, in1, out, text;
    bool filled;
};

struct walk {
    struct ttp_stage *stage;
    const struct ttp_rows *rows;
    struct text_cache *texts;
    struct type_cache types;
    struct ttp_matmul_text *matmuls; /* by program; NULL: its rows need not be alike */
    struct ttp_sink label;
    const double *overlap_ns; /* by row of the table, or NULL */
    bool seen_op;             /* an earlier row was not a signpost */
    bool previous_invalid;
    size_t unknown_fidelities, unknown_sparse;
};

bool ttp_analysis_stage_valid_duration(const struct ttp_ops *ops, uint32_t row, double *ns)
{
    *ns = ttp_analysis_stage_duration_ns(ops, row, ttp_stage_gap_ns(ops, row));
    return *ns >= 0;
}

bool ttp_analysis_stage_mean_duration(const struct ttp_stage *s, uint32_t row, double *ns)
{
    if (!s->spread || !s->spread[row].count)
        return ttp_analysis_stage_valid_duration(s->ops, row, ns);
    *ns = s->spread[row].ns / s->spread[row].count;
    return true;
}

/* The gap before a row, as the mean of the iterations if there are several. */
static bool mean_gap(const struct ttp_stage *s, uint32_t row, double *ns)
{
    if (s->spread && s->spread[row].gaps) {
        *ns = s->spread[row].gap_ns / s->spread[row].gaps;
        return true;
    }
    return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_GAP_NS, row), ns) && isfinite(*ns);
}

static const struct ttp_blocks *blocks_of(struct walk *w, ttp_sym attributes)
{
    struct text_cache *c = &w->texts[attributes];

    if (!c->has_blocks) {
        c->has_blocks = true;
        ttp_analysis_attributes_blocks(&c->blocks, ttp_sym_name(&w->stage->ops->syms, attributes));
    }
    return &c->blocks;
}

static void put_plain_type(struct ttp_sink *out, const struct ttp_symtab *syms, ttp_sym type,
                           ttp_str before)
{
    if (type == TTP_SYM_MISSING)
        return;
    ttp_sink_put(out, before);
    ttp_sink_put(out, ttp_analysis_shapes_short_type(ttp_sym_name(syms, type)));
}

/* "in0, in1 => out", each part only if it is there. */
static ttp_sym plain_fidelity(struct walk *w, const struct ttp_op *op)
{
    struct type_cache *c = &w->types;
    struct ttp_symtab *syms = &w->stage->ops->syms;

    if (c->filled && c->in0 == op->in0_datatype && c->in1 == op->in1_datatype &&
        c->out == op->out_datatype)
        return c->text;
    w->label.len = 0;
    put_plain_type(&w->label, syms, op->in0_datatype, TTP_STR(""));
    put_plain_type(&w->label, syms, op->in1_datatype, TTP_STR(", "));
    put_plain_type(&w->label, syms, op->out_datatype, TTP_STR(" => "));
    *c =
        (struct type_cache){op->in0_datatype, op->in1_datatype, op->out_datatype,
                            ttp_sym_intern(syms, ttp_python_strip(ttp_sink_text(&w->label))), true};
    return c->text;
}

/* A count of cores is whole and not absurd, unless any number may be one. */
static ttp_code set_cores(struct walk *w, struct ttp_op *op, struct ttp_err *err)
{
    struct ttp_cell c = ttp_ops_cell(w->stage->ops, TTP_OPS_CORES, op->row);
    double v = 0;
    int64_t whole = 0;

    if (c.kind == TTP_CELL_MISSING)
        return TTP_OK;
    bool ok = ttp_cell_f64(c, &v) && v >= -0x1p63 && v < 0x1p63;
    if (ok)
        whole = c.kind == TTP_CELL_FLOAT ? (int64_t)v : c.v.i;
    else if (c.kind == TTP_CELL_TEXT)
        ok = ttp_python_int(ttp_sym_name(&w->stage->ops->syms, c.v.text), &whole);
    if (!w->stage->rules->any_cores)
        ok = ok && whole >= 1 && whole <= 1 << 20 &&
             (c.kind != TTP_CELL_FLOAT || v == (double)whole);
    if (ok)
        op->cores = (struct ttp_cell){TTP_CELL_INT, {.i = whole}};
    else if (w->stage->rules->any_cores && c.kind != TTP_CELL_TEXT && isfinite(v))
        op->cores = (struct ttp_cell){TTP_CELL_FLOAT, {.f = v}};
    else if (w->stage->rules->strict)
        return ttp_fail(err, TTP_EPARSE, "row %u: 'CORE COUNT' is not a number", op->row + 2);
    return TTP_OK;
}

static void set_available(const struct walk *w, struct ttp_op *op)
{
    const struct ttp_ops *ops = w->stage->ops;
    double v;

    op->available_cores = w->stage->report->worker_cores;
    if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_AVAILABLE_CORES, op->row), &v) && v >= 1 &&
        v <= 1 << 20 && v == floor(v))
        op->available_cores = (int64_t)v;
    op->has |= TTP_HAS_AVAILABLE;
}

/* Sub-device ids are mostly numbers, but any text is shown. */
static void set_sub_device(const struct walk *w, struct ttp_op *op)
{
    struct ttp_symtab *syms = &w->stage->ops->syms;
    const struct ttp_cell c = ttp_ops_cell(w->stage->ops, TTP_OPS_SUB_DEVICE, op->row);
    char text[TTP_NUM_MAX];
    size_t n = 0;

    if (c.kind == TTP_CELL_TEXT)
        op->sub_device = c.v.text;
    else if (c.kind == TTP_CELL_INT ||
             (c.kind == TTP_CELL_FLOAT && c.v.f == floor(c.v.f) && fabs(c.v.f) < 9e15))
        n = ttp_num_i64(text, c.kind == TTP_CELL_INT ? c.v.i : (int64_t)c.v.f);
    else if (c.kind == TTP_CELL_FLOAT)
        n = ttp_num_f64(text, c.v.f, TTP_NUM_PYTHON);
    if (n)
        op->sub_device = ttp_sym_intern(syms, (ttp_str){text, n});
}

static ttp_code set_device(const struct walk *w, struct ttp_op *op, struct ttp_err *err)
{
    const struct ttp_cell c = ttp_ops_cell(w->stage->ops, TTP_OPS_DEVICE, op->row);
    double v;

    if (!ttp_cell_f64(c, &v))
        return TTP_OK;
    if (!(v >= -0x1p63 && v < 0x1p63))
        return w->stage->rules->strict
                   ? ttp_fail(err, TTP_EPARSE, "row %u: 'DEVICE ID' is infinite", op->row + 2)
                   : TTP_OK;
    op->device = c.kind == TTP_CELL_INT ? c.v.i : (int64_t)v;
    op->has |= TTP_HAS_DEVICE;
    return TTP_OK;
}

/* What the devices of a mesh did with the op of row i. */
static void set_mesh(const struct walk *w, struct ttp_op *op, size_t i)
{
    if (!w->rows->mesh)
        return;
    const struct ttp_row_mesh *mesh = &w->rows->mesh[i];
    op->devices = mesh->devices;
    op->among = mesh->among;
    op->last = mesh->last;
    op->skew_us = mesh->skew_ns / 1000;
    op->has |= isnan(mesh->skew_ns) ? 0 : TTP_HAS_SKEW;
}

/* Kernel duration and the gap before it as they are written. */
static ttp_code set_plain_times(struct walk *w, struct ttp_measured *m, size_t i,
                                struct ttp_err *err)
{
    const struct ttp_cell ns = ttp_ops_cell(w->stage->ops, TTP_OPS_KERNEL_NS, m->row);
    const struct ttp_cell gap = ttp_ops_cell(w->stage->ops, TTP_OPS_GAP_NS, m->row);
    struct ttp_op *op = m->op;

    if (ns.kind == TTP_CELL_TEXT)
        return ttp_fail(err, TTP_EPARSE, "row %u: the kernel duration is not a number", m->row + 2);
    m->has_ns = ttp_cell_f64(ns, &m->ns);
    set_mesh(w, op, i);
    if (w->rows->averaged && w->rows->averaged[i]) {
        m->ns = w->rows->mean_ns[i];
        m->has_ns = !isnan(m->ns);
    }
    op->has |= TTP_HAS_TIME;
    if (m->has_ns) {
        op->time_us = m->ns / 1000;
    } else {
        op->has |= TTP_TIME_IS_INT;
        m->ns = NAN;
    }
    if (!w->seen_op)
        return TTP_OK;
    if (!w->stage->ops->number[TTP_OPS_GAP_NS].kind)
        return ttp_analysis_stage_missing(ttp_ops_number_name(TTP_OPS_GAP_NS), err);
    if (gap.kind == TTP_CELL_TEXT)
        return ttp_fail(err, TTP_EPARSE, "row %u: the op-to-op latency is not a number",
                        m->row + 2);
    if (ttp_cell_f64(gap, &op->gap_us)) {
        op->gap_us /= 1000;
        op->has |= TTP_HAS_GAP;
    }
    return TTP_OK;
}

/* What was not measured is missing, and what cannot be is set aside. */
static void set_times(struct walk *w, struct ttp_measured *m, size_t i)
{
    struct ttp_op *op = m->op;
    double gap;

    bool valid = ttp_analysis_stage_mean_duration(w->stage, m->row, &m->ns);
    if (w->stage->spread && w->stage->spread[m->row].count > 1) {
        op->min_us = w->stage->spread[m->row].min_ns / 1000;
        op->max_us = w->stage->spread[m->row].max_ns / 1000;
        op->has |= TTP_HAS_SPREAD;
    }
    set_mesh(w, op, i);
    const bool averaged = w->rows->averaged && w->rows->averaged[i];
    if (averaged) {
        m->ns = w->rows->mean_ns[i];
        valid = !isnan(m->ns);
    }
    if (valid && w->rows->wait_ns && (averaged || w->rows->waits_inside) &&
        !isnan(w->rows->wait_ns[i])) {
        op->wait_us = w->rows->wait_ns[i] / 1000;
        op->has |= TTP_HAS_WAIT;
    }
    if (valid) {
        op->time_us = m->ns / 1000;
        op->has |= TTP_HAS_TIME;
        m->has_ns = m->ns > 0;
    } else if (op->kind == TTP_OP_DEVICE) {
        const bool captured = w->stage->captured && w->stage->captured[m->row];

        op->has |= captured ? TTP_ONLY_CAPTURED : TTP_DURATION_INVALID;
    }
    if (w->seen_op && mean_gap(w->stage, m->row, &gap) &&
        !((!valid || w->previous_invalid) && fabs(gap) > -TTP_IMPOSSIBLE_GAP_NS)) {
        op->gap_us = gap / 1000;
        op->has |= TTP_HAS_GAP;
    }
    w->previous_invalid = op->has & TTP_DURATION_INVALID;
    if (valid && w->overlap_ns && w->overlap_ns[m->row] > 0) {
        op->overlap_us = fmin(w->overlap_ns[m->row], m->ns) / 1000;
        op->has |= TTP_HAS_OVERLAP;
    }
}

static void set_texts(struct walk *w, struct ttp_op *op)
{
    const struct ttp_ops *ops = w->stage->ops;

    op->raw_code = op->code = ttp_ops_sym(ops, TTP_OPS_CODE, op->row);
    op->in0_datatype = ttp_ops_sym(ops, TTP_OPS_IN0_DATATYPE, op->row);
    op->in1_datatype = ttp_ops_sym(ops, TTP_OPS_IN1_DATATYPE, op->row);
    op->out_datatype = ttp_ops_sym(ops, TTP_OPS_OUT_DATATYPE, op->row);
    op->in0_memory = ttp_ops_sym(ops, TTP_OPS_IN0_MEMORY, op->row);
    op->calls = ttp_ops_cell(ops, TTP_OPS_CALL_COUNT, op->row);
}

/* Sizes that no 64-bit number holds are printed digit by digit. */
static ttp_sym big_digits(struct walk *w, int64_t size, ttp_str digits)
{
    char text[TTP_PYTHON_INT_MAX];

    if (size != INT64_MAX || !w->stage->rules->endless_sizes)
        return TTP_SYM_MISSING;
    return ttp_sym_intern(&w->stage->ops->syms, ttp_python_int_text(digits, text));
}

static void set_blocks(struct walk *w, struct ttp_op *op, bool matmul)
{
    const struct ttp_blocks *b =
        blocks_of(w, ttp_ops_sym(w->stage->ops, TTP_OPS_ATTRIBUTES, op->row));

    op->block_w = b->width;
    op->subblock_h = b->subblock_h;
    op->subblock_w = b->subblock_w;
    op->block_w_digits = big_digits(w, b->width, b->width_digits);
    op->subblock_h_digits = big_digits(w, b->subblock_h, b->height_digits);
    op->subblock_w_digits = big_digits(w, b->subblock_w, b->across_digits);
    op->has |= (b->has_width ? TTP_HAS_BLOCK_W : 0) | (b->has_subblock_h ? TTP_HAS_SUBBLOCK_H : 0) |
               (b->has_subblock_w ? TTP_HAS_SUBBLOCK_W : 0) |
               (matmul && b->dram_sharded ? TTP_DRAM_SHARDED : 0);
}

/* A row is a host op by its type, or by its name alone. */
static enum ttp_op_kind kind_of(const struct walk *w, const struct ttp_op *op, unsigned code)
{
    const ttp_sym type = ttp_ops_sym(w->stage->ops, TTP_OPS_TYPE, op->row);
    const unsigned traits = ttp_stage_traits(w->stage, type);

    if (traits & TTP_TRAIT_SIGNPOST)
        return TTP_OP_SIGNPOST;
    if (code & TTP_TRAIT_TORCH)
        return TTP_OP_HOST;
    return w->stage->rules->by_name || (traits & TTP_TRAIT_IS_DEVICE) ? TTP_OP_DEVICE : TTP_OP_HOST;
}

static ttp_sym halo_name(struct walk *w, const struct ttp_measured *m)
{
    struct text_cache *c = &w->texts[ttp_ops_sym(w->stage->ops, TTP_OPS_ATTRIBUTES, m->row)];

    if (c->halo_name == TTP_SYM_MISSING || c->halo_code != m->op->raw_code) {
        w->label.len = 0;
        ttp_sink_put(&w->label, m->code);
        ttp_analysis_attributes_halo_label(&w->label, m->attributes);
        c->halo_code = m->op->raw_code;
        c->halo_name = ttp_sym_intern(&w->stage->ops->syms, ttp_sink_text(&w->label));
    }
    return c->halo_name;
}

static const struct ttp_conv_text *conv_text(struct walk *w, const struct ttp_measured *m)
{
    struct text_cache *c = &w->texts[ttp_ops_sym(w->stage->ops, TTP_OPS_ATTRIBUTES, m->row)];

    if (!c->conv) {
        struct ttp_conv_text *text = TTP_NEW(w->stage->arena, struct ttp_conv_text, 1);
        text->has_window = ttp_analysis_attributes_window(m->attributes, text->window);
        w->label.len = 0;
        ttp_analysis_attributes_conv_label(&w->label, m->attributes);
        text->label = ttp_arena_copy(w->stage->arena, ttp_sink_text(&w->label));
        c->conv = text;
    }
    return c->conv;
}

static enum ttp_category category_of(struct walk *w, const struct ttp_op *op)
{
    struct text_cache *c = &w->texts[op->raw_code];
    const struct ttp_analysis_rules *rules = w->stage->rules;

    if (op->kind == TTP_OP_HOST && !rules->by_name)
        return TTP_CATEGORY_HOST;
    if (c->category == 0) {
        const ttp_str name = ttp_sym_name(&w->stage->ops->syms, op->raw_code);

        c->category =
            (uint8_t)(1 + (rules->category
                               ? rules->category(name)
                               : ttp_analysis_family(w->stage->report, op->raw_code).category));
    }
    return (enum ttp_category)(c->category - 1);
}

static ttp_code set_by_kind(struct walk *w, struct ttp_measured *m, unsigned code,
                            struct ttp_err *err)
{
    struct ttp_op *op = m->op;

    if (code & TTP_IS_ANY_MATMUL) {
        const uint32_t program = w->matmuls ? w->stage->report->program_of[m->row] : 0;
        op->analysed = TTP_ANALYSED_FULL;
        m->matmul = program ? &w->matmuls[program] : NULL;
        return ttp_analysis_shapes_matmul(m, err);
    }
    if (code & TTP_IS_CONV2D) {
        op->analysed = TTP_ANALYSED_FLOPS;
        m->conv = conv_text(w, m);
        return ttp_analysis_shapes_conv(m, err);
    }
    op->fidelity_text = plain_fidelity(w, op);
    if (code & TTP_IS_HALO)
        op->code = halo_name(w, m);
    return TTP_OK;
}

static void finish_signpost(struct walk *w, struct ttp_op *op)
{
    w->label.len = 0;
    ttp_sink_put(&w->label, ttp_sym_name(&w->stage->ops->syms, op->raw_code));
    ttp_sink_put(&w->label, TTP_STR(" (signpost)"));
    op->code = ttp_sym_intern(&w->stage->ops->syms, ttp_sink_text(&w->label));
    op->has &= ~(uint32_t)(TTP_HAS_TIME | TTP_TIME_IS_INT | TTP_DURATION_INVALID);
}

/* What is searched must be text; of these only attributes may be missing. */
static ttp_code check_texts(const struct ttp_ops *ops, uint32_t row, struct ttp_err *err)
{
    static const enum ttp_ops_text searched[] = {TTP_OPS_CODE, TTP_OPS_TYPE, TTP_OPS_ATTRIBUTES};

    for (size_t i = 0; i < TTP_COUNT(searched); i++) {
        const bool missing = ttp_ops_sym(ops, searched[i], row) == TTP_SYM_MISSING;
        if (missing && searched[i] != TTP_OPS_ATTRIBUTES)
            return ttp_fail(err, TTP_EPARSE, "row %u has no '%s'", row + 2,
                            ttp_ops_text_name(searched[i]));
        if (!missing && ttp_ops_is_numeric(ops, searched[i], row))
            return ttp_fail(err, TTP_EPARSE, "row %u: '%s' is a number", row + 2,
                            ttp_ops_text_name(searched[i]));
    }
    return TTP_OK;
}

/* Where it ran, on how many cores, and for how long. */
static ttp_code set_numbers(struct walk *w, struct ttp_measured *m, size_t i, struct ttp_err *err)
{
    TTP_TRY(set_device(w, m->op, err));
    TTP_TRY(set_cores(w, m->op, err));
    if (w->stage->rules->plain_times)
        return set_plain_times(w, m, i, err);
    set_available(w, m->op);
    set_sub_device(w, m->op);
    if (m->op->kind != TTP_OP_SIGNPOST)
        set_times(w, m, i);
    return TTP_OK;
}

static void set_name(struct walk *w, struct ttp_op *op)
{
    const struct ttp_name_key key = ttp_analysis_stage_name_key(w->stage->ops, op);
    struct text_cache *c = &w->texts[op->raw_code];

    op->name = op->code;
    if (w->stage->rules->by_name || op->kind == TTP_OP_SIGNPOST)
        return;
    if (c->name == TTP_SYM_MISSING || memcmp(&c->named, &key, sizeof(key)) != 0) {
        w->label.len = 0;
        ttp_analysis_stage_put_name(&w->label, w->stage->ops, op);
        c->named = key;
        c->name = ttp_sym_intern(&w->stage->ops->syms, ttp_sink_text(&w->label));
    }
    op->name = c->name;
}

static ttp_code measure_row(struct walk *w, size_t i, struct ttp_op *op, struct ttp_err *err)
{
    const struct ttp_ops *ops = w->stage->ops;
    const struct ttp_analysis_rules *rules = w->stage->rules;
    struct ttp_measured m = {
        .stage = w->stage, .row = w->rows->row[i], .op = op, .label = &w->label};

    op->row = m.row;
    set_texts(w, op);
    const unsigned code = ttp_stage_traits(w->stage, op->raw_code);
    if (rules->strict)
        TTP_TRY(check_texts(ops, m.row, err));
    op->kind = (uint8_t)kind_of(w, op, code);
    m.code = ttp_sym_name(&ops->syms, op->raw_code);
    m.attributes = ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_ATTRIBUTES, m.row));
    set_blocks(w, op, code & TTP_IS_ANY_MATMUL);
    TTP_TRY(set_numbers(w, &m, i, err));
    /* a signpost may be called "Matmul" */
    if (rules->by_name || op->kind == TTP_OP_DEVICE)
        TTP_TRY(set_by_kind(w, &m, code, err));
    if (code & (TTP_IS_ANY_MATMUL | TTP_IS_OPTIMIZED_CONV))
        ttp_analysis_stage_fidelity(
            op, &ops->syms, ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_FIDELITY, m.row)));
    if (op->kind == TTP_OP_SIGNPOST)
        finish_signpost(w, op);
    else
        w->seen_op = true;
    op->category = (uint8_t)category_of(w, op);
    set_name(w, op);
    w->unknown_fidelities += m.unknown_fidelities;
    w->unknown_sparse += m.unknown_sparse;
    return TTP_OK;
}

static ttp_code check_columns(const struct ttp_ops *ops, struct ttp_err *err)
{
    static const enum ttp_ops_text texts[] = {TTP_OPS_CODE, TTP_OPS_TYPE, TTP_OPS_ATTRIBUTES,
                                              TTP_OPS_IN0_MEMORY};
    static const enum ttp_ops_number numbers[] = {TTP_OPS_CORES, TTP_OPS_KERNEL_NS,
                                                  TTP_OPS_CALL_COUNT};

    for (size_t i = 0; i < TTP_COUNT(texts); i++)
        if (!ops->text[texts[i]].sym)
            return ttp_analysis_stage_missing(ttp_ops_text_name(texts[i]), err);
    for (size_t i = 0; i < TTP_COUNT(numbers); i++)
        if (!ops->number[numbers[i]].kind)
            return ttp_analysis_stage_missing(ttp_ops_number_name(numbers[i]), err);
    return TTP_OK;
}

static void note_unknowns(const struct walk *w)
{
    if (!w->stage->ops->number[TTP_OPS_KERNEL_NS].kind)
        ttp_analysis_note_add(w->stage->notes, TTP_NOTE_WARNING,
                              "no '%s' column: times and rates are missing",
                              ttp_ops_number_name(TTP_OPS_KERNEL_NS));
    if (w->unknown_fidelities)
        ttp_analysis_note_add(
            w->stage->notes, TTP_NOTE_WARNING,
            "%zu matmuls or convolutions have no known math fidelity; their share of "
            "the peak is omitted",
            w->unknown_fidelities);
    if (w->unknown_sparse)
        ttp_analysis_note_add(
            w->stage->notes, TTP_NOTE_WARNING,
            "%zu sparse matmuls lack the number of active experts; their rates are omitted (give "
            "it with --active-experts)",
            w->unknown_sparse);
}

ttp_code ttp_analysis_stage_measure(struct ttp_stage *s, const struct ttp_rows *rows,
                                    struct ttp_err *err)
{
    const size_t nsyms = s->ops->syms.count;
    struct walk w = {.stage = s, .rows = rows};

    s->report->op = TTP_NEW(s->arena, struct ttp_op, rows->count);
    s->report->count = rows->count;
    if (rows->count == 0)
        return TTP_OK;
    if (s->rules->strict)
        TTP_TRY(check_columns(s->ops, err));
    w.texts = TTP_NEW(s->arena, struct text_cache, nsyms);
    /* of several files, one may have numbers where another has equal texts */
    if (s->report->program_of && s->ops->files <= 1)
        w.matmuls = TTP_NEW(s->arena, struct ttp_matmul_text, s->report->programs);
    ttp_sink_to_arena(&w.label, s->arena);
    if (!s->rules->plain_times)
        w.overlap_ns = ttp_analysis_stage_overlap_ns(s, rows);
    for (size_t i = 0; i < rows->count; i++)
        TTP_TRY(measure_row(&w, i, &s->report->op[i], err));
    note_unknowns(&w);
    return TTP_OK;
}

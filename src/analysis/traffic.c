/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.c - work and traffic of ops that are neither matmul nor convolution, if their kind
 * defines them: the least that an op reads, writes and computes. */
#include <math.h>

#include "analysis/stages.h"
#include "base/num.h"

enum {
    IN0 = TTP_TENSOR_IN0,
    IN1 = TTP_TENSOR_IN1,
    OUT = TTP_TENSOR_OUT,
    TENSORS = TTP_WHICH_TENSORS
};
enum { DIMS = 4 };

/* More than the peak, by so much, cannot have been moved: the shapes do not say what was. */
#define IMPOSSIBLE 1.1

/* What a text of the table says as a dimension, as a data type and as a memory, each once asked. */
struct ttp_size_word {
    bool parsed, known; /* a dimension */
    bool typed, in_dram;
    double padded, logical;
    double element_bytes;
};

struct tensor {
    bool known;
    struct ttp_tensor_size is;
};

/* Tensors of all rows of a program, found with the first of them. */
struct ttp_program_tensors {
    bool found;
    struct tensor tensor[TENSORS];
};

/* "32[7]": padded and logical; "32": both. */
static void parse_dim(struct ttp_size_word *d, ttp_str text)
{
    const size_t open = ttp_str_find_char(text, '['), close = ttp_str_find_char(text, ']');
    const bool both = open != TTP_NPOS && close != TTP_NPOS && close > open;

    d->parsed = true;
    d->known = ttp_str_to_f64(both ? ttp_str_slice(text, 0, open) : text, &d->padded) &&
               d->padded >= 1 && d->padded < 0x1p40;
    d->logical = d->padded;
    if (both && d->known)
        d->known = ttp_str_to_f64(ttp_str_slice(text, open + 1, close), &d->logical) &&
                   d->logical >= 0 && d->logical <= d->padded;
}

static struct ttp_size_word dim_of(const struct ttp_report *r, ttp_sym sym)
{
    struct ttp_size_word w = sym < r->nsize_words ? r->size_word[sym] : (struct ttp_size_word){0};

    if (!w.parsed)
        parse_dim(&w, ttp_sym_name(&r->ops->syms, sym));
    return w;
}

static struct ttp_size_word type_of(const struct ttp_report *r, ttp_sym sym)
{
    struct ttp_size_word w = sym < r->nsize_words ? r->size_word[sym] : (struct ttp_size_word){0};

    if (!w.typed) {
        const ttp_str text = ttp_sym_name(&r->ops->syms, sym);
        w.typed = true;
        w.element_bytes = ttp_diagnosis_element_bytes(text);
        w.in_dram = ttp_str_has(text, TTP_STR("DRAM"));
    }
    return w;
}

/* What is known of the program of an op; NULL: its rows need not be alike. */
static struct ttp_program_tensors *tensors_of(const struct ttp_report *r, const struct ttp_op *op)
{
    const uint32_t program = r->tensors ? r->program_of[op->row] : 0;

    return program ? &r->tensors[program] : NULL;
}

static bool read_tensor(struct ttp_tensor_size *out, const struct ttp_report *r,
                        const struct ttp_op *op, enum ttp_which_tensor t)
{
    const struct ttp_ops *ops = r->ops;
    const enum ttp_ops_text first =
        ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;

    *out = (struct ttp_tensor_size){.padded = 1, .logical = 1};
    for (unsigned d = 0; d < DIMS; d++) {
        const ttp_sym sym = ttp_ops_sym(ops, first + t * DIMS + d, op->row);
        if (sym == TTP_SYM_MISSING)
            return false;
        const struct ttp_size_word dim = dim_of(r, sym);
        if (!dim.known)
            return false;
        out->padded *= dim.padded;
        out->logical *= dim.logical;
    }
    const double size =
        type_of(r, ttp_ops_sym(ops, TTP_OPS_IN0_DATATYPE + t, op->row)).element_bytes;
    out->bytes = out->padded * size;
    out->in_dram = type_of(r, ttp_ops_sym(ops, TTP_OPS_IN0_MEMORY + t, op->row)).in_dram;
    return size > 0;
}

bool ttp_analysis_tensor(struct ttp_tensor_size *out, const struct ttp_report *r,
                         const struct ttp_op *op, enum ttp_which_tensor t)
{
    const struct ttp_program_tensors *known = tensors_of(r, op);

    if (!known || !known->found)
        return read_tensor(out, r, op, t);
    *out = known->tensor[t].is;
    return known->tensor[t].known;
}

/* Keep what the texts of the op's tensors say, for this stage and for all who ask later. */
static void learn_words(struct ttp_report *r, const struct ttp_op *op)
{
    const enum ttp_ops_text first =
        r->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;

    for (unsigned i = 0; i < TENSORS * DIMS; i++) {
        const ttp_sym sym = ttp_ops_sym(r->ops, first + i, op->row);
        if (sym < r->nsize_words && !r->size_word[sym].parsed)
            r->size_word[sym] = dim_of(r, sym);
    }
    for (unsigned t = 0; t < TENSORS; t++) {
        const ttp_sym type = ttp_ops_sym(r->ops, TTP_OPS_IN0_DATATYPE + t, op->row);
        const ttp_sym memory = ttp_ops_sym(r->ops, TTP_OPS_IN0_MEMORY + t, op->row);
        if (type < r->nsize_words && !r->size_word[type].typed)
            r->size_word[type] = type_of(r, type);
        if (memory < r->nsize_words && !r->size_word[memory].typed)
            r->size_word[memory] = type_of(r, memory);
    }
}

static void find_tensors(struct ttp_program_tensors *out, struct ttp_report *r,
                         const struct ttp_op *op)
{
    learn_words(r, op);
    for (unsigned i = 0; i < TENSORS; i++) {
        struct tensor *t = &out->tensor[i];
        t->known = read_tensor(&t->is, r, op, (enum ttp_which_tensor)i);
        if (!t->known)
            t->is = (struct ttp_tensor_size){0};
    }
    out->found = true;
}

static void set_fill(struct ttp_op *op, const struct tensor tensor[TENSORS])
{
    double padded = 0, logical = 0;

    for (unsigned t = 0; t < TENSORS; t++) {
        padded += tensor[t].is.padded;
        logical += tensor[t].is.logical;
    }
    if (padded > 0) {
        op->fill_pct = logical / padded * 100;
        op->has |= TTP_HAS_FILL;
    }
}

static void set_dram(const struct ttp_report *r, struct ttp_op *op, double bytes)
{
    const double peak = r->arch->dram_gbs;

    if (!(bytes > 0) || bytes / (op->time_us * 1e3) > IMPOSSIBLE * peak)
        return;
    op->dram_bytes = bytes;
    op->dram_gbs = bytes / (op->time_us * 1e3);
    op->has |= TTP_HAS_DRAM;
    if (peak > 0) {
        op->dram_pct = op->dram_gbs / peak * 100;
        op->has |= TTP_HAS_DRAM_PCT;
    }
}

static double sent_bytes(enum ttp_op_moves moves, const struct tensor t[TENSORS])
{
    const double in = t[IN0].is.bytes, out = t[OUT].is.bytes;

    return moves == TTP_MOVES_GATHERED    ? fmax(out - in, 0)
           : moves == TTP_MOVES_SCATTERED ? fmax(in - out, 0)
           : moves == TTP_MOVES_REDUCED   ? 2 * in
                                          : 0;
}

static void measure_op(struct ttp_report *r, struct ttp_op *op)
{
    const struct ttp_op_family f = ttp_analysis_family(r, op->raw_code);
    const bool in_part = f.moves == TTP_MOVES_PART || f.moves == TTP_MOVES_ROWS;
    struct ttp_program_tensors own = {0}, *known = tensors_of(r, op);
    double bytes = 0;

    if (!known)
        known = &own;
    if (!known->found)
        find_tensors(known, r, op);
    const struct tensor *t = known->tensor;
    set_fill(op, t);
    if (op->analysed != TTP_ANALYSED_NONE)
        return;
    if (!f.moves || !(op->has & TTP_HAS_TIME) || !(op->time_us > 0) || !t[IN0].known ||
        !t[OUT].known)
        return;
    for (unsigned i = 0; i < TENSORS; i++)
        if (t[i].is.in_dram && (i == OUT || !in_part))
            bytes += t[i].is.bytes;
    if (in_part && t[f.moves == TTP_MOVES_ROWS ? IN1 : IN0].is.in_dram)
        bytes += t[OUT].is.bytes; /* the rows taken out of a table are as many as come out */
    set_dram(r, op, bytes);
    const double sent = sent_bytes(f.moves, t);
    if (sent > 0) {
        op->link_gbs = sent / (op->time_us * 1e3);
        op->has |= TTP_HAS_LINK;
    }
    if (f.work) {
        op->tflops = fmax(t[OUT].is.logical, t[IN0].is.logical) * f.work / (op->time_us * 1e6);
        op->has |= TTP_HAS_FLOPS;
    }
    op->analysed = TTP_ANALYSED_BYTES;
}

void ttp_analysis_stage_traffic(struct ttp_stage *s)
{
    struct ttp_report *r = s->report;

    r->nsize_words = s->ops->syms.count;
    r->size_word = TTP_NEW(s->arena, struct ttp_size_word, r->nsize_words);
    if (r->program_of)
        r->tensors = TTP_NEW(s->arena, struct ttp_program_tensors, r->programs);
    for (size_t i = 0; i < r->count; i++)
        if (r->op[i].kind == TTP_OP_DEVICE)
            measure_op(r, &r->op[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.c - work and traffic of ops that are neither matmul nor convolution, where their kind
 * defines them: what an op reads and writes at least, and what it computes. */
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

struct dim {
    bool parsed, known;
    double padded, logical;
};

struct walk {
    struct ttp_stage *s;
    struct dim *dim;              /* by symbol */
    struct ttp_op_family *family; /* by symbol of an op code */
    bool *looked_up;
    size_t syms;
};

struct tensor {
    bool known;
    struct ttp_tensor_size is;
};

static struct ttp_op_family family_of(struct walk *w, ttp_sym code)
{
    if (code >= w->syms)
        return (struct ttp_op_family){0};
    if (!w->looked_up[code]) {
        w->looked_up[code] = true;
        w->family[code] = ttp_op_family_of(ttp_sym_name(&w->s->ops->syms, code));
    }
    return w->family[code];
}

/* "32[7]": padded and logical; "32": both. */
static void parse_dim(struct dim *d, ttp_str text)
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

struct dim_cache {
    struct dim *cache;
    size_t syms;
};

/* `cache`: what is known of the symbols below `syms`; may be NULL. */
static bool read_tensor(struct ttp_tensor_size *out, const struct ttp_ops *ops, uint32_t row,
                        unsigned t, struct dim_cache dims)
{
    const enum ttp_ops_text first =
        ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;

    *out = (struct ttp_tensor_size){.padded = 1, .logical = 1};
    for (unsigned d = 0; d < DIMS; d++) {
        const ttp_sym sym = ttp_ops_sym(ops, first + t * DIMS + d, row);
        struct dim fresh = {0}, *dim = dims.cache && sym < dims.syms ? &dims.cache[sym] : &fresh;
        if (sym == TTP_SYM_MISSING)
            return false;
        if (!dim->parsed)
            parse_dim(dim, ttp_sym_name(&ops->syms, sym));
        if (!dim->known)
            return false;
        out->padded *= dim->padded;
        out->logical *= dim->logical;
    }
    const double size = ttp_diagnosis_element_bytes(
        ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_IN0_DATATYPE + t, row)));
    out->bytes = out->padded * size;
    out->in_dram = ttp_str_has(
        ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_IN0_MEMORY + t, row)), TTP_STR("DRAM"));
    return size > 0;
}

bool ttp_analysis_tensor(struct ttp_tensor_size *out, const struct ttp_report *report,
                         const struct ttp_op *op, enum ttp_which_tensor tensor)
{
    return read_tensor(out, report->ops, op->row, tensor, (struct dim_cache){NULL, 0});
}

static struct tensor tensor_of(struct walk *w, uint32_t row, unsigned t)
{
    struct tensor out = {0};

    out.known = read_tensor(&out.is, w->s->ops, row, t, (struct dim_cache){w->dim, w->syms});
    if (!out.known)
        out.is = (struct ttp_tensor_size){0};
    return out;
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

static void set_dram(struct walk *w, struct ttp_op *op, double bytes)
{
    const double peak = w->s->report->arch->dram_gbs;

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

static void measure_op(struct walk *w, struct ttp_op *op)
{
    const struct ttp_op_family f = family_of(w, op->raw_code);
    const bool in_part = f.moves == TTP_MOVES_PART || f.moves == TTP_MOVES_ROWS;
    struct tensor t[TENSORS];
    double bytes = 0;

    for (unsigned i = 0; i < TENSORS; i++)
        t[i] = tensor_of(w, op->row, i);
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
    set_dram(w, op, bytes);
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

void ttp_stage_traffic(struct ttp_stage *s)
{
    struct walk w = {.s = s, .syms = s->ops->syms.count};

    w.dim = TTP_NEW(s->arena, struct dim, w.syms);
    w.family = TTP_NEW(s->arena, struct ttp_op_family, w.syms);
    w.looked_up = TTP_NEW(s->arena, bool, w.syms);
    for (size_t i = 0; i < s->report->count; i++)
        if (s->report->op[i].kind == TTP_OP_DEVICE)
            measure_op(&w, &s->report->op[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* op_name.c - the name of an op in every verb, page and trace: what it is, and how large. */
#include "analysis/stages.h"

static void put_brief_name(struct ttp_sink *out, ttp_str name)
{
    const ttp_str suffix = TTP_STR("DeviceOperation");
    const ttp_str word = ttp_str_slice(name, 0, ttp_str_find_char(name, ' '));

    if (word.len <= suffix.len || !ttp_str_ends(word, suffix)) {
        ttp_sink_put(out, name);
        return;
    }
    ttp_sink_put(out, ttp_str_slice(word, 0, word.len - suffix.len));
    ttp_sink_put(out, ttp_str_slice(name, word.len, name.len));
}

ttp_str ttp_analysis_brief_name(ttp_str name, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_brief_name(&out, name);
    return ttp_sink_text(&out);
}

static ttp_sym dim_of(const struct ttp_ops *ops, uint32_t row, unsigned d)
{
    const ttp_sym sym = ttp_ops_sym(ops, (enum ttp_ops_text)(TTP_OPS_DIMS + d), row);

    return sym != TTP_SYM_MISSING
               ? sym
               : ttp_ops_sym(ops, (enum ttp_ops_text)(TTP_OPS_LEGACY_DIMS + d), row);
}

struct ttp_name_key ttp_analysis_stage_name_key(const struct ttp_ops *ops, const struct ttp_op *op)
{
    struct ttp_name_key key = {.code = op->code};

    for (unsigned d = 0; op->code == op->raw_code && d < 4; d++)
        key.dim[d] = dim_of(ops, op->row, d);
    return key;
}

/* "32 x 4096" of "32[1]", "4096[4096]": what is computed, padding included. */
static void put_shape(struct ttp_sink *out, const struct ttp_ops *ops, uint32_t row)
{
    bool first = true;

    for (unsigned d = 0; d < 4; d++) {
        ttp_str text = ttp_sym_name(&ops->syms, dim_of(ops, row, d));
        const size_t bracket = ttp_str_find_char(text, '[');
        text = bracket == TTP_NPOS ? text : ttp_str_slice(text, 0, bracket);
        if (ttp_str_ends(text, TTP_STR(".0"))) /* a column with gaps is of floats */
            text = ttp_str_slice(text, 0, text.len - 2);
        if (text.len == 0 || (first && d < TTP_DIM_Y && ttp_str_eq(text, TTP_STR("1"))))
            continue;
        ttp_sink_put(out, first ? TTP_STR(" ") : TTP_STR(" x "));
        ttp_sink_put(out, text);
        first = false;
    }
}

void ttp_analysis_stage_put_name(struct ttp_sink *out, const struct ttp_ops *ops,
                                 const struct ttp_op *op)
{
    put_brief_name(out, ttp_sym_name(&ops->syms, op->code));
    if (op->code == op->raw_code) /* names of matmuls and convolutions have their sizes in them */
        put_shape(out, ops, op->row);
}

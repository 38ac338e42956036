/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/attributes.h"

#include "base/python_text.h"

static ttp_str up_to(ttp_str text, ttp_str stop)
{
    const size_t at = ttp_str_find(text, stop);
    return at == TTP_NPOS ? text : ttp_str_slice(text, 0, at);
}

/* What is between the first `key` and the next one, or the end; false if there is no key. */
static bool after(ttp_str text, ttp_str key, ttp_str *rest)
{
    const size_t at = ttp_str_find(text, key);

    if (at == TTP_NPOS)
        return false;
    *rest = up_to(ttp_str_slice(text, at + key.len, text.len), key);
    return true;
}

/* The number after the first `key` that has digits right after it. */
static bool number_after(ttp_str text, ttp_str key, int64_t *out, ttp_str *digits)
{
    size_t at;

    while ((at = ttp_str_find(text, key)) != TTP_NPOS) {
        text = ttp_str_slice(text, at + key.len, text.len);
        *digits = ttp_str_slice(text, 0, ttp_python_digits(text, out));
        if (digits->len)
            return true;
    }
    return false;
}

void ttp_analysis_attributes_blocks(struct ttp_blocks *out, ttp_str text)
{
    *out = (struct ttp_blocks){0};
    out->dram_sharded =
        ttp_str_has(text, TTP_STR("MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"));
    if (!ttp_str_has(text, TTP_STR("program_config")))
        return;
    out->has_width = number_after(text, TTP_STR("in0_block_w="), &out->width, &out->width_digits);
    out->has_subblock_h =
        number_after(text, TTP_STR("out_subblock_h="), &out->subblock_h, &out->height_digits);
    out->has_subblock_w =
        number_after(text, TTP_STR("out_subblock_w="), &out->subblock_w, &out->across_digits);
}

bool ttp_analysis_attributes_window(ttp_str text, int64_t window[2])
{
    ttp_str rest, part[3];

    if (!after(text, TTP_STR("window_hw"), &rest))
        return false;
    rest = up_to(rest, TTP_STR("; "));
    if (rest.len < 3) /* "=(" in front and ")" after */
        return false;
    rest = ttp_str_slice(rest, 2, rest.len - 1);
    if (ttp_str_split(rest, ';', part, TTP_COUNT(part)) < 2)
        return false;
    return ttp_python_int(part[0], &window[0]) && ttp_python_int(part[1], &window[1]);
}

/* Number that is one character after `key`, up to ';'; "x" if there is none. */
static void put_height(struct ttp_sink *out, ttp_str text, ttp_str key)
{
    ttp_str rest;
    int64_t v;

    if (after(text, key, &rest) &&
        ttp_python_int(up_to(ttp_str_slice(rest, 1, rest.len), TTP_STR(";")), &v))
        ttp_sink_i64(out, v);
    else
        ttp_sink_char(out, 'x');
}

/* On if the attribute is true, or if tt-metal no longer prints it. */
static bool switched_on(ttp_str text, ttp_str key)
{
    ttp_str rest;

    return !after(text, key, &rest) || ttp_str_eq(up_to(rest, TTP_STR("'")), TTP_STR("true"));
}

void ttp_analysis_attributes_conv_label(struct ttp_sink *out, ttp_str text)
{
    ttp_sink_put(out, TTP_STR(" [ABH="));
    put_height(out, text, TTP_STR("per_core_out_matrix_height_ntile"));
    ttp_sink_char(out, '|');
    put_height(out, text, TTP_STR("act_block_h_ntiles"));
    if (switched_on(text, TTP_STR("enable_act_double_buffer': '")))
        ttp_sink_put(out, TTP_STR(" ADB"));
    if (switched_on(text, TTP_STR("enable_split_reader': '")))
        ttp_sink_put(out, TTP_STR(" SR"));
    ttp_sink_char(out, ']');
}

/* The first n pieces between ';' after `key`, joined by ','; "x" where the key is missing. */
static void put_pieces(struct ttp_sink *out, ttp_str text, ttp_str key, size_t n)
{
    ttp_str rest, piece[4];

    if (!after(text, key, &rest)) {
        ttp_sink_char(out, 'x');
        return;
    }
    const size_t found = ttp_str_split(rest, ';', piece, TTP_COUNT(piece));
    for (size_t i = 0; i < n && i < found; i++) {
        if (i)
            ttp_sink_char(out, ',');
        ttp_sink_put(out, piece[i]);
    }
}

void ttp_analysis_attributes_halo_label(struct ttp_sink *out, ttp_str text)
{
    ttp_str rest, layout = TTP_STR("x");

    ttp_sink_put(out, TTP_STR(" w="));
    put_pieces(out, text, TTP_STR("window_hw="), 2);
    ttp_sink_put(out, TTP_STR(" s="));
    put_pieces(out, text, TTP_STR("stride_hw="), 2);
    ttp_sink_put(out, TTP_STR(" p="));
    put_pieces(out, text, TTP_STR("padding="), 4);
    ttp_sink_put(out, TTP_STR(" d="));
    put_pieces(out, text, TTP_STR("dilation_hw="), 2);
    if (after(text, TTP_STR("memory_layout="), &rest) &&
        after(up_to(rest, TTP_STR(";")), TTP_STR("::"), &layout))
        layout = up_to(layout, TTP_STR("::"));
    ttp_sink_put(out, TTP_STR(" | "));
    ttp_sink_put(out, layout);
}

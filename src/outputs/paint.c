/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/paint.h"

/* 256-colour numbers, as tt-perf-report uses them. */
static const char *const codes[] = {
    [TTP_PLAIN] = "",
    [TTP_GREY] = "\x1b[38;5;8m",
    [TTP_RED] = "\x1b[38;5;9m",
    [TTP_GREEN] = "\x1b[38;5;10m",
    [TTP_YELLOW] = "\x1b[38;5;11m",
    [TTP_BLUE] = "\x1b[38;5;12m",
    [TTP_MAGENTA] = "\x1b[38;5;13m",
    [TTP_CYAN] = "\x1b[38;5;14m",
    [TTP_WHITE] = "\x1b[38;5;15m",
    [TTP_ORANGE] = "\x1b[38;5;208m",
};

void ttp_paint(struct ttp_sink *out, enum ttp_color color, ttp_str text)
{
    if (color == TTP_PLAIN) {
        ttp_sink_put(out, text);
        return;
    }
    ttp_sink_put(out, ttp_str_from(codes[color]));
    ttp_sink_put(out, text);
    ttp_sink_put(out, TTP_STR("\x1b[0m"));
}

enum ttp_color ttp_paint_op_color(ttp_str code)
{
    static const struct {
        const char *part;
        enum ttp_color color;
    } colors[] = {
        {"(torch)", TTP_RED},
        {"Matmul", TTP_MAGENTA},
        {"OptimizedConvNew", TTP_ORANGE},
        {"Conv2d", TTP_ORANGE},
        {"LayerNorm", TTP_CYAN},
        {"AllGather", TTP_CYAN},
        {"AllReduce", TTP_CYAN},
        {"ScaledDotProductAttentionDecode", TTP_BLUE},
        {"ScaledDotProductAttentionGQADecode", TTP_BLUE},
        {"NlpCreateHeadsDeviceOperation", TTP_BLUE},
        {"NLPConcatHeadsDecodeDeviceOperation", TTP_BLUE},
        {"UpdateCache", TTP_BLUE},
    };

    for (size_t i = 0; i < TTP_COUNT(colors); i++)
        if (ttp_str_has(code, ttp_str_from(colors[i].part)))
            return colors[i].color;
    return TTP_WHITE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ttp_paint_python_float(ttp_str text, double *out)
{
    char digits[128];
    size_t n = 0;

    text = ttp_str_trim(text);
    /* names of ops begin with letters: most answers are known from the first byte */
    if (text.len == 0 || text.len > sizeof(digits) || !memchr("+-.0123456789iInN", text.ptr[0], 17))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '_')
            digits[n++] = text.ptr[i];
        else if (i == 0 || i + 1 == text.len || !is_digit(text.ptr[i - 1]) ||
                 !is_digit(text.ptr[i + 1]))
            return false;
    }
    return ttp_str_to_f64((ttp_str){digits, n}, out);
}

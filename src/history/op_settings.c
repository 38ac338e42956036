/* SPDX-License-Identifier: Apache-2.0 */
/* op_settings.c - the settings of an op that differ from another's, in words that can be copied. */
#include "history/run_documents.h"

/* "in0_block_w=4" of "1d grid=8x8 in0_block_w=4 ..." and of "Config(grid=8-8;in0_block_w=4)". */
static bool next_word(ttp_str *rest, ttp_str *word)
{
    size_t from = 0, to;

    while (from < rest->len && memchr(" ;()", rest->ptr[from], 4))
        from++;
    for (to = from; to < rest->len && !memchr(" ;()", rest->ptr[to], 4);)
        to++;
    *word = ttp_str_slice(*rest, from, to);
    *rest = ttp_str_slice(*rest, to, rest->len);
    return word->len > 0;
}

static bool has_word(ttp_str text, ttp_str wanted)
{
    ttp_str word;

    while (next_word(&text, &word))
        if (ttp_str_eq(word, wanted))
            return true;
    return false;
}

static void begin(struct ttp_sink *out, bool *any)
{
    if (*any)
        ttp_sink_put(out, TTP_STR(", "));
    *any = true;
}

/* What of `b` is not in `a`. */
static void put_config(struct ttp_sink *out, bool *any, ttp_str a, ttp_str b)
{
    ttp_str rest = b, word, other = {0}, of_a = a;

    if (ttp_str_eq(a, b))
        return;
    const bool alike =
        next_word(&rest, &word) && next_word(&of_a, &other) && ttp_str_eq(word, other);
    if (!alike) { /* of another kind: all of it */
        begin(out, any);
        ttp_sink_put(out, b.len ? b : TTP_STR("no program config"));
        return;
    }
    while (next_word(&rest, &word))
        if (!has_word(a, word)) {
            begin(out, any);
            ttp_sink_put(out, word);
        }
}

/* "L1_WIDTH_SHARDED" as "L1 width sharded". */
static void put_memory(struct ttp_sink *out, ttp_str text)
{
    bool first = true;

    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];

        if (c == '_')
            first = false;
        int shown = c == '_' ? ' ' : c;

        if (!first && c >= 'A' && c <= 'Z')
            shown = c - 'A' + 'a';
        ttp_sink_char(out, (char)shown);
    }
}

/* "L1_WIDTH_SHARDED" of "DEV_1_L1_WIDTH_SHARDED,...": on which device it was says nothing. */
static ttp_str next_tensor(ttp_str *rest)
{
    const ttp_str device = TTP_STR("DEV_");
    const size_t comma = ttp_str_find_char(*rest, ',');
    ttp_str text = ttp_str_slice(*rest, 0, comma);

    *rest = ttp_str_slice(*rest, comma == TTP_NPOS ? rest->len : comma + 1, rest->len);
    if (!ttp_str_starts(text, device))
        return text;
    text = ttp_str_slice(text, device.len, text.len);
    const size_t end = ttp_str_find_char(text, '_');
    return ttp_str_slice(text, end == TTP_NPOS ? text.len : end + 1, text.len);
}

static void put_memories(struct ttp_sink *out, bool *any, ttp_str a, ttp_str b)
{
    static const char *const tensor[] = {"input 0", "input 1", "output"};

    for (size_t i = 0; i < TTP_COUNT(tensor); i++) {
        const ttp_str is = next_tensor(&a), then = next_tensor(&b);

        if (ttp_str_eq(is, then) || then.len == 0)
            continue;
        begin(out, any);
        ttp_sink_printf(out, "%s in ", tensor[i]);
        put_memory(out, then);
    }
}

ttp_str ttp_history_op_settings(const struct ttp_run_op *a, const struct ttp_run_op *b,
                                struct ttp_arena *arena)
{
    struct ttp_sink out;
    bool any = false;

    ttp_sink_to_arena(&out, arena);
    put_config(&out, &any, a->config, b->config);
    if (b->cores >= 0 && a->cores != b->cores) {
        begin(&out, &any);
        ttp_sink_printf(&out, "%lld core%s", (long long)b->cores, b->cores == 1 ? "" : "s");
    }
    if (b->fidelity.len && !ttp_str_eq(a->fidelity, b->fidelity)) {
        begin(&out, &any);
        ttp_sink_put(&out, b->fidelity);
    }
    put_memories(&out, &any, a->memory, b->memory);
    return ttp_sink_text(&out);
}

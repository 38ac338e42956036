/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of ops, traces and signposts can be recognised by their text alone. In every dialect so
 * far a message is its text after a length of one or two bytes, then an item that begins with an id
 * and the tick. Where we have no table, or a block does not fit it, those are picked out. */
#include "capture/bytes.h"
#include "capture/wire_stream.h"

#define NS_PER_MONTH 2.7e15

static const ttp_str words[] = {
    {"TT_DNN", 6},
    {"TT_METAL", 8},
    {"TT_SIGNPOST", 11},
    {"MLIR_", 5},
};

static bool is_plausible_tick(const struct ttp_welcome *welcome, int64_t tick)
{
    const double ns = ((double)tick - (double)welcome->init_begin) * welcome->timer_mul;

    return ns >= 0 && ns < NS_PER_MONTH;
}

/* A text of `len` bytes at `start`, followed by an id and a tick. */
static bool fits(ttp_str block, size_t start, size_t len, const struct ttp_welcome *welcome,
                 struct ttp_salvaged *out)
{
    if (len == 0 || start + len + 9 > block.len)
        return false;
    out->text = (ttp_str){block.ptr + start, len};
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)out->text.ptr[i] < ' ' && !memchr("\n\t\r", out->text.ptr[i], 3))
            return false;
    /* names of zones have the words too, but neither quotes nor a colon */
    if (out->text.ptr[0] != '`' && ttp_str_find_char(out->text, ':') == TTP_NPOS &&
        ttp_str_find_char(out->text, ';') == TTP_NPOS)
        return false;
    out->tick = ttp_get_i64(block.ptr + start + len + 1);
    return is_plausible_tick(welcome, out->tick);
}

static bool at_start(ttp_str block, size_t start, const struct ttp_welcome *welcome,
                     struct ttp_salvaged *out)
{
    if (start >= 3 && fits(block, start, ttp_get16(block.ptr + start - 2), welcome, out))
        return true;
    if (start >= 3 &&
        fits(block, start, (size_t)ttp_get16(block.ptr + start - 2) + 256, welcome, out))
        return true;
    return start >= 2 && fits(block, start, (unsigned char)block.ptr[start - 1], welcome, out);
}

bool ttp_capture_salvage_next(struct ttp_salvaged *out, ttp_str block, size_t *at,
                              const struct ttp_welcome *welcome)
{
    for (;;) {
        const ttp_str rest = ttp_str_slice(block, *at, block.len);
        size_t hit = TTP_NPOS;

        for (size_t i = 0; i < TTP_COUNT(words); i++) {
            const size_t found = ttp_str_find(rest, words[i]);
            hit = found < hit ? found : hit;
        }
        if (hit == TTP_NPOS)
            return false;
        hit += *at;
        if (at_start(block, hit, welcome, out) ||
            (hit > 0 && block.ptr[hit - 1] == '`' && at_start(block, hit - 1, welcome, out))) {
            *at = (size_t)(out->text.ptr - block.ptr) + out->text.len;
            return true;
        }
        *at = hit + 4;
    }
}

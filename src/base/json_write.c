/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <assert.h>
#include <math.h>

#include "base/gate.h"
#include "base/json_scan.h"

#define EXACT_MAX ((int64_t)1 << 53) /* cli.md: integers beyond it are strings */

static bool in_object(const struct ttp_json_writer *w)
{
    const uint32_t d = w->depth - 1;
    return w->depth && (w->objects[d >> 6] >> (d & 63) & 1);
}

/* assert() that keeps its condition in use where assertions are off. */
static void expect(bool condition)
{
    assert(condition);
    (void)condition;
}

static void new_line(struct ttp_json_writer *w)
{
    ttp_sink_char(w->sink, '\n');
    ttp_sink_repeat(w->sink, ' ', (size_t)w->depth * 2);
}

/* What separates an item or key from the one before. */
static void separate(struct ttp_json_writer *w)
{
    if (w->any && w->depth)
        ttp_sink_char(w->sink, ',');
    if (w->depth ? w->indent : w->any)
        new_line(w);
    w->any = true;
}

static void before_value(struct ttp_json_writer *w)
{
    expect(in_object(w) == w->after_key);
    if (!w->after_key)
        separate(w);
    w->after_key = false;
}

static void begin(struct ttp_json_writer *w, bool object)
{
    before_value(w);
    expect(w->depth < TTP_JSON_WRITE_DEPTH_MAX);
    const uint64_t bit = (uint64_t)1 << (w->depth & 63);
    uint64_t *word = &w->objects[w->depth >> 6];
    *word = object ? *word | bit : *word & ~bit;
    w->depth++;
    w->any = false;
    ttp_sink_char(w->sink, object ? '{' : '[');
}

static void end(struct ttp_json_writer *w, bool object)
{
    expect(w->depth && in_object(w) == object && !w->after_key);
    w->depth--;
    if (w->any && w->indent)
        new_line(w);
    w->any = true;
    ttp_sink_char(w->sink, object ? '}' : ']');
}

void ttp_json_begin_object(struct ttp_json_writer *w)
{
    begin(w, true);
}

void ttp_json_end_object(struct ttp_json_writer *w)
{
    end(w, true);
}

void ttp_json_begin_array(struct ttp_json_writer *w)
{
    begin(w, false);
}

void ttp_json_end_array(struct ttp_json_writer *w)
{
    end(w, false);
}

size_t ttp_json_malformed(ttp_str s)
{
    size_t n = 1;

    if (ttp_json_utf8(s.ptr, 1) < 0)
        return 1;
    while (n < s.len && ttp_json_utf8(s.ptr, n + 1) == 0)
        n++;
    return n;
}

static void put_escape(struct ttp_sink *sink, char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt", hex[] = "0123456789abcdef";
    const char *hit = memchr(from, c, sizeof(from) - 1);

    if (hit) {
        const char pair[2] = {'\\', to[hit - from]};
        ttp_sink_trusted(sink, (ttp_str){pair, 2});
    } else {
        const char code[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        ttp_sink_trusted(sink, (ttp_str){code, 6});
    }
}

/* JSON allows DEL, C1 and bidirectional controls in strings; a terminal that shows them does not.
 * In valid JSON they are in strings only. */
static void put_shown(struct ttp_sink *sink, ttp_str s)
{
    static const char hex[] = "0123456789abcdef";

    while (s.len) {
        size_t clean = ttp_gate_clean_prefix(s);
        while (clean < s.len && (unsigned char)s.ptr[clean] < 0x20) /* blanks between values */
            clean += 1 + ttp_gate_clean_prefix(ttp_str_slice(s, clean + 1, s.len));
        ttp_sink_trusted(sink, ttp_str_slice(s, 0, clean));
        s = ttp_str_slice(s, clean, s.len);
        if (s.len == 0)
            return;
        const size_t n = ttp_str_utf8_sequence(s);
        if (n == 0) {
            ttp_sink_trusted(sink, TTP_STR("\xEF\xBF\xBD"));
            s = ttp_str_slice(s, ttp_json_malformed(s), s.len);
            continue;
        }
        const uint32_t c = ttp_str_code_point(s);
        const char code[6] = {
            '\\', 'u', hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15], hex[c & 15]};
        ttp_sink_trusted(sink, (ttp_str){code, 6});
        s = ttp_str_slice(s, n, s.len);
    }
}

static void put_quoted(struct ttp_sink *sink, ttp_str s)
{
    if (s.len == 0) /* the slice may be NULL */
        s = TTP_STR("");
    const char *p = s.ptr, *from = p, *const past = s.ptr + s.len;
    ttp_sink_char(sink, '"');
    while ((p = ttp_json_plain_end(p, past)) < past) {
        const size_t left = (size_t)(past - p);
        const int n = (unsigned char)*p < 0x80 ? 0 : ttp_json_utf8(p, left);

        if (n > 0) {
            p += n;
            continue;
        }
        put_shown(sink, (ttp_str){from, (size_t)(p - from)});
        if ((unsigned char)*p < 0x80) {
            put_escape(sink, *p++);
        } else {
            ttp_sink_trusted(sink, TTP_STR("\xEF\xBF\xBD"));
            p += ttp_json_malformed((ttp_str){p, left});
        }
        from = p;
    }
    put_shown(sink, (ttp_str){from, (size_t)(p - from)});
    ttp_sink_char(sink, '"');
}

/* Is it of characters that every reader and every terminal takes as they are? */
static bool is_identifier(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (!((c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9')))
            return false;
    }
    return true;
}

void ttp_json_put_key(struct ttp_json_writer *w, ttp_str key)
{
    expect(in_object(w) && !w->after_key);
    separate(w);
    if (is_identifier(key)) { /* those of our own fields */
        ttp_sink_char(w->sink, '"');
        ttp_sink_trusted(w->sink, key);
        ttp_sink_char(w->sink, '"');
    } else {
        put_quoted(w->sink, key);
    }
    ttp_sink_trusted(w->sink, w->indent ? TTP_STR(": ") : TTP_STR(":"));
    w->after_key = true;
}

void ttp_json_put_raw(struct ttp_json_writer *w, ttp_str json)
{
    before_value(w);
    put_shown(w->sink, json);
}

/* A word or a number, which need no look at their characters. */
static void put_word(struct ttp_json_writer *w, ttp_str word)
{
    before_value(w);
    ttp_sink_trusted(w->sink, word);
}

void ttp_json_put_str(struct ttp_json_writer *w, ttp_str s)
{
    before_value(w);
    put_quoted(w->sink, s);
}

void ttp_json_put_i64(struct ttp_json_writer *w, int64_t v)
{
    char text[TTP_NUM_MAX];
    const ttp_str digits = {text, ttp_num_i64(text, v)};

    if (v > EXACT_MAX || v < -EXACT_MAX)
        ttp_json_put_str(w, digits);
    else
        put_word(w, digits);
}

void ttp_json_put_u64(struct ttp_json_writer *w, uint64_t v)
{
    char text[TTP_NUM_MAX];
    const ttp_str digits = {text, ttp_num_u64(text, v)};

    if (v > (uint64_t)EXACT_MAX)
        ttp_json_put_str(w, digits);
    else
        put_word(w, digits);
}

void ttp_json_put_f64(struct ttp_json_writer *w, double v)
{
    char text[TTP_NUM_MAX];

    if (isfinite(v))
        put_word(w, (ttp_str){text, ttp_num_f64(text, v, TTP_NUM_JSON)});
    else
        ttp_json_put_null(w);
}

void ttp_json_put_fixed(struct ttp_json_writer *w, double v, int digits)
{
    char text[TTP_NUM_FIXED_MAX];

    if (isfinite(v))
        put_word(w, (ttp_str){text, ttp_num_fixed(text, v, digits, false)});
    else
        ttp_json_put_null(w);
}

void ttp_json_put_bool(struct ttp_json_writer *w, bool v)
{
    put_word(w, v ? TTP_STR("true") : TTP_STR("false"));
}

void ttp_json_put_null(struct ttp_json_writer *w)
{
    put_word(w, TTP_STR("null"));
}

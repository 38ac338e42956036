/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in: cut in pieces they give the same events, or the same failure at the same place, as
 * in one piece; accepted documents, written and read again, are equal; skipping agrees with reading
 * on where a value ends. The first byte chooses options and cuts. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "fuzz.h"

static void check(bool promise)
{
    if (!promise)
        abort();
}

struct pull {
    struct ttp_json_reader r;
    ttp_str rest;
    size_t cut; /* pieces have 0 to cut - 1 bytes; 0: one piece */
    uint32_t seed;
    bool started;
};

static void feed(struct pull *p)
{
    size_t n = p->rest.len;

    p->seed = p->seed * 1103515245 + 12345;
    if (p->cut && (p->seed >> 16) % p->cut < n)
        n = (p->seed >> 16) % p->cut;
    const ttp_str piece = {p->rest.ptr, n};
    p->rest = (ttp_str){p->rest.ptr + n, p->rest.len - n};
    ttp_json_feed(&p->r, piece, p->rest.len == 0);
}

/* The next event that is not TTP_JSON_MORE. */
static ttp_code pull(struct pull *p, bool skip, enum ttp_json_event *event, struct ttp_err *err)
{
    if (!p->started)
        feed(p);
    p->started = true;
    for (;;) {
        TTP_TRY(skip ? ttp_json_skip(event, &p->r, err) : ttp_json_next(event, &p->r, err));
        if (*event != TTP_JSON_MORE)
            return TTP_OK;
        feed(p);
    }
}

static bool has_text(enum ttp_json_event event)
{
    return event == TTP_JSON_KEY || event == TTP_JSON_STRING || event == TTP_JSON_NUMBER;
}

static void check_number(ttp_str text)
{
    double v, w;
    int64_t s;
    uint64_t u;
    char digits[TTP_NUM_MAX];

    check(ttp_json_to_f64(text, &v));
    if (v - v == 0) /* finite */
        check(ttp_json_to_f64((ttp_str){digits, ttp_num_f64(digits, v, TTP_NUM_JSON)}, &w) &&
              w == v);
    if (ttp_json_to_i64(text, &s))
        check((double)s == v);
    if (ttp_json_to_u64(text, &u))
        check((double)u == v);
}

static void rewrite(struct ttp_json_writer *w, enum ttp_json_event event, ttp_str text)
{
    switch (event) {
    case TTP_JSON_OBJECT_BEGIN:
        ttp_json_begin_object(w);
        break;
    case TTP_JSON_OBJECT_END:
        ttp_json_end_object(w);
        break;
    case TTP_JSON_ARRAY_BEGIN:
        ttp_json_begin_array(w);
        break;
    case TTP_JSON_ARRAY_END:
        ttp_json_end_array(w);
        break;
    case TTP_JSON_KEY:
        ttp_json_put_key(w, text);
        break;
    case TTP_JSON_STRING:
        ttp_json_put_str(w, text);
        break;
    case TTP_JSON_NUMBER:
        check_number(text);
        ttp_json_put_raw(w, text);
        break;
    case TTP_JSON_TRUE:
    case TTP_JSON_FALSE:
        ttp_json_put_bool(w, event == TTP_JSON_TRUE);
        break;
    case TTP_JSON_NULL:
        ttp_json_put_null(w);
        break;
    default:
        break;
    }
}

/* Both readers give the same; places count only if the texts are the same. `copy` may be NULL. */
static ttp_code compare(struct pull a, struct pull b, bool places, struct ttp_json_writer *copy)
{
    enum ttp_json_event event_a = TTP_JSON_MORE, event_b = TTP_JSON_MORE;
    ttp_code rc = TTP_OK;

    while (rc == TTP_OK && event_a != TTP_JSON_END) {
        struct ttp_err err_a = {0}, err_b = {0};

        rc = pull(&a, false, &event_a, &err_a);
        check(pull(&b, false, &event_b, &err_b) == rc);
        if (rc == TTP_OK) {
            check(event_a == event_b && a.r.depth == b.r.depth);
            check(!has_text(event_a) || ttp_str_eq(a.r.text, b.r.text));
            check(!places || a.r.offset == b.r.offset);
            if (copy)
                rewrite(copy, event_a, a.r.text);
        } else {
            check(err_a.offset == err_b.offset && err_a.offset <= a.r.fed);
        }
    }
    ttp_json_clear(&a.r);
    ttp_json_clear(&b.r);
    return rc;
}

/* In a document that is known to be good. */
static void compare_skip(struct pull skipper, struct pull reader)
{
    enum ttp_json_event event, other;

    do {
        const uint32_t depth = skipper.r.depth;

        /* Go into the outermost, pass over what is inside. */
        check(pull(&skipper, depth > 0, &event, NULL) == TTP_OK);
        do
            check(pull(&reader, false, &other, NULL) == TTP_OK);
        while (depth > 0 && reader.r.depth > depth);
        check(event == other && skipper.r.offset == reader.r.offset &&
              skipper.r.depth == reader.r.depth);
    } while (event != TTP_JSON_END);
    ttp_json_clear(&skipper.r);
    ttp_json_clear(&reader.r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const uint8_t choice = data[0];
    const struct ttp_json_reader options = {.python = choice & 1,
                                            .replace_surrogate = choice & 2,
                                            .many = choice & 4,
                                            .max_depth = choice & 8 ? 5 : 0,
                                            .max_token = choice & 16 ? 9 : 0};
    const ttp_str text = {(const char *)data + 1, size - 1};
    const struct pull whole = {.r = options, .rest = text};
    const struct pull cut = {.r = options, .rest = text, .cut = 2 + (choice >> 5) * 13};
    struct ttp_arena arena = {0};
    struct ttp_sink sink;
    struct ttp_json_writer copy = {.sink = &sink, .indent = choice & 128};

    ttp_sink_to_arena(&sink, &arena);
    if (compare(whole, cut, true, &copy) == TTP_OK) {
        const struct pull again = {.r = options, .rest = ttp_sink_text(&sink), .cut = cut.cut};

        if (sink.len) /* else there was no value */
            check(compare(whole, again, false, NULL) == TTP_OK);
        compare_skip(cut, whole);
    }
    ttp_arena_free(&arena);
    return 0;
}

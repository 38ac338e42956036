/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_file.h"

#include <math.h>

#include "base/json_scan.h"

/* Small, since many traces are read at the same time. */
#define WINDOW ((size_t)1 << 20)

ttp_code ttp_json_file_open(struct ttp_json_file *f, const char *path, struct ttp_err *err)
{
    *f = (struct ttp_json_file){.event = TTP_JSON_MORE};
    f->json.replace_surrogate = true;
    return ttp_input_open(&f->in, path, WINDOW, true, err);
}

static ttp_code feed(struct ttp_json_file *f, struct ttp_err *err)
{
    bool more;

    if (f->block.text.ptr) {
        f->lines += ttp_str_count_lines(f->block.text);
        ttp_input_release(f->in, &f->block);
    }
    f->block = (struct ttp_block){0};
    TTP_TRY(ttp_input_next(f->in, &f->block, &more, (struct ttp_cutter){NULL, NULL}, err));
    if (!more)
        f->block = (struct ttp_block){0};
    ttp_json_feed(&f->json, f->block.text, !more || f->block.last);
    return TTP_OK;
}

uint64_t ttp_json_file_line(const struct ttp_json_file *f, size_t offset)
{
    const size_t inside = offset > f->block.offset ? offset - (size_t)f->block.offset : 0;

    return f->lines + 1 + ttp_str_count_lines(ttp_str_slice(f->block.text, 0, inside));
}

/* Characters of a number that is always in range: of any, the largest being 9e99; of a whole one.
 */
enum { ALWAYS_FITS = 4, WHOLE_FITS = 18 };

/* Text that tt-npe's JSON reader rejects anywhere. */
static ttp_code check_bounds(const struct ttp_json_file *f, struct ttp_err *err)
{
    const ttp_str text = f->json.text;
    uint64_t whole;
    int64_t negative;
    double real;

    if (text.len <= ALWAYS_FITS)
        return TTP_OK;
    if (ttp_json_file_is_plain(f) ? text.len <= WHOLE_FITS || ttp_json_to_u64(text, &whole) ||
                                        ttp_json_to_i64(text, &negative)
                                  : ttp_json_to_f64(text, &real) && isfinite(real))
        return TTP_OK;
    ttp_fail_at(err, TTP_EPARSE, f->json.offset, "the number %.*s is too large", TTP_FMT(text));
    ttp_err_where(err, "", ttp_json_file_line(f, f->json.offset));
    return TTP_EPARSE;
}

/* Nothing more is to be done: no piece of text, no failure, no check. */
TTP_INLINE bool is_usual(const struct ttp_json_file *f, ttp_code rc)
{
    return rc == TTP_OK && f->event != TTP_JSON_MORE &&
           !(f->event == TTP_JSON_NUMBER && f->bounded);
}

/* What the reader returned, after as many pieces of text as it takes. */
TTP_NOINLINE static ttp_code pull(struct ttp_json_file *f, bool skip, ttp_code rc,
                                  struct ttp_err *err)
{
    while (rc == TTP_OK && f->event == TTP_JSON_MORE) {
        TTP_TRY(feed(f, err));
        rc = skip ? ttp_json_skip(&f->event, &f->json, err)
                  : ttp_json_next(&f->event, &f->json, err);
    }
    if (rc != TTP_OK)
        ttp_err_where(err, "", ttp_json_file_line(f, err ? err->offset : 0));
    else if (f->event == TTP_JSON_NUMBER && f->bounded)
        return check_bounds(f, err);
    return rc;
}

ttp_code ttp_json_file_next(struct ttp_json_file *f, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    if (TTP_LIKELY(f->event != TTP_JSON_MORE))
        rc = ttp_json_next(&f->event, &f->json, err);
    return TTP_LIKELY(is_usual(f, rc)) ? TTP_OK : pull(f, false, rc, err);
}

ttp_code ttp_json_file_skip(struct ttp_json_file *f, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    if (f->bounded) {
        TTP_TRY(ttp_json_file_next(f, err));
        return ttp_json_file_leave(f, err);
    }
    if (f->event != TTP_JSON_MORE)
        rc = ttp_json_skip(&f->event, &f->json, err);
    return pull(f, true, rc, err);
}

ttp_code ttp_json_file_leave(struct ttp_json_file *f, struct ttp_err *err)
{
    if (f->event != TTP_JSON_OBJECT_BEGIN && f->event != TTP_JSON_ARRAY_BEGIN)
        return TTP_OK;
    const uint32_t depth = f->json.depth;
    while (f->json.depth >= depth)
        TTP_TRY(ttp_json_file_next(f, err));
    return TTP_OK;
}

void ttp_json_file_close(struct ttp_json_file *f)
{
    if (f->block.text.ptr)
        ttp_input_release(f->in, &f->block);
    ttp_input_close(f->in);
    ttp_json_clear(&f->json);
}

bool ttp_json_file_is_plain(const struct ttp_json_file *f)
{
    const ttp_str text = f->json.text;

    if (f->event != TTP_JSON_NUMBER)
        return false;
    const char *end = text.ptr + text.len; /* the first is a digit or a sign */
    return ttp_json_digits_end(text.ptr + 1, end) == end;
}

bool ttp_json_file_int(const struct ttp_json_file *f, int64_t low, int64_t high, int64_t *out)
{
    uint64_t plain;
    int64_t value;

    if (f->event != TTP_JSON_NUMBER)
        return false;
    if (ttp_str_to_u64(f->json.text, &plain) && plain <= INT64_MAX)
        value = (int64_t)plain;
    else if (!ttp_json_to_i64(f->json.text, &value))
        return false;
    if (value < low || value > high)
        return false;
    *out = value;
    return true;
}

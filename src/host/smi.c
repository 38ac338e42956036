/* SPDX-License-Identifier: Apache-2.0 */
/* smi.c - snapshots of tt-smi. docs/formats/tt_smi.md describes them. */
#include "base/json_read.h"
#include "base/num.h"
#include "base/vec.h"
#include "host/checkup.h"
#include "host/host.h"

#define DEVICES_MAX 1024
#define VALUES_MAX  1024 /* per device; there are about 120 */
#define TEXT_MAX    4096

struct reading {
    struct ttp_smi *out;
    struct ttp_json_reader json;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static ttp_code next(struct reading *r, enum ttp_json_event *event)
{
    return ttp_json_next(event, &r->json, r->err);
}

/* To the end of the value that has begun, if it is an object or list. */
static ttp_code skip_value(struct reading *r, uint32_t depth)
{
    enum ttp_json_event event;
    ttp_code rc = TTP_OK;

    while (rc == TTP_OK && r->json.depth > depth)
        rc = ttp_json_skip(&event, &r->json, r->err);
    return rc;
}

static bool is_scalar(enum ttp_json_event event)
{
    return event == TTP_JSON_STRING || event == TTP_JSON_NUMBER || event == TTP_JSON_TRUE ||
           event == TTP_JSON_FALSE || event == TTP_JSON_NULL;
}

/* A scalar as text; null is none. */
static ttp_str scalar_text(const struct reading *r, enum ttp_json_event event)
{
    switch (event) {
    case TTP_JSON_TRUE:
        return TTP_STR("true");
    case TTP_JSON_FALSE:
        return TTP_STR("false");
    case TTP_JSON_STRING:
    case TTP_JSON_NUMBER:
        return ttp_arena_copy(r->arena, ttp_str_slice(r->json.text, 0, TEXT_MAX));
    default:
        return (ttp_str){0};
    }
}

static ttp_code add_value(struct reading *r, struct ttp_smi_device *d, ttp_str section, ttp_str key,
                          ttp_str text)
{
    if (d->count == VALUES_MAX)
        return ttp_fail_at(r->err, TTP_ELIMIT, r->json.offset, "a device has more than %d values",
                           VALUES_MAX);
    *TTP_PUSH(r->arena, d->value, d->count) = (struct ttp_smi_value){section, key, text};
    return TTP_OK;
}

/* The next key of an object, in the arena, and the event of its value; *more is false at its end.
 */
static ttp_code next_member(struct reading *r, ttp_str *key, enum ttp_json_event *value, bool *more)
{
    TTP_TRY(next(r, value));
    *more = *value == TTP_JSON_KEY;
    if (!*more)
        return TTP_OK;
    *key = ttp_arena_copy(r->arena, ttp_str_slice(r->json.text, 0, TEXT_MAX));
    return next(r, value);
}

/* The members of one section: scalars; what is nested deeper does not count. */
static ttp_code read_section(struct reading *r, struct ttp_smi_device *d, ttp_str section)
{
    const uint32_t depth = r->json.depth;
    enum ttp_json_event event = TTP_JSON_END;
    ttp_code rc;
    ttp_str key;
    bool more;

    while ((rc = next_member(r, &key, &event, &more)) == TTP_OK && more) {
        rc = is_scalar(event) ? add_value(r, d, section, key, scalar_text(r, event))
                              : skip_value(r, depth);
        if (rc != TTP_OK)
            break;
    }
    return rc;
}

/* NULL: there are too many, which is an error. */
static struct ttp_smi_device *add_device(struct reading *r)
{
    struct ttp_smi *smi = r->out;

    if (smi->count == DEVICES_MAX) {
        (void)ttp_fail_at(r->err, TTP_ELIMIT, r->json.offset, "more than %d devices", DEVICES_MAX);
        return NULL;
    }
    return TTP_PUSH(r->arena, smi->device, smi->count);
}

static ttp_code read_device(struct reading *r)
{
    const uint32_t depth = r->json.depth;
    struct ttp_smi_device *d = add_device(r);
    enum ttp_json_event event = TTP_JSON_END;
    ttp_code rc;
    ttp_str key;
    bool more;

    if (!d)
        return TTP_ELIMIT;
    while ((rc = next_member(r, &key, &event, &more)) == TTP_OK && more) {
        if (event == TTP_JSON_OBJECT_BEGIN)
            rc = read_section(r, d, key);
        else if (is_scalar(event)) /* old snapshots: no sections */
            rc = add_value(r, d, TTP_STR(""), key, scalar_text(r, event));
        else
            rc = skip_value(r, depth);
        if (rc != TTP_OK)
            break;
    }
    return rc;
}

static ttp_code read_devices(struct reading *r, enum ttp_json_event event)
{
    if (event != TTP_JSON_ARRAY_BEGIN)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "device_info is not a list");
    for (;;) {
        TTP_TRY(next(r, &event));
        if (event == TTP_JSON_ARRAY_END)
            return TTP_OK;
        if (event != TTP_JSON_OBJECT_BEGIN)
            return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "a device is not an object");
        TTP_TRY(read_device(r));
    }
}

/* One word out of an object of words. */
static ttp_code read_word_of(struct reading *r, enum ttp_json_event event, ttp_str name,
                             ttp_str *out)
{
    const uint32_t depth = r->json.depth;
    ttp_code rc = TTP_OK;
    ttp_str key;
    bool more;

    if (event != TTP_JSON_OBJECT_BEGIN)
        return TTP_OK;
    while ((rc = next_member(r, &key, &event, &more)) == TTP_OK && more) {
        if (is_scalar(event) && ttp_str_eq(key, name))
            *out = scalar_text(r, event);
        rc = skip_value(r, depth);
        if (rc != TTP_OK)
            break;
    }
    return rc;
}

static ttp_code read_snapshot(struct reading *r)
{
    enum ttp_json_event event = TTP_JSON_END;
    bool any = false, more;
    ttp_code rc;
    ttp_str key;

    TTP_TRY(next(r, &event));
    if (event != TTP_JSON_OBJECT_BEGIN)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset, "not a snapshot of tt-smi");
    while ((rc = next_member(r, &key, &event, &more)) == TTP_OK && more) {
        if (ttp_str_eq(key, TTP_STR("device_info"))) {
            any = true;
            rc = read_devices(r, event);
        } else if (ttp_str_eq(key, TTP_STR("host_info"))) {
            rc = read_word_of(r, event, TTP_STR("Driver"), &r->out->driver);
        } else if (ttp_str_eq(key, TTP_STR("host_sw_vers"))) {
            rc = read_word_of(r, event, TTP_STR("tt_smi"), &r->out->version);
        } else if (ttp_str_eq(key, TTP_STR("time")) && is_scalar(event)) {
            r->out->time = scalar_text(r, event);
        }
        if (rc == TTP_OK)
            rc = skip_value(r, 1);
        if (rc != TTP_OK)
            return rc;
    }
    if (rc == TTP_OK)
        rc = next(r, &event); /* nothing may follow */
    if (rc == TTP_OK && !any)
        return ttp_fail_at(r->err, TTP_EPARSE, r->json.offset,
                           "not a snapshot of tt-smi: it has no device_info");
    return rc;
}

ttp_code ttp_smi_read(struct ttp_smi *out, ttp_str text, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    struct reading r = {.out = out, .arena = arena, .err = err};

    *out = (struct ttp_smi){0};
    r.json.python = r.json.replace_surrogate = true;
    ttp_json_feed(&r.json, text, true);
    const ttp_code rc = read_snapshot(&r);
    ttp_json_clear(&r.json);
    return rc;
}

/* --- values --- */

/* Is `name` one of the words of a list with '|' between? */
static bool is_one_of(ttp_str name, const char *words)
{
    ttp_str rest = ttp_str_from(words);

    while (rest.len) {
        const size_t bar = ttp_str_find_char(rest, '|');

        if (ttp_str_eq_any_case(name, ttp_str_slice(rest, 0, bar)))
            return true;
        rest = bar == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(rest, bar + 1, rest.len);
    }
    return false;
}

ttp_str ttp_smi_text(const struct ttp_smi_device *d, const char *section, const char *keys)
{
    for (size_t i = 0; d && i < d->count; i++) {
        const struct ttp_smi_value *v = &d->value[i];
        const ttp_str text = ttp_str_trim(v->text);

        if (text.len && is_one_of(v->key, keys) &&
            (v->section.len == 0 || is_one_of(v->section, section)) &&
            !ttp_str_eq_any_case(text, TTP_STR("N/A")) &&
            !ttp_str_eq_any_case(text, TTP_STR("None")))
            return text;
    }
    return (ttp_str){0};
}

bool ttp_smi_number(double *out, const struct ttp_smi_device *d, const char *section,
                    const char *keys)
{
    const ttp_str s = ttp_smi_text(d, section, keys);
    uint64_t bits;
    double v;

    if (ttp_str_starts(s, TTP_STR("0x"))) {
        if (!ttp_str_hex_to_u64(ttp_str_slice(s, 2, s.len), &bits))
            return false;
        *out = (double)bits;
        return true;
    }
    if (!ttp_str_to_f64(s, &v) || !(v > -1e15 && v < 1e15))
        return false;
    *out = v;
    return true;
}

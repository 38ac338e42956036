/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors: a length, a JSON object that names types, shapes and places, then the data. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/vec.h"
#include "tensor/tensor_readers.h"

/* The reference implementation's limit. */
#define HEADER_MAX ((uint64_t)100 << 20)

static const struct {
    const char *name;
    enum ttp_dtype type;
} types[] = {
    {"BOOL", TTP_DTYPE_BOOL}, {"U8", TTP_DTYPE_U8},           {"I8", TTP_DTYPE_I8},
    {"U16", TTP_DTYPE_U16},   {"I16", TTP_DTYPE_I16},         {"U32", TTP_DTYPE_U32},
    {"I32", TTP_DTYPE_I32},   {"U64", TTP_DTYPE_U64},         {"I64", TTP_DTYPE_I64},
    {"F16", TTP_DTYPE_F16},   {"BF16", TTP_DTYPE_BF16},       {"F32", TTP_DTYPE_F32},
    {"F64", TTP_DTYPE_F64},   {"F8_E4M3", TTP_DTYPE_F8_E4M3}, {"F8_E5M2", TTP_DTYPE_F8_E5M2},
};

struct reading {
    struct ttp_json_reader json;
    struct ttp_tensors *out;
    ttp_str buffer;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

struct entry {
    bool has_type, has_shape, has_place;
    uint64_t begin, end;
};

/* Bytes before the JSON text: its length. */
#define PREFIX 8

static ttp_code bad(struct reading *r, const char *what)
{
    ttp_fail_at(r->err, TTP_EPARSE, PREFIX + r->json.offset, "safetensors header: %s", what);
    return TTP_EPARSE;
}

static ttp_code next(enum ttp_json_event *event, struct reading *r)
{
    const ttp_code rc = ttp_json_next(event, &r->json, r->err);

    if (rc != TTP_OK && r->err)
        r->err->offset += PREFIX;
    return rc;
}

static ttp_code read_numbers(struct reading *r, uint64_t *out, uint32_t max, uint32_t *count)
{
    enum ttp_json_event event;

    *count = 0;
    TTP_TRY(next(&event, r));
    if (event != TTP_JSON_ARRAY_BEGIN)
        return bad(r, "not an array of whole numbers");
    for (;;) {
        uint64_t v;

        TTP_TRY(next(&event, r));
        if (event == TTP_JSON_ARRAY_END)
            return TTP_OK;
        if (event != TTP_JSON_NUMBER || !ttp_json_to_u64(r->json.text, &v))
            return bad(r, "not an array of whole numbers");
        if (*count == max)
            return bad(r, "too many numbers in an array");
        out[(*count)++] = v;
    }
}

static ttp_code read_type(struct reading *r, struct ttp_tensor *t)
{
    enum ttp_json_event event;

    TTP_TRY(next(&event, r));
    if (event != TTP_JSON_STRING)
        return bad(r, "dtype is not a string");
    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_eq(r->json.text, ttp_str_from(types[i].name)))
            t->dtype = types[i].type;
    if (t->dtype == TTP_DTYPE_NONE)
        t->unreadable = "its dtype is unknown";
    return TTP_OK;
}

static ttp_code read_member(struct reading *r, struct ttp_tensor *t, struct entry *e)
{
    enum ttp_json_event event;
    uint32_t count;

    if (ttp_str_eq(r->json.text, TTP_STR("dtype"))) {
        e->has_type = true;
        return read_type(r, t);
    }
    if (ttp_str_eq(r->json.text, TTP_STR("shape"))) {
        uint64_t shape[TTP_TENSOR_DIMS_MAX];

        e->has_shape = true;
        TTP_TRY(read_numbers(r, shape, TTP_TENSOR_DIMS_MAX, &count));
        if (!ttp_tensor_set_shape(t, shape, count))
            return ttp_fail(r->err, TTP_ELIMIT, "safetensors header: too many elements");
        return TTP_OK;
    }
    if (ttp_str_eq(r->json.text, TTP_STR("data_offsets"))) {
        uint64_t place[2];

        e->has_place = true;
        TTP_TRY(read_numbers(r, place, 2, &count));
        if (count != 2)
            return bad(r, "data_offsets are not two numbers");
        e->begin = place[0];
        e->end = place[1];
        return TTP_OK;
    }
    return ttp_json_skip(&event, &r->json, r->err);
}

static struct ttp_tensor *add_tensor(struct reading *r)
{
    return TTP_PUSH(r->arena, r->out->item, r->out->count);
}

static ttp_code read_entry(struct reading *r, ttp_str name)
{
    struct ttp_tensor *t = add_tensor(r);
    struct entry e = {0};
    enum ttp_json_event event;

    t->name = ttp_arena_copy(r->arena, name);
    TTP_TRY(next(&event, r));
    if (event != TTP_JSON_OBJECT_BEGIN)
        return bad(r, "a tensor is not an object");
    for (;;) {
        TTP_TRY(next(&event, r));
        if (event == TTP_JSON_OBJECT_END)
            break;
        TTP_TRY(read_member(r, t, &e));
    }
    if (!e.has_type || !e.has_shape || !e.has_place)
        return bad(r, "a tensor lacks dtype, shape or data_offsets");
    if (e.begin > e.end || e.end > r->buffer.len)
        return bad(r, "a tensor extends beyond the end of the file: truncated?");
    t->data = ttp_str_slice(r->buffer, e.begin, e.end);
    if (!t->unreadable && t->data.len != t->count * ttp_tensor_dtype_size(t->dtype))
        return bad(r, "a tensor's data_offsets do not match its shape");
    return TTP_OK;
}

static ttp_code read_header(struct reading *r)
{
    enum ttp_json_event event;

    TTP_TRY(next(&event, r));
    if (event != TTP_JSON_OBJECT_BEGIN)
        return bad(r, "not an object");
    for (;;) {
        TTP_TRY(next(&event, r));
        if (event == TTP_JSON_OBJECT_END)
            return next(&event, r); /* nothing but blanks may follow */
        if (ttp_str_eq(r->json.text, TTP_STR("__metadata__")))
            TTP_TRY(ttp_json_skip(&event, &r->json, r->err));
        else
            TTP_TRY(read_entry(r, r->json.text));
    }
}

static int by_place(const void *pa, const void *pb)
{
    const ttp_str a = (*(const struct ttp_tensor *const *)pa)->data;
    const ttp_str b = (*(const struct ttp_tensor *const *)pb)->data;

    if (a.ptr != b.ptr)
        return a.ptr < b.ptr ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

/* The format forbids it: one region with two names would pass where it must not. */
static ttp_code refuse_overlap(const struct ttp_tensors *list, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    const struct ttp_tensor **sorted = TTP_NEW(arena, const struct ttp_tensor *, list->count);

    for (size_t i = 0; i < list->count; i++)
        sorted[i] = &list->item[i];
    qsort(sorted, list->count, sizeof(const struct ttp_tensor *), by_place);
    for (size_t i = 1; i < list->count; i++)
        if (sorted[i - 1]->data.ptr + sorted[i - 1]->data.len > sorted[i]->data.ptr)
            return ttp_fail(err, TTP_EPARSE, "safetensors header: two tensors overlap");
    return TTP_OK;
}

static bool is_safetensors(ttp_str bytes)
{
    if (bytes.len < PREFIX + 2 || bytes.ptr[PREFIX] != '{')
        return false;
    const uint64_t len = ttp_le64(bytes.ptr);
    return len >= 2 && len <= HEADER_MAX;
}

static ttp_code read_all(struct ttp_tensors *out, ttp_str bytes,
                         const struct ttp_tensor_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    struct reading r = {.out = out, .arena = arena, .err = err};
    const uint64_t len = ttp_le64(bytes.ptr);

    (void)options;
    if (len > bytes.len - PREFIX)
        return ttp_fail_at(err, TTP_EPARSE, bytes.len, "safetensors header: truncated");
    r.buffer = ttp_str_slice(bytes, PREFIX + len, bytes.len);
    ttp_json_feed(&r.json, ttp_str_slice(bytes, PREFIX, PREFIX + len), true);
    ttp_code rc = read_header(&r);
    ttp_json_clear(&r.json);
    if (rc == TTP_OK)
        rc = refuse_overlap(out, arena, err);
    return rc;
}

const struct ttp_tensor_reader ttp_reader_safetensors = {"safetensors", is_safetensors, read_all};

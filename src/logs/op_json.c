/* SPDX-License-Identifier: Apache-2.0 */
/* An op's description. Values become text immediately, as Python's str() shows them, because the
 * report holds that text. The first thing that is missing or of the wrong kind is kept as a fault;
 * reading continues, so that the rest of the row can still be shown. */
#include "logs/op_json.h"

#include "base/json_read.h"
#include "base/python_repr.h"
#include "base/vec.h"

/* Levels are kept in the bits of a word. */
#define MAX_DEPTH 60

struct parser {
    struct ttp_json_reader json;
    enum ttp_json_event event;
    struct ttp_op_info *info;
    struct ttp_arena *arena;
    struct ttp_arena scratch; /* of `text` */
    struct ttp_sink text;
    struct ttp_err *err;
};

static ttp_code next(struct parser *p)
{
    return ttp_json_next(&p->event, &p->json, p->err);
}

static void fault(struct parser *p, const char *what)
{
    if (!p->info->fault)
        p->info->fault = what;
}

static bool is_key(const struct parser *p, const char *name)
{
    return ttp_str_eq(p->json.text, ttp_str_from(name));
}

/* The rest of a value whose first event is the current one. */
static ttp_code skip(struct parser *p)
{
    if (p->event != TTP_JSON_OBJECT_BEGIN && p->event != TTP_JSON_ARRAY_BEGIN)
        return TTP_OK;
    const uint32_t floor = p->json.depth - 1;
    while (p->json.depth > floor)
        TTP_TRY(next(p));
    return TTP_OK;
}

static void put_scalar(struct parser *p)
{
    switch (p->event) {
    case TTP_JSON_STRING:
        ttp_python_repr(&p->text, p->json.text);
        break;
    case TTP_JSON_NUMBER:
        ttp_python_number(&p->text, p->json.text);
        break;
    case TTP_JSON_TRUE:
        ttp_sink_put(&p->text, TTP_STR("True"));
        break;
    case TTP_JSON_FALSE:
        ttp_sink_put(&p->text, TTP_STR("False"));
        break;
    default:
        ttp_sink_put(&p->text, TTP_STR("None"));
        break;
    }
}

/* Arrays and objects that are open; bit d is level d. */
struct open_levels {
    unsigned depth;
    uint64_t object, any; /* any: something was put into it */
};

static void put_event(struct parser *p, struct open_levels *o)
{
    const uint64_t level = (uint64_t)1 << (o->depth & 63); /* MAX_DEPTH holds */
    const bool begin = p->event == TTP_JSON_OBJECT_BEGIN || p->event == TTP_JSON_ARRAY_BEGIN;

    if (p->event == TTP_JSON_OBJECT_END || p->event == TTP_JSON_ARRAY_END) {
        ttp_sink_char(&p->text, p->event == TTP_JSON_OBJECT_END ? '}' : ']');
        o->depth--;
        return;
    }
    if (o->depth && (p->event == TTP_JSON_KEY || !(o->object & level))) {
        if (o->any & level)
            ttp_sink_put(&p->text, TTP_STR(", "));
        o->any |= level;
    }
    if (p->event == TTP_JSON_KEY) {
        ttp_python_repr(&p->text, p->json.text);
        ttp_sink_put(&p->text, TTP_STR(": "));
    } else if (begin) {
        const uint64_t inner = level << 1;
        o->depth++;
        o->any &= ~inner;
        o->object = p->event == TTP_JSON_OBJECT_BEGIN ? o->object | inner : o->object & ~inner;
        ttp_sink_char(&p->text, p->event == TTP_JSON_OBJECT_BEGIN ? '{' : '[');
    } else {
        put_scalar(p);
    }
}

/* repr() of the value whose first event is the current one. */
static ttp_code put_repr(struct parser *p)
{
    struct open_levels open = {0};

    put_event(p, &open);
    while (open.depth) {
        TTP_TRY(next(p));
        put_event(p, &open);
    }
    return TTP_OK;
}

/* str() of the value that comes next. */
static ttp_code read_text(struct parser *p, ttp_str *out)
{
    TTP_TRY(next(p));
    if (p->event == TTP_JSON_STRING) {
        *out = ttp_arena_copy(p->arena, p->json.text);
        return TTP_OK;
    }
    p->text.len = 0;
    TTP_TRY(put_repr(p));
    *out = ttp_arena_copy(p->arena, ttp_sink_text(&p->text));
    return TTP_OK;
}

/* Members one after the other, each handed to `member` with its key current. A value that is not an
 * object is skipped: false. */
typedef ttp_code member_fn(struct parser *p, void *out);
static ttp_code read_object(struct parser *p, bool *is_object, member_fn *member, void *out)
{
    *is_object = p->event == TTP_JSON_OBJECT_BEGIN;
    if (!*is_object)
        return skip(p);
    for (;;) {
        TTP_TRY(next(p));
        if (p->event == TTP_JSON_OBJECT_END)
            return TTP_OK;
        TTP_TRY(member(p, out));
    }
}

static ttp_code skip_member(struct parser *p)
{
    TTP_TRY(next(p));
    return skip(p);
}

static ttp_code shape_member(struct parser *p, void *out)
{
    static const char *const axis[] = {"W", "Z", "Y", "X"};
    struct ttp_op_tensor *tensor = out;

    for (size_t i = 0; i < TTP_COUNT(axis); i++)
        if (is_key(p, axis[i]))
            return read_text(p, &tensor->cell[TTP_TENSOR_W + i]);
    return skip_member(p);
}

struct memory {
    ttp_str device, buffer, layout;
    bool config;
};

static ttp_code config_member(struct parser *p, void *out)
{
    struct memory *memory = out;

    if (is_key(p, "buffer_type"))
        return read_text(p, &memory->buffer);
    if (is_key(p, "memory_layout"))
        return read_text(p, &memory->layout);
    return skip_member(p);
}

static ttp_code storage_member(struct parser *p, void *out)
{
    struct memory *memory = out;

    if (is_key(p, "device_id"))
        return read_text(p, &memory->device);
    if (!is_key(p, "memory_config"))
        return skip_member(p);
    TTP_TRY(next(p));
    return read_object(p, &memory->config, config_member, memory);
}

static void put_upper(struct ttp_sink *out, ttp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (c >= 'a' && c <= 'z')
            ttp_sink_char(out, (char)(c - 'a' + 'A'));
        else
            ttp_sink_char(out, c);
    }
}

static ttp_code read_storage(struct parser *p, struct ttp_op_tensor *tensor)
{
    struct memory memory = {0};
    bool is_object;

    TTP_TRY(next(p));
    if (p->event == TTP_JSON_STRING) {
        tensor->cell[TTP_TENSOR_MEMORY] = ttp_arena_copy(p->arena, p->json.text);
        return TTP_OK;
    }
    TTP_TRY(read_object(p, &is_object, storage_member, &memory));
    if (!is_object || !memory.device.ptr || !memory.buffer.ptr || !memory.layout.ptr) {
        fault(p, "a tensor whose storage has no device_id, buffer_type or memory_layout");
        return TTP_OK;
    }
    p->text.len = 0;
    ttp_sink_printf(&p->text, "DEV_%.*s_", TTP_FMT(memory.device));
    put_upper(&p->text, memory.buffer);
    ttp_sink_char(&p->text, '_');
    put_upper(&p->text, memory.layout);
    tensor->cell[TTP_TENSOR_MEMORY] = ttp_arena_copy(p->arena, ttp_sink_text(&p->text));
    return TTP_OK;
}

static ttp_code tensor_member(struct parser *p, void *out)
{
    struct ttp_op_tensor *tensor = out;
    bool is_object;

    if (is_key(p, "layout"))
        return read_text(p, &tensor->cell[TTP_TENSOR_LAYOUT]);
    if (is_key(p, "dtype"))
        return read_text(p, &tensor->cell[TTP_TENSOR_DTYPE]);
    if (is_key(p, "storage_type"))
        return read_storage(p, tensor);
    if (!is_key(p, "shape"))
        return skip_member(p);
    TTP_TRY(next(p));
    return read_object(p, &is_object, shape_member, tensor);
}

struct tensors {
    struct ttp_op_tensor *v;
    size_t n;
    bool present;
};

static ttp_code read_tensors(struct parser *p, struct tensors *out)
{
    bool is_object;

    *out = (struct tensors){.present = true};
    TTP_TRY(next(p));
    if (p->event != TTP_JSON_ARRAY_BEGIN) {
        fault(p, "tensors are not a list");
        return skip(p);
    }
    for (;;) {
        struct ttp_op_tensor tensor = {0};

        TTP_TRY(next(p));
        if (p->event == TTP_JSON_ARRAY_END)
            return TTP_OK;
        TTP_TRY(read_object(p, &is_object, tensor_member, &tensor));
        for (size_t i = 0; i < TTP_TENSOR_CELLS; i++)
            if (!tensor.cell[i].ptr)
                fault(p, "a tensor without shape, layout, dtype or storage_type");
        *TTP_PUSH(p->arena, out->v, out->n) = tensor;
    }
}

struct kernel {
    ttp_str fidelity, name, source; /* the last two as repr() */
};

static ttp_code read_repr(struct parser *p, ttp_str *out)
{
    TTP_TRY(next(p));
    p->text.len = 0;
    TTP_TRY(put_repr(p));
    *out = ttp_arena_copy(p->arena, ttp_sink_text(&p->text));
    return TTP_OK;
}

static ttp_code kernel_member(struct parser *p, void *out)
{
    struct kernel *kernel = out;

    if (is_key(p, "math_fidelity"))
        return read_text(p, &kernel->fidelity);
    if (is_key(p, "name"))
        return read_repr(p, &kernel->name);
    if (is_key(p, "source"))
        return read_repr(p, &kernel->source);
    return skip_member(p);
}

static void put_item(struct ttp_sink *list, ttp_str item)
{
    ttp_sink_put(list, list->len ? TTP_STR(", ") : TTP_STR("["));
    ttp_sink_put(list, item);
}

static ttp_str end_list(struct ttp_sink *list, struct ttp_arena *arena)
{
    ttp_sink_put(list, list->len ? TTP_STR("]") : TTP_STR("[]"));
    return ttp_arena_copy(arena, ttp_sink_text(list));
}

static ttp_code read_kernels(struct parser *p, ttp_str *source, ttp_str *name, ttp_str *fidelity)
{
    struct ttp_sink sources, names;
    bool is_object;

    ttp_sink_to_arena(&sources, &p->scratch);
    ttp_sink_to_arena(&names, &p->scratch);
    TTP_TRY(next(p));
    if (p->event != TTP_JSON_ARRAY_BEGIN) {
        fault(p, "kernels are not a list");
        return skip(p);
    }
    for (;;) {
        struct kernel kernel = {0};

        TTP_TRY(next(p));
        if (p->event == TTP_JSON_ARRAY_END)
            break;
        TTP_TRY(read_object(p, &is_object, kernel_member, &kernel));
        if (!kernel.name.ptr || !kernel.source.ptr || (fidelity && !kernel.fidelity.ptr))
            fault(p, "a kernel without name, source or math_fidelity");
        if (fidelity)
            *fidelity = kernel.fidelity;
        put_item(&sources, kernel.source);
        put_item(&names, kernel.name);
    }
    *source = end_list(&sources, p->arena);
    *name = end_list(&names, p->arena);
    return TTP_OK;
}

/* "TENSIX_DM_0_max_kernel_size" is the column "TENSIX DM 0 MAX KERNEL SIZE [B]". */
static ttp_str size_column(struct parser *p)
{
    p->text.len = 0;
    put_upper(&p->text, p->json.text);
    for (size_t i = 0; i < p->text.len; i++)
        if (p->text.buf[i] == '_')
            p->text.buf[i] = ' ';
    ttp_sink_put(&p->text, TTP_STR(" [B]"));
    return ttp_arena_copy(p->arena, ttp_sink_text(&p->text));
}

struct fields {
    struct ttp_op_field *v;
    size_t n;
};

static ttp_code add_field(struct parser *p, struct fields *out, ttp_str key)
{
    struct ttp_op_field field = {.key = key};
    size_t i = 0;

    TTP_TRY(read_text(p, &field.text));
    while (i < out->n && !ttp_str_eq(out->v[i].key, key))
        i++;
    if (i == out->n) {
        TTP_ROOM(p->arena, out->v, out->n);
        out->n++;
    }
    out->v[i] = field; /* of repeated members the last counts */
    return TTP_OK;
}

static ttp_code size_member(struct parser *p, void *out)
{
    return add_field(p, out, size_column(p));
}

static ttp_code kernel_info_member(struct parser *p, void *out)
{
    struct ttp_op_info *info = p->info;
    bool is_object;

    if (is_key(p, "compute_kernels"))
        return read_kernels(p, &info->compute_source, &info->compute_hash, &info->fidelity);
    if (is_key(p, "datamovement_kernels"))
        return read_kernels(p, &info->dm_source, &info->dm_hash, NULL);
    if (!is_key(p, "kernel_sizes"))
        return skip_member(p);
    TTP_TRY(next(p));
    return read_object(p, &is_object, size_member, out);
}

static ttp_code model_member(struct parser *p, void *out)
{
    struct ttp_op_info *info = out;
    const struct {
        const char *key;
        ttp_str *text;
    } members[] = {
        {"ideal_ns", &info->ideal_ns},         {"compute_ns", &info->compute_ns},
        {"bandwidth_ns", &info->bandwidth_ns}, {"input_bws", &info->input_bws},
        {"output_bws", &info->output_bws},
    };

    for (size_t i = 0; i < TTP_COUNT(members); i++)
        if (is_key(p, members[i].key))
            return read_text(p, members[i].text);
    return skip_member(p);
}

struct op {
    struct fields fields, sizes;
    struct tensors inputs, optional, outputs;
};

static ttp_code plain_member(struct parser *p, struct op *op)
{
    struct ttp_op_info *info = p->info;
    const ttp_str key = ttp_arena_copy(p->arena, p->json.text);
    int64_t number;

    TTP_TRY(add_field(p, &op->fields, key));
    for (size_t i = 0; i < op->fields.n; i++) {
        const struct ttp_op_field *f = &op->fields.v[i];
        if (!ttp_str_eq(f->key, key))
            continue;
        if (ttp_str_eq(key, TTP_STR("global_call_count"))) {
            info->has_id = ttp_str_to_u64(f->text, &info->id);
        } else if (ttp_str_eq(key, TTP_STR("device_id"))) {
            info->has_device = ttp_str_to_i64(f->text, &number);
            info->device = info->has_device ? number : 0;
            if (!info->has_device)
                fault(p, "device_id is not a number");
        } else if (ttp_str_eq(key, TTP_STR("op_hash"))) {
            info->has_hash = true;
            info->hash = f->text;
        }
    }
    return TTP_OK;
}

static ttp_code read_kernel_info(struct parser *p, struct op *op)
{
    const struct ttp_op_info *info = p->info;
    bool is_object;

    TTP_TRY(next(p));
    p->info->has_kernels = true;
    TTP_TRY(read_object(p, &is_object, kernel_info_member, &op->sizes));
    if (!is_object || !info->compute_source.ptr || !info->dm_source.ptr)
        fault(p, "kernel_info without compute_kernels or datamovement_kernels");
    return TTP_OK;
}

static ttp_code read_model(struct parser *p)
{
    struct ttp_op_info *info = p->info;
    bool is_object;

    TTP_TRY(next(p));
    info->has_model = true;
    TTP_TRY(read_object(p, &is_object, model_member, info));
    if (!is_object || !info->ideal_ns.ptr || !info->compute_ns.ptr || !info->bandwidth_ns.ptr ||
        !info->input_bws.ptr || !info->output_bws.ptr)
        fault(p, "a performance_model that lacks members");
    return TTP_OK;
}

static ttp_code op_member(struct parser *p, void *out)
{
    struct op *op = out;

    if (is_key(p, "input_tensors"))
        return read_tensors(p, &op->inputs);
    if (is_key(p, "optional_input_tensors"))
        return read_tensors(p, &op->optional);
    if (is_key(p, "output_tensors"))
        return read_tensors(p, &op->outputs);
    if (is_key(p, "kernel_info"))
        return read_kernel_info(p, op);
    if (is_key(p, "performance_model"))
        return read_model(p);
    return plain_member(p, op);
}

static ttp_code read_op(struct parser *p)
{
    struct ttp_op_info *info = p->info;
    struct op op = {0};
    bool is_object;

    TTP_TRY(next(p));
    TTP_TRY(read_object(p, &is_object, op_member, &op));
    if (!is_object)
        return ttp_fail(p->err, TTP_EPARSE, "not an object");
    TTP_TRY(next(p)); /* nothing may follow */
    if (!op.inputs.present)
        fault(p, "no input_tensors");
    if (!info->has_id)
        fault(p, "no global_call_count");
    info->field = op.fields.v;
    info->nfields = op.fields.n;
    info->kernel_size = op.sizes.v;
    info->nkernel_sizes = op.sizes.n;
    info->has_inputs = op.inputs.present;
    for (size_t i = 0; i < op.optional.n; i++) {
        *TTP_PUSH(p->arena, op.inputs.v, op.inputs.n) = op.optional.v[i];
    }
    info->input = op.inputs.v;
    info->ninputs = op.inputs.n;
    info->output = op.outputs.v;
    info->noutputs = op.outputs.n;
    return TTP_OK;
}

ttp_code ttp_logs_op_json_read(struct ttp_op_info *out, ttp_str json, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct parser p = {
        .json = {.python = true, .replace_surrogate = true, .max_depth = MAX_DEPTH},
        .info = out,
        .arena = arena,
        .err = err,
    };

    *out = (struct ttp_op_info){0};
    ttp_sink_to_arena(&p.text, &p.scratch);
    ttp_json_feed(&p.json, json, true);
    const ttp_code rc = read_op(&p);
    ttp_json_clear(&p.json);
    ttp_arena_free(&p.scratch);
    return rc;
}

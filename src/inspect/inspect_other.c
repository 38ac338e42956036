/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_other.c - facts of files that do not belong to a run: tensors, snapshots of tt-smi,
 * documents.
 */
#include "base/input.h"
#include "base/json_read.h"
#include "host/host.h"
#include "inspect/inspect_facts.h"
#include "tensor/tensor.h"

ttp_code ttp_inspect_tensors(struct ttp_inspection *in, struct ttp_inspect_file *f,
                             struct ttp_err *err)
{
    struct ttp_tensors tensors;
    struct ttp_file file;
    uint64_t elements = 0, unreadable = 0;

    TTP_TRY(ttp_tensor_open(&tensors, &file, f->path, NULL, in->arena, err));
    for (size_t i = 0; i < tensors.count; i++) {
        elements += tensors.item[i].count;
        unreadable += tensors.item[i].unreadable != NULL;
    }
    ttp_inspect_add_text(f, "format", tensors.format);
    ttp_inspect_add_number(f, "tensors", tensors.count);
    ttp_inspect_add_number(f, "elements", elements);
    ttp_inspect_add_count(f, "unreadable", unreadable);
    if (tensors.count) {
        const struct ttp_tensor *t = &tensors.item[0];

        if (t->name.len)
            ttp_inspect_add_text(f, tensors.count > 1 ? "first" : "name",
                                 ttp_arena_zstr(in->arena, t->name));
        ttp_inspect_add_text(f, "datatype", ttp_tensor_dtype_name(t->dtype));
        ttp_inspect_add_text(
            f, "shape",
            ttp_arena_zstr(in->arena, ttp_tensor_shape_text(t->shape, t->ndim, in->arena)));
    }
    ttp_file_close(&file);
    return TTP_OK;
}

static ttp_str board_of(const struct ttp_smi_device *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (ttp_str_eq(d->value[i].key, TTP_STR("board_type")))
            return ttp_str_trim(d->value[i].text);
    return TTP_STR("unknown");
}

ttp_code ttp_inspect_smi(struct ttp_inspection *in, struct ttp_inspect_file *f, struct ttp_err *err)
{
    struct ttp_sink boards;
    struct ttp_smi smi;
    ttp_str text;

    TTP_TRY(ttp_input_all(&text, f->path, NULL, in->arena, err));
    TTP_TRY(ttp_smi_read(&smi, text, in->arena, err));
    ttp_inspect_add_str(f, "version", smi.version, in->arena);
    ttp_inspect_add_str(f, "time", smi.time, in->arena);
    ttp_inspect_add_str(f, "driver", smi.driver, in->arena);
    ttp_inspect_add_number(f, "devices", smi.count);
    ttp_sink_to_arena(&boards, in->arena);
    for (size_t i = 0; i < smi.count; i++)
        ttp_sink_printf(&boards, "%s%.*s", i ? ", " : "", TTP_FMT(board_of(&smi.device[i])));
    ttp_inspect_add_str(f, "boards", ttp_sink_text(&boards), in->arena);
    return TTP_OK;
}

/* Of a document: what is before its data. */
struct envelope {
    struct ttp_json_reader json;
    char schema[64], version[32];
    uint64_t inputs;
    bool in_tool, in_inputs, done;
};

static void keep(char *out, size_t size, ttp_str text)
{
    const size_t n = text.len < size - 1 ? text.len : size - 1;

    memcpy(out, text.ptr, n);
    out[n] = '\0';
}

/* The key whose value comes next, of those that are asked for. */
enum wanted { NOTHING, SCHEMA, VERSION };

static enum wanted take_key(struct envelope *e)
{
    const uint32_t depth = e->json.depth;
    const ttp_str key = e->json.text;

    if (depth == 1) {
        e->in_tool = ttp_str_eq(key, TTP_STR("tool"));
        e->in_inputs = ttp_str_eq(key, TTP_STR("inputs"));
        e->done = ttp_str_eq(key, TTP_STR("data"));
        return ttp_str_eq(key, TTP_STR("schema")) ? SCHEMA : NOTHING;
    }
    return depth == 2 && e->in_tool && ttp_str_eq(key, TTP_STR("version")) ? VERSION : NOTHING;
}

static ttp_code read_envelope(void *arg, ttp_str text, struct ttp_err *err)
{
    struct envelope *e = arg;
    enum wanted wanted = NOTHING;
    enum ttp_json_event event = TTP_JSON_MORE;

    if (!e->done)
        ttp_json_feed(&e->json, text, false);
    while (!e->done) {
        TTP_TRY(ttp_json_next(&event, &e->json, err));
        if (event == TTP_JSON_MORE || event == TTP_JSON_END)
            break;
        if (event == TTP_JSON_KEY) {
            wanted = take_key(e);
            continue;
        }
        if (event == TTP_JSON_STRING && wanted == SCHEMA)
            keep(e->schema, sizeof(e->schema), e->json.text);
        else if (event == TTP_JSON_STRING && wanted == VERSION)
            keep(e->version, sizeof(e->version), e->json.text);
        else if (event == TTP_JSON_STRING && e->in_inputs && e->json.depth == 2)
            e->inputs++;
        wanted = NOTHING;
    }
    return TTP_OK;
}

ttp_code ttp_inspect_document(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    struct envelope e = {0};

    const ttp_code rc = ttp_input_each(f->path, NULL, read_envelope, &e, err);
    ttp_json_clear(&e.json);
    ttp_inspect_add_str(f, "schema", ttp_str_from(e.schema), in->arena);
    ttp_inspect_add_str(f, "version", ttp_str_from(e.version), in->arena);
    ttp_inspect_add_count(f, "inputs", e.inputs);
    return rc;
}

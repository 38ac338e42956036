/* SPDX-License-Identifier: Apache-2.0 */
/* inspector_log.c - looks like YAML and is not: the text of a kernel may appear in it as it is,
 * lines that begin like records included. So a record begins only with a line that is exactly the
 * name of a kind we know, and nothing is read after its `source`. */
#include "startup/inspector_log.h"

#include "base/input.h"

static const ttp_str kinds[TTP_RECORD_KINDS] = {
    [TTP_RECORD_PROGRAM_CREATED] = TTP_STR("program_created"),
    [TTP_RECORD_PROGRAM_DESTROYED] = TTP_STR("program_destroyed"),
    [TTP_RECORD_COMPILE_STARTED] = TTP_STR("program_compile_started"),
    [TTP_RECORD_KERNEL] = TTP_STR("program_kernel_compile_finished"),
    [TTP_RECORD_COMPILE_FINISHED] = TTP_STR("program_compile_finished"),
    [TTP_RECORD_BINARY_STATUS] = TTP_STR("program_binary_status_change"),
    [TTP_RECORD_DEVICE_CREATED] = TTP_STR("mesh_device_created"),
    [TTP_RECORD_DEVICE_INITIALIZED] = TTP_STR("mesh_device_initialized"),
    [TTP_RECORD_DEVICE_DESTROYED] = TTP_STR("mesh_device_destroyed"),
    [TTP_RECORD_WORKLOAD_CREATED] = TTP_STR("mesh_workload_created"),
    [TTP_RECORD_WORKLOAD_DESTROYED] = TTP_STR("mesh_workload_destroyed"),
    [TTP_RECORD_WORKLOAD_PROGRAM] = TTP_STR("mesh_workload_add_program"),
    [TTP_RECORD_WORKLOAD_STATUS] = TTP_STR("mesh_workload_set_program_binary_status"),
    [TTP_RECORD_ENTRY] = TTP_STR("runtime_entry"),
    [TTP_RECORD_METADATA] = TTP_STR("mesh_workload_set_metadata"),
};

/* "- kind:" and nothing else. */
static enum ttp_record_kind kind_of(ttp_str line)
{
    if (line.len < 4 || line.ptr[line.len - 1] != ':')
        return TTP_RECORD_NONE;
    const ttp_str name = ttp_str_slice(line, 2, line.len - 1);
    for (int k = 1; k < TTP_RECORD_KINDS; k++)
        if (ttp_str_eq(kinds[k], name))
            return (enum ttp_record_kind)k;
    return TTP_RECORD_NONE;
}

static void finish(struct ttp_inspector_reader *r)
{
    if (r->record.kind != TTP_RECORD_NONE)
        r->use(r->arg, &r->record);
    r->record = (struct ttp_inspector_record){0};
}

static const struct {
    ttp_str key;
    enum ttp_record_number number;
} numbers[] = {
    {TTP_STR("timestamp_ns"), TTP_NUMBER_TIME},
    {TTP_STR("id"), TTP_NUMBER_ID},
    {TTP_STR("duration_ns"), TTP_NUMBER_DURATION},
    {TTP_STR("mesh_workload_id"), TTP_NUMBER_WORKLOAD},
    {TTP_STR("program_id"), TTP_NUMBER_PROGRAM},
    {TTP_STR("runtime_id"), TTP_NUMBER_RUNTIME},
    {TTP_STR("trace_id"), TTP_NUMBER_TRACE},
};

static ttp_str *text_of(struct ttp_inspector_record *r, ttp_str key)
{
    if (ttp_str_eq(key, TTP_STR("source")))
        return &r->source;
    if (ttp_str_eq(key, TTP_STR("path")))
        return &r->path;
    if (ttp_str_eq(key, TTP_STR("name")))
        return &r->name;
    if (ttp_str_eq(key, TTP_STR("status")))
        return &r->status;
    return ttp_str_eq(key, TTP_STR("devices")) ? &r->devices : NULL;
}

static void take_key(struct ttp_inspector_reader *r, ttp_str line)
{
    struct ttp_inspector_record *record = &r->record;
    const ttp_str rest = ttp_str_slice(line, 4, line.len);
    const size_t colon = ttp_str_find_char(rest, ':');

    if (colon == TTP_NPOS)
        return;
    const ttp_str key = ttp_str_slice(rest, 0, colon);
    const ttp_str value = ttp_str_trim(ttp_str_slice(rest, colon + 1, rest.len));
    for (size_t i = 0; i < TTP_COUNT(numbers); i++)
        if (ttp_str_eq(numbers[i].key, key)) {
            if (ttp_str_to_u64(value, &record->number[numbers[i].number]))
                record->has |= 1u << numbers[i].number;
            return;
        }
    ttp_str *text = text_of(record, key);
    if (text)
        *text = value;
    r->in_source = text == &record->source;
}

static void take_line(struct ttp_inspector_reader *r, ttp_str line)
{
    if (line.len > 2 && line.ptr[0] == '-' && line.ptr[1] == ' ') {
        const enum ttp_record_kind kind = kind_of(line);

        if (kind != TTP_RECORD_NONE) {
            finish(r);
            r->record.kind = kind;
            r->in_source = false;
            r->known++;
        } else if (!r->in_source) { /* a kind that is newer than we are */
            finish(r);
            r->unknown++;
        }
        return;
    }
    if (r->record.kind != TTP_RECORD_NONE && !r->in_source && line.len > 5 &&
        memcmp(line.ptr, "    ", 4) == 0 && line.ptr[4] != ' ')
        take_key(r, line);
}

/* The texts of a record that continues in the next piece. */
static void keep_texts(struct ttp_inspector_reader *r)
{
    struct ttp_inspector_record *record = &r->record;
    ttp_str *text[] = {&record->name, &record->path, &record->source, &record->devices,
                       &record->status};
    size_t used = 0;

    for (size_t i = 0; i < TTP_COUNT(text); i++) {
        const size_t n =
            text[i]->len < sizeof(r->text) - used ? text[i]->len : sizeof(r->text) - used;

        if (n)
            memmove(r->text + used, text[i]->ptr, n);
        *text[i] = (ttp_str){r->text + used, n};
        used += n;
    }
}

void ttp_startup_inspector_feed(struct ttp_inspector_reader *r, ttp_str text)
{
    ttp_str line;

    while (ttp_str_next_line(&text, &line)) {
        r->lines++;
        take_line(r, line);
    }
    if (r->record.kind != TTP_RECORD_NONE)
        keep_texts(r);
}

void ttp_startup_inspector_end(struct ttp_inspector_reader *r)
{
    finish(r);
}

static ttp_code feed_block(void *arg, ttp_str text, struct ttp_err *err)
{
    (void)err;
    ttp_startup_inspector_feed(arg, text);
    return TTP_OK;
}

ttp_code ttp_startup_inspector_file(struct ttp_inspector_reader *r, const char *path,
                                    struct ttp_err *err)
{
    TTP_TRY(ttp_input_each(path, ttp_input_cut_lines, feed_block, r, err));
    ttp_startup_inspector_end(r);
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* show_schema.c - JSON Schema and list of columns, from the declarations of fields. */
#include "base/json_write.h"
#include "outputs/show/json_members.h"
#include "outputs/show/paint.h"
#include "outputs/show/show.h"

static const char *type_name(const struct ttp_field *f)
{
    static const char *const names[] = {
        [TTP_I64] = "integer",  [TTP_F64] = "number",    [TTP_TEXT] = "string",
        [TTP_BOOL] = "boolean", [TTP_MOMENT] = "string", [TTP_JSON] = "object"};

    return names[f->type];
}

static void put_kind(struct ttp_json_writer *w, const char *type, bool may_be_null)
{
    if (!may_be_null) {
        ttp_member_text(w, "type", type);
        return;
    }
    ttp_member_array(w, "type");
    ttp_json_put_str(w, ttp_str_from(type));
    ttp_json_put_str(w, TTP_STR("null"));
    ttp_json_end_array(w);
}

static void put_type(struct ttp_json_writer *w, const struct ttp_field *f)
{
    ttp_member_array(w, "type");
    ttp_json_put_str(w, ttp_str_from(type_name(f)));
    if (f->type == TTP_I64) /* beyond 2^53 a string of digits */
        ttp_json_put_str(w, TTP_STR("string"));
    if (f->type != TTP_BOOL || f->get || f->known_at)
        ttp_json_put_str(w, TTP_STR("null"));
    ttp_json_end_array(w);
    if (f->type == TTP_JSON) { /* whatever its writer has */
        ttp_member_object(w, "additionalProperties");
        ttp_json_end_object(w);
    }
}

static void put_words(struct ttp_json_writer *w, const struct ttp_field *f)
{
    ttp_member_array(w, "enum");
    for (size_t i = 0; i < f->words; i++)
        if (f->word[i] && *f->word[i])
            ttp_json_put_str(w, ttp_str_from(f->word[i]));
    ttp_json_put_null(w);
    ttp_json_end_array(w);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the declarations nest */
static void put_object(struct ttp_json_writer *w, const struct ttp_fields *fields,
                       bool may_be_null);

/* The type of rows, and what each of them is. */
static void put_rows(struct ttp_json_writer *w, const struct ttp_field *f, bool may_be_null)
{
    const bool map = f->nest == TTP_NEST_MAP;
    const struct ttp_fields values = {.field = f->sub->field + map, .count = f->sub->count - map};

    put_kind(w, map ? "object" : "array", may_be_null);
    ttp_member_object(w, map ? "additionalProperties" : "items");
    if (f->nest == TTP_NEST_TUPLES) {
        put_kind(w, "array", false);
        ttp_member_object(w, "items");
        ttp_member_array(w, "type");
        for (size_t i = 0; i < values.count; i++)
            ttp_json_put_str(w, ttp_str_from(type_name(&values.field[i])));
        ttp_json_end_array(w);
        ttp_json_end_object(w);
    } else {
        put_object(w, &values, false);
    }
    ttp_json_end_object(w);
}

/* The members of a schema of one field, in an object that is open. */
static void put_field(struct ttp_json_writer *w, const struct ttp_field *f, bool may_be_null)
{
    if (f->help)
        ttp_member_text(w, "description", f->help);
    if (f->type == TTP_ROWS) {
        put_rows(w, f, may_be_null);
        return;
    }
    if (f->type == TTP_OBJECT || (f->type == TTP_JSON && f->sub)) {
        put_object(w, f->sub, true);
        return;
    }
    if (f->unit && *f->unit)
        ttp_member_text(w, "unit", f->unit);
    if (f->word)
        put_words(w, f);
    else
        put_type(w, f);
}

static void put_properties(struct ttp_json_writer *w, const struct ttp_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->field[i].table_only)
            continue;
        ttp_member_object(w, fields->field[i].id);
        put_field(w, &fields->field[i], false);
        ttp_json_end_object(w);
    }
}

static void put_object(struct ttp_json_writer *w, const struct ttp_fields *fields, bool may_be_null)
{
    if (fields->count == 1 && !fields->field[0].id) {
        put_field(w, &fields->field[0], may_be_null);
        return;
    }
    put_kind(w, "object", true);
    ttp_member_object(w, "properties");
    put_properties(w, fields);
    ttp_json_end_object(w);
}
/* NOLINTEND(misc-no-recursion) */

static void put_part(struct ttp_json_writer *w, const struct ttp_part_spec *part)
{
    if (part->kind == TTP_PART_DATA) {
        put_properties(w, part->fields);
        return;
    }
    if (part->table_only)
        return;
    ttp_member_object(w, part->id);
    if (part->help)
        ttp_member_text(w, "description", part->help);
    if (part->kind == TTP_PART_OTHER) {
        ttp_member_text(w, "type", "array");
        ttp_member_object(w, "items");
        ttp_member_text(w, "type", "object");
        ttp_member_object(w, "additionalProperties");
        ttp_member_array(w, "type");
        ttp_json_put_str(w, TTP_STR("number"));
        ttp_json_put_str(w, TTP_STR("string"));
        ttp_json_end_array(w);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
    } else if (part->kind == TTP_PART_ROWS) {
        ttp_member_text(w, "type", "array");
        ttp_member_object(w, "items");
        put_object(w, part->fields, false);
        ttp_json_end_object(w);
    } else {
        put_object(w, part->fields, false);
    }
    ttp_json_end_object(w);
}

static void put_required(struct ttp_json_writer *w, const struct ttp_document_spec *spec,
                         bool shared)
{
    ttp_member_array(w, "required");
    for (size_t i = 0; i < spec->parts; i++) {
        const struct ttp_part_spec *part = &spec->part[i];

        if (part->shared != shared || part->optional)
            continue;
        if (part->kind == TTP_PART_DATA)
            for (size_t k = 0; k < part->fields->count; k++) {
                if (!part->fields->field[k].optional && !part->fields->field[k].table_only)
                    ttp_json_put_str(w, ttp_str_from(part->fields->field[k].id));
            }
        else if (!part->table_only)
            ttp_json_put_str(w, ttp_str_from(part->id));
    }
    if (shared)
        ttp_json_put_str(w, ttp_str_from(spec->each));
    ttp_json_end_array(w);
}

static void put_strings(struct ttp_json_writer *w, const char *key)
{
    ttp_member_object(w, key);
    ttp_member_text(w, "type", "array");
    ttp_member_object(w, "items");
    ttp_member_text(w, "type", "string");
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

/* What is shared by several documents, or what each of them has; "properties" stays open. */
static void put_parts(struct ttp_json_writer *w, const struct ttp_document_spec *spec, bool shared)
{
    ttp_member_text(w, "type", "object");
    put_required(w, spec, shared);
    ttp_member_object(w, "properties");
    for (size_t i = 0; i < spec->parts; i++)
        if (spec->part[i].shared == shared)
            put_part(w, &spec->part[i]);
}

static void put_data(struct ttp_json_writer *w, const struct ttp_document_spec *spec)
{
    put_parts(w, spec, spec->each != NULL);
    if (spec->each) {
        ttp_member_object(w, spec->each);
        ttp_member_text(w, "type", "array");
        ttp_member_object(w, "items");
        put_parts(w, spec, false);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

/* The object around all JSON. */
static void put_envelope(struct ttp_json_writer *w, const struct ttp_document_spec *spec)
{
    static const char *const members[] = {"schema", "tool",     "inputs",
                                          "data",   "warnings", "truncated"};

    ttp_member_text(w, "type", "object");
    ttp_member_array(w, "required");
    for (size_t i = 0; i < TTP_COUNT(members); i++)
        ttp_json_put_str(w, ttp_str_from(members[i]));
    ttp_json_end_array(w);
    ttp_member_object(w, "properties");
    ttp_member_object(w, "schema");
    ttp_member_text(w, "const", spec->schema);
    ttp_json_end_object(w);
    ttp_member_object(w, "tool");
    ttp_member_text(w, "type", "object");
    ttp_member_object(w, "properties");
    ttp_member_object(w, "name");
    ttp_member_text(w, "const", "tt-perf");
    ttp_json_end_object(w);
    ttp_member_object(w, "version");
    ttp_member_text(w, "type", "string");
    ttp_json_end_object(w);
    ttp_json_end_object(w);
    ttp_json_end_object(w);
    put_strings(w, "inputs");
    ttp_member_object(w, "data");
    put_data(w, spec);
    ttp_json_end_object(w);
    put_strings(w, "warnings");
    ttp_member_object(w, "truncated");
    ttp_member_text(w, "description", "true if data lacks rows that the input has");
    ttp_member_text(w, "type", "boolean");
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}

void ttp_show_schema(struct ttp_sink *out, const struct ttp_document_spec *spec)
{
    struct ttp_json_writer w = {.sink = out, .indent = true};

    ttp_json_begin_object(&w);
    ttp_member_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    ttp_member_text(&w, "$id", spec->schema);
    ttp_member_text(&w, "$comment", "SPDX-License-Identifier: Apache-2.0");
    ttp_member_text(&w, "title", spec->help);
    if (spec->bare)
        put_data(&w, spec);
    else
        put_envelope(&w, spec);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}

void ttp_show_column_help(struct ttp_sink *out, const struct ttp_document_spec *spec, int width)
{
    const struct ttp_fields *fields = spec->part[spec->main].fields;
    size_t id = 0, unit = 0;

    for (size_t i = 0; i < fields->count; i++) {
        const struct ttp_field *f = &fields->field[i];
        const size_t n = strlen(f->id), m = f->unit ? strlen(f->unit) : 0;

        id = n > id ? n : id;
        unit = m > unit ? m : unit;
    }
    const size_t text = id + 2 + (unit ? unit + 2 : 0);
    for (size_t i = 0; i < fields->count; i++) {
        const struct ttp_field *f = &fields->field[i];

        if (ttp_field_is_nested(f))
            continue;
        ttp_sink_printf(out, "%-*s  ", (int)id, f->id);
        if (unit)
            ttp_sink_printf(out, "%-*s  ", (int)unit, f->unit ? f->unit : "");
        ttp_paint_wrapped(out, f->help ? ttp_str_from(f->help) : ttp_str_from(f->title), width,
                          text, text);
    }
    if (!fields->aliases)
        return;
    struct ttp_arena arena = {0};
    struct ttp_sink names;
    ttp_sink_to_arena(&names, &arena);
    for (size_t i = 0; i < fields->aliases; i++)
        ttp_sink_printf(&names, "%s%s for %s", i ? ", " : "short names: ", fields->alias[i].brief,
                        fields->alias[i].id);
    ttp_sink_char(out, '\n');
    ttp_paint_wrapped(out, ttp_sink_text(&names), width, 0, 2);
    ttp_arena_free(&arena);
}

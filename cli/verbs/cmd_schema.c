/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cmd.h"
#include "core/embedded.h"
#include "core/failure.h"

/* A schema: generated from the declarations of a document, or a file that is part of the program.
 */
struct schema {
    const char *name; /* "tt-perf.version/1" */
    const struct ttp_document_spec *document;
    ttp_str text;
};

struct schema_list {
    struct schema item[128];
    size_t count;
};

static void add_schema(struct schema_list *list, struct schema s)
{
    size_t at = 0;

    while (at < list->count && strcmp(list->item[at].name, s.name) < 0)
        at++;
    if (list->count == TTP_COUNT(list->item) ||
        (at < list->count && strcmp(list->item[at].name, s.name) == 0))
        return;
    memmove(&list->item[at + 1], &list->item[at], (list->count - at) * sizeof(s));
    list->item[at] = s;
    list->count++;
}

/* "tt-perf.version/1" for the file tt-perf.version-1. */
static const char *name_of_file(const char *file, struct ttp_arena *arena)
{
    char *name = ttp_arena_zstr(arena, ttp_str_from(file));
    char *dash = strrchr(name, '-');

    *dash = '/';
    return name;
}

static void list_schemas(struct schema_list *list, struct ttp_arena *arena)
{
    list->count = 0;
    add_schema(list, (struct schema){ttp_error_document.schema, &ttp_error_document, {0}});
    for (size_t i = 0; ttp_commands[i]; i++)
        for (size_t k = 0; ttp_commands[i]->documents && ttp_commands[i]->documents[k]; k++) {
            const struct ttp_document_spec *d = ttp_commands[i]->documents[k];
            add_schema(list, (struct schema){d->schema, d, {0}});
        }
    for (const struct ttp_embedded *e = ttp_schemas; e->name; e++)
        add_schema(list, (struct schema){name_of_file(e->name, arena), NULL, e->text});
}

const char **ttp_schema_names(struct ttp_arena *arena)
{
    struct schema_list list;

    list_schemas(&list, arena);
    const char **names = TTP_NEW(arena, const char *, list.count + 1);
    for (size_t i = 0; i < list.count; i++)
        names[i] = list.item[i].name;
    return names;
}

/* Names as they appear in a document, "tt-perf.version/1", and as files, "tt-perf.version-1", are
 * both good; so is either without "tt-perf.", or without the version. */
static bool same_name(const char *name, const char *asked)
{
    const ttp_str prefix = TTP_STR("tt-perf.");

    if (!ttp_str_starts(ttp_str_from(asked), prefix))
        name += prefix.len;
    for (; *name && *asked; name++, asked++)
        if (*name != *asked && !(*name == '/' && *asked == '-'))
            return false;
    return *asked == '\0' && (*name == '\0' || *name == '/');
}

static ttp_code unknown(const char *asked, struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "no schema named '%s'", asked);
    const char *near = ttp_opts_nearest(asked, ttp_schema_names(arena));
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    else
        ttp_err_hint(err, "'tt-perf schema' lists them");
    return TTP_EUSAGE;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct schema_list list;

    (void)status, (void)options;
    list_schemas(&list, ctx->arena);
    for (size_t i = 0; i < list.count; i++) {
        const struct schema *s = &list.item[i];

        if (operands->count == 0) {
            ttp_sink_printf(ctx->out, "%s\n", s->name);
        } else if (same_name(s->name, operands->word[0])) {
            if (s->document)
                ttp_show_schema(ctx->out, s->document);
            else
                ttp_sink_trusted(ctx->out, s->text);
            return TTP_OK;
        }
    }
    return operands->count ? unknown(operands->word[0], ctx->arena, err) : TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf schema", "list the schemas"},
    {"tt-perf schema tt-perf.version/1", "print one; the name is the \"schema\" of a document"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_schema = {
    .name = "schema",
    .args = "[NAME]",
    .summary = "list or print the JSON Schemas of what other verbs print",
    .description = "Every document printed with --format json names its schema. This verb prints "
                   "that schema (JSON Schema 2020-12); without a name it lists them all. Within a "
                   "major version, the number at the end of the name, only additions happen.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_OUTPUT,
    .operand = TTP_OPERAND_SCHEMA,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};

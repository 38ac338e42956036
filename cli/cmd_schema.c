/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "embedded.h"

/* Names as they stand in a document, "tt-perf.version/1", and as files, "tt-perf.version-1", are
 * both good; so is either without "tt-perf.", or without the version as long as that is 1. */
static bool same_name(const char *name, const char *asked)
{
    const ttp_str prefix = TTP_STR("tt-perf.");

    if (!ttp_str_starts(ttp_str_from(asked), prefix))
        name += prefix.len;
    for (; *name && *asked; name++, asked++)
        if (*name != *asked && !(*name == '-' && *asked == '/'))
            return false;
    return *asked == '\0' && (*name == '\0' || strcmp(name, "-1") == 0);
}

const char **ttp_embedded_names(const struct ttp_embedded *list, struct ttp_arena *arena)
{
    size_t n = 0;

    while (list[n].name)
        n++;
    const char **names = TTP_NEW(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = list[i].name;
    return names;
}

static ttp_code unknown(const char *asked, struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "no schema named '%s'", asked);
    const char *near = ttp_opts_nearest(asked, ttp_embedded_names(ttp_schemas, arena));
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    else
        ttp_err_hint(err, "'tt-perf schema' lists them");
    return TTP_EUSAGE;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    (void)status, (void)options;
    if (operands->count == 0) {
        for (const struct ttp_embedded *s = ttp_schemas; s->name; s++) {
            const char *dash = strrchr(s->name, '-');
            ttp_sink_printf(ctx->out, "%.*s/%s\n", (int)(dash - s->name), s->name, dash + 1);
        }
        return TTP_OK;
    }
    for (const struct ttp_embedded *s = ttp_schemas; s->name; s++) {
        if (same_name(s->name, operands->word[0])) {
            ttp_sink_trusted(ctx->out, s->text);
            return TTP_OK;
        }
    }
    return unknown(operands->word[0], ctx->arena, err);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_skill.c - `tt-perf skill`: a guide for agents that use this program. */
#include "core/cmd.h"
#include "core/embedded.h"
#include "core/markdown_page.h"
#include "outputs/outputs.h"

static const char *const topics[] = {"model", "kernel", NULL};

struct guide {
    const char *name;
    ttp_str markdown;
};

static const struct ttp_field fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct guide, name)),
    TTP_WORDS("markdown", TTP_FIGURE(struct guide, markdown)),
};
static const struct ttp_fields figures = {TTP_FIELDS(fields)};
static const struct ttp_part_spec parts[] = {
    {.kind = TTP_PART_DATA, .fields = &figures, .json_only = true}};
static const struct ttp_document_spec document = {
    .schema = "tt-perf.skill/1", .help = "A guide for agents", TTP_PARTS(parts), .no_table = true};

static void put_page(const struct ttp_show *show, const void *arg)
{
    const struct guide *guide = arg;

    ttp_markdown_put(show->out, guide->markdown, show->form == TTP_FORM_MARKDOWN ? 0 : show->width,
                     show->arena);
}

static ttp_code put_guide(const struct ttp_show *from, const struct guide *guide,
                          struct ttp_err *err)
{
    const struct ttp_page page = {.arg = guide, .head = put_page};
    struct ttp_show show = *from;
    struct ttp_document doc;

    show.inputs = NULL; /* a guide is not a file */
    ttp_document_init(&doc, &document, show.arena);
    ttp_document_object(&doc, 0, NULL, guide);
    return ttp_show_document(&show, &doc, &page, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const char *wanted = operands->count ? operands->word[0] : "tune";

    (void)status;
    (void)opts;
    for (const struct ttp_embedded *p = ttp_skill_pages; p->name; p++) {
        if (strcmp(p->name, wanted) != 0)
            continue;
        /* the first line is for those who read the source */
        const struct guide guide = {
            p->name, ttp_str_slice(p->text, ttp_str_find_char(p->text, '\n') + 1, p->text.len)};
        return put_guide(&ctx->show, &guide, err);
    }
    return ttp_fail(err, TTP_ENOTFOUND, "no guide named '%s'", wanted);
}

static const char *const formats[] = {"text", "md", "json", NULL};
static const struct ttp_document_spec *const documents[] = {&document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf skill", "the general guide: what to ask first, the commands, when to stop"},
    {"tt-perf skill model", "the same with the seven steps of a TTNN model"},
    {"tt-perf skill kernel > SKILL.md",
     "save the guide for TT-Lang kernels where an agent finds it"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_skill = {
    .name = "skill",
    .args = "[model|kernel]",
    .summary = "print a guide for agents that tune models or kernels",
    .description = "Prints a page of Markdown that tells an agent how to make a run faster with "
                   "this program: the questions to ask first, the commands with their exit "
                   "status, one change at a time, wall time decides, and when to stop.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_WORD,
    .words = topics,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};

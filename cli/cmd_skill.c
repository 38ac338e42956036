/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_skill.c - `tt-perf skill`: how an agent drives this program. */
#include "cmd.h"
#include "embedded.h"
#include "markdown_page.h"
#include "outputs/outputs.h"

static const char *const topics[] = {"model", "kernel", NULL};

static void put_page(const struct ttp_ctx *ctx, const struct ttp_embedded *page, ttp_str text)
{
    struct ttp_json_writer w = {.sink = ctx->out};

    if (strcmp(ctx->format, "json") != 0) {
        ttp_markdown_put(ctx->out, text, ctx->width, ctx->arena);
        return;
    }
    ttp_envelope_begin(&w, "tt-perf.skill/1", NULL);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("name"));
    ttp_json_put_str(&w, ttp_str_from(page->name));
    ttp_json_put_key(&w, TTP_STR("markdown"));
    ttp_json_put_str(&w, text);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
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
        put_page(ctx, p, ttp_str_slice(p->text, ttp_str_find_char(p->text, '\n') + 1, p->text.len));
        return TTP_OK;
    }
    return ttp_fail(err, TTP_ENOTFOUND, "there is no guide '%s'", wanted);
}

static const char *const formats[] = {"text", "json", NULL};

static const struct ttp_example examples[] = {
    {"tt-perf skill", "the loop: what to ask first, the commands, when to stop"},
    {"tt-perf skill model", "the same with the seven steps of a TTNN model"},
    {"tt-perf skill kernel > SKILL.md", "for a TT-Lang kernel, kept where an agent finds it"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_skill = {
    .name = "skill",
    .args = "[model|kernel]",
    .summary = "a guide for agents that tune models or kernels",
    .description = "Prints a page of Markdown that tells an agent how to make a run faster with "
                   "this program: the questions to ask first, the commands with their exit "
                   "status, one change at a time, wall time decides, and when to stop.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT,
    .formats = formats,
    .operand = TTP_OPERAND_WORD,
    .words = topics,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};

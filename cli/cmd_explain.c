/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_explain.c - `tt-perf explain`: a page for each rule of advise and each idea behind them. */
#include "advice/advice.h"
#include "cmd.h"
#include "embedded.h"
#include "markdown_page.h"
#include "outputs/outputs.h"

struct explain_opts {
    struct ttp_common_opts common;
    bool list;
};

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

static const struct ttp_opt options[] = {
    {.name = "list",
     .offset = offsetof(struct explain_opts, list),
     .type = TTP_OPT_FLAG,
     .help = "list the pages"},
};

/* The page without its first line, which is for those who read the source. */
static ttp_str page_text(const struct ttp_embedded *page)
{
    const size_t end = ttp_str_find_char(page->text, '\n');

    return end == TTP_NPOS ? page->text : ttp_str_slice(page->text, end + 1, page->text.len);
}

/* "# Title" */
static ttp_str page_title(const struct ttp_embedded *page)
{
    ttp_str rest = page_text(page), line = {0};

    (void)ttp_str_next_line(&rest, &line);
    return ttp_str_slice(line, 2, line.len);
}

static const struct ttp_rule_info *rule_of(const char *name)
{
    for (size_t i = 0; ttp_rule_at(i); i++)
        if (strcmp(ttp_rule_at(i)->id, name) == 0)
            return ttp_rule_at(i);
    return NULL;
}

static void put_names(struct ttp_json_writer *w, const struct ttp_embedded *page)
{
    const struct ttp_rule_info *rule = rule_of(page->name);

    ttp_json_put_key(w, TTP_STR("name"));
    ttp_json_put_str(w, ttp_str_from(page->name));
    ttp_json_put_key(w, TTP_STR("title"));
    ttp_json_put_str(w, page_title(page));
    ttp_json_put_key(w, TTP_STR("step"));
    if (rule)
        ttp_json_put_str(w, ttp_str_from(ttp_step_id(rule->step)));
    else
        ttp_json_put_null(w);
}

static void list_pages(const struct ttp_ctx *ctx)
{
    for (int rules = 1; rules >= 0; rules--) {
        if (rules)
            ttp_sink_own(ctx->out, "Rules of tt-perf advise:\n");
        else
            ttp_sink_own(ctx->out, "\nTopics:\n");
        for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++)
            if ((rule_of(p->name) != NULL) == (rules == 1))
                ttp_sink_printf(ctx->out, "  %-20s %.*s\n", p->name, TTP_FMT(page_title(p)));
    }
}

static void put_list_json(const struct ttp_ctx *ctx)
{
    struct ttp_json_writer w = {.sink = ctx->out};

    ttp_envelope_begin(&w, "tt-perf.explain/1", NULL);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("pages"));
    ttp_json_begin_array(&w);
    for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++) {
        ttp_json_begin_object(&w);
        put_names(&w, p);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
}

/* Headings stand out; the fences of code are left out, its lines set in. */
static void put_page(const struct ttp_ctx *ctx, const struct ttp_embedded *page)
{
    ttp_str rest = page_text(page), line;
    struct ttp_sink plain;
    bool code = false;

    ttp_sink_to_arena(&plain, ctx->arena);

    while (ttp_str_next_line(&rest, &line)) {
        if (ttp_str_starts(line, TTP_STR("```"))) {
            code = !code;
            continue;
        }
        const bool heading = !code && ttp_str_starts(line, TTP_STR("#"));
        if (heading)
            line = ttp_str_slice(line, ttp_str_find_char(line, ' ') + 1, line.len);
        if (heading) { /* those before it are a page */
            ttp_markdown_put(ctx->out, ttp_sink_text(&plain), ctx->width, ctx->arena);
            plain.len = 0;
            if (ctx->color)
                ttp_sink_printf(ctx->out, "\x1b[1m%.*s\x1b[0m\n", TTP_FMT(line));
            else
                ttp_sink_printf(ctx->out, "%.*s\n", TTP_FMT(line));
            continue;
        }
        ttp_sink_put(&plain, code ? TTP_STR("    ") : TTP_STR(""));
        ttp_sink_put(&plain, line);
        ttp_sink_char(&plain, '\n');
    }
    ttp_markdown_put(ctx->out, ttp_sink_text(&plain), ctx->width, ctx->arena);
}

static void put_json(const struct ttp_ctx *ctx, const struct ttp_embedded *page)
{
    struct ttp_json_writer w = {.sink = ctx->out};

    ttp_envelope_begin(&w, "tt-perf.explain/1", NULL);
    ttp_json_begin_object(&w);
    put_names(&w, page);
    ttp_json_put_key(&w, TTP_STR("markdown"));
    ttp_json_put_str(&w, page_text(page));
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct explain_opts *o = opts;

    (void)status;
    if (o->list || operands->count == 0) {
        if (strcmp(ctx->format, "json") == 0)
            put_list_json(ctx);
        else
            list_pages(ctx);
        return TTP_OK;
    }
    for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++) {
        if (strcmp(p->name, operands->word[0]) != 0)
            continue;
        if (strcmp(ctx->format, "json") == 0)
            put_json(ctx, p);
        else
            put_page(ctx, p);
        return TTP_OK;
    }
    ttp_fail(err, TTP_EUSAGE, "no page named '%s'", operands->word[0]);
    const char *near =
        ttp_opts_nearest(operands->word[0], ttp_embedded_names(ttp_explain_pages, ctx->arena));
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    else
        ttp_err_hint(err, "'tt-perf explain --list' lists them");
    return TTP_EUSAGE;
}

static const char *const formats[] = {"text", "json", NULL};

static const struct ttp_example examples[] = {
    {"tt-perf explain trace", "what to do, a sketch, what is published, when not to"},
    {"tt-perf explain --list", "all pages"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_explain = {
    .name = "explain",
    .args = "[RULE|TOPIC]",
    .summary = "explain a rule of advise, or an idea behind it, with code",
    .description =
        "One screen about a rule that tt-perf advise names, or about an idea behind them: "
        "what to do, code in TTNN or TT-Lang terms, what is published about the gain and "
        "where, and when not to.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct explain_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_OUTPUT,
    .formats = formats,
    .operand = TTP_OPERAND_PAGE,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};

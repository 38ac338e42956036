/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_explain.c - `tt-perf explain`: a page for each rule of advise and each related topic. */
#include "advice/advice.h"
#include "core/cmd.h"
#include "core/embedded.h"
#include "core/markdown_page.h"
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
    TTP_OPTION(FLAG, "list", offsetof(struct explain_opts, list), "list the pages"),
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

/* A page as it is listed. */
struct page_row {
    const char *name, *kind, *step; /* step: NULL, it is a topic */
    ttp_str title, markdown;
};

static void make_row(struct page_row *row, const struct ttp_embedded *page)
{
    const struct ttp_rule_info *rule = rule_of(page->name);

    *row = (struct page_row){.name = page->name,
                             .kind = rule ? "rule" : "topic",
                             .step = rule ? ttp_advice_step_id(rule->step) : NULL,
                             .title = page_title(page),
                             .markdown = page_text(page)};
}

#define PAGE(member) TTP_FIGURE(struct page_row, member)
#define NAME_FIELDS                                                                                \
    TTP_WORDS_COLUMN("name", "Page", 0, PAGE(name)),                                               \
        TTP_WORDS_COLUMN("kind", "Kind", 2, PAGE(kind), .help = "rule of advise, or topic"),       \
        TTP_WORDS_COLUMN("step", "Step", 1, PAGE(step), .help = "of a rule"),                      \
        TTP_WORDS_COLUMN("title", "Title", 0, PAGE(title))
static const struct ttp_field list_fields[] = {NAME_FIELDS};
static const struct ttp_fields list_figures = {TTP_FIELDS(list_fields),
                                               .hint = "tt-perf explain --columns help lists them"};
static const struct ttp_field page_fields[] = {NAME_FIELDS, TTP_WORDS("markdown", PAGE(markdown))};
static const struct ttp_fields page_figures = {TTP_FIELDS(page_fields)};

static const struct ttp_part_spec list_parts[] = {{.id = "pages", .fields = &list_figures}};
static const struct ttp_document_spec list_document = {
    .schema = "tt-perf.explain-list/1", .help = "Pages of explain", TTP_PARTS(list_parts)};
static const struct ttp_part_spec page_parts[] = {
    {.kind = TTP_PART_DATA, .fields = &page_figures, .json_only = true}};
static const struct ttp_document_spec page_document = {.schema = "tt-perf.explain/2",
                                                       .help = "A page of explain",
                                                       TTP_PARTS(page_parts),
                                                       .no_table = true};

/* Rules first. */
static ttp_code list_pages(const struct ttp_show *show, struct ttp_err *err)
{
    struct ttp_document doc;
    size_t n = 0;

    for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++)
        n++;
    struct page_row *row = TTP_NEW(show->arena, struct page_row, n);
    n = 0;
    for (int rules = 1; rules >= 0; rules--)
        for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++)
            if ((rule_of(p->name) != NULL) == (rules == 1))
                make_row(&row[n++], p);
    ttp_document_init(&doc, &list_document, show->arena);
    ttp_document_rows(&doc, 0, NULL, row, n);
    return ttp_show_document(show, &doc, NULL, err);
}

/* Headings are highlighted; fences of code are omitted, its lines indented. */
static void put_text(const struct ttp_show *show, ttp_str rest)
{
    ttp_str line;
    struct ttp_sink plain;
    bool code = false;

    ttp_sink_to_arena(&plain, show->arena);

    while (ttp_str_next_line(&rest, &line)) {
        if (ttp_str_starts(line, TTP_STR("```"))) {
            code = !code;
            continue;
        }
        const bool heading = !code && ttp_str_starts(line, TTP_STR("#"));
        if (heading)
            line = ttp_str_slice(line, ttp_str_find_char(line, ' ') + 1, line.len);
        if (heading) { /* those before it are a page */
            ttp_markdown_put(show->out, ttp_sink_text(&plain), show->width, show->arena);
            plain.len = 0;
            if (show->color)
                ttp_sink_printf(show->out, "\x1b[1m%.*s\x1b[0m\n", TTP_FMT(line));
            else
                ttp_sink_printf(show->out, "%.*s\n", TTP_FMT(line));
            continue;
        }
        ttp_sink_put(&plain, code ? TTP_STR("    ") : TTP_STR(""));
        ttp_sink_put(&plain, line);
        ttp_sink_char(&plain, '\n');
    }
    ttp_markdown_put(show->out, ttp_sink_text(&plain), show->width, show->arena);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct page_row *row = arg;

    if (show->form == TTP_FORM_MARKDOWN)
        ttp_markdown_put(show->out, row->markdown, 0, show->arena);
    else
        put_text(show, row->markdown);
}

static ttp_code put_page(const struct ttp_show *show, const struct ttp_embedded *page,
                         struct ttp_err *err)
{
    struct page_row row;
    const struct ttp_page body = {.arg = &row, .head = put_head};
    struct ttp_document doc;

    make_row(&row, page);
    ttp_document_init(&doc, &page_document, show->arena);
    ttp_document_object(&doc, 0, NULL, &row);
    return ttp_show_document(show, &doc, &body, err);
}

/* Words that users have for a page. */
static const struct alias {
    const char *word, *page;
} aliases[] = {
    {"oom", "out-of-memory"},
    {"memory", "out-of-memory"},
    {"l1", "out-of-memory"},
    {"dram", "out-of-memory"},
    {"fragmentation", "out-of-memory"},
    {"circular-buffers", "out-of-memory"},
};

/* "out-of-memory" of "Out of Memory": as pages are named. */
static const char *page_name(const char *word, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (const char *c = word; *c; c++)
        ttp_sink_char(&out, (char)(*c == ' ' || *c == '_'   ? '-'
                                   : *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a'
                                                            : *c));
    const char *name = ttp_arena_zstr(arena, ttp_sink_text(&out));
    for (size_t i = 0; i < TTP_COUNT(aliases); i++)
        if (strcmp(name, aliases[i].word) == 0)
            return aliases[i].page;
    return name;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct explain_opts *o = opts;

    (void)status;
    struct ttp_show show = ctx->show;
    show.inputs = NULL; /* a page is not a file */
    if (o->list || operands->count == 0)
        return list_pages(&show, err);
    const char *name = page_name(operands->word[0], ctx->arena);
    for (const struct ttp_embedded *p = ttp_explain_pages; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return put_page(&show, p, err);
    ttp_fail(err, TTP_EUSAGE, "no page named '%s'", name);
    const char *near = ttp_opts_nearest(name, ttp_embedded_names(ttp_explain_pages, ctx->arena));
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    else
        ttp_err_hint(err, "'tt-perf explain --list' lists them");
    return TTP_EUSAGE;
}

static const struct ttp_document_spec *const documents[] = {&list_document, &page_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf explain trace", "what to do, sample code, published gains, when not to"},
    {"tt-perf explain oom", "what to do when L1 or DRAM does not suffice"},
    {"tt-perf explain --list", "all pages"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_explain = {
    .name = "explain",
    .args = "[RULE|TOPIC]",
    .summary = "explain a rule of advise, or a related topic, with code",
    .description =
        "One screen about a rule that tt-perf advise names, or about a related topic: what to "
        "do, code for TTNN or TT-Lang, published gains with their source, and when not to do it.",
    TTP_CMD_OPTIONS(options, struct explain_opts),
    .takes =
        TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_COLOR | TTP_TAKES_PAGER | TTP_TAKES_OUTPUT,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_PAGE,
    .min_operands = 0,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};

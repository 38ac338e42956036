/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - a document in the requested format. */
#include "base/gate.h"
#include "outputs/outputs.h"
#include "outputs/page/page.h"
#include "outputs/show/show_forms.h"

void ttp_document_init(struct ttp_document *doc, const struct ttp_document_spec *spec,
                       struct ttp_arena *arena)
{
    *doc =
        (struct ttp_document){.spec = spec, .part = TTP_NEW(arena, struct ttp_part, spec->parts)};
    for (size_t i = 0; i < spec->parts; i++)
        doc->part[i].rows.fields = spec->part[i].fields;
}

void ttp_document_set(struct ttp_document *doc, size_t part, const void *context,
                      struct ttp_document_rows of)
{
    struct ttp_part *p = &doc->part[part];

    p->filled = true;
    p->rows.context = context;
    p->rows.first = of.rows;
    p->rows.size = of.size;
    p->rows.count = of.count;
}

void ttp_document_choose(struct ttp_document *doc, size_t part, const size_t *index, size_t count)
{
    doc->part[part].index = index;
    doc->part[part].count = count;
}

ttp_code ttp_document_order(struct ttp_document *doc, size_t part, const char *sort,
                            struct ttp_show *show, struct ttp_err *err)
{
    const struct ttp_selection order = {.sort = sort};
    size_t *index, count;

    if (doc->spec->main == part) {
        if (!show->selection.sort)
            show->selection.sort = sort;
        return TTP_OK;
    }
    TTP_TRY(ttp_records_select(&index, &count, &doc->part[part].rows, &order, show->arena, err));
    ttp_document_choose(doc, part, index, count);
    return TTP_OK;
}

static const struct ttp_part_spec *spec_of(const struct ttp_showing *s, size_t part)
{
    return &s->doc->spec->part[part];
}

/* --- text and Markdown --- */

void ttp_show_more(const struct ttp_show *show, size_t rows)
{
    const bool markdown = show->form == TTP_FORM_MARKDOWN;

    if (markdown)
        ttp_sink_own(show->out, "\n");
    else
        ttp_sink_own(show->out, "  ");
    ttp_sink_printf(show->out, "... and %zu more (--top 0 shows all)\n", rows);
}

void ttp_show_heading(const struct ttp_show *show, const char *title)
{
    if (!title)
        return;
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_printf(show->out, "\n## %s\n\n", title);
    else
        ttp_sink_printf(show->out, "\n%s\n", title);
}

static void put_page(const struct ttp_showing *s)
{
    static const struct ttp_page empty;
    const struct ttp_page *page = s->page ? s->page : &empty;

    if (page->head)
        page->head(s->show, page->arg);
    for (size_t i = 0; i < s->doc->spec->parts; i++) {
        const struct ttp_part_spec *spec = spec_of(s, i);
        const struct ttp_table *table = &s->table[i];

        if (!s->doc->part[i].filled || spec->json_only)
            continue;
        if (page->body) {
            page->body(s->show, page->arg, i, table);
        } else if (spec->kind != TTP_PART_ROWS) {
            ttp_show_heading(s->show, spec->title);
            ttp_show_facts(s->show, table->rows);
        } else if (table->count) {
            ttp_show_heading(s->show, spec->title);
            ttp_show_table(s->show, table);
        }
    }
    if (page->foot)
        page->foot(s->show, page->arg);
}

static void put_pages(const struct ttp_showing *s)
{
    for (; s; s = s->rest) {
        put_page(s);
        if (s->rest)
            ttp_sink_repeat(s->show->out, '\n', s->show->form == TTP_FORM_MARKDOWN ? 1 : 2);
    }
}

/* --- JSON --- */

static void put_json_part(struct ttp_json_writer *w, const struct ttp_showing *s, size_t part)
{
    const struct ttp_part_spec *spec = spec_of(s, part);
    const struct ttp_records *rows = s->table[part].rows;

    if (spec->kind == TTP_PART_DATA) {
        if (rows->count)
            ttp_show_json_members(w, rows, 0);
        return;
    }
    if (spec->table_only || (spec->optional && !s->doc->part[part].filled))
        return;
    ttp_json_put_key(w, ttp_str_from(spec->id));
    if (spec->kind == TTP_PART_OTHER) {
        s->doc->part[part].put(w, s->doc->part[part].arg);
    } else if (spec->kind == TTP_PART_ROWS) {
        ttp_show_json_rows(w, &s->table[part]);
    } else if (rows->count) {
        ttp_json_begin_object(w);
        ttp_show_json_members(w, rows, 0);
        ttp_json_end_object(w);
    } else {
        ttp_json_put_null(w);
    }
}

/* Returns whether rows were left out. */
static bool put_json_parts(struct ttp_json_writer *w, const struct ttp_showing *s)
{
    const struct ttp_document_spec *spec = s->doc->spec;
    const struct ttp_table *main = &s->table[spec->main];

    ttp_json_begin_object(w);
    for (size_t i = 0; i < spec->parts; i++)
        if (!spec->part[i].shared)
            put_json_part(w, s, i);
    ttp_json_end_object(w);
    return s->doc->more || (!spec->no_table && main->count < main->rows->count);
}

static void put_json(const struct ttp_showing *s)
{
    const struct ttp_document_spec *spec = s->doc->spec;
    struct ttp_json_writer w = {.sink = s->show->out};
    const struct ttp_words *warnings = s->show->warnings;
    bool cut = false;

    ttp_envelope_begin(&w, spec->schema, s->show->inputs);
    if (!spec->each) {
        cut = put_json_parts(&w, s);
    } else {
        ttp_json_begin_object(&w);
        for (size_t i = 0; i < spec->parts; i++)
            if (spec->part[i].shared)
                put_json_part(&w, s, i);
        ttp_json_put_key(&w, ttp_str_from(spec->each));
        ttp_json_begin_array(&w);
        for (; s; s = s->rest)
            cut |= put_json_parts(&w, s);
        ttp_json_end_array(&w);
        ttp_json_end_object(&w);
    }
    ttp_envelope_end(&w, warnings, cut);
}

/* --- HTML --- */

#define TEXT_WIDTH    120
#define SUMMARY_LINES 24 /* more are below the tables */

/* The headline as a terminal would show it, or all that it would show. */
static ttp_str text_of(const struct ttp_showing *s, bool all)
{
    struct ttp_show show = *s->show;
    struct ttp_showing plain = *s;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, show.arena);
    text.gate = TTP_GATE_TEXT;
    show.out = &text;
    show.form = TTP_FORM_TEXT;
    show.color = false;
    show.width = TEXT_WIDTH;
    plain.show = &show;
    if (all)
        put_page(&plain);
    else if (s->page && s->page->head)
        s->page->head(&show, s->page->arg);
    return ttp_sink_text(&text);
}

/* "time_budget" is "Time budget". */
static const char *title_of(const struct ttp_part_spec *spec, struct ttp_arena *arena)
{
    if (spec->title || !spec->id)
        return spec->title ? spec->title : "Details";
    char *title = ttp_arena_zstr(arena, ttp_str_from(spec->id));
    for (char *c = strchr(title, '_'); c; c = strchr(c, '_'))
        *c = ' ';
    if (title[0] >= 'a' && title[0] <= 'z')
        title[0] = (char)(title[0] - 'a' + 'A');
    return title;
}

static bool is_on_page(const struct ttp_showing *s, size_t part)
{
    const struct ttp_part_spec *spec = spec_of(s, part);

    return s->doc->part[part].filled && spec->kind != TTP_PART_OTHER && s->table[part].count;
}

static const struct ttp_chart *chart_of(const struct ttp_html *html, const char *part, size_t which)
{
    for (size_t i = 0; html && i < html->charts; i++)
        if (strcmp(html->chart[i].part, part) == 0 && which-- == 0)
            return &html->chart[i];
    return NULL;
}

/* The chart that draws the rows of this part as lines; NULL: none. */
static const struct ttp_chart *chart_with_lines(const struct ttp_html *html, const char *part)
{
    for (size_t i = 0; html && i < html->charts; i++)
        if (html->chart[i].line_part && strcmp(html->chart[i].line_part, part) == 0)
            return &html->chart[i];
    return NULL;
}

static const char *joined(const char *a, const char *b, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%s", a, b);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* The charts of a part, then its table. */
static void add_part(struct ttp_page_content *page, const struct ttp_showing *s, size_t part,
                     const char *suffix)
{
    struct ttp_arena *arena = s->show->arena;
    struct ttp_part_spec *spec = TTP_NEW(arena, struct ttp_part_spec, 1);
    struct ttp_page_part *p = &page->part[page->parts++];
    const struct ttp_chart *chart;

    *spec = *spec_of(s, part);
    spec->title = title_of(spec, arena);
    if (!spec->id) { /* several records may are directly in "data" */
        char number[TTP_NUM_MAX + 1];
        number[ttp_num_u64(number, part)] = '\0';
        spec->id = joined("figures-", number, arena);
    }
    *p = (struct ttp_page_part){
        .id = joined(spec->id, suffix, arena),
        .spec = spec,
        .table = &s->table[part],
        .main = part == s->doc->spec->main && !s->doc->spec->no_table,
        .empty = TTP_NEW(arena, bool, s->table[part].rows->fields->count),
    };
    const struct ttp_chart *first = chart_of(page->html, spec->id, 0);
    if (!first && (first = chart_with_lines(page->html, spec->id)))
        p->folded = first->fold_lines;
    const char *title =
        joined(first && p->table->count ? first->title : spec->title, suffix, arena);
    for (size_t i = 0; (chart = chart_of(page->html, spec->id, i)); i++) {
        p->folded |= chart->fold_table;
        if (p->table->count)
            page->section[page->sections++] =
                (struct ttp_page_section){.title = title, .chart = chart, .part = p};
    }
    page->section[page->sections++] = (struct ttp_page_section){.title = title, .part = p};
}

static bool is_short(ttp_str text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines <= SUMMARY_LINES;
}

/* A document: its headline, its picture, tables with their charts, then single figures, and what
 * the terminal would show where that is more. */
static void add_document(struct ttp_page_content *page, const struct ttp_showing *s,
                         const char *suffix)
{
    const struct ttp_html *html = s->page ? s->page->html : NULL;
    const bool has_body = s->page && s->page->body;
    ttp_str head = text_of(s, false);
    const bool short_body = !head.len && has_body && is_short(text_of(s, true));

    if (short_body) /* it is its own headline */
        head = text_of(s, true);
    if (!page->head.len)
        page->head = head;
    if (head.len)
        page->section[page->sections++] = (struct ttp_page_section){
            .title = joined("Summary", suffix, s->show->arena), .text = head};
    if (html && html->picture) {
        struct ttp_sink svg;
        ttp_sink_to_arena(&svg, s->show->arena);
        html->picture(&svg, s->page->arg, s->show->arena);
        if (ttp_sink_text(&svg).len)
            page->section[page->sections++] = (struct ttp_page_section){
                .title = joined(html->picture_title, suffix, s->show->arena),
                .picture = ttp_sink_text(&svg)};
    }
    for (size_t i = 0; i < s->doc->spec->parts; i++)
        if (is_on_page(s, i) && spec_of(s, i)->kind == TTP_PART_ROWS)
            add_part(page, s, i, suffix);
    for (size_t i = 0; i < s->doc->spec->parts; i++)
        if (is_on_page(s, i) && spec_of(s, i)->kind != TTP_PART_ROWS)
            add_part(page, s, i, suffix);
    if (has_body && !short_body)
        page->section[page->sections++] =
            (struct ttp_page_section){.title = joined("Terminal", suffix, s->show->arena),
                                      .text = text_of(s, true),
                                      .folded = true};
}

static void put_html(const struct ttp_showing *s)
{
    struct ttp_page_content page = {.html = s->page ? s->page->html : NULL};
    size_t most = 0, document = 0;

    for (const struct ttp_showing *d = s; d; d = d->rest)
        most += d->doc->spec->parts + 3;
    page.part = TTP_NEW(s->show->arena, struct ttp_page_part, most);
    page.section = TTP_NEW(s->show->arena, struct ttp_page_section,
                           most * (2 + (page.html ? page.html->charts : 0)));
    page.title = page.html && page.html->title ? page.html->title : s->doc->spec->help;
    for (const struct ttp_showing *d = s; d; d = d->rest, document++) {
        char suffix[TTP_NUM_MAX + 1] = "";

        if (document) {
            suffix[0] = ' ';
            suffix[1 + ttp_num_u64(suffix + 1, document + 1)] = '\0';
        }
        add_document(&page, d, suffix);
    }
    ttp_page_write(s->show, &page);
}

/* --- choice --- */

static ttp_code choose_rows(struct ttp_table *out, const struct ttp_part *part,
                            const struct ttp_selection *selection, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    size_t *index;

    *out = (struct ttp_table){.rows = &part->rows, .index = part->index, .count = part->count};
    if (part->index)
        return TTP_OK;
    TTP_TRY(ttp_records_select(&index, &out->count, &part->rows, selection, arena, err));
    out->index = index;
    return TTP_OK;
}

/* Writers of all verbs' tables; other forms belong to single verbs. */
static const struct writer {
    void (*put)(const struct ttp_showing *s); /* NULL: none */
    const char *flat;                         /* ttp_form_flat() */
} writers[TTP_FORM_OTHER + 1] = {
    [TTP_FORM_TEXT] = {put_pages},     [TTP_FORM_CSV] = {ttp_show_csv, .flat = "csv"},
    [TTP_FORM_MARKDOWN] = {put_pages}, [TTP_FORM_JSON] = {put_json},
    [TTP_FORM_HTML] = {put_html},      [TTP_FORM_PARQUET] = {ttp_show_parquet, .flat = "parquet"},
};

const char *ttp_form_flat(enum ttp_form form)
{
    return writers[form].flat;
}

bool ttp_form_is_picture(enum ttp_form form)
{
    return form == TTP_FORM_SVG || form == TTP_FORM_PNG;
}

bool ttp_form_is_binary(enum ttp_form form)
{
    return form == TTP_FORM_PARQUET || form == TTP_FORM_PNG;
}

/* A reader of Parquet finds columns by their names. */
static ttp_code check_distinct(const struct ttp_table *t, struct ttp_err *err)
{
    for (size_t i = 0; i < t->columns; i++)
        for (size_t k = 0; k < i; k++)
            if (t->column[i] == t->column[k])
                return ttp_fail(err, TTP_EUSAGE,
                                "--columns has '%s' twice, which --format parquet does not support",
                                t->column[i]->id);
    return TTP_OK;
}

static ttp_code choose_columns(struct ttp_table *out, const struct ttp_showing *s,
                               struct ttp_err *err)
{
    const struct ttp_fields *all = out->rows->fields;
    const char *names = s->show->columns;

    if (!names && ttp_form_flat(s->show->form) && s->page)
        names = s->page->csv_columns;
    if (names) {
        TTP_TRY(ttp_fields_choose(&out->column, &out->columns, all, names, s->show->arena, err));
        return s->show->form == TTP_FORM_PARQUET ? check_distinct(out, err) : TTP_OK;
    }
    if (!ttp_form_flat(s->show->form))
        return TTP_OK;
    const struct ttp_field **column = TTP_NEW(s->show->arena, const struct ttp_field *, all->count);
    for (size_t i = 0; i < all->count; i++)
        if (!ttp_field_is_nested(&all->field[i]))
            column[out->columns++] = &all->field[i];
    out->column = column;
    return TTP_OK;
}

/* The first option on rows that was given; NULL: none. */
static const char *option_on_rows(const struct ttp_show *show)
{
    return show->columns           ? "columns"
           : show->selection.where ? "where"
           : show->selection.sort  ? "sort"
           : show->selection.top   ? "top"
                                   : NULL;
}

ttp_code ttp_show_check_whole_json(const struct ttp_show *show, struct ttp_err *err)
{
    const char *option = option_on_rows(show);

    if (!option)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "--%s conflicts with --format json, which has all rows",
                   option);
    ttp_err_hint(err, "use --format csv for the table");
    return TTP_EUSAGE;
}

static ttp_code check_no_table(const struct ttp_show *show, struct ttp_err *err)
{
    const char *option = option_on_rows(show);

    if (option)
        return ttp_fail(err, TTP_EUSAGE, "--%s: the result is not a table", option);
    if (ttp_form_flat(show->form))
        return ttp_fail(err, TTP_EUSAGE, "--format %s: the result is not a table",
                        ttp_form_flat(show->form));
    return TTP_OK;
}

static ttp_code prepare(struct ttp_showing *s, struct ttp_err *err)
{
    static const struct ttp_selection everything;
    const struct ttp_document_spec *spec = s->doc->spec;
    struct ttp_arena *arena = s->show->arena;

    s->table = TTP_NEW(arena, struct ttp_table, spec->parts);
    for (size_t i = 0; i < spec->parts; i++) {
        const bool chosen = i == spec->main && !spec->no_table;

        TTP_TRY(choose_rows(&s->table[i], &s->doc->part[i],
                            chosen ? &s->show->selection : &everything, arena, err));
        s->table[i].aside = !chosen;
        if (chosen)
            TTP_TRY(choose_columns(&s->table[i], s, err));
    }
    return TTP_OK;
}

ttp_code ttp_show_documents(const struct ttp_show *show, const struct ttp_document *doc,
                            const struct ttp_page *page, size_t count, struct ttp_err *err)
{
    struct ttp_showing *s = TTP_NEW(show->arena, struct ttp_showing, count);

    if (doc->spec->no_table)
        TTP_TRY(check_no_table(show, err));
    if (doc->spec->whole_json && show->form == TTP_FORM_JSON)
        TTP_TRY(ttp_show_check_whole_json(show, err));
    for (size_t i = 0; i < count; i++) {
        s[i] = (struct ttp_showing){.show = show,
                                    .doc = &doc[i],
                                    .page = page ? &page[i] : NULL,
                                    .rest = i + 1 < count ? &s[i + 1] : NULL};
        TTP_TRY(prepare(&s[i], err));
    }
    writers[show->form].put(s);
    return TTP_OK;
}

ttp_code ttp_show_document(const struct ttp_show *show, const struct ttp_document *doc,
                           const struct ttp_page *page, struct ttp_err *err)
{
    return ttp_show_documents(show, doc, page, 1, err);
}

ttp_code ttp_show_choose(struct ttp_records *out, const struct ttp_show *show,
                         const struct ttp_records *rows, struct ttp_err *err)
{
    const struct ttp_field *const *column;
    struct ttp_arena *arena = show->arena;
    size_t *index;

    *out = *rows;
    TTP_TRY(ttp_records_select(&index, &out->count, rows, &show->selection, arena, err));
    char *copy = ttp_arena_alloc(arena, out->count, rows->size, 16);
    for (size_t i = 0; i < out->count; i++)
        memcpy(copy + i * rows->size, ttp_records_at(rows, index[i]), rows->size);
    out->first = copy;
    if (!show->columns)
        return TTP_OK;
    struct ttp_fields *fields = TTP_NEW(arena, struct ttp_fields, 1);
    TTP_TRY(ttp_fields_choose(&column, &fields->count, rows->fields, show->columns, arena, err));
    struct ttp_field *field = TTP_NEW(arena, struct ttp_field, fields->count);
    for (size_t i = 0; i < fields->count; i++)
        field[i] = *column[i], field[i].table_only = false; /* it was asked for */
    fields->field = field;
    out->fields = fields;
    return TTP_OK;
}

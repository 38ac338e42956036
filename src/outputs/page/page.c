/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/page/page.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "base/version.h"

static ttp_str base64_of(ttp_str bytes, struct ttp_arena *arena)
{
    struct ttp_sink out;
    struct ttp_base64 b = {.out = &out};

    ttp_sink_to_arena(&out, arena);
    ttp_base64_put(&b, bytes);
    ttp_base64_end(&b);
    return ttp_sink_text(&out);
}

/* ---- what the script reads ---- */

static void put_text(struct ttp_json_writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, ttp_str_from(text));
}

static void put_flag(struct ttp_json_writer *w, const char *key, bool flag)
{
    if (!flag)
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_bool(w, true);
}

/* n: number, t: text, b: yes or no, m: moment, o: object, r: rows. */
static const char *type_name(enum ttp_type type)
{
    static const char *const names[] = {
        [TTP_I64] = "n",    [TTP_F64] = "n",  [TTP_TEXT] = "t",   [TTP_BOOL] = "b",
        [TTP_OBJECT] = "o", [TTP_ROWS] = "r", [TTP_MOMENT] = "m", [TTP_JSON] = "t",
    };

    return names[type];
}

static void put_aliases(struct ttp_json_writer *w, const struct ttp_fields *fields, const char *id)
{
    bool any = false;

    for (size_t i = 0; i < fields->aliases; i++) {
        if (strcmp(fields->alias[i].id, id) != 0)
            continue;
        if (!any) {
            ttp_json_put_key(w, TTP_STR("alias"));
            ttp_json_begin_array(w);
        }
        any = true;
        ttp_json_put_str(w, ttp_str_from(fields->alias[i].brief));
    }
    if (any)
        ttp_json_end_array(w);
}

static const char *unit_in_row(const struct ttp_field *f, const struct ttp_page_part *part,
                               size_t row)
{
    const char *record = ttp_records_at(part->table->rows, part->table->index[row]);
    const char *unit;

    memcpy(&unit, record + f->unit_at - 1, sizeof(unit));
    return unit ? unit : "";
}

/* Have rows different units? Then the page takes each from the row's field `unit`. */
static bool is_mixed(const struct ttp_field *f, const struct ttp_page_part *part)
{
    if (!f->unit_at || !part)
        return false;
    for (size_t i = 1; i < part->table->count; i++)
        if (strcmp(unit_in_row(f, part, i), unit_in_row(f, part, 0)) != 0)
            return true;
    return false;
}

static const char *unit_of(const struct ttp_field *f, const struct ttp_page_part *part)
{
    if (is_mixed(f, part))
        return "";
    if (f->unit_at && part && part->table->count)
        return unit_in_row(f, part, 0);
    return f->unit ? f->unit : "";
}

/* As deep as the declarations nest. NOLINTNEXTLINE(misc-no-recursion) */
static void put_fields(struct ttp_json_writer *w, const struct ttp_fields *fields,
                       const struct ttp_page_part *part)
{
    ttp_json_begin_array(w);
    for (size_t i = 0; i < fields->count; i++) {
        const struct ttp_field *f = &fields->field[i];

        ttp_json_begin_object(w);
        put_text(w, "id", f->id ? f->id : "value");
        ttp_json_put_key(w, TTP_STR("title"));
        ttp_json_put_str(w, f->id ? ttp_field_title(f) : TTP_STR("Value"));
        put_text(w, "unit", unit_of(f, part));
        if (is_mixed(f, part))
            put_flag(w, "mixed", true);
        put_text(w, "type", type_name(f->type));
        ttp_json_put_key(w, TTP_STR("digits"));
        ttp_json_put_i64(w, f->digits);
        put_flag(w, "shown", f->in_table && !(part && part->empty[i]));
        put_flag(w, "left", f->left || f->type == TTP_TEXT);
        put_flag(w, "plus", f->plus);
        put_text(w, "help", f->help);
        if (f->id)
            put_aliases(w, fields, f->id);
        if (f->sub) {
            ttp_json_put_key(w, TTP_STR("sub"));
            put_fields(w, f->sub, NULL);
        }
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static bool is_named(const char *name, const char *id)
{
    return name && strcmp(name, id) == 0;
}

static void put_part(struct ttp_json_writer *w, const struct ttp_page_part *part,
                     const struct ttp_html *html)
{
    ttp_json_begin_object(w);
    put_text(w, "id", part->id);
    put_text(w, "title", part->spec->title ? part->spec->title : "");
    put_text(w, "help", part->spec->help);
    put_text(w, "kind", part->spec->kind == TTP_PART_ROWS ? "rows" : "facts");
    ttp_json_put_key(w, TTP_STR("count"));
    ttp_json_put_u64(w, part->table->count);
    put_flag(w, "main", part->main);
    put_flag(w, "folded", part->folded);
    if (html && is_named(html->members_part, part->spec->id)) {
        ttp_json_put_key(w, TTP_STR("members"));
        ttp_json_begin_object(w);
        put_text(w, "part", html->link_part);
        put_text(w, "of", html->members_of);
        put_text(w, "by", html->members_by);
        ttp_json_end_object(w);
    }
    ttp_json_put_key(w, TTP_STR("fields"));
    put_fields(w, part->table->rows->fields, part);
    ttp_json_end_object(w);
}

static void put_chart(struct ttp_json_writer *w, const struct ttp_chart *c, const char *part)
{
    ttp_json_begin_object(w);
    put_text(w, "kind", c->kind);
    put_text(w, "title", c->title);
    put_text(w, "help", c->help);
    put_text(w, "part", part);
    put_text(w, "label", c->label);
    put_text(w, "x", c->x);
    put_text(w, "y", c->y);
    put_text(w, "size", c->size);
    put_text(w, "color", c->color);
    put_text(w, "before", c->before);
    put_text(w, "lane", c->lane);
    put_text(w, "depth", c->depth);
    if (c->line_part) {
        ttp_json_put_key(w, TTP_STR("lines"));
        ttp_json_begin_object(w);
        put_text(w, "part", c->line_part);
        put_text(w, "label", c->line_label);
        put_text(w, "level", c->line_level);
        put_text(w, "slope", c->line_slope);
        ttp_json_put_key(w, TTP_STR("scale"));
        ttp_json_put_f64(w, c->line_scale);
        ttp_json_end_object(w);
    }
    ttp_json_end_object(w);
}

static void put_section(struct ttp_json_writer *w, const struct ttp_page_section *s,
                        struct ttp_arena *arena)
{
    ttp_json_begin_object(w);
    put_text(w, "kind",
             s->chart         ? "chart"
             : s->part        ? "part"
             : s->picture.len ? "picture"
                              : "text");
    put_flag(w, "folded", s->folded);
    put_text(w, "title", s->title);
    if (s->text.len) {
        ttp_json_put_key(w, TTP_STR("text"));
        ttp_json_put_str(w, s->text);
    }
    if (s->picture.len) {
        ttp_json_put_key(w, TTP_STR("svg"));
        ttp_json_put_str(w, base64_of(s->picture, arena));
    }
    if (s->part)
        put_text(w, "part", s->part->id);
    if (s->chart) {
        ttp_json_put_key(w, TTP_STR("chart"));
        put_chart(w, s->chart, s->part ? s->part->id : s->chart->part);
    }
    ttp_json_end_object(w);
}

static void put_link(struct ttp_json_writer *w, const struct ttp_html *html)
{
    ttp_json_put_key(w, TTP_STR("link"));
    ttp_json_begin_object(w);
    put_text(w, "part", html->link_part);
    put_text(w, "field", html->link_field);
    ttp_json_put_key(w, TTP_STR("from"));
    ttp_json_begin_array(w);
    for (size_t i = 0; html->link_from && html->link_from[i]; i++)
        ttp_json_put_str(w, ttp_str_from(html->link_from[i]));
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_pair(struct ttp_json_writer *w, const char *name, ttp_str text)
{
    ttp_json_begin_array(w);
    ttp_json_put_str(w, ttp_str_from(name));
    ttp_json_put_str(w, text);
    ttp_json_end_array(w);
}

static void put_about(struct ttp_json_writer *w, const struct ttp_show *show)
{
    ttp_json_put_key(w, TTP_STR("about"));
    ttp_json_begin_array(w);
    put_pair(w, "tt-perf", ttp_str_from(ttp_version));
    for (size_t i = 0; show->about && i < show->about->count; i++)
        put_pair(w, show->about->item[i].name, show->about->item[i].text);
    for (size_t i = 0; show->warnings && i < show->warnings->count; i++)
        put_pair(w, "Warning", ttp_str_from(show->warnings->word[i]));
    ttp_json_end_array(w);
}

static void put_model(struct ttp_json_writer *w, const struct ttp_show *show,
                      const struct ttp_page_content *content)
{
    ttp_json_begin_object(w);
    put_text(w, "title", content->title);
    if (content->html && content->html->link_part)
        put_link(w, content->html);
    ttp_json_put_key(w, TTP_STR("parts"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < content->parts; i++)
        put_part(w, &content->part[i], content->html);
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("sections"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < content->sections; i++)
        put_section(w, &content->section[i], show->arena);
    ttp_json_end_array(w);
    put_about(w, show);
    ttp_json_end_object(w);
}

/* ---- the file ---- */

/* JSON between script tags: '<' occurs inside strings only and is written as an escape. */
static void put_block(struct ttp_sink *out, const char *id, size_t number, ttp_str json)
{
    ttp_sink_printf(out, "<script type=\"application/json\" id=\"%s", id);
    if (number != SIZE_MAX)
        ttp_sink_printf(out, "%zu", number);
    ttp_sink_put(out, TTP_STR("\">"));
    while (json.len) {
        const size_t at = ttp_str_find_char(json, '<');
        const size_t end = at == TTP_NPOS ? json.len : at;

        ttp_sink_put(out, ttp_str_slice(json, 0, end));
        if (at == TTP_NPOS)
            break;
        ttp_sink_put(out, TTP_STR("\\u003c"));
        json = ttp_str_slice(json, end + 1, json.len);
    }
    ttp_sink_put(out, TTP_STR("</script>\n"));
}

static int hex_value(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* As a content security policy has it. */
static ttp_str hash_of(ttp_str text, struct ttp_arena *arena)
{
    char hex[TTP_SHA256_HEX + 1], bytes[TTP_SHA256_HEX / 2];

    ttp_sha256_hex(hex, text);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(hex_value(hex[2 * i]) * 16 + hex_value(hex[2 * i + 1]));
    return base64_of((ttp_str){bytes, sizeof(bytes)}, arena);
}

/* The text of an element of the template. */
static ttp_str inside(ttp_str page, ttp_str open, ttp_str close)
{
    const size_t from = ttp_str_find(page, open);
    const ttp_str rest = ttp_str_slice(page, from + open.len, page.len);

    return ttp_str_slice(rest, 0, ttp_str_find(rest, close));
}

void ttp_page_write(const struct ttp_show *show, const struct ttp_page_content *content)
{
    struct ttp_arena scratch = {0};
    struct ttp_sink text, frame;
    struct ttp_template t = {.assets = ttp_page_assets};
    ttp_str rest;

    show->out->gate = TTP_GATE_NONE;     /* escaped here */
    ttp_sink_to_arena(&frame, &scratch); /* without words: scripts and styles have none */
    ttp_template_put(&frame, &t, "page.html", NULL);
    const ttp_str page = ttp_sink_text(&frame);
    const struct ttp_template_word word[] = {
        {.name = "title", .text = ttp_str_from(content->title)},
        {.name = "version", .text = ttp_str_from(ttp_version)},
        {.name = "head", .text = content->head, .lines = true},
        {.name = "script",
         .text = hash_of(inside(page, TTP_STR("<script>"), TTP_STR("</script>")), &scratch)},
        {.name = "style",
         .text = hash_of(inside(page, TTP_STR("<style>"), TTP_STR("</style>")), &scratch)},
    };
    t.word = word;
    t.words = TTP_COUNT(word);
    ttp_template_put(show->out, &t, "page.html", &rest);
    for (size_t i = 0; i < content->parts; i++) {
        struct ttp_arena rows = {0};
        struct ttp_json_writer w = {.sink = &text};

        ttp_sink_to_arena(&text, &rows);
        ttp_page_put_rows(&w, &content->part[i], &rows);
        put_block(show->out, "rows-", i, ttp_sink_text(&text));
        ttp_arena_free(&rows);
    }
    struct ttp_json_writer w = {.sink = &text};
    ttp_sink_to_arena(&text, &scratch);
    put_model(&w, show, content);
    put_block(show->out, "page", SIZE_MAX, ttp_sink_text(&text));
    ttp_template_put_rest(show->out, &t, rest);
    ttp_arena_free(&scratch);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/template.h"

#include <assert.h>

#include "base/gate.h"

static ttp_str find_asset(const struct ttp_asset *a, ttp_str name)
{

    while (a->name && !ttp_str_eq(ttp_str_from(a->name), name))
        a++;
    assert(a->name); /* templates are ours */
    return a->text;
}

static void put_escaped(struct ttp_sink *out, ttp_str text)
{
    struct ttp_arena arena = {0};

    text = ttp_gate_text(&arena, text);
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];

        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
            ttp_sink_printf(out, "&#%d;", c);
        else
            ttp_sink_char(out, c);
    }
    ttp_arena_free(&arena);
}

static void put_lines(struct ttp_sink *out, ttp_str text)
{
    ttp_str line;

    while (ttp_str_next_line(&text, &line)) {
        put_escaped(out, line);
        ttp_sink_char(out, '\n');
    }
}

static void put_word(struct ttp_sink *out, ttp_str name, const struct ttp_template *t)
{
    for (size_t i = 0; i < t->words; i++) {
        if (!ttp_str_eq(ttp_str_from(t->word[i].name), name))
            continue;
        if (t->word[i].lines)
            put_lines(out, t->word[i].text);
        else
            put_escaped(out, t->word[i].text);
    }
}

/* Text up to the next {{...}}, and what is between its braces; false: none. */
static bool next_hole(ttp_str *rest, ttp_str *before, ttp_str *name)
{
    const size_t from = ttp_str_find(*rest, TTP_STR("{{"));
    const ttp_str behind = ttp_str_slice(*rest, from + 2, rest->len);
    const size_t to = from == TTP_NPOS ? TTP_NPOS : ttp_str_find(behind, TTP_STR("}}"));

    if (to == TTP_NPOS)
        return false;
    *before = ttp_str_slice(*rest, 0, from);
    *name = ttp_str_slice(behind, 0, to);
    *rest = ttp_str_slice(behind, to + 2, behind.len);
    return true;
}

/* An asset inside a page has words, but no assets of its own. */
static void put_asset(struct ttp_sink *out, ttp_str text, const struct ttp_template *t)
{
    ttp_str before, name;

    while (next_hole(&text, &before, &name)) {
        ttp_sink_put(out, before);
        put_word(out, name, t);
    }
    ttp_sink_put(out, text);
}

/* Up to {{data}} if someone asks for what follows it. */
static void put_page(struct ttp_sink *out, const struct ttp_template *t, ttp_str text,
                     ttp_str *rest)
{
    const ttp_str prefix = TTP_STR("asset:");
    ttp_str before, name;

    while (next_hole(&text, &before, &name)) {
        ttp_sink_put(out, before);
        if (rest && ttp_str_eq(name, TTP_STR("data"))) {
            *rest = text;
            return;
        }
        if (ttp_str_starts(name, prefix))
            put_asset(out, find_asset(t->assets, ttp_str_slice(name, prefix.len, name.len)), t);
        else
            put_word(out, name, t);
    }
    ttp_sink_put(out, text);
}

void ttp_template_put(struct ttp_sink *out, const struct ttp_template *t, const char *asset,
                      ttp_str *rest)
{
    if (rest)
        *rest = (ttp_str){0};
    put_page(out, t, find_asset(t->assets, ttp_str_from(asset)), rest);
}

void ttp_template_put_rest(struct ttp_sink *out, const struct ttp_template *t, ttp_str rest)
{
    put_page(out, t, rest, NULL);
}

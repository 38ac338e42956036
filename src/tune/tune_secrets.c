/* SPDX-License-Identifier: Apache-2.0 */
/* tune_secrets.c - the ledger may be shown to others, but commands must run again: masked text is
 * in a file next to it, one JSON object per line, readable only by its owner. */
#include "base/secrets.h"

#include "base/append_log.h"
#include "tune/ledger.h"

/* Of commands; far more than anyone types. */
#define FILE_MAX ((size_t)16 << 20)

void ttp_tune_secrets_load(struct ttp_tune_secrets *out, const char *path, struct ttp_arena *arena)
{
    ttp_str rest, line;

    *out = (struct ttp_tune_secrets){.path = path, .arena = arena};
    if (ttp_append_log_read(&rest, path, FILE_MAX, arena, NULL) != TTP_OK)
        return;
    while (ttp_str_next_line(&rest, &line)) {
        struct ttp_node *n;
        struct ttp_err ignored = {0};

        /* one that was cut off belongs to a record that was never written */
        if (ttp_json_tree(&n, line, arena, &ignored) != TTP_OK || !n ||
            n->kind != TTP_JSON_OBJECT_BEGIN)
            continue;
        ttp_words_add(&out->shown, ttp_arena_zstr(arena, ttp_node_str_of(n, "shown")), arena);
        ttp_words_add(&out->exact, ttp_arena_zstr(arena, ttp_node_str_of(n, "exact")), arena);
    }
}

static size_t find(const struct ttp_words *list, const char *word)
{
    size_t i = 0;

    while (i < list->count && strcmp(list->word[i], word) != 0)
        i++;
    return i;
}

static ttp_code keep(struct ttp_tune_secrets *s, const char *shown, const char *exact)
{
    struct ttp_sink line;
    struct ttp_json_writer w = {.sink = &line};

    ttp_words_add(&s->shown, shown, s->arena);
    ttp_words_add(&s->exact, exact, s->arena);
    ttp_sink_to_arena(&line, s->arena);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("shown"));
    ttp_json_put_str(&w, ttp_str_from(shown));
    ttp_json_put_key(&w, TTP_STR("exact"));
    ttp_json_put_str(&w, ttp_str_from(exact));
    ttp_json_end_object(&w);
    ttp_sink_char(&line, '\n');
    return ttp_append_log_add(s->path, ttp_sink_text(&line), &s->err);
}

const char *ttp_tune_secrets_hide(struct ttp_tune_secrets *s, const char *exact, const char *masked)
{
    const char *shown = masked;
    const size_t known = find(&s->exact, exact);

    if (known < s->exact.count)
        return s->shown.word[known];
    /* two that differ in their secrets only must not become one */
    for (unsigned i = 2; find(&s->shown, shown) < s->shown.count; i++) {
        shown = ttp_arena_zstr(s->arena, ttp_sink_format(s->arena, "%s (secret %u)", masked, i));
    }
    const ttp_code rc = keep(s, shown, exact);
    s->rc = s->rc == TTP_OK ? rc : s->rc;
    return shown;
}

/* ---- back ---- */

static void restore_text(const char **text, const struct ttp_tune_secrets *s, bool *missing)
{
    if (!*text || !strstr(*text, TTP_SECRET_MASK))
        return;
    const size_t at = find(&s->shown, *text);
    if (at < s->shown.count)
        *text = s->exact.word[at];
    else if (find(&s->exact, *text) == s->exact.count)
        *missing = true;
}

static void restore_words(struct ttp_words *words, const struct ttp_tune_secrets *s, bool *missing)
{
    for (size_t i = 0; i < words->count; i++)
        restore_text(&words->word[i], s, missing);
}

void ttp_tune_secrets_restore(struct ttp_tune_session *session, const struct ttp_tune_secrets *s)
{
    bool missing = false;

    restore_text(&session->setup.command, s, &missing);
    restore_text(&session->setup.build, s, &missing);
    restore_text(&session->setup.check, s, &missing);
    restore_text(&session->baseline.command, s, &missing);
    for (size_t i = 0; i < session->count; i++) {
        struct ttp_tune_change *c = &session->change[i];

        restore_text(&c->detail, s, &missing);
        restore_text(&c->side.command, s, &missing);
        restore_words(&c->side.env, s, &missing);
        restore_words(&c->sweeps, s, &missing);
        for (size_t k = 0; k < c->npoints; k++)
            restore_words(&c->point[k].set, s, &missing);
    }
    session->secrets_missing = missing;
}

/* ---- for whoever looks ---- */

static void mask_words(struct ttp_words *words, struct ttp_arena *arena)
{
    struct ttp_words masked = {0};

    for (size_t i = 0; i < words->count; i++)
        ttp_words_add(&masked, ttp_secrets_mask_setting(words->word[i], arena), arena);
    *words = masked;
}

static void mask_side(struct ttp_tune_side *side, struct ttp_arena *arena)
{
    side->command = ttp_secrets_mask_string(side->command, arena);
    mask_words(&side->env, arena);
}

const struct ttp_tune_session *ttp_tune_shown(const struct ttp_tune_session *s,
                                              struct ttp_arena *arena)
{
    struct ttp_tune_session *out = TTP_NEW(arena, struct ttp_tune_session, 1);

    *out = *s;
    out->setup.command = ttp_secrets_mask_string(s->setup.command, arena);
    out->setup.build = ttp_secrets_mask_string(s->setup.build, arena);
    out->setup.check = ttp_secrets_mask_string(s->setup.check, arena);
    mask_side(&out->baseline, arena);
    out->change = TTP_NEW(arena, struct ttp_tune_change, s->count);
    for (size_t i = 0; i < s->count; i++) {
        struct ttp_tune_change *c = &out->change[i];

        *c = s->change[i];
        c->detail = ttp_secrets_mask_string(c->detail, arena);
        mask_side(&c->side, arena);
        mask_words(&c->sweeps, arena);
        c->point = TTP_NEW(arena, struct ttp_tune_point, c->npoints);
        for (size_t k = 0; k < c->npoints; k++) {
            c->point[k] = s->change[i].point[k];
            mask_words(&c->point[k].set, arena);
        }
    }
    return out;
}

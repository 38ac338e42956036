/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - which part of the run the signposts mark. */
#include "analysis/stages.h"
#include "base/sink.h"

/* Positions in the row order of the signposts, in time order. */
struct posts {
    size_t *at;
    size_t count;
};

static ttp_sym code_of(const struct ttp_stage *s, uint32_t row)
{
    return ttp_ops_sym(s->ops, TTP_OPS_CODE, row);
}

static bool is_signpost(const struct ttp_stage *s, uint32_t row)
{
    return ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_SIGNPOST;
}

static void find_posts(const struct ttp_stage *s, const struct ttp_rows *rows, struct posts *out)
{
    *out = (struct posts){.at = TTP_NEW(s->arena, size_t, rows->count)};
    for (size_t i = 0; i < rows->count; i++)
        if (is_signpost(s, rows->row[i]))
            out->at[out->count++] = i;
}

/* Keep rows at places in the row order; signposts only if they are wanted. */
static void keep_places(const struct ttp_stage *s, struct ttp_rows *rows, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to && i < rows->count; i++)
        if (s->options->print_signposts || !is_signpost(s, rows->row[i]))
            rows->row[n++] = rows->row[i];
    rows->count = n;
}

static const char *given(const char *name)
{
    return name && name[0] ? name : NULL;
}

/* Place of the n-th signpost of that name at or behind `from`. */
static bool place_named(const struct ttp_stage *s, const struct ttp_rows *rows,
                        const struct posts *posts, const char *name, size_t from, size_t *place)
{
    for (size_t i = 0; i < posts->count; i++) {
        const ttp_sym code = code_of(s, rows->row[posts->at[i]]);
        if (posts->at[i] >= from &&
            ttp_str_eq(ttp_sym_name(&s->ops->syms, code), ttp_str_from(name))) {
            *place = posts->at[i];
            return true;
        }
    }
    return false;
}

static ttp_code no_such_signpost(const struct ttp_stage *s, const struct ttp_rows *rows,
                                 const struct posts *posts, const char *name, const char *where,
                                 struct ttp_err *err)
{
    struct ttp_sink list;
    const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "no signpost '%s'%s", name, where);

    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < posts->count && list.len < 180; i++)
        ttp_sink_printf(&list, "%s%.*s", i ? ", " : "",
                        TTP_FMT(ttp_sym_name(&s->ops->syms, code_of(s, rows->row[posts->at[i]]))));
    if (posts->count)
        ttp_err_hint(err, "the run has: %.*s", TTP_FMT(ttp_sink_text(&list)));
    else
        ttp_err_hint(err, "the run has no signposts at all");
    return rc;
}

/* Is there an op at or behind that place? */
static bool any_op(const struct ttp_stage *s, const struct ttp_rows *rows, size_t from)
{
    for (size_t i = from; i < rows->count; i++)
        if (!is_signpost(s, rows->row[i]))
            return true;
    return false;
}

/* By time; the end is the first of its name behind the start; the last signpost is the last
 * one. */
ttp_code ttp_stage_window(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    const char *start = given(s->options->start_signpost), *end = given(s->options->end_signpost);
    struct posts posts;
    size_t from = 0, to = rows->count, place;

    if (s->rules->window)
        return s->rules->window(s, rows, err);
    find_posts(s, rows, &posts);
    if (s->options->ignore_signposts) {
        keep_places(s, rows, 0, rows->count);
        return TTP_OK;
    }
    if (start) {
        if (!place_named(s, rows, &posts, start, 0, &place))
            return no_such_signpost(s, rows, &posts, start, "", err);
        from = place + 1;
    }
    if (end) {
        if (!place_named(s, rows, &posts, end, from, &place))
            return no_such_signpost(s, rows, &posts, end, start ? " behind the start" : "", err);
        to = place;
    }
    if (!start && !end && posts.count)
        from = posts.at[posts.count - 1] + 1;
    if (!start && !end && posts.count && !any_op(s, rows, from)) {
        from = 0;
        ttp_note_add(s->notes, TTP_NOTE_STATUS,
                     "%zu signpost%s, and nothing behind %s: showing the whole run (choose with "
                     "--start-signpost and --end-signpost)",
                     posts.count, posts.count == 1 ? "" : "s",
                     posts.count == 1 ? "it" : "the last one");
    } else if (!start && !end && posts.count) {
        ttp_note_add(s->notes, TTP_NOTE_STATUS,
                     "%zu signpost%s: showing what follows %s, '%.*s' (choose with "
                     "--start-signpost, --end-signpost or --ignore-signposts)",
                     posts.count, posts.count == 1 ? "" : "s",
                     posts.count == 1 ? "it" : "the last one",
                     TTP_FMT(ttp_sym_name(&s->ops->syms, code_of(s, rows->row[from - 1]))));
    }
    keep_places(s, rows, from, to);
    return TTP_OK;
}

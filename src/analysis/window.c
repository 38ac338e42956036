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

static const char *given(const char *name)
{
    return name && name[0] ? name : NULL;
}

/* The first signpost of that name in rows [from, end) of the table. */
static bool row_named(const struct ttp_stage *s, const char *name, size_t from, size_t end,
                      size_t *row)
{
    for (size_t r = from; r < end; r++)
        if (is_signpost(s, (uint32_t)r) &&
            ttp_str_eq(ttp_sym_name(&s->ops->syms, code_of(s, (uint32_t)r)), ttp_str_from(name))) {
            *row = r;
            return true;
        }
    return false;
}

/* Rows of the table. */
struct span {
    size_t from, to;
};

static ttp_code no_such_signpost(const struct ttp_stage *s, const struct ttp_rows *rows,
                                 const char *name, const char *where, struct ttp_err *err)
{
    struct posts posts;
    struct ttp_sink list;
    const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "no signpost '%s'%s", name, where);

    find_posts(s, rows, &posts);
    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < posts.count && list.len < 180; i++)
        ttp_sink_printf(&list, "%s%.*s", i ? ", " : "",
                        TTP_FMT(ttp_sym_name(&s->ops->syms, code_of(s, rows->row[posts.at[i]]))));
    if (posts.count)
        ttp_err_hint(err, "the run has: %.*s", TTP_FMT(ttp_sink_text(&list)));
    else
        ttp_err_hint(err, "the run has no signposts");
    return rc;
}

/* Rows of one host from the first signpost to the first end after it, [*from, *to). */
static ttp_code cut_host(struct span *span, const struct ttp_stage *s, const struct ttp_rows *rows,
                         struct ttp_err *err)
{
    const char *start = given(s->options->start_signpost), *end = given(s->options->end_signpost);
    size_t row;

    if (start && !row_named(s, start, span->from, span->to, &row))
        return no_such_signpost(s, rows, start, "", err);
    if (start)
        span->from = row + 1;
    if (end && !row_named(s, end, span->from, span->to, &row))
        return no_such_signpost(s, rows, end, start ? " after the start" : "", err);
    if (end)
        span->to = row;
    return TTP_OK;
}

/* Ours: by place in the file, because replayed ops have the host time of their capture; each host
 * by its own signposts. */
ttp_code ttp_stage_window(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    size_t n = 0;

    bool *keep = TTP_NEW(s->arena, bool, s->ops->rows);
    for (size_t host = 0; host < s->ops->files; host++) {
        struct span span = {s->ops->first_row[host], s->ops->first_row[host + 1]};

        if (!s->options->ignore_signposts)
            TTP_TRY(cut_host(&span, s, rows, err));
        for (size_t r = span.from; r < span.to; r++)
            keep[r] = s->options->print_signposts || !is_signpost(s, (uint32_t)r);
    }
    for (size_t i = 0; i < rows->count; i++)
        if (keep[rows->row[i]])
            rows->row[n++] = rows->row[i];
    rows->count = n;
    return TTP_OK;
}

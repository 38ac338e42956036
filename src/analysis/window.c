/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - the part of the run between signposts. */
#include "analysis/stages.h"
#include "base/sink.h"

static ttp_sym code_of(const struct ttp_stage *s, uint32_t row)
{
    return ttp_ops_sym(s->ops, TTP_OPS_CODE, row);
}

void ttp_analysis_stage_find_posts(struct ttp_posts *out, const struct ttp_stage *s,
                                   const struct ttp_rows *rows)
{
    *out = (struct ttp_posts){.at = TTP_NEW(s->arena, size_t, rows->count)};
    for (size_t i = 0; i < rows->count; i++)
        if (ttp_stage_is_post(s, rows->row[i]))
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
        if (ttp_stage_is_post(s, (uint32_t)r) &&
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
    struct ttp_posts posts;
    struct ttp_sink list;
    const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "no signpost '%s'%s", name, where);

    ttp_analysis_stage_find_posts(&posts, s, rows);
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
ttp_code ttp_analysis_stage_window(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    size_t n = 0;

    bool *keep = TTP_NEW(s->arena, bool, s->ops->rows);
    for (size_t host = 0; host < s->ops->files; host++) {
        struct span span = {s->ops->first_row[host], s->ops->first_row[host + 1]};

        if (!s->options->ignore_signposts)
            TTP_TRY(cut_host(&span, s, rows, err));
        for (size_t r = span.from; r < span.to; r++)
            keep[r] = s->options->print_signposts || !ttp_stage_is_post(s, (uint32_t)r);
    }
    for (size_t i = 0; i < rows->count; i++)
        if (keep[rows->row[i]])
            rows->row[n++] = rows->row[i];
    rows->count = n;
    return TTP_OK;
}

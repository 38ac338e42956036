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

/* Places among the rows of a host. */
struct span {
    size_t from, to;
};

/* The first signpost of that name there. */
static bool place_named(const struct ttp_stage *s, const struct ttp_host_rows *host,
                        const char *name, const struct span *span, size_t *at)
{
    for (size_t i = span->from; i < span->to; i++) {
        const uint32_t r = ttp_host_row(host, i);
        if (ttp_stage_is_post(s, r) &&
            ttp_str_eq(ttp_sym_name(&s->ops->syms, code_of(s, r)), ttp_str_from(name))) {
            *at = i;
            return true;
        }
    }
    return false;
}

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

/* From the host's first signpost to the first end after it, [*from, *to). */
static ttp_code cut_host(struct span *span, const struct ttp_stage *s, const struct ttp_rows *rows,
                         const struct ttp_host_rows *host, struct ttp_err *err)
{
    const char *start = given(s->options->start_signpost), *end = given(s->options->end_signpost);
    size_t at;

    if (start && !place_named(s, host, start, span, &at))
        return no_such_signpost(s, rows, start, "", err);
    if (start)
        span->from = at + 1;
    if (end && !place_named(s, host, end, span, &at))
        return no_such_signpost(s, rows, end, start ? " after the start" : "", err);
    if (end)
        span->to = at;
    return TTP_OK;
}

/* Ours: by place in the file, because replayed ops have the host time of their capture; each host
 * by its own signposts. */
ttp_code ttp_analysis_stage_window(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct ttp_hosts hosts;
    size_t n = 0;

    bool *keep = TTP_NEW(s->arena, bool, s->ops->rows);
    ttp_analysis_list_hosts(&hosts, s);
    for (size_t h = 0; h < hosts.count; h++) {
        const struct ttp_host_rows *host = &hosts.host[h];
        struct span span = {0, host->count};

        if (!s->options->ignore_signposts)
            TTP_TRY(cut_host(&span, s, rows, host, err));
        for (size_t i = span.from; i < span.to; i++) {
            const uint32_t r = ttp_host_row(host, i);
            keep[r] = s->options->print_signposts || !ttp_stage_is_post(s, r);
        }
    }
    for (size_t i = 0; i < rows->count; i++)
        if (keep[rows->row[i]])
            rows->row[n++] = rows->row[i];
    rows->count = n;
    return TTP_OK;
}

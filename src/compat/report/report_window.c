/* SPDX-License-Identifier: Apache-2.0 */
/* report_window.c - which part of the run tt-perf-report 1.2.4 takes between signposts. */
#include "base/sink.h"
#include "compat/report/report_rules.h"

static ttp_sym code_of(const struct ttp_stage *s, uint32_t row)
{
    return ttp_ops_sym(s->ops, TTP_OPS_CODE, row);
}

/* The n-th (from 0) signpost of that name: its row, and how many there are. */
struct named {
    bool found;
    uint32_t row;
    size_t total; /* of that name */
};

/* The n-th signpost of that name, from 0. */
static struct named find_named(const struct ttp_stage *s, const struct ttp_rows *rows,
                               const struct ttp_posts *posts, const char *name, size_t n)
{
    struct named out = {0};

    for (size_t i = 0; i < posts->count; i++) {
        const uint32_t r = rows->row[posts->at[i]];
        const ttp_sym code = code_of(s, r);
        if (code == TTP_SYM_MISSING || ttp_ops_is_numeric(s->ops, TTP_OPS_CODE, r) ||
            !ttp_str_eq(ttp_sym_name(&s->ops->syms, code), ttp_str_from(name)))
            continue;
        if (out.total++ == n) {
            out.row = r;
            out.found = true;
        }
    }
    return out;
}

/* Keep rows numbered inside (after, before); signposts only if they are wanted. */
static void keep_between(const struct ttp_stage *s, struct ttp_rows *rows, int64_t after,
                         int64_t before)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t r = rows->row[i];
        if ((int64_t)r > after && (int64_t)r < before &&
            (s->options->print_signposts || !ttp_stage_is_post(s, r)))
            rows->row[n++] = r;
    }
    rows->count = n;
}

/* The same by place in the row order. */
static void keep_places(const struct ttp_stage *s, struct ttp_rows *rows, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to && i < rows->count; i++)
        if (s->options->print_signposts || !ttp_stage_is_post(s, rows->row[i]))
            rows->row[n++] = rows->row[i];
    rows->count = n;
}

static const char *given(const char *name)
{
    return name && name[0] ? name : NULL;
}

/* Start and end filters of the original: they cut by row number, not by time. */
static bool apply_named_as_original(struct ttp_stage *s, struct ttp_rows *rows,
                                    const struct ttp_posts *posts)
{
    const char *start = given(s->options->start_signpost), *end = given(s->options->end_signpost);
    const struct ttp_rows before = *rows; /* posts index the rows as they were */
    const bool same = start && end && strcmp(start, end) == 0;
    int64_t after_row = -1, before_row = INT64_MAX;
    bool applied = false;
    struct named post = {0};

    if (start)
        post = find_named(s, &before, posts, start, 0);
    if (post.found) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Using operations after '%s'.", start);
        after_row = post.row;
        applied = true;
    } else if (start) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "Specified staring signpost '%s' not found.", start);
    }
    post = end ? find_named(s, &before, posts, end, 0) : (struct named){0};
    if (post.found) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Using operations until '%s'.", end);
        if (same && post.total > 2)
            ttp_analysis_note_add(
                s->notes, TTP_NOTE_WARNING,
                "Multiple occurrences of signpost '%s' found. Using the second occurrence "
                "for the end filter.",
                end);
        if (same)
            post = find_named(s, &before, posts, end, 1);
        if (!post.found) {
            ttp_analysis_note_add(
                s->notes, TTP_NOTE_WARNING,
                "Not enough occurrences of signpost '%s' to apply to both start and end "
                "filters.",
                end);
        } else {
            before_row = post.row;
            applied = true;
        }
    } else if (end) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_WARNING,
                              "Specified ending signpost '%s' not found.", end);
    }
    if (applied)
        keep_between(s, rows, after_row, before_row);
    return applied;
}

static ttp_code apply_last_as_original(struct ttp_stage *s, struct ttp_rows *rows,
                                       const struct ttp_posts *posts, struct ttp_err *err)
{
    const ttp_sym last = code_of(s, rows->row[posts->at[posts->count - 1]]);
    struct ttp_sink list;
    size_t first = 0;

    ttp_sink_to_arena(&list, s->arena);
    for (size_t i = 0; i < posts->count; i++) {
        const uint32_t row = rows->row[posts->at[i]];
        const ttp_sym code = code_of(s, row);
        if (code == TTP_SYM_MISSING || ttp_ops_is_numeric(s->ops, TTP_OPS_CODE, row))
            return ttp_fail(err, TTP_EPARSE, "a signpost has no name in 'OP CODE'");
        if (i)
            ttp_sink_put(&list, TTP_STR(", "));
        ttp_sink_put(&list, ttp_sym_name(&s->ops->syms, code));
    }
    ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Detected signposts: %.*s",
                          TTP_FMT(ttp_sink_text(&list)));
    ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS, "Using last signpost: %.*s for analysis.",
                          TTP_FMT(ttp_sym_name(&s->ops->syms, last)));
    while (code_of(s, rows->row[first]) != last) /* any row of that name, not only signposts */
        first++;
    keep_places(s, rows, first + 1, rows->count);
    return TTP_OK;
}

ttp_code ttp_compat_window(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    struct ttp_posts posts;

    if (!s->ops->text[TTP_OPS_TYPE].sym)
        return ttp_analysis_stage_missing(ttp_ops_text_name(TTP_OPS_TYPE), err);
    if (s->options->ignore_signposts) {
        ttp_analysis_note_add(s->notes, TTP_NOTE_STATUS,
                              "Ignoring all signposts. Using the entire file for analysis.");
        return TTP_OK;
    }
    ttp_analysis_stage_find_posts(&posts, s, rows);
    if (posts.count == 0) {
        ttp_analysis_note_add(
            s->notes, TTP_NOTE_WARNING,
            "No signposts found in the file. Using the entire file for analysis.");
        return TTP_OK;
    }
    if (!s->ops->text[TTP_OPS_CODE].sym)
        return ttp_analysis_stage_missing(ttp_ops_text_name(TTP_OPS_CODE), err);
    return apply_named_as_original(s, rows, &posts) ? TTP_OK
                                                    : apply_last_as_original(s, rows, &posts, err);
}

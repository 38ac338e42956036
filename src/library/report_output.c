/* SPDX-License-Identifier: Apache-2.0 */
/* report_output.c - ttperf_report_write_*(): a report as text, CSV, JSON or Markdown.
 *
 * Writers take scratch memory and give it back in between: the sink has an arena of its own. */
#include "library/handles.h"
#include "outputs/outputs.h"

static ttp_code set_view(struct ttp_view_options *out, struct ttp_show *show,
                         const struct ttperf_write_options *wanted, struct ttp_err *err)
{
    static const enum ttp_group_by by[] = {[TTPERF_GROUP_MEMORY] = TTP_GROUP_MEMORY,
                                           [TTPERF_GROUP_OP] = TTP_GROUP_OP,
                                           [TTPERF_GROUP_CATEGORY] = TTP_GROUP_CATEGORY};
    struct ttperf_write_options o = TTPERF_WRITE_OPTIONS_INIT;

    TTP_TRY(ttp_library_take_options(&o, sizeof(o), wanted, "TTPERF_WRITE_OPTIONS_INIT", err));
    TTP_TRY(ttp_library_check_flags(o.flags,
                                    TTPERF_NO_ADVICE | TTPERF_NO_SUMMARY | TTPERF_FOLD |
                                        TTPERF_RAW_OP_CODES | TTPERF_COLOR,
                                    err));
    if (o.group_by < 0 || (size_t)o.group_by >= TTP_COUNT(by))
        return ttp_fail(err, TTP_EUSAGE, "invalid grouping %d", (int)o.group_by);
    *out = (struct ttp_view_options){.selection = {o.where, o.sort, o.top},
                                     .group_by = by[o.group_by],
                                     .no_advice = o.flags & TTPERF_NO_ADVICE,
                                     .no_summary = o.flags & TTPERF_NO_SUMMARY,
                                     .fold = o.flags & TTPERF_FOLD,
                                     .min_percentage = o.min_percentage,
                                     .raw_op_codes = o.flags & TTPERF_RAW_OP_CODES};
    show->columns = o.columns;
    show->color = o.flags & TTPERF_COLOR;
    show->width = o.width;
    return TTP_OK;
}

static ttp_code put_report(struct ttp_sink *out, const struct ttperf_report *r,
                           enum ttperf_format format, const struct ttperf_write_options *options,
                           struct ttp_arena *scratch, struct ttp_err *err)
{
    static const enum ttp_form form[] = {[TTPERF_FORMAT_TEXT] = TTP_FORM_TEXT,
                                         [TTPERF_FORMAT_CSV] = TTP_FORM_CSV,
                                         [TTPERF_FORMAT_JSON] = TTP_FORM_JSON,
                                         [TTPERF_FORMAT_MARKDOWN] = TTP_FORM_MARKDOWN};
    struct ttp_show show = {.out = out, .inputs = &r->run->files, .arena = scratch};
    struct ttp_view_options wanted;
    struct ttp_report_view view;

    if ((size_t)format >= TTP_COUNT(form))
        return ttp_fail(err, TTP_EUSAGE, "invalid format %d", (int)format);
    out->gate = format == TTPERF_FORMAT_MARKDOWN ? TTP_GATE_MARKDOWN : TTP_GATE_TEXT;
    show.form = form[format];
    TTP_TRY(set_view(&wanted, &show, options, err));
    wanted.advice = r->run->rules.advice;
    TTP_TRY(ttp_out_make_view(&view, &r->report, &r->options, &wanted, scratch, err));
    return ttp_out_report(&show, &view, err);
}

struct writing {
    struct ttperf_report *report;
    enum ttperf_format format;
    const struct ttperf_write_options *options;
    bool to_fd;
    int fd;
    ttp_str text; /* otherwise */
};

static ttp_code write_report(void *arg, struct ttp_err *err)
{
    struct writing *w = arg;
    struct ttp_arena scratch = {0}, buffer = {0};
    struct ttp_sink out;

    if (w->to_fd)
        ttp_sink_to_fd(&out, w->fd, &buffer);
    else
        ttp_sink_to_arena(&out, &w->report->text);
    ttp_code rc = put_report(&out, w->report, w->format, w->options, &scratch, err);
    if (rc == TTP_OK && w->to_fd)
        rc = ttp_sink_finish(&out, err);
    if (rc == TTP_OK && !w->to_fd) {
        ttp_sink_char(&out, '\0');
        w->text = ttp_str_slice(ttp_sink_text(&out), 0, out.len - 1);
    }
    ttp_arena_free(&buffer);
    ttp_arena_free(&scratch);
    return rc;
}

static enum ttperf_code run_writing(struct writing *w, struct ttperf_error *error)
{
    struct ttperf_report *r = w->report;
    struct ttp_arena *const kept[] = {&r->run->arena, &r->arena, &r->text, NULL};

    return ttp_library_call(r->run->budget, write_report, w, kept, error);
}

enum ttperf_code ttperf_report_write_fd(struct ttperf_report *report, enum ttperf_format format,
                                        int fd, const struct ttperf_write_options *options,
                                        struct ttperf_error *error)
{
    struct writing w = {
        .report = report, .format = format, .options = options, .to_fd = true, .fd = fd};

    return run_writing(&w, error);
}

enum ttperf_code ttperf_report_write_memory(const char **text, size_t *len,
                                            struct ttperf_report *report, enum ttperf_format format,
                                            const struct ttperf_write_options *options,
                                            struct ttperf_error *error)
{
    struct writing w = {.report = report, .format = format, .options = options};

    *text = NULL;
    ttp_arena_free(&report->text);
    const enum ttperf_code rc = run_writing(&w, error);
    if (rc != TTPERF_OK) {
        ttp_arena_free(&report->text);
        return rc;
    }
    if (len)
        *len = w.text.len;
    *text = w.text.ptr;
    return TTPERF_OK;
}

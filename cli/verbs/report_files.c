/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/report_files.h"

#include "base/outsink.h"
#include "base/python_text.h"
#include "core/run_input.h"
#include "run/run.h"

const char *const ttp_report_group_words[] = {"op", "memory", "category", NULL};

/* Digits with ',' anywhere between them, blanks around; empty: open end. */
static bool parse_end(ttp_str text, bool *has, int64_t *out, ttp_str *shown,
                      struct ttp_arena *arena)
{
    char *digits = TTP_NEW(arena, char, text.len), plain[TTP_PYTHON_INT_MAX];
    size_t n = 0;

    *has = text.len != 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',')
            digits[n++] = text.ptr[i];
    *shown = ttp_arena_copy(arena, ttp_python_int_text((ttp_str){digits, n}, plain));
    return !*has || ttp_python_int((ttp_str){digits, n}, out);
}

bool ttp_report_parse_id_range(struct ttp_report_options *out, const char *text,
                               struct ttp_arena *arena)
{
    ttp_str part[3];

    if (!text)
        return true;
    if (ttp_str_split(ttp_str_from(text), '-', part, TTP_COUNT(part)) != 2)
        return false;
    out->has_id_range = true;
    return parse_end(part[0], &out->has_id_from, &out->id_from, &out->id_from_text, arena) &&
           parse_end(part[1], &out->has_id_to, &out->id_to, &out->id_to_text, arena);
}

ttp_code ttp_report_open(struct ttp_run_sources *from, const struct ttp_ctx *ctx,
                         const struct ttp_words *operands, const struct ttp_report_opening *opening,
                         struct ttp_err *err)
{
    const struct ttp_run_plan plan = {
        .reading = {.threads = opening->threads, .progress = !ctx->quiet},
        .noc = opening->noc,
        .texts = opening->texts,
        .mesh = opening->mesh,
        .boards = ctx->boards};
    struct ttp_words runs;

    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    TTP_TRY(ttp_run_open_sources(from, (struct ttp_paths){runs.word, runs.count}, &plan, ctx->arena,
                                 err));
    if (!opening->quiet)
        ttp_run_input_tell(ctx, from, &runs);
    return TTP_OK;
}

const char *ttp_report_stacked_base(const char *csv, struct ttp_arena *arena)
{
    const ttp_str path = ttp_str_from(csv);
    const char *slash = strrchr(csv, '/'), *name = slash ? slash + 1 : csv;
    const char *dot = strrchr(name, '.');
    struct ttp_sink out;

    while (*name == '.') /* leading dots belong to the name */
        name++;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, dot && dot > name ? ttp_str_slice(path, 0, (size_t)(dot - csv)) : path);
    ttp_sink_put(&out, TTP_STR("_stacked"));
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

static const char *with_suffix(const char *base, const char *suffix, struct ttp_arena *arena)
{
    return ttp_arena_zstr(arena, ttp_sink_format(arena, "%s%s", base, suffix));
}

ttp_code ttp_report_write_summary_csv(const char *base, const struct ttp_summary *summary,
                                      enum ttp_gate gate, struct ttp_arena *arena,
                                      struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, with_suffix(base, ".csv", arena), err));
    out.sink.gate = gate;
    ttp_out_summary_csv(&out.sink, summary);
    return ttp_outsink_close(&out, TTP_OK, err);
}

ttp_code ttp_report_write_pictures(const char **missing, const char *base,
                                   const struct ttp_summary *summary,
                                   const struct ttp_picture_style *style, struct ttp_arena *arena,
                                   struct ttp_err *err)
{
    const char *svg = with_suffix(base, ".svg", arena), *png = with_suffix(base, ".png", arena);
    struct ttp_outsink out;
    struct ttp_sink drawn;

    *missing = NULL;
    TTP_TRY(ttp_outsink_open(&out, svg, err));
    ttp_out_summary_svg(&out.sink, summary, style, arena);
    TTP_TRY(ttp_outsink_close(&out, TTP_OK, err));
    ttp_sink_to_arena(&drawn, arena);
    const ttp_code rc = ttp_out_summary_png(&drawn, summary, style, arena, err);
    if (rc == TTP_EMISSING) {
        ttp_sink_to_arena(&drawn, arena);
        ttp_sink_printf(&drawn, "%s not drawn: %s (%s); %s has the picture", png, err->text,
                        err->hint, svg);
        *missing = ttp_arena_zstr(arena, ttp_sink_text(&drawn));
        return TTP_OK;
    }
    if (rc != TTP_OK)
        return rc;
    TTP_TRY(ttp_outsink_open(&out, png, err));
    ttp_sink_put(&out.sink, ttp_sink_text(&drawn));
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report_files.h"

#include "base/outsink.h"

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
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%s", base, suffix);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

ttp_code ttp_report_write_summary_csv(const char *base, const struct ttp_summary *summary,
                                      enum ttp_gate gate, struct ttp_arena *arena,
                                      struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, with_suffix(base, ".csv", arena), err));
    out.sink.gate = gate;
    ttp_out_original_summary_csv(&out.sink, summary);
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

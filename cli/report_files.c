/* SPDX-License-Identifier: Apache-2.0 */
#include "report_files.h"

#include "base/file.h"

ttp_code ttp_report_write_file(const char *path, ttp_put_fn *put, const void *arg,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_outfile file;
    struct ttp_sink out;

    TTP_TRY(ttp_outfile_open(&file, path, err));
    ttp_sink_to_fd(&out, file.fd, arena);
    put(&out, arg);
    const ttp_code rc = ttp_sink_finish(&out, err);
    if (rc == TTP_OK)
        return ttp_outfile_commit(&file, err);
    ttp_outfile_abort(&file);
    return rc;
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
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%s", base, suffix);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

struct picture {
    const struct ttp_summary *summary;
    const struct ttp_picture_style *style;
    struct ttp_arena *arena;
    ttp_str png;
};

static void put_summary_csv(struct ttp_sink *out, const void *arg)
{
    ttp_out_original_summary_csv(out, arg);
}

static void put_svg(struct ttp_sink *out, const void *arg)
{
    const struct picture *p = arg;

    ttp_out_summary_svg(out, p->summary, p->style, p->arena);
}

static void put_png(struct ttp_sink *out, const void *arg)
{
    const struct picture *p = arg;

    ttp_sink_put(out, p->png);
}

ttp_code ttp_report_write_summary_csv(const char *base, const struct ttp_summary *summary,
                                      struct ttp_arena *arena, struct ttp_err *err)
{
    return ttp_report_write_file(with_suffix(base, ".csv", arena), put_summary_csv, summary, arena,
                                 err);
}

ttp_code ttp_report_write_pictures(const char **missing, const char *base,
                                   const struct ttp_summary *summary,
                                   const struct ttp_picture_style *style, struct ttp_arena *arena,
                                   struct ttp_err *err)
{
    const char *svg = with_suffix(base, ".svg", arena), *png = with_suffix(base, ".png", arena);
    struct picture p = {summary, style, arena, {0}};
    struct ttp_sink drawn;

    *missing = NULL;
    TTP_TRY(ttp_report_write_file(svg, put_svg, &p, arena, err));
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
    p.png = ttp_sink_text(&drawn);
    return ttp_report_write_file(png, put_png, &p, arena, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV of ops, whatever it holds: gains are numbers within the run, what overlaps is not counted
 * twice, points of the roofline are on its page, and all can be written. */
#include <math.h>

#include "fuzz.h"
#include "memfile.h"
#include "outputs/outputs.h"

static void check_plan(const struct ttp_plan *plan, const struct ttp_report *r)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];
        must(item->ops > 0 && !isnan(item->gain_us) && item->gain_us >= 0);
        must(item->further_us <= item->gain_us * (1 + 1e-9));
        for (size_t k = 0; k < item->ops; k++)
            must(item->op[k] < r->count);
    }
}

static void check_roofline(const struct ttp_roofline *r)
{
    for (size_t i = 0; i < r->points; i++) {
        const struct ttp_roof_point *p = &r->point[i];
        must(p->intensity > 0 && p->tflops > 0 && isfinite(p->tflops));
        must(p->compute < r->roofs && p->memory < r->roofs && p->held_by < r->roofs);
        must(!r->roof[p->compute].of_memory && r->roof[p->memory].of_memory);
    }
}

static void write_all(const struct ttp_plan *plan, const struct ttp_report_view *view,
                      struct ttp_arena *arena)
{
    const struct ttp_plan_view shown = {
        .plan = plan, .report = view->report, .name = TTP_STR("a"), .top = 3};
    struct ttp_sink out;
    struct ttp_show show = {.out = &out, .width = 80, .arena = arena};

    ttp_sink_to_arena(&out, arena);
    for (show.form = TTP_FORM_TEXT; show.form <= TTP_FORM_JSON; show.form++)
        must(ttp_out_advise(&show, &shown, NULL) == TTP_OK);
    for (show.form = TTP_FORM_TEXT; show.form <= TTP_FORM_SVG; show.form++)
        must(ttp_out_report(&show, view, NULL) == TTP_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {.ignore_signposts = true};
    const struct ttp_view_options wanted = {.roofline = true};
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_report_view view;
    struct ttp_report report;
    struct ttp_ops ops;
    struct memfile file;

    memfile_open(&file, data, size);
    const char *path = file.path;
    if (ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &reading, &arena, &err) == TTP_OK &&
        ttp_analysis_run(&report, &ops, &options, &arena, &err) == TTP_OK &&
        ttp_out_make_view(&view, &report, &options, &wanted, &arena, &err) == TTP_OK) {
        struct ttp_plan plan;

        ttp_plan_make(&plan, &report, NULL, &arena);
        check_plan(&plan, &report);
        check_roofline(view.roofline);
        write_all(&plan, &view, &arena);
    }
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

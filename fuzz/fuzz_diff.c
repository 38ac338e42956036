/* SPDX-License-Identifier: Apache-2.0 */
/* Two CSVs, split at the first NUL: whatever they hold, every op of both is in the diff exactly
 * once, and times add up. */
#include "fuzz.h"
#include "memfile.h"
#include "outputs/outputs.h"

struct side {
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_diff_run run;
};

static bool read_side(struct side *s, ttp_str text, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {.ignore_signposts = true};
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, (const uint8_t *)text.ptr, text.len);
    const char *path = file.path;
    const bool ok =
        ttp_ops_read_csv(&s->ops, (struct ttp_paths){&path, 1}, &reading, arena, &err) == TTP_OK &&
        ttp_analysis_run(&s->report, &s->ops, &options, arena, &err) == TTP_OK;
    close(file.fd);
    s->run = (struct ttp_diff_run){&s->ops, &s->report, NULL};
    return ok;
}

static void check(const struct ttp_diff *d)
{
    const size_t nbase = d->base.run[0].report->count, nother = d->other.run[0].report->count;
    const size_t pairs = d->kinds[TTP_DIFF_SAME] + d->kinds[TTP_DIFF_CHANGED] +
                         d->kinds[TTP_DIFF_MOVED] + d->kinds[TTP_DIFF_REPLACED];
    size_t base = 0, other = 0, grouped = 0;

    for (size_t i = 0; i < d->count; i++) {
        base += d->op[i].base != TTP_DIFF_NONE;
        other += d->op[i].other != TTP_DIFF_NONE;
        must(d->op[i].group < d->groups);
    }
    for (size_t g = 0; g < d->groups; g++)
        grouped += d->group[g].count;
    must(base == nbase && other == nother && grouped == d->count);
    must(pairs + d->kinds[TTP_DIFF_REMOVED] == nbase && pairs + d->kinds[TTP_DIFF_ADDED] == nother);
}

static void write_all(const struct ttp_diff *d, struct ttp_arena *arena)
{
    const struct ttp_diff_view view = {
        .diff = d, .base_name = TTP_STR("a"), .other_name = TTP_STR("b")};
    struct ttp_sink out;
    struct ttp_show show = {.out = &out, .width = 80, .arena = arena};

    ttp_sink_to_arena(&out, arena);
    for (enum ttp_form form = TTP_FORM_TEXT; form <= TTP_FORM_JSON; form++) {
        show.form = form;
        must(ttp_out_diff(&show, &view, 1, NULL) == TTP_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str all = {(const char *)data, size};
    const size_t at = ttp_str_find_char(all, '\0');
    struct ttp_arena arena = {0};
    struct side a, b;

    if (at != TTP_NPOS && read_side(&a, ttp_str_slice(all, 0, at), &arena) &&
        read_side(&b, ttp_str_slice(all, at + 1, all.len), &arena)) {
        const struct ttp_diff_side base = {&a.run, 1}, other = {&b.run, 1};
        struct ttp_diff diff;

        ttp_diff_make(&diff, &base, &other, true, &arena);
        check(&diff);
        write_all(&diff, &arena);
    }
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ops CSV, in both modes: no crash, no leak; one thread and two give the same
 * report, or the same error. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/compat.h"
#include "fuzz.h"
#include "outputs/outputs.h"

static void must(bool ok)
{
    if (!ok)
        abort();
}

/* All there is to say about a file, one after the other. */
struct run {
    const char *path;
    unsigned threads, variant;
    struct ttp_arena arena;
    struct ttp_sink out;
    struct ttp_err err;
    struct ttp_ops ops;
    struct ttp_report report;
    struct ttp_report_options options;
};

/* Options that lead through other code, picked by the input's length. */
static struct ttp_report_options options_for(bool original, unsigned variant)
{
    return (struct ttp_report_options){
        .rules = original ? &ttp_compat_analysis : NULL,
        .ignore_signposts = variant & 1,
        .print_signposts = variant & 2,
        .no_merge_devices = variant & 4,
        .tracing_mode = variant & 8,
        .no_host_ops = variant & 16,
        .has_id_range = (variant & 48) == 48,
        .has_id_from = true,
        .id_from = 3,
        .active_experts = variant & 1,
    };
}

static void write_summaries(struct run *r)
{
    struct ttp_summary summary;
    bool complete;

    for (int by = TTP_GROUP_MEMORY; by <= TTP_GROUP_CATEGORY; by++) {
        const ttp_code rc = ttp_analysis_summarise(&summary, &r->report, (enum ttp_group_by)by,
                                                   &r->options, &r->arena, &r->err);
        must(rc == TTP_OK || r->err.text[0]);
        if (rc != TTP_OK || summary.empty)
            continue;
        ttp_out_original_notes(&r->out, &summary.notes, false);
        ttp_out_original_summary(&r->out, &summary, r->variant & 1, &complete, &r->arena);
        ttp_out_summary_csv(&r->out, &summary);
    }
}

static void write_as_original(struct run *r)
{
    const struct ttp_original_style style = {.color = r->variant & 1,
                                             .raw_op_codes = true,
                                             .min_percentage = 0.5,
                                             .threads = r->threads};

    if (r->report.count)
        must(ttp_out_original_report(&r->out, &r->report, &style, &r->arena, &r->err) == TTP_OK);
    ttp_out_original_csv(&r->out, &r->report, &style);
    write_summaries(r);
}

static void write_as_ours(struct run *r)
{
    const struct ttp_view_options wanted = {
        .min_percentage = 0.5, .fold = r->variant & 4, .raw_op_codes = true};
    struct ttp_show show = {.out = &r->out,
                            .color = r->variant & 1,
                            .width = r->variant & 2 ? 80 : 0,
                            .arena = &r->arena};
    struct ttp_report_view view;

    must(ttp_out_make_view(&view, &r->report, &r->options, &wanted, &r->arena, &r->err) == TTP_OK);
    for (show.form = TTP_FORM_TEXT; show.form <= TTP_FORM_JSON; show.form++)
        must(ttp_out_report(&show, &view, &r->err) == TTP_OK);
}

static void read_and_write(struct run *r, bool original)
{
    struct ttp_ops_read_options reading = {.threads = r->threads};

    if (original)
        reading.rules = ttp_compat_reading;
    r->options = options_for(original, r->variant);
    ttp_sink_to_arena(&r->out, &r->arena);
    ttp_code rc =
        ttp_ops_read_csv(&r->ops, (struct ttp_paths){&r->path, 1}, &reading, &r->arena, &r->err);
    if (rc == TTP_OK)
        rc = ttp_analysis_run(&r->report, &r->ops, &r->options, &r->arena, &r->err);
    must(rc == TTP_OK || (rc == r->err.code && r->err.text[0]));
    ttp_out_original_notes(&r->out, &r->report.notes, r->variant & 1);
    if (rc == TTP_OK && original)
        write_as_original(r);
    else if (rc == TTP_OK)
        write_as_ours(r);
    ttp_sink_put(&r->out, ttp_str_from(r->err.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];

    const int fd = memfd_create("fuzz_ops_csv", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int original = 0; original < 2; original++) {
        struct run one = {.path = path, .threads = 1, .variant = (unsigned)size % 64};
        struct run two = {.path = path, .threads = 2, .variant = one.variant};
        read_and_write(&one, original);
        read_and_write(&two, original);
        must(ttp_str_eq(ttp_sink_text(&one.out), ttp_sink_text(&two.out)));
        ttp_arena_free(&one.arena);
        ttp_arena_free(&two.arena);
    }
    close(fd);
    return 0;
}

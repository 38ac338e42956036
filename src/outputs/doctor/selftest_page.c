/* SPDX-License-Identifier: Apache-2.0 */
/* selftest_page.c - the results of a selftest: checks like the doctor's, matmuls, bandwidths. */
#include "outputs/doctor/doctor_parts.h"
#include "outputs/host/host_fields.h"

#define MATMUL struct ttp_selftest_matmul
static const struct ttp_field matmul_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, TTP_FIGURE(MATMUL, id),
                   .help = "line of the op in the ops CSV"),
    TTP_INT_COLUMN("m", "M", "", 0, TTP_FIGURE(MATMUL, m)),
    TTP_INT_COLUMN("k", "K", "", 0, TTP_FIGURE(MATMUL, k)),
    TTP_INT_COLUMN("n", "N", "", 0, TTP_FIGURE(MATMUL, n)),
    TTP_REAL_COLUMN("predicted_us", "Predicted", "us", 2, 0, TTP_FIGURE(MATMUL, predicted_us)),
    TTP_REAL_COLUMN("low_us", "Low", "us", 2, 1, TTP_FIGURE(MATMUL, low_us),
                    .help = "the range covers nine of ten measured configs of that kind"),
    TTP_REAL_COLUMN("high_us", "High", "us", 2, 1, TTP_FIGURE(MATMUL, high_us)),
    TTP_REAL_COLUMN("device_us", "Measured", "us", 2, 0, TTP_FIGURE(MATMUL, measured_us)),
    TTP_REAL_COLUMN("ratio", "Ratio", "", 2, 0, TTP_FIGURE(MATMUL, ratio),
                    .help = "predicted / measured"),
};
static const struct ttp_fields matmuls = {TTP_FIELDS(matmul_fields)};

enum { PART_SUMMARY, PART_MACHINE, PART_CHECKS, PART_MATMULS, PART_BANDWIDTH };
static const struct ttp_part_spec parts[] = {
    [PART_SUMMARY] = {.id = "summary",
                      .kind = TTP_PART_OBJECT,
                      .fields = &ttp_doctor_summary_fields,
                      .json_only = true,
                      .help = "number of checks of each level"},
    [PART_MACHINE] = {.id = "machine",
                      .kind = TTP_PART_OBJECT,
                      .fields = &ttp_machine_fields,
                      .optional = true,
                      .json_only = true,
                      .help = "only with --device"},
    [PART_CHECKS] = {.id = "checks", .fields = &ttp_doctor_check_fields},
    [PART_MATMULS] = {.id = "matmuls",
                      .title = "Matmuls, predicted and measured",
                      .fields = &matmuls,
                      .help = "matmuls of the recorded run that have a prediction"},
    [PART_BANDWIDTH] = {.id = "bandwidth",
                        .kind = TTP_PART_OBJECT,
                        .fields = &ttp_doctor_bandwidth_fields,
                        .optional = true,
                        .json_only = true,
                        .help = "only with --device"},
};
const struct ttp_document_spec ttp_selftest_document = {
    .schema = "tt-perf.selftest/1",
    .help = "Checks of this installation, the card and tt-metal",
    TTP_PARTS(parts),
    .main = PART_CHECKS,
};

static const struct ttp_host nowhere = {.root = ""};

static struct ttp_doctor_view as_doctor(const struct ttp_selftest_view *view)
{
    return (struct ttp_doctor_view){
        .host = &nowhere, .diagnosis = view->diagnosis, .details = view->details};
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_doctor_view view = as_doctor(arg);

    if (part == PART_MATMULS) {
        if (table->count == 0)
            return;
        ttp_sink_printf(show->out, "\n%s%s\n\n", show->form == TTP_FORM_MARKDOWN ? "### " : "",
                        parts[part].title);
        ttp_show_table(show, table);
    } else if (show->form == TTP_FORM_MARKDOWN || show->columns) {
        ttp_show_table(show, table);
    } else {
        ttp_out_doctor_put_checks(show, &view, table);
    }
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct ttp_doctor_view view = as_doctor(arg);

    ttp_out_doctor_put_summary(show, &view);
    if (view.diagnosis->level[TTP_CHECK_SKIP])
        ttp_sink_printf(show->out, "%zu checks could not be made: see SKIP above\n",
                        view.diagnosis->level[TTP_CHECK_SKIP]);
}

ttp_code ttp_out_selftest(const struct ttp_show *show, const struct ttp_selftest_view *view,
                          struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = put_body, .foot = put_foot};
    const struct ttp_doctor_view *context = TTP_NEW(show->arena, struct ttp_doctor_view, 1);
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_selftest_document, show->arena);
    ttp_document_object(&doc, PART_SUMMARY, context, view->diagnosis);
    if (view->bandwidth)
        ttp_document_object(&doc, PART_MACHINE, context, &view->machine);
    ttp_document_rows(&doc, PART_CHECKS, context, view->diagnosis->check, view->diagnosis->count);
    ttp_document_rows(&doc, PART_MATMULS, context, view->matmul, view->matmuls);
    if (view->bandwidth)
        ttp_document_object(&doc, PART_BANDWIDTH, context, view->bandwidth);
    return ttp_show_document(show, &doc, &page, err);
}

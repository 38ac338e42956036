/* SPDX-License-Identifier: Apache-2.0 */
/* report_rules.c - how tt-perf-report 1.2.4 reads and analyses operations, and its words for that.
 */
#include "compat/report/report_rules.h"

static void tell_order(struct ttp_notes *notes, bool sorted)
{
    if (sorted)
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Sorting CSV by 'HOST START TS' column...");
    else
        ttp_analysis_note_add(notes, TTP_NOTE_WARNING,
                              "Warning: 'HOST START TS' column not found. CSV will not be sorted.");
}

static void tell_devices(struct ttp_notes *notes, size_t devices, bool apart)
{
    if (devices == 0)
        ttp_analysis_note_add(notes, TTP_NOTE_WARNING,
                              "No device operations found in the CSV data.");
    else
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Detected data from %zu devices. %s", devices,
                              apart ? "Keeping separate device data..." : "Merging device data...");
}

static void tell_range(struct ttp_notes *notes, const struct ttp_report_options *o)
{
    if (o->has_id_from && o->has_id_to)
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Filtering rows with IDs from %.*s to %.*s",
                              TTP_FMT(o->id_from_text), TTP_FMT(o->id_to_text));
    else if (o->has_id_from)
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Filtering rows with IDs from %.*s onwards",
                              TTP_FMT(o->id_from_text));
    else if (o->has_id_to)
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Filtering rows with IDs up to %.*s",
                              TTP_FMT(o->id_to_text));
    else
        ttp_analysis_note_add(notes, TTP_NOTE_STATUS, "Filtering rows with IDs up to None");
}

static void tell_unclassified(struct ttp_notes *notes, ttp_str word)
{
    ttp_analysis_note_add(notes, TTP_NOTE_WARNING,
                          "Warning: Unclassified operation '%.*s' found. Please add to "
                          "OPERATION_CATEGORIES for proper classification.",
                          TTP_FMT(word));
}

static const struct ttp_analysis_talk talk = {
    .warning = "Warning: ",
    .order = tell_order,
    .devices = tell_devices,
    .range = tell_range,
    .unclassified = tell_unclassified,
};

const struct ttp_analysis_rules ttp_compat_analysis = {
    .strict = true,
    .by_name = true,
    .plain_times = true,
    .gap_shares = true,
    .any_cores = true,
    .endless_sizes = true,
    .zero_unbound = true,
    .signed_gaps = true,
    .file_order = true,
    .counts_all = true,
    .no_models = true,
    .no_hifi3 = true,
    .no_exponents = true,
    .layouts_only = true,
    .over_peak = true,
    .plain_shapes = true,
    .may_be_empty = true,
    .dram_workers = 12,
    .category = ttp_compat_category,
    .architecture = ttp_compat_architecture,
    .window = ttp_compat_window,
    .talk = &talk,
};

const struct ttp_ops_rules ttp_compat_reading = {
    .data_frame = true, .few_columns = true, .same_devices = true};

ttp_code ttp_compat_report(struct ttp_compat_report *out, struct ttp_err *err)
{
    (void)err;
    *out =
        (struct ttp_compat_report){&ttp_compat_reading, &ttp_compat_analysis, &ttp_compat_advice};
    return TTP_OK;
}

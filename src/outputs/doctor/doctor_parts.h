/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_parts.h - what the files of the doctor share. Private to doctor. */
#ifndef TTP_OUTPUTS_DOCTOR_DOCTOR_PARTS_H
#define TTP_OUTPUTS_DOCTOR_DOCTOR_PARTS_H

#include "outputs/outputs.h"

/* Parts of ttp_doctor_document. */
enum {
    TTP_DOCTOR_VIEW,
    TTP_DOCTOR_SUMMARY,
    TTP_DOCTOR_MACHINE,
    TTP_DOCTOR_CHIPS,
    TTP_DOCTOR_CHECKS,
    TTP_DOCTOR_WHY,
    TTP_DOCTOR_GUIDE,
    TTP_DOCTOR_BANDWIDTH,
};

extern const struct ttp_fields ttp_doctor_check_fields, ttp_doctor_summary_fields,
    ttp_doctor_bandwidth_fields;

/* Checks in groups, with what to do; the numbers of each level. */
void ttp_out_doctor_put_checks(const struct ttp_show *show, const struct ttp_doctor_view *view,
                               const struct ttp_table *table);
void ttp_out_doctor_put_summary(const struct ttp_show *show, const struct ttp_doctor_view *view);

enum ttp_tone ttp_out_doctor_tone(enum ttp_verdict_level level);
void ttp_out_doctor_prometheus(struct ttp_sink *out, const struct ttp_doctor_view *view,
                               struct ttp_arena *arena);

#endif

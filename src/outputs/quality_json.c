/* SPDX-License-Identifier: Apache-2.0 */
/* quality_json.c - whether a run can be trusted, for programs and as one line for people. */
#include "outputs/json_members.h"
#include "outputs/outputs.h"

void ttp_out_quality_json(struct ttp_json_writer *w, const struct ttp_quality *quality)
{
    ttp_member_object(w, "quality");
    ttp_member_text(w, "verdict", ttp_analysis_quality_name(quality->level));
    ttp_member_array(w, "checks");
    for (unsigned c = 0; c < TTP_CHECKS; c++) {
        const struct ttp_quality_item *item = &quality->item[c];

        ttp_json_begin_object(w);
        ttp_member_text(w, "check", ttp_analysis_check_name((enum ttp_quality_check)c));
        ttp_member_text(w, "level", ttp_analysis_quality_name(item->level));
        ttp_member_str(w, "text", item->text);
        ttp_member_str_or_null(w, "to_do", ttp_str_from(item->to_do));
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

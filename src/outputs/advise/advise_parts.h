/* SPDX-License-Identifier: Apache-2.0 */
/* advise_parts.h - what the files of a plan share. Private to advise. */
#ifndef TTP_OUTPUTS_ADVISE_ADVISE_PARTS_H
#define TTP_OUTPUTS_ADVISE_ADVISE_PARTS_H

#include "outputs/outputs.h"

/* Parts of ttp_advise_document. */
enum { TTP_ADVISE_RUN, TTP_ADVISE_KNOWN, TTP_ADVISE_PLAN, TTP_ADVISE_STEPS };

/* Figures of an item, in the context of its struct ttp_plan_view. */
extern const struct ttp_fields ttp_plan_item_fields;

/* Figures of a struct ttp_known_op in the context of its struct ttp_plan_view. */
extern const struct ttp_fields ttp_known_op_fields;
/* What the history knows, for human readers. */
void ttp_out_advise_put_known(const struct ttp_show *show, const struct ttp_plan_view *view);

/* The command that shows whether the change brought what it promises. */
ttp_str ttp_out_advise_command(const struct ttp_plan_view *view, const struct ttp_plan_item *item);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* pcc_fields.h - figures of a comparison. Private to outputs. */
#ifndef TTP_OUTPUTS_PCC_PCC_FIELDS_H
#define TTP_OUTPUTS_PCC_PCC_FIELDS_H

#include "outputs/outputs.h"

/* Does this pair pass? */
bool ttp_out_pcc_pair_passes(const struct ttp_pcc_view *view, const struct ttp_pcc_pair *pair);

extern const struct ttp_fields ttp_pcc_tensor_fields; /* of struct ttp_tensor */
extern const struct ttp_fields ttp_pcc_pair_fields; /* of struct ttp_pcc_pair; context: the view */
extern const struct ttp_fields ttp_loss_fields;     /* of struct ttp_loss; context: the view */

#endif

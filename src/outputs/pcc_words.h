/* SPDX-License-Identifier: Apache-2.0 */
/* pcc_words.h - how a comparison is judged. Private to outputs. */
#ifndef TTP_OUTPUTS_PCC_WORDS_H
#define TTP_OUTPUTS_PCC_WORDS_H

#include "outputs/outputs.h"

/* Does this pair pass? */
bool ttp_pcc_pair_passes(const struct ttp_pcc_view *view, const struct ttp_pcc_pair *pair);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* models.h - which ops one pass of each model consists of. */
#ifndef TTP_SYNTH_MODELS_H
#define TTP_SYNTH_MODELS_H

#include "synth/synth.h"
#include "synth/workload.h"

struct ttp_synth_model_parts {
    const struct ttp_synth_part *before; /* once per pass; may be NULL, as may the others below */
    const struct ttp_synth_part *layer;  /* as often as there are layers */
    const struct ttp_synth_part *after;
    const struct ttp_synth_step *last; /* on the whole chip, whatever sub-devices there are */
    const char *host_op;               /* what the host does with the result */
    uint32_t layers;                   /* unless asked otherwise */
    bool prefetch;                     /* weights can be fetched by a sub-device of its own */
};

/* NULL for TTP_SYNTH_TT_LANG_KERNEL, which is not a list of ops. */
const struct ttp_synth_model_parts *ttp_synth_model_at(enum ttp_synth_model model);

#endif

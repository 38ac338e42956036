/* SPDX-License-Identifier: Apache-2.0 */
/* noc_grids.h - the grids by name, for the models that refer to them. */
#ifndef TTP_DEVICE_NOC_GRIDS_H
#define TTP_DEVICE_NOC_GRIDS_H

#include "device/device.h"

extern const struct ttp_noc_grid ttp_noc_grid_wormhole, ttp_noc_grid_blackhole;

/* The i-th model, NULL after the last. */
const struct ttp_noc_model *ttp_device_noc_model_at(size_t i);

#endif

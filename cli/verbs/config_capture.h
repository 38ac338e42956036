/* SPDX-License-Identifier: Apache-2.0 */
/* config_capture.h - the matmul of an op of a graph capture. */
#ifndef TTP_CLI_CONFIG_CAPTURE_H
#define TTP_CLI_CONFIG_CAPTURE_H

#include "config/config.h"
#include "mem/mem.h"

/* The grid and the banks that the device of a capture had. */
void ttp_config_chip_of_capture(struct ttp_cost_chip *chip, const struct ttp_mem_device *d);
/* Sizes, types and memories of a matmul from its tensors. False, and *p is as before: the capture
 * does not have them, or they are not those of a matmul. */
bool ttp_config_matmul_of_capture(struct ttp_matmul *p, const struct ttp_mem_op_tensors *all,
                                  struct ttp_arena *arena);

#endif

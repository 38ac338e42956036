/* SPDX-License-Identifier: Apache-2.0 */
/* core_set.h - cores and sizes that were seen. Private to kernel. */
#ifndef TTP_KERNEL_CORE_SET_H
#define TTP_KERNEL_CORE_SET_H

#include "kernel/kernel.h"

bool ttp_kernel_has_core(const struct ttp_core_set *set, int x, int y);
void ttp_kernel_add_core(struct ttp_core_set *set, int x, int y, struct ttp_arena *arena);
void ttp_kernel_add_size(struct ttp_sizes *sizes, uint64_t bytes, struct ttp_arena *arena);

#endif

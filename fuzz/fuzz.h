/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - the one function every target defines and every engine calls. */
#ifndef TTP_FUZZ_H
#define TTP_FUZZ_H
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif

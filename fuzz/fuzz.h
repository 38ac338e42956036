/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - the functions that targets define and engines call. */
#ifndef TTP_FUZZ_H
#define TTP_FUZZ_H
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Defined where something must be done before the engine starts; replays do without. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* convert.h - runs of stored numbers as numbers we can compute with. Private to tensor.
 *
 * Conversions are torch's: to the nearest, ties to even, narrow floats by way of f32; floats to
 * whole numbers are cut, what does not fit is the nearest that does, NaN is 0; whole numbers to
 * narrower ones wrap. */
#ifndef TTP_TENSOR_CONVERT_H
#define TTP_TENSOR_CONVERT_H

#include "tensor/tensor.h"

bool ttp_tensor_dtype_is_whole(enum ttp_dtype t); /* integers and bool */

/* n consecutive little-endian elements, at any alignment; not for block formats. */
void ttp_tensor_convert_f32(float *out, const char *from, size_t n, enum ttp_dtype t);
void ttp_tensor_convert_f64(double *out, const char *from, size_t n, enum ttp_dtype t);
/* u64 keeps its bits. */
void ttp_tensor_convert_i64(int64_t *out, const char *from, size_t n, enum ttp_dtype t);

/* Round to what the type can hold; types as wide as f32 change nothing. */
void ttp_tensor_round_f32(float *v, size_t n, enum ttp_dtype t);
float ttp_tensor_round_f16(float v);
float ttp_tensor_round_one(float v, enum ttp_dtype t);
/* Keep what fits the type: of u64 the bits, of bool whether it is 0. */
void ttp_tensor_wrap_i64(int64_t *v, size_t n, enum ttp_dtype t);
int64_t ttp_tensor_cut_f64(double v, enum ttp_dtype t);

#endif

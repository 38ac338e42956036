/* SPDX-License-Identifier: Apache-2.0 */
/* strip_values.h - the values of both tensors in one strip, as a pass over them needs them. Private
 * to tensor. */
#ifndef TTP_TENSOR_STRIP_VALUES_H
#define TTP_TENSOR_STRIP_VALUES_H

#include "tensor/tensor_sweep.h"

/* One strip's values; whichever the types and the pass need. */
struct ttp_strip {
    float *g, *c;
    double *wide_g, *wide_c;
};

/* Are golden's values such that f32 would lose digits? */
bool ttp_tensor_strip_is_wide(const struct ttp_tensor_sweep *s);
/* Both sides in golden's type. Of whole numbers *equal becomes false where they differ, beyond 2^53
 * too. */
void ttp_tensor_strip_f64(double *g, double *c, const struct ttp_tensor_sweep *s,
                          const struct ttp_rect *r, bool *equal);
void ttp_tensor_strip_f32(float *g, float *c, const struct ttp_tensor_sweep *s,
                          const struct ttp_rect *r);
/* Into wide_g and wide_c, whatever the type. */
void ttp_tensor_strip_wide(const struct ttp_strip *v, const struct ttp_tensor_sweep *s,
                           const struct ttp_rect *r);

/* bf16 on both sides, stored row by row: read where it is. */
struct ttp_stored_values {
    const char *g, *c; /* NULL: not so */
    size_t stride;
};
struct ttp_stored_values ttp_tensor_strip_stored(const struct ttp_tensor_sweep *s,
                                                 const struct ttp_rect *r);

void ttp_tensor_widen_f32(double *out, const float *v, size_t n);
void ttp_tensor_zero_nonfinite_f32(float *v, size_t n);
void ttp_tensor_zero_nonfinite_f64(double *v, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* num.h - numbers to text and back, exact and independent of the locale. Thread safe. */
#ifndef TTP_BASE_NUM_H
#define TTP_BASE_NUM_H

#include "base/str.h"

/* Room for any output of this header that does not take a digit count. */
#define TTP_NUM_MAX 40

/* Decimal or exponent notation, sign allowed, correctly rounded (nearest, ties to even). No blanks,
 * no hexadecimal, no digit separators; "inf", "infinity" and "nan" in any case, sign allowed, are
 * numbers. A value too large becomes infinity, as in IEEE 754. Junk: false, *out untouched. */
bool ttp_str_to_f64(ttp_str s, double *out);

/* All writers return the number of bytes written; no NUL is added. */

size_t ttp_num_u64(char *out, uint64_t v);
size_t ttp_num_i64(char *out, int64_t v);
/* With ',' between groups of three digits. */
size_t ttp_num_i64_grouped(char *out, int64_t v);

/* The shortest digits that read back as the same double. `python` chooses the notation:
 * as Python's repr() (1.0, 1e+16, 1e-05, inf, nan) or as JSON and JavaScript (1, 1e+21, 1e-7; 0
 * for -0; never called with inf or nan there). */
enum ttp_num_style { TTP_NUM_PYTHON, TTP_NUM_JSON };
size_t ttp_num_f64(char *out, double v, enum ttp_num_style style);

/* Fixed point with `digits` (0 to 9) after the point, the exact binary value rounded half to even
 * as printf("%.*f") does, "inf" and "nan" as printf does; `grouped` puts ',' between groups of
 * three digits of the whole part (never into inf or nan). Writes at most 512 bytes. */
#define TTP_NUM_FIXED_MAX 512
size_t ttp_num_fixed(char *out, double v, int digits, bool grouped);

/* Saturating sum and difference. */
static inline int64_t ttp_num_add(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : b > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t ttp_num_sub(int64_t a, int64_t b)
{
    int64_t rest;

    return !__builtin_sub_overflow(a, b, &rest) ? rest : b < 0 ? INT64_MAX : INT64_MIN;
}

#endif

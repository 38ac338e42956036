/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes, as text: accepted exactly when strtod() takes all of it, with the same value, blanks,
 * hexadecimal and nan(...) aside. As a double: prints as printf does and reads back. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num_internal.h"
#include "fuzz.h"

static bool same(double a, double b)
{
    return ttp_num_bits(a) == ttp_num_bits(b) || (isnan(a) && isnan(b));
}

static void check_print(double v)
{
    char out[TTP_NUM_FIXED_MAX], want[TTP_NUM_FIXED_MAX];
    double back;

    for (int digits = 0; digits <= 9; digits++) {
        const size_t n = ttp_num_fixed(out, v, digits, false);
        const int length = snprintf(want, sizeof(want), "%.*f", digits, v);
        if (n != (size_t)length || memcmp(out, want, n) != 0)
            abort();
        if (ttp_num_fixed(out, v, digits, true) > sizeof(out))
            abort();
    }
    const size_t n = ttp_num_f64(out, v, TTP_NUM_PYTHON);
    if (n > TTP_NUM_MAX || !ttp_str_to_f64((ttp_str){out, n}, &back) || !same(back, v))
        abort();
    if (!isfinite(v))
        return;
    const size_t m = ttp_num_f64(out, v, TTP_NUM_JSON);
    if (m > TTP_NUM_MAX || !ttp_str_to_f64((ttp_str){out, m}, &back) || back != v)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    double got = 42, want, raw;

    /* the NUL that strtod() needs must not be in what we are given */
    char *z = malloc(size + 1), *end;
    if (!z)
        abort();
    if (size)
        memcpy(z, data, size);
    z[size] = '\0';
    want = strtod(z, &end);
    const bool strtod_takes_it =
        size && end == z + size && !isspace((unsigned char)z[0]) && !strpbrk(z, "xX(");
    free(z);
    if (ttp_str_to_f64(text, &got) != strtod_takes_it)
        abort();
    if (strtod_takes_it) {
        if (!same(got, want))
            abort();
        check_print(got);
    } else if (got != 42) {
        abort();
    }
    if (size >= sizeof(raw)) {
        memcpy(&raw, data, sizeof(raw));
        check_print(raw);
    }
    return 0;
}

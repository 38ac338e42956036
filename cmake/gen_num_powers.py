#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/base/num_powers.c to standard output: powers of ten as 128-bit fractions.

Run by hand, never by the build: cmake/gen_num_powers.py > src/base/num_powers.c"""

from fractions import Fraction

FIRST, LAST = -342, 324  # TTP_NUM_POW10_MIN and _MAX in num_internal.h


def leading_bits(e):
    """The integer g in [2**127, 2**128) with 10**e = (g + d) * 2**k and 0 <= d < 1."""
    if e >= 0:
        power = 10**e
        shift = power.bit_length() - 128
        return power >> shift if shift >= 0 else power << -shift
    divisor = 10**-e
    # 128 or 129 bits; never exact, since no power of ten but 1 divides a power of two
    n = divisor.bit_length() + 127
    g = (1 << n) // divisor
    return g if g < 1 << 128 else g >> 1


def log2_pow10(e):
    return (10**e).bit_length() - 1 if e >= 0 else -((10**-e).bit_length())


for e in range(FIRST, LAST + 1):
    assert 1 << 127 <= leading_bits(e) < 1 << 128
    assert log2_pow10(e) == (e * 1741647) >> 19  # ttp_num_log2_pow10()

# num_shortest.c, decimal_exponent(): floor(log10(2**q)) and floor(log10(2**q * 3/4))
for q in range(-1074, 972):
    for quarters, k in (4, q * 1262611 >> 22), (3, (q * 1262611 - 524031) >> 22):
        value = Fraction(2) ** q * quarters / 4
        assert Fraction(10) ** k <= value < Fraction(10) ** (k + 1)

print("""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by cmake/gen_num_powers.py with exact integers; change that, not this. */
#include "base/num_internal.h"

/* clang-format off */
const struct ttp_num_pow10 ttp_num_pow10[TTP_NUM_POW10_MAX - TTP_NUM_POW10_MIN + 1] = {""")
row = []
for e in range(FIRST, LAST + 1):
    g = leading_bits(e)
    row.append(f"{{0x{g >> 64:016x}, 0x{g & (1 << 64) - 1:016x}}},")
    if len(row) == 2 or e == LAST:
        print("    " + " ".join(row))
        row = []
print("};\n/* clang-format on */")

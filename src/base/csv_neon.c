/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

#include <arm_neon.h>

static uint8x16_t load16(const char *p, size_t i)
{
    return vld1q_u8((const uint8_t *)p + 16 * i);
}

/* A bit per byte of four comparisons: each byte keeps the bit of its place among eight, then
 * neighbours are added until eight bytes are one. */
static uint64_t gather(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
    static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bit = vld1q_u8(place);
    const uint8x16_t ab = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
    const uint8x16_t cd = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
    const uint8x16_t all = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static uint64_t match64(const char *p, char byte)
{
    const uint8x16_t want = vdupq_n_u8((uint8_t)byte);
    return gather(vceqq_u8(load16(p, 0), want), vceqq_u8(load16(p, 1), want),
                  vceqq_u8(load16(p, 2), want), vceqq_u8(load16(p, 3), want));
}

static bool high64(const char *p)
{
    const uint8x16_t all =
        vorrq_u8(vorrq_u8(load16(p, 0), load16(p, 1)), vorrq_u8(load16(p, 2), load16(p, 3)));
    return vmaxvq_u8(all) >= 0x80;
}

/* Top bit of each byte that is CR, a quote or above 127. */
static uint8x16_t special(uint8x16_t v)
{
    return vorrq_u8(v, vorrq_u8(vceqq_u8(v, vdupq_n_u8('\r')), vceqq_u8(v, vdupq_n_u8('"'))));
}

static bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)
{
    const uint8x16_t odd = vorrq_u8(vorrq_u8(special(load16(p, 0)), special(load16(p, 1))),
                                    vorrq_u8(special(load16(p, 2)), special(load16(p, 3))));

    *seps = match64(p, sep);
    *lf = match64(p, '\n');
    return vmaxvq_u8(odd) < 0x80;
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask | (uint64_t)1 << 63);
}

#define KERNEL      ttp_csv_neon
#define KERNEL_NAME "neon"
#include "base/csv_kernel.h"

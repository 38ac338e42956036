/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

static uint64_t match64(const char *p, char byte)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < 64; i++)
        mask |= (uint64_t)(p[i] == byte) << i;
    return mask;
}

static bool high64(const char *p)
{
    unsigned char all = 0;

    for (unsigned i = 0; i < 64; i++)
        all |= (unsigned char)p[i];
    return all >= 0x80;
}

static bool plain64(const char *p, char sep, uint64_t *seps, uint64_t *lf)
{
    *seps = match64(p, sep);
    *lf = match64(p, '\n');
    return (match64(p, '\r') | match64(p, '"')) == 0 && !high64(p);
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask | (uint64_t)1 << 63);
}

#define KERNEL      ttp_csv_scalar
#define KERNEL_NAME "scalar"
#include "base/csv_kernel.h"

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

static uint64_t match64(const char *p, char byte)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < 64; i++)
        mask |= (uint64_t)(p[i] == byte) << i;
    return mask;
}

static uint64_t special64(const char *p)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < 64; i++) {
        const bool hit = p[i] == '\n' || p[i] == '\r' || p[i] == '"' || (unsigned char)p[i] >= 0x80;
        mask |= (uint64_t)hit << i;
    }
    return mask;
}

static bool plain64(const char *p, char sep, uint64_t *seps)
{
    *seps = match64(p, sep);
    return special64(p) == 0;
}

static uint32_t low_bit(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask | (uint64_t)1 << 63);
}

#define KERNEL      ttp_csv_scalar
#define KERNEL_NAME "scalar"
#include "base/csv_kernel.h"

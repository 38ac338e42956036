/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_internal.h"

#include <assert.h>
#include <stdatomic.h>

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

const struct ttp_csv_kernel *ttp_csv_kernel(size_t i)
{
    static const struct ttp_csv_kernel *const all[] = {
#if defined(__x86_64__)
        &ttp_csv_avx512,
        &ttp_csv_avx2,
        &ttp_csv_sse2,
#elif defined(__aarch64__)
        &ttp_csv_neon,
#endif
        &ttp_csv_scalar,
    };

#if defined(__x86_64__)
    i += (size_t)!has_avx512() + !has_avx2();
#endif
    return i < TTP_COUNT(all) ? all[i] : NULL;
}

static const struct ttp_csv_kernel *best(void)
{
    static _Atomic(const struct ttp_csv_kernel *) chosen;
    const struct ttp_csv_kernel *k = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (!k) {
        k = ttp_csv_kernel(0);
        atomic_store_explicit(&chosen, k, memory_order_relaxed);
    }
    return k;
}

bool ttp_csv_next(struct ttp_csv *c, struct ttp_csv_row *row)
{
    return best()->next(c, row);
}

size_t ttp_csv_whole_rows(ttp_str text, char sep, bool last)
{
    return best()->whole_rows(text, sep, last);
}

const char *ttp_csv_kernel_name(void)
{
    return best()->name;
}

/* Append from[0..n) to the *len bytes at `out`. */
static void append(char *out, size_t *len, const char *from, size_t n)
{
    memcpy(out + *len, from, n);
    *len += n;
}

/* `s` follows an opening quote; `quote` is the next quote in it. */
static ttp_str unquote(ttp_str s, const char *quote, struct ttp_arena *scratch)
{
    const char *p = s.ptr, *const end = s.ptr + s.len;
    char *out = TTP_NEW(scratch, char, s.len);
    size_t len = 0;

    while (quote && end - quote > 1 && quote[1] == '"') {
        append(out, &len, p, (size_t)(quote + 1 - p)); /* one of the two stays */
        p = quote + 2;
        quote = memchr(p, '"', (size_t)(end - p));
    }
    if (quote) { /* closing: what follows it is ordinary text */
        append(out, &len, p, (size_t)(quote - p));
        p = quote + 1;
    }
    append(out, &len, p, (size_t)(end - p));
    return (ttp_str){out, len};
}

ttp_str ttp_csv_field(const struct ttp_csv *c, const struct ttp_csv_row *row, size_t i,
                      struct ttp_arena *scratch)
{
    assert(i < row->nfields && i < row->max);
    const size_t from = i ? (size_t)row->end[i - 1] + 1 : row->start;
    ttp_str s = {c->text.ptr + from, row->end[i] - from};

    if (s.len == 0 || s.ptr[0] != '"')
        return s;
    s = (ttp_str){s.ptr + 1, s.len - 1};
    const char *quote = memchr(s.ptr, '"', s.len);
    if (!quote) /* the text ends inside it */
        return s;
    if (quote == s.ptr + s.len - 1)
        return (ttp_str){s.ptr, s.len - 1};
    return unquote(s, quote, scratch);
}

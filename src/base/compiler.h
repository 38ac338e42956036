/* SPDX-License-Identifier: Apache-2.0 */
/* compiler.h - the only place that names compiler attributes. */
#ifndef TTP_BASE_COMPILER_H
#define TTP_BASE_COMPILER_H

#define TTP_NODISCARD    __attribute__((warn_unused_result))
#define TTP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define TTP_INLINE       static inline __attribute__((always_inline))
#define TTP_NOINLINE     __attribute__((noinline))
#define TTP_LIKELY(x)    __builtin_expect(!!(x), 1)
#define TTP_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define TTP_COUNT(a)     (sizeof(a) / sizeof((a)[0]))

#endif

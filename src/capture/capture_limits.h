/* SPDX-License-Identifier: Apache-2.0 */
/* capture_limits.h - private to capture: how much of each thing a recording may have. A stream or a
 * file is untrusted: what it names costs memory here, so each kind of name has a limit. All are far
 * above what programs do, and together below some 600 MB. */
#ifndef TTP_CAPTURE_CAPTURE_LIMITS_H
#define TTP_CAPTURE_CAPTURE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define TTP_THREADS_MAX ((size_t)1 << 17)   /* fibers and threads of devices included */
#define TTP_SOURCES_MAX ((size_t)1 << 17)   /* source locations; Tracy itself stops at 2^16 */
#define TTP_STRINGS_MAX ((size_t)1 << 20)   /* texts that are asked for by their address */
#define TTP_DEPTH_MAX   ((size_t)1 << 16)   /* zones open on one thread */
#define TTP_FRAMES_MAX  ((size_t)1 << 21)   /* room for open zones, on all threads together */
#define TTP_NAMES_MAX   ((size_t)256 << 20) /* bytes of names of every kind */
#define TTP_TEXTS_MAX   ((size_t)64 << 20)  /* bytes of texts of open zones */

/* A packed file that decompresses to more than this, and to more than that many times its size, was
 * crafted to exhaust memory: traces pack 20 to 1 at best. */
#define TTP_UNPACKED_FREE  ((uint64_t)64 << 20)
#define TTP_UNPACKED_RATIO 100

#define TTP_LIMIT_THREADS "more than 131,072 threads"
#define TTP_LIMIT_SOURCES "more than 131,072 source locations"
#define TTP_LIMIT_STRINGS "more than 1,048,576 names"
#define TTP_LIMIT_DEPTH   "zones nested more than 65,536 deep"
#define TTP_LIMIT_FRAMES  "more than 2,097,152 zones open at a time"
#define TTP_LIMIT_NAMES   "more than 256 MiB of names"
#define TTP_LIMIT_TEXTS   "more than 64 MiB of text in open zones"
#define TTP_LIMIT_ZONES   "more than 4,294,967,294 zones"
#define TTP_LIMIT_PACKED  "it decompresses to more than 64 MiB and 100 times its size"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_write.h - bytes in, a gzip file out, piece by piece. One thread per encoder. The same bytes
 * give the same file: it holds no name and no date. */
#ifndef TTP_BASE_GZIP_WRITE_H
#define TTP_BASE_GZIP_WRITE_H

#include "base/err.h"
#include "base/str.h"

struct ttp_gzip;
/* Gets what comes out. */
typedef void ttp_gzip_fn(void *arg, ttp_str bytes);

/* TTP_EMISSING: this build has no zlib (see ttp_compress_supports()). */
TTP_NODISCARD ttp_code ttp_gzip_open(struct ttp_gzip **out, ttp_gzip_fn *put, void *arg,
                                     struct ttp_err *err);
void ttp_gzip_add(struct ttp_gzip *g, ttp_str bytes);
/* Nothing follows. */
void ttp_gzip_finish(struct ttp_gzip *g);
/* NULL is fine. */
void ttp_gzip_close(struct ttp_gzip *g);

#endif

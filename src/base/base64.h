/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h - bytes as text (RFC 4648, with padding). */
#ifndef TTP_BASE_BASE64_H
#define TTP_BASE_BASE64_H

#include "base/sink.h"

/* Text on its way out, while bytes come in pieces of any size. */
struct ttp_base64 {
    struct ttp_sink *out; /* set by the caller */
    unsigned char left[3];
    size_t nleft;
};
/* `arg` is a struct ttp_base64: the form gzip_write.h wants. */
void ttp_base64_put(void *arg, ttp_str bytes);
/* The last group. */
void ttp_base64_end(struct ttp_base64 *b);

/* Back, into the arena. False: not base64; padding must be there, blanks must not. */
bool ttp_base64_decode(ttp_str *out, ttp_str text, struct ttp_arena *arena);

#endif

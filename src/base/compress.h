/* SPDX-License-Identifier: Apache-2.0 */
/* compress.h - compressed bytes in, plain bytes out, piece by piece: gzip (members one after the
 * other, zero padding) and zstd (frames one after the other). Use input.h for files; archives with
 * compressed parts (zip) decompress them here. One thread per decoder. */
#ifndef TTP_BASE_COMPRESS_H
#define TTP_BASE_COMPRESS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum ttp_compression { TTP_COMPRESS_NONE, TTP_COMPRESS_GZIP, TTP_COMPRESS_ZSTD };

/* As many first bytes as it takes to recognise one. */
#define TTP_COMPRESS_MAGIC 4
enum ttp_compression ttp_compress_detect(ttp_str head);
/* "zlib" or "zstd": the library that reads it. */
const char *ttp_compress_library(enum ttp_compression kind);
bool ttp_compress_supports(enum ttp_compression kind);

struct ttp_decoder;

/* TTP_EMISSING: this build has no library for it. */
TTP_NODISCARD ttp_code ttp_decoder_open(struct ttp_decoder **out, enum ttp_compression kind,
                                        struct ttp_err *err);
/* Take bytes from the front of *in, write at most `room` (> 0) bytes to `out`. *got is 0 when all
 * of *in has been taken and more is needed. TTP_EPARSE: the data is corrupt. */
TTP_NODISCARD ttp_code ttp_decoder_run(struct ttp_decoder *d, ttp_str *in, char *out, size_t room,
                                       size_t *got, struct ttp_err *err);
/* Call when the input is at its end and run gives nothing. TTP_EPARSE: it ended too early. */
TTP_NODISCARD ttp_code ttp_decoder_finish(const struct ttp_decoder *d, struct ttp_err *err);
/* NULL is fine. */
void ttp_decoder_close(struct ttp_decoder *d);

struct ttp_encoder;

/* Plain bytes in, a zstd frame out to `fd`, which stays the caller's. TTP_EMISSING: this build has
 * no zstd. */
TTP_NODISCARD ttp_code ttp_encoder_open(struct ttp_encoder **out, int fd, struct ttp_err *err);
/* More bytes; `last` ends the frame. TTP_EIO: they could not be written. */
TTP_NODISCARD ttp_code ttp_encoder_put(struct ttp_encoder *e, ttp_str text, bool last,
                                       struct ttp_err *err);
/* NULL is fine. */
void ttp_encoder_close(struct ttp_encoder *e);

/* All at once, into the arena: one zstd frame that says its size. TTP_EMISSING: this build has no
 * zstd. */
TTP_NODISCARD ttp_code ttp_zstd_pack(ttp_str *out, ttp_str text, struct ttp_arena *arena,
                                     struct ttp_err *err);
/* And back: exactly `size` bytes. TTP_EPARSE: it is something else. */
TTP_NODISCARD ttp_code ttp_zstd_unpack(ttp_str *out, ttp_str packed, size_t size,
                                       struct ttp_arena *arena, struct ttp_err *err);

/* A deflate stream without a header (RFC 1951), all at once: exactly `size` bytes with this CRC-32.
 * TTP_EPARSE: it is something else. TTP_EMISSING: this build has no zlib. */
TTP_NODISCARD ttp_code ttp_inflate(char *out, size_t size, ttp_str in, uint32_t crc,
                                   struct ttp_err *err);

#endif

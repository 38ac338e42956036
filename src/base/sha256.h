/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.h - the SHA-256 of a text (FIPS 180-4): are these the same bytes? */
#ifndef TTP_BASE_SHA256_H
#define TTP_BASE_SHA256_H

#include "base/str.h"

#define TTP_SHA256_HEX 64
/* In hexadecimal digits, with a NUL after them. */
void ttp_sha256_hex(char out[TTP_SHA256_HEX + 1], ttp_str text);

#endif

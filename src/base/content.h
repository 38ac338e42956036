/* SPDX-License-Identifier: Apache-2.0 */
/* content.h - identifies a file by its first bytes, for error messages. */
#ifndef TTP_BASE_CONTENT_H
#define TTP_BASE_CONTENT_H

#include "base/str.h"

/* "a picture", "JSON", "binary data", ...; NULL: plain text, or nothing. */
const char *ttp_content_kind(ttp_str start);

/* Of the start of an SQLite database: how many bytes it has; 0: not one, or it does not say. */
uint64_t ttp_content_sqlite_bytes(ttp_str start);

#endif

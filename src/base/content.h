/* SPDX-License-Identifier: Apache-2.0 */
/* content.h - what a file is by its first bytes, for messages about the wrong one. */
#ifndef TTP_BASE_CONTENT_H
#define TTP_BASE_CONTENT_H

#include "base/str.h"

/* "a picture", "JSON", "binary data", ...; NULL: plain text, or nothing. */
const char *ttp_content_kind(ttp_str start);

#endif

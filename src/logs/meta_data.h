/* SPDX-License-Identifier: Apache-2.0 */
/* meta_data.h - private to logs: the last column of a device log, one JSON object with every ','
 * turned into ';' (older writers: a Python literal). */
#ifndef TTP_LOGS_META_DATA_H
#define TTP_LOGS_META_DATA_H

#include "base/str.h"

/* The whole number, or the text between quotes, that the member of that name holds. False: none. */
bool ttp_logs_meta_u64(ttp_str meta, ttp_str key, uint64_t *out);
bool ttp_logs_meta_text(ttp_str meta, ttp_str key, ttp_str *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/json_time.h"

void ttp_member_time(struct ttp_json_writer *w, const char *key, int64_t unix_ns)
{
    char text[TTP_ISO_TIME_MAX];

    ttp_json_put_key(w, ttp_str_from(key));
    if (unix_ns <= 0)
        ttp_json_put_null(w);
    else
        ttp_json_put_str(w, (ttp_str){text, ttp_iso_time(text, unix_ns)});
}

/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the ATTRIBUTES text of two ops, setting by setting. Private to diff. */
#ifndef TTP_DIFF_SETTINGS_H
#define TTP_DIFF_SETTINGS_H

#include "diff/diff.h"

struct ttp_setting_change {
    ttp_str name, from, to; /* empty: not there */
};

/* How many settings differ; the first `max` of them in out. Texts whose common settings are all
 * equal count as equal: another version of tt-metal lists other ones. */
size_t ttp_diff_settings_compare(struct ttp_setting_change *out, size_t max, ttp_str before,
                                 ttp_str after, struct ttp_arena *arena);

#endif

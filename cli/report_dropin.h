/* SPDX-License-Identifier: Apache-2.0 */
/* report_dropin.h - what the report verb and the drop-in name share. */
#ifndef TTP_CLI_REPORT_DROPIN_H
#define TTP_CLI_REPORT_DROPIN_H

#include "analysis/analysis.h"

/* "5-10", "31-", "-12", ',' allowed inside numbers; NULL: no range. False: not such a range. */
bool ttp_report_parse_id_range(struct ttp_report_options *out, const char *text,
                               struct ttp_arena *arena);

#endif

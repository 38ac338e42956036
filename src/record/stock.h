/* SPDX-License-Identifier: Apache-2.0 */
/* stock.h - Tracy's own capture tool for each client of a run, through our proxy, so that
 * there is a .tracy file next to our capture file. Whatever happens to a tool costs that file and
 * nothing else. */
#ifndef TTP_RECORD_STOCK_H
#define TTP_RECORD_STOCK_H

#include "record/sessions.h"
#include "record/supervise.h"

/* Start a tool for this session, which has no client yet; does nothing if none is wanted. */
void ttp_record_stock_start(const struct ttp_sessions *s, struct ttp_session *one,
                            struct ttp_command *c);
/* Where a tool failed before it had a word with its client, let our receiver connect instead. */
void ttp_record_stock_mind(const struct ttp_sessions *s, struct ttp_command *c);
/* When all sessions are closed: let the tools save their files, and note which did. */
void ttp_record_stock_await(const struct ttp_sessions *s, struct ttp_command *c,
                            struct ttp_arena *scratch);

#endif

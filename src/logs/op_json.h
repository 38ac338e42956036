/* SPDX-License-Identifier: Apache-2.0 */
/* op_json.h - private to logs: the JSON object in an op's message. */
#ifndef TTP_LOGS_OP_JSON_H
#define TTP_LOGS_OP_JSON_H

#include "logs/logs.h"

/* TTP_EPARSE: not one JSON object. What is missing in a well-formed one is out->fault. */
TTP_NODISCARD ttp_code ttp_logs_op_json_read(struct ttp_op_info *out, ttp_str json,
                                             struct ttp_arena *arena, struct ttp_err *err);

#endif

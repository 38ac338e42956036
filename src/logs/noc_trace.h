/* SPDX-License-Identifier: Apache-2.0 */
/* noc_trace.h - private to logs: the parts of the reader of NoC traces. */
#ifndef TTP_LOGS_NOC_TRACE_H
#define TTP_LOGS_NOC_TRACE_H

#include "base/json_file.h"
#include "logs/logs.h"

struct ttp_noc_reading {
    struct ttp_noc_trace *trace;
    struct ttp_json_file file;
    struct ttp_arena *arena;
    uint16_t device;
    enum ttp_noc_type last_phase;   /* of a zone */
    uint8_t last_key, next_key[32]; /* of a record: which one followed which the last time */
};

/* Count a value of another kind than it should be. */
void ttp_logs_noc_trace_odd_value(struct ttp_noc_reading *r);

/* Values, whose first event is r->file.event. What is of another kind leaves *out as it is and is
 * counted; so is a number out of [low, high]. */
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_i64(struct ttp_noc_reading *r, int64_t low,
                                                   int64_t high, int64_t *out, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_coord(struct ttp_noc_reading *r, int32_t *out,
                                                     struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_noc(struct ttp_noc_reading *r, int8_t *out,
                                                   struct ttp_err *err);
/* Of another kind: empty. Valid until the next event. */
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_text(struct ttp_noc_reading *r, ttp_str *out,
                                                    struct ttp_err *err);

/* The objects of an array; anything else is passed over. */
typedef ttp_code ttp_noc_element_fn(struct ttp_noc_reading *r, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_list(struct ttp_noc_reading *r,
                                                    ttp_noc_element_fn *element, bool *is_list,
                                                    struct ttp_err *err);
/* An element of `dst` or `local_writes`: added to the trace. */
TTP_NODISCARD ttp_code ttp_logs_noc_trace_write_element(struct ttp_noc_reading *r,
                                                        struct ttp_err *err);
/* The value of `fabric_send`. */
TTP_NODISCARD ttp_code ttp_logs_noc_trace_read_fabric(struct ttp_noc_reading *r,
                                                      struct ttp_noc_fabric *f, bool *has,
                                                      struct ttp_err *err);

#endif

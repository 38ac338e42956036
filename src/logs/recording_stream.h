/* SPDX-License-Identifier: Apache-2.0 */
/* recording_stream.h - private to logs: ttp_logs_stream_host_zones() and
 * ttp_logs_stream_messages() of a recording. */
#ifndef TTP_LOGS_RECORDING_STREAM_H
#define TTP_LOGS_RECORDING_STREAM_H

#include "logs/logs.h"

TTP_NODISCARD ttp_code ttp_logs_recording_stream_zones(const char *path,
                                                       struct ttp_host_zone_request request,
                                                       const struct ttp_logs_options *options,
                                                       struct ttp_arena *arena,
                                                       struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_logs_recording_stream_messages(const char *path, ttp_message_fn *use,
                                                          void *arg, struct ttp_err *err);

#endif

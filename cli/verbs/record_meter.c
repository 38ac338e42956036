/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_meter.h"

#include "base/file.h"
#include "logs/logs.h"

struct ttp_meter *ttp_record_start_meter(const struct ttp_record_job *job, const char *logs,
                                         const struct ttp_ctx *ctx)
{
    const struct ttp_meter_options options = {
        .root = job->host_root,
        .boards = ctx->boards,
        .path = ttp_file_join(logs, TTP_MACHINE_LOG, ctx->arena),
        .hz = (double)job->sample_hz,
    };
    struct ttp_meter *meter = NULL;
    struct ttp_err err = {0};

    if (job->sample_hz && ttp_meter_open(&meter, &options, &err) != TTP_OK)
        ttp_ctx_warn(ctx, "the boards are not sampled: %s", err.text);
    return meter;
}

void ttp_record_stop_meter(struct ttp_meter *meter, const struct ttp_ctx *ctx)
{
    struct ttp_err err = {0};

    if (ttp_meter_close(meter, &err) != TTP_OK)
        ttp_ctx_warn(ctx, "%s", err.text);
}

void ttp_record_place_samples(const char *from, const char *logs,
                              const struct ttp_record_client *client, const struct ttp_ctx *ctx)
{
    const char *path = ttp_file_join(from, TTP_MACHINE_LOG, ctx->arena);
    struct ttp_machine_log log;
    struct ttp_err err = {0};

    if (!ttp_file_exists(path) || !client->stats.has_clock)
        return;
    ttp_code rc = ttp_machine_log_read(&log, path, ctx->arena, &err);
    if (rc == TTP_OK && !log.aligned)
        rc = ttp_machine_log_write(&log, ttp_file_join(logs, TTP_MACHINE_LOG, ctx->arena),
                                   client->stats.clock_offset_ns, &err);
    if (rc != TTP_OK)
        ttp_ctx_warn(ctx, "the samples of the boards are not used: %s", err.text);
}

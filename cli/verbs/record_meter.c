/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_meter.h"

#include <inttypes.h>

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

    if (job->sample_hz && ttp_host_meter_open(&meter, &options, &err) != TTP_OK)
        ttp_ctx_warn(ctx, "the boards are not sampled: %s", err.text);
    return meter;
}

void ttp_record_stop_meter(struct ttp_meter *meter, const struct ttp_record_job *job,
                           const struct ttp_ctx *ctx)
{
    struct ttp_meter_cost cost;
    struct ttp_err err = {0};

    if (ttp_host_meter_close(meter, &cost, &err) != TTP_OK)
        ttp_ctx_warn(ctx, "%s", err.text);
    /* the first and the last sample are one interval apart if nothing went wrong */
    if (cost.samples)
        ttp_ctx_note(ctx,
                     "%" PRIu64 " samples of the boards in %.3f s took %.6f s of processor time",
                     cost.samples, cost.seconds, cost.cpu_seconds);
    const double rate = cost.seconds > 0 ? (double)(cost.samples - 1) / cost.seconds : 0;
    if (cost.seconds >= 2 && rate < 0.8 * (double)job->sample_hz)
        ttp_ctx_warn(ctx,
                     "the boards were sampled %.1f times a second, not %" PRIu64
                     " times: a sample takes %.0f μs, and sampling may use 0.1 %% of a core",
                     rate, (uint64_t)job->sample_hz, cost.cpu_seconds / (double)cost.samples * 1e6);
}

void ttp_record_place_samples(const char *from, const char *logs,
                              const struct ttp_record_client *client, const struct ttp_ctx *ctx)
{
    const char *path = ttp_file_join(from, TTP_MACHINE_LOG, ctx->arena);
    struct ttp_machine_log log;
    struct ttp_err err = {0};

    if (!ttp_file_exists(path) || !client->stats.has_clock)
        return;
    ttp_code rc = ttp_logs_machine_log_read(&log, path, ctx->arena, &err);
    if (rc == TTP_OK && !log.aligned)
        rc = ttp_logs_machine_log_write(&log, ttp_file_join(logs, TTP_MACHINE_LOG, ctx->arena),
                                        client->stats.clock_offset_ns, &err);
    if (rc != TTP_OK)
        ttp_ctx_warn(ctx, "the samples of the boards are not used: %s", err.text);
}

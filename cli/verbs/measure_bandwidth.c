/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/measure_bandwidth.h"

#include <math.h>

#include "base/clock.h"
#include "base/vec.h"

/* Why nothing may run on the devices; NULL: it may. */
static const char *refusal(const struct ttp_bandwidth_setup *setup)
{
    if (setup->host->nchips == 0)
        return "no card";
    for (size_t i = 0; i < setup->sample->nchips; i++)
        if (setup->sample->chip[i].nholders)
            return "a process has a device open; stop it first";
    return NULL;
}

static ttp_code host_memory(struct ttp_bandwidth *out, const struct ttp_memory_sizes *sizes,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_stream_options options = {.cache_bytes = sizes->cache_bytes,
                                               .available_bytes = sizes->available_bytes};
    const ttp_code rc = ttp_measure_stream_memory(out, &options, ctx->arena, err);

    if (rc != TTP_EMISSING)
        return rc;
    *TTP_PUSH(ctx->arena, out->rate, out->count) = (struct ttp_bandwidth_rate){
        .kind = TTP_BANDWIDTH_COPY,
        .device = -1,
        .median = NAN,
        .min = NAN,
        .max = NAN,
        .skipped = ttp_arena_zstr(ctx->arena, ttp_str_from(err->text)),
        .todo = "free some memory and repeat",
    };
    return TTP_OK;
}

static ttp_code devices(struct ttp_bandwidth *out, const struct ttp_memory_sizes *sizes,
                        const struct ttp_ctx *ctx, const struct ttp_bandwidth_setup *setup,
                        struct ttp_err *err)
{
    const struct ttp_transfer_options options = {
        .root = setup->metal->root,
        .refused = refusal(setup),
        .available_bytes = sizes->available_bytes,
        .timeout_s = setup->timeout_s,
        .show = ctx->verbose,
    };
    struct ttp_signals own = {0}, *signals = setup->signals ? setup->signals : &own;

    if (!setup->signals)
        TTP_TRY(ttp_signals_open(&own, err));
    const ttp_code rc = ttp_measure_transfers_measure(out, &options, signals, ctx->arena, err);
    const int caught = signals->caught;
    if (!setup->signals)
        ttp_signals_close(&own);
    if (rc == TTP_OK && caught)
        return ttp_fail(err, TTP_EIO, "interrupted by signal %d", caught);
    return rc;
}

ttp_code ttp_bandwidth_measure(struct ttp_bandwidth *out, const struct ttp_ctx *ctx,
                               const struct ttp_bandwidth_setup *setup, struct ttp_err *err)
{
    struct ttp_memory_sizes sizes;
    struct ttp_host here;

    *out = (struct ttp_bandwidth){.start_ns = ttp_clock_unix_ns()};
    TTP_TRY(ttp_host_open(&here, NULL, ctx->boards, ctx->arena, err));
    ttp_host_memory_sizes(&sizes, &here, ctx->arena);
    ttp_host_close(&here);
    TTP_TRY(host_memory(out, &sizes, ctx, err));
    return devices(out, &sizes, ctx, setup, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/advise_kernels.h"

#include <unistd.h>

#include "base/file.h"

bool ttp_advise_is_device_only(const char *operand, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    struct ttp_log_paths paths;
    const char *csv;

    if (!ttp_file_is_dir(operand)) {
        const char *slash = strrchr(operand, '/');
        return strcmp(slash ? slash + 1 : operand, "profile_log_device.csv") == 0;
    }
    return ttp_run_find_csv(&csv, operand, arena, &ignored) == TTP_ENOTFOUND &&
           ttp_logs_find(&paths, operand, arena, &ignored) == TTP_OK && paths.device &&
           !paths.messages && !paths.tracy && !paths.capture;
}

static struct ttp_kernel_request request_of(const char *operand, unsigned threads)
{
    return (struct ttp_kernel_request){
        .dir = operand, .window = "all", .traces = true, .host = true, .threads = threads};
}

bool ttp_advise_read_kernels(struct ttp_kernel_input *out, const char *operand, unsigned threads,
                             const struct ttp_ctx *ctx)
{
    const struct ttp_kernel_request request = request_of(operand, threads);
    struct ttp_err err = {0};

    if (!ttp_file_is_dir(operand))
        return false;
    const ttp_code rc = ttp_kernel_input_read(out, &request, ctx, &err);
    if (rc != TTP_OK && rc != TTP_ENOTFOUND)
        ttp_ctx_warn(ctx, "nothing about the kernels themselves: %s", err.text);
    return rc == TTP_OK && out->has_log;
}

static int64_t to_ns(const struct ttp_kernel_report *r, uint64_t cycles)
{
    return (int64_t)(cycles * 1000 / r->clock_mhz);
}

/* Rows in the form of an ops report. */
static void put_programs(struct ttp_sink *out, const struct ttp_kernel_report *r)
{
    const struct ttp_arch *arch = ttp_boards_find_arch(r->boards, r->arch, true);

    ttp_sink_own(out,
                 "HOST START TS,OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,CORE COUNT,"
                 "AVAILABLE WORKER CORE COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL "
                 "DURATION [ns],DEVICE KERNEL DURATION PER CORE MAX [ns],DEVICE "
                 "KERNEL DURATION PER CORE AVG [ns]\n");
    for (size_t i = 0; i < r->nprograms; i++) {
        const struct ttp_kernel_program *m = &r->program[i], *before = i ? m - 1 : NULL;
        const uint64_t cores = m->targets.cores_used;
        const uint64_t available =
            arch && (uint64_t)arch->worker_cores > cores ? (uint64_t)arch->worker_cores : cores;
        ttp_sink_printf(out, "%zu,GenericOpDeviceOperation,tt_dnn_device,%llu,%lld,%.*s,%llu,%llu,",
                        i, (unsigned long long)m->run_id, (long long)m->device, TTP_FMT(r->arch),
                        (unsigned long long)cores, (unsigned long long)available);
        if (before && before->device == m->device &&
            m->first_cycle > before->first_cycle + before->duration_cycles)
            ttp_sink_i64(out,
                         to_ns(r, m->first_cycle - before->first_cycle - before->duration_cycles));
        ttp_sink_char(out, ',');
        ttp_sink_i64(out, to_ns(r, m->duration_cycles));
        ttp_sink_char(out, ',');
        if (m->core_cycles.count) {
            ttp_sink_i64(out, to_ns(r, m->core_cycles.max));
            ttp_sink_char(out, ',');
            ttp_sink_i64(out, to_ns(r, m->core_cycles.sum / m->core_cycles.count));
        } else {
            ttp_sink_char(out, ',');
        }
        ttp_sink_char(out, '\n');
    }
}

ttp_code ttp_advise_read_programs(struct ttp_run_input *out, struct ttp_kernel_input *kernels,
                                  const char *operand, const struct ttp_report_options *analysis,
                                  unsigned threads, struct ttp_words *warnings,
                                  const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_kernel_request request = request_of(operand, threads);
    struct ttp_sink rows;
    const char *path;
    int fd;

    TTP_TRY(ttp_kernel_input_read(kernels, &request, ctx, err));
    TTP_TRY(ttp_file_in_memory(&fd, &path, ctx->arena, err));
    ttp_sink_to_memory(&rows, fd, ctx->arena);
    put_programs(&rows, &kernels->report);
    ttp_code rc = ttp_sink_finish(&rows, err);
    if (rc == TTP_OK)
        rc = ttp_run_input_read(out, path, analysis, threads, warnings, ctx, err);
    ttp_file_close_memory(path);
    out->name = operand;
    return rc;
}

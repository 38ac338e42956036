/* SPDX-License-Identifier: Apache-2.0 */
/* run_programs.c - a run of which only the device's side is known: its programs are the ops. */
#include "base/file.h"
#include "device/device.h"
#include "run/run.h"

/* Does the first line of a file have this text? A device log names the chip there, an ops CSV its
 * columns. Compressed files and pipes are not looked at. */
static bool first_line_has(const char *path, ttp_str text)
{
    struct ttp_file file;

    if (!ttp_file_exists(path) || ttp_file_map(&file, path, NULL) != TTP_OK)
        return false;
    const bool found =
        ttp_str_has(ttp_str_slice(file.text, 0, ttp_str_find_char(file.text, '\n')), text);
    ttp_file_close(&file);
    return found;
}

bool ttp_run_is_device_only(const char *operand, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    struct ttp_log_paths paths;
    const char *csv;

    if (!ttp_file_is_dir(operand))
        return first_line_has(operand, TTP_STR("CHIP_FREQ[MHz]"));
    if (ttp_run_find_csv(&csv, operand, arena, &ignored) != TTP_ENOTFOUND &&
        first_line_has(csv, TTP_STR("OP CODE")))
        return false;
    return ttp_logs_find(&paths, operand, arena, &ignored) == TTP_OK && paths.device &&
           !paths.messages && !paths.tracy && !paths.capture;
}

static int64_t to_ns(const struct ttp_kernel_report *r, uint64_t cycles)
{
    return (int64_t)(cycles * 1000 / r->clock_mhz);
}

/* Is it a kernel that its author can change? Programs of a library look the same in a log, but for
 * what TT-Lang adds: names, lines and the waits of threads. */
static bool is_own(const struct ttp_kernel_report *r, const struct ttp_kernel_program *m)
{
    return r->flow || m->kernel.len || m->verdict.from_waits;
}

static void put_code(struct ttp_sink *out, const struct ttp_kernel_report *r,
                     const struct ttp_kernel_program *m)
{
    const unsigned long long cores = m->targets.cores_used;

    if (is_own(r, m))
        ttp_sink_own(out, "GenericOpDeviceOperation");
    else
        ttp_sink_printf(out, TTP_PROGRAM_OP " on %llu core%s", cores, cores == 1 ? "" : "s");
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
        ttp_sink_printf(out, "%zu,", i);
        put_code(out, r, m);
        ttp_sink_printf(out, ",tt_dnn_device,%llu,%lld,%.*s,%llu,%llu,",
                        (unsigned long long)m->key.run_id, (long long)m->key.device,
                        TTP_FMT(r->arch), (unsigned long long)cores, (unsigned long long)available);
        if (before && before->key.device == m->key.device &&
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

ttp_code ttp_run_analyse_programs(struct ttp_run_input *out, struct ttp_kernel_input *kernels,
                                  const struct ttp_run_request *request, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    const struct ttp_kernel_request all = {.dir = request->path,
                                           .traces = true,
                                           .host = true,
                                           .boards = request->analysis.boards,
                                           .threads = request->threads,
                                           .progress = request->progress};
    struct ttp_run_request rows = *request;
    struct ttp_sink csv;
    int fd;

    *out = (struct ttp_run_input){0};
    if (!rows.analysis.window && !rows.analysis.start_signpost && !rows.analysis.end_signpost)
        rows.analysis.window = "all"; /* programs without names do not show what repeats */
    TTP_TRY(ttp_run_read_kernels(kernels, &all, arena, err));
    TTP_TRY(ttp_file_in_memory(&fd, &rows.path, arena, err));
    ttp_sink_to_memory(&csv, fd, arena);
    put_programs(&csv, &kernels->report);
    ttp_code rc = ttp_sink_finish(&csv, err);
    if (rc == TTP_OK)
        rc = ttp_run_analyse(out, &rows, arena, err);
    ttp_file_close_memory(rows.path);
    out->name = request->path;
    return rc;
}

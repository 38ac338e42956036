/* SPDX-License-Identifier: Apache-2.0 */
/* run_programs.c - a run of which only the device's side is known: its programs are the ops. */
#include <sys/stat.h>

#include "base/file.h"
#include "base/input.h"
#include "base/order.h"
#include "device/device.h"
#include "run/run_end.h"
#include "run/run_kernels.h"

/* As many bytes as the first line of a device log or an ops CSV has at most. */
#define FIRST_LINE ((size_t)64 << 10)

/* Does the first line of a file have this text? A device log names the chip there, an ops CSV its
 * columns. What is read of a pipe is gone, so pipes are not checked. */
static bool first_line_has(const char *path, ttp_str text)
{
    struct ttp_input *in;
    struct ttp_block block;
    struct stat st;
    bool more = false, found = false;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
        ttp_input_open(&in, path, FIRST_LINE, true, NULL) != TTP_OK)
        return false;
    if (ttp_input_next(in, &block, &more, (struct ttp_cutter){0}, NULL) == TTP_OK && more) {
        const ttp_str line = ttp_str_slice(block.text, 0, ttp_str_find_char(block.text, '\n'));
        found = ttp_str_has(line, text);
        ttp_input_release(in, &block);
    }
    ttp_input_close(in);
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

TTP_ORDER(by_time, struct ttp_run_execution, TTP_UP(device), TTP_UP(cycle), TTP_UP(at))

struct ttp_run_execution *ttp_run_in_order(const struct ttp_kernel_report *r,
                                           struct ttp_arena *arena)
{
    struct ttp_run_execution *ran = TTP_NEW(arena, struct ttp_run_execution, r->nprograms);

    for (size_t i = 0; i < r->nprograms; i++)
        ran[i] = (struct ttp_run_execution){r->program[i].key.device, r->program[i].first_cycle, i};
    TTP_SORT(ran, r->nprograms, by_time);
    return ran;
}

/* The heading is line 1 of the rows that put_programs() writes. */
#define FIRST_ROW 2

void ttp_run_number_programs(struct ttp_kernel_report *out, const struct ttp_kernel_report *whole,
                             struct ttp_arena *arena)
{
    const struct ttp_run_execution *ran = ttp_run_in_order(whole, arena);
    uint32_t *id = TTP_NEW(arena, uint32_t, whole->nprograms);

    for (size_t i = 0; i < whole->nprograms; i++)
        id[ran[i].at] = (uint32_t)(i + FIRST_ROW);
    for (size_t i = 0, k = 0; i < out->nprograms; i++, k++) { /* both in the same order */
        while (k < whole->nprograms &&
               !ttp_exec_key_eq(&whole->program[k].key, &out->program[i].key))
            k++;
        if (k == whole->nprograms)
            return;
        out->program[i].op_id = id[k];
    }
}

static void put_ns(struct ttp_sink *out, const struct ttp_kernel_report *r, uint64_t cycles)
{
    ttp_sink_i64(out, to_ns(r, cycles));
    ttp_sink_char(out, ',');
}

/* What ran, and where: the cells before the times. Which cores a truncated log lacks is
 * unknown, and so is what the program could have used. */
static void put_program(struct ttp_sink *out, const struct ttp_kernel_report *r,
                        const struct ttp_kernel_program *m)
{
    const uint64_t cores = m->targets.cores_used, available = m->targets.cores_available;

    put_code(out, r, m);
    ttp_sink_printf(out, ",tt_dnn_device,%llu,%lld,%.*s,%llu,", (unsigned long long)m->key.run_id,
                    (long long)m->key.device, TTP_FMT(r->arch), (unsigned long long)cores);
    if (!(r->profile && r->profile->log.truncated))
        ttp_sink_i64(out, (int64_t)(available > cores ? available : cores));
    ttp_sink_char(out, ',');
    if (m->key.replay > 0 && m->key.trace_id >= 0)
        ttp_sink_i64(out, m->key.trace_id);
    ttp_sink_char(out, ',');
    if (m->key.replay > 0)
        ttp_sink_i64(out, m->key.replay);
    ttp_sink_char(out, ',');
}

/* The mean of its cores, so that the analysis sees the same part of the program's time as the
 * diagnosis of kernels; empty if it did not run. */
static void put_thread(struct ttp_sink *out, const struct ttp_kernel_report *r,
                       const struct ttp_kernel_program *m, enum ttp_kernel_risc risc)
{
    const struct ttp_cycle_spread *s = &m->thread[risc].kernel_cycles;

    ttp_sink_char(out, ',');
    if (s->count)
        ttp_sink_i64(out, to_ns(r, s->sum / s->count));
}

/* What threads waited for, where the log has it. */
static void put_waits(struct ttp_sink *out, const struct ttp_kernel_report *r,
                      const struct ttp_kernel_program *m)
{
    const uint64_t in = m->thread[TTP_KERNEL_TRISC_0].wait,
                   room = m->thread[TTP_KERNEL_TRISC_2].reserve;

    ttp_sink_char(out, ',');
    if (in)
        ttp_sink_i64(out, to_ns(r, in));
    ttp_sink_char(out, ',');
    if (room)
        ttp_sink_i64(out, to_ns(r, room));
}

/* Rows in the form of an ops report. */
static void put_programs(struct ttp_sink *out, const struct ttp_kernel_report *r,
                         const struct ttp_run_execution *ran)
{
    ttp_sink_own(out,
                 "HOST START TS,OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,CORE COUNT,"
                 "AVAILABLE WORKER CORE COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,"
                 "DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],"
                 "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],"
                 "DEVICE KERNEL DURATION PER CORE MAX [ns],"
                 "DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE NCRISC KERNEL DURATION [ns],"
                 "DEVICE BRISC KERNEL DURATION [ns],DEVICE TRISC1 KERNEL DURATION [ns],"
                 "DEVICE COMPUTE CB WAIT FRONT [ns],DEVICE COMPUTE CB RESERVE BACK [ns]\n");
    for (size_t i = 0; i < r->nprograms; i++) {
        const struct ttp_kernel_program *m = &r->program[ran[i].at];
        const struct ttp_kernel_program *before = i ? &r->program[ran[i - 1].at] : NULL;

        ttp_sink_printf(out, "%zu,", i);
        put_program(out, r, m);
        const uint64_t end_cycle = m->first_cycle + m->duration_cycles;
        ttp_sink_printf(out, "%llu,%llu,", (unsigned long long)m->first_cycle,
                        (unsigned long long)end_cycle);
        put_ns(out, r, m->duration_cycles);
        if (before && before->key.device == m->key.device &&
            m->first_cycle > before->first_cycle + before->duration_cycles)
            ttp_sink_i64(out,
                         to_ns(r, m->first_cycle - before->first_cycle - before->duration_cycles));
        ttp_sink_char(out, ',');
        put_ns(out, r, m->duration_cycles);
        if (m->core_cycles.count) {
            put_ns(out, r, m->core_cycles.max);
            ttp_sink_i64(out, to_ns(r, m->core_cycles.sum / m->core_cycles.count));
        } else {
            ttp_sink_char(out, ',');
        }
        put_thread(out, r, m, TTP_KERNEL_NCRISC);
        put_thread(out, r, m, TTP_KERNEL_BRISC);
        put_thread(out, r, m, TTP_KERNEL_TRISC_1);
        put_waits(out, r, m);
        ttp_sink_char(out, '\n');
    }
}

/* Threads of all kinds and NoC traces say more of a program than the columns of its row: `report`
 * and `kernel` give one diagnosis. */
static void take_limits(struct ttp_report *out, const struct ttp_kernel_report *r,
                        const struct ttp_run_execution *ran)
{
    for (size_t i = 0; i < out->count; i++) {
        const size_t row = out->op[i].row;
        const struct ttp_kernel_verdict *v =
            row < r->nprograms ? &r->program[ran[row].at].verdict : NULL;

        if (v && (v->from_waits || r->program[ran[row].at].traffic) &&
            v->bottleneck != TTP_LIMIT_NONE && v->bottleneck != TTP_LIMIT_SLOW)
            out->op[i].limit = (uint8_t)v->bottleneck;
    }
}

static bool has_replays(const struct ttp_kernel_report *r)
{
    for (size_t i = 0; i < r->nprograms; i++)
        if (r->program[i].key.replay > 0)
            return true;
    return false;
}

/* How the command of a folder, or of its logs, ended. */
static struct ttp_run_end end_of(const char *dir, struct ttp_arena *arena)
{
    struct ttp_log_paths paths;

    return ttp_logs_find(&paths, dir, arena, NULL) == TTP_OK && paths.folder
               ? ttp_run_end_of_folder(paths.folder, arena)
               : (struct ttp_run_end){0};
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
    TTP_TRY(ttp_run_read_kernels(kernels, &all, arena, err));
    /* programs without names do not show what repeats, but for replays, which the log tells */
    if (!rows.analysis.window && !rows.analysis.start_signpost && !rows.analysis.end_signpost &&
        !has_replays(&kernels->report))
        rows.analysis.window = "all";
    rows.problems = &kernels->warnings;
    rows.truncated = kernels->profile.log.truncated;
    rows.end = end_of(request->path, arena);
    TTP_TRY(ttp_file_in_memory(&fd, &rows.path, arena, err));
    ttp_sink_to_memory(&csv, fd, arena);
    const struct ttp_run_execution *ran = ttp_run_in_order(&kernels->report, arena);
    put_programs(&csv, &kernels->report, ran);
    ttp_code rc = ttp_sink_finish(&csv, err);
    if (rc == TTP_OK)
        rc = ttp_run_analyse(out, &rows, arena, err);
    if (rc == TTP_OK)
        take_limits(&out->report, &kernels->report, ran);
    ttp_file_close_memory(rows.path);
    out->name = request->path;
    return rc;
}

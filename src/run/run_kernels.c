/* SPDX-License-Identifier: Apache-2.0 */
/* run_kernels.c - the kernels of a run: device log, NoC traces, graphs and names in one report. */

#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "device/device.h"
#include "run/run_kernels.h"
#include "run/run_passes.h"

#define WARNINGS_MAX 16

struct reading {
    struct ttp_kernel_input *out;
    const struct ttp_kernel_request *request;
    struct ttp_arena *arena;
    struct ttp_err *err;
    const struct ttp_noc_grid *grid;
    int64_t max_compute_cores; /* as the run says; 0 or TTP_NO_ID: it does not */
    struct ttp_host_log host;
    bool has_host;
    struct ttp_run_passes passes;
};

/* --- warnings --- */

static void warn(struct reading *r, const char *fmt, ...) TTP_PRINTF(2, 3);
static void warn(struct reading *r, const char *fmt, ...)
{
    struct ttp_words *w = &r->out->warnings;
    char text[512];
    va_list args;

    if (!w->word)
        w->word = TTP_NEW(r->arena, const char *, WARNINGS_MAX);
    if (w->count == WARNINGS_MAX)
        return;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    w->word[w->count++] =
        ttp_arena_zstr(r->arena, (ttp_str){text, n < 0 ? 0 : strnlen(text, sizeof(text) - 1)});
}

static void warn_of_log(struct reading *r, const struct ttp_kernel_profile *p)
{
    const struct ttp_zone_log *log = &p->log;
    uint64_t full = 0;

    for (size_t i = 0; i < p->ninvocations; i++)
        full += p->invocation[i].full_buffers;
    if (full)
        warn(r,
             "%llu RISC buffers reached %d zones in one launch: later zones are lost; profile "
             "fewer iterations",
             (unsigned long long)full, TTP_KERNEL_MAX_PAIRS);
    if (p->repeated)
        warn(r,
             "the device log repeats rows: %llu zones are there twice or out of order and are "
             "omitted",
             (unsigned long long)p->repeated);
    if (log->orphan_starts + log->orphan_ends)
        warn(r, "omitted %llu zone starts and %llu zone ends without a match",
             (unsigned long long)log->orphan_starts, (unsigned long long)log->orphan_ends);
    if (log->backward_zones)
        warn(r, "omitted %llu zones that end before they begin",
             (unsigned long long)log->backward_zones);
    if (log->truncated)
        warn(r,
             "the device log is truncated: it ends in the middle of a row, and cores, programs or "
             "ends of zones may be missing");
    else if (log->bad_rows.count)
        warn(r, "%llu rows of the device log are invalid, the first is line %llu%s",
             (unsigned long long)log->bad_rows.count, (unsigned long long)log->bad_rows.line,
             log->has_nul ? ": NUL bytes have replaced rows" : "");
}

/* --- graphs --- */

static const char *beside(const struct ttp_log_paths *paths, const char *name,
                          struct ttp_arena *arena)
{
    const char *path = ttp_file_join(paths->folder, name, arena);

    if (ttp_file_exists(path))
        return path;
    path = ttp_file_join(paths->root, name, arena);
    return ttp_file_exists(path) ? path : NULL;
}

static const char *flow_beside(const struct ttp_log_paths *paths, struct ttp_arena *arena)
{
    const char *flow = beside(paths, "cb_flow_graph.json", arena);

    return flow ? flow : beside(paths, "dfb_flow_graph.json", arena);
}

/* The pass that measured lines, if it is not the first. */
static bool lines_pass(const struct reading *r, struct ttp_log_paths *out)
{
    for (size_t i = 0; i < r->passes.count; i++)
        if (r->passes.pass[i].lines)
            return ttp_logs_find(out, r->passes.pass[i].dir, r->arena, NULL) == TTP_OK &&
                   out->device;
    return false;
}

bool ttp_run_has_flow(const char *dir, struct ttp_arena *arena)
{
    struct reading r = {.arena = arena};
    struct ttp_log_paths paths, lines;

    if (ttp_logs_find(&paths, dir, arena, NULL) != TTP_OK)
        return false;
    ttp_run_find_passes(&r.passes, &paths, arena);
    return flow_beside(&paths, arena) || (lines_pass(&r, &lines) && flow_beside(&lines, arena));
}

static ttp_code read_graphs(struct reading *r)
{
    const char *flow = r->request->flow, *pipes = r->request->pipes;
    struct ttp_kernel_input *out = r->out;
    struct ttp_log_paths lines;

    if (!flow)
        flow = flow_beside(&out->paths, r->arena);
    if (!flow && lines_pass(r, &lines))
        flow = flow_beside(&lines, r->arena);
    if (!pipes)
        pipes = beside(&out->paths, "pipe_graph.json", r->arena);
    if (flow) {
        TTP_TRY(ttp_kernel_read_flow(&out->flow, flow, r->arena, r->err));
        out->report.flow = &out->flow;
    }
    ttp_kernel_flow_waits(&out->waits, &out->flow, false, r->arena);
    if (pipes) {
        TTP_TRY(ttp_kernel_read_pipes(&out->pipes, pipes, r->arena, r->err));
        out->report.pipes = &out->pipes;
    }
    return TTP_OK;
}

/* --- the device log --- */

static ttp_code read_lines(struct reading *r, const char *path,
                           const struct ttp_profile_options *options)
{
    struct ttp_kernel_input *out = r->out;
    struct ttp_kernel_report pass = {0};

    TTP_TRY(ttp_kernel_read_profile(&out->lines, path, options, r->arena, r->err));
    ttp_kernel_list_programs(&pass, &out->lines, r->arena);
    ttp_kernel_take_lines(&out->report, &pass);
    warn_of_log(r, &out->lines);
    return TTP_OK;
}

static ttp_code read_log(struct reading *r)
{
    struct ttp_kernel_input *out = r->out;
    struct ttp_log_paths lines;
    const struct ttp_profile_options options = {
        .waits = &out->waits,
        .core = r->request->core,
        .ncores = r->request->ncores,
        .logs = {.threads = r->request->threads, .progress = r->request->progress}};

    if (!out->paths.device)
        return TTP_OK;
    TTP_TRY(ttp_kernel_read_profile(&out->profile, out->paths.device, &options, r->arena, r->err));
    out->has_log = true;
    r->max_compute_cores = out->profile.log.max_compute_cores;
    out->report.arch = out->profile.log.arch;
    out->report.clock_mhz = out->profile.log.clock_mhz;
    ttp_kernel_list_programs(&out->report, &out->profile, r->arena);
    warn_of_log(r, &out->profile);
    return lines_pass(r, &lines) ? read_lines(r, lines.device, &options) : TTP_OK;
}

/* Of what the log calls compute cores some may be for dispatch. */
static void settle_cores(struct reading *r, const struct ttp_arch *arch)
{
    struct ttp_kernel_report *report = &r->out->report;
    const int64_t all = r->max_compute_cores;
    int64_t used = 0, workers = 0;

    if (all > 0)
        report->compute_cores = all;
    if (all <= 0 && report->cores_available && !r->request->arch)
        return; /* our own text has settled it */
    for (size_t i = 0; i < report->nprograms; i++) {
        const struct ttp_kernel_program *m = &report->program[i];
        const size_t n = m->ncores ? m->ncores : m->traffic ? m->traffic->sources.count : 0;
        used = (int64_t)n > used ? (int64_t)n : used;
    }
    if (all > 0)
        workers = arch && r->grid ? ttp_device_worker_cores(arch, r->grid, all) : all;
    else if (arch)
        workers = arch->worker_cores;
    report->cores_available = workers < used && all > workers ? all : workers;
}

static ttp_code settle_arch(struct reading *r)
{
    struct ttp_kernel_report *report = &r->out->report;

    report->boards = r->request->boards;
    report->arch_asked = r->request->arch;
    if (r->request->arch)
        report->arch = ttp_str_from(r->request->arch);
    const struct ttp_arch *arch = ttp_boards_find_arch(report->boards, report->arch, true);
    if (r->request->arch && !arch)
        return ttp_fail(r->err, TTP_EUSAGE, "unknown architecture or board '%s'", r->request->arch);
    if (report->arch.len)
        r->grid = ttp_device_noc_grid(arch ? ttp_str_from(arch->name) : report->arch);
    settle_cores(r, arch);
    return TTP_OK;
}

/* --- NoC traces --- */

static struct ttp_kernel_program *program_of(struct reading *r, const struct ttp_noc_file *f)
{
    struct ttp_kernel_report *report = &r->out->report;
    const struct ttp_exec_key key = ttp_logs_noc_trace_file_key(f);
    struct ttp_kernel_program *m = ttp_kernel_find_program(report, &key);

    if (m)
        return m;
    m = &report->program[report->nprograms++];
    *m = (struct ttp_kernel_program){.key = key};
    return m;
}

/* All files, tt-metal's and those that others named. */
static ttp_code find_traces(struct ttp_noc_file **out, size_t *count, struct reading *r)
{
    struct ttp_noc_folder folder;
    size_t n = 0;

    TTP_TRY(ttp_logs_find_noc_traces(&folder, r->out->paths.folder, r->arena, r->err));
    for (size_t i = 0; i < folder.nprograms; i++)
        n += folder.program[i].nfiles;
    *out = TTP_NEW(r->arena, struct ttp_noc_file, n + folder.unread.count);
    *count = 0;
    for (size_t i = 0; i < folder.nprograms; i++)
        for (size_t k = 0; k < folder.program[i].nfiles; k++)
            (*out)[(*count)++] = folder.program[i].file[k];
    for (size_t i = 0; i < folder.unread.count; i++)
        (*out)[(*count)++] =
            (struct ttp_noc_file){.path = folder.unread.word[i], .trace_key = TTP_NO_ID};
    return TTP_OK;
}

static ttp_code add_trace(struct reading *r, struct ttp_noc_file *f, struct ttp_arena *scratch)
{
    struct ttp_noc_trace trace = {0};

    TTP_TRY(ttp_logs_read_noc_trace(&trace, f->path, (uint16_t)f->device, scratch, r->err));
    if (f->run_id == 0)
        f->run_id = trace.run_id;
    struct ttp_kernel_program *m = program_of(r, f);
    if (!r->grid) {
        r->grid = ttp_kernel_guess_grid(&trace);
        warn(r, "no device log names the chip: assuming %s from its coordinates; see --arch",
             r->grid->arch);
        r->out->report.arch = ttp_str_from(r->grid->arch);
        TTP_TRY(settle_arch(r));
    }
    if (m->traffic)
        return TTP_OK; /* two files of one program: the first is as good as the second */
    m->traffic = TTP_NEW(r->arena, struct ttp_traffic, 1);
    ttp_kernel_traffic(m->traffic, &trace, r->grid, r->arena);
    if (!m->name.len)
        m->name = ttp_arena_copy(r->arena, f->op.len ? f->op : trace.op);
    if (!m->invocation) {
        m->first_cycle = m->traffic->first_cycle;
        m->duration_cycles = m->traffic->last_cycle - m->traffic->first_cycle;
        ttp_kernel_core_grid(&m->traffic->sources, &m->grid_cols, &m->grid_rows);
    }
    return TTP_OK;
}

static ttp_code read_traces(struct reading *r)
{
    struct ttp_noc_file *file;
    size_t count;
    ttp_code rc = TTP_OK;

    if (!r->request->traces)
        return TTP_OK;
    TTP_TRY(find_traces(&file, &count, r));
    r->out->has_traces = count > 0;
    ttp_kernel_make_room(&r->out->report, count, r->arena);
    for (size_t i = 0; i < count && rc == TTP_OK; i++) {
        struct ttp_arena scratch = {0};
        rc = add_trace(r, &file[i], &scratch);
        ttp_arena_free(&scratch);
    }
    ttp_kernel_sort_programs(&r->out->report);
    return rc;
}

/* --- names --- */

static void read_host(struct reading *r)
{
    const struct ttp_logs_options options = {.threads = r->request->threads};
    struct ttp_err ignored = {0};

    if (!r->request->host || !r->out->paths.messages)
        return;
    r->has_host = ttp_logs_read_messages(&r->host, r->out->paths.messages, &options, r->arena,
                                         &ignored) == TTP_OK;
    if (!r->has_host)
        warn(r, "omitting names and tensors of ops: %s", ignored.text);
}

static const struct ttp_op_info *info_of(const struct reading *r,
                                         const struct ttp_kernel_program *m)
{
    const struct ttp_host_op *op = r->has_host ? ttp_logs_find_op(&r->host, m->key.run_id) : NULL;
    return op ? op->info : NULL;
}

/* Tensors of the ops that a message describes; calls of one program share it. */
struct known_tensors {
    ttp_str *text;
    size_t count;
    struct ttp_map at; /* by address of the message */
};

static ttp_str tensors_once(struct known_tensors *known, const struct ttp_op_info *info,
                            struct ttp_arena *arena)
{
    const uint64_t key = (uint64_t)(uintptr_t)info;
    const uint32_t at = ttp_map_get(&known->at, key);

    if (at != TTP_MAP_NONE)
        return known->text[at];
    ttp_map_put(&known->at, key, (uint32_t)known->count);
    known->text[known->count] = ttp_kernel_tensors(info, arena);
    return known->text[known->count++];
}

/* Names that their authors gave, and tensors. */
static void name_kernels(struct reading *r)
{
    struct ttp_kernel_report *report = &r->out->report;
    struct known_tensors known = {.text = TTP_NEW(r->arena, ttp_str, report->nprograms + 1),
                                  .at = {.arena = r->arena}};
    struct ttp_annotation a = {0};
    struct ttp_err ignored = {0};

    const bool found = report->lines && r->request->sources;
    if (found) {
        ttp_kernel_annotate(&a, report, r->arena);
        if (ttp_kernel_find_sources(&a, r->request->sources, r->arena, &ignored) != TTP_OK)
            a.nthreads = 0;
    }
    for (size_t i = 0; i < report->nprograms; i++) {
        struct ttp_kernel_program *m = &report->program[i];
        const struct ttp_op_info *info = info_of(r, m);

        m->kernel = r->request->printed && m->name.len /* TT-Lang prints its own name */
                        ? m->name
                        : ttp_kernel_own_name(m, found ? &a : NULL, info, r->arena);
        if (info)
            m->tensors = tensors_once(&known, info, r->arena);
    }
}

static void name_programs(struct reading *r)
{
    struct ttp_kernel_report *report = &r->out->report;

    for (size_t i = 0; i < report->nprograms; i++) {
        struct ttp_kernel_program *m = &report->program[i];
        const struct ttp_op_info *info = info_of(r, m);
        for (size_t k = 0; info && !m->name.len && k < info->nfields; k++)
            if (ttp_str_eq(info->field[k].key, TTP_STR("op_code")))
                m->name = info->field[k].text;
    }
    name_kernels(r);
    ttp_str rest = ttp_str_from(r->request->names);
    for (size_t i = 0; i < report->nprograms && rest.len; i++) {
        const size_t comma = ttp_str_find_char(rest, ',');
        report->program[i].name = report->program[i].kernel =
            ttp_str_trim(ttp_str_slice(rest, 0, comma));
        rest = ttp_str_slice(rest, comma == TTP_NPOS ? rest.len : comma + 1, rest.len);
    }
}

/* --- all of it --- */

/* A folder, or a device log alone. */
static ttp_code find_files(struct reading *r)
{
    struct ttp_log_paths *paths = &r->out->paths;
    const char *dir = r->request->dir;

    if (!ttp_file_is_dir(dir) && ttp_file_exists(dir)) {
        const char *slash = strrchr(dir, '/');
        const ttp_str parent =
            slash ? (ttp_str){dir, (size_t)(slash - dir) + (slash == dir)} : TTP_STR(".");
        *paths = (struct ttp_log_paths){.root = ttp_arena_zstr(r->arena, parent), .device = dir};
        paths->folder = paths->root;
        return TTP_OK;
    }
    return ttp_logs_find(paths, dir, r->arena, r->err);
}

static void judge_programs(struct reading *r)
{
    struct ttp_kernel_report *report = &r->out->report;

    for (size_t i = 0; i < report->nprograms; i++) {
        struct ttp_kernel_program *m = &report->program[i];
        const struct ttp_op_info *info = info_of(r, m);
        const uint64_t known = m->op_bytes ? m->op_bytes : info ? ttp_kernel_ideal_bytes(info) : 0;

        ttp_kernel_judge(m, report, r->request->ideal_bytes ? r->request->ideal_bytes : known);
    }
}

/* The text that a run of TT-Lang printed. */
static ttp_code read_printed(struct reading *r)
{
    struct ttp_run_log *log = TTP_NEW(r->arena, struct ttp_run_log, 1);

    TTP_TRY(ttp_kernel_read_run_log(log, r->request->dir, r->arena, r->err));
    r->out->report = log->report;
    r->max_compute_cores = log->max_compute_cores;
    warn_of_log(r, &log->profile);
    return settle_arch(r);
}

static ttp_code read_folder(struct reading *r)
{
    struct ttp_kernel_input *out = r->out;

    TTP_TRY(find_files(r));
    ttp_run_find_passes(&r->passes, &out->paths, r->arena);
    TTP_TRY(read_graphs(r));
    TTP_TRY(read_log(r));
    TTP_TRY(settle_arch(r));
    TTP_TRY(read_traces(r));
    if (!out->has_log && !out->has_traces && !out->report.flow && !out->report.pipes) {
        ttp_fail(r->err, TTP_ENOTFOUND, "no kernel data in '%s'", r->request->dir);
        ttp_err_hint(r->err, "it must contain profile_log_device.csv or noc_trace_*.json; record "
                             "the run with 'tt-perf record --mode kernel'");
        return TTP_ENOTFOUND;
    }
    if (out->report.clock_mhz == 0)
        out->report.clock_mhz = 1000; /* as TT-Lang, for traces without a log */
    read_host(r);
    return TTP_OK;
}

/* All programs, without names, IDs of rows or a choice among them. */
static ttp_code read_programs(struct reading *r)
{
    *r->out = (struct ttp_kernel_input){0};
    return r->request->printed ? read_printed(r) : read_folder(r);
}

/* Only executions on the device that was asked for. */
static ttp_code choose_device(struct reading *r)
{
    struct ttp_kernel_report *report = &r->out->report;
    const size_t before = report->nprograms;

    if (!r->request->one_device)
        return TTP_OK;
    report->nprograms = 0;
    for (size_t i = 0; i < before; i++)
        if (report->program[i].key.device == r->request->device)
            report->program[report->nprograms++] = report->program[i];
    return report->nprograms || before == 0
               ? TTP_OK
               : ttp_fail(r->err, TTP_ENOTFOUND, "nothing ran on device %lld in '%s'",
                          (long long)r->request->device, r->request->dir);
}

/* Programs of a device log alone have the IDs of the rows that `report` makes of them. Of chosen
 * cores, or without traces, they are not all there: then the whole log says which rows they are. */
static ttp_code number_programs(struct reading *r)
{
    const struct ttp_kernel_request all = {
        .dir = r->request->dir, .traces = true, .boards = r->request->boards};
    const bool whole = r->request->traces && r->request->ncores == 0;
    struct reading every = {.request = &all, .arena = r->arena, .err = r->err};

    if (r->request->printed || (!whole && !r->request->program) ||
        !ttp_run_is_device_only(r->request->dir, r->arena))
        return TTP_OK;
    if (whole) {
        ttp_run_number_programs(&r->out->report, &r->out->report, r->arena);
        return TTP_OK;
    }
    every.out = TTP_NEW(r->arena, struct ttp_kernel_input, 1);
    TTP_TRY(read_programs(&every));
    ttp_run_number_programs(&r->out->report, &every.out->report, r->arena);
    return TTP_OK;
}

ttp_code ttp_run_read_kernels(struct ttp_kernel_input *out,
                              const struct ttp_kernel_request *request, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    struct reading r = {.out = out, .request = request, .arena = arena, .err = err};

    TTP_TRY(read_programs(&r));
    name_programs(&r);
    TTP_TRY(number_programs(&r));
    TTP_TRY(choose_device(&r));
    out->invocations = out->report.nprograms;
    if (request->host && !request->printed)
        TTP_TRY(ttp_run_join_kernels(out, request, arena, err));
    TTP_TRY(ttp_kernel_select(&out->report, request->program, err));
    judge_programs(&r);
    return TTP_OK;
}

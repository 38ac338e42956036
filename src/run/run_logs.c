/* SPDX-License-Identifier: Apache-2.0 */
/* From a folder of logs to what a report is made of. */
#include "base/file.h"
#include "run/run_end.h"
#include "run/run_noc.h"
#include "run/run_passes.h"

/* Only what says which sub-device an execution ran on. The report can do without. */
static ttp_code read_sub_devices(struct ttp_run_logs *out, const char *path,
                                 const struct ttp_logs_options *options, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct ttp_device_log *device = TTP_NEW(arena, struct ttp_device_log, 1);
    struct ttp_err why = {0};

    const ttp_code rc =
        ttp_logs_read_device(device, path, TTP_DEVICE_SUB_DEVICES, options, arena, &why);
    if (rc == TTP_OK) {
        out->device = device;
        return TTP_OK;
    }
    if (options->strict || rc == TTP_EIO) {
        if (err)
            *err = why;
        return rc;
    }
    out->no_sub_devices = ttp_arena_zstr(arena, ttp_str_from(why.text));
    return TTP_OK;
}

static ttp_code no_device_data(const struct ttp_log_paths *paths, struct ttp_err *err)
{
    ttp_fail(err, TTP_ENOTFOUND,
             "no cpp_device_perf_report.csv and no profile_log_device.csv in '%s'", paths->folder);
    if (paths->messages && ttp_logs_is_recording(paths->messages)) {
        ttp_err_where(err, paths->messages, 0);
        ttp_err_hint(err, "it contains only host data: add the device log of the same run, or "
                          "export the host data with 'tt-perf export csv'");
        return TTP_ENOTFOUND;
    }
    ttp_err_hint(err, "run it under 'tt-perf record', or with TT_METAL_DEVICE_PROFILER=1 (a build "
                      "with the profiler), and close the device before exit");
    return TTP_ENOTFOUND;
}

static ttp_code read_host(struct ttp_run_logs *out, const struct ttp_log_paths *paths,
                          const struct ttp_logs_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    out->no_messages = paths->zones && !paths->messages;
    /* without zones the times of messages are used, unless rules are strict */
    if (!paths->messages || (!paths->zones && options->strict))
        return TTP_OK;
    struct ttp_host_log *host = TTP_NEW(arena, struct ttp_host_log, 1);
    TTP_TRY(ttp_logs_read_messages(host, paths->messages, options, arena, err));
    if (paths->zones)
        TTP_TRY(ttp_logs_read_zones(host, paths->zones, options, arena, err));
    out->host = host;
    return TTP_OK;
}

static ttp_code nothing_there(struct ttp_run *run, const char *dir, struct ttp_err *err)
{
    run->empty = true;
    ttp_fail(err, TTP_ENOTFOUND, "no profiler logs in '%s'", run->paths.folder);
    ttp_err_where(err, dir, 0);
    ttp_err_hint(err, "run the workload under 'tt-perf record', or with "
                      "TT_METAL_DEVICE_PROFILER=1");
    return TTP_ENOTFOUND;
}

static bool wants_cpp(const struct ttp_log_paths *paths, enum ttp_run_times times)
{
    return paths->cpp &&
           (times == TTP_TIMES_ANY || (times == TTP_TIMES_DEVICE_LOG_FIRST && !paths->device));
}

static ttp_code read_cpp(struct ttp_run_logs *logs, const struct ttp_log_paths *paths,
                         const struct ttp_logs_options *options, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    struct ttp_cpp_report *cpp = TTP_NEW(arena, struct ttp_cpp_report, 1);

    TTP_TRY(ttp_logs_read_cpp_report(cpp, paths->cpp, options, arena, err));
    logs->cpp = cpp;
    return paths->device ? read_sub_devices(logs, paths->device, options, arena, err) : TTP_OK;
}

/* Joined logs must be of one run; the device's alone are joined with nothing. */
static ttp_code check_run(struct ttp_run *run, const struct ttp_run_plan *plan,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    if (plan->reading.strict || plan->join.device_only)
        return TTP_OK;
    TTP_TRY(ttp_logs_check_run(&run->facts, &run->paths, arena, err));
    run->logs.elapsed_us = run->facts.elapsed_us;
    return TTP_OK;
}

static ttp_code read_logs(struct ttp_run *out, const char *dir, const struct ttp_run_plan *plan,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_logs_options *options = &plan->reading;
    struct ttp_log_paths *paths = &out->paths;
    struct ttp_run_logs *logs = &out->logs;

    *out = (struct ttp_run){.logs = {.paths = &out->paths}};
    TTP_TRY(ttp_logs_find(paths, dir, arena, err));
    TTP_TRY(check_run(out, plan, arena, err));
    TTP_TRY(read_host(logs, paths, options, arena, err));
    const bool host = logs->host && logs->host->nops > 0 && !plan->join.device_only;
    if (host && wants_cpp(paths, plan->times))
        return read_cpp(logs, paths, options, arena, err);
    if (!paths->device && plan->host_alone && (paths->zones || paths->messages))
        return TTP_OK;
    if (!paths->device)
        return host ? no_device_data(paths, err) : nothing_there(out, dir, err);
    struct ttp_device_log *device = TTP_NEW(arena, struct ttp_device_log, 1);
    TTP_TRY(ttp_logs_read_device(device, paths->device, host ? TTP_DEVICE_OPS : TTP_DEVICE_ALL,
                                 options, arena, err));
    logs->device = device;
    return TTP_OK;
}

ttp_code ttp_run_read_logs(struct ttp_run *out, const char *dir, const struct ttp_run_plan *plan,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_code rc = read_logs(out, dir, plan, arena, err);
    struct ttp_run_ranks ranks;

    if (rc != TTP_ENOTFOUND || plan->reading.strict || !ttp_file_is_dir(dir) ||
        ttp_run_find_ranks(&ranks, (struct ttp_paths){&dir, 1}, arena, NULL) != TTP_OK ||
        ranks.count == 0)
        return rc;
    (void)ttp_fail(err, TTP_ENOTFOUND, "a folder of %zu rank%s, each with its own logs",
                   ranks.count, ranks.count == 1 ? "" : "s");
    ttp_err_where(err, dir, 0);
    ttp_err_hint(err, "give one of them, such as '%s'", ranks.rank[0].dir);
    return TTP_ENOTFOUND;
}

/* Counters of passes; a pass that cannot be read is reported, and the others are used. */
static void add_counters(struct ttp_run *run, const struct ttp_run_plan *given,
                         struct ttp_arena *arena)
{
    struct ttp_run_plan plan = *given;
    struct ttp_run_passes passes;

    plan.times = TTP_TIMES_DEVICE_LOG;
    ttp_run_find_passes(&passes, &run->paths, arena);
    for (size_t i = 0; i < passes.count; i++) {
        struct ttp_run *pass = TTP_NEW(arena, struct ttp_run, 1);
        struct ttp_err why = {0};

        if (passes.pass[i].lines)
            continue;
        if (read_logs(pass, passes.pass[i].dir, &plan, arena, &why) == TTP_OK &&
            ttp_ops_join(&pass->report, &pass->logs, &plan.join, arena, &why) == TTP_OK)
            ttp_ops_take_counters(&run->report, &pass->report, arena);
        else
            ttp_words_add(&run->problems,
                          ttp_arena_zstr(arena, ttp_sink_format(arena, "omitting counters: %s: %s",
                                                                passes.pass[i].dir, why.text)),
                          arena);
    }
}

ttp_code ttp_run_join(struct ttp_run *run, const struct ttp_run_plan *plan, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    if (!run->logs.device && !run->logs.cpp) {
        run->report = (struct ttp_ops_report){.logs = run->logs};
        return TTP_OK;
    }
    TTP_TRY(ttp_ops_join(&run->report, &run->logs, &plan->join, arena, err));
    if (plan->noc && !plan->join.device_only)
        ttp_run_add_noc(run, plan, arena);
    if (!plan->reading.strict && !plan->join.device_only)
        add_counters(run, plan, arena);
    run->report.broken = ttp_run_end_of_facts(&run->facts, arena).how == TTP_RUN_BROKEN;
    const struct ttp_words problems = ttp_ops_tell_problems(&run->report, arena);
    for (size_t i = 0; i < problems.count; i++)
        ttp_words_add(&run->problems, problems.word[i], arena);
    return TTP_OK;
}

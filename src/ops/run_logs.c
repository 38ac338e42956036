/* SPDX-License-Identifier: Apache-2.0 */
/* From a folder of logs to what a report is made of. */
#include "ops/ops.h"

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
    if (options->compat || rc == TTP_EIO) {
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
    ttp_err_hint(err, "run with TT_METAL_DEVICE_PROFILER=1 (a build with the profiler), and close "
                      "the device before exit");
    return TTP_ENOTFOUND;
}

static ttp_code read_host(struct ttp_run_logs *out, const struct ttp_log_paths *paths,
                          const struct ttp_logs_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    out->no_messages = paths->zones && !paths->messages;
    /* without zones the times of messages stand in; the original then knows nothing of the host */
    if (!paths->messages || (!paths->zones && options->compat))
        return TTP_OK;
    struct ttp_host_log *host = TTP_NEW(arena, struct ttp_host_log, 1);
    TTP_TRY(ttp_logs_read_messages(host, paths->messages, options, arena, err));
    if (paths->zones)
        TTP_TRY(ttp_logs_read_zones(host, paths->zones, options, arena, err));
    out->host = host;
    return TTP_OK;
}

ttp_code ttp_run_read_logs(struct ttp_run_logs *out, const struct ttp_log_paths *paths,
                           const struct ttp_run_plan *plan, const struct ttp_logs_options *options,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    *out = (struct ttp_run_logs){.paths = paths};
    TTP_TRY(read_host(out, paths, options, arena, err));
    const bool host = out->host && out->host->nops > 0 && !plan->device_only;
    if (host && paths->cpp && !plan->legacy) {
        struct ttp_cpp_report *cpp = TTP_NEW(arena, struct ttp_cpp_report, 1);

        TTP_TRY(ttp_logs_read_cpp_report(cpp, paths->cpp, options, arena, err));
        out->cpp = cpp;
        return paths->device ? read_sub_devices(out, paths->device, options, arena, err) : TTP_OK;
    }
    if (!paths->device)
        return host ? no_device_data(paths, err) : TTP_OK;
    struct ttp_device_log *device = TTP_NEW(arena, struct ttp_device_log, 1);
    TTP_TRY(ttp_logs_read_device(device, paths->device, host ? TTP_DEVICE_OPS : TTP_DEVICE_ALL,
                                 options, arena, err));
    out->device = device;
    return TTP_OK;
}

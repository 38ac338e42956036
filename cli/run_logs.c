/* SPDX-License-Identifier: Apache-2.0 */
#include "run_logs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"

const char *ttp_path_join(const char *dir, const char *name, struct ttp_arena *arena)
{
    struct ttp_sink path;

    ttp_sink_to_arena(&path, arena);
    ttp_sink_put(&path, ttp_str_from(dir));
    if (path.len && path.buf[path.len - 1] != '/')
        ttp_sink_char(&path, '/');
    ttp_sink_put(&path, ttp_str_from(name));
    return ttp_arena_zstr(arena, ttp_sink_text(&path));
}

const char *ttp_logs_default_dir(struct ttp_arena *arena)
{
    const char *dir = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");

    if (dir && dir[0])
        return dir;
    return home && home[0] ? ttp_path_join(home, "generated/profiler", arena) : ".";
}

static const char *file_in(const char *folder, const char *name, struct ttp_arena *arena)
{
    static const char *const packed[] = {"", ".gz", ".zst"};

    for (size_t i = 0; i < TTP_COUNT(packed); i++) {
        struct ttp_sink full;

        ttp_sink_to_arena(&full, arena);
        ttp_sink_printf(&full, "%s/%s%s", folder, name, packed[i]);
        const char *path = ttp_arena_zstr(arena, ttp_sink_text(&full));
        if (ttp_file_exists(path))
            return path;
    }
    return NULL;
}

ttp_code ttp_logs_find(struct ttp_log_paths *out, const char *dir, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    *out = (struct ttp_log_paths){.root = dir};
    if (!ttp_file_is_dir(dir)) {
        ttp_fail(err, TTP_ENOTFOUND, "'%s' is not a folder", dir);
        ttp_err_hint(err, "give the folder that holds '.logs', usually generated/profiler of "
                          "tt-metal");
        return TTP_ENOTFOUND;
    }
    out->folder = ttp_path_join(dir, ".logs", arena);
    if (!ttp_file_is_dir(out->folder)) {
        out->folder = dir;
        if (ttp_str_ends(ttp_str_from(dir), TTP_STR(".logs")))
            out->root = ttp_path_join(dir, "..", arena);
    }
    out->device = file_in(out->folder, "profile_log_device.csv", arena);
    out->cpp = file_in(out->folder, "cpp_device_perf_report.csv", arena);
    out->zones = file_in(out->folder, "tracy_ops_times.csv", arena);
    out->messages = file_in(out->folder, "tracy_ops_data.csv", arena);
    out->tracy = file_in(out->folder, "tracy_profile_log_host.tracy", arena);
    return TTP_OK;
}

static bool is_report(const char *path, const char *name, void *arg)
{
    const ttp_str file = ttp_str_from(name);

    (void)path, (void)arg;
    return ttp_str_starts(file, TTP_STR("ops_perf_results")) &&
           ttp_str_ends(file, TTP_STR(".csv")) && !ttp_str_has(file, TTP_STR("_minus_"));
}

ttp_code ttp_logs_find_report(const char **out, const struct ttp_log_paths *paths,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_code rc = ttp_file_find_newest(out, paths->root, is_report, NULL, arena, err);

    if (rc != TTP_ENOTFOUND)
        return rc;
    *out = NULL;
    if (err)
        *err = (struct ttp_err){0};
    return TTP_OK;
}

/* Only what says which sub-device an execution ran on. The report can do without. */
static ttp_code read_sub_devices(struct ttp_read_logs *out, const struct ttp_log_paths *paths,
                                 const struct ttp_logs_options *options, const struct ttp_ctx *ctx,
                                 struct ttp_err *err)
{
    struct ttp_err why = {0};

    const ttp_code rc = ttp_logs_read_device(&out->device, paths->device, TTP_DEVICE_SUB_DEVICES,
                                             options, ctx->arena, &why);
    if (rc == TTP_OK) {
        out->logs.device = &out->device;
        return TTP_OK;
    }
    if (options->compat || rc == TTP_EIO) {
        if (err)
            *err = why;
        return rc;
    }
    ttp_ctx_warn(ctx, "no sub-device ids: %s: %s", paths->device, why.text);
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

static ttp_code read_host(struct ttp_read_logs *out, const struct ttp_log_paths *paths,
                          const struct ttp_logs_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    if (!paths->zones || !paths->messages)
        return TTP_OK;
    TTP_TRY(ttp_logs_read_messages(&out->host, paths->messages, options, arena, err));
    TTP_TRY(ttp_logs_read_zones(&out->host, paths->zones, options, arena, err));
    out->logs.host = &out->host;
    return TTP_OK;
}

ttp_code ttp_logs_read(struct ttp_read_logs *out, const struct ttp_log_paths *paths,
                       const struct ttp_read_plan *plan, const struct ttp_ctx *ctx,
                       struct ttp_err *err)
{
    const struct ttp_logs_options options = {plan->threads, plan->compat, plan->progress};

    *out = (struct ttp_read_logs){0};
    TTP_TRY(read_host(out, paths, &options, ctx->arena, err));
    const bool host = out->host.nops > 0 && !plan->device_only;
    if (host && paths->cpp && !plan->legacy) {
        TTP_TRY(ttp_logs_read_cpp_report(&out->cpp, paths->cpp, &options, ctx->arena, err));
        out->logs.cpp = &out->cpp;
        return paths->device ? read_sub_devices(out, paths, &options, ctx, err) : TTP_OK;
    }
    if (!paths->device)
        return host ? no_device_data(paths, err) : TTP_OK;
    TTP_TRY(ttp_logs_read_device(&out->device, paths->device, TTP_DEVICE_ALL, &options, ctx->arena,
                                 err));
    out->logs.device = &out->device;
    return TTP_OK;
}

void ttp_logs_tell_problems(const struct ttp_ctx *ctx, const struct ttp_ops_report *report)
{
    for (size_t k = 0; k < TTP_PROBLEMS; k++) {
        const struct ttp_problem *p = &report->problem[k];
        if (p->count)
            ttp_ctx_warn(ctx, "%" PRIu64 " %s (first: %s); %s", p->count,
                         ttp_problem_name((enum ttp_problem_kind)k), p->first,
                         ttp_problem_hint((enum ttp_problem_kind)k));
    }
}

static ttp_code write_csv(const char **csv, const struct ttp_ops_report *report,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena scratch = {0}, buffer = {0};
    struct ttp_sink out;
    int fd;

    TTP_TRY(ttp_file_in_memory(&fd, csv, arena, err));
    ttp_sink_to_fd(&out, fd, &buffer);
    ttp_code rc = ttp_ops_write_csv(&out, report, 0, &scratch, err);
    if (rc == TTP_OK)
        rc = ttp_sink_finish(&out, err);
    ttp_arena_free(&scratch);
    ttp_arena_free(&buffer);
    return rc;
}

ttp_code ttp_logs_make_csv(const char **csv, const char *dir, unsigned threads,
                           const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_read_plan plan = {.progress = !ctx->quiet, .threads = threads};
    const struct ttp_join_options how = {0};
    struct ttp_log_paths paths;
    struct ttp_read_logs read;
    struct ttp_ops_report report;

    TTP_TRY(ttp_logs_find(&paths, dir, ctx->arena, err));
    TTP_TRY(ttp_logs_read(&read, &paths, &plan, ctx, err));
    if (!read.logs.device && !read.logs.cpp)
        return ttp_fail(err, TTP_ENOTFOUND, "no profiler logs in '%s'", paths.folder);
    TTP_TRY(ttp_ops_join(&report, &read.logs, &how, ctx->arena, err));
    ttp_logs_tell_problems(ctx, &report);
    return write_csv(csv, &report, ctx->arena, err);
}

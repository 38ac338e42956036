/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "verbs/record_rank.h"

#define DATE "%Y_%m_%d_%H_%M_%S"

/* --- who may write --- */

static ttp_code is_taken(const char *what, int64_t holder, const char *option, struct ttp_err *err)
{
    if (holder)
        ttp_fail(err, TTP_EIO, "'%.150s' is in use: process %" PRId64 " records into it", what,
                 holder);
    else
        ttp_fail(err, TTP_EIO, "'%.150s' is in use: another process is recording into it", what);
    ttp_err_hint(err, "wait until it ends, or choose another folder with %s", option);
    return TTP_EIO;
}

static ttp_code hold(struct ttp_holds *holds, const char *dir, const struct ttp_ctx *ctx,
                     struct ttp_err *err)
{
    int64_t holder;
    const ttp_code rc = ttp_record_holds_add(holds, (struct ttp_held_name){dir, TTP_FOLDER_LOCK},
                                             &holder, ctx->arena, err);

    return rc == TTP_ENOTFOUND ? is_taken(dir, holder, "-o", err) : rc;
}

static ttp_code make_absolute(const char **out, const char *dir, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    char full[PATH_MAX];

    if (!realpath(dir, full))
        return ttp_fail_errno(err, "cannot find '%s'", dir);
    *out = ttp_arena_zstr(arena, ttp_str_from(full));
    return TTP_OK;
}

/* Below the one that is taken, where what looks for the newest run looks too. */
static ttp_code make_own(const char **root, struct ttp_holds *holds, int64_t holder,
                         const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const time_t now = time(NULL);
    char date[64], name[96];
    struct tm tm;
    const char *dir = NULL;

    if (!localtime_r(&now, &tm) || strftime(date, sizeof(date), DATE, &tm) == 0)
        date[0] = '\0';
    snprintf(name, sizeof(name), "run_%s_%d", date, (int)getpid());
    TTP_TRY(ttp_file_make_new_dir(&dir, ttp_file_join(*root, name, ctx->arena), ctx->arena, err));
    if (holder)
        ttp_ctx_say(ctx, "process %" PRId64 " records into %s: this run goes to %s", holder, *root,
                    dir);
    else
        ttp_ctx_say(ctx, "another process is recording into %s: this run goes to %s", *root, dir);
    *root = dir;
    return hold(holds, dir, ctx, err);
}

/* As tt-metal chooses it; absolute, because the command may go elsewhere. */
ttp_code ttp_record_take_folder(const char **root, struct ttp_holds *holds,
                                const struct ttp_record_job *job, bool fixed,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *dir = job->dir, *own = getenv("TT_METAL_PROFILER_DIR"),
               *home = getenv("TT_METAL_HOME");
    struct ttp_job_rank rank;
    int64_t holder;

    if (!dir && own && own[0])
        dir = own;
    if (!dir)
        dir = home && home[0] ? ttp_file_join(home, "generated/profiler", ctx->arena)
                              : "generated/profiler";
    ttp_job_rank_find(&rank);
    if (rank.many) /* ranks that start at the same time must not use the same folder */
        dir = ttp_record_rank_folder(&rank, dir, ctx->arena);
    TTP_TRY(ttp_file_make_dirs(dir, err));
    TTP_TRY(make_absolute(root, dir, ctx->arena, err));
    if (job->dir || fixed)
        return hold(holds, *root, ctx, err);
    const ttp_code rc = ttp_record_holds_add(holds, (struct ttp_held_name){*root, TTP_FOLDER_LOCK},
                                             &holder, ctx->arena, err);
    return rc == TTP_ENOTFOUND ? make_own(root, holds, holder, ctx, err) : rc;
}

ttp_code ttp_record_hold_folder(struct ttp_holds *holds, const char *dir, const struct ttp_ctx *ctx,
                                struct ttp_err *err)
{
    const char *above = ttp_file_join(dir, "..", ctx->arena);

    if (!ttp_file_is_same(dir, ttp_file_join(above, ".logs", ctx->arena)))
        above = dir;
    TTP_TRY(make_absolute(&above, above, ctx->arena, err));
    return hold(holds, above, ctx, err);
}

/* "DIR/NAME.csv" and 2: "DIR/NAME-2.csv". */
static const char *number_file(const char *path, unsigned number, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);

    return ttp_arena_zstr(
        arena, ttp_sink_format(arena, "%.*s-%u%s", (int)stem, path, number, path + stem));
}

static ttp_code hold_report(struct ttp_holds *holds, const char *path, int64_t *holder,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *dir = !slash ? "."
                      : slash == path
                          ? "/"
                          : ttp_arena_zstr(ctx->arena, (ttp_str){path, (size_t)(slash - path)});
    struct ttp_sink name;

    ttp_sink_to_arena(&name, ctx->arena);
    ttp_sink_printf(&name, ".%s%s", slash ? slash + 1 : path, TTP_FOLDER_LOCK);
    TTP_TRY(ttp_file_make_dirs(dir, err));
    return ttp_record_holds_add(
        holds, (struct ttp_held_name){dir, ttp_arena_zstr(ctx->arena, ttp_sink_text(&name))},
        holder, ctx->arena, err);
}

/* A report of an earlier run must not pass for one of this run, which may leave none. */
static ttp_code put_report_aside(const char *path, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    enum { TRIES = 1000 };
    const char *aside = path;
    char date[64];
    struct stat st;
    struct tm tm;

    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return TTP_OK;
    if (!localtime_r(&st.st_mtime, &tm) || strftime(date, sizeof(date), DATE, &tm) == 0)
        return ttp_fail(err, TTP_EIO, "cannot read the clock of '%s'", path);
    for (unsigned i = 1; i <= TRIES && access(aside, F_OK) == 0; i++) {
        aside = ttp_arena_zstr(ctx->arena, ttp_sink_format(ctx->arena, "%s.%s", path, date));
        aside = i == 1 ? aside : number_file(aside, i, ctx->arena);
    }
    if (rename(path, aside) < 0)
        return ttp_fail_errno(err, "cannot move '%s' aside", path);
    ttp_ctx_note(ctx, "moved the report of an earlier run to %s", aside);
    return TTP_OK;
}

ttp_code ttp_record_take_report(struct ttp_record_job *job, struct ttp_holds *holds,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    enum { TRIES = 1000 };
    const char *wanted = job->report_file;
    int64_t holder = 0;

    for (unsigned i = 1; wanted && i <= TRIES; i++) {
        job->report_file = i == 1 ? wanted : number_file(wanted, i, ctx->arena);
        const ttp_code rc = hold_report(holds, job->report_file, &holder, ctx, err);
        if (rc == TTP_OK)
            return put_report_aside(job->report_file, ctx, err);
        if (rc != TTP_ENOTFOUND)
            return rc;
        if (job->report_named)
            break;
    }
    return wanted ? is_taken(wanted, holder, "-o", err) : TTP_OK;
}

/* --- what was there before --- */

/* ".logs-DATE", of when the folder was last changed. */
static ttp_code name_aside(const char **out, const char *logs, const char *root,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    char date[64];
    struct stat st;
    struct tm tm;

    if (stat(logs, &st) < 0 || !localtime_r(&st.st_mtime, &tm) ||
        strftime(date, sizeof(date), ".logs-" DATE, &tm) == 0)
        return ttp_fail(err, TTP_EIO, "cannot read the clock of '%s'", logs);
    *out = ttp_file_join(root, date, arena);
    return TTP_OK;
}

ttp_code ttp_record_fresh_logs(const char **logs, const char *root, const struct ttp_ctx *ctx,
                               struct ttp_err *err)
{
    const char *aside = root;

    *logs = ttp_file_join(root, ".logs", ctx->arena);
    /* removed only if it is empty */
    if (rmdir(*logs) < 0 && errno != ENOENT && access(*logs, F_OK) == 0) {
        TTP_TRY(name_aside(&aside, *logs, root, ctx->arena, err));
        const char *first = aside;
        for (int i = 2; access(aside, F_OK) == 0; i++) {
            aside = ttp_arena_zstr(ctx->arena, ttp_sink_format(ctx->arena, "%s_%d", first, i));
        }
        if (rename(*logs, aside) < 0)
            return ttp_fail_errno(err, "cannot move '%s' aside", *logs);
        ttp_ctx_note(ctx, "moved the logs of an earlier run to %s", aside);
    }
    return ttp_file_make_dirs(*logs, err);
}

static bool is_older(const char *path, struct timespec since)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return false;
    return st.st_mtim.tv_sec != since.tv_sec ? st.st_mtim.tv_sec < since.tv_sec
                                             : st.st_mtim.tv_nsec < since.tv_nsec;
}

ttp_code ttp_record_put_old_aside(const char *root, struct timespec since,
                                  const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *logs = ttp_file_join(root, ".logs", ctx->arena), *aside = NULL;
    struct ttp_words names = {0};
    bool made = false;

    if (!ttp_file_is_dir(logs))
        return TTP_OK;
    TTP_TRY(name_aside(&aside, logs, root, ctx->arena, err));
    TTP_TRY(ttp_file_list(&names, logs, ctx->arena, err));
    for (size_t i = 0; i < names.count; i++) {
        const char *from = ttp_file_join(logs, names.word[i], ctx->arena);

        if (!is_older(from, since))
            continue;
        if (!made)
            TTP_TRY(ttp_file_make_new_dir(&aside, aside, ctx->arena, err));
        made = true;
        if (rename(from, ttp_file_join(aside, names.word[i], ctx->arena)) < 0)
            return ttp_fail_errno(err, "cannot move '%s' aside", from);
    }
    if (made)
        ttp_ctx_say(ctx, "moved logs of an earlier run from %s to %s", logs, aside);
    return TTP_OK;
}

void ttp_record_share_device_logs(const char *logs, const char *other, struct ttp_arena *arena)
{
    static const char *const names[] = {"profile_log_device.csv", "cpp_device_perf_report.csv",
                                        "zone_src_locations.log", "sync_device_info.csv"};

    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        const char *from = ttp_file_join(logs, names[i], arena),
                   *to = ttp_file_join(other, names[i], arena);

        if (ttp_file_exists(from) && link(from, to) < 0 && errno != EEXIST) {
            const int made = symlink(from, to);
            (void)made; /* then ops says what is missing */
        }
    }
}

/* --- which run --- */

void ttp_record_begin_facts(struct ttp_run_facts *facts, struct timespec *since, const char *root,
                            struct ttp_arena *arena)
{
    char host[256] = "", boot[64];
    struct timespec now = {0};
    struct stat st;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    *since = stat(ttp_file_join(root, TTP_FOLDER_LOCK, arena), &st) == 0 ? st.st_mtim : now;
    *facts = (struct ttp_run_facts){
        .record_pid = (uint64_t)getpid(),
        .started_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000,
    };
    if (gethostname(host, sizeof(host) - 1) == 0)
        facts->host = ttp_arena_copy(arena, ttp_str_from(host));
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f && fgets(boot, sizeof(boot), f))
        facts->boot_id = ttp_arena_copy(arena, ttp_str_trim(ttp_str_from(boot)));
    if (f)
        (void)fclose(f);
}

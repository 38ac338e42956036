/* SPDX-License-Identifier: Apache-2.0 */
#include "record_job.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "record_process.h"

/* One folder with the logs of one client. */
struct place {
    const char *root, *logs;
};

/* --- before --- */

/* As tt-metal chooses it; absolute, because the command may go elsewhere. */
static ttp_code choose_dir(const char **out, const struct ttp_record_job *job,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const char *dir = job->dir, *own = getenv("TT_METAL_PROFILER_DIR"),
               *home = getenv("TT_METAL_HOME");
    char full[PATH_MAX];

    if (!dir && own && own[0])
        dir = own;
    if (!dir)
        dir = home && home[0] ? ttp_file_join(home, "generated/profiler", arena)
                              : "generated/profiler";
    TTP_TRY(ttp_file_make_dirs(dir, err));
    if (!realpath(dir, full))
        return ttp_fail_errno(err, "cannot find '%s'", dir);
    *out = ttp_arena_zstr(arena, ttp_str_from(full));
    return TTP_OK;
}

/* One that was given, here or in the environment; else the clients look for their own, which is
 * what lets a run of several be received whole. Where none of those ports is free, one client at
 * least gets another. */
static ttp_code choose_port(struct ttp_port *out, const struct ttp_record_job *job,
                            struct ttp_err *err)
{
    const char *own = getenv("TRACY_PORT");
    uint64_t given = job->port > 0 ? (uint64_t)job->port : 0;

    if (job->port == TTP_PORT_ANY && own &&
        (!ttp_str_to_u64(ttp_str_from(own), &given) || given > UINT16_MAX))
        given = 0; /* the client would not understand it either */
    if (given)
        return ttp_port_hold(out, (uint16_t)given, err);
    if (job->port == 0)
        return ttp_port_hold_first(out, err);
    return ttp_port_hold_first(out, NULL) == TTP_OK ? TTP_OK : ttp_port_hold(out, 0, err);
}

static void tell_environment(const struct ttp_ctx *ctx, const struct ttp_record_environment *env)
{
    for (size_t i = 0; i < env->count; i++) {
        const struct ttp_record_variable *v = &env->item[i];

        ttp_ctx_note(ctx, "%s%s%s  (%s)", v->name, v->value ? "=" : " removed",
                     v->value ? v->value : "", v->why);
    }
}

static const char *find_stock(const struct ttp_record_job *job, const struct ttp_ctx *ctx)
{
    const char *tool = NULL;

    if (!job->tracy_file)
        return NULL;
    tool = ttp_record_find_stock(job->tools, ctx->arena);
    if (tool)
        ttp_ctx_note(ctx, "%s writes the .tracy file", tool);
    else if (job->tools)
        ttp_ctx_warn(ctx, "no .tracy file: no tracy-capture or capture-release in '%s'",
                     job->tools);
    else
        ttp_ctx_warn(ctx,
                     "no .tracy file: neither tracy-capture nor capture-release is on PATH, or "
                     "below TT_METAL_HOME");
    return tool;
}

/* --- after --- */

static uint64_t count_ops(const struct ttp_record_result *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->nclients; i++)
        n += r->client[i].stats.ops;
    return n;
}

static void tell_client(const struct ttp_ctx *ctx, const struct ttp_record_client *c)
{
    const struct ttp_receiver_stats *s = &c->stats;

    ttp_ctx_note(ctx,
                 "%s, process %" PRIu64 ", Tracy protocol %u: %" PRIu64 " items, %" PRIu64
                 " ops, %" PRIu64 " messages, %" PRIu64 " of %" PRIu64 " zones kept; %s; %s",
                 s->program[0] ? s->program : "a client", c->pid, s->protocol, s->items, s->ops,
                 s->messages, s->zones_kept, s->zones, ttp_capture_end_text(s->end), c->capture);
    if (s->end == TTP_END_CUT)
        ttp_ctx_warn(ctx,
                     "the connection to process %" PRIu64
                     " broke: it was killed or crashed; what had arrived is kept",
                     c->pid);
    if (c->no_tracy_file)
        ttp_ctx_warn(ctx, "no .tracy file: %s", c->no_tracy_file);
    if (!s->known)
        ttp_ctx_warn(ctx,
                     "process %" PRIu64 " speaks Tracy protocol %u, which this version does not "
                     "know: the raw stream is kept, only its messages are used",
                     c->pid, s->protocol);
    else if (!s->consistent)
        ttp_ctx_warn(ctx,
                     "the stream of process %" PRIu64 " does not fit Tracy protocol %u: the raw "
                     "stream is kept, and nothing more was asked",
                     c->pid, s->protocol);
}

static void tell_run(const struct ttp_ctx *ctx, const struct ttp_record_result *r, uint16_t port)
{
    for (size_t i = 0; i < r->nclients; i++)
        tell_client(ctx, &r->client[i]);
    if (r->deaf && r->nclients)
        ttp_ctx_warn(ctx,
                     "%u more process%s (such as %" PRIu64 ") had a Tracy client that found no "
                     "free port and dropped its data; %s",
                     r->deaf, r->deaf > 1 ? "es" : "", r->deaf_pid,
                     port ? "without -p and TRACY_PORT each takes its own"
                          : "there are 20 for all, from 8086 to 8105");
    if (r->interrupted)
        ttp_ctx_say(ctx, "%s; what was captured is processed",
                    r->killed ? "killed" : "interrupted");
}

static bool is_used(const char *root, const struct place *used, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(used[i].root, root) == 0)
            return true;
    return false;
}

/* After its program and process, with a further number where containers have the same of both. What
 * the client calls itself is made a name of one folder. */
static const char *name_folder(const char *root, const struct ttp_record_client *c,
                               const struct place *used, size_t nused, struct ttp_arena *arena)
{
    char *program =
        ttp_arena_zstr(arena, ttp_str_from(c->stats.program[0] ? c->stats.program : "client"));
    const char *path = NULL;

    for (char *p = program; *p; p++)
        if (*p == '/' || (p == program && *p == '.'))
            *p = '_';
    for (size_t n = 1; !path || is_used(path, used, nused); n++) {
        struct ttp_sink own;

        ttp_sink_to_arena(&own, arena);
        ttp_sink_printf(&own, "%s/%s-%" PRIu64, root, program, c->pid);
        if (n > 1)
            ttp_sink_printf(&own, "-%zu", n);
        path = ttp_arena_zstr(arena, ttp_sink_text(&own));
    }
    return path;
}

/* Its own artifacts folder; the run's, if it is alone there; else one of its own below it. */
static ttp_code choose_place(struct place *out, const struct ttp_record_client *c, bool main_one,
                             const struct place *run, const struct place *used, size_t nused,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    const char *root = run->root;
    char full[PATH_MAX];

    if (c->artifacts && ttp_file_is_dir(c->artifacts) && realpath(c->artifacts, full))
        root = ttp_arena_zstr(arena, ttp_str_from(full));
    if ((strcmp(root, run->root) == 0 && !main_one) || is_used(root, used, nused)) {
        const char *shared = ttp_file_join(root, ".logs", arena);

        root = name_folder(root, c, used, nused, arena);
        *out = (struct place){root, ttp_file_join(root, ".logs", arena)};
        TTP_TRY(ttp_file_make_dirs(out->logs, err));
        ttp_record_share_device_logs(shared, out->logs, arena);
        return TTP_OK;
    }
    *out = (struct place){root, ttp_file_join(root, ".logs", arena)};
    return ttp_file_make_dirs(out->logs, err);
}

/* Under the name that tt-metal's scripts know, unless that is on another disk. */
static void place_tracy_file(const char *file, const char *logs, const struct ttp_ctx *ctx)
{
    const char *to = ttp_file_join(logs, "tracy_profile_log_host.tracy", ctx->arena);

    if (rename(file, to) < 0)
        ttp_ctx_warn(ctx, "cannot move '%s' to '%s': it stays", file, to);
}

/* Alone, or the only one with ops. */
static bool is_main(const struct ttp_record_result *r, size_t i)
{
    size_t with_ops = 0;

    for (size_t k = 0; k < r->nclients; k++)
        with_ops += r->client[k].stats.ops > 0;
    return r->nclients == 1 || (with_ops == 1 && r->client[i].stats.ops > 0);
}

static ttp_code process_clients(const struct ttp_record_job *job, const struct ttp_record_result *r,
                                const struct place *run, const struct ttp_ctx *ctx,
                                struct ttp_err *err)
{
    struct place *place = TTP_NEW(ctx->arena, struct place, r->nclients + 1);
    ttp_code first = TTP_OK;

    for (size_t i = 0; i < r->nclients && first == TTP_OK; i++) {
        const struct ttp_record_client *c = &r->client[i];
        struct ttp_record_exported what;

        first = choose_place(&place[i], c, is_main(r, i), run, place, i, ctx->arena, err);
        if (first == TTP_OK && c->tracy_file)
            place_tracy_file(c->tracy_file, place[i].logs, ctx);
        if (first == TTP_OK && !job->device_only)
            first = ttp_record_write_logs(&what, place[i].logs, c->capture, job, ctx, err);
        if (first == TTP_EIO) /* such as for want of room */
            ttp_err_hint(err, "the recording is kept; 'tt-perf record --from %s' goes on",
                         c->capture);
    }
    for (size_t i = 0; i < r->nclients && first == TTP_OK && job->process; i++) {
        if (!r->client[i].stats.ops && !job->device_only && r->nclients > 1)
            continue;
        if (r->nclients > 1)
            ttp_ctx_say(ctx, "process %" PRIu64 ": %s", r->client[i].pid, place[i].root);
        const ttp_code rc = ttp_record_make_report(place[i].root, job, ctx, err);
        first = rc == TTP_ENOTFOUND ? TTP_OK : rc;
    }
    return first;
}

/* What was written is used, but it must not pass for the whole. */
static ttp_code check_disk(const struct ttp_record_result *r, struct ttp_err *err)
{
    for (size_t i = 0; i < r->nclients; i++) {
        if (!r->client[i].disk_error)
            continue;
        ttp_fail(err, TTP_EIO, "%s", r->client[i].disk_error);
        ttp_err_where(err, r->client[i].capture, 0);
        ttp_err_hint(err, "make room, and record again");
        return TTP_EIO;
    }
    return TTP_OK;
}

static ttp_code process_run(const struct ttp_record_job *job, const struct ttp_record_result *r,
                            const struct place *run, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_err why = {0};

    tell_run(ctx, r, job->settings.port);
    if (!count_ops(r) && job->settings.ops)
        ttp_ctx_warn(ctx, "no ops were captured: %s",
                     ttp_record_explain(r, &job->settings, ctx->arena));
    if (r->nclients) {
        const ttp_code rc = process_clients(job, r, run, ctx, err), disk = check_disk(r, &why);

        if (rc != TTP_OK && disk != TTP_OK) /* a full disk fails more than once */
            ttp_ctx_warn(ctx, "%s: %s", why.path, why.text);
        else if (disk != TTP_OK && err)
            *err = why;
        return rc != TTP_OK ? rc : disk;
    }
    if (!job->process || !job->device_only)
        return TTP_OK;
    const ttp_code rc = ttp_record_make_report(run->root, job, ctx, err);
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

static char *const *make_argv(const struct ttp_words *words, struct ttp_arena *arena)
{
    char **argv = TTP_NEW(arena, char *, words->count + 1);

    for (size_t i = 0; i < words->count; i++)
        argv[i] = ttp_arena_zstr(arena, ttp_str_from(words->word[i]));
    return argv;
}

static ttp_code run_in(int *status, struct ttp_record_job *job, const struct place *run,
                       const struct ttp_port *port, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_environment env;
    struct ttp_record_result result;

    TTP_TRY(ttp_record_make_environment(&env, &job->settings, ctx->arena, err));
    tell_environment(ctx, &env);
    const struct ttp_record_options options = {
        .command = make_argv(&job->command, ctx->arena),
        .environment = &env,
        .logs = run->logs,
        .port = *port,
        .receiver = {.zones = job->zones, .children = job->children, .raw = job->raw},
        .stock_capture = find_stock(job, ctx),
        .live = !ctx->quiet,
    };
    TTP_TRY(ttp_record_run(&result, &options, ctx->arena, err));
    *status = result.status;
    if (result.unstarted)
        return ttp_fail(err, TTP_ENOTFOUND, "%s", result.unstarted);
    if (job->unless_failed && result.status) {
        tell_run(ctx, &result, job->settings.port);
        ttp_ctx_warn(ctx, "the command ended with %d: nothing is processed", result.status);
        return TTP_OK;
    }
    return process_run(job, &result, run, ctx, err);
}

/* In our place, with nobody to receive. */
static ttp_code become(int *status, const struct ttp_record_job *job,
                       const struct ttp_record_environment *env, const struct ttp_ctx *ctx,
                       struct ttp_err *err)
{
    char *const *argv = make_argv(&job->command, ctx->arena);

    for (size_t i = 0; i < env->count; i++)
        if (env->item[i].value)
            setenv(env->item[i].name, env->item[i].value, 1);
        else
            unsetenv(env->item[i].name);
    execvp(argv[0], argv);
    *status = errno == ENOENT ? TTP_EXIT_RUN_NOT_FOUND : TTP_EXIT_RUN_NOT_EXECUTABLE;
    return ttp_fail_errno(err, "cannot run '%s'", argv[0]);
}

ttp_code ttp_record_job_process(const struct ttp_record_job *job, const struct ttp_ctx *ctx,
                                struct ttp_err *err)
{
    const char *root = NULL;

    TTP_TRY(choose_dir(&root, job, ctx->arena, err));
    return ttp_record_make_report(root, job, ctx, err);
}

ttp_code ttp_record_job_run(int *status, const struct ttp_record_job *wanted,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_job job = *wanted;
    struct ttp_record_environment checked;
    struct ttp_port port = {0, -1};
    struct place run = {0};

    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which Tracy packs its stream with", "liblz4-dev", NULL);
    job.settings.dir = "";
    TTP_TRY(ttp_record_make_environment(&checked, &job.settings, ctx->arena, err)); /* refusals */
    TTP_TRY(choose_dir(&run.root, &job, ctx->arena, err));
    job.settings.dir = run.root;
    if (job.settings.unreceived) {
        TTP_TRY(ttp_record_make_environment(&checked, &job.settings, ctx->arena, err));
        return become(status, &job, &checked, ctx, err);
    }
    TTP_TRY(choose_port(&port, &job, err));
    job.settings.port = port.number;
    ttp_code rc = ttp_record_fresh_logs(&run.logs, run.root, ctx, err);
    if (rc == TTP_OK)
        rc = run_in(status, &job, &run, &port, ctx, err);
    ttp_port_release(&port);
    return rc;
}

/* --- again --- */

/* FILE in ROOT/.logs, or anywhere, in the folder *from; with -o its logs go there. */
static void place_of_file(struct place *out, const char **from, const char *file,
                          const struct ttp_record_job *job, struct ttp_arena *arena)
{
    const char *slash = strrchr(file, '/');
    const char *folder =
        slash ? ttp_arena_zstr(arena, (ttp_str){file, (size_t)(slash - file)}) : ".";

    if (slash == file)
        folder = "/";
    *from = folder;
    *out = job->dir ? (struct place){job->dir, ttp_file_join(job->dir, ".logs", arena)}
                    : (struct place){folder, folder};
}

static ttp_code repeat_file(const char *file, const struct ttp_record_job *job,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_exported what;
    struct place place;
    const char *from;

    place_of_file(&place, &from, file, job, ctx->arena);
    TTP_TRY(ttp_record_write_logs(&what, place.logs, file, job, ctx, err));
    if (job->dir) /* then ops finds those of the device there too */
        ttp_record_share_device_logs(from, place.logs, ctx->arena);
    ttp_ctx_note(ctx, "%s: %" PRIu64 " messages, %" PRIu64 " zones", file, what.messages,
                 what.zones);
    const ttp_code rc = job->process ? ttp_record_make_report(place.root, job, ctx, err) : TTP_OK;
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

static bool is_capture(const char *path, const char *name, void *arg)
{
    (void)name, (void)arg;
    return ttp_trace_detect_file(path) == TTP_TRACE_CAPTURE;
}

ttp_code ttp_record_job_repeat(const char *from, const struct ttp_record_job *job,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *file = from;

    if (ttp_file_is_dir(from)) {
        const ttp_code rc = ttp_file_find_newest(&file, from, is_capture, NULL, ctx->arena, err);

        if (rc == TTP_ENOTFOUND)
            return ttp_fail(err, rc, "no capture file below '%s'", from);
        if (rc != TTP_OK)
            return rc;
        ttp_ctx_say(ctx, "reading %s", file);
    }
    return repeat_file(file, job, ctx, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_job.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/source_roots.h"
#include "verbs/record_folder.h"
#include "verbs/record_inspector.h"
#include "verbs/record_meter.h"
#include "verbs/record_places.h"
#include "verbs/record_process.h"
#include "verbs/record_rank.h"

/* --- before --- */

/* A free port for a rank; false: it is not one of several. Clients without TRACY_PORT, of other
 * recordings on this host, do not try it, and ranks of several jobs do not meet. */
static bool hold_rank_port(struct ttp_port *out)
{
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    return rank.many && ttp_record_port_hold(out, 0, NULL) == TTP_OK;
}

/* One that was given, here or in the environment; one for the rank; else the clients look for their
 * own, which is what lets a run of several be received whole. Where none of those ports is free,
 * one client at least gets another. */
static ttp_code choose_port(struct ttp_port *out, const struct ttp_record_job *job,
                            struct ttp_err *err)
{
    const char *own = getenv("TRACY_PORT");
    uint64_t given = job->port > 0 ? (uint64_t)job->port : 0;

    if (job->port == TTP_PORT_ANY && own &&
        (!ttp_str_to_u64(ttp_str_from(own), &given) || given > UINT16_MAX))
        given = 0; /* the client would not understand it either */
    if (given) {
        TTP_TRY(ttp_record_port_hold(out, (uint16_t)given, err));
        out->given = true;
        return TTP_OK;
    }
    if (job->port == 0)
        return ttp_record_port_hold_first(out, err);
    if (hold_rank_port(out))
        return TTP_OK;
    return ttp_record_port_hold_first(out, NULL) == TTP_OK ? TTP_OK
                                                           : ttp_record_port_hold(out, 0, err);
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
        ttp_ctx_warn(ctx,
                     "no tracy-capture or capture-release in '%s': tt-perf writes the .tracy file, "
                     "without call stacks and locks",
                     job->tools);
    else
        ttp_ctx_note(ctx, "tt-perf writes the .tracy file");
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

/* Why what it sent is believed, although anybody could have sent it. */
static void tell_foreign(const struct ttp_ctx *ctx, const struct ttp_record_client *c,
                         uint16_t port)
{
    struct ttp_sink who;

    ttp_sink_to_arena(&who, ctx->arena);
    ttp_sink_printf(&who, "process %" PRIu64, c->pid);
    if (c->foreign_name[0])
        ttp_sink_printf(&who, " (%s)", c->foreign_name);
    if (c->foreign_uid_known)
        ttp_sink_printf(&who, " of user %u", c->foreign_uid);
    ttp_ctx_warn(ctx,
                 "the client on port %u, %s, is not a process of the command; its data is used "
                 "because the port was given",
                 port, ttp_arena_zstr(ctx->arena, ttp_sink_text(&who)));
}

static void tell_client(const struct ttp_ctx *ctx, const struct ttp_record_client *c, uint16_t port)
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
                     " broke: it was killed or crashed; the data received so far is kept",
                     c->pid);
    if (c->foreign)
        tell_foreign(ctx, c, port);
    if (c->no_tracy_file)
        ttp_ctx_warn(ctx, "tt-perf writes the .tracy file, without device zones: %s",
                     c->no_tracy_file);
    if (!s->known)
        ttp_ctx_warn(ctx,
                     "process %" PRIu64 " uses Tracy protocol %u, which tt-perf does not "
                     "support: the raw stream is kept, and only its messages "
                     "are used",
                     c->pid, s->protocol);
    else if (!s->consistent && !s->limit)
        ttp_ctx_warn(ctx,
                     "the stream of process %" PRIu64 " does not match Tracy protocol %u: the "
                     "raw stream is kept",
                     c->pid, s->protocol);
}

static void tell_capture_problems(const struct ttp_ctx *ctx, const struct ttp_record_result *r,
                                  uint16_t port)
{
    for (size_t i = 0; i < r->nclients; i++)
        tell_client(ctx, &r->client[i], port);
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    if (r->stranger_port && r->nclients && !rank.many) /* else it is the client of another rank */
        ttp_ctx_note(ctx,
                     "ignored a Tracy client on port %u, of user %u: it is not a process of the "
                     "command",
                     r->stranger_port, r->stranger_uid);
    if (r->deaf && r->nclients)
        ttp_ctx_warn(ctx,
                     "%u more process%s (such as %" PRIu64 ") had a Tracy client that found no "
                     "free port and dropped its data; %s",
                     r->deaf, r->deaf > 1 ? "es" : "", r->deaf_pid,
                     port ? "without -p and TRACY_PORT each process takes its own port"
                          : "only the 20 ports from 8086 to 8105 are available");
    if (r->interrupted)
        ttp_ctx_say(ctx, "%s; processing the captured data", r->killed ? "killed" : "interrupted");
}

static ttp_code process_run(const struct ttp_record_job *job, const struct ttp_record_result *r,
                            struct ttp_record_whole *run, const struct ttp_ctx *ctx,
                            struct ttp_err *err)
{
    struct ttp_err why = {0};

    tell_capture_problems(ctx, r, job->settings.port);
    if (job->require_capture && !(job->settings.ops ? count_ops(r) : r->nclients))
        return ttp_fail(err, TTP_ENOTFOUND, "nothing was captured: %s",
                        ttp_record_explain(r, &job->settings, ctx->arena));
    if (!count_ops(r) && job->settings.ops)
        ttp_ctx_warn(ctx, "no ops were captured: %s",
                     ttp_record_explain(r, &job->settings, ctx->arena));
    if (r->nclients) {
        const ttp_code rc = ttp_record_process_clients(job, r, run, ctx, err),
                       whole = ttp_record_check_whole(r, &why);

        if (rc != TTP_OK && whole != TTP_OK) /* a full disk fails more than once */
            ttp_ctx_warn(ctx, "%s: %s", why.path, why.text);
        else if (whole != TTP_OK && err)
            *err = why;
        return rc != TTP_OK ? rc : whole;
    }
    if (!job->process || !job->device_only)
        return TTP_OK;
    const ttp_code rc = ttp_record_make_report(run->place.root, job, ctx, err);
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

static char *const *make_argv(const struct ttp_words *words, struct ttp_arena *arena)
{
    char **argv = TTP_NEW(arena, char *, words->count + 1);

    for (size_t i = 0; i < words->count; i++)
        argv[i] = ttp_arena_zstr(arena, ttp_str_from(words->word[i]));
    return argv;
}

static void tick(void *meter)
{
    ttp_host_meter_tick(meter);
}

/* How the client with the most ops counts its time. */
static struct ttp_rank_ticks host_log_of(const struct ttp_record_result *r)
{
    const struct ttp_record_client *most = NULL;

    for (size_t i = 0; i < r->nclients; i++)
        if (!most || r->client[i].stats.ops > most->stats.ops)
            most = &r->client[i];
    return most ? (struct ttp_rank_ticks){most->stats.tick_at_0, most->stats.ns_per_tick}
                : (struct ttp_rank_ticks){0};
}

static ttp_code run_in(int *status, struct ttp_record_job *job, struct ttp_record_whole *run,
                       const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_environment env;
    struct ttp_record_result result;
    struct ttp_err why = {0};

    TTP_TRY(ttp_record_make_environment(&env, &job->settings, ctx->arena, err));
    tell_environment(ctx, &env);
    const char *stock = find_stock(job, ctx);
    const bool raw = job->raw || (job->tracy_file && !stock); /* our writer wants all of it */
    struct ttp_meter *meter = ttp_record_start_meter(job, run->place.logs, ctx);
    const struct ttp_record_options options = {
        .command = make_argv(&job->command, ctx->arena),
        .environment = &env,
        .logs = run->place.logs,
        .port = run->port,
        .holds = &run->holds,
        .receiver = {.zones = job->zones, .children = job->children, .raw = raw},
        .stock_capture = stock,
        .live = !ctx->quiet,
        .tick = meter ? tick : NULL,
        .tick_arg = meter,
    };
    const ttp_code rc = ttp_record_run(&result, &options, ctx->arena, err);
    ttp_record_stop_meter(meter, job, ctx);
    TTP_TRY(rc);
    run->facts.elapsed_us = result.elapsed_ns / 1000;
    run->facts.ended = !result.unstarted;
    run->facts.status = result.status;
    run->facts.interrupted = result.interrupted != 0;
    run->host_log = host_log_of(&result);
    if (ttp_logs_run_facts_write(&run->facts, run->place.logs, ctx->arena, &why) != TTP_OK)
        ttp_ctx_warn(ctx, "cannot note how the command ended: %s", why.text);
    ttp_record_keep_inspector(run->place.logs, run->since, ctx);
    *status = result.status;
    if (result.unstarted)
        return ttp_fail(err, TTP_ENOTFOUND, "%s", result.unstarted);
    if (job->unless_failed && result.status) {
        tell_capture_problems(ctx, &result, job->settings.port);
        ttp_ctx_warn(ctx, "the command exited with %d: nothing is processed", result.status);
        return TTP_OK;
    }
    return process_run(job, &result, run, ctx, err);
}

/* In our place, without a receiver. */
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
    struct ttp_holds holds = {0};
    const char *root = NULL;

    ttp_code rc = ttp_record_take_folder(&root, &holds, job, true, ctx, err);
    if (rc == TTP_OK)
        rc = ttp_record_make_report(root, job, ctx, err);
    ttp_record_holds_release(&holds);
    return rc;
}

/* Run it, and write down which rank it was, before and after: what is killed has left the first. */
static ttp_code run_ranked(int *status, struct ttp_record_job *job, struct ttp_record_whole *run,
                           const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_job_rank rank;
    struct ttp_err late = {0};

    ttp_job_rank_find(&rank);
    struct ttp_record_rank_facts facts = {.rank = &rank,
                                          .host = run->facts.host,
                                          .boot_id = run->facts.boot_id,
                                          .start = ttp_record_read_clocks()};
    run->start = facts.start;
    if (rank.many)
        TTP_TRY(ttp_record_write_rank(&facts, run->place.logs, ctx->arena, err));
    const ttp_code rc = run_in(status, job, run, ctx, err);
    facts.end = ttp_record_read_clocks();
    facts.host_log = run->host_log;
    ttp_record_copy_mappings(&rank, run->place.logs, run->since, ctx);
    if (!rank.many)
        return rc;
    const ttp_code written = ttp_record_write_rank(&facts, run->place.logs, ctx->arena, &late);
    if (rc == TTP_OK && written != TTP_OK && err)
        *err = late;
    return rc != TTP_OK ? rc : written;
}

ttp_code ttp_record_job_hold(int *status, struct ttp_record_job *job, struct ttp_record_whole *run,
                             const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_environment checked;

    TTP_TRY(ttp_record_take_folder(&run->place.root, &run->holds, job, false, ctx, err));
    TTP_TRY(ttp_record_take_report(job, &run->holds, ctx, err));
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    job->settings.one_of_ranks = rank.many;
    job->settings.dir = run->place.root;
    if (job->settings.unreceived) {
        TTP_TRY(ttp_record_make_environment(&checked, &job->settings, ctx->arena, err));
        ttp_record_holds_pass_on(&run->holds);
        return become(status, job, &checked, ctx, err);
    }
    run->port.fd = -1;
    TTP_TRY(choose_port(&run->port, job, err));
    job->settings.port = run->port.number;
    ttp_record_begin_facts(&run->facts, &run->since, run->place.root, ctx->arena);
    ttp_code rc = ttp_record_fresh_logs(&run->place.logs, run->place.root, ctx, err);
    if (rc == TTP_OK)
        rc = ttp_logs_run_facts_write(&run->facts, run->place.logs, ctx->arena, err);
    if (rc == TTP_OK)
        rc = ttp_source_roots_write(run->place.logs, ctx->arena, err);
    if (rc == TTP_OK)
        rc = run_ranked(status, job, run, ctx, err);
    ttp_record_port_release(&run->port);
    return rc;
}

ttp_code ttp_record_job_check(const struct ttp_record_passes *passes, const struct ttp_ctx *ctx,
                              struct ttp_err *err)
{
    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which Tracy uses to compress its stream", "liblz4-dev",
                                NULL);
    for (size_t i = 0; i < passes->count; i++) {
        struct ttp_ledger_settings settings = passes->pass[i].settings;
        struct ttp_record_environment checked;

        settings.dir = "";
        TTP_TRY(ttp_record_make_environment(&checked, &settings, ctx->arena, err)); /* refusals */
    }
    return TTP_OK;
}

ttp_code ttp_record_job_run(int *status, const struct ttp_record_job *wanted,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_record_passes one = {.pass = {{.settings = wanted->settings}}, .count = 1};
    struct ttp_record_job job = *wanted;
    struct ttp_record_whole run = {0};

    TTP_TRY(ttp_record_job_check(&one, ctx, err));
    const ttp_code rc = ttp_record_job_hold(status, &job, &run, ctx, err);
    ttp_record_holds_release(&run.holds);
    return rc;
}

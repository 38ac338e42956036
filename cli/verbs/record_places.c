/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_places.h"
#include "verbs/record_meter.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "core/source_roots.h"
#include "verbs/export_tracy.h"
#include "verbs/record_folder.h"
#include "verbs/record_process.h"
#include "verbs/record_rank.h"

/* The clients of a run, and the places that were found for the first of them. */
struct placing {
    const struct ttp_record_job *job;
    const struct ttp_record_result *result;
    struct ttp_record_whole *run;
    struct ttp_record_place *place; /* by client */
    size_t placed;
    const struct ttp_ctx *ctx;
};

static bool is_used(const struct placing *p, const char *root)
{
    for (size_t i = 0; i < p->placed; i++)
        if (strcmp(p->place[i].root, root) == 0)
            return true;
    return false;
}

/* After its program and process, with a further number where containers have the same of both. What
 * the client calls itself is made a name of one folder. */
static const char *name_folder(const struct placing *p, const char *root,
                               const struct ttp_record_client *c)
{
    struct ttp_arena *arena = p->ctx->arena;
    char *program =
        ttp_arena_zstr(arena, ttp_str_from(c->stats.program[0] ? c->stats.program : "client"));
    const char *path = NULL;

    for (char *at = program; *at; at++)
        if (*at == '/' || (at == program && *at == '.'))
            *at = '_';
    for (size_t n = 1; !path || is_used(p, path); n++) {
        struct ttp_sink own;

        ttp_sink_to_arena(&own, arena);
        ttp_sink_printf(&own, "%s/%s-%" PRIu64, root, program, c->pid);
        if (n > 1)
            ttp_sink_printf(&own, "-%zu", n);
        path = ttp_arena_zstr(arena, ttp_sink_text(&own));
    }
    return path;
}

/* Clients that ran one after the other are merged as ranks are: the first is rank 0. */
static const char *name_rank(const struct placing *p, const char *root)
{
    struct ttp_arena *arena = p->ctx->arena;
    const char *path = NULL;

    for (size_t n = 0; !path || is_used(p, path); n++) {
        char name[32];

        snprintf(name, sizeof(name), "rank%zu", n);
        path = ttp_file_join(root, ttp_arena_zstr(arena, ttp_str_from(name)), arena);
    }
    return path;
}

static ttp_code folder_taken(const struct ttp_record_client *c, struct ttp_err *err)
{
    ttp_fail(err, TTP_EIO,
             "process %" PRIu64 " wrote its logs to '%.120s', which process %" PRId64
             " is recording into: the logs cannot be told apart",
             c->pid, c->artifacts, c->artifacts_holder);
    ttp_err_hint(err, "set a different TT_METAL_PROFILER_DIR for each run");
    return TTP_EIO;
}

/* A folder below `root` for a client that shares it with others. */
static void name_place(struct ttp_record_place *out, const struct placing *p,
                       const struct ttp_record_client *c, const char *root)
{
    out->rank = c->kept && c->stats.ops;
    out->shared = c->kept ? c->kept : ttp_file_join(root, ".logs", p->ctx->arena);
    out->root = out->rank ? name_rank(p, root) : name_folder(p, root, c);
}

/* Alone, or the only one with ops. */
static bool is_main(const struct ttp_record_result *r, const struct ttp_record_client *c)
{
    size_t with_ops = 0;

    for (size_t i = 0; i < r->nclients; i++)
        with_ops += r->client[i].stats.ops > 0;
    return r->nclients == 1 || (with_ops == 1 && c->stats.ops > 0);
}

/* Its own artifacts folder; the run's, if it is alone there; else one of its own below it. */
static ttp_code choose_place(struct ttp_record_place *out, struct placing *p,
                             const struct ttp_record_client *c, struct ttp_err *err)
{
    struct ttp_record_whole *run = p->run;
    const struct ttp_ctx *ctx = p->ctx;
    const char *root = run->place.root;
    char full[PATH_MAX];

    *out = (struct ttp_record_place){0};
    if (c->artifacts_taken)
        return folder_taken(c, err);
    if (c->artifacts && ttp_file_is_dir(c->artifacts) && realpath(c->artifacts, full))
        root = ttp_arena_zstr(ctx->arena, ttp_str_from(full));
    const bool whole = strcmp(root, run->place.root) == 0;
    if (!whole) { /* it was not emptied before the run */
        TTP_TRY(ttp_record_hold_folder(&run->holds, root, ctx, err));
        TTP_TRY(ttp_record_put_old_aside(root, run->since, ctx, err));
    }
    if ((whole && !is_main(p->result, c)) || is_used(p, root)) {
        name_place(out, p, c, root);
        TTP_TRY(ttp_file_make_dirs(out->root, err));
        return ttp_record_fresh_logs(&out->logs, out->root, ctx, err);
    }
    out->root = root;
    out->logs = ttp_file_join(root, ".logs", ctx->arena);
    return ttp_file_make_dirs(out->logs, err);
}

/* --- device logs of several processes in one folder --- */

/* Which devices the ops of a client ran on. */
static void list_devices(struct ttp_words *out, const struct ttp_record_place *p,
                         const struct ttp_ctx *ctx)
{
    const struct ttp_logs_options options = {.threads = 1};
    struct ttp_host_log log;

    if (ttp_logs_read_messages(&log, ttp_file_join(p->logs, "tracy_ops_data.csv", ctx->arena),
                               &options, ctx->arena, NULL) != TTP_OK)
        return;
    for (size_t i = 0; i < log.nops; i++) {
        char id[32];
        bool known = !log.op[i].info->has_device;

        snprintf(id, sizeof(id), "%" PRId64, log.op[i].info->device);
        for (size_t k = 0; k < out->count && !known; k++)
            known = strcmp(out->word[k], id) == 0;
        if (!known)
            ttp_words_add(out, ttp_arena_zstr(ctx->arena, ttp_str_from(id)), ctx->arena);
    }
}

static const char *common_device(const struct ttp_words *a, const struct ttp_words *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (strcmp(a->word[i], b->word[k]) == 0)
                return a->word[i];
    return NULL;
}

static const char *source_of(const struct ttp_record_place *p)
{
    return p->shared ? p->shared : p->logs;
}

/* Ops are found by device and number, and every process counts from one: two that used the same
 * device, and wrote its log into the same folder, cannot be told apart there. */
static void find_disputes(struct ttp_record_place *place, const struct ttp_record_result *r,
                          const struct ttp_ctx *ctx)
{
    struct ttp_words *device = TTP_NEW(ctx->arena, struct ttp_words, r->nclients);

    for (size_t i = 0; i < r->nclients; i++)
        if (r->nclients > 1 && r->client[i].stats.ops)
            list_devices(&device[i], &place[i], ctx);
    for (size_t i = 0; i < r->nclients; i++)
        for (size_t k = 0; k < r->nclients && !place[i].disputed; k++) {
            const char *id = k == i || strcmp(source_of(&place[i]), source_of(&place[k])) != 0
                                 ? NULL
                                 : common_device(&device[i], &device[k]);
            struct ttp_sink why;

            if (!id)
                continue;
            ttp_sink_to_arena(&why, ctx->arena);
            ttp_sink_printf(&why,
                            "process %" PRIu64 " also used device %s and wrote its logs to the "
                            "same folder, %s: set a different "
                            "TT_METAL_PROFILER_DIR for each",
                            r->client[k].pid, id, source_of(&place[i]));
            place[i].disputed = ttp_arena_zstr(ctx->arena, ttp_sink_text(&why));
        }
}

/* Which of the clients it is; its own number, and of how many. The job is this recording, so that
 * folders of an earlier one with more clients are not taken for part of it. */
static ttp_code write_rank(const struct placing *p, size_t i, struct ttp_err *err)
{
    const struct ttp_record_whole *run = p->run;
    char job[64];
    struct ttp_job_rank rank = {.local_rank = -1, .job = job};

    snprintf(job, sizeof(job), "record-%" PRIu64 "-%" PRIu64, run->facts.record_pid,
             run->facts.started_us);
    for (size_t k = 0; k < p->placed; k++) {
        rank.rank += p->place[k].rank && k < i;
        rank.size += p->place[k].rank;
    }
    const struct ttp_receiver_stats *stats = &p->result->client[i].stats;
    const struct ttp_record_rank_facts facts = {.rank = &rank,
                                                .host = run->facts.host,
                                                .boot_id = run->facts.boot_id,
                                                .start = run->start,
                                                .end = ttp_record_read_clocks(),
                                                .host_log = {stats->tick_at_0, stats->ns_per_tick}};
    return ttp_record_write_rank(&facts, p->place[i].logs, p->ctx->arena, err);
}

/* Now that all host logs are written: the device logs, and what the run was. */
static ttp_code finish_place(struct ttp_record_place *p, const struct ttp_record_client *c,
                             const struct ttp_record_whole *run, const struct ttp_ctx *ctx,
                             struct ttp_err *err)
{
    struct ttp_run_facts facts = run->facts;

    if (p->shared && p->disputed) { /* nor may they be joined later */
        facts.disputed = true;
        TTP_TRY(ttp_logs_run_facts_write(&facts, p->shared, ctx->arena, err));
    } else if (p->shared) {
        ttp_record_share_device_logs(p->shared, p->logs, ctx->arena);
    }
    facts.disputed = p->disputed != NULL;
    facts.client_pid = c->stats.pid;
    facts.cut = c->stats.end == TTP_END_CUT;
    ttp_logs_run_facts_note(&facts, p->logs, TTP_RUN_HOST, ctx->arena);
    if (!p->disputed)
        ttp_logs_run_facts_note(&facts, p->logs, TTP_RUN_DEVICE, ctx->arena);
    return ttp_logs_run_facts_write(&facts, p->logs, ctx->arena, err);
}

/* Under the name that tt-metal's scripts know, unless that is on another disk. */
static void place_tracy_file(const char *file, const char *logs, const struct ttp_ctx *ctx)
{
    const char *to = ttp_file_join(logs, "tracy_profile_log_host.tracy", ctx->arena);

    if (rename(file, to) < 0)
        ttp_ctx_warn(ctx, "cannot move '%s' to '%s'; leaving it in place", file, to);
}

/* Without a tool of Tracy's, or after one that failed. The run is worth more than this file. */
static void write_tracy_file(const char *capture, const char *logs, const struct ttp_ctx *ctx)
{
    const struct ttp_tracy_writing what = {
        .recording = capture,
        .output = ttp_file_join(logs, "tracy_profile_log_host.tracy", ctx->arena)};
    struct ttp_arena arena = {0};
    struct ttp_tracy_written written;
    struct ttp_err why = {0};

    if (ttp_tracy_write(&written, &what, &arena, &why) == TTP_OK)
        ttp_export_tell(ctx, capture, &written);
    else
        ttp_ctx_warn(ctx, "no .tracy file: %s", why.text);
    ttp_arena_free(&arena);
}

/* A place for the next client. */
static ttp_code place_client(struct placing *p, struct ttp_err *err)
{
    const struct ttp_record_client *c = &p->result->client[p->placed];
    struct ttp_record_place *place = &p->place[p->placed];
    const struct ttp_record_source source = {c->capture, 0};
    struct ttp_record_exported what;

    TTP_TRY(choose_place(place, p, c, err));
    p->placed++;
    TTP_TRY(ttp_source_roots_write(place->logs, p->ctx->arena, err));
    ttp_record_place_samples(p->run->place.logs, place->logs, c, p->ctx);
    if (c->tracy_file)
        place_tracy_file(c->tracy_file, place->logs, p->ctx);
    else if (p->job->tracy_file)
        write_tracy_file(c->capture, place->logs, p->ctx);
    return p->job->device_only
               ? TTP_OK
               : ttp_record_write_logs(&what, place->logs, &source, p->job, p->ctx, err);
}

static ttp_code report_client(const struct placing *p, size_t i, struct ttp_err *err)
{
    const struct ttp_record_place *place = &p->place[i];
    const struct ttp_record_result *r = p->result;
    const struct ttp_record_client *c = &r->client[i];
    const struct ttp_record_job *job = p->job;
    const struct ttp_ctx *ctx = p->ctx;

    if (!c->stats.ops && !job->device_only && r->nclients > 1)
        return TTP_OK;
    if (r->nclients > 1)
        ttp_ctx_say(ctx, "process %" PRIu64 ": %s", c->pid, place->root);
    if (place->disputed) {
        ttp_ctx_warn(ctx, "no report of process %" PRIu64 ": %s", c->pid, place->disputed);
        return TTP_OK;
    }
    const ttp_code rc = ttp_record_make_report(place->root, job, ctx, err);
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

/* One file was asked for: the ops of all clients that have some. */
static ttp_code report_together(const struct placing *p, struct ttp_err *err)
{
    const struct ttp_record_place *place = p->place;
    const struct ttp_record_job *job = p->job;
    const struct ttp_record_result *r = p->result;
    const struct ttp_ctx *ctx = p->ctx;
    struct ttp_words roots = {0};

    for (size_t i = 0; i < r->nclients; i++) {
        if (!r->client[i].stats.ops && !job->device_only)
            continue;
        if (place[i].disputed)
            ttp_ctx_warn(ctx, "no report of process %" PRIu64 ": %s", r->client[i].pid,
                         place[i].disputed);
        else
            ttp_words_add(&roots, place[i].root, ctx->arena);
    }
    return roots.count ? ttp_record_write_file(&roots, job, ctx, err) : TTP_OK;
}

/* The further names of device logs have done their part. */
static void forget_kept(const struct ttp_record_result *r, struct ttp_arena *arena)
{
    for (size_t i = 0; i < r->nclients; i++) {
        struct ttp_words names;
        const char *kept = r->client[i].kept;
        if (!kept || ttp_file_list(&names, kept, arena, NULL) != TTP_OK)
            continue;
        for (size_t k = 0; k < names.count; k++)
            (void)unlink(ttp_file_join(kept, names.word[k], arena));
        (void)rmdir(kept);
    }
}

ttp_code ttp_record_process_clients(const struct ttp_record_job *job,
                                    const struct ttp_record_result *r, struct ttp_record_whole *run,
                                    const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_place *place = TTP_NEW(ctx->arena, struct ttp_record_place, r->nclients + 1);
    struct placing p = {.job = job, .result = r, .run = run, .place = place, .ctx = ctx};
    ttp_code first = TTP_OK;

    for (size_t i = 0; i < r->nclients && first == TTP_OK; i++) {
        first = place_client(&p, err);
        if (first == TTP_EIO && !r->client[i].artifacts_taken) /* such as for lack of room */
            ttp_err_hint(err, "the recording is kept; continue with 'tt-perf record --from %s'",
                         r->client[i].capture);
    }
    if (first == TTP_OK)
        find_disputes(place, r, ctx);
    for (size_t i = 0; i < r->nclients && first == TTP_OK; i++)
        first = finish_place(&place[i], &r->client[i], run, ctx, err);
    for (size_t i = 0; i < r->nclients && first == TTP_OK; i++)
        if (place[i].rank)
            first = write_rank(&p, i, err);
    if (first == TTP_OK)
        forget_kept(r, ctx->arena);
    if (first == TTP_OK && job->process && job->report_file && r->nclients > 1)
        return report_together(&p, err);
    for (size_t i = 0; i < r->nclients && first == TTP_OK && job->process; i++)
        first = report_client(&p, i, err);
    return first;
}

/* What was written is used, but it must not pass for the whole. */
ttp_code ttp_record_check_whole(const struct ttp_record_result *r, struct ttp_err *err)
{
    for (size_t i = 0; i < r->nclients; i++) {
        if (r->client[i].stats.limit) {
            ttp_fail(err, TTP_ELIMIT,
                     "process %" PRIu64 " sent more than the limit: %s; using what came before",
                     r->client[i].pid, r->client[i].stats.limit);
            ttp_err_where(err, r->client[i].capture, 0);
            return TTP_ELIMIT;
        }
        if (!r->client[i].disk_error)
            continue;
        ttp_fail(err, TTP_EIO, "%s", r->client[i].disk_error);
        ttp_err_where(err, r->client[i].capture, 0);
        ttp_err_hint(err, "free disk space and record again");
        return TTP_EIO;
    }
    return TTP_OK;
}

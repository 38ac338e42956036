/* SPDX-License-Identifier: Apache-2.0 */
/* record_again.c - repeats the processing after a run, from its capture file. */
#include <inttypes.h>

#include "base/file.h"
#include "verbs/record_folder.h"
#include "verbs/record_places.h"
#include "verbs/record_process.h"

/* FILE in ROOT/.logs, or anywhere, in the folder *from; with -o its logs go there. */
static void place_of_file(struct ttp_record_place *out, const char **from, const char *file,
                          const struct ttp_record_job *job, struct ttp_arena *arena)
{
    const char *slash = strrchr(file, '/');
    const char *folder =
        slash ? ttp_arena_zstr(arena, (ttp_str){file, (size_t)(slash - file)}) : ".";

    if (slash == file)
        folder = "/";
    *from = folder;
    *out = job->dir ? (struct ttp_record_place){.root = job->dir,
                                                .logs = ttp_file_join(job->dir, ".logs", arena)}
                    : (struct ttp_record_place){.root = folder, .logs = folder};
}

static ttp_code repeat_into(const struct ttp_record_place *place, const char *from,
                            const char *file, const struct ttp_record_job *job,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_record_exported what;
    struct ttp_run_facts facts;
    bool known;

    TTP_TRY(ttp_logs_run_facts_read(&facts, &known, from, ctx->arena, err));
    TTP_TRY(ttp_record_write_logs(
        &what, place->logs, &(struct ttp_record_source){file, facts.client_pid}, job, ctx, err));
    if (job->dir) /* then ops finds those of the device there too */
        ttp_record_share_device_logs(from, place->logs, ctx->arena);
    if (known) { /* those of the device are noted as they were then */
        facts.client_pid = what.pid;
        ttp_logs_run_facts_note(&facts, place->logs, TTP_RUN_HOST, ctx->arena);
        TTP_TRY(ttp_logs_run_facts_write(&facts, place->logs, ctx->arena, err));
    }
    ttp_ctx_note(ctx, "%s: %" PRIu64 " messages, %" PRIu64 " zones", file, what.messages,
                 what.zones);
    const ttp_code rc = job->process ? ttp_record_make_report(place->root, job, ctx, err) : TTP_OK;
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

static ttp_code repeat_file(const char *file, const struct ttp_record_job *job,
                            const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct ttp_holds holds = {0};
    struct ttp_record_place place;
    const char *from;

    place_of_file(&place, &from, file, job, ctx->arena);
    if (ttp_capture_trace_detect_file(file) ==
        TTP_TRACE_NONE) { /* say why before anything is made */
        struct ttp_trace none;

        return ttp_capture_trace_read(&none, file, &(struct ttp_trace_reading){0}, ctx->arena, err);
    }
    if (job->dir)
        TTP_TRY(ttp_file_make_dirs(job->dir, err));
    ttp_code rc = ttp_record_hold_folder(&holds, place.root, ctx, err);
    if (rc == TTP_OK && job->dir && !ttp_file_is_same(from, place.logs))
        rc = ttp_record_fresh_logs(&place.logs, place.root, ctx, err);
    if (rc == TTP_OK)
        rc = repeat_into(&place, from, file, job, ctx, err);
    ttp_record_holds_release(&holds);
    return rc;
}

static bool is_capture(const char *path, const char *name, void *arg)
{
    (void)name, (void)arg;
    return ttp_capture_trace_detect_file(path) == TTP_TRACE_CAPTURE;
}

ttp_code ttp_record_job_repeat(const char *from, const struct ttp_record_job *job,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *file = from;

    if (ttp_file_is_dir(from)) {
        const ttp_code rc = ttp_file_find_newest(
            &file, from, (struct ttp_file_matcher){is_capture, NULL}, ctx->arena, err);

        if (rc == TTP_ENOTFOUND)
            return ttp_fail(err, rc, "no capture file below '%s'", from);
        if (rc != TTP_OK)
            return rc;
        ttp_ctx_say(ctx, "reading %s", file);
    }
    return repeat_file(file, job, ctx, err);
}

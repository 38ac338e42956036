/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_passes.h"

#include "run/run.h"
#include "verbs/record_places.h"
#include "verbs/record_process.h"
#include "verbs/record_rank.h"

struct passes {
    const struct ttp_record_job *job;
    const struct ttp_record_passes *plan;
    const struct ttp_ctx *ctx;
    struct ttp_err *err;
};

/* Without one there is nothing to merge: no device, or several processes with folders of their
 * own. */
static bool has_device_log(const char *root, const struct passes *p)
{
    struct ttp_log_paths paths;

    if (ttp_logs_find(&paths, root, p->ctx->arena, NULL) == TTP_OK && paths.device)
        return true;
    if (p->plan->count > 1)
        ttp_ctx_warn(p->ctx, "'%s' has no device log after the first pass: no further pass", root);
    return false;
}

/* Every pass in its turn; *done counts those that ran to a good end. */
static ttp_code run_all(int *status, size_t *done, struct ttp_record_whole *first,
                        const struct passes *p)
{
    for (*done = 0; *done < p->plan->count && *status == 0; (*done)++) {
        const struct ttp_record_pass *pass = &p->plan->pass[*done];
        struct ttp_record_job job = *p->job;
        struct ttp_record_whole further = {0};

        job.settings = pass->settings;
        job.process = job.print = false;
        if (*done)
            job.dir = ttp_run_new_pass(first->place.root, pass->name, p->ctx->arena);
        if (p->plan->count > 1)
            ttp_ctx_say(p->ctx, "pass %zu of %zu, '%s': %s", *done + 1, p->plan->count, pass->name,
                        pass->what);
        const ttp_code rc =
            ttp_record_job_hold(status, &job, *done ? &further : first, p->ctx, p->err);
        ttp_record_holds_release(&further.holds);
        TTP_TRY(rc);
        if (*status || (*done == 0 && !has_device_log(first->place.root, p)))
            break;
    }
    return TTP_OK;
}

static ttp_code tell_differences(const struct ttp_pass_check *check, const char *root,
                                 const struct passes *p)
{
    for (size_t i = 0; i < check->differences.count; i++)
        ttp_ctx_warn(p->ctx, "%s", check->differences.word[i]);
    ttp_fail(p->err, TTP_EPARSE, "the passes disagree, so they are not merged");
    ttp_err_hint(p->err,
                 "make the command run the same programs each time, or record with --passes 1; "
                 "'%s' has the first pass, %s/.logs/" TTP_PASSES_UNMERGED " the others",
                 root, root);
    return TTP_EPARSE;
}

static ttp_code merge(const char *root, const struct passes *p)
{
    struct ttp_pass_check check;

    if (p->plan->count < 2)
        return TTP_OK;
    TTP_TRY(ttp_run_merge_passes(&check, root, p->job->threads, p->ctx->arena, p->err));
    if (check.differences.count)
        return tell_differences(&check, root, p);
    ttp_ctx_say(p->ctx,
                "merged %zu passes: the same %zu execution%s of programs, kernel cycles differ by "
                "%.1f %% at most",
                check.passes, check.executions, check.executions == 1 ? "" : "s", check.worst_pct);
    return TTP_OK;
}

/* What was recorded is reported also if the command failed, or if there is but its first pass. */
static ttp_code finish(int status, size_t done, const char *root, const struct passes *p)
{
    if (status && p->plan->count > 1)
        ttp_ctx_warn(p->ctx,
                     "pass '%s' ended with status %d: no further pass, and nothing is merged",
                     p->plan->pass[done].name, status);
    const ttp_code merged = done == p->plan->count ? merge(root, p) : TTP_OK;
    struct ttp_err *report_err = merged == TTP_OK ? p->err : NULL;
    const ttp_code rc =
        p->job->process ? ttp_record_make_report(root, p->job, p->ctx, report_err) : TTP_OK;

    if (merged != TTP_OK)
        return merged;
    return rc == TTP_ENOTFOUND ? TTP_OK : rc;
}

ttp_code ttp_record_passes_run(int *status, const struct ttp_record_job *job,
                               const struct ttp_record_passes *passes, const struct ttp_ctx *ctx,
                               struct ttp_err *err)
{
    const struct passes p = {job, passes, ctx, err};
    struct ttp_record_whole first = {0};
    size_t done;

    TTP_TRY(ttp_record_job_check(passes, ctx, err));
    ttp_code rc = run_all(status, &done, &first, &p);
    if (rc == TTP_OK)
        rc = finish(*status, done, first.place.root, &p);
    ttp_record_holds_release(&first.holds);
    return rc;
}

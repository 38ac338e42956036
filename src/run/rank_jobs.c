/* SPDX-License-Identifier: Apache-2.0 */
/* rank_jobs.c - are the ranks of a folder those of one job? */
#include <stdio.h>

#include "run/run_ranks.h"

/* The ranks of a job, or of all others: " 0 1". */
static void list_job(char *to, size_t room, const struct ttp_run_ranks *all, ttp_str job, bool same)
{
    size_t n = 0;

    to[0] = 0;
    for (size_t i = 0; i < all->count && n + 24 < room; i++)
        if (all->rank[i].has_facts && all->rank[i].facts.job.len &&
            ttp_str_eq(all->rank[i].facts.job, job) == same)
            n += (size_t)snprintf(to + n, room - n, " %lld", (long long)all->rank[i].rank);
}

/* Folders of an earlier run are left over where a later one had fewer ranks. */
static ttp_code fail_jobs(const struct ttp_run_ranks *all, const struct ttp_run_rank *a,
                          const struct ttp_run_rank *b, struct ttp_err *err)
{
    const int64_t began[] = {a->facts.start.realtime_ns, b->facts.start.realtime_ns};
    char of_a[100], others[100];

    (void)ttp_fail(err, TTP_EPARSE, "'%s' and '%s' belong to different jobs", a->dir, b->dir);
    list_job(of_a, sizeof(of_a), all, a->facts.job, true);
    list_job(others, sizeof(others), all, a->facts.job, false);
    ttp_err_hint(err, "one job has rank%s, another rank%s%s; give the folders of one", of_a, others,
                 began[0] <= 0 || began[1] <= 0 ? ""
                 : began[0] > began[1]          ? ", which began earlier"
                                                : ", which began later");
    return TTP_EPARSE;
}

ttp_code ttp_run_check_jobs(struct ttp_run_ranks *out, struct ttp_err *err)
{
    const struct ttp_run_rank *first = NULL;

    for (size_t i = 0; i < out->count; i++) {
        const struct ttp_run_rank *r = &out->rank[i];
        if (i && r->rank == r[-1].rank) {
            (void)ttp_fail(err, TTP_EPARSE, "'%s' and '%s' are both rank %lld", r[-1].dir, r->dir,
                           (long long)r->rank);
            ttp_err_hint(err, "give the folder of one run");
            return TTP_EPARSE;
        }
        if (!r->has_facts)
            continue;
        if (r->facts.size > out->size)
            out->size = r->facts.size;
        if (r->facts.job.len == 0)
            continue;
        if (first && !ttp_str_eq(first->facts.job, r->facts.job))
            return fail_jobs(out, first, r, err);
        first = first ? first : r;
    }
    return TTP_OK;
}

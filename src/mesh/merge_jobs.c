/* SPDX-License-Identifier: Apache-2.0 */
/* merge_jobs.c - do all ranks belong to one job? */
#include "base/sink.h"
#include "mesh/merge.h"

/* Of two jobs the ranks with the lowest numbers, so that every process says the same. */
struct job {
    int64_t rank; /* -1: none yet */
    ttp_str name;
};

/* Reads one entry; false: none is left. */
static bool next_job(struct job *out, ttp_str *text)
{
    uint32_t n;

    if (text->len < sizeof(out->rank) + sizeof(n))
        return false;
    memcpy(&out->rank, text->ptr, sizeof(out->rank));
    memcpy(&n, text->ptr + sizeof(out->rank), sizeof(n));
    *text = ttp_str_slice(*text, sizeof(out->rank) + sizeof(n), text->len);
    out->name = ttp_str_slice(*text, 0, n);
    *text = ttp_str_slice(*text, n, text->len);
    return true;
}

/* Another than `base` if that is given. */
static struct job lowest_job(const ttp_str *text, size_t texts, const struct job *base)
{
    struct job lowest = {.rank = -1}, job;

    for (size_t i = 0; i < texts; i++)
        for (ttp_str rest = text[i]; next_job(&job, &rest);)
            if ((lowest.rank < 0 || job.rank < lowest.rank) &&
                (!base || !ttp_str_eq(job.name, base->name)))
                lowest = job;
    return lowest;
}

ttp_str ttp_mesh_merge_pack_jobs(struct ttp_mesh_reduced *const *table, size_t tables,
                                 struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < tables; i++) {
        const struct ttp_mesh_reduced *t = table[i];
        const uint32_t n = (uint32_t)t->job.len;
        char *to;
        if (n == 0)
            continue;
        to = ttp_sink_room(&out, sizeof(t->rank) + sizeof(n) + n);
        memcpy(to, &t->rank, sizeof(t->rank));
        memcpy(to + sizeof(t->rank), &n, sizeof(n));
        memcpy(to + sizeof(t->rank) + sizeof(n), t->job.ptr, n);
        out.len += sizeof(t->rank) + sizeof(n) + n;
    }
    return ttp_sink_text(&out);
}

ttp_code ttp_mesh_merge_check_jobs(const ttp_str *text, size_t texts, struct ttp_err *err)
{
    const struct job base = lowest_job(text, texts, NULL);
    const struct job other = base.rank >= 0 ? lowest_job(text, texts, &base) : base;

    if (other.rank < 0)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "rank %lld and rank %lld belong to different jobs",
                   (long long)base.rank, (long long)other.rank);
    ttp_err_hint(err, "merge the ranks of one run");
    return TTP_EPARSE;
}

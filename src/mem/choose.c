/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - one rank, or one device, of all memory use of a run. */
#include "mem/mem.h"

static size_t keep_captures(struct ttp_mem_run *run, int64_t rank,
                            const struct ttp_mem_options *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->captures; i++) {
        const struct ttp_mem_capture *c = &run->capture[i];
        if ((rank < 0 || c->rank == rank) && (!options->one_device || c->devices))
            run->capture[kept++] = *c;
    }
    run->captures = kept;
    return kept;
}

static size_t keep_row_devices(struct ttp_mem_row *row, int64_t device)
{
    for (size_t i = 0; i < row->devices; i++)
        if (row->device[i].device == device) {
            row->device += i;
            row->devices = 1;
            return 1;
        }
    row->devices = 0;
    return 0;
}

/* Rows that do not touch the device stay: they are ops of the run. */
static bool keep_device(struct ttp_mem_rank *r, int64_t device)
{
    size_t found = 0;

    for (size_t i = 0; i < r->rows; i++)
        found += keep_row_devices(&r->row[i], device);
    for (size_t i = 0; i < r->devices; i++)
        if (r->device[i].id == device) {
            r->device += i;
            r->devices = 1;
            return true;
        }
    r->devices = 0;
    return found > 0;
}

static size_t keep_databases(struct ttp_mem_run *run, int64_t rank,
                             const struct ttp_mem_options *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->databases; i++) {
        struct ttp_mem_database *d = &run->database[i];
        size_t ranks = 0;
        for (size_t k = 0; k < d->ranks; k++)
            if ((rank < 0 || d->rank[k].rank == rank) &&
                (!options->one_device || keep_device(&d->rank[k], options->device)))
                d->rank[ranks++] = d->rank[k];
        d->ranks = ranks;
        if (ranks)
            run->database[kept++] = *d;
    }
    run->databases = kept;
    return kept;
}

static size_t keep_counters(struct ttp_mem_run *run, const struct ttp_mem_options *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->shms; i++)
        if (!options->one_device || run->shm[i].shm.device == options->device)
            run->shm[kept++] = run->shm[i];
    run->shms = kept;
    return kept;
}

ttp_code ttp_mem_choose(struct ttp_mem_run *run, int64_t rank,
                        const struct ttp_mem_options *options, struct ttp_err *err)
{
    const size_t before = run->captures + run->databases + run->shms;

    if (rank < 0 && !options->one_device)
        return TTP_OK;
    size_t kept = keep_captures(run, rank, options);
    kept += keep_databases(run, rank, options);
    kept += keep_counters(run, options);
    if (kept || before == 0)
        return TTP_OK;
    if (options->one_device)
        return ttp_fail(err, TTP_EUSAGE, "no memory data of device %lld",
                        (long long)options->device);
    return ttp_fail(err, TTP_EUSAGE, "no memory data of rank %lld", (long long)rank);
}

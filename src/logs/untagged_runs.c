/* SPDX-License-Identifier: Apache-2.0 */
/* Which op a run belongs to, where rows do not state it. */
#include "base/order.h"

#include "logs/device_log.h"

/* What is known of a device while its runs go by in order of time. */
struct device_clock {
    uint64_t ops;      /* begun so far */
    uint64_t busy_end; /* firmware runs somewhere until then */
};

static int by_time(const void *a, const void *b)
{
    const struct ttp_marker_run *x = a, *y = b;

    if (x->first_cycle != y->first_cycle)
        return x->first_cycle < y->first_cycle ? -1 : 1;
    /* of equals the one that opens the op first */
    if (x->fw_starts != y->fw_starts)
        return x->fw_starts > y->fw_starts ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return x->risc < y->risc ? -1 : x->risc > y->risc;
}

void ttp_logs_device_log_tell_ops(struct ttp_marker_run *run, size_t nruns,
                                  const struct ttp_device_log *log, struct ttp_arena *scratch)
{
    struct device_clock *clock = TTP_NEW(scratch, struct device_clock, log->ndevices);
    uint64_t *core_op = TTP_NEW(scratch, uint64_t, log->ncores); /* it ran last */

    TTP_SORT(run, nruns, by_time);
    for (size_t i = 0; i < nruns; i++) {
        struct device_clock *c = &clock[log->core[run[i].core].device];

        if (run[i].fw_starts) {
            /* a core that starts twice lost an end: nothing can run on */
            if (c->ops == 0 || run[i].first_cycle > c->busy_end || core_op[run[i].core] == c->ops) {
                c->ops++;
                c->busy_end = 0;
            }
            core_op[run[i].core] = c->ops;
            const uint64_t end = run[i].fw_ends ? run[i].fw_end_cycle : run[i].last_cycle;
            c->busy_end = end > c->busy_end ? end : c->busy_end;
        }
        run[i].run_id = c->ops;
    }
}

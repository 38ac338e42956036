/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether the logs of host and devices are of one run, by numbers of ops and by the time
 * that devices worked. Some ops may be missing on either side in every real run, so only what no
 * run can have is refused. */
#include <inttypes.h>

#include "base/order.h"

#include "ops/join.h"

#define HOST_LOG "tracy_ops_data.csv"

/* Clocks differ, and so do ideas of when a run begins. */
#define SLACK_US     5e6
#define SLACK_FACTOR 1.05

/* An execution on a device, from either kind of log. */
struct execution {
    int64_t device;
    uint64_t id, start, end; /* in cycles */
};

static size_t list_executions(struct execution **out, const struct ttp_joining *j)
{
    const struct ttp_cpp_report *cpp = j->logs->cpp;
    const struct ttp_device_log *log = j->logs->device;
    const size_t max = cpp ? cpp->nrows : log->nexecs;
    struct execution *all = TTP_NEW(j->arena, struct execution, max + 1);
    size_t n = 0;

    for (size_t i = 0; i < max; i++) {
        struct execution e = {0};

        if (cpp) {
            const int64_t *v = cpp->row[i].number;
            const bool timed = v[TTP_CPP_FW_START] != TTP_CPP_EMPTY &&
                               v[TTP_CPP_FW_END] != TTP_CPP_EMPTY && v[TTP_CPP_FW_START] > 0;

            e = (struct execution){v[TTP_CPP_DEVICE], (uint64_t)v[TTP_CPP_RUN_ID],
                                   timed ? (uint64_t)v[TTP_CPP_FW_START] : 0,
                                   timed ? (uint64_t)v[TTP_CPP_FW_END] : 0};
        } else {
            e = (struct execution){log->device[log->exec[i].device], log->exec[i].run_id,
                                   log->exec[i].first_cycle, log->exec[i].last_cycle};
        }
        if (e.id)
            all[n++] = e;
    }
    *out = all;
    return n;
}

/* ---- numbers of ops ---- */

static bool is_of_host(const struct ttp_joining *j, const struct execution *e)
{
    const struct ttp_host_op *op = ttp_logs_find_op(j->logs->host, e->id);

    return op && op->info->has_device && op->info->device == e->device;
}

/* Those that must have run on a device, as far as the host knows; *first is one. */
static size_t count_host_ops(const struct ttp_joining *j, const struct ttp_host_op **first)
{
    const struct ttp_host_log *host = j->logs->host;
    size_t n = 0;

    for (size_t i = 0; i < host->nops; i++) {
        const struct ttp_host_op *op = &host->op[i];

        if (!op->info->has_device || (op->trace_id != TTP_NO_ID &&
                                      !ttp_logs_find_replays(host, op->info->device, op->trace_id)))
            continue;
        if (n++ == 0)
            *first = op;
    }
    return n;
}

static ttp_code check_ids(const struct ttp_joining *j, const struct execution *e, size_t n,
                          const char *file, struct ttp_err *err)
{
    const struct ttp_host_op *first = NULL;
    const size_t nhost = count_host_ops(j, &first);

    for (size_t i = 0; i < n; i++)
        if (is_of_host(j, &e[i]))
            return TTP_OK;
    if (n == 0 || nhost == 0)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE,
             "logs of different runs: none of the host's %zu ops (such as op %" PRIu64
             " on device %" PRId64 ") is among the %zu of %s (such as op %" PRIu64
             " on device %" PRId64 ")",
             nhost, first->id, first->info->device, n, file, e[0].id, e[0].device);
    ttp_err_hint(err, "keep the logs of one run together, or use only the device log with "
                      "--device-only");
    ttp_err_where(err, HOST_LOG, first->line);
    return TTP_EPARSE;
}

/* ---- times ---- */

TTP_ORDER(by_device_and_start, struct execution, TTP_UP(device), TTP_UP(start))

/* Cycles in which some op ran on the device whose executions these are, sorted. */
static uint64_t count_busy(const struct execution *e, size_t n)
{
    uint64_t busy = 0, until = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t from = e[i].start > until ? e[i].start : until;

        if (e[i].end > from)
            busy += e[i].end - from;
        until = e[i].end > until ? e[i].end : until;
    }
    return busy;
}

static ttp_code check_times(const struct ttp_joining *j, struct execution *e, size_t n,
                            const char *file, struct ttp_err *err)
{
    const double mhz = j->logs->device ? (double)j->logs->device->clock_mhz : 0;
    const double most_us = (double)j->logs->elapsed_us * SLACK_FACTOR + SLACK_US;

    if (!j->logs->elapsed_us || mhz <= 0 || n == 0)
        return TTP_OK;
    TTP_SORT(e, n, by_device_and_start);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && e[end].device == e[first].device;)
            end++;
        const double us = (double)count_busy(e + first, end - first) / mhz;
        if (us <= most_us)
            continue;
        ttp_fail(err, TTP_EPARSE,
                 "logs of different runs: device %" PRId64
                 " worked for %.1f s according to %s, but the whole run took %.1f s",
                 e[first].device, us / 1e6, file, (double)j->logs->elapsed_us / 1e6);
        ttp_err_hint(err, "keep the logs of one run together, or record again");
        ttp_err_where(err, file, 0);
        return TTP_EPARSE;
    }
    return TTP_OK;
}

ttp_code ttp_ops_join_check_run(const struct ttp_joining *j, struct ttp_err *err)
{
    const char *file = j->logs->cpp ? "cpp_device_perf_report.csv" : "profile_log_device.csv";
    struct execution *e;

    if (j->options->rules.by_position || (!j->logs->cpp && !j->logs->device->has_op_ids))
        return TTP_OK;
    const size_t n = list_executions(&e, j);
    TTP_TRY(check_ids(j, e, n, file, err));
    return check_times(j, e, n, file, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/join.h"

#include <inttypes.h>

#include "base/order.h"
#include "base/vec.h"
#include "ops/counters.h"

static struct ttp_exec_key key_of(const struct ttp_device_log *log, const struct ttp_exec *e)
{
    return (struct ttp_exec_key){log->device[e->device], e->run_id, e->trace_id, e->replay};
}

static void index_execs(struct ttp_joining *j)
{
    const struct ttp_device_log *log = j->logs->device;

    if (!log || log->nexecs == 0)
        return;
    for (size_t i = 0; i < log->nexecs; i++) {
        const struct ttp_exec_key key = key_of(log, &log->exec[i]);

        ttp_map_add(&j->execs, ttp_exec_key_hash(&key), (uint32_t)i);
    }
}

static const struct ttp_exec *find_exec(const struct ttp_joining *j, const struct ttp_exec_key *key)
{
    const struct ttp_device_log *log = j->logs->device;
    uint32_t at;

    TTP_MAP_EACH (at, &j->execs, ttp_exec_key_hash(key)) {
        const struct ttp_exec *e = &log->exec[at];
        const struct ttp_exec_key other = key_of(log, e);
        if (ttp_exec_key_eq(&other, key))
            return e;
    }
    return NULL;
}

ttp_code ttp_ops_join_device_missing(struct ttp_joining *j, const struct ttp_host_device *device,
                                     const char *file, struct ttp_err *err)
{
    const struct ttp_host_op *first = &j->logs->host->op[device->op[0]];

    if (!j->options->rules.strict) {
        ttp_ops_problem_add(&j->report->problem[TTP_PROBLEM_DEVICE_MISSING], "tracy_ops_data.csv",
                            first->line, "device %" PRId64 ", %zu ops", device->id, device->nops);
        return TTP_OK;
    }
    ttp_fail(err, TTP_EPARSE,
             "device %" PRId64 " is in the host logs but not in %s: %zu ops, the first is %" PRIu64,
             device->id, file, device->nops, first->id);
    ttp_err_hint(err, "%s", ttp_ops_problem_hint(TTP_PROBLEM_DEVICE_MISSING));
    ttp_err_where(err, "tracy_ops_data.csv", first->line);
    return TTP_EPARSE;
}

int64_t ttp_ops_join_sub_device(const struct ttp_joining *j, struct ttp_exec_key key)
{
    if (j->look)
        return j->look->sub_device(j->look, &key);
    const struct ttp_exec *e = find_exec(j, &key);

    /* without trace columns all replays of an op have the one entry */
    if (!e && j->logs->device && !j->logs->device->has_replays && !j->options->rules.strict) {
        key.trace_id = key.replay = TTP_NO_ID;
        e = find_exec(j, &key);
    }
    return e ? e->sub_device : TTP_NO_ID;
}

void ttp_ops_join_put_replay(struct ttp_joining *j, const struct ttp_report_row *row)
{
    const uint64_t hash = ttp_hash_u64(row->id, (uint64_t)row->session << 32);
    uint32_t at;

    TTP_MAP_EACH (at, &j->replays, hash)
        if (j->replay[at].id == row->id && j->replay[at].session == row->session) {
            j->replay[at] = *row;
            return;
        }
    ttp_map_add(&j->replays, hash, (uint32_t)j->nreplays);
    *TTP_PUSH(j->arena, j->replay, j->nreplays) = *row;
}

ttp_code ttp_ops_join_check_dispatch(const struct ttp_joining *j, struct ttp_err *err)
{
    const struct ttp_device_log *log = j->logs->device;
    const struct ttp_dispatch_op *first = &log->unpaired_dispatch;
    struct ttp_problem *problem = &j->report->problem[TTP_PROBLEM_DISPATCH_UNMATCHED];

    if (log->unpaired_dispatch_cores == 0)
        return TTP_OK;
    if (!j->options->rules.strict) {
        ttp_ops_problem_add(problem, "profile_log_device.csv", first->line,
                            "op %" PRIu64 " on device %" PRId64 ", which only BRISC names",
                            first->run_id, log->device[first->device]);
        problem->count += log->unpaired_dispatch_cores - 1;
        return TTP_OK;
    }
    ttp_fail(err, TTP_EPARSE,
             "the BRISC of a dispatch core of device %" PRId64
             " names more ops than its NCRISC: op %" PRIu64 " has no counterpart",
             log->device[first->device], first->run_id);
    ttp_err_where(err, "profile_log_device.csv", first->line);
    return TTP_EPARSE;
}

ttp_code ttp_ops_join_check_analyses(const struct ttp_joining *j,
                                     const struct ttp_device_ops *found, struct ttp_err *err)
{
    for (size_t i = 0; i < found->nops && j->options->rules.strict; i++) {
        if (ttp_device_op_has_any(&found->op[i], j->wanted))
            continue;
        ttp_fail(err, TTP_EPARSE, "op %" PRIu64 " has none of the requested analyses",
                 found->op[i].last_id);
        ttp_err_where(err, "profile_log_device.csv", found->op[i].exec->line);
        return TTP_EPARSE;
    }
    return TTP_OK;
}

struct device_op {
    size_t device; /* order of first appearance */
    uint64_t id;
    uint32_t op;
};

TTP_ORDER(by_device_and_id, struct device_op, TTP_UP(device), TTP_UP(id))

/* Host ops of each device, devices in order of their first op. */
static size_t group_by_device(struct ttp_joining *j, struct ttp_host_device **out)
{
    const struct ttp_host_log *host = j->logs->host;
    struct device_op *list = TTP_NEW(j->arena, struct device_op, host->nops);
    struct ttp_host_device *device = NULL;
    size_t n = 0, ndevices = 0;

    for (size_t i = 0; i < host->nops; i++) {
        const struct ttp_op_info *info = host->op[i].info;
        size_t d = 0;

        if (!info->has_device)
            continue;
        while (d < ndevices && device[d].id != info->device)
            d++;
        if (d == ndevices)
            *TTP_PUSH(j->arena, device, ndevices) = (struct ttp_host_device){.id = info->device};
        device[d].nops++;
        list[n++] = (struct device_op){d, host->op[i].id, (uint32_t)i};
    }
    TTP_SORT(list, n, by_device_and_id);
    uint32_t *op = TTP_NEW(j->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        op[i] = list[i].op;
    for (size_t d = 0, at = 0; d < ndevices; at += device[d].nops, d++)
        device[d].op = op + at;
    *out = device;
    return ndevices;
}

struct order {
    int64_t time_ns;
    uint32_t row;
};

TTP_ORDER(by_time, struct order, TTP_UP(time_ns), TTP_UP(row))

/* Host ops, then replays, then signposts; of equal times the earlier in that list comes first. */
static void order_rows(struct ttp_joining *j)
{
    const struct ttp_host_log *host = j->logs->host;
    const size_t n = host->nops + j->nreplays + host->nsignposts;
    struct ttp_report_row *all = TTP_NEW(j->arena, struct ttp_report_row, n);
    struct order *order = TTP_NEW(j->arena, struct order, n);

    if (host->nops)
        memcpy(all, j->host, host->nops * sizeof(*all));
    if (j->nreplays)
        memcpy(all + host->nops, j->replay, j->nreplays * sizeof(*all));
    for (size_t i = 0; i < host->nsignposts; i++)
        all[host->nops + j->nreplays + i] = (struct ttp_report_row){.time_ns = host->signpost[i].ns,
                                                                    .signpost = &host->signpost[i]};
    for (size_t i = 0; i < n; i++)
        order[i] = (struct order){all[i].time_ns, (uint32_t)i};
    TTP_SORT(order, n, by_time);
    j->report->row = TTP_NEW(j->arena, struct ttp_report_row, n);
    j->report->nrows = n;
    for (size_t i = 0; i < n; i++)
        j->report->row[i] = all[order[i].row];
}

static void begin_rows(struct ttp_joining *j)
{
    const struct ttp_host_log *host = j->logs->host;

    j->host = TTP_NEW(j->arena, struct ttp_report_row, host->nops);
    for (size_t i = 0; i < host->nops; i++) {
        const struct ttp_host_op *op = &host->op[i];
        j->host[i] =
            (struct ttp_report_row){.time_ns = op->has_time ? op->start_ns : op->message_ns,
                                    .id = op->id,
                                    .op = op,
                                    .trace_id = TTP_NO_ID,
                                    .session = TTP_NO_ID,
                                    .sub_device = TTP_NO_ID};
    }
}

/* Every op needs a zone, and a description that is complete. */
static ttp_code check_host(struct ttp_joining *j, struct ttp_err *err)
{
    const struct ttp_host_log *host = j->logs->host;
    struct ttp_problem *problem = j->report->problem;

    for (size_t i = 0; i < host->nops; i++) {
        const struct ttp_host_op *op = &host->op[i];

        if (op->has_time && !op->info->fault)
            continue;
        if (j->options->rules.strict) {
            ttp_fail(err, TTP_EPARSE, "op %" PRIu64 " has %s", op->id,
                     op->has_time ? op->info->fault : "a message but no zone with its host time");
            ttp_err_where(err, "tracy_ops_data.csv", op->line);
            return TTP_EPARSE;
        }
        if (!op->has_time)
            ttp_ops_problem_add(&problem[TTP_PROBLEM_OP_WITHOUT_HOST_TIME], "tracy_ops_data.csv",
                                op->line, "op %" PRIu64, op->id);
        if (op->info->fault)
            ttp_ops_problem_add(&problem[TTP_PROBLEM_INCOMPLETE_OP], "tracy_ops_data.csv", op->line,
                                "op %" PRIu64 " has %s", op->id, op->info->fault);
    }
    return TTP_OK;
}

/* Of the file that has, or represents, the log of that name. */
static const char *base_name(const struct ttp_joining *j, const char *usual_name)
{
    const char *path = ttp_logs_path_of(j->logs->paths, usual_name);
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void add_faults(struct ttp_joining *j)
{
    const char *messages = base_name(j, "tracy_ops_data.csv");
    const char *zones = base_name(j, "tracy_ops_times.csv");
    const struct ttp_host_log *host = j->logs->host;
    struct ttp_problem *p = j->report->problem;

    if (host) {
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_CUT_MESSAGE], &host->cut_messages, messages);
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_CACHED_WITHOUT_OP], &host->unknown_cached,
                                  messages);
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_BAD_MESSAGE], &host->bad_messages, messages);
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_ZONE_WITHOUT_OP], &host->zones_without_op, zones);
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_BAD_ZONE], &host->bad_zones, zones);
    }
    if (j->logs->device) {
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_BAD_DEVICE_ROW], &j->logs->device->bad_rows,
                                  "profile_log_device.csv");
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_SUB_DEVICE_CONFLICT],
                                  &j->logs->device->sub_device_conflicts, "profile_log_device.csv");
    }
    if (j->logs->no_messages && !j->options->device_only)
        ttp_ops_problem_add(&p[TTP_PROBLEM_NO_MESSAGES], NULL, 0, "%s", "");
    if (j->logs->no_sub_devices)
        ttp_ops_problem_add(&p[TTP_PROBLEM_NO_SUB_DEVICES], NULL, 0, "%s", j->logs->no_sub_devices);
    if (j->logs->cpp)
        ttp_ops_problem_add_fault(&p[TTP_PROBLEM_BAD_REPORT_ROW], &j->logs->cpp->bad_rows,
                                  "cpp_device_perf_report.csv");
}

static bool mentions_quasar(ttp_str arch)
{
    return arch.len >= 6 &&
           (ttp_str_has(arch, TTP_STR("quasar")) || ttp_str_has(arch, TTP_STR("QUASAR")) ||
            ttp_str_has(arch, TTP_STR("Quasar")));
}

/* By the rules, a log that must be read in another way: from here on as that sees it. */
static ttp_code look_closer(struct ttp_joining *j, bool alone, struct ttp_err *err)
{
    const struct ttp_run_logs *logs = j->logs;

    if (!j->options->rules.look || !logs->device)
        return TTP_OK;
    TTP_TRY(j->options->rules.look(&j->look, logs, j->wanted, alone, j->arena, err));
    if (!j->look || !j->look->log)
        return TTP_OK;
    struct ttp_run_logs *seen = TTP_NEW(j->arena, struct ttp_run_logs, 1);

    *seen = *logs;
    seen->device = j->look->log;
    j->logs = seen;
    j->report->logs.device = seen->device;
    j->report->look = j->look;
    return TTP_OK;
}

/* Host and devices, row by row. */
static ttp_code join_both(struct ttp_joining *j, struct ttp_err *err)
{
    const struct ttp_run_logs *logs = j->logs;
    struct ttp_host_device *device;

    j->report->quasar = logs->device && mentions_quasar(logs->device->arch);
    j->report->mlir = logs->host->has_mlir && !j->options->rules.stock_columns;
    TTP_TRY(ttp_ops_join_check_run(j, err));
    begin_rows(j);
    const size_t ndevices = group_by_device(j, &device);
    if (logs->cpp)
        TTP_TRY(ttp_ops_join_cpp(j, device, ndevices, err));
    else
        TTP_TRY(ttp_ops_join_device(j, device, ndevices, err));
    TTP_TRY(check_host(j, err));
    if (!j->options->rules.gaps_by_row)
        ttp_ops_join_gaps(j);
    order_rows(j);
    return TTP_OK;
}

static ttp_code join(struct ttp_ops_report *out, const struct ttp_run_logs *logs,
                     const struct ttp_join_options *options, struct ttp_arena *arena,
                     struct ttp_err *err)
{
    struct ttp_joining j = {.logs = logs,
                            .options = options,
                            .report = out,
                            .arena = arena,
                            .replays.arena = arena,
                            .execs.arena = arena};

    *out = (struct ttp_ops_report){.rules = options->rules, .logs = *logs};
    const bool alone = options->device_only || !logs->host || logs->host->nops == 0;

    j.wanted = UINT32_MAX;
    if (!(options->rules.any_analysis && logs->cpp))
        TTP_TRY(ttp_ops_analysis_choose(&j.wanted, options, err));
    out->analyses = j.wanted;
    add_faults(&j);
    TTP_TRY(look_closer(&j, alone, err));
    logs = j.logs;
    index_execs(&j);
    if (!logs->cpp && (j.wanted >> TTP_AN_COUNTERS & 1))
        out->counters =
            ttp_ops_counters_build(logs->device, alone, options->rules.stock_columns, arena);
    if (alone) {
        out->device_only = true;
        return ttp_ops_join_device_only(&j, err);
    }
    return join_both(&j, err);
}

ttp_code ttp_ops_name_run_file(const struct ttp_run_logs *logs, ttp_code rc, struct ttp_err *err)
{
    if (rc != TTP_OK && err && err->path[0]) {
        char usual_name[sizeof(err->path)];

        memcpy(usual_name, err->path, sizeof(usual_name));
        ttp_err_where(err, ttp_logs_path_of(logs->paths, usual_name), err->line);
    }
    return rc;
}

ttp_code ttp_ops_join(struct ttp_ops_report *out, const struct ttp_run_logs *logs,
                      const struct ttp_join_options *options, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    return ttp_ops_name_run_file(logs, join(out, logs, options, arena, err), err);
}

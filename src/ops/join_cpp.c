/* SPDX-License-Identifier: Apache-2.0 */
/* Host ops joined with rows of cpp_device_perf_report.csv, by op id and trace. */
#include "ops/join.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/order.h"

/* A row under its key; of rows with the same key the last counts, at the place of the first. */
struct keyed {
    int64_t device, id, trace_id, replay;
    uint32_t place, row;
};

TTP_ORDER(by_key, struct keyed, TTP_UP(device), TTP_UP(id), TTP_UP(trace_id), TTP_UP(replay),
          TTP_UP(place))

TTP_ORDER(by_place, struct keyed, TTP_UP(device), TTP_UP(id), TTP_UP(place))

struct index {
    struct keyed *row; /* by device and id, then in file order */
    size_t nrows;
};

static void build_index(struct index *out, const struct ttp_cpp_report *cpp,
                        struct ttp_arena *arena)
{
    struct keyed *row = TTP_NEW(arena, struct keyed, cpp->nrows);
    size_t n = 0;

    for (size_t i = 0; i < cpp->nrows; i++) {
        const int64_t *number = cpp->row[i].number;
        row[i] = (struct keyed){number[TTP_CPP_DEVICE],
                                number[TTP_CPP_RUN_ID],
                                number[TTP_CPP_TRACE_ID],
                                number[TTP_CPP_REPLAY],
                                (uint32_t)i,
                                (uint32_t)i};
    }
    TTP_SORT(row, cpp->nrows, by_key);
    for (size_t i = 0; i < cpp->nrows; i++) {
        if (n && row[n - 1].device == row[i].device && row[n - 1].id == row[i].id &&
            row[n - 1].trace_id == row[i].trace_id && row[n - 1].replay == row[i].replay)
            row[n - 1].row = row[i].row;
        else
            row[n++] = row[i];
    }
    TTP_SORT(row, n, by_place);
    *out = (struct index){row, n};
}

/* The rows of one id on one device: *first and how many. */
static size_t rows_of(const struct index *index, int64_t device, int64_t id, size_t *first)
{
    size_t low = 0, n = 0;

    TTP_BISECT(low, index->nrows, middle,
               index->row[middle].device < device ||
                   (index->row[middle].device == device && index->row[middle].id < id));
    *first = low;
    while (low + n < index->nrows && index->row[low + n].device == device &&
           index->row[low + n].id == id)
        n++;
    return n;
}

static bool has_device(const struct index *index, int64_t device)
{
    size_t first;

    (void)rows_of(index, device, INT64_MIN, &first);
    return first < index->nrows && index->row[first].device == device;
}

static void put_row(struct ttp_joining *j, uint32_t op_index, const struct ttp_cpp_row *cpp)
{
    const struct ttp_host_op *op = &j->logs->host->op[op_index];
    const int64_t *number = cpp->number;
    const int64_t trace_id = number[TTP_CPP_TRACE_ID], session = number[TTP_CPP_REPLAY];
    struct ttp_report_row row = j->host[op_index];

    row.cpp = cpp;
    row.sub_device = ttp_ops_join_sub_device(
        j, (struct ttp_exec_key){number[TTP_CPP_DEVICE], (uint64_t)number[TTP_CPP_RUN_ID],
                                 trace_id == TTP_CPP_EMPTY ? TTP_NO_ID : trace_id,
                                 session == TTP_CPP_EMPTY ? TTP_NO_ID : session});
    if (session == TTP_CPP_EMPTY) {
        j->host[op_index] = row;
        return;
    }
    row.replay = true;
    row.session = session;
    row.trace_id = trace_id != TTP_CPP_EMPTY ? trace_id : op->trace_id;
    row.time_ns = op->message_ns;
    const struct ttp_trace_replays *replays =
        trace_id == TTP_CPP_EMPTY
            ? NULL
            : ttp_logs_find_replays(j->logs->host, op->info->device, trace_id);
    if (replays && session >= 1 && (uint64_t)session <= replays->count)
        row.time_ns = replays->ns[session - 1];
    else
        ttp_ops_problem_add(&j->report->problem[TTP_PROBLEM_REPLAY_WITHOUT_MESSAGE],
                            "cpp_device_perf_report.csv", cpp->line,
                            "op %" PRIu64 ", replay %" PRId64 " of trace %" PRId64, op->id, session,
                            row.trace_id);
    ttp_ops_join_put_replay(j, &row);
}

static ttp_code op_missing(struct ttp_joining *j, const struct ttp_host_op *op, struct ttp_err *err)
{
    const bool traced = op->trace_id != TTP_NO_ID;

    if (!j->options->rules.strict) {
        const bool replayed =
            !traced || ttp_logs_find_replays(j->logs->host, op->info->device, op->trace_id);
        ttp_ops_problem_add(&j->report->problem[replayed ? TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA
                                                         : TTP_PROBLEM_TRACE_NEVER_REPLAYED],
                            "tracy_ops_data.csv", op->line, "op %" PRIu64 " on device %" PRId64,
                            op->id, op->info->device);
        return TTP_OK;
    }
    char trace[48] = "";
    if (traced)
        snprintf(trace, sizeof(trace), ", trace %" PRId64, op->trace_id);
    ttp_fail(err, TTP_EPARSE,
             "op %" PRIu64 " is not in cpp_device_perf_report.csv for device %" PRId64
             "%s: its device data is missing",
             op->id, op->info->device, trace);
    ttp_err_hint(err, "%s",
                 ttp_ops_problem_hint(traced ? TTP_PROBLEM_TRACE_NEVER_REPLAYED
                                             : TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA));
    ttp_err_where(err, "tracy_ops_data.csv", op->line);
    return TTP_EPARSE;
}

/* Rows of the op's own trace; if there are none, of any trace, one trace after the other. */
static ttp_code join_op(struct ttp_joining *j, const struct index *index, uint32_t op_index,
                        struct ttp_err *err)
{
    const struct ttp_host_op *op = &j->logs->host->op[op_index];
    const struct ttp_cpp_report *cpp = j->logs->cpp;
    const int64_t trace_id = op->trace_id == TTP_NO_ID ? TTP_CPP_EMPTY : op->trace_id;
    size_t first, own = 0;
    const size_t n = rows_of(index, op->info->device, (int64_t)op->id, &first);
    const struct keyed *row = &index->row[first];

    if (n == 0)
        return op_missing(j, op, err);
    for (size_t i = 0; i < n; i++) {
        if (row[i].trace_id == trace_id) {
            put_row(j, op_index, &cpp->row[row[i].row]);
            own++;
        }
    }
    if (own)
        return TTP_OK;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = row[k].trace_id == row[i].trace_id;
        for (size_t k = i; k < n && !seen; k++)
            if (row[k].trace_id == row[i].trace_id)
                put_row(j, op_index, &cpp->row[row[k].row]);
    }
    return TTP_OK;
}

/* Executions in the report that no host op asks for. */
static void count_strangers(struct ttp_joining *j, const struct index *index)
{
    for (size_t i = 0; i < index->nrows; i++)
        if (index->row[i].id != 0 && !ttp_logs_find_op(j->logs->host, (uint64_t)index->row[i].id))
            ttp_ops_problem_add(
                &j->report->problem[TTP_PROBLEM_DEVICE_OP_WITHOUT_HOST],
                "cpp_device_perf_report.csv", j->logs->cpp->row[index->row[i].row].line,
                "op %" PRId64 " on device %" PRId64, index->row[i].id, index->row[i].device);
}

ttp_code ttp_ops_join_cpp(struct ttp_joining *j, const struct ttp_host_device *device,
                          size_t ndevices, struct ttp_err *err)
{
    struct index index;

    build_index(&index, j->logs->cpp, j->arena);
    for (size_t d = 0; d < ndevices; d++) {
        if (!has_device(&index, device[d].id)) {
            TTP_TRY(ttp_ops_join_device_missing(j, &device[d], "cpp_device_perf_report.csv", err));
            continue;
        }
        for (size_t i = 0; i < device[d].nops; i++)
            TTP_TRY(join_op(j, &index, device[d].op[i], err));
    }
    if (!j->options->rules.strict)
        count_strangers(j, &index);
    return TTP_OK;
}

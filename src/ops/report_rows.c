/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as process_ops_logs.py computes and prints them, in its order: what is set later wins,
 * except that the C++ report fills only what is still empty. */
#include "ops/report_rows.h"

#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "base/order.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "ops/join.h"

static const struct {
    enum ttp_analysis analysis;
    enum ttp_ops_field column;
} measures[] = {
    {TTP_AN_FW, FIELD_FW},
    {TTP_AN_KERNEL, FIELD_KERNEL},
    {TTP_AN_KERNEL_DM_START, FIELD_KERNEL_DM_START},
    {TTP_AN_FIRST_TO_LAST_START, FIELD_FIRST_TO_LAST_START},
    {TTP_AN_BRISC, FIELD_BRISC},
    {TTP_AN_NCRISC, FIELD_NCRISC},
    {TTP_AN_TRISC0, FIELD_TRISC0},
    {TTP_AN_TRISC1, FIELD_TRISC1},
    {TTP_AN_TRISC2, FIELD_TRISC2},
    {TTP_AN_ERISC, FIELD_ERISC},
    {TTP_AN_CB_WAIT, FIELD_CB_WAIT},
    {TTP_AN_CB_RESERVE, FIELD_CB_RESERVE},
    {TTP_AN_DISPATCH_COMMAND, FIELD_DISPATCH_COMMAND},
    {TTP_AN_DISPATCH_GO, FIELD_DISPATCH_GO},
};

void ttp_ops_rendering_init(struct ttp_rendering *r, const struct ttp_ops_report *report,
                            struct ttp_arena *arena, struct ttp_arena *scratch)
{
    const struct ttp_cpp_report *cpp = report->logs.cpp;

    *r = (struct ttp_rendering){.report = report, .arena = arena, .scratch = scratch};
    if (report->counters || report->ncounted)
        r->counters = TTP_NEW(arena, struct ttp_counter_row, report->ncounted + 1);
    if (!cpp)
        return;
    r->cpp_column = TTP_NEW(arena, int, cpp->ncolumns);
    for (size_t c = 0; c < cpp->ncolumns; c++)
        r->cpp_column[c] = ttp_ops_find_field(cpp->column[c]);
}

static struct ttp_device_past *past_of(struct ttp_rendering *r, int64_t device)
{
    for (size_t i = 0; i < r->npast; i++)
        if (r->past[i].device == device)
            return &r->past[i];
    TTP_ROOM(r->arena, r->past, r->npast);
    r->past[r->npast] = (struct ttp_device_past){.device = device};
    return &r->past[r->npast++];
}

static ttp_str text_i64(struct ttp_rendering *r, int64_t v)
{
    char text[TTP_NUM_MAX];
    return ttp_arena_copy(r->scratch, (ttp_str){text, ttp_num_i64(text, v)});
}

static ttp_str text_u64(struct ttp_rendering *r, uint64_t v)
{
    char text[TTP_NUM_MAX];
    return ttp_arena_copy(r->scratch, (ttp_str){text, ttp_num_u64(text, v)});
}

/* Of the sum, which may have a digit more than either. */
static ttp_str text_sum(struct ttp_rendering *r, int64_t a, int64_t b)
{
    const __int128 sum = (__int128)a + b;
    unsigned __int128 left = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    char text[TTP_NUM_MAX];
    size_t at = sizeof(text);

    do
        text[--at] = (char)('0' + (int)(left % 10));
    while ((left /= 10) != 0);
    if (sum < 0)
        text[--at] = '-';
    return ttp_arena_copy(r->scratch, (ttp_str){text + at, sizeof(text) - at});
}

/* "%.0f" */
static ttp_str text_whole(struct ttp_rendering *r, double v)
{
    char text[TTP_NUM_FIXED_MAX];
    return ttp_arena_copy(r->scratch, (ttp_str){text, ttp_num_fixed(text, v, 0, false)});
}

static ttp_str text_f64(struct ttp_rendering *r, double v)
{
    char text[TTP_NUM_MAX];
    return ttp_arena_copy(r->scratch, (ttp_str){text, ttp_num_f64(text, v, TTP_NUM_PYTHON)});
}

/* round() to a whole number, half to even; nothing beyond 64 bits. */
static ttp_str text_round(struct ttp_rendering *r, double v)
{
    const double rounded = nearbyint(v);
    return fabs(rounded) < 9e18 ? text_i64(r, (int64_t)rounded) : text_whole(r, rounded);
}

static void fill_signpost(struct ttp_rendering *r, const struct ttp_signpost *s)
{
    ttp_str text = s->text, line;
    size_t at;

    while ((at = ttp_str_find(text, TTP_STR(": "))) != TTP_NPOS)
        text = ttp_str_slice(text, at + 2, text.len);
    const size_t end = ttp_str_find_char(text, '\n');
    r->cell[FIELD_OP_CODE] = ttp_str_slice(text, 0, end);
    r->cell[FIELD_OP_TYPE] = TTP_STR("signpost");
    if (end != TTP_NPOS) {
        line = ttp_str_slice(text, end + 1, text.len);
        r->cell[FIELD_ATTRIBUTES] = ttp_str_slice(line, 0, ttp_str_find_char(line, '\n'));
    }
    r->cell[FIELD_HOST_START] = text_i64(r, s->ns);
}

static void fill_host(struct ttp_rendering *r, const struct ttp_report_row *row)
{
    const struct ttp_host_op *op = row->op;
    const struct ttp_op_info *info = op->info;

    for (size_t i = 0; i < info->nfields; i++) {
        const int column = ttp_ops_field_of_member(info->field[i].key);
        if (column >= 0)
            r->cell[column] = info->field[i].text;
    }
    r->cell[FIELD_CALL_COUNT] =
        row->device && row->device->id_text.ptr ? row->device->id_text : text_u64(r, row->id);
    r->cell[FIELD_TRACE_ID] = r->cell[FIELD_SESSION] = TTP_STR("");
    if (row->replay) {
        r->cell[FIELD_TRACE_ID] =
            row->trace_id == TTP_NO_ID ? TTP_STR("None") : text_i64(r, row->trace_id);
        r->cell[FIELD_SESSION] = text_i64(r, row->session);
    }
    if (row->sub_device != TTP_NO_ID)
        r->cell[FIELD_SUB_DEVICE] = text_i64(r, row->sub_device);
    if (op->has_time) {
        r->cell[FIELD_HOST_START] = text_i64(r, op->start_ns);
        r->cell[FIELD_HOST_END] = text_sum(r, op->start_ns, op->duration_ns);
        r->cell[FIELD_HOST_DURATION] = text_i64(r, op->duration_ns);
    } else {
        r->cell[FIELD_HOST_START] = text_i64(r, op->message_ns);
    }
    if (info->has_kernels) {
        r->cell[FIELD_COMPUTE_SOURCE] = info->compute_source;
        r->cell[FIELD_COMPUTE_HASH] = info->compute_hash;
        r->cell[FIELD_DM_SOURCE] = info->dm_source;
        r->cell[FIELD_DM_HASH] = info->dm_hash;
        if (info->fidelity.ptr)
            r->cell[FIELD_FIDELITY] = info->fidelity;
    }
    if (info->has_hash)
        r->cell[FIELD_PROGRAM_HASH] = info->hash;
    if (op->cache_hit.len)
        r->cell[FIELD_CACHE_HIT] = op->cache_hit;
}

/* The report cannot hold this analysis of the op, or divides by its length. */
static ttp_code refuse(const struct ttp_rendering *r, const struct ttp_report_row *row,
                       enum ttp_analysis a, bool no_column, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "analysis '%s' of op %" PRIu64 " on device %" PRId64 " %s",
             ttp_ops_analysis_name(a), row->device->first_id,
             r->report->logs.device->device[row->device->device],
             no_column ? "has no column: a log of the trace-only profiler"
                       : "is zero cycles long, and its length is a divisor");
    ttp_err_where(err, "profile_log_device.csv", row->device->exec->line);
    return TTP_EPARSE;
}

static double ns_of(const struct ttp_ops_report *report, double cycles)
{
    return cycles * 1000 / (double)report->logs.device->clock_mhz;
}

/* Cycles per ns, from a duration and its own length in ns. */
static double cycles_per_ns(const struct ttp_ops_report *report, int64_t cycles)
{
    return (double)cycles / ns_of(report, (double)cycles);
}

static bool wanted(const struct ttp_report_row *row, enum ttp_analysis a)
{
    return row->device->span[a].valid;
}

/* Spans of the trace-only profiler replace those of the RISCs. */
static void fill_trace_spans(struct ttp_rendering *r, const struct ttp_device_op *op)
{
    const struct ttp_measure *fw = &op->span[TTP_AN_TRACE_FW];
    const struct ttp_measure *kernel = &op->span[TTP_AN_TRACE_KERNEL];

    if (fw->valid && !op->span[TTP_AN_FW].valid) {
        r->cell[FIELD_FW] = text_whole(r, ns_of(r->report, (double)fw->cycles));
        r->cell[FIELD_FW_START] = text_i64(r, fw->start_cycle);
        r->cell[FIELD_FW_END] = text_i64(r, fw->end_cycle);
    }
    if (kernel->valid && !op->span[TTP_AN_KERNEL].valid)
        r->cell[FIELD_KERNEL] = text_whole(r, ns_of(r->report, (double)kernel->cycles));
}

static ttp_code check_spans(const struct ttp_rendering *r, const struct ttp_report_row *row,
                            struct ttp_err *err)
{
    const struct ttp_device_op *op = row->device;

    for (int a = 0; a < TTP_AN_SPANS; a++) {
        if (!op->span[a].valid)
            continue;
        if (a == TTP_AN_TRACE_FW || a == TTP_AN_TRACE_KERNEL)
            return refuse(r, row, (enum ttp_analysis)a, true, err);
        if (op->span[a].cycles == 0 && !r->report->device_only)
            return refuse(r, row, (enum ttp_analysis)a, false, err);
    }
    if (op->has_per_core && op->core_first == 0 && !r->report->device_only)
        return refuse(r, row, TTP_AN_PER_CORE, false, err);
    return TTP_OK;
}

static void fill_per_core(struct ttp_rendering *r, const struct ttp_device_op *op)
{
    const struct ttp_ops_report *report = r->report;

    if (!op->has_per_core)
        return;
    if (report->rules.rates_by_core && !report->device_only) {
        const double f = cycles_per_ns(report, op->core_first);
        r->cell[FIELD_CORE_MIN] = text_whole(r, (double)op->core_min / f);
        r->cell[FIELD_CORE_MAX] = text_whole(r, (double)op->core_max / f);
        r->cell[FIELD_CORE_AVG] = text_whole(r, op->core_mean / f);
        return;
    }
    r->cell[FIELD_CORE_MIN] = text_whole(r, ns_of(report, (double)op->core_min));
    r->cell[FIELD_CORE_MAX] = text_whole(r, ns_of(report, (double)op->core_max));
    r->cell[FIELD_CORE_AVG] = text_whole(r, ns_of(report, op->core_mean));
}

/* With a decimal where some cell of the column made floats of all. */
static ttp_str text_cycle(struct ttp_rendering *r, int64_t cycle)
{
    const struct ttp_device_look *look = r->report->look;

    return look && look->float_cycles ? text_f64(r, (double)cycle) : text_i64(r, cycle);
}

static ttp_code fill_device(struct ttp_rendering *r, const struct ttp_report_row *row,
                            struct ttp_err *err)
{
    const struct ttp_device_op *op = row->device;

    if (r->report->rules.strict)
        TTP_TRY(check_spans(r, row, err));
    else
        fill_trace_spans(r, op);
    for (size_t i = 0; i < TTP_COUNT(measures); i++) {
        const struct ttp_measure *m = &op->span[measures[i].analysis];
        if (m->valid)
            r->cell[measures[i].column] = text_whole(r, ns_of(r->report, (double)m->cycles));
    }
    fill_per_core(r, op);
    if (wanted(row, TTP_AN_FW)) {
        r->cell[FIELD_FW_START] = text_cycle(r, op->span[TTP_AN_FW].start_cycle);
        r->cell[FIELD_FW_END] = text_cycle(r, op->span[TTP_AN_FW].end_cycle);
    }
    return TTP_OK;
}

/* Gaps between the op and the one before it in the report, on the same device. */
static void fill_device_gaps(struct ttp_rendering *r, const struct ttp_report_row *row,
                             int64_t device)
{
    const struct ttp_device_op *op = row->device;
    const struct ttp_measure *kernel = &op->span[TTP_AN_KERNEL];
    const struct ttp_measure *dm = &op->span[TTP_AN_KERNEL_DM_START];
    struct ttp_device_past *past = past_of(r, device);
    const bool only = r->report->device_only;
    const double mhz = (double)r->report->logs.device->clock_mhz;

    if (!only && !kernel->valid)
        return;
    const double f = only ? 0 : cycles_per_ns(r->report, kernel->cycles);
    if (kernel->valid) {
        const double gap = (double)(kernel->start_cycle - past->kernel_end);
        r->cell[FIELD_GAP] =
            !past->has_kernel_end ? TTP_STR("0") : text_round(r, only ? 1000 * gap / mhz : gap / f);
        past->has_kernel_end = true;
        past->kernel_end = kernel->end_cycle;
    }
    if (dm->valid) {
        const double gap = (double)(dm->start_cycle - past->dm_end);
        r->cell[FIELD_DM_GAP] =
            !past->has_dm_end ? TTP_STR("0") : text_round(r, only ? 1000 * gap / mhz : gap / f);
        past->has_dm_end = true;
        past->dm_end = dm->end_cycle;
    }
}

static void fill_exact_gaps(struct ttp_rendering *r, const struct ttp_report_row *row)
{
    if (row->has_gap)
        r->cell[FIELD_GAP] = text_round(r, (double)row->gap_cycles * 1000 / row->mhz);
    if (row->has_dm_gap)
        r->cell[FIELD_DM_GAP] = text_round(r, (double)row->dm_gap_cycles * 1000 / row->mhz);
}

/* ns per cycle of a device: from the first row that has a firmware duration. */
static double clock_of(const struct ttp_cpp_row *cpp)
{
    const int64_t start = cpp->number[TTP_CPP_FW_START], end = cpp->number[TTP_CPP_FW_END];
    const int64_t ns = cpp->number[TTP_CPP_FW_NS];

    if (start == TTP_CPP_EMPTY || end == TTP_CPP_EMPTY || ns == TTP_CPP_EMPTY || ns == 0 ||
        end - start <= 0)
        return 0;
    return (double)ns / (double)(end - start);
}

/* A gap the C++ report left open; `text` is what it says otherwise. */
static ttp_str cpp_gap(struct ttp_rendering *r, ttp_str text, int64_t cycles, double ns_per_cycle)
{
    return text.len ? text
           : ns_per_cycle == 0 || cycles == TTP_CPP_EMPTY
               ? TTP_STR("0")
               : text_round(r, (double)cycles * ns_per_cycle);
}

static void fill_quasar_gap(struct ttp_rendering *r, const struct ttp_cpp_row *cpp,
                            struct ttp_device_past *past, int type)
{
    const int64_t start = cpp->number[type ? TTP_CPP_QUASAR_TRISC_START : TTP_CPP_QUASAR_DM_START];
    const int64_t end = cpp->number[type ? TTP_CPP_QUASAR_TRISC_END : TTP_CPP_QUASAR_DM_END];
    const int64_t ns = cpp->number[type ? TTP_CPP_QUASAR_TRISC_NS : TTP_CPP_QUASAR_DM_NS];

    if (start != TTP_CPP_EMPTY) {
        const int64_t span = end == TTP_CPP_EMPTY ? 0 : end - start;
        ttp_str *cell = &r->cell[type ? FIELD_QUASAR_TRISC_GAP : FIELD_QUASAR_DM_GAP];

        *cell = TTP_STR("0");
        if (past->has_quasar_end[type] && ns != TTP_CPP_EMPTY && ns != 0 && span > 0)
            *cell = text_round(r, (double)(start - past->quasar_end[type]) *
                                      ((double)ns / (double)span));
    }
    if (end != TTP_CPP_EMPTY) {
        past->has_quasar_end[type] = true;
        past->quasar_end[type] = end;
    }
}

static ttp_str cpp_text(const struct ttp_rendering *r, const struct ttp_cpp_row *cpp,
                        enum ttp_ops_field column)
{
    for (size_t c = 0; c < r->report->logs.cpp->ncolumns; c++)
        if (r->cpp_column[c] == (int)column)
            return cpp->cell[c];
    return (ttp_str){0};
}

static void fill_cpp_gaps(struct ttp_rendering *r, const struct ttp_cpp_row *cpp)
{
    const int64_t *number = cpp->number;
    struct ttp_device_past *past = past_of(r, number[TTP_CPP_DEVICE]);

    if (past->ns_per_cycle == 0)
        past->ns_per_cycle = clock_of(cpp);
    const bool kernel = past->has_kernel_end && number[TTP_CPP_KERNEL_START] != TTP_CPP_EMPTY &&
                        number[TTP_CPP_KERNEL_END] != TTP_CPP_EMPTY;
    const bool dm = past->has_dm_end && number[TTP_CPP_DM_START] != TTP_CPP_EMPTY &&
                    number[TTP_CPP_DM_END] != TTP_CPP_EMPTY;
    r->cell[FIELD_GAP] =
        cpp_gap(r, cpp_text(r, cpp, FIELD_GAP),
                kernel ? number[TTP_CPP_KERNEL_START] - past->kernel_end : TTP_CPP_EMPTY,
                past->ns_per_cycle);
    r->cell[FIELD_DM_GAP] =
        cpp_gap(r, cpp_text(r, cpp, FIELD_DM_GAP),
                dm ? number[TTP_CPP_DM_START] - past->dm_end : TTP_CPP_EMPTY, past->ns_per_cycle);
    if (number[TTP_CPP_KERNEL_END] != TTP_CPP_EMPTY) {
        past->has_kernel_end = true;
        past->kernel_end = number[TTP_CPP_KERNEL_END];
    }
    if (number[TTP_CPP_DM_END] != TTP_CPP_EMPTY) {
        past->has_dm_end = true;
        past->dm_end = number[TTP_CPP_DM_END];
    }
    if (r->report->quasar) {
        fill_quasar_gap(r, cpp, past, 0);
        fill_quasar_gap(r, cpp, past, 1);
    }
}

/* Every other cell of the C++ report that is not empty here yet. */
static void fill_cpp_cells(struct ttp_rendering *r, const struct ttp_cpp_row *cpp)
{
    for (size_t c = 0; c < r->report->logs.cpp->ncolumns; c++) {
        const int column = r->cpp_column[c];

        if (column < 0 || cpp->cell[c].len == 0 || r->cell[column].len)
            continue;
        if (column == FIELD_CALL_COUNT || column == FIELD_DEVICE_ID || column == FIELD_CORE_COUNT ||
            column == FIELD_TRACE_ID || column == FIELD_SESSION || column == FIELD_GAP ||
            column == FIELD_DM_GAP)
            continue;
        r->cell[column] = cpp->cell[c];
    }
}

static void fill_model(struct ttp_rendering *r, const struct ttp_op_info *info)
{
    char text[TTP_NUM_FIXED_MAX];
    double compute, kernel, rounded;

    if (!info->has_model)
        return;
    r->cell[FIELD_PM_IDEAL] = info->ideal_ns;
    r->cell[FIELD_PM_COMPUTE] = info->compute_ns;
    r->cell[FIELD_PM_BANDWIDTH] = info->bandwidth_ns;
    r->cell[FIELD_PM_INPUT_BW] = info->input_bws;
    r->cell[FIELD_PM_OUTPUT_BW] = info->output_bws;
    if (!r->cell[FIELD_KERNEL].ptr || !ttp_python_float(r->cell[FIELD_KERNEL], &kernel) ||
        !ttp_python_float(info->compute_ns, &compute))
        return;
    if (kernel == 0) {
        r->cell[FIELD_PM_FPU_UTIL] = TTP_STR("0.0");
        return;
    }
    /* round(x, 3): the decimal that is nearest to the exact value, then the double nearest to it */
    const size_t n = ttp_num_fixed(text, 100.0 * compute / kernel, 3, false);
    if (ttp_str_to_f64((ttp_str){text, n}, &rounded))
        r->cell[FIELD_PM_FPU_UTIL] = text_f64(r, rounded);
}

static ttp_code fill_device_only(struct ttp_rendering *r, const struct ttp_report_row *row,
                                 struct ttp_err *err)
{
    const struct ttp_device_log *log = r->report->logs.device;
    const struct ttp_exec *e = row->device->exec;

    r->cell[FIELD_CALL_COUNT] =
        row->device->id_text.ptr ? row->device->id_text : text_u64(r, row->device->last_id);
    if (row->sub_device != TTP_NO_ID)
        r->cell[FIELD_SUB_DEVICE] = text_i64(r, row->sub_device);
    TTP_TRY(fill_device(r, row, err));
    if (r->report->rules.gaps_by_row)
        fill_device_gaps(r, row, log->device[row->device->device]);
    else
        fill_exact_gaps(r, row);
    if (r->report->rules.stock_columns)
        return TTP_OK;
    r->cell[FIELD_DEVICE_ID] = text_i64(r, log->device[row->device->device]);
    r->cell[FIELD_DEVICE_ARCH] = log->arch;
    r->cell[FIELD_CORE_COUNT] = text_u64(r, row->device->cores);
    if (e->replay != TTP_NO_ID) {
        if (e->trace_id != TTP_NO_ID)
            r->cell[FIELD_TRACE_ID] = text_i64(r, e->trace_id);
        r->cell[FIELD_SESSION] = text_i64(r, e->replay);
    }
    return TTP_OK;
}

static void drop_stock_quasar(struct ttp_rendering *r)
{
    static const enum ttp_ops_field stock[] = {FIELD_GAP,    FIELD_DM_GAP, FIELD_FW,
                                               FIELD_BRISC,  FIELD_NCRISC, FIELD_TRISC0,
                                               FIELD_TRISC1, FIELD_TRISC2, FIELD_ERISC};

    for (size_t i = 0; i < TTP_COUNT(stock); i++)
        r->cell[stock[i]] = (ttp_str){0};
}

/* round(v, digits) */
static ttp_str text_rounded(struct ttp_rendering *r, double v, int digits)
{
    char text[TTP_NUM_FIXED_MAX];
    double rounded = v;

    if (isfinite(v))
        (void)ttp_str_to_f64((ttp_str){text, ttp_num_fixed(text, v, digits, false)}, &rounded);
    return text_f64(r, rounded);
}

static const struct ttp_op_noc *find_noc(const struct ttp_ops_report *report, uint64_t run_id,
                                         int64_t trace_key)
{
    size_t low = 0;

    TTP_BISECT(low, report->nnocs, mid,
               report->noc[mid].run_id < run_id ||
                   (report->noc[mid].run_id == run_id && report->noc[mid].trace_key < trace_key));
    const struct ttp_op_noc *n = &report->noc[low];
    return low < report->nnocs && n->run_id == run_id && n->trace_key == trace_key ? n : NULL;
}

static void fill_noc(struct ttp_rendering *r, const struct ttp_report_row *row)
{
    const bool traced = row->replay && row->trace_id != TTP_NO_ID;
    const int64_t key =
        traced ? (int64_t)((uint64_t)row->trace_id << 32 | (uint64_t)row->session) : TTP_NO_ID;
    const struct ttp_op_noc *n = find_noc(r->report, row->id & UINT32_MAX, key);

    if (!n)
        return;
    r->cell[FIELD_NOC_UTIL] = text_rounded(r, n->util_pct, 1);
    r->cell[FIELD_MULTICAST_UTIL] = text_rounded(r, n->multicast_pct, 1);
    r->cell[FIELD_DRAM_UTIL] = text_rounded(r, n->dram_pct, 1);
    r->cell[FIELD_DRAM_UTIL_PER_CTRL] = n->dram_per_ctrl;
    r->cell[FIELD_ETH_UTIL] = n->eth_per_core;
    r->cell[FIELD_CONGESTION] = text_rounded(r, n->impact_pct, 2);
    r->cell[FIELD_HOT_LINK] = n->hot_link;
}

static void fill_counters(struct ttp_rendering *r, const struct ttp_report_row *row)
{
    const struct ttp_ops_report *report = r->report;

    if (report->counters && row->device)
        ttp_ops_counters_row(r->counters, report->counters, row->key, r->scratch);
    for (size_t i = 0; i < report->ncounted; i++) {
        const struct ttp_report_row *there = report->counted[i].row[row - report->row];
        if (there)
            ttp_ops_counters_row(&r->counters[i + 1], report->counted[i].tables, there->key,
                                 r->scratch);
    }
}

ttp_code ttp_ops_render_row(struct ttp_rendering *r, const struct ttp_report_row *row,
                            struct ttp_err *err)
{
    memset(r->cell, 0, sizeof(r->cell));
    if (row->signpost) {
        fill_signpost(r, row->signpost);
        return TTP_OK;
    }
    fill_counters(r, row);
    if (!row->op)
        return row->device ? fill_device_only(r, row, err) : TTP_OK;
    fill_host(r, row);
    if (row->device) {
        r->cell[FIELD_CORE_COUNT] = text_u64(r, row->device->cores);
        TTP_TRY(fill_device(r, row, err));
        if (r->report->rules.gaps_by_row)
            fill_device_gaps(r, row, row->op->info->device);
        if (!r->report->rules.stock_columns)
            r->cell[FIELD_DEVICE_ARCH] = r->report->logs.device->arch;
    }
    if (row->cpp) {
        if (row->cpp->number[TTP_CPP_CORE_COUNT] != TTP_CPP_EMPTY)
            r->cell[FIELD_CORE_COUNT] = text_i64(r, row->cpp->number[TTP_CPP_CORE_COUNT]);
        if (r->report->rules.gaps_by_row || r->report->quasar)
            fill_cpp_gaps(r, row->cpp);
        fill_cpp_cells(r, row->cpp);
    }
    if (!r->report->rules.gaps_by_row)
        fill_exact_gaps(r, row);
    fill_model(r, row->op->info);
    if (r->report->nnocs)
        fill_noc(r, row);
    if (r->report->quasar)
        drop_stock_quasar(r);
    return TTP_OK;
}

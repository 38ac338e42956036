/* SPDX-License-Identifier: Apache-2.0 */
/* run_noc_names.c - programs of NoC traces by the names that reports have for their ops. */
#include "base/map.h"
#include "noc/noc.h"
#include "run/run.h"

/* Ids of programs have the device in their last bits. */
#define DEVICE_BITS 10

static bool read_report(struct ttp_report *out, const struct ttp_program_names *names,
                        struct ttp_arena *arena)
{
    const struct ttp_run_plan plan = {.reading = {.threads = names->threads}};
    const struct ttp_ops_read_options reading = {.threads = names->threads};
    const struct ttp_report_options options = {
        .window = "all", .no_merge_devices = true, .boards = names->boards};
    struct ttp_ops *ops = TTP_NEW(arena, struct ttp_ops, 1);
    struct ttp_run_sources from;
    struct ttp_err ignored = {0};

    if (ttp_run_open_sources(&from, (struct ttp_paths){&names->dir, 1}, &plan, arena, &ignored) !=
        TTP_OK)
        return false;
    const ttp_code rc = ttp_run_read_ops(ops, &from, &reading, arena, &ignored);
    ttp_run_close_sources(&from);
    return rc == TTP_OK && ttp_analysis_run(out, ops, &options, arena, &ignored) == TTP_OK;
}

/* The first row of each program, by its id without the device. */
static void list_programs(struct ttp_map *out, const struct ttp_report *report)
{
    double id;

    for (size_t i = report->count; i-- > 0;)
        if (report->op[i].kind == TTP_OP_DEVICE && ttp_cell_f64(report->op[i].calls, &id) &&
            id >= 0 && id < 0x1p53)
            ttp_map_put(out, (uint64_t)id >> DEVICE_BITS, (uint32_t)i);
}

void ttp_run_name_programs(struct ttp_noc_results *programs, const struct ttp_program_names *names,
                           struct ttp_arena *arena)
{
    struct ttp_map first = {.arena = arena};
    struct ttp_report report;

    if (!read_report(&report, names, arena))
        return;
    list_programs(&first, &report);
    for (size_t i = 0; i < programs->count; i++) {
        struct ttp_noc_view *view = &programs->view[i];
        const uint32_t at = view->op_id ? ttp_map_get(&first, view->op_id) : TTP_MAP_NONE;

        if (at == TTP_MAP_NONE ||
            !ttp_str_eq(ttp_sym_name(report.syms, report.op[at].raw_code), view->op))
            continue;
        view->op_code = view->op;
        view->op = ttp_sym_name(report.syms, report.op[at].name);
        view->report_id = report.op[at].row + 2;
    }
}

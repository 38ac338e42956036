/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the logs of a run: messages, zones, device log, C++ report; the first byte says what
 * is done with them. No crash, no leak; what is joined is written, and the table that is written
 * can be read back with as many rows. */
#include <string.h>

#include "compat/compat.h"
#include "fuzz.h"
#include "memfile.h"
#include "parts.h"

enum { MESSAGES, ZONES, DEVICE, CPP, LOGS };
enum { STRICT = 1, DEVICE_ONLY = 2, LEGACY = 4, FEW = 8 };

struct files {
    struct memfile file[LOGS];
    bool has[LOGS];
};

static bool read_logs(struct ttp_run_logs *logs, const struct files *f, unsigned flags,
                      struct ttp_arena *arena)
{
    const struct ttp_logs_options options = {.threads = 1, .strict = flags & STRICT};
    struct ttp_host_log *host = TTP_NEW(arena, struct ttp_host_log, 1);
    struct ttp_device_log *device = TTP_NEW(arena, struct ttp_device_log, 1);
    struct ttp_cpp_report *cpp = TTP_NEW(arena, struct ttp_cpp_report, 1);
    const char *path[LOGS];

    for (size_t i = 0; i < LOGS; i++)
        path[i] = f->file[i].path;
    *logs = (struct ttp_run_logs){.no_messages = f->has[ZONES] && !f->has[MESSAGES]};
    if (f->has[MESSAGES]) {
        if (ttp_logs_read_messages(host, path[MESSAGES], &options, arena, NULL) != TTP_OK ||
            (f->has[ZONES] &&
             ttp_logs_read_zones(host, path[ZONES], &options, arena, NULL) != TTP_OK))
            return false;
        logs->host = host;
    }
    const bool joins = logs->host && host->nops > 0 && !(flags & DEVICE_ONLY);
    const bool has_cpp = joins && f->has[CPP] && !(flags & LEGACY);
    if (has_cpp) {
        if (ttp_logs_read_cpp_report(cpp, path[CPP], &options, arena, NULL) != TTP_OK)
            return false;
        logs->cpp = cpp;
    }
    if (!f->has[DEVICE])
        return has_cpp;
    const enum ttp_device_part part = has_cpp ? TTP_DEVICE_SUB_DEVICES
                                      : joins ? TTP_DEVICE_OPS
                                              : TTP_DEVICE_ALL;
    if (ttp_logs_read_device(device, path[DEVICE], part, &options, arena, NULL) != TTP_OK)
        return has_cpp && !options.strict;
    logs->device = device;
    return true;
}

static bool same_cell(const struct ttp_ops *a, struct ttp_cell x, const struct ttp_ops *b,
                      struct ttp_cell y)
{
    if (x.kind != y.kind || x.kind == TTP_CELL_MISSING)
        return x.kind == y.kind;
    if (x.kind == TTP_CELL_TEXT)
        return ttp_str_eq(ttp_sym_name(&a->syms, x.v.text), ttp_sym_name(&b->syms, y.v.text));
    return x.v.i == y.v.i;
}

/* Without the CSV between them the operations are the same. */
static void check_rows(const struct ttp_ops *read, const struct ttp_ops_report *report,
                       struct ttp_arena *arena)
{
    struct ttp_ops_rows *rows;
    const struct ttp_ops_read_options reading = {.threads = 1, .rows = &rows};
    const char *name = "rows";
    struct ttp_ops ops;

    must(ttp_ops_make_rows(&rows, report, arena, NULL) == TTP_OK);
    must(ttp_ops_read_csv(&ops, (struct ttp_paths){&name, 1}, &reading, arena, NULL) == TTP_OK);
    ttp_ops_drop_rows(rows);
    must(ops.rows == read->rows && ops.format == read->format);
    must(ops.bad_utf8_cells == read->bad_utf8_cells);
    for (size_t r = 0; r < ops.rows; r++) {
        for (int c = 0; c < TTP_OPS_TEXTS; c++)
            must(ttp_str_eq(ttp_sym_name(&ops.syms, ttp_ops_sym(&ops, (enum ttp_ops_text)c, r)),
                            ttp_sym_name(&read->syms, ttp_ops_sym(read, (enum ttp_ops_text)c, r))));
        for (int c = 0; c < TTP_OPS_NUMBERS; c++)
            must(same_cell(&ops, ttp_ops_cell(&ops, (enum ttp_ops_number)c, r), read,
                           ttp_ops_cell(read, (enum ttp_ops_number)c, r)));
    }
}

static void write_all(const struct ttp_ops_report *report, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    struct ttp_arena scratch = {0}; /* is rewound, the sink's is not */
    struct ttp_sink out;
    struct ttp_json_writer json = {.sink = &out};
    struct ttp_err err = {0};
    struct ttp_ops ops;
    const char *path;
    int fd;

    ttp_sink_to_arena(&out, arena);
    ttp_ops_write_counters(&out, report, &scratch);
    (void)ttp_ops_tell_problems(report, arena);
    for (size_t i = 0; i < report->nrows; i++) {
        struct ttp_row_parts parts;
        ttp_ops_row_parts(&parts, report, i);
        must(parts.op || parts.signpost || parts.exec || parts.cpp);
    }
    if (report->device_only)
        ttp_ops_write_per_core(&out, report, &scratch);
    if (ttp_ops_write_json(&json, report, &scratch, &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0]);
    err = (struct ttp_err){0};
    if (ttp_ops_write_csv(&out, report, TTP_WITHOUT_CONST_EVAL | TTP_WITHOUT_INPUT_LAYOUT, &scratch,
                          &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0]);
    ttp_arena_free(&scratch);
    err = (struct ttp_err){0};
    if (ttp_ops_csv_in_memory(&fd, &path, report, arena, &err) != TTP_OK) {
        must(err.code != TTP_OK && err.text[0]);
        return;
    }
    if (report->nrows && !report->device_only &&
        ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &reading, arena, &err) == TTP_OK) {
        must(ops.rows == report->nrows);
        check_rows(&ops, report, arena);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const few[] = {"device_kernel_duration", "device_fw_duration"};
    ttp_str rest = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_run_logs logs;
    struct ttp_ops_report report;
    struct ttp_err err = {0};
    struct files f = {0};

    if (size == 0)
        return 0;
    const unsigned flags = data[0];
    rest = ttp_str_slice(rest, 1, rest.len);
    for (size_t i = 0; i < LOGS; i++) {
        const ttp_str part = next_part(&rest);
        f.has[i] = part.len > 0;
        memfile_open(&f.file[i], (const uint8_t *)part.ptr, part.len);
    }
    if (read_logs(&logs, &f, flags, &arena)) {
        struct ttp_join_options how = {.device_only = (flags & DEVICE_ONLY) || !logs.host,
                                       .analysis = few,
                                       .nanalyses = flags & FEW ? 1 : 0};
        if (flags & STRICT)
            how.rules = ttp_compat_joining;
        if ((logs.device || logs.cpp) && (!how.device_only || logs.device)) {
            if (ttp_ops_join(&report, &logs, &how, &arena, &err) == TTP_OK)
                write_all(&report, &arena);
            else
                must(err.code != TTP_OK && err.text[0]);
        }
    }
    for (size_t i = 0; i < LOGS; i++)
        close(f.file[i].fd);
    ttp_arena_free(&arena);
    return 0;
}

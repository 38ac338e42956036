/* SPDX-License-Identifier: Apache-2.0 */
/* Preamble and column names of a device log. docs/formats/profile_log_device.md has their history;
 * a column is found by its trimmed name, so all versions can be read. */
#include "base/python_text.h"
#include "logs/device_log.h"

/* Names a column has had, newest first. */
static const struct {
    enum ttp_device_column column;
    ttp_str name;
} names[] = {
    {TTP_COL_DEVICE, {"PCIe slot", 9}},
    {TTP_COL_DEVICE, {"chip_id", 7}},
    {TTP_COL_X, {"core_x", 6}},
    {TTP_COL_Y, {"core_y", 6}},
    {TTP_COL_RISC, {"RISC processor type", 19}},
    {TTP_COL_TIMER, {"timer_id", 8}},
    {TTP_COL_TIME, {"time[cycles since reset]", 24}},
    {TTP_COL_DATA, {"data", 4}},
    {TTP_COL_DATA, {"stat value", 10}},
    {TTP_COL_RUN, {"run host ID", 11}},
    {TTP_COL_TRACE, {"trace id", 8}},
    {TTP_COL_REPLAY, {"trace id counter", 16}},
    {TTP_COL_ZONE, {"zone name", 9}},
    {TTP_COL_TYPE, {"type", 4}},
    {TTP_COL_TYPE, {"zone phase", 10}},
    {TTP_COL_LINE, {"source line", 11}},
    {TTP_COL_FILE, {"source file", 11}},
    {TTP_COL_META, {"meta data", 9}},
};

/* The version that the current Python reads, and no other. */
#define CURRENT_COLUMNS 15

#define OLDEST_PREAMBLE "Chip clock is at 1.2 GHz"

static ttp_str after_colon(ttp_str s)
{
    for (size_t i = s.len; i-- > 0;)
        if (s.ptr[i] == ':')
            return ttp_str_trim(ttp_str_slice(s, i + 1, s.len));
    return ttp_str_trim(s);
}

static ttp_code read_preamble(struct ttp_device_log *log, ttp_str line, bool strict,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str part[4];
    const size_t nparts = ttp_str_split(line, ',', part, TTP_COUNT(part));
    int64_t number;

    log->max_compute_cores = TTP_NO_ID;
    if (ttp_str_has(line, TTP_STR("Chip clock is at "))) {
        log->arch = TTP_STR("grayskull");
        log->clock_mhz = 1200; /* what process_device_log.py takes for logs of 2023 */
        return TTP_OK;
    }
    if (!ttp_str_has(line, TTP_STR("ARCH")) || nparts < 2 ||
        !ttp_python_int(after_colon(part[1]), &number) || number <= 0) {
        (void)ttp_fail_at(err, TTP_EPARSE, 0, "the first line names no ARCH and CHIP_FREQ: '%.*s'",
                          TTP_FMT(ttp_str_slice(line, 0, 80)));
        ttp_err_hint(err, "give a device log: .logs/profile_log_device.csv of a profiled run");
        return TTP_EPARSE;
    }
    log->arch = ttp_arena_copy(arena, after_colon(part[0]));
    log->clock_mhz = (uint64_t)number;
    if (nparts > 2 && ttp_python_int(after_colon(part[2]), &number))
        log->max_compute_cores = number;
    else if (strict) {
        return ttp_fail_at(err, TTP_EPARSE, 0,
                           "the first line has no 'Max Compute Cores': a log from before "
                           "2025-11-26");
    }
    return TTP_OK;
}

static void find_columns(struct ttp_device_header *out, ttp_str line)
{
    ttp_str field[TTP_DEVICE_MAX_COLUMNS];
    const size_t n = ttp_str_split(line, ',', field, TTP_COUNT(field));

    out->columns = n;
    for (size_t c = 0; c < TTP_DEVICE_COLUMNS; c++)
        out->at[c] = TTP_NPOS;
    for (size_t i = 0; i < n && i < TTP_COUNT(field); i++)
        for (size_t k = 0; k < TTP_COUNT(names); k++)
            if (ttp_str_eq(ttp_str_trim(field[i]), names[k].name) &&
                out->at[names[k].column] == TTP_NPOS)
                out->at[names[k].column] = i;
}

static bool has(const struct ttp_device_header *h, enum ttp_device_column column)
{
    return h->at[column] != TTP_NPOS;
}

/* The streaming profiler (TT_METAL_STREAMING_PROFILER) writes the same columns with other contents:
 * the "run host ID" is its process, the "trace id" is the program. It adds the logical place of a
 * core, and its early versions, which did not, name "streaming" as the source of every row. */
static bool is_streaming(const struct ttp_device_header *h, ttp_str columns, ttp_str rows)
{
    ttp_str row, field[TTP_DEVICE_MAX_COLUMNS];

    if (!has(h, TTP_COL_RUN) || !has(h, TTP_COL_TRACE) || !has(h, TTP_COL_FILE))
        return false;
    if (ttp_str_has(columns, TTP_STR("logical_x")))
        return true;
    if (!ttp_str_next_line(&rows, &row))
        return false;
    const size_t n = ttp_str_split(row, ',', field, TTP_COUNT(field));
    return h->at[TTP_COL_FILE] < n && n <= TTP_COUNT(field) &&
           ttp_str_eq(ttp_str_trim(field[h->at[TTP_COL_FILE]]), TTP_STR("streaming"));
}

/* The month of the tt-metal change that the columns are known from. */
static const char *version_of(const struct ttp_device_header *h, const struct ttp_device_log *log,
                              ttp_str preamble, ttp_str columns)
{
    if (h->timers_only) {
        if (ttp_str_has(columns, TTP_STR("chip_id")))
            return "2023-02";
        return ttp_str_has(preamble, TTP_STR("ARCH")) ? "2023-09" : "2023-03";
    }
    if (!log->has_op_ids)
        return has(h, TTP_COL_DATA) ? "2024-03" : "2024-02";
    if (log->streaming)
        return "2026-09";
    if (log->has_replays)
        return log->max_compute_cores == TTP_NO_ID ? "2025-10" : "2025-11";
    if (has(h, TTP_COL_META))
        return ttp_str_has(columns, TTP_STR("run ID")) ? "2025-03" : "2025-04";
    return ttp_str_has(columns, TTP_STR("zone phase")) ? "2024-07" : "2024-10";
}

/* A log needs places, times, and zones by name or by number. */
static ttp_code check_columns(const struct ttp_device_header *h, size_t at, struct ttp_err *err)
{
    static const enum ttp_device_column needed[] = {TTP_COL_DEVICE, TTP_COL_X, TTP_COL_Y,
                                                    TTP_COL_RISC, TTP_COL_TIME};

    if (h->columns > TTP_DEVICE_MAX_COLUMNS)
        return ttp_fail_at(err, TTP_ELIMIT, 0, "%zu columns; more than %d are not a device log",
                           h->columns, TTP_DEVICE_MAX_COLUMNS);
    for (size_t i = 0; i < TTP_COUNT(needed); i++)
        for (size_t k = 0; k < TTP_COUNT(names) && !has(h, needed[i]); k++)
            if (names[k].column == needed[i])
                return ttp_fail_at(err, TTP_EPARSE, at, "no column '%s'", names[k].name.ptr);
    if (has(h, TTP_COL_ZONE) != has(h, TTP_COL_TYPE))
        return ttp_fail_at(err, TTP_EPARSE, at, "no column '%s'",
                           has(h, TTP_COL_ZONE) ? "type" : "zone name");
    if (!has(h, TTP_COL_ZONE) && !has(h, TTP_COL_TIMER))
        return ttp_fail_at(err, TTP_EPARSE, at, "neither a column 'zone name' nor 'timer_id'");
    if (has(h, TTP_COL_RUN) && !has(h, TTP_COL_ZONE))
        return ttp_fail_at(err, TTP_EPARSE, at, "no column 'zone name'");
    return TTP_OK;
}

static bool has_column_names(ttp_str line)
{
    return ttp_str_has(line, TTP_STR("RISC processor type")) &&
           ttp_str_has(line, TTP_STR("time[cycles since reset]"));
}

ttp_code ttp_logs_device_log_read_header(struct ttp_device_log *log, struct ttp_device_header *out,
                                         ttp_str text, struct ttp_arena *arena, struct ttp_err *err)
{
    const bool strict = out->strict;
    ttp_str rest = text, preamble, line;

    if (!ttp_str_next_line(&rest, &preamble))
        return ttp_fail_at(err, TTP_EPARSE, 0, "the file is empty");
    const bool bare = !strict && has_column_names(preamble); /* some logs of 2023 */
    TTP_TRY(read_preamble(log, bare ? TTP_STR(OLDEST_PREAMBLE) : preamble, strict, arena, err));
    line = preamble;
    if (!bare && !ttp_str_next_line(&rest, &line))
        return ttp_fail_at(err, TTP_EPARSE, text.len, "no column names in the second line");
    find_columns(out, line);
    if (strict && out->columns == CURRENT_COLUMNS) /* whatever they are called */
        for (size_t c = 0; c < TTP_DEVICE_COLUMNS; c++)
            out->at[c] = c;
    out->bytes = (size_t)(rest.ptr - text.ptr);
    out->lines = bare ? 1 : 2;
    TTP_TRY(check_columns(out, (size_t)(line.ptr - text.ptr), err));
    if (!strict && is_streaming(out, line, rest)) {
        log->streaming = true;
        out->at[TTP_COL_RUN] = out->at[TTP_COL_TRACE];
        out->at[TTP_COL_TRACE] = out->at[TTP_COL_REPLAY] = TTP_NPOS;
    }
    out->timers_only = !has(out, TTP_COL_ZONE);
    out->split_kernel = log->streaming;
    out->split_firmware = !has(out, TTP_COL_REPLAY);
    log->columns = out->columns;
    log->has_op_ids = has(out, TTP_COL_RUN);
    log->has_replays = has(out, TTP_COL_REPLAY);
    log->version = version_of(out, log, preamble, line);
    if (strict && out->columns != CURRENT_COLUMNS) {
        return ttp_fail_at(err, TTP_EPARSE, (size_t)(line.ptr - text.ptr),
                           "%zu columns, not %d: a log from before 2025-10-15", out->columns,
                           CURRENT_COLUMNS);
    }
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ops_lookalikes.c - identifies files that are not an ops_perf_results CSV. Users find a dozen CSVs
 * in a profiler folder; docs/formats/ops_perf_results.md lists them. */
#include <stdio.h>

#include "base/content.h"
#include "ops/ops_columns.h"

#define FULL_REPORT "pass the ops_perf_results CSV of the same run; 'tt-perf ops FOLDER' makes one"
#define FOLDER                                                                                     \
    "pass the folder it is in, or the ops_perf_results CSV that 'tt-perf ops FOLDER' makes"

/* A file known by its column names. A pattern is a name, or the start of one if it ends in '*'. */
static const struct lookalike {
    const char *first;    /* first column; NULL: any */
    const char *has[2];   /* columns somewhere; NULL: none asked for */
    const char *lacks[2]; /* columns that must not be there */
    const char *what, *hint;
} lookalikes[] = {
    {.first = "ARCH:*", .what = "a raw device log (profile_log_device.csv)", .hint = FOLDER},
    {.first = "Chip clock is at*",
     .what = "a raw device log of an old tt-metal (profile_log_device.csv)",
     .hint = FOLDER},
    {.first = "PCIe slot",
     .what = "a raw device log without its first line (profile_log_device.csv)",
     .hint = FOLDER},
    {.has = {"GLOBAL CALL COUNT", "OP NAME"},
     .lacks = {"OP CODE"},
     .what = "the C++ device report (cpp_device_perf_report.csv), times without tensor shapes",
     .hint = FULL_REPORT},
    {.has = {"GLOBAL CALL COUNT", "DEVICE FW DURATION [ns]"},
     .lacks = {"OP CODE", "OP TYPE"},
     .what = "made only from the device log, times without op names",
     .hint = "the host's logs (tracy_ops_data.csv, tracy_ops_times.csv) have the names: process "
             "the run with them, without --device-only; 'tt-perf record' keeps both"},
    {.first = "GLOBAL CALL COUNT",
     .lacks = {"OP CODE", "DEVICE FW DURATION [ns]"},
     .what = "made from a device log without any op",
     .hint = "no op was measured: profile again, and make sure that the workload runs ops on the "
             "device"},
    {.first = "device ID",
     .has = {"op2op ID"},
     .what = "a table of gaps per core (per_core_op_to_op_times.csv)",
     .hint = FULL_REPORT},
    {.first = "name",
     .has = {"src_file", "ns_since_start"},
     .what = "a list of host zones (tracy_ops_times.csv)",
     .hint = FULL_REPORT},
    {.first = "name",
     .has = {"src_file", "total_ns"},
     .what = "Tracy zone statistics (csvexport)",
     .hint = FULL_REPORT},
    {.first = "MessageName*",
     .what = "a list of host messages (tracy_ops_data.csv)",
     .hint = FULL_REPORT},
    {.first = "There are currently no messages!*",
     .what = "an empty list of host messages (tracy_ops_data.csv)",
     .hint = "the host sent no ops: profile again with a build of tt-metal that has Tracy enabled"},
    {.first = "device id",
     .has = {"core_x"},
     .what = "a clock calibration (sync_device_info.csv)",
     .hint = FULL_REPORT},
    {.has = {"Total %", "OP Code"},
     .lacks = {"OP CODE"},
     .what = "already a report (written with --csv or --format csv)",
     .hint = "pass the ops_perf_results CSV that it was made from"},
    {.first = "Total % [%]",
     .what = "already a summary (written with --summary-file or --stacked-csv)",
     .hint = "pass the ops_perf_results CSV that it was made from"},
    {.first = "%",
     .has = {"OP Code Joined"},
     .what = "already a summary (stacked CSV of an old tt-perf-report)",
     .hint = "pass the ops_perf_results CSV that it was made from"},
    {.first = "marker",
     .has = {"mean(*"},
     .what = "a performance table of the LLK tests",
     .hint = FULL_REPORT},
};

static bool matches(ttp_str name, const char *pattern)
{
    const ttp_str p = ttp_str_from(pattern);

    name = ttp_str_trim(name);
    if (p.len && p.ptr[p.len - 1] == '*')
        return ttp_str_starts(name, ttp_str_slice(p, 0, p.len - 1));
    return ttp_str_eq(name, p);
}

static bool has_column(const ttp_str *name, size_t count, const char *pattern)
{
    for (size_t c = 0; c < count; c++)
        if (matches(name[c], pattern))
            return true;
    return false;
}

static bool is_lookalike(const struct lookalike *l, const ttp_str *name, size_t count)
{
    if (l->first && (count == 0 || !matches(name[0], l->first)))
        return false;
    for (size_t i = 0; i < TTP_COUNT(l->has); i++)
        if (l->has[i] && !has_column(name, count, l->has[i]))
            return false;
    for (size_t i = 0; i < TTP_COUNT(l->lacks); i++)
        if (l->lacks[i] && has_column(name, count, l->lacks[i]))
            return false;
    return true;
}

static int upper(char c)
{
    return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

/* The same name except for case, and blanks or '_' around and between words. */
static bool spelled_alike(ttp_str a, ttp_str b)
{
    size_t i = 0, k = 0;

    for (;; i++, k++) {
        while (i < a.len && (a.ptr[i] == ' ' || a.ptr[i] == '_' || a.ptr[i] == '\t'))
            i++;
        while (k < b.len && (b.ptr[k] == ' ' || b.ptr[k] == '_'))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (upper(a.ptr[i]) != upper(b.ptr[k]))
            return false;
    }
}

static ttp_code explain_spelling(ttp_str got, const char *missing, struct ttp_err *err)
{
    const ttp_code rc = ttp_fail(err, TTP_EPARSE, "no '%s' column, but one called '%.*s'", missing,
                                 (int)(got.len < 60 ? got.len : 60), got.ptr);

    ttp_err_hint(err, "the header was changed: pass the file that tt-metal wrote, or restore the "
                      "column names");
    return rc;
}

static ttp_code explain_separator(ttp_str line, const char *missing, struct ttp_err *err)
{
    const char *sep = ttp_str_find_char(line, '\t') != TTP_NPOS  ? "tabs"
                      : ttp_str_find_char(line, ';') != TTP_NPOS ? "semicolons"
                                                                 : "something else";
    const ttp_code rc =
        ttp_fail(err, TTP_EPARSE, "no '%s' column: the columns are separated by %s, not by commas",
                 missing, sep);

    ttp_err_hint(err, "pass the file that tt-metal wrote, or save it again as comma-separated "
                      "values");
    return rc;
}

/* "'a', 'b', ...": the first few names, for human readers to see what the file is. */
static void list_names(char *out, size_t size, const ttp_str *name, size_t count)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t c = 0; c < count && c < 5 && n + 8 < size; c++) {
        const ttp_str s = ttp_str_slice(name[c], 0, 30);
        const int wrote = snprintf(out + n, size - n, "%s'%.*s'", c ? ", " : "", TTP_FMT(s));
        n += wrote > 0 ? (size_t)wrote : 0;
    }
}

ttp_code ttp_ops_explain_header(const ttp_str *name, size_t count, const char *missing,
                                struct ttp_err *err)
{
    char names[200];
    ttp_code rc;

    for (size_t i = 0; i < TTP_COUNT(lookalikes); i++)
        if (is_lookalike(&lookalikes[i], name, count)) {
            rc = ttp_fail(err, TTP_EPARSE, "no '%s' column: this is %s", missing,
                          lookalikes[i].what);
            ttp_err_hint(err, "%s", lookalikes[i].hint);
            return rc;
        }
    for (size_t c = 0; c < count; c++)
        if (spelled_alike(name[c], ttp_str_from(missing)))
            return explain_spelling(name[c], missing, err);
    if (count && ttp_str_has(name[0], ttp_str_from(missing)) && name[0].len > strlen(missing) + 8)
        return explain_separator(name[0], missing, err);
    if (has_column(name, count, "OP CODE") || has_column(name, count, "OP TYPE")) {
        rc = ttp_fail(err, TTP_EPARSE, "no '%s' column among %zu: the report lost columns", missing,
                      count);
        ttp_err_hint(err, "pass the file that tt-metal wrote, with all of its columns");
        return rc;
    }
    rc = ttp_fail(err, TTP_EPARSE, "no '%s' column among %zu: not an ops_perf_results CSV", missing,
                  count);
    list_names(names, sizeof(names), name, count);
    ttp_err_hint(err, "the first line must contain the column names; it begins with %s", names);
    return rc;
}

ttp_code ttp_ops_check_content(ttp_str start, struct ttp_err *err)
{
    const char *what = ttp_content_kind(start);

    if (!what)
        return TTP_OK;
    const ttp_code rc = ttp_fail(err, TTP_EPARSE, "this is %s, not a CSV file", what);
    ttp_err_hint(
        err,
        "pass an ops_perf_results CSV or a run's folder; 'tt-perf info FILE' identifies a file");
    return rc;
}

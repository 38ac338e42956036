/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_ops_times.csv: every CPU zone of the run, of which about 95 % do not concern ops. Only
 * rows that contain one of three words are parsed; the rest is skipped by a byte search. */
#include "base/csv.h"
#include "base/order.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "logs/device_log.h"
#include "logs/row_blocks.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_COLUMNS TTP_ROW_COLUMNS_MAX
#define WINDOW      ((size_t)2 << 20)

enum column { COL_NAME, COL_TEXT, COL_START, COL_DURATION, COL_PARENT, COLUMNS };
static const char *const column_names[] = {"name", "zone_text", "ns_since_start", "exec_time_ns",
                                           "special_parent_text"};

struct reading {
    struct ttp_host_log *log;
    const struct ttp_logs_options *options;
    struct ttp_arena *arena;
    size_t at[COLUMNS], columns;
    uint64_t lines;      /* before the block that is merged next */
    struct child *child; /* in file order */
    size_t nchildren;
};

/* A zone inside an op. */
struct child {
    uint32_t op;
    ttp_sym name;
    int64_t ns;
};

struct op_zone {
    uint64_t id;
    uint64_t line; /* in the block, from 0 */
    ttp_sym name;
    bool is_op, is_child, bad;
    int64_t start_ns, duration_ns, parent;
};

struct item {
    struct ttp_row_block text;
    struct op_zone *zone;
    size_t nzones;
    struct ttp_symtab names;
    uint64_t lines;
    uint64_t wide_line; /* of the first row that has too many fields, from 1; 0: none */
};

static ttp_code read_header(void *ctx, ttp_str text, size_t *bytes, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct ttp_row_header header = {.name = column_names, .names = COLUMNS, .at = r->at};
    ttp_str rest = text, line, field[MAX_COLUMNS];

    TTP_TRY(ttp_logs_row_find_columns(&header, text, err));
    r->columns = header.columns;
    *bytes = header.bytes;
    (void)ttp_str_next_line(&rest, &line);
    const size_t n = ttp_str_split(line, ',', field, MAX_COLUMNS);
    for (size_t i = 0; i < n && i < MAX_COLUMNS; i++)
        r->log->has_zone_values |= ttp_str_eq(ttp_str_trim(field[i]), TTP_STR("value"));
    return TTP_OK;
}

/* Keep a zone that is an op or inside one. */
static void keep_zone(struct item *it, struct op_zone *zone, ttp_str name, ttp_str text,
                      ttp_str parent)
{
    int64_t id = 0;

    zone->is_op = ttp_logs_names_op(name);
    zone->is_child = ttp_str_has(parent, TTP_STR("id:"));
    if (!zone->is_op && !zone->is_child)
        return;
    zone->parent = -1;
    zone->bad |= (zone->is_op && (!ttp_logs_row_id_behind_colon(text, &id) || id < 0)) ||
                 (zone->is_child && !ttp_logs_row_id_behind_colon(parent, &zone->parent));
    zone->id = (uint64_t)id;
    zone->name = ttp_sym_intern(&it->names, name);
    *TTP_PUSH(&it->text.arena, it->zone, it->nzones) = *zone;
}

static void read_zone(const struct reading *r, struct item *it, ttp_str line, uint64_t number)
{
    uint32_t end[MAX_COLUMNS];
    struct ttp_csv csv = {.text = line, .sep = ','};
    struct ttp_csv_row row = {.end = end, .max = MAX_COLUMNS};
    ttp_str cell[COLUMNS];
    struct op_zone zone = {.line = number};

    if (!ttp_csv_next(&csv, &row))
        return;
    for (size_t c = 0; c < COLUMNS; c++)
        cell[c] = r->at[c] < row.nfields && r->at[c] < MAX_COLUMNS
                      ? ttp_csv_field(&csv, &row, r->at[c], &it->text.arena)
                      : TTP_STR("");
    zone.bad = !ttp_python_int(cell[COL_START], &zone.start_ns) ||
               !ttp_python_int(cell[COL_DURATION], &zone.duration_ns);
    keep_zone(it, &zone, cell[COL_NAME], cell[COL_TEXT], cell[COL_PARENT]);
}

static void take_zone(void *arg, const struct ttp_csv_rows *w, uint32_t zone)
{
    struct item *it = arg;
    struct op_zone kept = {.start_ns = w->trace->zone.start_ns[zone],
                           .duration_ns = ttp_trace_csv_span(&w->trace->zone, zone)};

    it->lines++;
    keep_zone(it, &kept, w->name, w->zone_text, w->parent_text);
}

/* The next occurrence of a word, looked for again only once it is after `from`. */
static size_t seek(ttp_str text, size_t from, ttp_str word, size_t known)
{
    if (known != TTP_NPOS && known < from) {
        const size_t at = ttp_str_find(ttp_str_slice(text, from, text.len), word);
        known = at == TTP_NPOS ? TTP_NPOS : from + at;
    }
    return known;
}

/* pandas refuses a row with more fields than there are names, whatever it is about. */
static void check_fields(const struct reading *r, struct item *it)
{
    ttp_str rest = it->text.rows, line;

    for (uint64_t number = 1; ttp_str_next_line(&rest, &line) && !it->wide_line; number++) {
        uint32_t end[MAX_COLUMNS];
        struct ttp_csv csv = {.text = line, .sep = ','};
        struct ttp_csv_row row = {.end = end, .max = MAX_COLUMNS};
        size_t n = 1;

        for (size_t i = 0; i < line.len; i++)
            n += line.ptr[i] == ',';
        if (n > r->columns && ttp_csv_next(&csv, &row) && row.nfields > r->columns)
            it->wide_line = number;
    }
}

static void work(const void *ctx, void *item)
{
    static const ttp_str words[] = {{"TT_DNN", 6}, {"TT_METAL", 8}, {"id:", 3}};
    const struct reading *r = ctx;
    struct item *it = item;
    const ttp_str text = it->text.rows;
    size_t at[TTP_COUNT(words)];
    size_t from = 0, counted = 0;

    it->names.arena = &it->text.arena;
    if (r->options->strict)
        check_fields(r, it);
    for (size_t w = 0; w < TTP_COUNT(words); w++)
        at[w] = ttp_str_find(text, words[w]);
    for (;;) {
        size_t hit = TTP_NPOS;
        for (size_t w = 0; w < TTP_COUNT(words); w++) {
            at[w] = seek(text, from, words[w], at[w]);
            hit = at[w] < hit ? at[w] : hit;
        }
        if (hit == TTP_NPOS)
            break;
        const char *before = memrchr(text.ptr + from, '\n', hit - from);
        const char *after = memchr(text.ptr + hit, '\n', text.len - hit);
        const size_t start = before ? (size_t)(before - text.ptr) + 1 : from;
        const size_t end = after ? (size_t)(after - text.ptr) : text.len;

        it->lines += ttp_str_count_lines(ttp_str_slice(text, counted, start));
        counted = start;
        read_zone(r, it, ttp_str_slice(text, start, end), it->lines);
        from = end;
    }
    it->lines += ttp_str_count_lines(ttp_str_slice(text, counted, text.len));
}

/* Counted; if strict also a failure. */
static ttp_code refuse(struct reading *r, struct ttp_fault *fault, uint64_t line, const char *why,
                       struct ttp_err *err)
{
    if (fault->count++ == 0)
        fault->line = line;
    if (!r->options->strict)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_hint(err, "its message was lost or truncated at 64 KiB");
    ttp_err_where(err, "", line);
    return TTP_EPARSE;
}

static ttp_code merge_zone(struct reading *r, const struct op_zone *zone, ttp_sym name,
                           struct ttp_err *err)
{
    struct ttp_host_log *log = r->log;
    const uint64_t line = r->lines + zone->line + 1;
    struct ttp_host_op *op;

    log->op_zones += zone->is_op;
    log->child_zones += zone->is_child;
    if (zone->bad)
        return refuse(r, &log->bad_zones, line, "a zone of an op without op id, start or duration",
                      err);
    if (zone->is_op) {
        op = ttp_logs_find_op(log, zone->id);
        if (op) {
            op->has_time = true;
            op->start_ns = zone->start_ns;
            op->duration_ns = zone->duration_ns;
        } else {
            char why[128];

            if (log->zones_without_op.count == 0)
                log->first_zone_without_op = zone->id;
            snprintf(why, sizeof(why), "op %" PRIu64 " has a zone but no message", zone->id);
            TTP_TRY(refuse(r, &log->zones_without_op, line, why, err));
        }
    }
    op = zone->is_child && zone->parent >= 0 ? ttp_logs_find_op(log, (uint64_t)zone->parent) : NULL;
    if (!op)
        return TTP_OK;
    *TTP_PUSH(r->arena, r->child, r->nchildren) =
        (struct child){(uint32_t)(op - log->op), name, zone->duration_ns};
    return TTP_OK;
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct item *it = item;
    ttp_sym *map = TTP_NEW(&it->text.arena, ttp_sym, it->names.count);

    if (it->wide_line) {
        ttp_fail(err, TTP_EPARSE, "more fields than the first line has names for");
        ttp_err_hint(err, "a name contains a comma");
        ttp_err_where(err, "", r->lines + it->wide_line);
        return TTP_EPARSE;
    }
    ttp_sym_merge(&r->log->names, &it->names, map);
    for (size_t i = 0; i < it->nzones; i++)
        TTP_TRY(merge_zone(r, &it->zone[i], map[it->zone[i].name], err));
    r->lines += it->lines;
    r->log->zones += it->lines;
    return TTP_OK;
}

TTP_ORDER(by_op_and_name, struct child, TTP_UP(op), TTP_UP(name))

/* Centuries are not a time that anyone measured: the greatest will do. */
static int64_t add_ns(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* Sum per op and name. */
static void hand_out_children(struct reading *r)
{
    struct child *child = r->child;
    size_t n = 0;

    if (r->nchildren == 0)
        return;
    TTP_SORT(child, r->nchildren, by_op_and_name);
    for (size_t i = 0; i < r->nchildren; i++) {
        if (n && by_op_and_name(&child[n - 1], &child[i]) == 0)
            child[n - 1].ns = add_ns(child[n - 1].ns, child[i].ns);
        else
            child[n++] = child[i];
    }
    struct ttp_child_call *call = TTP_NEW(r->arena, struct ttp_child_call, n);
    for (size_t i = 0; i < n; i++) {
        struct ttp_host_op *op = &r->log->op[child[i].op];

        call[i] = (struct ttp_child_call){child[i].name, child[i].ns};
        if (!op->child)
            op->child = &call[i];
        op->nchildren++;
    }
}

/* As `python -m tracy` asks csvexport, but with every cell where it belongs. */
static ttp_code read_recording(struct reading *r, const char *path, struct ttp_err *err)
{
    static const char *special[] = {"CompileProgram", "HWCommandQueue_write_buffer"};
    const struct ttp_csv_options rows = {
        .generation = TTP_CSV_0_13, .parent = "TT_", .special = {special, TTP_COUNT(special)}};
    const struct ttp_trace_reading read_options = {.zones = TTP_ZONES_OPS,
                                                   .progress = r->options->progress};
    struct item it = {.names = {.arena = &it.text.arena}};
    struct ttp_arena arena = {0};
    struct ttp_trace trace;

    ttp_code rc = ttp_capture_trace_read(&trace, path, &read_options, &arena, err);
    const bool read = rc == TTP_OK;
    if (read) {
        ttp_capture_trace_each_zone(&trace, &rows, take_zone, &it, &arena);
        r->log->has_zone_values = true;
        rc = merge(r, &it, err);
    }
    r->log->zones_without_op.line = r->log->bad_zones.line = 0; /* it has no lines */
    ttp_arena_free(&it.text.arena);
    ttp_arena_free(&arena);
    if (read && rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

ttp_code ttp_logs_read_zones(struct ttp_host_log *log, const char *path,
                             const struct ttp_logs_options *options, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    static const struct ttp_row_reader reader = {.what = "reading tracy_ops_times.csv",
                                                 .window = WINDOW,
                                                 .header_lines = 1,
                                                 .item_size = sizeof(struct item),
                                                 .header = read_header,
                                                 .work = work,
                                                 .merge = merge};
    struct reading r = {.log = log, .options = options, .arena = arena, .lines = 1};
    const ttp_code rc = ttp_logs_is_recording(path)
                            ? read_recording(&r, path, err)
                            : ttp_logs_row_blocks_read(&reader, &r, path, options, err);

    if (rc == TTP_OK)
        hand_out_children(&r);
    return rc;
}

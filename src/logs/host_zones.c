/* SPDX-License-Identifier: Apache-2.0 */
/* All zones of tracy_ops_times.csv. A comma in a function's name, which Tracy does not quote, moves
 * the fields of its row: times and thread are then counted from the end. */
#include "base/csv.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "logs/recording_stream.h"
#include "logs/row_blocks.h"

#define MAX_COLUMNS TTP_ROW_COLUMNS_MAX
#define WINDOW      ((size_t)2 << 20)

enum column { COL_NAME, COL_TEXT, COL_START, COL_DURATION, COL_THREAD, COLUMNS };
static const char *const column_names[] = {"name", "zone_text", "ns_since_start", "exec_time_ns",
                                           "thread"};

struct streaming {
    ttp_host_zone_fn *take;
    void *arg;
    bool ops_only;
    size_t at[COLUMNS], columns;
    struct ttp_symtab names;
};

struct item {
    struct ttp_row_block text;
    struct ttp_symtab names;
    struct ttp_host_zone *zone;
    size_t nzones;
    uint64_t bad;
};

static ttp_code read_header(void *ctx, ttp_str text, size_t *bytes, struct ttp_err *err)
{
    struct streaming *s = ctx;

    struct ttp_row_header header = {.name = column_names, .names = COLUMNS, .at = s->at};

    TTP_TRY(ttp_logs_row_find_columns(&header, text, err));
    s->columns = header.columns;
    *bytes = header.bytes;
    return TTP_OK;
}

struct row {
    const struct ttp_csv *csv;
    const struct ttp_csv_row *fields;
    struct ttp_arena *scratch;
    size_t shift; /* fields too many: those of the name */
};

static ttp_str cell(const struct streaming *s, const struct row *row, enum column c)
{
    const size_t i = s->at[c] + (c == COL_NAME ? 0 : row->shift);

    return i < row->fields->nfields && i < MAX_COLUMNS
               ? ttp_csv_field(row->csv, row->fields, i, row->scratch)
               : TTP_STR("");
}

/* The name with the commas that it has. */
static ttp_str name_of(const struct streaming *s, const struct row *row)
{
    const size_t i = s->at[COL_NAME];

    if (row->shift == 0 || i + row->shift >= MAX_COLUMNS)
        return cell(s, row, COL_NAME);
    const size_t from = i ? row->fields->end[i - 1] + 1 : row->fields->start;
    return (ttp_str){row->csv->text.ptr + from, row->fields->end[i + row->shift] - from};
}

static void read_row(const struct streaming *s, struct item *it, const struct row *row)
{
    const ttp_str name = name_of(s, row);
    struct ttp_host_zone zone = {0};
    int64_t duration, thread, id;

    zone.has_op = ttp_logs_names_op(name);
    if (s->ops_only && !zone.has_op)
        return;
    if (!ttp_python_int(cell(s, row, COL_START), &zone.start_ns) ||
        !ttp_python_int(cell(s, row, COL_DURATION), &duration) ||
        !ttp_python_int(cell(s, row, COL_THREAD), &thread) || zone.start_ns < 0 || duration < 0 ||
        thread < 0 || thread > UINT32_MAX || duration > INT64_MAX - zone.start_ns) {
        it->bad++;
        return;
    }
    if (zone.has_op) {
        zone.has_op = ttp_logs_row_id_behind_colon(cell(s, row, COL_TEXT), &id) && id >= 0;
        zone.op_id = zone.has_op ? (uint64_t)id : 0;
    }
    zone.end_ns = zone.start_ns + duration;
    zone.thread = (uint32_t)thread;
    zone.name = ttp_sym_intern(&it->names, name);
    *TTP_PUSH(&it->text.arena, it->zone, it->nzones) = zone;
}

static void work(const void *ctx, void *item)
{
    const struct streaming *s = ctx;
    struct item *it = item;
    uint32_t end[MAX_COLUMNS];
    struct ttp_csv csv = {.text = it->text.rows, .sep = ','};
    struct ttp_csv_row fields = {.end = end, .max = MAX_COLUMNS};
    struct ttp_arena scratch = {0};

    it->names.arena = &it->text.arena;
    while (ttp_csv_next(&csv, &fields)) {
        const struct row row = {
            .csv = &csv,
            .fields = &fields,
            .scratch = &scratch,
            .shift = fields.nfields > s->columns ? fields.nfields - s->columns : 0,
        };
        const struct ttp_mark mark = ttp_arena_mark(&scratch);

        read_row(s, it, &row);
        ttp_arena_rewind(&scratch, mark);
    }
    ttp_arena_free(&scratch);
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    struct streaming *s = ctx;
    struct item *it = item;
    ttp_sym *map = TTP_NEW(&it->text.arena, ttp_sym, it->names.count);

    ttp_sym_merge(&s->names, &it->names, map);
    for (size_t i = 0; i < it->nzones; i++)
        it->zone[i].name = map[it->zone[i].name];
    const struct ttp_host_zone_batch batch = {&s->names, it->zone, it->nzones, it->bad};
    return s->take(s->arg, &batch, err);
}

ttp_code ttp_logs_stream_host_zones(const char *path, struct ttp_host_zone_request request,
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
    struct streaming s = {.take = request.take,
                          .arg = request.arg,
                          .ops_only = request.ops_only,
                          .names = {.arena = arena}};

    return ttp_logs_is_recording(path)
               ? ttp_logs_recording_stream_zones(path, request, options, arena, err)
               : ttp_logs_row_blocks_read(&reader, &s, path, options, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* device_row.h - private to logs: the rows of a device log one by one, for all who reduce them.
 *
 * Most rows repeat the place and the execution of the row before; only where they do not are their
 * cells read as numbers. */
#ifndef TTP_LOGS_DEVICE_ROW_H
#define TTP_LOGS_DEVICE_ROW_H

#include "base/csv.h"
#include "logs/device_log.h"

struct ttp_device_cursor {
    const struct ttp_device_header *header;
    struct ttp_csv csv;
    struct ttp_csv_row row;
    uint32_t end[TTP_DEVICE_MAX_COLUMNS];
    struct ttp_block_core core;
    enum ttp_risc risc;
    uint64_t run_id;
    int64_t trace_id, replay;

    ttp_str place, key; /* texts of the place, and of run id, trace id and counter */
    bool has_nul;       /* some row of the text has NUL bytes */
};

/* How a row relates to the one before. */
enum ttp_device_step {
    TTP_STEP_SAME,  /* its place and execution */
    TTP_STEP_EXEC,  /* its place, another execution, or the row before was bad */
    TTP_STEP_PLACE, /* another RISC or core */
    TTP_STEP_BAD,   /* something is not a number; the row cannot be used */
};

void ttp_logs_device_log_cursor_init(struct ttp_device_cursor *c, ttp_str text,
                                     const struct ttp_device_header *header);
/* For rows that do not repeat what was there before. */
bool ttp_logs_device_log_read_place(struct ttp_device_cursor *c, ttp_str place);
bool ttp_logs_device_log_read_key(struct ttp_device_cursor *c, ttp_str key);

/* Position of a core in a block's list, to which it is added if it is new. */
uint32_t ttp_logs_block_core_of(struct ttp_block_core **list, size_t *count,
                                const struct ttp_block_core *core, struct ttp_arena *arena);

TTP_INLINE ttp_str ttp_device_field(const struct ttp_device_cursor *c, enum ttp_device_column col)
{
    const size_t i = c->header->at[col];

    if (i == TTP_NPOS || i >= c->row.nfields)
        return (ttp_str){0};
    const size_t from = i ? c->row.end[i - 1] + 1 : c->row.start;
    return (ttp_str){c->csv.text.ptr + from, c->row.end[i] - from};
}

/* A file system that crashed leaves NUL bytes where rows were; what is left of two of them may look
 * like one. */
TTP_INLINE bool ttp_device_row_has_nul(const struct ttp_device_cursor *c)
{
    const size_t n = c->row.nfields < c->row.max ? c->row.nfields : c->row.max;

    return c->has_nul && n &&
           memchr(c->csv.text.ptr + c->row.start, 0, c->row.end[n - 1] - c->row.start) != NULL;
}

TTP_INLINE bool ttp_device_to_u64(ttp_str s, uint64_t *out)
{
    return ttp_str_to_u64(s, out) || ttp_str_to_u64(ttp_str_trim(s), out);
}

TTP_INLINE ttp_str ttp_device_fields(const struct ttp_device_cursor *c, enum ttp_device_column from,
                                     enum ttp_device_column to)
{
    const ttp_str first = ttp_device_field(c, from), last = ttp_device_field(c, to);

    if (!first.ptr)
        return (ttp_str){0};
    if (!last.ptr || last.ptr < first.ptr)
        return first;
    return (ttp_str){first.ptr, (size_t)(last.ptr + last.len - first.ptr)};
}

TTP_INLINE enum ttp_row_type ttp_device_row_type(ttp_str s)
{
    static const struct {
        ttp_str name;
        enum ttp_row_type type;
    } types[] = {
        {{"ZONE_START", 10}, TTP_ROW_START}, {{"ZONE_END", 8}, TTP_ROW_END},
        {{"TS_DATA", 7}, TTP_ROW_DATA},      {{"TS_EVENT", 8}, TTP_ROW_EVENT},
        {{"ZONE_TOTAL", 10}, TTP_ROW_TOTAL}, {{"begin", 5}, TTP_ROW_START},
        {{"end", 3}, TTP_ROW_END},           {{"TS_DATA_16B", 11}, TTP_ROW_DATA},
    };

    s = ttp_str_trim(s);
    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_eq(s, types[i].name))
            return types[i].type;
    return TTP_ROW_OTHER;
}

/* Place and execution of the row under the cursor. */
TTP_INLINE enum ttp_device_step ttp_device_locate(struct ttp_device_cursor *c)
{
    const ttp_str place = ttp_device_fields(c, TTP_COL_DEVICE, TTP_COL_RISC);
    const ttp_str key = ttp_device_fields(c, TTP_COL_RUN, TTP_COL_REPLAY);
    const bool moved = !c->place.ptr || !ttp_str_eq(place, c->place);

    if (TTP_UNLIKELY(moved) && !ttp_logs_device_log_read_place(c, place))
        return TTP_STEP_BAD;
    if (!moved && c->key.ptr && ttp_str_eq(key, c->key))
        return TTP_STEP_SAME;
    if (!ttp_logs_device_log_read_key(c, key)) {
        c->place = c->key =
            (ttp_str){0}; /* the place was not reported: the next row is a new one */
        return TTP_STEP_BAD;
    }
    return moved ? TTP_STEP_PLACE : TTP_STEP_EXEC;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/device_row.h"

#include "base/vec.h"
#include "logs/device_log.h"

void ttp_logs_device_log_cursor_init(struct ttp_device_cursor *c, ttp_str text,
                                     const struct ttp_device_header *header)
{
    *c = (struct ttp_device_cursor){.header = header,
                                    .csv = {.text = text, .sep = ','},
                                    .row = {.end = c->end, .max = TTP_DEVICE_MAX_COLUMNS},
                                    .has_nul = ttp_str_find_char(text, 0) != TTP_NPOS};
}

bool ttp_logs_device_log_read_place(struct ttp_device_cursor *c, ttp_str place)
{
    int64_t device, x, y;

    c->key = (ttp_str){0};
    if (!ttp_str_to_i64(ttp_str_trim(ttp_device_field(c, TTP_COL_DEVICE)), &device) ||
        !ttp_str_to_i64(ttp_str_trim(ttp_device_field(c, TTP_COL_X)), &x) || x != (int32_t)x ||
        !ttp_str_to_i64(ttp_str_trim(ttp_device_field(c, TTP_COL_Y)), &y) || y != (int32_t)y)
        return false;
    c->core = (struct ttp_block_core){device, (int32_t)x, (int32_t)y};
    c->risc = ttp_logs_risc_of(ttp_str_trim(ttp_device_field(c, TTP_COL_RISC)));
    c->place = place;
    return true;
}

static bool to_optional(ttp_str s, int64_t *out)
{
    s = ttp_str_trim(s);
    *out = TTP_NO_ID;
    return s.len == 0 || ttp_str_eq(s, TTP_STR("None")) || ttp_str_to_i64(s, out);
}

bool ttp_logs_device_log_read_key(struct ttp_device_cursor *c, ttp_str key)
{
    const bool has_run = c->header->at[TTP_COL_RUN] != TTP_NPOS;

    c->key = (ttp_str){0};
    if ((has_run && !ttp_device_to_u64(ttp_device_field(c, TTP_COL_RUN), &c->run_id)) ||
        !to_optional(ttp_device_field(c, TTP_COL_TRACE), &c->trace_id) ||
        !to_optional(ttp_device_field(c, TTP_COL_REPLAY), &c->replay))
        return false;
    c->key = key.ptr ? key : TTP_STR(""); /* without such columns all rows have the same */
    return true;
}

uint32_t ttp_logs_block_core_of(struct ttp_block_core **list, size_t *count,
                                const struct ttp_block_core *core, struct ttp_arena *arena)
{
    const struct ttp_block_core *c = *list;

    for (size_t i = *count; i-- > 0;)
        if (c[i].x == core->x && c[i].y == core->y && c[i].device == core->device)
            return (uint32_t)i;
    *TTP_PUSH(arena, *list, *count) = *core;
    return (uint32_t)*count - 1;
}

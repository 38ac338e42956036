/* SPDX-License-Identifier: Apache-2.0 */
/* noc_trace_fabric.c - what only fabric events of a NoC trace have: destinations, and the way over
 * the chips of a mesh. */
#include "base/vec.h"
#include "logs/noc_trace.h"

void ttp_logs_noc_trace_odd_value(struct ttp_noc_reading *r)
{
    struct ttp_fault *fault = &r->trace->odd_values;

    if (fault->count++ == 0)
        fault->line = ttp_json_file_line(&r->file, r->file.json.offset);
}

ttp_code ttp_logs_noc_trace_read_i64(struct ttp_noc_reading *r, int64_t low, int64_t high,
                                     int64_t *out, struct ttp_err *err)
{
    if ((!r->trace->cut_values || ttp_json_file_is_plain(&r->file)) &&
        ttp_json_file_int(&r->file, low, high, out))
        return TTP_OK;
    ttp_logs_noc_trace_odd_value(r);
    return ttp_json_file_leave(&r->file, err);
}

/* tt-npe cuts coordinates to 16 bits, but computes latencies with all 64, modulo the size of the
 * grid: a number with the same rest of both. Grids are 10 or 17 by 12. */
#define CUT_COORD (65536LL * 3 * 5 * 17)

ttp_code ttp_logs_noc_trace_read_coord(struct ttp_noc_reading *r, int32_t *out, struct ttp_err *err)
{
    int64_t value = *out;

    TTP_TRY(ttp_logs_noc_trace_read_i64(r, INT64_MIN, INT64_MAX, &value, err));
    if (value >= INT16_MIN && value <= INT16_MAX)
        *out = (int32_t)value;
    else if (r->trace->cut_values)
        *out = (int32_t)((value % CUT_COORD + CUT_COORD) % CUT_COORD + CUT_COORD);
    else
        *out = TTP_NOC_FAR;
    return TTP_OK;
}

/* Of the fabric: what becomes -1 when it is cut must not look as if it were not given. */
static ttp_code read_short(struct ttp_noc_reading *r, int16_t *out, struct ttp_err *err)
{
    int32_t value = *out;

    TTP_TRY(ttp_logs_noc_trace_read_coord(r, &value, err));
    *out = (int16_t)value;
    if (*out == TTP_NOC_UNSAID && value != TTP_NOC_UNSAID)
        *out = TTP_NOC_FAR;
    return TTP_OK;
}

static ttp_code read_i32(struct ttp_noc_reading *r, int32_t *out, struct ttp_err *err)
{
    int64_t value = *out;

    if (r->trace->cut_values) {
        TTP_TRY(ttp_logs_noc_trace_read_i64(r, INT64_MIN, INT64_MAX, &value, err));
        *out = (int32_t)(uint32_t)value;
        return TTP_OK;
    }
    TTP_TRY(ttp_logs_noc_trace_read_i64(r, INT32_MIN, INT32_MAX, &value, err));
    *out = (int32_t)value;
    return TTP_OK;
}

/* A text, or NULL. */
ttp_code ttp_logs_noc_trace_read_text(struct ttp_noc_reading *r, ttp_str *out, struct ttp_err *err)
{
    *out = (ttp_str){0};
    if (r->file.event == TTP_JSON_STRING) {
        *out = r->file.json.text;
        return TTP_OK;
    }
    ttp_logs_noc_trace_odd_value(r);
    return ttp_json_file_leave(&r->file, err);
}

ttp_code ttp_logs_noc_trace_read_noc(struct ttp_noc_reading *r, int8_t *out, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    if (ttp_str_eq(text, TTP_STR("NOC_0")))
        *out = 0;
    else if (ttp_str_eq(text, TTP_STR("NOC_1")))
        *out = 1;
    else if (text.len && r->trace->cut_values)
        *out = TTP_NOC_STRANGE;
    else if (text.len)
        ttp_logs_noc_trace_odd_value(r);
    return TTP_OK;
}

/* The members of the object whose begin is the event: `member` gets each key, in r->file.json.text,
 * and consumes its value. */
typedef ttp_code member_fn(struct ttp_noc_reading *r, ttp_str key, void *arg, struct ttp_err *err);

static ttp_code read_member(struct ttp_noc_reading *r, member_fn *member, void *arg,
                            struct ttp_err *err)
{
    const ttp_str name = r->file.json.text;
    const size_t len = name.len;
    char key[24];

    if (len > sizeof(key))
        return ttp_json_file_skip(&r->file, err);
    memcpy(key, name.ptr, len);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    return member(r, (ttp_str){key, len}, arg, err);
}

/* Count it, and skip it. */
static ttp_code pass_over(struct ttp_noc_reading *r, struct ttp_err *err)
{
    ttp_logs_noc_trace_odd_value(r);
    return ttp_json_file_leave(&r->file, err);
}

static ttp_code read_members(struct ttp_noc_reading *r, member_fn *member, void *arg,
                             struct ttp_err *err)
{
    if (r->file.event != TTP_JSON_OBJECT_BEGIN)
        return pass_over(r, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_OBJECT_END) {
        TTP_TRY(read_member(r, member, arg, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return TTP_OK;
}

ttp_code ttp_logs_noc_trace_read_list(struct ttp_noc_reading *r, ttp_noc_element_fn *element,
                                      bool *is_list, struct ttp_err *err)
{
    *is_list = r->file.event == TTP_JSON_ARRAY_BEGIN;
    if (!*is_list)
        return pass_over(r, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_ARRAY_END) {
        const bool object = r->file.event == TTP_JSON_OBJECT_BEGIN;
        TTP_TRY(object || r->trace->cut_values ? element(r, err) : pass_over(r, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return TTP_OK;
}

static ttp_code write_member(struct ttp_noc_reading *r, ttp_str key, void *arg, struct ttp_err *err)
{
    struct ttp_noc_write *w = arg;

    if (ttp_str_eq(key, TTP_STR("dx")))
        return read_short(r, &w->dx, err);
    if (ttp_str_eq(key, TTP_STR("dy")))
        return read_short(r, &w->dy, err);
    if (ttp_str_eq(key, TTP_STR("noc")))
        return ttp_logs_noc_trace_read_noc(r, &w->noc, err);
    if (ttp_str_eq(key, TTP_STR("num_bytes")))
        return ttp_logs_noc_trace_read_i64(r, r->trace->cut_values ? INT64_MIN : 0,
                                           r->trace->cut_values ? INT64_MAX : UINT32_MAX, &w->bytes,
                                           err);
    return ttp_json_file_leave(&r->file, err);
}

ttp_code ttp_logs_noc_trace_write_element(struct ttp_noc_reading *r, struct ttp_err *err)
{
    struct ttp_noc_trace *t = r->trace;
    struct ttp_noc_write w = {TTP_NOC_UNSAID, TTP_NOC_UNSAID, TTP_NOC_UNSAID, TTP_NOC_UNSAID};

    TTP_TRY(read_members(r, write_member, &w, err));
    *TTP_PUSH(r->arena, t->write, t->nwrites) = w;
    return TTP_OK;
}

static ttp_code hop_member(struct ttp_noc_reading *r, ttp_str key, void *arg, struct ttp_err *err)
{
    static const struct {
        const char *name;
        size_t at;
        bool old;
    } coords[] = {
        {"segment_start_x", offsetof(struct ttp_noc_hop, start_x), false},
        {"segment_start_y", offsetof(struct ttp_noc_hop, start_y), false},
        {"forward_x", offsetof(struct ttp_noc_hop, forward_x), false},
        {"forward_y", offsetof(struct ttp_noc_hop, forward_y), false},
        {"segment_end_x", offsetof(struct ttp_noc_hop, forward_x), true},
        {"segment_end_y", offsetof(struct ttp_noc_hop, forward_y), true},
    };
    struct ttp_noc_hop *h = arg;

    for (size_t i = 0; i < TTP_COUNT(coords); i++)
        if (ttp_str_eq(key, ttp_str_from(coords[i].name))) {
            h->old |= coords[i].old;
            return read_short(r, (int16_t *)(void *)((char *)h + coords[i].at), err);
        }
    if (ttp_str_eq(key, TTP_STR("device")))
        return read_i32(r, &h->device, err);
    if (ttp_str_eq(key, TTP_STR("parent_id")))
        return read_i32(r, &h->parent, err);
    if (ttp_str_eq(key, TTP_STR("noc")))
        return ttp_logs_noc_trace_read_noc(r, &h->noc, err);
    if (!ttp_str_eq(key, TTP_STR("local_writes")))
        return ttp_json_file_leave(&r->file, err);
    h->write = (uint32_t)r->trace->nwrites;
    TTP_TRY(ttp_logs_noc_trace_read_list(r, ttp_logs_noc_trace_write_element, &h->has_writes, err));
    h->count = (uint32_t)r->trace->nwrites - h->write;
    return TTP_OK;
}

static ttp_code hop_element(struct ttp_noc_reading *r, struct ttp_err *err)
{
    struct ttp_noc_trace *t = r->trace;
    struct ttp_noc_hop h = {.device = TTP_NOC_UNSAID,
                            .parent = TTP_NOC_UNSAID,
                            .start_x = TTP_NOC_UNSAID,
                            .start_y = TTP_NOC_UNSAID,
                            .forward_x = TTP_NOC_UNSAID,
                            .forward_y = TTP_NOC_UNSAID,
                            .noc = TTP_NOC_UNSAID};

    TTP_TRY(read_members(r, hop_member, &h, err));
    *TTP_PUSH_WITHIN(r->arena, t->hop, t->nhops, t->cap_hops) = h;
    return TTP_OK;
}

static ttp_code mux_member(struct ttp_noc_reading *r, ttp_str key, void *arg, struct ttp_err *err)
{
    struct ttp_noc_fabric *f = arg;

    if (ttp_str_eq(key, TTP_STR("x")))
        return read_short(r, &f->mux_x, err);
    if (ttp_str_eq(key, TTP_STR("y")))
        return read_short(r, &f->mux_y, err);
    if (ttp_str_eq(key, TTP_STR("noc")))
        return ttp_logs_noc_trace_read_noc(r, &f->mux_noc, err);
    return ttp_json_file_leave(&r->file, err);
}

static ttp_code fabric_member(struct ttp_noc_reading *r, ttp_str key, void *arg,
                              struct ttp_err *err)
{
    static const struct {
        const char *name;
        size_t at;
    } numbers[] = {
        {"eth_chan", offsetof(struct ttp_noc_fabric, eth_chan)},
        {"start_distance", offsetof(struct ttp_noc_fabric, start_distance)},
        {"range", offsetof(struct ttp_noc_fabric, range)},
        {"ns_hops", offsetof(struct ttp_noc_fabric, ns_hops)},
        {"e_hops", offsetof(struct ttp_noc_fabric, e_hops)},
        {"w_hops", offsetof(struct ttp_noc_fabric, w_hops)},
    };
    struct ttp_noc_fabric *f = arg;

    for (size_t i = 0; i < TTP_COUNT(numbers); i++)
        if (ttp_str_eq(key, ttp_str_from(numbers[i].name)))
            return read_i32(r, (int32_t *)(void *)((char *)f + numbers[i].at), err);
    if (ttp_str_eq(key, TTP_STR("hops"))) { /* traces of 2025 */
        f->range = 1;
        return read_i32(r, &f->start_distance, err);
    }
    if (ttp_str_eq(key, TTP_STR("is_mcast"))) {
        int64_t flag = 0;
        f->is_mcast = r->file.event == TTP_JSON_TRUE ||
                      (ttp_json_file_int(&r->file, 0, INT64_MAX, &flag) && flag != 0);
        return ttp_json_file_leave(&r->file, err);
    }
    if (ttp_str_eq(key, TTP_STR("fabric_mux")) && r->file.event == TTP_JSON_OBJECT_BEGIN) {
        f->has_mux = true;
        return read_members(r, mux_member, f, err);
    }
    if (!ttp_str_eq(key, TTP_STR("path")))
        return ttp_json_file_leave(&r->file, err);
    f->hop = (uint32_t)r->trace->nhops;
    TTP_TRY(ttp_logs_noc_trace_read_list(r, hop_element, &f->has_path, err));
    f->nhops = (uint32_t)r->trace->nhops - f->hop;
    return TTP_OK;
}

ttp_code ttp_logs_noc_trace_read_fabric(struct ttp_noc_reading *r, struct ttp_noc_fabric *f,
                                        bool *has, struct ttp_err *err)
{
    if (r->file.event != TTP_JSON_OBJECT_BEGIN) {
        ttp_logs_noc_trace_odd_value(r);
        return ttp_json_file_leave(&r->file, err);
    }
    *has = true;
    *f = (struct ttp_noc_fabric){.eth_chan = TTP_NOC_UNSAID,
                                 .start_distance = TTP_NOC_UNSAID,
                                 .range = TTP_NOC_UNSAID,
                                 .ns_hops = TTP_NOC_UNSAID,
                                 .e_hops = TTP_NOC_UNSAID,
                                 .w_hops = TTP_NOC_UNSAID,
                                 .mux_x = TTP_NOC_UNSAID,
                                 .mux_y = TTP_NOC_UNSAID,
                                 .mux_noc = TTP_NOC_UNSAID};
    return read_members(r, fabric_member, f, err);
}

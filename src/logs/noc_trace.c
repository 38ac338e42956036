/* SPDX-License-Identifier: Apache-2.0 */
/* noc_trace.c - zones and NoC events of one program on one device, or of several once merged.
 *
 * An array of flat objects, of which a few (fabric) have lists in them. Every key is optional, and
 * what has the wrong kind of value counts as not given, as in tt-npe; both are needed for traces of
 * all ages. Records are taken one by one from the stream of JSON events. */
#include "logs/noc_trace.h"

#include "base/vec.h"

enum key {
    KEY_UNKNOWN,
    KEY_PROC,
    KEY_SX,
    KEY_SY,
    KEY_DX,
    KEY_DY,
    KEY_TIMESTAMP,
    KEY_TYPE,
    KEY_NOC,
    KEY_VC,
    KEY_NUM_BYTES,
    KEY_ZONE,
    KEY_ZONE_PHASE,
    KEY_MCAST_START_X,
    KEY_MCAST_START_Y,
    KEY_MCAST_END_X,
    KEY_MCAST_END_Y,
    KEY_SRC_DEVICE,
    KEY_DST_DEVICE,
    KEY_RUN_ID,
    KEY_OP_NAME,
    KEY_FABRIC_SEND,
    KEY_DST,
};

static const struct {
    const char *name;
    uint8_t len;
    uint8_t key;
} keys[] = {
    {"proc", 4, KEY_PROC},
    {"sx", 2, KEY_SX},
    {"sy", 2, KEY_SY},
    {"timestamp", 9, KEY_TIMESTAMP},
    {"type", 4, KEY_TYPE},
    {"noc", 3, KEY_NOC},
    {"vc", 2, KEY_VC},
    {"num_bytes", 9, KEY_NUM_BYTES},
    {"dx", 2, KEY_DX},
    {"dy", 2, KEY_DY},
    {"src_device_id", 13, KEY_SRC_DEVICE},
    {"dst_device_id", 13, KEY_DST_DEVICE},
    {"run_host_id", 11, KEY_RUN_ID},
    {"op_name", 7, KEY_OP_NAME},
    {"zone", 4, KEY_ZONE},
    {"zone_phase", 10, KEY_ZONE_PHASE},
    {"mcast_start_x", 13, KEY_MCAST_START_X},
    {"mcast_start_y", 13, KEY_MCAST_START_Y},
    {"mcast_end_x", 11, KEY_MCAST_END_X},
    {"mcast_end_y", 11, KEY_MCAST_END_Y},
    {"fabric_send", 11, KEY_FABRIC_SEND},
    {"dst", 3, KEY_DST},
};

static bool is_key(ttp_str name, size_t i)
{
    return name.len == keys[i].len && memcmp(name.ptr, keys[i].name, name.len) == 0;
}

/* Records repeat the order of their keys: the one that followed the last time is tried first. */
static enum key find_key(struct ttp_noc_reading *r, ttp_str name)
{
    uint8_t *guess = &r->next_key[r->last_key];
    size_t i = *guess;

    _Static_assert(TTP_COUNT(keys) < sizeof(r->next_key), "one for each key");
    if (!is_key(name, i))
        for (i = 0; i < TTP_COUNT(keys) && !is_key(name, i);)
            i++;
    if (i == TTP_COUNT(keys))
        return KEY_UNKNOWN;
    *guess = r->last_key = (uint8_t)i;
    return (enum key)keys[i].key;
}

/* What a record says, until all of it is read. */
struct record {
    struct ttp_noc_event event;
    ttp_sym zone, type_name;
    enum ttp_noc_type type, phase;
    bool strange_phase;
    bool has_zone, has_type, has_device, has_dst_device, has_fabric;
    uint32_t seen; /* keys */
    struct ttp_noc_fabric fabric;
    uint32_t write, nwrites; /* dst */
};

/* tt-npe cuts device ids to 16 bits; beyond that they are not a device of the window. */
static uint32_t cut_device(int64_t value)
{
    return value < 0 || value > UINT16_MAX ? 0x10000U | (uint16_t)value : (uint32_t)value;
}

static ttp_code read_device(struct ttp_noc_reading *r, uint32_t *out, bool *has,
                            struct ttp_err *err)
{
    int64_t value = INT64_MIN;

    TTP_TRY(ttp_logs_noc_trace_read_i64(r, INT64_MIN + 1, INT64_MAX, &value, err));
    if (value == INT64_MIN)
        return TTP_OK;
    *has = true;
    if (r->trace->cut_values)
        *out = cut_device(value);
    else
        *out = value < 0 || value >= TTP_NOC_NOWHERE ? TTP_NOC_NOWHERE : (uint32_t)value;
    return TTP_OK;
}

static ttp_code read_risc(struct ttp_noc_reading *r, uint8_t *out, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    *out = TTP_NOC_RISC_NONE;
    if (!text.len)
        return TTP_OK;
    for (*out = TTP_NOC_RISC_BRISC; *out < TTP_NOC_RISC_OTHER; ++*out)
        if (ttp_str_eq(text, ttp_str_from(ttp_logs_noc_risc_name((enum ttp_noc_risc) * out))))
            break;
    return TTP_OK;
}

static ttp_code read_timestamp(struct ttp_noc_reading *r, uint64_t *out, struct ttp_err *err)
{
    if (r->file.event == TTP_JSON_NUMBER &&
        (!r->trace->cut_values || ttp_json_file_is_plain(&r->file)) &&
        (ttp_str_to_u64(r->file.json.text, out) || ttp_json_to_u64(r->file.json.text, out)))
        return TTP_OK;
    ttp_logs_noc_trace_odd_value(r);
    return ttp_json_file_leave(&r->file, err);
}

/* tt-npe knows new phases only; what others are is not defined, see keep_zone(). */
static ttp_code read_phase(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    enum ttp_noc_type *out = &rec->phase;
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    if (r->trace->cut_values)
        rec->strange_phase = text.len && !ttp_str_eq(text, TTP_STR("ZONE_START")) &&
                             !ttp_str_eq(text, TTP_STR("ZONE_END"));
    r->trace->old_phases |= !ttp_str_starts(text, TTP_STR("ZONE_"));
    if (ttp_str_eq(text, TTP_STR("ZONE_START")) || ttp_str_eq(text, TTP_STR("begin")))
        *out = TTP_NOC_ZONE_START;
    else if (ttp_str_eq(text, TTP_STR("ZONE_END")) || ttp_str_eq(text, TTP_STR("end")))
        *out = TTP_NOC_ZONE_END;
    else
        ttp_logs_noc_trace_odd_value(r);
    return TTP_OK;
}

static ttp_code read_type(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    rec->has_type = text.len > 0;
    if (!rec->has_type)
        return TTP_OK;
    rec->type = ttp_logs_noc_type(text);
    if (rec->type == TTP_NOC_OTHER)
        rec->type_name = ttp_sym_intern(&r->trace->names, text);
    return TTP_OK;
}

static ttp_code read_name(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    rec->has_zone = text.len > 0;
    if (rec->has_zone)
        rec->zone = ttp_sym_intern(&r->trace->names, text);
    return TTP_OK;
}

static ttp_code read_op(struct ttp_noc_reading *r, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_logs_noc_trace_read_text(r, &text, err));
    if (!r->trace->op.len && text.len)
        r->trace->op = ttp_arena_copy(r->arena, text);
    return TTP_OK;
}

static ttp_code read_run_id(struct ttp_noc_reading *r, struct ttp_err *err)
{
    int64_t id = 0;

    TTP_TRY(ttp_logs_noc_trace_read_i64(r, 0, INT64_MAX, &id, err));
    if (!r->trace->run_id)
        r->trace->run_id = (uint64_t)id;
    return TTP_OK;
}

static ttp_code read_dst(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    bool is_list;

    rec->write = (uint32_t)r->trace->nwrites;
    TTP_TRY(ttp_logs_noc_trace_read_list(r, ttp_logs_noc_trace_write_element, &is_list, err));
    rec->nwrites = (uint32_t)r->trace->nwrites - rec->write;
    return TTP_OK;
}

static ttp_code read_vc(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    int64_t vc = TTP_NOC_UNSAID;

    TTP_TRY(ttp_logs_noc_trace_read_i64(r, INT8_MIN, INT8_MAX, &vc, err));
    rec->event.vc = (int8_t)vc;
    return TTP_OK;
}

static ttp_code read_value(struct ttp_noc_reading *r, struct record *rec, enum key key,
                           struct ttp_err *err)
{
    struct ttp_noc_event *e = &rec->event;
    const bool cut = r->trace->cut_values;

    if (cut && rec->seen & 1U << key)
        return ttp_json_file_leave(&r->file, err);
    rec->seen |= 1U << key;
    switch (key) {
    case KEY_PROC:
        return read_risc(r, &e->risc, err);
    case KEY_SX:
        return ttp_logs_noc_trace_read_coord(r, &e->sx, err);
    case KEY_SY:
        return ttp_logs_noc_trace_read_coord(r, &e->sy, err);
    case KEY_DX:
        return ttp_logs_noc_trace_read_coord(r, &e->dx, err);
    case KEY_DY:
        return ttp_logs_noc_trace_read_coord(r, &e->dy, err);
    case KEY_MCAST_START_X:
        return ttp_logs_noc_trace_read_coord(r, &e->mcast_start_x, err);
    case KEY_MCAST_START_Y:
        return ttp_logs_noc_trace_read_coord(r, &e->mcast_start_y, err);
    case KEY_MCAST_END_X:
        return ttp_logs_noc_trace_read_coord(r, &e->mcast_end_x, err);
    case KEY_MCAST_END_Y:
        return ttp_logs_noc_trace_read_coord(r, &e->mcast_end_y, err);
    case KEY_TIMESTAMP:
        return read_timestamp(r, &e->cycle, err);
    case KEY_TYPE:
        return read_type(r, rec, err);
    case KEY_NOC:
        return ttp_logs_noc_trace_read_noc(r, &e->noc, err);
    case KEY_VC:
        return read_vc(r, rec, err);
    case KEY_NUM_BYTES:
        return ttp_logs_noc_trace_read_i64(r, cut ? INT64_MIN : 0, cut ? INT64_MAX : UINT32_MAX,
                                           &e->bytes, err);
    case KEY_ZONE:
        return read_name(r, rec, err);
    case KEY_ZONE_PHASE:
        return read_phase(r, rec, err);
    case KEY_SRC_DEVICE:
        return read_device(r, &e->device, &rec->has_device, err);
    case KEY_DST_DEVICE:
        return read_device(r, &e->dst_device, &rec->has_dst_device, err);
    case KEY_RUN_ID:
        return read_run_id(r, err);
    case KEY_OP_NAME:
        return read_op(r, err);
    case KEY_FABRIC_SEND:
        return ttp_logs_noc_trace_read_fabric(r, &rec->fabric, &rec->has_fabric, err);
    case KEY_DST:
        return read_dst(r, rec, err);
    case KEY_UNKNOWN:
        break;
    }
    return ttp_json_file_leave(&r->file, err);
}

static void keep_event(struct ttp_noc_reading *r, const struct ttp_noc_event *e)
{
    struct ttp_noc_trace *t = r->trace;

    if (t->nevents == 0 || e->cycle < t->first_cycle)
        t->first_cycle = e->cycle;
    if (e->cycle > t->last_cycle)
        t->last_cycle = e->cycle;
    *TTP_PUSH(r->arena, t->event, t->nevents) = *e;
}

/* A phase that tt-npe does not know: its program reads a variable that was not set, and finds what
 * the zone before was. */
static void keep_zone(struct ttp_noc_reading *r, struct record *rec)
{
    struct ttp_noc_event *e = &rec->event;

    e->type = (uint8_t)(rec->strange_phase ? r->last_phase : rec->phase);
    if (e->risc != TTP_NOC_RISC_NONE && e->sx != TTP_NOC_UNSAID && e->sy != TTP_NOC_UNSAID)
        r->last_phase = (enum ttp_noc_type)e->type;
    e->name = rec->zone;
    keep_event(r, e);
}

/* A record may be both a zone's and an event's: it counts as two. */
static ttp_code keep_record(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    struct ttp_noc_trace *t = r->trace;
    struct ttp_noc_event *e = &rec->event;

    if (t->nevents >= UINT32_MAX - 1)
        return ttp_fail_at(err, TTP_ELIMIT, r->file.json.offset, "more than 4 billion records");
    e->device_said = rec->has_device;
    if (!rec->has_dst_device)
        e->dst_device = e->device;
    if (rec->has_zone && (rec->phase != TTP_NOC_NONE || rec->strange_phase)) {
        keep_zone(r, rec);
        if (!rec->has_type)
            return TTP_OK;
    }
    if (rec->has_type) {
        e->type = (uint8_t)rec->type;
        e->name = rec->type_name;
    }
    if (rec->has_fabric) {
        rec->fabric.write = rec->write;
        rec->fabric.nwrites = rec->nwrites;
        TTP_ROOM(r->arena, t->fabric, t->nfabrics);
        e->fabric = (uint32_t)t->nfabrics;
        t->fabric[t->nfabrics++] = rec->fabric;
    }
    keep_event(r, e);
    return TTP_OK;
}

/* A key is the event. */
static ttp_code read_member(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    const enum key key = find_key(r, r->file.json.text);

    if (key == KEY_UNKNOWN)
        return ttp_json_file_skip(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    return read_value(r, rec, key, err);
}

static ttp_code read_members(struct ttp_noc_reading *r, struct record *rec, struct ttp_err *err)
{
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_OBJECT_END) {
        TTP_TRY(read_member(r, rec, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return TTP_OK;
}

static ttp_code read_record(struct ttp_noc_reading *r, struct ttp_err *err)
{
    struct record rec = {
        .type_name = TTP_SYM_NONE,
        .event = {.fabric = TTP_NOC_NO_FABRIC,
                  .name = TTP_SYM_NONE,
                  .sx = TTP_NOC_UNSAID,
                  .sy = TTP_NOC_UNSAID,
                  .dx = TTP_NOC_UNSAID,
                  .dy = TTP_NOC_UNSAID,
                  .mcast_start_x = TTP_NOC_UNSAID,
                  .mcast_start_y = TTP_NOC_UNSAID,
                  .mcast_end_x = TTP_NOC_UNSAID,
                  .mcast_end_y = TTP_NOC_UNSAID,
                  .device = r->device,
                  .noc = TTP_NOC_UNSAID,
                  .vc = TTP_NOC_UNSAID},
    };

    if (r->file.event == TTP_JSON_OBJECT_BEGIN)
        TTP_TRY(read_members(r, &rec, err));
    else
        TTP_TRY(ttp_json_file_leave(&r->file, err));
    return keep_record(r, &rec, err);
}

static ttp_code read_element(struct ttp_noc_reading *r, struct ttp_err *err)
{
    if (r->file.event == TTP_JSON_OBJECT_BEGIN)
        return read_record(r, err);
    if (r->trace->bad_records.count++ == 0)
        r->trace->bad_records.line = ttp_json_file_line(&r->file, r->file.json.offset);
    if (r->trace->cut_values)
        return read_record(r, err);
    return ttp_json_file_leave(&r->file, err);
}

static ttp_code read_records(struct ttp_noc_reading *r, struct ttp_err *err)
{
    TTP_TRY(ttp_json_file_next(&r->file, err));
    if (r->file.event != TTP_JSON_ARRAY_BEGIN) {
        ttp_fail_at(err, TTP_EPARSE, r->file.json.offset, "not a NoC trace: no array of records");
        ttp_err_hint(err, "give a noc_trace_dev*.json of tt-metal, or the folder they are in");
        return TTP_EPARSE;
    }
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_ARRAY_END) {
        TTP_TRY(read_element(r, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return ttp_json_file_next(&r->file, err); /* nothing may follow */
}

ttp_code ttp_logs_read_noc_trace(struct ttp_noc_trace *out, const char *path, uint16_t device,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_noc_reading r = {
        .trace = out, .arena = arena, .device = device, .last_phase = TTP_NOC_ZONE_START};

    out->names.arena = arena;
    TTP_TRY(ttp_json_file_open(&r.file, path, err));
    r.file.bounded = out->cut_values;
    const ttp_code rc = read_records(&r, err);
    if (rc != TTP_OK && err)
        ttp_err_where(err, path, err->line ? err->line : ttp_json_file_line(&r.file, err->offset));
    ttp_json_file_close(&r.file);
    return rc;
}

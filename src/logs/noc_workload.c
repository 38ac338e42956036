/* SPDX-License-Identifier: Apache-2.0 */
/* noc_workload.c - workload files of tt-npe: transfers written by hand or by a script. */
#include "base/json_file.h"
#include "base/vec.h"
#include "logs/device_log.h"
#include "logs/logs.h"

struct reading {
    struct ttp_noc_workload *out;
    struct ttp_json_file file;
    struct ttp_arena *arena;
    bool has_phases, has_transfers;
    bool strict;
};

#define HAS(f) (1U << (f))

enum {
    PACKET_SIZE,
    NUM_PACKETS,
    SRC_X,
    SRC_Y,
    DST_X,
    DST_Y,
    MCAST_START_X,
    MCAST_START_Y,
    MCAST_END_X,
    MCAST_END_Y,
    OFFSET,
    DEVICE,
    NUMBERS,
    NOC = NUMBERS
};

static const struct {
    const char *name;
    size_t at;
} numbers[NUMBERS] = {
    [PACKET_SIZE] = {"packet_size", offsetof(struct ttp_noc_workload_item, packet_size)},
    [NUM_PACKETS] = {"num_packets", offsetof(struct ttp_noc_workload_item, num_packets)},
    [SRC_X] = {"src_x", offsetof(struct ttp_noc_workload_item, src_x)},
    [SRC_Y] = {"src_y", offsetof(struct ttp_noc_workload_item, src_y)},
    [DST_X] = {"dst_x", offsetof(struct ttp_noc_workload_item, dst_x)},
    [DST_Y] = {"dst_y", offsetof(struct ttp_noc_workload_item, dst_y)},
    [MCAST_START_X] = {"mcast_start_x", offsetof(struct ttp_noc_workload_item, mcast_start_x)},
    [MCAST_START_Y] = {"mcast_start_y", offsetof(struct ttp_noc_workload_item, mcast_start_y)},
    [MCAST_END_X] = {"mcast_end_x", offsetof(struct ttp_noc_workload_item, mcast_end_x)},
    [MCAST_END_Y] = {"mcast_end_y", offsetof(struct ttp_noc_workload_item, mcast_end_y)},
    [OFFSET] = {"phase_cycle_offset", offsetof(struct ttp_noc_workload_item, phase_cycle_offset)},
    [DEVICE] = {"device_id", offsetof(struct ttp_noc_workload_item, device_id)},
};

static ttp_code read_number(struct reading *r, struct ttp_noc_workload_item *item, unsigned *has,
                            size_t which, struct ttp_err *err)
{
    int64_t *at = (int64_t *)(void *)((char *)item + numbers[which].at);

    if ((!r->strict || ttp_json_file_is_plain(&r->file)) &&
        ttp_json_file_int(&r->file, INT64_MIN, INT64_MAX, at))
        *has |= HAS(which);
    return ttp_json_file_leave(&r->file, err);
}

static ttp_code read_member(struct reading *r, struct ttp_noc_workload_item *item, unsigned *has,
                            struct ttp_err *err)
{
    size_t which = 0;

    while (which < NUMBERS && !ttp_json_file_key(&r->file, numbers[which].name))
        which++;
    const bool noc = ttp_json_file_key(&r->file, "noc_type");
    const bool type = ttp_json_file_key(&r->file, "noc_event_type");
    const bool rate = ttp_json_file_key(&r->file, "injection_rate");
    if (which == NUMBERS && !noc && !type && !rate)
        return ttp_json_file_skip(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    if (which < NUMBERS)
        return read_number(r, item, has, which, err);
    if (rate && r->file.event == TTP_JSON_NUMBER)
        (void)ttp_json_to_f64(r->file.json.text, &item->injection_rate);
    if (noc && r->file.event == TTP_JSON_STRING) {
        item->noc = (int8_t)!ttp_str_eq(r->file.json.text, TTP_STR("NOC_0"));
        *has |= HAS(NOC);
    }
    if (type && r->file.event == TTP_JSON_STRING) {
        item->type = (uint8_t)ttp_logs_noc_type(r->file.json.text);
        item->type_name = ttp_logs_noc_type_name((enum ttp_noc_type)item->type)[0]
                              ? ttp_str_from(ttp_logs_noc_type_name((enum ttp_noc_type)item->type))
                              : ttp_arena_copy(r->arena, r->file.json.text);
    }
    return ttp_json_file_leave(&r->file, err);
}

static void count(struct ttp_fault *fault, uint64_t line)
{
    if (fault->count++ == 0)
        fault->line = line;
}

static ttp_code read_transfer(struct reading *r, struct ttp_err *err)
{
    const unsigned needs = HAS(PACKET_SIZE) | HAS(NUM_PACKETS) | HAS(SRC_X) | HAS(SRC_Y) | HAS(NOC);
    const unsigned rectangle =
        HAS(MCAST_START_X) | HAS(MCAST_START_Y) | HAS(MCAST_END_X) | HAS(MCAST_END_Y);
    struct ttp_noc_workload_item item = {
        .dst_x = TTP_NOC_UNSAID,
        .dst_y = TTP_NOC_UNSAID,
        .line = ttp_json_file_line(&r->file, r->file.json.offset),
    };
    unsigned has = 0;

    if (r->file.event != TTP_JSON_OBJECT_BEGIN) {
        count(&r->out->incomplete, item.line);
        return ttp_json_file_leave(&r->file, err);
    }
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_OBJECT_END) {
        TTP_TRY(read_member(r, &item, &has, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    const bool unicast = item.dst_x != TTP_NOC_UNSAID || item.dst_y != TTP_NOC_UNSAID;
    if ((has & needs) != needs || (!unicast && (has & rectangle) != rectangle)) {
        count(&r->out->incomplete, item.line);
        return TTP_OK;
    }
    if (!(has & HAS(OFFSET)))
        count(&r->out->no_offset, item.line);
    if (r->out->nitems >= INT32_MAX)
        return ttp_fail_at(err, TTP_ELIMIT, r->file.json.offset, "more than 2 billion transfers");
    *TTP_PUSH(r->arena, r->out->item, r->out->nitems) = item;
    return TTP_OK;
}

/* An array, each element read by `element`, object or not; the event is its begin. */
typedef ttp_code element_fn(struct reading *r, struct ttp_err *err);

static ttp_code read_array(struct reading *r, element_fn *element, struct ttp_err *err)
{
    if (r->file.event != TTP_JSON_ARRAY_BEGIN)
        return ttp_json_file_leave(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_ARRAY_END) {
        TTP_TRY(element(r, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return TTP_OK;
}

/* The members of an object, each value read by `member`; the event is the object's begin. */
static ttp_code read_object(struct reading *r, element_fn *member, struct ttp_err *err)
{
    if (r->file.event != TTP_JSON_OBJECT_BEGIN)
        return ttp_json_file_leave(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    while (r->file.event != TTP_JSON_OBJECT_END) {
        TTP_TRY(member(r, err));
        TTP_TRY(ttp_json_file_next(&r->file, err));
    }
    return TTP_OK;
}

static ttp_code phase_member(struct reading *r, struct ttp_err *err)
{
    if (!ttp_json_file_key(&r->file, "transfers"))
        return ttp_json_file_skip(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    r->has_transfers |= r->file.event == TTP_JSON_ARRAY_BEGIN;
    return read_array(r, read_transfer, err);
}

static ttp_code read_phase(struct reading *r, struct ttp_err *err)
{
    const uint64_t line = ttp_json_file_line(&r->file, r->file.json.offset);

    r->has_transfers = false;
    TTP_TRY(read_object(r, phase_member, err));
    if (r->has_transfers || !r->strict)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "a phase without a list 'transfers'");
    ttp_err_where(err, "", line);
    return TTP_EPARSE;
}

static ttp_code golden_member(struct reading *r, struct ttp_err *err)
{
    if (!ttp_json_file_key(&r->file, "cycles"))
        return ttp_json_file_skip(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    if (r->file.event == TTP_JSON_NUMBER && (!r->strict || ttp_json_file_is_plain(&r->file)) &&
        ttp_json_to_u64(r->file.json.text, &r->out->golden_cycles)) {
        r->out->has_golden = true;
    } else if (r->strict) {
        ttp_fail(err, TTP_EPARSE, "golden cycles that are not a whole number");
        ttp_err_where(err, "", ttp_json_file_line(&r->file, r->file.json.offset));
        return TTP_EPARSE;
    }
    return ttp_json_file_leave(&r->file, err);
}

static ttp_code top_member(struct reading *r, struct ttp_err *err)
{
    const bool golden = ttp_json_file_key(&r->file, "golden_result");
    const bool phases = ttp_json_file_key(&r->file, "phases");

    if (!golden && !phases)
        return ttp_json_file_skip(&r->file, err);
    TTP_TRY(ttp_json_file_next(&r->file, err));
    if (golden)
        return read_object(r, golden_member, err);
    r->has_phases |= r->file.event == TTP_JSON_ARRAY_BEGIN;
    return read_array(r, read_phase, err);
}

static ttp_code read_file(struct reading *r, struct ttp_err *err)
{
    TTP_TRY(ttp_json_file_next(&r->file, err));
    if (r->file.event != TTP_JSON_OBJECT_BEGIN)
        return ttp_fail_at(err, TTP_EPARSE, r->file.json.offset,
                           "not a workload: no object with 'phases'");
    TTP_TRY(read_object(r, top_member, err));
    TTP_TRY(ttp_json_file_next(&r->file, err)); /* nothing may follow */
    if (r->has_phases)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EPARSE, "not a workload: it has no list 'phases'");
    ttp_err_hint(err, "give a workload of tt-npe, a NoC trace or a folder of traces; pass a "
                      "topology with --topology");
    return TTP_EPARSE;
}

ttp_code ttp_logs_read_noc_workload(struct ttp_noc_workload *out, const char *path, bool strict,
                                    struct ttp_arena *arena, struct ttp_err *err)
{
    struct reading r = {.out = out, .arena = arena, .strict = strict};

    *out = (struct ttp_noc_workload){0};
    TTP_TRY(ttp_json_file_open(&r.file, path, err));
    r.file.bounded = strict;
    const ttp_code rc = read_file(&r, err);
    if (rc != TTP_OK && err)
        ttp_err_where(err, path, err->line);
    ttp_json_file_close(&r.file);
    return rc;
}

/* Keys that every record of a trace has. */
static ttp_code look_at_record(struct ttp_json_file *file, bool *is_trace, struct ttp_err *err)
{
    bool proc = false, time = false;

    for (;;) {
        TTP_TRY(ttp_json_file_next(file, err));
        if (file->event != TTP_JSON_KEY)
            break;
        proc |= ttp_json_file_key(file, "proc");
        time |= ttp_json_file_key(file, "timestamp");
        TTP_TRY(ttp_json_file_skip(file, err));
    }
    *is_trace = proc && time;
    return TTP_OK;
}

bool ttp_logs_is_noc_trace(const char *path)
{
    struct ttp_json_file file;
    struct ttp_err ignored = {0};
    bool is_trace = false;

    if (ttp_json_file_open(&file, path, &ignored) != TTP_OK)
        return false;
    if (ttp_json_file_next(&file, &ignored) != TTP_OK || file.event != TTP_JSON_ARRAY_BEGIN ||
        ttp_json_file_next(&file, &ignored) != TTP_OK || file.event != TTP_JSON_OBJECT_BEGIN ||
        look_at_record(&file, &is_trace, &ignored) != TTP_OK)
        is_trace = false;
    ttp_json_file_close(&file);
    return is_trace;
}

ttp_code ttp_logs_noc_content(enum ttp_noc_content *out, const char *path, struct ttp_err *err)
{
    struct ttp_json_file file;
    struct ttp_err ignored = {0};

    TTP_TRY(ttp_json_file_open(&file, path, err));
    *out = TTP_NOC_IS_OTHER;
    if (ttp_json_file_next(&file, &ignored) == TTP_OK) {
        if (file.event == TTP_JSON_ARRAY_BEGIN)
            *out = TTP_NOC_IS_TRACE;
        else if (file.event == TTP_JSON_OBJECT_BEGIN)
            *out = TTP_NOC_IS_WORKLOAD;
    }
    ttp_json_file_close(&file);
    return TTP_OK;
}

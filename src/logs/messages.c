/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_ops_data.csv: every Tracy message of the run. Those of ops come in two forms: the first
 * call of a program describes it in JSON, later calls name only its hash. docs/formats/
 * tracy_ops_data.md lists all forms. */
#include "base/input.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "logs/device_log.h"
#include "logs/message_rows.h"
#include "logs/op_json.h"

/* csv.field_size_limit() of Python. */
#define PYTHON_FIELD_LIMIT 131072

struct cached {
    int64_t device;
    ttp_str hash;
    const struct ttp_op_info *info;
};

/* The trace that a device is capturing. */
struct capture {
    int64_t device, trace_id;
};

enum mlir { MLIR_LOCATION, MLIR_CONST_EVAL, MLIR_INPUT_LAYOUT, MLIR_PROGRAM, MLIR_KEYS };
static const char *const mlir_names[] = {"MLIR_OP_LOCATION", "MLIR_CONST_EVAL_OP",
                                         "MLIR_INPUT_LAYOUT_CONVERSION_OP",
                                         "MLIR_PROGRAM_METADATA"};

struct reading {
    struct ttp_host_log *log;
    const struct ttp_logs_options *options;
    struct ttp_arena *arena;
    struct ttp_arena scratch;
    struct cached *cached;
    size_t ncached;
    struct ttp_map cached_at;
    struct capture *capture;
    size_t ncaptures;
    ttp_sym mlir[MLIR_KEYS]; /* the value in force */
    uint64_t line;           /* of the current row */
    bool header_done;
};

static ttp_code count(struct reading *r, struct ttp_fault *fault)
{
    if (fault->count++ == 0)
        fault->line = r->line;
    return TTP_OK;
}

/* Counted; if strict also a failure. */
static ttp_code refuse(struct reading *r, struct ttp_fault *fault, struct ttp_err *err,
                       const char *why)
{
    count(r, fault);
    if (!r->options->strict)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_where(err, "", r->line);
    return TTP_EPARSE;
}

struct ttp_host_op *ttp_logs_find_op(const struct ttp_host_log *log, uint64_t id)
{
    const uint32_t at = ttp_map_get(&log->by_id, id);

    return at == TTP_MAP_NONE ? NULL : &log->op[at];
}

/* A repeated id replaces its earlier description, at its old place. */
static void put_op(struct reading *r, const struct ttp_host_op *op)
{
    struct ttp_host_log *log = r->log;
    struct ttp_host_op *known = ttp_logs_find_op(log, op->id);

    if (known) {
        *known = *op;
        return;
    }
    log->by_id.arena = r->arena;
    ttp_map_put(&log->by_id, op->id, (uint32_t)log->nops);
    *TTP_PUSH(r->arena, log->op, log->nops) = *op;
}

/* NULL: never described. */
static struct cached *find_cached(const struct reading *r, int64_t device, ttp_str hash)
{
    uint32_t at;

    TTP_MAP_EACH (at, &r->cached_at, ttp_hash_text((uint64_t)device, hash))
        if (r->cached[at].device == device && ttp_str_eq(r->cached[at].hash, hash))
            return &r->cached[at];
    return NULL;
}

static void put_cached(struct reading *r, const struct ttp_op_info *info)
{
    struct cached *known = find_cached(r, info->device, info->hash);

    if (known) {
        known->info = info;
        return;
    }
    r->cached_at.arena = r->arena;
    ttp_map_add(&r->cached_at, ttp_hash_text((uint64_t)info->device, info->hash),
                (uint32_t)r->ncached);
    *TTP_PUSH(r->arena, r->cached, r->ncached) = (struct cached){info->device, info->hash, info};
}

static struct capture *capture_of(struct reading *r, int64_t device)
{
    for (size_t i = 0; i < r->ncaptures; i++)
        if (r->capture[i].device == device)
            return &r->capture[i];
    return NULL;
}

static struct ttp_host_op new_op(struct reading *r, const struct ttp_op_info *info, uint64_t id,
                                 int64_t time_ns)
{
    return (struct ttp_host_op){.id = id,
                                .info = info,
                                .trace_id = TTP_NO_ID,
                                .message_ns = time_ns,
                                .location = r->mlir[MLIR_LOCATION],
                                .const_eval = r->mlir[MLIR_CONST_EVAL],
                                .input_layout = r->mlir[MLIR_INPUT_LAYOUT],
                                .program = r->mlir[MLIR_PROGRAM],
                                .line = r->line};
}

static ttp_code full_op(struct reading *r, ttp_str json, int64_t time_ns, struct ttp_err *err)
{
    struct ttp_op_info *info = TTP_NEW(r->arena, struct ttp_op_info, 1);

    if (ttp_logs_op_json_read(info, json, r->arena, NULL) != TTP_OK)
        return count(r, &r->log->cut_messages);
    if (!info->has_id)
        return refuse(r, &r->log->bad_messages, err, "an op without global_call_count");
    struct ttp_host_op op = new_op(r, info, info->id, time_ns);
    if (info->has_hash) {
        if (!info->has_device)
            return refuse(r, &r->log->bad_messages, err, "an op with op_hash but no device_id");
        put_cached(r, info);
        const struct capture *capture = capture_of(r, info->device);
        if (capture)
            op.trace_id = capture->trace_id;
    }
    put_op(r, &op);
    return TTP_OK;
}

/* "TT_DNN_DEVICE_OP: name, hash, device, cache hit, id"; before 2026-03 without the cache hit. */
static ttp_code cached_op(struct reading *r, ttp_str text, int64_t time_ns, struct ttp_err *err)
{
    ttp_str part[6];
    const size_t colon = ttp_str_find_char(text, ':');
    const ttp_str list = colon == TTP_NPOS ? text : ttp_str_slice(text, colon + 1, text.len);
    const size_t n = ttp_str_split(list, ',', part, TTP_COUNT(part));
    const bool old = n == 4 && !r->options->strict;
    int64_t device, id;

    if ((n <= 4 && !old) || !ttp_python_int(part[2], &device) ||
        !ttp_python_int(part[old ? 3 : 4], &id) || id < 0)
        return refuse(r, &r->log->bad_messages, err,
                      "an op message does not have the form 'name, hash, device, cache hit, id'");
    const ttp_str hash = ttp_python_strip(part[1]);
    const struct cached *cached = find_cached(r, device, hash);
    if (!cached)
        return count(r, &r->log->unknown_cached);
    struct ttp_host_op op = new_op(r, cached->info, (uint64_t)id, time_ns);
    if (!old) {
        r->log->has_cache_hits = true;
        const ttp_str hit = ttp_python_strip(part[3]);
        op.cache_hit = ttp_str_eq(hit, TTP_STR("1")) || ttp_str_eq(hit, TTP_STR("true")) ||
                               ttp_str_eq(hit, TTP_STR("True"))
                           ? TTP_STR("True")
                           : TTP_STR("False");
    }
    const struct capture *capture = capture_of(r, device);
    if (capture)
        op.trace_id = capture->trace_id;
    put_op(r, &op);
    return TTP_OK;
}

static void put_replay(struct reading *r, int64_t device, int64_t trace_id, int64_t time_ns)
{
    struct ttp_host_log *log = r->log;
    struct ttp_trace_replays *found = NULL;

    for (size_t i = 0; i < log->nreplays && !found; i++)
        if (log->replays[i].device == device && log->replays[i].trace_id == trace_id)
            found = &log->replays[i];
    if (!found) {
        found = TTP_PUSH(r->arena, log->replays, log->nreplays);
        *found = (struct ttp_trace_replays){.device = device, .trace_id = trace_id};
    }
    *TTP_PUSH(r->arena, found->ns, found->count) = time_ns;
}

static ttp_code trace_message(struct reading *r, ttp_str text, int64_t time_ns, struct ttp_err *err)
{
    size_t colon = text.len;
    ttp_str part[3];
    int64_t device, trace_id;

    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    const size_t n =
        ttp_str_split(ttp_str_slice(text, colon, text.len), ',', part, TTP_COUNT(part));
    if (n != 2 || !ttp_python_int(part[0], &device) || !ttp_python_int(part[1], &trace_id))
        return refuse(r, &r->log->bad_messages, err,
                      "a trace message does not end in 'device, trace'");
    struct capture *capture = capture_of(r, device);
    if (ttp_str_has(text, TTP_STR("BEGIN"))) {
        if (!capture) {
            capture = TTP_PUSH(r->arena, r->capture, r->ncaptures);
        }
        *capture = (struct capture){device, trace_id};
    } else if (ttp_str_has(text, TTP_STR("END"))) {
        if (!capture || capture->trace_id != trace_id)
            TTP_TRY(refuse(r, &r->log->bad_messages, err, "the end of a trace without its begin"));
        if (capture)
            capture->trace_id = TTP_NO_ID;
    } else if (ttp_str_has(text, TTP_STR("REPLAY"))) {
        put_replay(r, device, trace_id, time_ns);
    }
    return TTP_OK;
}

/* The name of a tt-mlir message is its key; the value follows after ';'. */
static void mlir_message(struct reading *r, const struct ttp_message_row *row)
{
    for (size_t k = 0; k < MLIR_KEYS; k++) {
        const ttp_str key = ttp_str_from(mlir_names[k]);
        ttp_str value;

        if (ttp_str_eq(row->name, key) && row->tail.len) {
            /* not quoted: the value is all up to the last separator, before the time */
            size_t end = row->tail.len;
            while (end > 0 && row->tail.ptr[end - 1] != ';')
                end--;
            value = ttp_str_slice(row->tail, 0, end ? end - 1 : row->tail.len);
        } else if (ttp_str_starts(row->name, key) && row->name.len > key.len &&
                   row->name.ptr[key.len] == ';') {
            value = ttp_str_slice(row->name, key.len + 1, row->name.len);
        } else {
            continue;
        }
        r->mlir[k] = ttp_sym_intern(&r->log->names, value);
        r->log->has_mlir = true;
    }
}

static ttp_code op_or_trace(struct reading *r, ttp_str text, int64_t time_ns, struct ttp_err *err)
{
    if (ttp_str_has(text, TTP_STR("OP"))) {
        const size_t arrow = ttp_str_find(text, TTP_STR(" ->\n"));
        if (arrow == TTP_NPOS)
            return cached_op(r, text, time_ns, err);
        ttp_str part[5]; /* as in cached_op */
        r->log->has_cache_hits |= ttp_str_split(ttp_str_slice(text, 0, arrow), ',', part,
                                                TTP_COUNT(part)) == TTP_COUNT(part);
        return full_op(r, ttp_str_slice(text, arrow + 4, text.len), time_ns, err);
    }
    if (ttp_str_has(text, TTP_STR("TRACE")) &&
        !ttp_str_starts(text, TTP_STR("TT_METAL_TRACE_ENQUEUE_PROGRAM")))
        return trace_message(r, text, time_ns, err);
    return TTP_OK;
}

static ttp_code read_message(struct reading *r, const struct ttp_message_row *row,
                             struct ttp_err *err)
{
    struct ttp_host_log *log = r->log;
    int64_t time_ns = row->ns;

    if (r->options->strict && row->longest > PYTHON_FIELD_LIMIT)
        return refuse(r, &log->bad_messages, err,
                      "a field of more than 131072 bytes: a message lost its closing quote");
    log->messages++;
    if (row->open && !r->options->strict)
        return count(r, &log->cut_messages);
    if (ttp_str_starts(row->name, TTP_STR("MLIR_")))
        mlir_message(r, row);
    const bool op = ttp_logs_names_op(row->name);
    const bool signpost = ttp_str_has(row->name, TTP_STR("TT_SIGNPOST"));
    if (!op && !signpost)
        return TTP_OK;
    if (!row->timed && !ttp_python_int(row->time, &time_ns) && !r->options->strict)
        return count(r, &log->bad_messages);
    if (op)
        TTP_TRY(op_or_trace(r, row->name, time_ns, err));
    if (signpost) {
        *TTP_PUSH(r->arena, log->signpost, log->nsignposts) =
            (struct ttp_signpost){ttp_arena_copy(r->arena, row->name), time_ns};
    }
    return TTP_OK;
}

static ttp_code read_header(struct reading *r, const struct ttp_message_row *row,
                            struct ttp_err *err)
{
    r->header_done = true;
    if (ttp_str_eq(row->name, TTP_STR("MessageName")) ||
        ttp_str_starts(row->name, TTP_STR("There are currently no messages")))
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "the first line is not 'MessageName;total_ns'");
    ttp_err_where(err, "", 1);
    return TTP_EPARSE;
}

static ttp_code read_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reading *r = arg;

    while (text.len) {
        const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
        struct ttp_message_row row;
        const size_t n = ttp_logs_message_next(&row, text, true, !r->options->strict, &r->scratch);

        r->line++;
        if (!r->header_done)
            TTP_TRY(read_header(r, &row, err));
        else if (row.nfields > 1 || row.name.len)
            TTP_TRY(read_message(r, &row, err));
        r->line += row.lines ? row.lines - 1 : 0;
        text = ttp_str_slice(text, n, text.len);
        ttp_arena_rewind(&r->scratch, mark);
    }
    return TTP_OK;
}

static size_t cut(ttp_str text, bool last, void *arg)
{
    struct reading *r = arg;

    return last ? text.len : ttp_logs_message_whole_rows(text, !r->options->strict, &r->scratch);
}

static ttp_code read_recording(struct reading *r, const char *path, struct ttp_err *err)
{
    const struct ttp_trace_reading read_options = {.zones = TTP_ZONES_NONE,
                                                   .progress = r->options->progress};
    struct ttp_arena arena = {0};
    struct ttp_trace trace;

    ttp_code rc = ttp_capture_trace_read(&trace, path, &read_options, &arena, err);
    const bool read = rc == TTP_OK;
    const struct ttp_trace_message **message =
        read ? ttp_capture_trace_sort_messages(&trace, &arena) : NULL;
    for (size_t i = 0; rc == TTP_OK && i < trace.nmessages; i++) {
        const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
        struct ttp_message_row row;

        ttp_logs_message_of(&row, message[i]->text, message[i]->ns, &r->scratch);
        if (row.name.len)
            rc = read_message(r, &row, err);
        ttp_arena_rewind(&r->scratch, mark);
    }
    ttp_arena_free(&arena);
    if (read && rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

ttp_code ttp_logs_read_messages(struct ttp_host_log *out, const char *path,
                                const struct ttp_logs_options *options, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct reading r = {.log = out, .options = options, .arena = arena};

    *out = (struct ttp_host_log){.names = {.arena = arena}};
    for (size_t k = 0; k < MLIR_KEYS; k++)
        r.mlir[k] = TTP_SYM_NONE;
    const ttp_code rc = ttp_logs_is_recording(path)
                            ? read_recording(&r, path, err)
                            : ttp_input_each(path, cut, read_block, &r, err);
    ttp_arena_free(&r.scratch);
    return rc;
}

const struct ttp_trace_replays *ttp_logs_find_replays(const struct ttp_host_log *log,
                                                      int64_t device, int64_t trace_id)
{
    for (size_t i = 0; i < log->nreplays; i++)
        if (log->replays[i].device == device && log->replays[i].trace_id == trace_id)
            return &log->replays[i];
    return NULL;
}

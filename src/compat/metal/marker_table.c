/* SPDX-License-Identifier: Apache-2.0 */
#include "compat/metal/marker_table.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "base/num.h"
#include "base/order.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "compat/python/pandas_csv.h"

#define COUNTER_TIMER 9090

struct reading {
    struct ttp_marker_table *table;
    enum ttp_table_part part;
    struct ttp_symtab values, devices, cores, lanes;
    bool text_times;
    struct ttp_arena scratch; /* of one row */
};

static ttp_code refuse(uint64_t line, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_where(err, "", line);
    return TTP_EPARSE;
}

/* A cell, as Python has it then. */
static struct ttp_table_value value_of(ttp_str cell, enum ttp_pandas_type type,
                                       struct ttp_arena *arena)
{
    struct ttp_table_value v = {.text = cell};
    char text[TTP_NUM_MAX];
    bool beyond;
    double f;

    switch (type) {
    case TTP_PANDAS_INT:
        v.number = v.whole = ttp_pandas_int(cell, &v.i, &beyond);
        v.text = ttp_arena_copy(arena, (ttp_str){text, ttp_num_i64(text, v.i)});
        break;
    case TTP_PANDAS_UINT:
        v.number = ttp_pandas_int(cell, &v.i, &beyond);
        v.whole = !beyond;
        v.text = ttp_arena_copy(arena, (ttp_str){text, ttp_num_u64(text, (uint64_t)v.i)});
        break;
    case TTP_PANDAS_FLOAT:
        v.number = ttp_pandas_float(cell, &f);
        v.whole = fabs(f) < 9e18;
        v.i = v.whole ? (int64_t)f : 0;
        v.text = ttp_arena_copy(arena, (ttp_str){text, ttp_num_f64(text, f, TTP_NUM_PYTHON)});
        break;
    case TTP_PANDAS_TEXT:
        v.whole = ttp_python_int(cell, &v.i);
        break;
    }
    return v;
}

static uint32_t intern(struct reading *r, ttp_str cell, enum ttp_pandas_type type)
{
    struct ttp_marker_table *t = r->table;
    const struct ttp_table_value v = value_of(cell, type, &r->scratch);
    char *key = ttp_arena_bytes(&r->scratch, v.text.len + 1);

    key[0] = v.number ? 'n' : 't';
    if (v.text.len)
        memcpy(key + 1, v.text.ptr, v.text.len);
    const ttp_sym sym = ttp_sym_intern(&r->values, (ttp_str){key, v.text.len + 1});
    if (sym == t->nvalues) {
        TTP_ROOM(t->arena, t->value, t->nvalues);
        t->value[sym] = v;
        t->value[sym].text = ttp_str_slice(ttp_sym_name(&r->values, sym), 1, TTP_NPOS);
        t->nvalues++;
    }
    return sym;
}

static ttp_sym pair(struct ttp_symtab *table, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t key[] = {a, b, c};

    return ttp_sym_intern(table, (ttp_str){(const char *)key, sizeof(key)});
}

/* Device, core and RISC of a row. */
static void place(struct reading *r, struct ttp_table_row *row, const ttp_str *cell,
                  const enum ttp_pandas_type *type)
{
    struct ttp_marker_table *t = r->table;
    const uint32_t device = intern(r, cell[TTP_COL_DEVICE], type[TTP_COL_DEVICE]);
    const uint32_t x = intern(r, cell[TTP_COL_X], type[TTP_COL_X]);
    const uint32_t y = intern(r, cell[TTP_COL_Y], type[TTP_COL_Y]);

    row->device = pair(&r->devices, device, 0, 0);
    if (row->device == t->ndevices) {
        *TTP_PUSH(t->arena, t->device, t->ndevices) = device;
    }
    row->core = pair(&r->cores, device, x, y);
    if (row->core == t->ncores) {
        *TTP_PUSH(t->arena, t->core, t->ncores) =
            (struct ttp_table_core){.device = row->device, .x = x, .y = y};
    }
    row->lane = pair(&r->lanes, row->core, intern(r, cell[TTP_COL_RISC], type[TTP_COL_RISC]), 0);
    if (row->lane == t->nlanes) {
        *TTP_PUSH(t->arena, t->lane, t->nlanes) = ttp_logs_risc_of(cell[TTP_COL_RISC]);
    }
}

ttp_sym ttp_compat_marker_table_zone(struct ttp_marker_table *t, ttp_str name)
{
    const ttp_sym sym = ttp_sym_intern(&t->zones, name);

    if (sym == t->nzones) {
        *TTP_PUSH(t->arena, t->zone, t->nzones) = ttp_logs_zone_of(name);
    }
    return sym;
}

static uint8_t type_of(ttp_str s)
{
    static const struct {
        ttp_str name;
        enum ttp_row_type type;
    } types[] = {
        {{"ZONE_START", 10}, TTP_ROW_START}, {{"ZONE_END", 8}, TTP_ROW_END},
        {{"TS_DATA", 7}, TTP_ROW_DATA},      {{"TS_EVENT", 8}, TTP_ROW_EVENT},
        {{"ZONE_TOTAL", 10}, TTP_ROW_TOTAL},
    };

    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_eq(s, types[i].name))
            return (uint8_t)types[i].type;
    return TTP_ROW_OTHER;
}

/* pandas.to_numeric(errors="coerce").fillna(-1).astype(int) */
static int64_t coerced(ttp_str cell)
{
    double f;

    return ttp_pandas_float(cell, &f) && fabs(f) < 9e18 ? (int64_t)f : -1;
}

static ttp_code take_marker(struct reading *r, const ttp_str *cell,
                            const enum ttp_pandas_type *type, uint64_t line, struct ttp_err *err)
{
    struct ttp_marker_table *t = r->table;
    struct ttp_table_row row = {.type = type_of(cell[TTP_COL_TYPE]), .line = line};
    const struct ttp_table_value timer =
        value_of(cell[TTP_COL_TIMER], type[TTP_COL_TIMER], &r->scratch);
    const struct ttp_table_value time =
        value_of(cell[TTP_COL_TIME], type[TTP_COL_TIME], &r->scratch);

    if (type[TTP_COL_ZONE] != TTP_PANDAS_TEXT)
        return refuse(line, "zone names are numbers", err);
    if (!time.whole) /* of a column of text the row that made it so is named */
        return refuse(line, "time is not a number", err);
    r->text_times |= !time.number;
    place(r, &row, cell, type);
    row.run = intern(r, cell[TTP_COL_RUN], type[TTP_COL_RUN]);
    row.zone = ttp_compat_marker_table_zone(t, cell[TTP_COL_ZONE]);
    row.zero_timer = timer.number && timer.whole && timer.i == 0;
    row.counter = timer.number && timer.whole && timer.i == COUNTER_TIMER;
    row.time = time.i;
    row.trace_id = coerced(cell[TTP_COL_TRACE]);
    row.replay = coerced(cell[TTP_COL_REPLAY]);
    if (!ttp_pandas_float(cell[TTP_COL_DATA], &row.data))
        row.data = NAN;
    row.meta = ttp_arena_copy(t->arena, cell[TTP_COL_META]);
    t->float_times |= type[TTP_COL_TIME] == TTP_PANDAS_FLOAT;
    t->text_data |= type[TTP_COL_DATA] == TTP_PANDAS_TEXT;
    t->text_meta |= type[TTP_COL_META] == TTP_PANDAS_TEXT;
    if (t->zone[row.zone].dispatch && t->lane[row.lane] != TTP_RISC_ERISC)
        t->core[row.core].dispatch = true;
    *TTP_PUSH(t->arena, t->row, t->nrows) = row;
    return TTP_OK;
}

static ttp_str replaced(ttp_str s, char from, char to, struct ttp_arena *arena)
{
    char *copy = ttp_arena_bytes(arena, s.len + 1);

    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == from)
            copy[i] = to;
        else
            copy[i] = s.ptr[i];
    return (ttp_str){copy, s.len};
}

/* One JSON value; NULL: it is none. */
static const struct ttp_node *parse(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_node *node;

    if (ttp_json_tree(&node, text, arena, NULL) != TTP_OK || !node || node->next)
        return NULL;
    return node;
}

/* json.loads(), and ast.literal_eval() where that fails. NULL: neither, or None. */
static const struct ttp_node *parse_meta(ttp_str meta, struct ttp_arena *arena)
{
    const struct ttp_node *n = parse(replaced(meta, ';', ',', arena), arena);

    if (!n) {
        n = parse(replaced(meta, '\'', '"', arena), arena);
        if (n && n->kind != TTP_JSON_OBJECT_BEGIN)
            n = NULL;
    }
    return n && n->kind == TTP_JSON_NULL ? NULL : n;
}

/* int() of a number or text of JSON */
static bool node_int(const struct ttp_node *n, int64_t *out)
{
    double f;

    if (n->kind == TTP_JSON_TRUE || n->kind == TTP_JSON_FALSE) {
        *out = n->kind == TTP_JSON_TRUE;
        return true;
    }
    if (n->kind == TTP_JSON_STRING)
        return ttp_python_int(n->text, out);
    if (n->kind != TTP_JSON_NUMBER)
        return false;
    if (ttp_str_to_i64(n->text, out))
        return true;
    if (!ttp_str_to_f64(n->text, &f) || fabs(f) >= 9e18)
        return false;
    *out = (int64_t)f;
    return true;
}

/* normalize_device_csv_trace_field() */
static bool trace_field(ttp_str cell, enum ttp_pandas_type type, int64_t *out,
                        struct ttp_arena *arena)
{
    const ttp_str text = ttp_python_strip(cell);
    const struct ttp_table_value v = value_of(cell, type, arena);

    *out = -1;
    if (text.len == 0 || ttp_str_eq(text, TTP_STR("None")))
        return true;
    *out = v.i;
    return v.whole;
}

/* What build_sub_device_id_lookup_from_device_csv() does with a row. */
static ttp_code take_sub_device(struct reading *r, const ttp_str *cell,
                                const enum ttp_pandas_type *type, uint64_t line,
                                struct ttp_err *err)
{
    struct ttp_marker_table *t = r->table;
    const ttp_str meta = ttp_python_strip(cell[TTP_COL_META]);
    struct ttp_marker_table_sub_device sub;

    if (meta.len == 0)
        return TTP_OK;
    const struct ttp_node *n = parse_meta(meta, &r->scratch);
    if (!n || n->kind == TTP_JSON_ARRAY_BEGIN)
        return TTP_OK;
    if (n->kind == TTP_JSON_STRING && !ttp_str_has(n->text, TTP_STR("sub_device_id")))
        return TTP_OK;
    if (n->kind != TTP_JSON_OBJECT_BEGIN)
        return refuse(line, "meta data is not an object", err);
    const struct ttp_node *id = ttp_node_get(n, "sub_device_id");
    if (!id)
        return TTP_OK;
    const struct ttp_table_value device =
        value_of(cell[TTP_COL_DEVICE], type[TTP_COL_DEVICE], &r->scratch);
    const struct ttp_table_value run = value_of(cell[TTP_COL_RUN], type[TTP_COL_RUN], &r->scratch);
    if (!node_int(id, &sub.id) || !device.whole || !run.whole ||
        !trace_field(cell[TTP_COL_TRACE], type[TTP_COL_TRACE], &sub.key.trace_id, &r->scratch) ||
        !trace_field(cell[TTP_COL_REPLAY], type[TTP_COL_REPLAY], &sub.key.replay, &r->scratch))
        return refuse(line, "device, run host ID, trace id or sub-device is not a number", err);
    sub.key.device = device.i;
    sub.key.run_id = (uint64_t)run.i;
    *TTP_PUSH(t->arena, t->sub, t->nsubs) = sub;
    return TTP_OK;
}

static ttp_code take(void *arg, const ttp_str *cell, const enum ttp_pandas_type *type,
                     uint64_t line, struct ttp_err *err)
{
    struct reading *r = arg;
    ttp_code rc = take_sub_device(r, cell, type, line, err);

    if (rc == TTP_OK && r->part == TTP_TABLE_ALL)
        rc = take_marker(r, cell, type, line, err);
    ttp_arena_reset(&r->scratch);
    return rc;
}

static int compare_keys(const struct ttp_exec_key *x, const struct ttp_exec_key *y)
{
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->run_id != y->run_id)
        return x->run_id < y->run_id ? -1 : 1;
    if (x->trace_id != y->trace_id)
        return x->trace_id < y->trace_id ? -1 : 1;
    return x->replay < y->replay ? -1 : x->replay > y->replay;
}

struct placed_sub {
    struct ttp_marker_table_sub_device sub;
    size_t at;
};

TTP_ORDER(by_key, struct placed_sub, compare_keys(&x->sub.key, &y->sub.key), TTP_UP(at))

static void sort_subs(struct ttp_marker_table *t, struct ttp_arena *scratch)
{
    struct placed_sub *list = TTP_NEW(scratch, struct placed_sub, t->nsubs);
    size_t n = 0;

    for (size_t i = 0; i < t->nsubs; i++)
        list[i] = (struct placed_sub){t->sub[i], i};
    TTP_SORT(list, t->nsubs, by_key);
    for (size_t i = 0; i < t->nsubs; i++) {
        if (n && compare_keys(&t->sub[n - 1].key, &list[i].sub.key) == 0)
            n--;
        t->sub[n++] = list[i].sub;
    }
    t->nsubs = n;
}

int64_t ttp_marker_table_sub_device(const struct ttp_marker_table *t,
                                    const struct ttp_exec_key *key)
{
    size_t at = 0;

    TTP_BISECT(at, t->nsubs, mid, compare_keys(&t->sub[mid].key, key) < 0);
    return at < t->nsubs && compare_keys(&t->sub[at].key, key) == 0 ? t->sub[at].id : TTP_NO_ID;
}

bool ttp_marker_table_counter(struct ttp_marker_table_counter *out, ttp_str meta,
                              struct ttp_arena *arena)
{
    const ttp_str text = replaced(replaced(meta, ';', ',', arena), '\'', '"', arena);
    const struct ttp_node *n = parse(text, arena), *member;
    int64_t number;

    *out = (struct ttp_marker_table_counter){0};
    if (!n || n->kind != TTP_JSON_OBJECT_BEGIN)
        return false;
    if ((member = ttp_node_get(n, "value")) && node_int(member, &number))
        out->value = (uint64_t)number;
    if ((member = ttp_node_get(n, "ref cnt")) && node_int(member, &number))
        out->reference = (uint64_t)number;
    out->name = ttp_node_str_of(n, "counter type");
    return out->name.len > 0;
}

bool ttp_compat_marker_table_eval(struct ttp_table_member *out, ttp_str meta, const char *key,
                                  struct ttp_arena *arena)
{
    const struct ttp_node *n = parse(replaced(meta, '\'', '"', arena), arena);

    *out = (struct ttp_table_member){0};
    n = n ? ttp_node_get(n, key) : NULL;
    if (!n)
        return false;
    out->number = n->kind == TTP_JSON_NUMBER && ttp_str_to_i64(n->text, &out->i);
    out->text = n->kind == TTP_JSON_STRING ? n->text : (ttp_str){0};
    return out->number || n->kind == TTP_JSON_STRING;
}

ttp_code ttp_compat_marker_table_read(struct ttp_marker_table *out, const char *path,
                                      enum ttp_table_part part, struct ttp_arena *arena,
                                      struct ttp_err *err)
{
    struct reading r = {.table = out, .part = part};
    struct ttp_arena names = {0};
    struct ttp_file file;
    size_t columns = 0;

    *out = (struct ttp_marker_table){.arena = arena, .zones = {.arena = arena}};
    r.values = (struct ttp_symtab){.arena = arena};
    r.devices = r.cores = r.lanes = (struct ttp_symtab){.arena = &names};
    TTP_TRY(ttp_file_map(&file, path, err));
    ttp_code rc = ttp_str_valid_utf8(file.text) == file.text.len
                      ? TTP_OK
                      : ttp_fail(err, TTP_EPARSE, "not UTF-8");
    if (rc == TTP_OK)
        rc = ttp_pandas_read(&columns, file.text, (struct ttp_pandas_taker){take, &r}, &names, err);
    if (rc == TTP_OK && part == TTP_TABLE_ALL && columns != TTP_PANDAS_COLUMNS)
        rc = ttp_fail(err, TTP_EPARSE, "%zu columns, not %d", columns, TTP_PANDAS_COLUMNS);
    if (rc == TTP_OK && r.text_times)
        rc = ttp_fail(err, TTP_EPARSE, "times are negative and beyond 63 bits");
    if (rc == TTP_OK)
        sort_subs(out, &names);
    if (rc != TTP_OK && err)
        ttp_err_where(err, path, err->line);
    ttp_file_close(&file);
    ttp_arena_free(&r.scratch);
    ttp_arena_free(&names);
    return rc;
}

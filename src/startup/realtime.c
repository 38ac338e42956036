/* SPDX-License-Identifier: Apache-2.0 */
/* realtime.c - records of tt-metal's real-time profiler: one per program and chip, without the
 * slowdown of the device profiler.
 *
 * A record has the low 16 bits of the id of its launch only. Names come from the inspector's
 * runtime entries, which have all of it; where two names fit, none is taken. */
#include <math.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/input.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sink.h"
#include "base/sym.h"
#include "base/vec.h"
#include "startup/inspector_log.h"
#include "startup/startup.h"

#define IDS    65536
#define FIELDS 8
#define HEADER "runtime_id,chip_id,start_timestamp,end_timestamp,"

enum { RUNTIME, CHIP, START, END, GHZ = 6, SOURCES = 7 };

struct record {
    uint32_t id, chip; /* chip: position */
    ttp_sym label;
    uint64_t start, end;
};

/* Entries whose ids have the same low bits, in the order of the log. */
struct slot {
    uint32_t first, last, count; /* of the list of entries */
    bool differ;                 /* not all of them have the same name */
};

struct entry {
    ttp_sym name;
    uint32_t next;
};

struct reader {
    struct ttp_realtime *out;
    struct ttp_arena *arena, *scratch;
    struct ttp_symtab labels, names;
    struct record *record;
    size_t records;
    struct slot *slot;
    struct entry *entry;
    size_t entries;
    uint64_t line;
    bool begun;
};

/* --- names --- */

static void take_entry(void *arg, const struct ttp_inspector_record *record)
{
    struct reader *r = arg;

    if (record->kind != TTP_RECORD_ENTRY || !ttp_record_has(record, TTP_NUMBER_RUNTIME) ||
        record->name.len == 0)
        return;
    struct slot *s = &r->slot[record->number[TTP_NUMBER_RUNTIME] % IDS];
    const uint32_t at = (uint32_t)r->entries;
    *TTP_PUSH(r->scratch, r->entry, r->entries) =
        (struct entry){ttp_sym_intern(&r->names, record->name), UINT32_MAX};
    if (s->count++ == 0) {
        s->first = at;
    } else {
        s->differ |= r->entry[s->last].name != r->entry[at].name;
        r->entry[s->last].next = at;
    }
    s->last = at;
}

static ttp_code read_names(struct reader *r, const char *path, struct ttp_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *dir =
        slash ? ttp_arena_zstr(r->scratch, (ttp_str){path, (size_t)(slash - path)}) : ".";
    const char *log = ttp_file_join(dir, "inspector/mesh_workloads_log.yaml", r->scratch);
    struct ttp_inspector_reader entries = {.use = take_entry, .arg = r};

    r->slot = TTP_NEW(r->scratch, struct slot, IDS);
    return ttp_file_exists(log) ? ttp_startup_inspector_file(&entries, log, err) : TTP_OK;
}

/* --- records --- */

static ttp_code refuse(const struct reader *r, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "%s", why);
    ttp_err_where(err, r->out->path, r->line);
    return TTP_EPARSE;
}

static uint32_t chip_of(struct reader *r, uint64_t id, double ghz)
{
    struct ttp_realtime *out = r->out;

    for (size_t i = 0; i < out->chips; i++)
        if (out->chip[i].chip == id)
            return (uint32_t)i;
    *TTP_PUSH(r->arena, out->chip, out->chips) = (struct ttp_realtime_chip){.chip = id, .ghz = ghz};
    return (uint32_t)out->chips - 1;
}

/* "[matmul]": the operation of the first source by name. */
static ttp_sym label_of(struct reader *r, ttp_str sources)
{
    static const ttp_str head = TTP_STR("operations/");
    ttp_str first = {0};

    while (sources.len) {
        size_t n = ttp_str_find_char(sources, ';');

        n = n == TTP_NPOS ? sources.len : n;
        const ttp_str one = ttp_str_slice(sources, 0, n);
        if (first.len == 0 || ttp_str_cmp(one, first) < 0)
            first = one;
        sources = ttp_str_slice(sources, n + 1, sources.len);
    }
    ttp_str label = ttp_startup_label(first);
    if (ttp_str_starts(label, head))
        label = ttp_str_slice(label, head.len, label.len);
    struct ttp_sink text;
    ttp_sink_to_arena(&text, r->scratch);
    ttp_sink_char(&text, '[');
    ttp_sink_put(&text, label);
    ttp_sink_char(&text, ']');
    return ttp_sym_intern(&r->labels, ttp_sink_text(&text));
}

static ttp_code take_row(struct reader *r, const struct ttp_csv *csv, const struct ttp_csv_row *row,
                         struct ttp_err *err)
{
    uint64_t v[END + 1];
    double ghz = 0;

    if (row->nfields < FIELDS)
        return refuse(r, "a record of the real-time profiler does not have eight fields", err);
    for (int i = RUNTIME; i <= END; i++)
        if (!ttp_str_to_u64(ttp_str_trim(ttp_csv_field(csv, row, (size_t)i, r->scratch)), &v[i]))
            return refuse(r, "an ID or time of the record is not a number", err);
    (void)ttp_str_to_f64(ttp_str_trim(ttp_csv_field(csv, row, GHZ, r->scratch)), &ghz);
    const uint32_t chip = chip_of(r, v[CHIP], isfinite(ghz) && ghz > 0 ? ghz : 0);
    if (r->out->chips > 4096)
        return refuse(r, "records of more than 4,096 chips", err);
    r->out->records++;
    if (v[END] < v[START]) { /* small negative times at the start are normal */
        r->out->reversed++;
        return TTP_OK;
    }
    *TTP_PUSH(r->scratch, r->record, r->records) = (struct record){
        (uint32_t)(v[RUNTIME] % IDS), chip,
        label_of(r, ttp_csv_field(csv, row, SOURCES, r->scratch)), v[START], v[END]};
    return TTP_OK;
}

static size_t cut_rows(ttp_str text, bool last, void *arg)
{
    (void)arg;
    return ttp_csv_whole_rows(text, ',', last);
}

static ttp_code take_rows(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reader *r = arg;
    uint32_t end[FIELDS];
    struct ttp_csv csv = {.text = text, .sep = ','};
    struct ttp_csv_row row = {.end = end, .max = FIELDS};
    const uint64_t before = r->line;

    while (ttp_csv_next(&csv, &row)) {
        r->line = before + row.line + 1;
        if (!r->begun) {
            r->begun = true;
            if (!ttp_str_starts(ttp_str_slice(text, row.start, text.len), TTP_STR(HEADER)))
                return refuse(r, "not a CSV of the real-time profiler", err);
            continue;
        }
        TTP_TRY(take_row(r, &csv, &row, err));
    }
    r->line = before + csv.lines;
    return TTP_OK;
}

/* --- chips --- */

TTP_ORDER(by_start, struct record, TTP_UP(chip), TTP_UP(start), TTP_UP(end))

TTP_ORDER(by_cycles, struct ttp_realtime_op, TTP_DOWN(cycles), ttp_str_cmp(x->name, y->name))

TTP_ORDER(by_chip, struct ttp_realtime_chip, TTP_UP(chip))

/* Records of one chip with these low bits are distinguished only if there are as many as entries,
 * or all entries have one name. */
static bool name_of(ttp_sym *out, const struct reader *r, uint32_t id, const uint32_t *seen,
                    const uint32_t *total)
{
    const struct slot *s = &r->slot[id];
    uint32_t at = s->first;

    if (s->count == 0)
        return false;
    if (s->differ) {
        if (total[id] != s->count)
            return false;
        for (uint32_t k = 0; k < seen[id]; k++)
            at = r->entry[at].next;
    }
    *out = r->entry[at].name;
    return true;
}

static void add_to_op(struct ttp_realtime_op *op, ttp_str name, uint64_t cycles)
{
    op->name = name;
    op->count++;
    op->cycles += cycles;
}

static void sum_chip(struct reader *r, struct ttp_realtime_chip *chip, const struct record *record,
                     size_t n)
{
    const size_t names = r->names.count, ops = names + r->labels.count;
    struct ttp_realtime_op *op = TTP_NEW(r->scratch, struct ttp_realtime_op, ops + 1);
    uint32_t *total = TTP_NEW(r->scratch, uint32_t, IDS),
             *seen = TTP_NEW(r->scratch, uint32_t, IDS);
    uint64_t reached = record[0].start, last = record[0].end;

    for (size_t i = 0; i < n; i++)
        total[record[i].id]++;
    for (size_t i = 0; i < n; i++) {
        const struct record *x = &record[i];
        const uint64_t from = x->start > reached ? x->start : reached;
        ttp_sym name;

        if (x->end > from) {
            chip->union_cycles += x->end - from;
            reached = x->end;
        }
        last = x->end > last ? x->end : last;
        chip->busy_cycles += x->end - x->start;
        if (name_of(&name, r, x->id, seen, total)) {
            add_to_op(&op[name], ttp_sym_name(&r->names, name), x->end - x->start);
        } else {
            r->out->unnamed++;
            add_to_op(&op[names + x->label], ttp_sym_name(&r->labels, x->label), x->end - x->start);
        }
        seen[x->id]++;
    }
    chip->window_cycles = last - record[0].start;
    chip->op = TTP_NEW(r->arena, struct ttp_realtime_op, ops + 1);
    for (size_t i = 0; i < ops; i++)
        if (op[i].count) {
            op[i].name = ttp_arena_copy(r->arena, op[i].name);
            chip->op[chip->ops++] = op[i];
        }
    TTP_SORT(chip->op, chip->ops, by_cycles);
}

static void sum_up(struct reader *r)
{
    struct ttp_realtime *out = r->out;

    TTP_SORT(r->record, r->records, by_start);
    for (size_t from = 0, to; from < r->records; from = to) {
        const struct ttp_mark mark = ttp_arena_mark(r->scratch);

        to = from;
        while (to < r->records && r->record[to].chip == r->record[from].chip)
            to++;
        sum_chip(r, &out->chip[r->record[from].chip], r->record + from, to - from);
        ttp_arena_rewind(r->scratch, mark);
    }
    TTP_SORT(out->chip, out->chips, by_chip);
}

ttp_code ttp_startup_realtime_read(struct ttp_realtime *out, const char *path,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct reader r = {.out = out,
                       .arena = arena,
                       .scratch = &scratch,
                       .labels = {.arena = &scratch},
                       .names = {.arena = &scratch}};

    *out = (struct ttp_realtime){.path = path};
    ttp_code rc = read_names(&r, path, err);
    if (rc == TTP_OK)
        rc = ttp_input_each(path, cut_rows, take_rows, &r, err);
    if (rc == TTP_OK && !r.begun)
        rc = refuse(&r, "the file is empty", err);
    if (rc == TTP_OK)
        sum_up(&r);
    ttp_arena_free(&scratch);
    return rc;
}

static ttp_code look_at_head(void *arg, ttp_str text, struct ttp_err *err)
{
    *(bool *)arg = ttp_str_starts(text, TTP_STR(HEADER));
    return ttp_fail(err, TTP_ENOTFOUND, "the head is all that is wanted");
}

bool ttp_startup_realtime_is(const char *path)
{
    const char *slash = strrchr(path, '/');
    const ttp_str name = ttp_str_from(slash ? slash + 1 : path);
    struct ttp_err err = {0};
    bool is = false;

    /* pipes cannot be read twice, and no other tool writes CSVs of this name */
    if (!ttp_str_has(name, TTP_STR("realtime")) || !ttp_file_exists(path))
        return false;
    return ttp_input_each(path, NULL, look_at_head, &is, &err) != TTP_OK && is;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* table_file.c - a reduced rank as bytes: docs/formats/ttpart.md. */
#include <math.h>
#include <stdlib.h>

#include "base/sink.h"
#include "mesh/table.h"

#define MAGIC     "TTPART2\n"
#define MAGIC_1   "TTPART1\n" /* without job and clocks of the host */
#define MAGIC_LEN 8
/* In a cell: which sub-device it ran on. */
#define MAX_SUB_DEVICE 32767
/* A time of a host: sums of two stay within 64 bits. */
#define MAX_CLOCK_NS (INT64_C(1) << 61)
/* Clocks of chips, in GHz, and cycles of one execution: sums of many times in ns stay within 64
 * bits. */
#define LEAST_GHZ  0.01
#define MOST_GHZ   1000
#define MAX_CYCLES (INT64_C(1) << 40)

/* ---- writing ---- */

static void put_bytes(struct ttp_sink *out, uint64_t v, size_t n)
{
    char *to = ttp_sink_room(out, n);

    for (size_t i = 0; i < n; i++)
        to[i] = (char)(v >> (8 * i));
    out->len += n;
}

static void put_f64(struct ttp_sink *out, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    put_bytes(out, bits, 8);
}

static void put_text(struct ttp_sink *out, ttp_str s)
{
    const size_t n = s.len < UINT16_MAX ? s.len : UINT16_MAX;

    put_bytes(out, n, 2);
    for (size_t i = 0; i < n; i++)
        ttp_sink_char(out, s.ptr[i]);
}

static void put_kind(struct ttp_sink *out, const struct ttp_mesh_op *k)
{
    put_bytes(out, k->signature, 8);
    put_bytes(out, (uint64_t)k->kind | (uint64_t)k->fused << 4 | (uint64_t)k->ring_topology << 5,
              1);
    put_bytes(out, (uint64_t)k->axis, 8);
    put_bytes(out, (uint64_t)k->ring, 8);
    put_bytes(out, (uint64_t)k->links, 8);
    put_f64(out, k->in_bytes);
    put_f64(out, k->out_bytes);
    put_f64(out, k->in_volume);
    put_f64(out, k->out_volume);
    put_text(out, k->code);
    put_text(out, k->shape);
}

static void put_clock(struct ttp_sink *out, const struct ttp_mesh_host_clock *c)
{
    put_bytes(out, c->known, 1);
    if (!c->known)
        return;
    put_text(out, c->machine);
    put_bytes(out, (uint64_t)c->counter_at_0_ns, 8);
    put_bytes(out, (uint64_t)c->realtime_ns, 8);
    put_f64(out, c->rate);
    put_f64(out, c->error_ns);
    put_bytes(out, (uint64_t)c->end_ns, 8);
}

void ttp_mesh_write_reduced(struct ttp_sink *out, const struct ttp_mesh_reduced *t)
{
    for (size_t i = 0; i < MAGIC_LEN; i++)
        ttp_sink_char(out, MAGIC[i]);
    put_bytes(out, (uint64_t)t->rank, 8);
    put_bytes(out, (uint64_t)t->size, 8);
    put_bytes(out, (uint64_t)t->mesh_id, 8);
    put_text(out, t->host);
    put_text(out, t->job);
    put_clock(out, &t->clock);
    put_bytes(out, t->devices, 4);
    put_bytes(out, t->kinds, 4);
    put_bytes(out, t->steps, 4);
    put_bytes(out, t->cells, 4);
    for (size_t d = 0; d < t->devices; d++) {
        const struct ttp_table_device *device = &t->device[d];
        put_bytes(out, (uint64_t)device->id, 8);
        put_f64(out, device->ghz);
        put_bytes(out, device->placed, 1);
        put_bytes(out, (uint64_t)device->row, 8);
        put_bytes(out, (uint64_t)device->column, 8);
        put_bytes(out, device->rows, 4);
        put_bytes(out, device->untimed, 4);
        put_bytes(out, t->order[d], 4);
        put_text(out, device->arch);
    }
    for (size_t k = 0; k < t->kinds; k++)
        put_kind(out, &t->kind[k]);
    for (size_t s = 0; s < t->steps; s++) {
        put_bytes(out, t->step[s].kind, 2);
        put_bytes(out, t->cells ? t->step[s].cells : 0, 2);
    }
    for (size_t s = 0; s < t->steps && t->clock.known && t->cells; s++)
        if (t->step[s].cells)
            put_bytes(out, (uint64_t)t->host_ns[s], 8);
    for (size_t c = 0; c < t->cells; c++) {
        const int32_t sub = t->cell[c].sub_device;
        put_bytes(out, t->cell[c].device, 2);
        put_bytes(out, sub >= 0 && sub <= MAX_SUB_DEVICE ? (uint64_t)sub : MAX_SUB_DEVICE, 2);
        put_bytes(out, (uint64_t)t->cell[c].start, 8);
        put_bytes(out, (uint64_t)t->cell[c].end, 8);
    }
}

/* ---- reading ---- */

struct reader {
    ttp_str text;
    size_t at;
    bool short_of; /* it ended too soon */
    struct ttp_arena *arena;
};

static uint64_t get_bytes(struct reader *r, size_t n)
{
    uint64_t v = 0;

    if (r->text.len - r->at < n) {
        r->short_of = true;
        r->at = r->text.len;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)r->text.ptr[r->at++] << (8 * i);
    return v;
}

static double get_f64(struct reader *r)
{
    const uint64_t bits = get_bytes(r, 8);
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static ttp_str get_text(struct reader *r)
{
    const size_t n = get_bytes(r, 2);

    if (r->text.len - r->at < n) {
        r->short_of = true;
        r->at = r->text.len;
        return TTP_STR("");
    }
    r->at += n;
    return ttp_arena_copy(r->arena, ttp_str_slice(r->text, r->at - n, r->at));
}

static bool get_clock(struct reader *r, struct ttp_mesh_host_clock *c)
{
    const uint64_t known = get_bytes(r, 1);

    *c = (struct ttp_mesh_host_clock){.known = known == 1};
    if (!c->known)
        return known == 0;
    c->machine = get_text(r);
    c->counter_at_0_ns = (int64_t)get_bytes(r, 8);
    c->realtime_ns = (int64_t)get_bytes(r, 8);
    c->rate = get_f64(r);
    c->error_ns = get_f64(r);
    c->end_ns = (int64_t)get_bytes(r, 8);
    return llabs(c->counter_at_0_ns / 2) < MAX_CLOCK_NS &&
           llabs(c->realtime_ns / 2) < MAX_CLOCK_NS && c->end_ns >= 0 && c->end_ns < MAX_CLOCK_NS &&
           c->rate > 0 && c->rate < 1e6 && c->error_ns >= 0 && c->error_ns < 1e18;
}

static bool get_kind(struct reader *r, struct ttp_mesh_op *k)
{
    *k = (struct ttp_mesh_op){
        .signature = get_bytes(r, 8), .axis_at = TTP_MESH_NONE, .slowest = TTP_MESH_NONE};
    const unsigned bits = (unsigned)get_bytes(r, 1);
    k->kind = (enum ttp_mesh_kind)(bits & 15);
    k->fused = bits >> 4 & 1;
    k->ring_topology = bits >> 5 & 1;
    k->axis = (int64_t)get_bytes(r, 8);
    k->ring = (int64_t)get_bytes(r, 8);
    k->links = (int64_t)get_bytes(r, 8);
    k->in_bytes = get_f64(r);
    k->out_bytes = get_f64(r);
    k->in_volume = get_f64(r);
    k->out_volume = get_f64(r);
    k->code = get_text(r);
    k->shape = get_text(r);
    return bits < 64 && (bits & 15) <= TTP_MESH_UNPROVEN && k->axis >= -1 && k->axis <= INT32_MAX &&
           k->ring >= 0 && k->ring <= INT32_MAX && k->links >= 0 && k->links <= INT32_MAX &&
           isfinite(k->in_bytes) && isfinite(k->out_bytes) && isfinite(k->in_volume) &&
           isfinite(k->out_volume);
}

static bool get_device(struct reader *r, struct ttp_table_device *d, uint32_t *order)
{
    d->id = (int64_t)get_bytes(r, 8);
    d->ghz = get_f64(r);
    const uint64_t placed = get_bytes(r, 1);
    d->placed = placed == 1;
    d->row = (int64_t)get_bytes(r, 8);
    d->column = (int64_t)get_bytes(r, 8);
    d->rows = (uint32_t)get_bytes(r, 4);
    d->untimed = (uint32_t)get_bytes(r, 4);
    *order = (uint32_t)get_bytes(r, 4);
    d->arch = get_text(r);
    return d->id >= 0 && d->id <= UINT32_MAX && d->ghz >= LEAST_GHZ && d->ghz < MOST_GHZ &&
           placed <= 1 && d->row >= 0 && d->row <= INT32_MAX && d->column >= 0 &&
           d->column <= INT32_MAX;
}

static bool is_order(const struct ttp_mesh_reduced *t, struct ttp_arena *arena)
{
    bool *seen = TTP_NEW(arena, bool, t->devices + 1);

    for (size_t d = 0; d < t->devices; d++) {
        if (t->order[d] >= t->devices || seen[t->order[d]])
            return false;
        seen[t->order[d]] = true;
    }
    return true;
}

/* Cells of a program are in the order of its devices, each once. */
static bool get_cells(struct reader *r, struct ttp_mesh_reduced *t)
{
    for (size_t s = 0; s < t->steps; s++)
        for (uint32_t k = 0; k < t->step[s].cells; k++) {
            struct ttp_table_cell *c = &t->cell[t->step[s].cell + k];
            c->device = (uint32_t)get_bytes(r, 2);
            c->sub_device = (int32_t)get_bytes(r, 2);
            c->start = (int64_t)get_bytes(r, 8);
            c->end = (int64_t)get_bytes(r, 8);
            if (c->device >= t->devices || c->sub_device > MAX_SUB_DEVICE || c->start < 0 ||
                c->end <= c->start || c->end - c->start > MAX_CYCLES ||
                (k && c->device <= c[-1].device))
                return false;
        }
    return true;
}

static bool get_steps(struct reader *r, struct ttp_mesh_reduced *t)
{
    size_t cells = 0;

    for (size_t s = 0; s < t->steps; s++) {
        t->step[s].kind = (uint32_t)get_bytes(r, 2);
        t->step[s].cells = (uint32_t)get_bytes(r, 2);
        t->step[s].cell = (uint32_t)cells;
        cells += t->step[s].cells;
        if (t->step[s].kind >= t->kinds || cells > t->cells)
            return false;
    }
    return cells == t->cells;
}

/* Of the ops that have cells. */
static bool get_host_times(struct reader *r, struct ttp_mesh_reduced *t)
{
    t->host_ns = TTP_NEW(r->arena, int64_t, t->steps + 1);
    for (size_t s = 0; s < t->steps; s++) {
        t->host_ns[s] = t->step[s].cells ? (int64_t)get_bytes(r, 8) : TTP_TABLE_NO_HOST;
        if (t->host_ns[s] != TTP_TABLE_NO_HOST && llabs(t->host_ns[s] / 2) >= MAX_CLOCK_NS)
            return false;
    }
    return true;
}

static ttp_code broken(const struct reader *r, const char *what, struct ttp_err *err)
{
    return r->short_of ? ttp_fail_at(err, TTP_EPARSE, r->at, "the file ends too soon")
                       : ttp_fail_at(err, TTP_EPARSE, r->at, "invalid %s", what);
}

static ttp_code get_body(struct reader *r, struct ttp_mesh_reduced *t, struct ttp_err *err)
{
    t->device = TTP_NEW(r->arena, struct ttp_table_device, t->devices + 1);
    t->order = TTP_NEW(r->arena, uint32_t, t->devices + 1);
    for (size_t d = 0; d < t->devices; d++)
        if (!get_device(r, &t->device[d], &t->order[d]) ||
            (d && t->device[d].id <= t->device[d - 1].id))
            return broken(r, "device", err);
    if (!is_order(t, r->arena))
        return broken(r, "order of devices", err);
    t->kind = TTP_NEW(r->arena, struct ttp_mesh_op, t->kinds + 1);
    for (size_t k = 0; k < t->kinds; k++)
        if (!get_kind(r, &t->kind[k]))
            return broken(r, "kind of op", err);
    t->step = TTP_NEW(r->arena, struct ttp_table_step, t->steps + 1);
    if (!get_steps(r, t))
        return broken(r, "op", err);
    if (t->clock.known && !get_host_times(r, t))
        return broken(r, "times of the host", err);
    t->cell = TTP_NEW(r->arena, struct ttp_table_cell, t->cells + 1);
    if (!get_cells(r, t))
        return broken(r, "times of an op", err);
    if (r->short_of || r->at != r->text.len)
        return broken(r, "end: bytes follow", err);
    return TTP_OK;
}

ttp_code ttp_mesh_read_reduced(struct ttp_mesh_reduced **out, ttp_str text, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct reader r = {.text = text, .at = MAGIC_LEN, .arena = arena};
    struct ttp_mesh_reduced *t = TTP_NEW(arena, struct ttp_mesh_reduced, 1);

    const bool first = ttp_str_starts(text, TTP_STR(MAGIC_1));
    bool fine = true;
    if (!first && !ttp_str_starts(text, TTP_STR(MAGIC)))
        return ttp_fail_at(err, TTP_EPARSE, 0, "not a part of a run (.ttpart)");
    t->rank = (int64_t)get_bytes(&r, 8);
    t->size = (int64_t)get_bytes(&r, 8);
    t->mesh_id = (int64_t)get_bytes(&r, 8);
    t->host = get_text(&r);
    if (!first) {
        t->job = get_text(&r);
        fine = get_clock(&r, &t->clock);
    }
    t->devices = get_bytes(&r, 4);
    t->kinds = get_bytes(&r, 4);
    t->steps = get_bytes(&r, 4);
    t->cells = get_bytes(&r, 4);
    if (r.short_of || !fine || t->rank < 0 || t->rank > TTP_MESH_MAX_RANK || t->size < 0 ||
        t->size > TTP_MESH_MAX_RANK + 1 || t->mesh_id < -1 || t->mesh_id > INT32_MAX)
        return broken(&r, "head", err);
    /* each takes more bytes than that: no count can ask for more memory than the file justifies */
    if (t->devices > UINT16_MAX || t->kinds > UINT16_MAX || t->steps > text.len / 4 ||
        t->cells > text.len / TTP_TABLE_CELL_BYTES || t->devices > text.len / 8 ||
        t->kinds > text.len / 8)
        return ttp_fail_at(err, TTP_EPARSE, r.at,
                           "the file ends too soon, or its counts are damaged");
    *out = t;
    return get_body(&r, t, err);
}

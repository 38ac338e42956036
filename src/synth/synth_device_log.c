/* SPDX-License-Identifier: Apache-2.0 */
/* profile_log_device.csv. All of a row but its time is merged once, from pieces that are the
 * same for a RISC, a zone or an execution; gigabytes are mostly copied. */
#include <stdarg.h>
#include <stdio.h>

#include "synth/markers.h"
#include "synth/writers.h"

const struct ttp_synth_zone ttp_synth_sum_zones[2] = {
    {"CB-COMPUTE-WAIT-FRONT", "/opt/tt-metal/tt_metal/hw/ckernels/metal/llk_io/llk_io_unpack.h",
     19},
    {"CB-COMPUTE-RESERVE-BACK", "/opt/tt-metal/tt_metal/hw/ckernels/metal/llk_io/llk_io_pack.h",
     46},
};

struct text {
    char ptr[192];
    size_t len;
};

/* A zone's marker: what is before the time, and after the ids. */
struct zone_text {
    struct text id, start, end;
};

/* An execution on the device being written. */
struct prepared {
    struct ttp_synth_device_exec on;
    size_t lost_core;
    bool missing;
    uint8_t ids_len;
    char ids[38]; /* run host id, trace id and counter */
};

struct log {
    struct ttp_sink *out;
    const struct ttp_synth_plan *plan;
    struct prepared *exec;
    struct zone_text fw[SYNTH_RISCS], kernel[SYNTH_RISCS], sum[2];
    bool old;            /* 13 columns */
    struct text prefix;  /* device, core, RISC */
    struct text meta[3]; /* with the line end: without a sub-device, of 0, of 1 */
    const struct prepared *now;
    uint64_t rows;
};

TTP_PRINTF(2, 3)
static void set_text(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    t->len = (size_t)vsnprintf(t->ptr, sizeof(t->ptr), fmt, ap);
    va_end(ap);
}

static void set_zone(struct zone_text *t, const struct ttp_synth_zone *z, const char *type)
{
    set_text(&t->id, "%u,", (unsigned)ttp_synth_zone_id(z));
    set_text(&t->start, ",%s,%s,%u,%s,", z->name, type ? type : "ZONE_START", z->line, z->file);
    set_text(&t->end, ",%s,ZONE_END,%u,%s,", z->name, z->line, z->file);
}

static char *copy(char *to, const struct text *t)
{
    memcpy(to, t->ptr, t->len);
    return to + t->len;
}

static void put_row(struct log *l, const struct text *id, uint64_t time, uint64_t data,
                    const struct text *tail, const struct text *meta)
{
    char *const from = ttp_sink_room(l->out, 5 * sizeof(l->prefix.ptr) + (size_t)2 * TTP_NUM_MAX);
    char *to = copy(copy(from, &l->prefix), id);

    to += ttp_num_u64(to, time);
    *to++ = ',';
    to += ttp_num_u64(to, data);
    memcpy(to, l->now->ids, sizeof(l->now->ids)); /* a known length is faster; the rest is
                                                     overwritten */
    to = copy(copy(to + l->now->ids_len, tail), meta);
    l->out->len += (size_t)(to - from);
    l->rows++;
}

static const struct text *meta_of(const struct log *l)
{
    return &l->meta[l->now->on.call->sub_device + 1];
}

static void put_inner(struct log *l, const struct ttp_synth_marker *m)
{
    static const char *const types[] = {"ZONE_START", "ZONE_END", "ZONE_TOTAL", "TS_DATA"};
    struct text id, tail, meta;

    set_text(&id, "%u,", (unsigned)m->id);
    if (m->zone)
        set_text(&tail, ",%s,%s,%u,%s,", m->zone->name, types[m->type], m->zone->line,
                 m->zone->file);
    else
        set_text(&tail, ",,%s,0,,", types[m->type]);
    if (m->counter)
        set_text(&meta, "{\"counter type\":\"%s\";\"ref cnt\":%u;\"value\":%u}\n", m->counter,
                 (unsigned)(m->data >> 32), (unsigned)(m->data & UINT32_MAX));
    put_row(l, &id, m->time, m->data, &tail, m->counter ? &meta : meta_of(l));
}

/* Cycles that compute waited for its buffers, of all that its kernel took. */
static void put_sum(struct log *l, enum ttp_synth_risc risc, const struct ttp_synth_span *s,
                    const struct ttp_synth_device_exec *d)
{
    const uint64_t length = s->kernel_end - s->kernel_start;

    if (risc == SYNTH_TRISC_0)
        put_row(l, &l->sum[0].id, s->fw_start, length * (100 - d->reader_pct / 2) / 100,
                &l->sum[0].start, meta_of(l));
    else if (risc == SYNTH_TRISC_2)
        put_row(l, &l->sum[1].id, s->fw_start, length * (d->reader_pct - 80) / 100,
                &l->sum[1].start, meta_of(l));
}

static void put_execution(struct log *l, size_t core, enum ttp_synth_risc risc)
{
    struct ttp_synth_marker inner[TTP_SYNTH_MAX_MARKERS];
    const struct ttp_synth_plan *p = l->plan;
    const struct ttp_synth_device_exec *d = &l->now->on;
    const struct ttp_synth_core *c = &p->core[core];
    const struct ttp_synth_span s = ttp_synth_span_of(p, d, c, risc);
    const size_t n = p->kernel || p->opt.noc || p->opt.counters
                         ? ttp_synth_inner_markers(inner, p, d, c, risc, &s)
                         : 0;

    put_row(l, &l->fw[risc].id, s.fw_start, 0, &l->fw[risc].start, meta_of(l));
    if (p->opt.faults & TTP_SYNTH_DUPLICATE_START && risc == SYNTH_BRISC && c->rank == 0 &&
        l->now == &l->exec[p->nexecs / 2])
        put_row(l, &l->fw[risc].id, s.fw_start + 3, 0, &l->fw[risc].start, meta_of(l));
    if (p->opt.sums)
        put_sum(l, risc, &s, d);
    put_row(l, &l->kernel[risc].id, s.kernel_start, 0, &l->kernel[risc].start, meta_of(l));
    for (size_t i = 0; i < n; i++)
        put_inner(l, &inner[i]);
    if (l->now->lost_core == core)
        return;
    put_row(l, &l->kernel[risc].id, s.kernel_end, 0, &l->kernel[risc].end, meta_of(l));
    put_row(l, &l->fw[risc].id, s.fw_end, 0, &l->fw[risc].end, meta_of(l));
}

static void prepare(struct log *l, uint32_t device)
{
    const struct ttp_synth_plan *p = l->plan;

    for (size_t i = 0; i < p->nexecs; i++) {
        const struct ttp_synth_exec *e = &p->exec[i];
        struct prepared *x = &l->exec[i];
        const unsigned id = ttp_synth_id(&p->call[e->call], device);
        int n;

        x->on = ttp_synth_on_device(p, e, device);
        x->missing = ttp_synth_is_missing(p, e);
        x->lost_core = ttp_synth_lost_core(p, e, device);
        if (l->old)
            n = snprintf(x->ids, sizeof(x->ids), ",%u", id);
        else if (e->replay)
            n = snprintf(x->ids, sizeof(x->ids), ",%u,0,%u", id, e->replay);
        else
            n = snprintf(x->ids, sizeof(x->ids), ",%u,,", id);
        x->ids_len = (uint8_t)n;
    }
}

/* Executions [from, to) on one RISC. */
static void put_risc(struct log *l, uint32_t device, size_t core, enum ttp_synth_risc risc,
                     size_t from, size_t to)
{
    const struct ttp_synth_core *c = &l->plan->core[core];

    set_text(&l->prefix, "%u,%u,%u,%s,", device, c->at.x, c->at.y, ttp_synth_risc_names[risc]);
    for (l->now = &l->exec[from]; l->now < &l->exec[to]; l->now++)
        if (ttp_synth_uses(&l->now->on, c, risc) && !l->now->missing)
            put_execution(l, core, risc);
}

static void put_header(struct log *l)
{
    const struct ttp_synth_chip *chip = &l->plan->chip;

    if (l->plan->opt.faults & TTP_SYNTH_BAD_PREAMBLE)
        ttp_sink_put(l->out, TTP_STR("Device profile"));
    else
        ttp_sink_printf(l->out, "ARCH: %s, CHIP_FREQ[MHz]: %u", chip->name, chip->mhz);
    if (!l->old && !(l->plan->opt.faults & (TTP_SYNTH_BAD_PREAMBLE | TTP_SYNTH_OLD_PREAMBLE)))
        ttp_sink_printf(l->out, ", Max Compute Cores: %u", chip->max_cores);
    ttp_sink_printf(l->out,
                    "\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                    "reset], data, run host ID, %s zone name, type, source line, source file, meta "
                    "data\n",
                    l->old ? "" : "trace id, trace id counter,");
}

/* Executions [from, to) on one device; of the last of all only the beginning if it is cut. */
static void put_dump(struct log *l, uint32_t device, size_t from, size_t to, bool cut,
                     struct ttp_progress *progress)
{
    const struct ttp_synth_plan *p = l->plan;

    prepare(l, device);
    for (size_t core = 0; core < p->ncores - cut && !l->out->saved_errno; core++) {
        for (unsigned risc = 0; risc < SYNTH_RISCS; risc++)
            put_risc(l, device, core, (enum ttp_synth_risc)risc, from, to);
        if (progress)
            ttp_progress_update(progress, l->out->written + l->out->len);
    }
    if (p->opt.dispatch)
        l->rows += ttp_synth_put_dispatch(l->out, p, device, from, to);
}

uint64_t ttp_synth_put_device_log(struct ttp_sink *out, const struct ttp_synth_plan *p,
                                  struct ttp_progress *progress, struct ttp_arena *scratch)
{
    const uint32_t devices = ttp_synth_seen_devices(p);
    const size_t dumps = p->opt.dumps ? p->opt.dumps : 1;
    const bool cut = p->opt.faults & TTP_SYNTH_TRUNCATED;
    struct log l = {.out = out, .plan = p, .old = p->opt.faults & TTP_SYNTH_OLD_COLUMNS};
    const struct ttp_mark mark = ttp_arena_mark(scratch);

    l.exec = TTP_NEW(scratch, struct prepared, p->nexecs);
    set_text(&l.meta[0], "\n");
    for (size_t i = 1; i < TTP_COUNT(l.meta); i++)
        set_text(&l.meta[i], "{\"sub_device_id\":%zu;\"sub_device_manager_id\":1}\n", i - 1);

    for (size_t risc = 0; risc < SYNTH_RISCS; risc++) {
        set_zone(&l.fw[risc], &ttp_synth_fw_zones[risc], NULL);
        set_zone(&l.kernel[risc], &ttp_synth_kernel_zones[risc], NULL);
    }
    for (size_t i = 0; i < TTP_COUNT(l.sum); i++)
        set_zone(&l.sum[i], &ttp_synth_sum_zones[i], "ZONE_TOTAL");
    put_header(&l);
    for (size_t dump = 0; dump < dumps && !(p->opt.faults & TTP_SYNTH_EMPTY_LOG); dump++)
        for (uint32_t device = 0; device < devices; device++)
            put_dump(&l, device, p->nexecs * dump / dumps, p->nexecs * (dump + 1) / dumps,
                     cut && dump + 1 == dumps && device + 1 == devices, progress);
    ttp_arena_rewind(scratch, mark);
    if (cut) /* the last core's first row got no further than this */
        ttp_sink_printf(out, "%u,%u,%u,BRI", devices - 1, p->core[p->ncores - 1].at.x,
                        p->core[p->ncores - 1].at.y);
    return l.rows;
}

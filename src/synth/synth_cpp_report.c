/* SPDX-License-Identifier: Apache-2.0 */
/* cpp_device_perf_report.csv, computed from the markers as tt-metal does: first start to last end
 * of each kind of zone; a block per device, ordered by id and replay. */
#include "base/order.h"

#include "synth/writers.h"

enum {
    DATA_RISCS = 1 << SYNTH_BRISC | 1 << SYNTH_NCRISC | 1 << SYNTH_ERISC,
    TRISCS = 1 << SYNTH_TRISC_0 | 1 << SYNTH_TRISC_1 | 1 << SYNTH_TRISC_2,
};

/* From the first start to the last end. */
struct range {
    uint64_t first, last; /* cycles; last 0: no end was seen */
    uint64_t last_start;
};

struct row {
    const struct ttp_synth_exec *exec; /* NULL: it left nothing */
    struct range fw, kernel, dm, risc[SYNTH_RISCS], trisc, trisc_fw;
    uint32_t cores;
    bool has_gap, has_dm_gap;
    uint64_t gap_ns, dm_gap_ns;
};

static void widen(struct range *r, uint64_t start, uint64_t end)
{
    r->first = r->first && r->first < start ? r->first : start;
    r->last_start = r->last_start > start ? r->last_start : start;
    r->last = r->last > end ? r->last : end;
}

static void measure(struct row *row, const struct ttp_synth_plan *p, const struct ttp_synth_exec *e,
                    uint32_t device)
{
    const struct ttp_synth_device_exec d = ttp_synth_on_device(p, e, device);
    const size_t lost = ttp_synth_lost_core(p, e, device);

    *row = (struct row){.exec = e};
    for (size_t i = 0; i < p->ncores; i++) {
        bool used = false;
        for (unsigned r = 0; r < SYNTH_RISCS; r++) {
            const enum ttp_synth_risc risc = (enum ttp_synth_risc)r;
            if (!ttp_synth_uses(&d, &p->core[i], risc))
                continue;
            const struct ttp_synth_span s = ttp_synth_span_of(p, &d, &p->core[i], risc);
            const uint64_t kernel_end = i == lost ? 0 : s.kernel_end;
            widen(&row->fw, s.fw_start, i == lost ? 0 : s.fw_end);
            widen(&row->kernel, s.kernel_start, kernel_end);
            widen(&row->risc[r], s.kernel_start, kernel_end);
            if (DATA_RISCS >> r & 1)
                widen(&row->dm, s.kernel_start, kernel_end);
            if (TRISCS >> r & 1) {
                widen(&row->trisc, s.kernel_start, kernel_end);
                widen(&row->trisc_fw, s.fw_start, i == lost ? 0 : s.fw_end);
            }
            used = true;
        }
        row->cores += used;
    }
    row->dm.last = row->kernel.last; /* it ends with any kernel */
}

/* Rounded half away from zero. */
static uint64_t to_ns(const struct ttp_synth_plan *p, uint64_t cycles)
{
    return (cycles * 2000 + p->chip.mhz) / (UINT64_C(2) * p->chip.mhz);
}

/* With a clock derived again from the rounded duration, as tt-metal does. One operation per
 * statement: none may be fused with another, or the last digit would depend on the processor. */
static bool gap_after(uint64_t *ns, const struct ttp_synth_plan *p, const struct range *r,
                      uint64_t previous_end)
{
    if (previous_end == 0) {
        *ns = 0;
        return true;
    }
    if (r->first < previous_end || r->last <= r->first)
        return false;
    const double ns_per_cycle = (double)to_ns(p, r->last - r->first) / (double)(r->last - r->first);
    const double product = (double)(r->first - previous_end) * ns_per_cycle;
    const double rounded = product + 0.5;
    *ns = (uint64_t)rounded;
    return true;
}

static int by_call(const void *pa, const void *pb)
{
    const struct ttp_synth_exec *a = ((const struct row *)pa)->exec,
                                *b = ((const struct row *)pb)->exec;
    if (!a || !b)
        return (a == NULL) - (b == NULL);
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return (a->replay > b->replay) - (a->replay < b->replay);
}

/* ",duration" and, if wanted, ",start,end"; empty cells without such a zone. */
static void put_range(struct ttp_sink *out, const struct ttp_synth_plan *p, const struct range *r,
                      bool cycles)
{
    const bool there = r->first && r->last;

    ttp_sink_char(out, ',');
    if (there)
        ttp_sink_u64(out, to_ns(p, r->last - r->first));
    if (!cycles)
        return;
    ttp_sink_char(out, ',');
    if (there)
        ttp_sink_u64(out, r->first);
    ttp_sink_char(out, ',');
    if (there)
        ttp_sink_u64(out, r->last);
}

static void put_row(struct ttp_sink *out, const struct ttp_synth_plan *p, const struct row *row,
                    uint32_t device)
{
    const struct ttp_synth_call *c = &p->call[row->exec->call];

    ttp_sink_u64(out, ttp_synth_id(c, device));
    if (row->exec->replay)
        ttp_sink_printf(out, ",0,%u", row->exec->replay);
    else
        ttp_sink_put(out, TTP_STR(",,"));
    ttp_sink_printf(out, ",%u,%s,,%u,%u,,,", device, p->chip.name, row->cores, c->available_cores);
    ttp_sink_u64(out, to_ns(p, row->kernel.last_start - row->kernel.first));
    put_range(out, p, &row->fw, true);
    put_range(out, p, &row->kernel, true);
    put_range(out, p, &row->dm, true);
    for (size_t r = 0; r < SYNTH_RISCS; r++)
        put_range(out, p, &row->risc[r], false);
    /* Quasar's: its analyses go by zone names, and those of its TRISCs exist here, too */
    ttp_sink_put(out, TTP_STR(",,,"));
    put_range(out, p, &row->trisc, true);
    ttp_sink_char(out, ',');
    put_range(out, p, &row->trisc_fw, false);
    ttp_sink_char(out, ',');
    if (row->has_gap)
        ttp_sink_u64(out, row->gap_ns);
    ttp_sink_char(out, ',');
    if (row->has_dm_gap)
        ttp_sink_u64(out, row->dm_gap_ns);
    ttp_sink_char(out, '\n');
}

static void put_device(struct ttp_sink *out, const struct ttp_synth_plan *p, uint32_t device,
                       struct row *rows)
{
    uint64_t end = 0, dm_end = 0;

    for (size_t i = 0; i < p->nexecs; i++) {
        struct row *row = &rows[i];
        if (ttp_synth_is_missing(p, &p->exec[i])) {
            row->exec = NULL;
            continue;
        }
        measure(row, p, &p->exec[i], device);
        row->has_gap = gap_after(&row->gap_ns, p, &row->kernel, end);
        row->has_dm_gap = gap_after(&row->dm_gap_ns, p, &row->dm, dm_end);
        end = row->kernel.last;
        dm_end = row->dm.last;
    }
    TTP_SORT(rows, p->nexecs, by_call);
    for (size_t i = 0; i < p->nexecs && rows[i].exec; i++)
        put_row(out, p, &rows[i], device);
}

void ttp_synth_put_cpp_report(struct ttp_sink *out, const struct ttp_synth_plan *p,
                              struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    struct row *rows = TTP_NEW(scratch, struct row, p->nexecs);

    ttp_sink_put(out,
                 TTP_STR("GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,"
                         "DEVICE ARCH,OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT,"
                         "DEVICE TRACE FIRMWARE DURATION [ns],DEVICE TRACE KERNEL DURATION [ns],"
                         "DEVICE KERNEL FIRST TO LAST START [ns],DEVICE FW DURATION [ns],"
                         "DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE KERNEL DURATION [ns],"
                         "DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE,"
                         "DEVICE KERNEL DURATION DM START [ns],DEVICE KERNEL DM START CYCLE,"
                         "DEVICE KERNEL DM END CYCLE,DEVICE BRISC KERNEL DURATION [ns],"
                         "DEVICE NCRISC KERNEL DURATION [ns],DEVICE TRISC0 KERNEL DURATION [ns],"
                         "DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],"
                         "DEVICE ERISC KERNEL DURATION [ns],DEVICE QUASAR_DM KERNEL DURATION [ns],"
                         "DEVICE QUASAR_DM KERNEL START CYCLE,DEVICE QUASAR_DM KERNEL END CYCLE,"
                         "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns],"
                         "DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE,"
                         "DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE,DEVICE DM FW DURATION [ns],"
                         "DEVICE TRISC FW DURATION [ns],OP TO OP LATENCY [ns],"
                         "OP TO OP LATENCY BR/NRISC START [ns]\n"));
    for (uint32_t device = 0; device < ttp_synth_seen_devices(p); device++)
        put_device(out, p, device, rows);
    ttp_arena_rewind(scratch, mark);
}

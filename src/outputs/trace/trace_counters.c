/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a device over time, from the begin and end of its ops. */
#include <math.h>

#include "base/order.h"
#include "base/spill.h"
#include "outputs/trace/trace_run.h"

enum counter { BUSY_CORES, DRAM_GBS, COUNTERS };
static const struct {
    const char *name, *unit, *note;
    bool real;
} kinds[] = {
    [BUSY_CORES] = {"Cores busy", "cores", "cores between first and last marker of a kernel",
                    false},
    [DRAM_GBS] = {"DRAM", "GB/s", "sizes of the ops' tensors over the time of their kernels", true},
};
enum { RANK_COUNTERS = 1 };

/* A level changes. */
struct step {
    uint32_t device;
    uint8_t counter;
    int8_t begins; /* 1: something begins, -1: it ends */
    int64_t ns;
    double amount;
};

TTP_ORDER(by_counter_and_time, struct step, TTP_UP(device), TTP_UP(counter), TTP_UP(ns),
          TTP_UP(begins), TTP_UP(amount))

static ttp_code add_span(struct ttp_spill *steps, struct step s, int64_t to, struct ttp_err *err)
{
    TTP_TRY(ttp_spill_add(steps, &s, err));
    s.begins = -1;
    s.ns = to;
    return ttp_spill_add(steps, &s, err);
}

static ttp_code add_cores(struct ttp_spill *steps, const struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_device_log *log = t->run->report->logs.device;

    for (size_t i = 0; log && i < log->nparts; i++) {
        const struct ttp_exec_core *part = &log->part[i];
        const struct ttp_exec *e = &log->exec[part->exec];
        const struct ttp_core *core = &log->core[part->core];
        const size_t device = ttp_out_tracing_device(t, log->device[e->device]);

        if (part->kernel_markers < 2 || part->kernel_last_cycle >= TTP_TRACE_CYCLE_MAX ||
            !ttp_out_trace_wants_core(&t->options->filter, core->x, core->y))
            continue;
        const struct ttp_exec_key key = {(int64_t)device, e->run_id, e->trace_id, e->replay};
        const struct ttp_trace_op *op = ttp_out_tracing_find(t, &key);
        if (!op || !op->wanted)
            continue;
        const struct ttp_trace_device_state *d = &t->device[device];
        const struct step begin = {(uint32_t)device, BUSY_CORES, 1,
                                   ttp_trace_device_ns(d, part->kernel_first_cycle), 1};
        TTP_TRY(add_span(steps, begin, ttp_trace_device_ns(d, part->kernel_last_cycle), err));
    }
    return TTP_OK;
}

static ttp_code add_dram(struct ttp_spill *steps, const struct ttp_tracing *t, struct ttp_err *err)
{
    for (size_t i = 0; t->run->fact && i < t->nops; i++) {
        const struct ttp_trace_op *op = &t->op[i];
        const struct ttp_trace_device_state *d = &t->device[op->key.device];

        if (!op->wanted || op->row == TTP_NPOS || !t->run->fact[op->row].has_dram)
            continue;
        const struct step begin = {(uint32_t)op->key.device, DRAM_GBS, 1,
                                   ttp_trace_device_ns(d, op->start_cycle),
                                   t->run->fact[op->row].dram_gbs};
        TTP_TRY(add_span(steps, begin, ttp_trace_device_ns(d, op->end_cycle), err));
    }
    return TTP_OK;
}

/* A counter on its way: its value after all steps of a moment is one sample. */
struct level {
    ttp_track track;
    uint32_t device;
    uint8_t counter;
    bool pending;
    int64_t ns;
    int64_t active;
    double value, written;
};

static void put_sample(struct ttp_tracing *t, struct level *l)
{
    if (l->pending && (l->value < l->written || l->value > l->written)) {
        ttp_out_trace_counter(&t->w, l->track, l->ns, l->value);
        l->written = l->value;
    }
    l->pending = false;
}

static void begin_level(struct ttp_tracing *t, struct level *l, const struct step *s)
{
    put_sample(t, l);
    *l = (struct level){.device = s->device, .counter = s->counter, .written = -1};
    l->track = ttp_out_trace_add_track(
        &t->w, &(struct ttp_trace_track){.parent = t->device[s->device].group,
                                         .name = ttp_str_from(kinds[s->counter].name),
                                         .note = ttp_str_from(kinds[s->counter].note),
                                         .unit = kinds[s->counter].unit,
                                         .real = kinds[s->counter].real,
                                         .kind = TTP_TRACK_COUNTER,
                                         .rank = RANK_COUNTERS + s->counter});
}

static ttp_code put_levels(struct ttp_tracing *t, struct ttp_spill *steps, struct ttp_err *err)
{
    struct level l = {.device = UINT32_MAX};
    struct step s;
    bool more;

    TTP_TRY(ttp_spill_sort(steps, err));
    for (;;) {
        TTP_TRY(ttp_spill_next(steps, &s, &more, err));
        if (!more)
            break;
        if (s.device != l.device || s.counter != l.counter)
            begin_level(t, &l, &s);
        if (s.ns != l.ns)
            put_sample(t, &l);
        l.ns = s.ns;
        l.active += s.begins;
        /* nothing left is exactly nothing, whatever sums of fractions say */
        l.value = l.active ? l.value + s.begins * s.amount : 0;
        l.pending = true;
    }
    put_sample(t, &l);
    return TTP_OK;
}

/* The log knows one clock: it holds from the first op that is shown to the last. */
static void put_clock(struct ttp_tracing *t, const struct ttp_trace_device_state *d,
                      uint64_t first_cycle, uint64_t last_cycle)
{
    const ttp_track track = ttp_out_trace_add_track(
        &t->w, &(struct ttp_trace_track){.parent = d->group,
                                         .name = TTP_STR("AICLK"),
                                         .note = TTP_STR("from the device log"),
                                         .unit = "MHz",
                                         .kind = TTP_TRACK_COUNTER,
                                         .rank = RANK_COUNTERS + COUNTERS + 1});

    ttp_out_trace_counter(&t->w, track, ttp_trace_device_ns(d, first_cycle), (double)d->mhz);
    ttp_out_trace_counter(&t->w, track, ttp_trace_device_ns(d, last_cycle), (double)d->mhz);
}

/* ---- samples of the boards ---- */

enum board_counter { BOARD_CLOCK, BOARD_POWER, BOARD_HEAT, BOARD_COUNTERS };
static const struct {
    const char *name, *unit;
} board_kinds[] = {
    [BOARD_CLOCK] = {"AICLK (sampled)", "MHz"},
    [BOARD_POWER] = {"Core power", "W"},
    [BOARD_HEAT] = {"Temperature", "C"},
};

static double board_value(const struct ttp_machine_sample *s, int counter)
{
    return counter == BOARD_CLOCK   ? s->clock_mhz
           : counter == BOARD_POWER ? s->power_w
                                    : s->temperature_c;
}

/* Samples before the first and after the last op that is shown are left out, but for one. */
static void put_board_counter(struct ttp_tracing *t, const struct ttp_machine_chip *chip,
                              int counter, ttp_track group)
{
    ttp_track track = 0;
    bool made = false;

    for (size_t i = 0; i < chip->count; i++) {
        const struct ttp_machine_sample *s = &chip->sample[i];
        const double value = board_value(s, counter);
        const bool outside = t->narrowed && ((i + 1 < chip->count && s[1].time_ns < t->from_ns) ||
                                             (i > 0 && s[-1].time_ns > t->to_ns));

        if (outside || isnan(value) || s->time_ns + t->host_shift_ns < 0)
            continue;
        if (!made)
            track = ttp_out_trace_add_track(
                &t->w, &(struct ttp_trace_track){.parent = group,
                                                 .name = ttp_str_from(board_kinds[counter].name),
                                                 .note = chip->bus,
                                                 .unit = board_kinds[counter].unit,
                                                 .real = true,
                                                 .kind = TTP_TRACK_COUNTER,
                                                 .rank = RANK_COUNTERS + COUNTERS + 2 + counter});
        made = true;
        ttp_out_trace_counter(&t->w, track, s->time_ns + t->host_shift_ns, value);
    }
}

/* Chips and devices count in the same order; if their numbers differ, boards are the host's. */
static void put_boards(struct ttp_tracing *t)
{
    const struct ttp_machine_log *log = t->run->machine;

    for (size_t i = 0; log && log->aligned && i < log->count; i++) {
        const bool of_device = log->count == t->ndevices;

        if (of_device && !t->device[i].wanted)
            continue;
        for (int k = 0; k < BOARD_COUNTERS; k++)
            put_board_counter(t, &log->chip[i], k, of_device ? t->device[i].group : t->host);
    }
}

static void put_clocks(struct ttp_tracing *t)
{
    const struct ttp_device_log *log = t->run->report->logs.device;

    for (size_t i = 0, end; i < t->nops && log && log->clock_mhz; i = end) {
        uint64_t first = UINT64_MAX, last = 0;

        for (end = i; end < t->nops && t->op[end].key.device == t->op[i].key.device; end++) {
            const struct ttp_trace_op *op = &t->op[end];

            if (!op->wanted)
                continue;
            first = op->start_cycle < first ? op->start_cycle : first;
            last = op->end_cycle > last ? op->end_cycle : last;
        }
        if (first != UINT64_MAX)
            put_clock(t, &t->device[t->op[i].key.device], first, last);
    }
}

ttp_code ttp_out_tracing_put_counters(struct ttp_tracing *t, struct ttp_err *err)
{
    struct ttp_spill *steps = NULL;

    put_clocks(t);
    put_boards(t);
    TTP_TRY(ttp_spill_open(&steps, sizeof(struct step), by_counter_and_time, 0, err));
    ttp_code rc = add_cores(steps, t, err);
    if (rc == TTP_OK)
        rc = add_dram(steps, t, err);
    if (rc == TTP_OK)
        rc = put_levels(t, steps, err);
    ttp_spill_close(steps);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* top_metrics.c - one snapshot of `top` in Prometheus' text format: the chips as `doctor` has them,
 * rates, limits, and the processes on them. docs/formats/prometheus.md lists the metrics. */
#include "outputs/top/top_metrics.h"

#include <math.h>

#include "base/gate.h"
#include "outputs/host/host_metrics.h"

struct metrics {
    struct ttp_sink *out;
    const struct ttp_top_view *view;
    struct ttp_host_metrics host;
    struct ttp_chip_view *chip;
    struct ttp_arena *arena;
    const char *name; /* of the current metric */
};

static void begin(struct metrics *m, const char *name, const char *help, enum ttp_prom_kind kind)
{
    m->name = name;
    ttp_prom_head(m->out, name, help, kind);
}

/* The current metric with the labels of a chip, and more. */
static void put_chip(const struct metrics *m, size_t chip, const struct ttp_prom_label *more,
                     size_t count)
{
    struct ttp_prom_label label[TTP_CHIP_LABELS + 2];

    ttp_chip_labels(label, &m->host, chip, m->arena);
    for (size_t i = 0; i < count; i++)
        label[TTP_CHIP_LABELS + i] = more[i];
    ttp_sink_put(m->out, ttp_str_from(m->name));
    ttp_prom_labels(m->out, label, TTP_CHIP_LABELS + count);
}

static void put_labels(const struct metrics *m, const struct ttp_prom_label *label, size_t count)
{
    ttp_sink_put(m->out, ttp_str_from(m->name));
    ttp_prom_labels(m->out, label, count);
}

/* ---- chips ---- */

static void put_rates(struct metrics *m)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } rates[] = {
        {"tt_perf_pcie_to_chip_bytes_per_second", "PCIe traffic to the chip",
         offsetof(struct ttp_chip_view, to_chip_bytes_s)},
        {"tt_perf_pcie_from_chip_bytes_per_second", "PCIe traffic from the chip",
         offsetof(struct ttp_chip_view, from_chip_bytes_s)},
        {"tt_perf_ai_clock_limit_mhz", "fastest AI clock",
         offsetof(struct ttp_chip_view, clock_max_mhz)},
    };

    for (size_t r = 0; r < TTP_COUNT(rates); r++) {
        bool headed = false;

        for (size_t i = 0; i < m->view->host->nchips; i++) {
            double v;

            memcpy(&v, (const char *)&m->chip[i] + rates[r].offset, sizeof(v));
            if (isnan(v))
                continue;
            if (!headed)
                begin(m, rates[r].name, rates[r].help, TTP_PROM_GAUGE);
            headed = true;
            put_chip(m, i, NULL, 0);
            ttp_prom_real(m->out, v);
        }
    }
}

static void put_beats(struct metrics *m)
{
    bool headed = false;

    for (size_t i = 0; i < m->view->host->nchips; i++) {
        if (m->chip[i].beat == TTP_BEAT_UNKNOWN)
            continue;
        if (!headed)
            begin(m, "tt_perf_heartbeat_moves", "the firmware's heartbeat moves", TTP_PROM_GAUGE);
        headed = true;
        put_chip(m, i, NULL, 0);
        ttp_prom_int(m->out, m->chip[i].beat == TTP_BEAT_MOVES);
    }
}

static void put_limits(struct metrics *m)
{
    static const char *const limits[] = {"heat", "power", "current"};

    if (m->view->host->nchips)
        begin(m, "tt_perf_limited", "the chip is at this limit", TTP_PROM_GAUGE);
    for (size_t i = 0; i < m->view->host->nchips; i++)
        for (size_t k = 0; k < TTP_COUNT(limits); k++) {
            const struct ttp_prom_label by = {"by", ttp_str_from(limits[k])};

            put_chip(m, i, &by, 1);
            ttp_prom_int(m->out, strcmp(m->chip[i].throttle, limits[k]) == 0);
        }
}

static bool same_holder(const struct ttp_holder *a, const struct ttp_holder *b,
                        struct ttp_arena *arena)
{
    return a->pid == b->pid &&
           ttp_str_eq(ttp_gate_text(arena, a->name), ttp_gate_text(arena, b->name));
}

/* Processes of another namespace have no number, and may share a name. */
static void put_holders(struct metrics *m)
{
    bool headed = false;

    ttp_host_metrics_put_holders(m->out, &m->host, m->arena);
    for (size_t i = 0; i < m->view->host->nchips; i++) {
        const struct ttp_chip_sample *s = &m->view->now->chip[i];

        for (size_t k = 0; k < s->nholders; k++) {
            const struct ttp_holder *h = &s->holder[k];
            int64_t same = 0;
            size_t first = 0;

            while (!same_holder(&s->holder[first], h, m->arena))
                first++;
            if (first < k)
                continue;
            for (size_t j = k; j < s->nholders; j++)
                same += same_holder(&s->holder[j], h, m->arena);
            if (!headed)
                begin(m, "tt_perf_holder", "a process that has the device open", TTP_PROM_GAUGE);
            headed = true;
            put_chip(m, i,
                     (struct ttp_prom_label[]){{"pid", ttp_sink_format(m->arena, "%d", h->pid)},
                                               {"process", h->name}},
                     2);
            ttp_prom_int(m->out, same);
        }
    }
}

/* ---- memory and activity ---- */

static const struct {
    const char *word;
    size_t offset;
} memories[] = {
    {"dram", offsetof(struct ttp_mem_counts, dram)},
    {"l1", offsetof(struct ttp_mem_counts, l1)},
    {"l1_small", offsetof(struct ttp_mem_counts, l1_small)},
    {"trace", offsetof(struct ttp_mem_counts, trace)},
    {"cb", offsetof(struct ttp_mem_counts, cb)},
};

static void put_memories(const struct metrics *m, struct ttp_prom_label *label, size_t count,
                         const struct ttp_mem_counts *bytes)
{
    for (size_t k = 0; k < TTP_COUNT(memories); k++) {
        uint64_t v;

        memcpy(&v, (const char *)bytes + memories[k].offset, sizeof(v));
        label[count] = (struct ttp_prom_label){"memory", ttp_str_from(memories[k].word)};
        put_labels(m, label, count + 1);
        ttp_prom_int(m->out, (int64_t)v);
    }
}

static void put_device_memory(struct metrics *m)
{
    bool headed = false;

    for (size_t i = 0; i < m->view->live->files; i++) {
        const struct ttp_mem_shm_file *f = &m->view->live->file[i];
        struct ttp_prom_label label[4] = {
            {"hostname", m->view->hostname},
            {"path", ttp_str_from(f->path)},
            {"device", ttp_sink_format(m->arena, "%u", f->shm.device)}};

        if (f->code != TTP_OK)
            continue;
        if (!headed)
            begin(m, "tt_perf_device_memory_bytes", "in use, as tt-metal's allocator counts it",
                  TTP_PROM_GAUGE);
        headed = true;
        put_memories(m, label, 3, &f->shm.bytes);
    }
}

#define PROCESS_LABELS 3
static void process_labels(struct ttp_prom_label *out, const struct metrics *m,
                           const struct ttp_top_process *p)
{
    out[0] = (struct ttp_prom_label){"hostname", m->view->hostname};
    out[1] = (struct ttp_prom_label){"pid", ttp_sink_format(m->arena, "%d", p->pid)};
    out[2] = (struct ttp_prom_label){"process", p->name};
}

static void put_process_memory(struct metrics *m)
{
    bool headed = false;

    for (size_t i = 0; i < m->view->live->processes; i++) {
        const struct ttp_top_process *p = &m->view->live->process[i];
        struct ttp_prom_label label[PROCESS_LABELS + 1];

        if (!p->has_memory)
            continue;
        if (!headed)
            begin(m, "tt_perf_process_memory_bytes", "held by the process on all chips",
                  TTP_PROM_GAUGE);
        headed = true;
        process_labels(label, m, p);
        put_memories(m, label, PROCESS_LABELS, &p->bytes);
    }
}

static double launches(const struct ttp_activity *a)
{
    return a->launches_per_s;
}

static double compiling(const struct ttp_activity *a)
{
    return a->kind == TTP_ACTIVITY_COMPILING ? a->compiling_s : 0;
}

static double late_compiles(const struct ttp_activity *a)
{
    return (double)a->late_compiles;
}

static void put_activity(struct metrics *m)
{
    static const struct {
        const char *name, *help;
        double (*of)(const struct ttp_activity *a);
    } figures[] = {
        {"tt_perf_process_launches_per_second", "programs launched in the last second", launches},
        {"tt_perf_process_compiling_seconds", "time spent on the program that is compiled now",
         compiling},
        {"tt_perf_process_late_compiles", "programs compiled after the first launch, since watched",
         late_compiles},
    };

    for (size_t k = 0; k < TTP_COUNT(figures); k++) {
        bool headed = false;

        for (size_t i = 0; i < m->view->live->processes; i++) {
            const struct ttp_top_process *p = &m->view->live->process[i];
            struct ttp_prom_label label[PROCESS_LABELS];

            if (p->activity.kind == TTP_ACTIVITY_UNKNOWN)
                continue;
            if (!headed)
                begin(m, figures[k].name, figures[k].help, TTP_PROM_GAUGE);
            headed = true;
            process_labels(label, m, p);
            put_labels(m, label, PROCESS_LABELS);
            ttp_prom_real(m->out, figures[k].of(&p->activity));
        }
    }
}

static void put_busy(struct metrics *m)
{
    if (m->view->live->busies)
        begin(m, "tt_perf_busy_percent", "share of the time in which a program ran",
              TTP_PROM_GAUGE);
    for (size_t i = 0; i < m->view->live->busies; i++) {
        const struct ttp_top_busy *b = &m->view->live->busy[i];
        const struct ttp_prom_label label[] = {
            {"hostname", m->view->hostname},
            {"device", ttp_sink_format(m->arena, "%lld", (long long)b->chip)}};

        put_labels(m, label, TTP_COUNT(label));
        ttp_prom_real(m->out, b->busy_pct);
    }
}

/* ---- the machine ---- */

static void put_machine(struct metrics *m)
{
    static const struct {
        const char *name, *help;
        enum ttp_host_attr attr;
    } figures[] = {
        {"tt_perf_load1", "load of the processors, mean of a minute", TTP_HOST_LOAD_1},
        {"tt_perf_cpu_pressure_percent", "time that tasks wait for processors, mean of 10 s",
         TTP_HOST_PSI_CPU},
        {"tt_perf_memory_pressure_percent", "time that tasks wait for memory, mean of 10 s",
         TTP_HOST_PSI_MEMORY},
        {"tt_perf_io_pressure_percent", "time that tasks wait for disks, mean of 10 s",
         TTP_HOST_PSI_IO},
    };
    const struct ttp_prom_label host = {"hostname", m->view->hostname};

    for (size_t i = 0; i < TTP_COUNT(figures); i++) {
        int64_t v;

        if (!ttp_reading_number(&m->view->now->attr[figures[i].attr], &v))
            continue;
        begin(m, figures[i].name, figures[i].help, TTP_PROM_GAUGE);
        put_labels(m, &host, 1);
        ttp_prom_real(m->out, (double)v / 1000);
    }
    begin(m, "tt_perf_sample_time_seconds", "when this was read, since 1970", TTP_PROM_GAUGE);
    put_labels(m, &host, 1);
    ttp_prom_seconds(m->out, m->view->unix_ns);
}

void ttp_top_metrics_put(struct ttp_sink *out, const struct ttp_top_view *view,
                         struct ttp_arena *arena)
{
    struct metrics m = {.out = out,
                        .view = view,
                        .host = {view->host, view->now, view->hostname},
                        .chip = TTP_NEW(arena, struct ttp_chip_view, view->host->nchips),
                        .arena = arena};

    for (size_t i = 0; i < view->host->nchips; i++)
        ttp_host_chip_view(&m.chip[i], view->host, view->first,
                           (struct ttp_host_interval){view->before, view->now}, i);
    ttp_host_metrics_put(out, &m.host, arena);
    put_rates(&m);
    put_beats(&m);
    put_limits(&m);
    put_holders(&m);
    put_device_memory(&m);
    put_process_memory(&m);
    put_activity(&m);
    put_busy(&m);
    put_machine(&m);
}

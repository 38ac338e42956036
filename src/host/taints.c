/* SPDX-License-Identifier: Apache-2.0 */
/* taints.c - events between two samples that disturb a measurement. */
#include <stdarg.h>
#include <stdio.h>

#include "base/sink.h"
#include "base/vec.h"
#include "host/machine.h"
#include "host/tree.h"

/* The bench guard's proposal in the vendor's issue tracker: a clock that moved by more is another
 * machine. The others are ours: half a processor per processor busy with something else, a tenth of
 * the time spent waiting. */
#define CLOCK_TOLERANCE 0.05
#define LOAD_PER_CPU    0.5
#define PRESSURE_PCT    10
/* A heartbeat beats ten times a second and more. */
#define HEARTBEAT_NS 900000000ull

struct comparing {
    struct ttp_taints *out;
    const struct ttp_host *host;
    const struct ttp_host_sample *before, *after;
    const struct ttp_compare_samples *options;
    struct ttp_arena *arena;
};

TTP_PRINTF(4, 5)
static void add(struct comparing *c, enum ttp_taint_kind kind, int chip, const char *fmt, ...)
{
    struct ttp_sink text;
    char line[300];
    va_list ap;

    TTP_ROOM(c->arena, c->out->item, c->out->count);
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    ttp_sink_to_arena(&text, c->arena);
    if (chip >= 0)
        ttp_sink_printf(&text, "%s: ", c->host->chip[chip].bdf);
    ttp_sink_put(&text, ttp_str_from(line));
    c->out->item[c->out->count++] = (struct ttp_taint){kind, chip, ttp_sink_text(&text)};
}

/* Both readings of an attribute; false: one is missing. */
static bool both(const struct comparing *c, int chip, enum ttp_chip_attr attr, int64_t *a,
                 int64_t *b)
{
    return ttp_reading_number(&c->before->chip[chip].attr[attr], a) &&
           ttp_reading_number(&c->after->chip[chip].attr[attr], b);
}

static void compare_clock(struct comparing *c, int chip)
{
    const double tolerance =
        c->options->clock_tolerance > 0 ? c->options->clock_tolerance : CLOCK_TOLERANCE;
    int64_t a, b;

    if (!c->options->clocks || !both(c, chip, TTP_CHIP_AICLK_MHZ, &a, &b))
        return;
    const int64_t high = a > b ? a : b, low = a < b ? a : b;
    if ((double)(high - low) > tolerance * (double)high)
        add(c, TTP_TAINT_CLOCK, chip, "AI clock went from %lld to %lld MHz", (long long)a,
            (long long)b);
}

static void compare_heat(struct comparing *c, int chip)
{
    const struct ttp_source *source;
    int64_t now, limit, a, b;

    if (ttp_reading_number(&c->after->chip[chip].attr[TTP_CHIP_TEMP_MC], &now) &&
        (ttp_host_throttle_mc(&limit, &source, &c->host->chip[chip], &c->after->chip[chip]) ||
         ttp_host_throttle_mc(&limit, &source, &c->host->chip[chip], &c->before->chip[chip])) &&
        now >= limit)
        add(c, TTP_TAINT_HOT, chip, "%.1f C, it throttles at %.0f C", (double)now / 1000,
            (double)limit / 1000);
    if (both(c, chip, TTP_CHIP_THERM_TRIPS, &a, &b) && b > a)
        add(c, TTP_TAINT_TRIP, chip, "%lld thermal shutdowns", (long long)(b - a));
}

static void compare_alive(struct comparing *c, int chip)
{
    const struct ttp_reading *before = &c->before->chip[chip].attr[TTP_CHIP_HEARTBEAT],
                             *after = &c->after->chip[chip].attr[TTP_CHIP_HEARTBEAT];
    const struct ttp_reading *temp[] = {&c->before->chip[chip].attr[TTP_CHIP_TEMP_MC],
                                        &c->after->chip[chip].attr[TTP_CHIP_TEMP_MC]};
    int64_t a, b;

    if ((before->state == TTP_READING_OK && after->state != TTP_READING_OK) ||
        (temp[0]->state == TTP_READING_OK && temp[1]->state != TTP_READING_OK)) {
        add(c, TTP_TAINT_CHIP_LOST, chip, "its sensors are no longer readable");
        return;
    }
    if (c->host->live && c->after->time_ns - c->before->time_ns >= HEARTBEAT_NS &&
        both(c, chip, TTP_CHIP_HEARTBEAT, &a, &b) && a == b)
        add(c, TTP_TAINT_HEARTBEAT, chip, "the firmware's heartbeat is stuck at %lld",
            (long long)a);
}

static void compare_link(struct comparing *c, int chip)
{
    static const struct {
        enum ttp_chip_attr attr;
        const char *name;
    } errors[] = {{TTP_CHIP_AER_CORRECTABLE, "correctable"},
                  {TTP_CHIP_AER_NONFATAL, "nonfatal"},
                  {TTP_CHIP_AER_FATAL, "fatal"}};
    int64_t a, b, w, x;

    if (both(c, chip, TTP_CHIP_LINK_SPEED, &a, &b) && both(c, chip, TTP_CHIP_LINK_WIDTH, &w, &x) &&
        (a != b || w != x))
        add(c, TTP_TAINT_LINK, chip, "PCIe went from %.1f GT/s x%lld to %.1f GT/s x%lld",
            (double)a / 10, (long long)w, (double)b / 10, (long long)x);
    for (size_t i = 0; i < TTP_COUNT(errors); i++)
        if (both(c, chip, errors[i].attr, &a, &b) && b > a)
            add(c, TTP_TAINT_AER, chip, "%lld %s PCIe errors", (long long)(b - a), errors[i].name);
}

/* Someone else in either sample; each process once. */
static void compare_holders(struct comparing *c, int chip)
{
    const struct ttp_chip_sample *s[2] = {&c->before->chip[chip], &c->after->chip[chip]};

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < s[side]->nholders; i++) {
            const struct ttp_holder *h = &s[side]->holder[i];
            bool told = h->own;

            for (size_t k = 0; side == 1 && k < s[0]->nholders && !told; k++)
                told = s[0]->holder[k].pid == h->pid;
            if (!told && h->pid == 0)
                add(c, TTP_TAINT_HOLDER, chip, "open in a process outside this container");
            else if (!told)
                add(c, TTP_TAINT_HOLDER, chip, "open in process %d (%.*s)", h->pid,
                    TTP_FMT(ttp_str_slice(h->name, 0, 40)));
        }
}

static void compare_firmware(struct comparing *c, int chip)
{
    const struct ttp_reading *a = &c->before->chip[chip].attr[TTP_CHIP_FW_BUNDLE],
                             *b = &c->after->chip[chip].attr[TTP_CHIP_FW_BUNDLE];

    if (a->state == TTP_READING_OK && b->state == TTP_READING_OK && a->value != b->value)
        add(c, TTP_TAINT_FIRMWARE, chip, "firmware changed from %.*s to %.*s",
            TTP_FMT(ttp_str_slice(a->text, 0, 30)), TTP_FMT(ttp_str_slice(b->text, 0, 30)));
}

static void compare_machine(struct comparing *c)
{
    static const struct {
        enum ttp_host_attr attr;
        const char *name;
    } pressures[] = {{TTP_HOST_PSI_CPU, "processors"},
                     {TTP_HOST_PSI_MEMORY, "memory"},
                     {TTP_HOST_PSI_IO, "disks"}};
    const double allowed = c->options->load_per_cpu > 0 ? c->options->load_per_cpu : LOAD_PER_CPU;
    const double limit = c->options->pressure_pct > 0 ? c->options->pressure_pct : PRESSURE_PCT;
    const struct ttp_reading *a = &c->before->attr[TTP_HOST_GOVERNOR],
                             *b = &c->after->attr[TTP_HOST_GOVERNOR];
    const uint32_t cpus = ttp_host_machine_cpus(c->host->tree, c->arena);
    int64_t v;

    if (cpus && ttp_reading_number(&c->after->attr[TTP_HOST_LOAD_1], &v)) {
        const double load = (double)v / 1000 - c->options->own_load;

        if (load > allowed * cpus)
            add(c, TTP_TAINT_LOAD, -1, "load %.2f on %u processors", (double)v / 1000, cpus);
    }
    for (size_t i = 0; i < TTP_COUNT(pressures); i++)
        if (ttp_reading_number(&c->after->attr[pressures[i].attr], &v) && (double)v / 1000 > limit)
            add(c, TTP_TAINT_PRESSURE, -1, "%.1f %% of the last 10 s spent waiting for %s",
                (double)v / 1000, pressures[i].name);
    if (a->state == TTP_READING_OK && b->state == TTP_READING_OK && !ttp_str_eq(a->text, b->text))
        add(c, TTP_TAINT_GOVERNOR, -1, "the governor changed from %.*s to %.*s",
            TTP_FMT(ttp_str_slice(a->text, 0, 30)), TTP_FMT(ttp_str_slice(b->text, 0, 30)));
}

void ttp_host_compare(struct ttp_taints *out, const struct ttp_host *host,
                      struct ttp_host_interval over, const struct ttp_compare_samples *options,
                      struct ttp_arena *arena)
{
    struct comparing c = {.out = out,
                          .host = host,
                          .before = over.before,
                          .after = over.after,
                          .options = options,
                          .arena = arena};

    *out = (struct ttp_taints){0};
    for (int i = 0; i < (int)host->nchips; i++) {
        compare_alive(&c, i);
        compare_clock(&c, i);
        compare_heat(&c, i);
        compare_link(&c, i);
        compare_holders(&c, i);
        compare_firmware(&c, i);
    }
    compare_machine(&c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c - clock, power and temperature of every chip, written to a log while a command runs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/host.h"
#include "host/tree.h"

/* Less than a thousandth of a core, half of which is for waking up, which is not measured here: a
 * sample that takes longer is taken less often. */
#define COST_FACTOR 2000
/* A chip that does not change has a row as often as this. */
#define QUIET_NS 1000000000

struct ttp_meter {
    struct ttp_arena arena, scratch;
    struct ttp_host host;
    struct ttp_host_sample limits;
    uint64_t interval_ns, due_ns;
    int fd, error;
    struct shown {
        struct ttp_chip_view view;
        int64_t trips;
        uint64_t written_ns;
    } * last; /* by chip: what its newest row says */
};

static uint64_t cpu_ns(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put(struct ttp_meter *m, ttp_str text)
{
    while (text.len && !m->error) {
        const ssize_t n = write(m->fd, text.ptr, text.len);

        if (n > 0)
            text = ttp_str_slice(text, (size_t)n, text.len);
        else if (errno != EINTR)
            m->error = errno ? errno : EIO;
    }
}

static void put_number(struct ttp_sink *out, double value)
{
    if (isfinite(value))
        ttp_sink_printf(out, "%.1f", value);
    ttp_sink_own(out, ",");
}

static bool differs(double a, double b, double by)
{
    return isnan(a) != isnan(b) || fabs(a - b) >= by;
}

/* The firmware's figures are whole degrees and watts; a clock counts whatever it does. */
static bool is_news(const struct shown *last, const struct shown *now, uint64_t time_ns)
{
    return !last->written_ns || time_ns - last->written_ns >= QUIET_NS ||
           differs(last->view.clock_mhz, now->view.clock_mhz, 0.5) ||
           differs(last->view.power_w, now->view.power_w, 1) ||
           differs(last->view.temperature_c, now->view.temperature_c, 1) ||
           last->trips != now->trips || last->view.throttle != now->view.throttle;
}

static void put_row(struct ttp_sink *out, const struct ttp_meter *m, size_t i,
                    const struct shown *now, uint64_t time_ns)
{
    const struct ttp_chip_view *v = &now->view;

    ttp_sink_printf(out, "%" PRIu64 ",%zu,%s,", time_ns, i, m->host.chip[i].bdf);
    put_number(out, v->clock_mhz);
    put_number(out, v->clock_max_mhz);
    put_number(out, v->power_w);
    put_number(out, v->power_limit_w);
    put_number(out, v->temperature_c);
    put_number(out, v->temperature_limit_c);
    if (now->trips >= 0)
        ttp_sink_printf(out, "%" PRId64, now->trips);
    ttp_sink_printf(out, ",%s\n", v->throttle);
}

static void take_sample(struct ttp_meter *m)
{
    const struct ttp_mark mark = ttp_arena_mark(&m->scratch);
    const struct ttp_sample_options options = {.flags = TTP_SAMPLE_METER};
    struct ttp_host_sample sample;
    struct ttp_sink rows;

    ttp_host_sample(&sample, &m->host, &options, &m->scratch);
    ttp_sink_to_arena(&rows, &m->scratch);
    for (size_t i = 0; i < m->host.nchips; i++) {
        struct shown now = {.trips = -1, .written_ns = sample.time_ns};

        ttp_host_chip_view(&now.view, &m->host, &m->limits,
                           (struct ttp_host_interval){NULL, &sample}, i);
        (void)ttp_reading_number(&sample.chip[i].attr[TTP_CHIP_THERM_TRIPS], &now.trips);
        if (!is_news(&m->last[i], &now, sample.time_ns))
            continue;
        put_row(&rows, m, i, &now, sample.time_ns);
        m->last[i] = now;
    }
    put(m, ttp_sink_text(&rows));
    ttp_arena_rewind(&m->scratch, mark);
}

static bool has_clock(const struct ttp_meter *m)
{
    for (size_t i = 0; i < m->limits.nchips; i++)
        if (m->limits.chip[i].attr[TTP_CHIP_AICLK_MHZ].known)
            return true;
    return false;
}

static void release(struct ttp_meter *m)
{
    struct ttp_arena arena = m->arena;

    if (m->fd >= 0)
        close(m->fd);
    ttp_host_close(&m->host);
    ttp_arena_free(&m->scratch);
    ttp_arena_free(&arena);
}

ttp_code ttp_meter_open(struct ttp_meter **out, const struct ttp_meter_options *options,
                        struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_meter *m = TTP_NEW(&arena, struct ttp_meter, 1);

    *out = NULL;
    m->fd = -1;
    const ttp_code rc = ttp_host_open(&m->host, options->root, options->boards, &arena, err);
    if (rc != TTP_OK) {
        ttp_arena_free(&arena);
        return rc;
    }
    ttp_host_sample(&m->limits, &m->host, &(struct ttp_sample_options){0}, &arena);
    ttp_rootdir_keep_open(&m->host.tree->root);
    m->last = TTP_NEW(&arena, struct shown, m->host.nchips + 1);
    m->interval_ns = (uint64_t)(1e9 / options->hz);
    m->arena = arena;
    if (!has_clock(m)) {
        release(m);
        return TTP_OK;
    }
    m->fd = open(options->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (m->fd < 0) {
        const ttp_code failed = ttp_fail_errno(err, "cannot write '%s'", options->path);
        release(m);
        return failed;
    }
    put(m, TTP_STR("monotonic_ns,chip,bus,clock_mhz,clock_max_mhz,power_w,power_limit_w,"
                   "temperature_c,temperature_limit_c,trips,throttle\n"));
    *out = m;
    ttp_meter_tick(m);
    return TTP_OK;
}

void ttp_meter_tick(struct ttp_meter *m)
{
    const uint64_t now = ttp_clock_ns();

    if (!m || m->error || now < m->due_ns)
        return;
    const uint64_t before = cpu_ns();
    take_sample(m);
    const uint64_t pause = (cpu_ns() - before) * COST_FACTOR;
    m->due_ns = now + (pause > m->interval_ns ? pause : m->interval_ns);
}

ttp_code ttp_meter_close(struct ttp_meter *m, struct ttp_err *err)
{
    if (!m)
        return TTP_OK;
    for (size_t i = 0; i < m->host.nchips; i++) /* every chip has a row at the end */
        m->last[i].written_ns = 0;
    m->due_ns = 0;
    ttp_meter_tick(m);
    const int error = m->error;
    release(m);
    errno = error;
    return error ? ttp_fail_errno(err, "cannot write the log of clocks") : TTP_OK;
}

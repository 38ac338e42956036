/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c - clock, power and temperature of every chip, written to a log while a command runs.
 *
 * A sample must cost less than a ten-thousandth of a second, so its files stay open, a value is one
 * pread(), and rows are made into text and written once a second. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/host.h"
#include "host/machine.h"

/* Less than a thousandth of a core. A fifth of it is for what is not measured here: the sampling
 * takes caches and translations from what runs next. */
#define COST_FACTOR 1250
/* Costs may add up over this long: one expensive sample does not delay the next. */
#define CREDIT_NS ((int64_t)2000000000)
/* A chip that does not change has a row as often as this, and rows are written as often. */
#define QUIET_NS 1000000000
/* The clock of every chip is read in every sample, the other values of this many chips. */
#define SLOW_CHIPS 4
#define ROWS_MAX   512
#define NOT_READ   INT64_MIN

/* What is read of a chip; the clock comes first. */
enum { CLOCK, TRIPS, HEAT, CURRENT, POWER, PROBES };
static const enum ttp_chip_attr probe_attr[PROBES] = {
    [CLOCK] = TTP_CHIP_AICLK_MHZ,    [TRIPS] = TTP_CHIP_THERM_TRIPS, [HEAT] = TTP_CHIP_TEMP_MC,
    [CURRENT] = TTP_CHIP_CURRENT_MA, [POWER] = TTP_CHIP_POWER_UW,
};

struct probe {
    const char *path; /* NULL: the chip has no such folder */
    int fd;           /* -1: not there, tried again once a second */
};

/* A row of the log. */
struct meter_row {
    uint64_t time_ns;
    size_t chip;
    int64_t value[PROBES]; /* NOT_READ: not in this sample, or not published */
    const char *throttle;
};

struct meter_chip {
    struct probe probe[PROBES];
    struct ttp_chip_view view; /* limits, and the newest values */
    double current_limit;
    struct meter_row last; /* newest row, with the newest values of all; time 0: none */
    uint64_t checked_ns;   /* when its files were last compared with their names */
};

struct ttp_meter {
    struct ttp_arena arena, scratch;
    struct ttp_host host;
    struct meter_chip *chip;
    size_t slow_at; /* chip whose other values are read next */
    uint64_t interval_ns, due_ns, flushed_ns, first_ns, last_ns;
    uint64_t samples, cpu_ns;
    int64_t credit_ns; /* of processor time; negative: wait */
    struct meter_row row[ROWS_MAX];
    size_t nrows;
    int fd, error;
};

static uint64_t cpu_now(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- the log --- */

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

static void put_limit(struct ttp_sink *out, double value)
{
    if (isfinite(value))
        ttp_sink_printf(out, "%.1f", value);
    ttp_sink_own(out, ",");
}

/* With one digit after the point; `unit` parts are one. */
static void put_value(struct ttp_sink *out, int64_t value, int64_t unit)
{
    if (value != NOT_READ) {
        const int64_t parts = value < 0 ? -value : value;
        const int64_t tenths = unit == 1 ? parts * 10 : (parts + unit / 20) / (unit / 10);

        ttp_sink_printf(out, "%s%" PRId64 ".%" PRId64, value < 0 && tenths ? "-" : "", tenths / 10,
                        tenths % 10);
    }
    ttp_sink_own(out, ",");
}

static void put_row(struct ttp_sink *out, const struct ttp_meter *m, const struct meter_row *row)
{
    const struct ttp_chip_view *v = &m->chip[row->chip].view;

    ttp_sink_printf(out, "%" PRIu64 ",%zu,%s,", row->time_ns, row->chip,
                    m->host.chip[row->chip].bdf);
    put_value(out, row->value[CLOCK], 1);
    put_limit(out, v->clock_max_mhz);
    put_value(out, row->value[POWER], 1000000);
    put_limit(out, v->power_limit_w);
    put_value(out, row->value[HEAT], 1000);
    put_limit(out, v->temperature_limit_c);
    if (row->value[TRIPS] != NOT_READ)
        ttp_sink_printf(out, "%" PRId64, row->value[TRIPS]);
    ttp_sink_printf(out, ",%s\n", row->throttle);
}

static void flush(struct ttp_meter *m, uint64_t now)
{
    const struct ttp_mark mark = ttp_arena_mark(&m->scratch);
    struct ttp_sink rows;

    ttp_sink_to_arena(&rows, &m->scratch);
    for (size_t i = 0; i < m->nrows; i++)
        put_row(&rows, m, &m->row[i]);
    put(m, ttp_sink_text(&rows));
    ttp_arena_rewind(&m->scratch, mark);
    m->nrows = 0;
    m->flushed_ns = now;
}

/* --- reading --- */

/* A file that was replaced, or whose chip came back after a reset, is opened again. */
static void renew(const struct ttp_meter *m, struct probe *p)
{
    struct stat st;

    if (!p->path || (p->fd >= 0 && fstat(p->fd, &st) == 0 && st.st_nlink > 0))
        return;
    if (p->fd >= 0)
        close(p->fd);
    const int fd = ttp_rootdir_open_file(&m->host.tree->root, p->path);
    p->fd = fd < 0 ? -1 : fd;
}

static int64_t read_value(struct probe *p, enum ttp_chip_attr attr)
{
    char text[64];
    int64_t value;

    if (p->fd < 0)
        return NOT_READ;
    const ssize_t got = pread(p->fd, text, sizeof(text), 0);
    if (got < 0 && errno != EINTR && errno != EAGAIN) { /* the chip is gone: look for it again */
        close(p->fd);
        p->fd = -1;
    }
    return got > 0 && ttp_host_attr_parse(&value, attr, (ttp_str){text, (size_t)got}) ? value
                                                                                      : NOT_READ;
}

static void take(double *out, int64_t value, double scale)
{
    if (value != NOT_READ)
        *out = (double)value * scale;
}

static void read_slow(struct meter_chip *c, struct meter_row *row)
{
    double current = NAN;

    for (int p = CLOCK + 1; p < PROBES; p++)
        row->value[p] = read_value(&c->probe[p], probe_attr[p]);
    c->view.temperature_c = c->view.power_w = NAN;
    take(&c->view.temperature_c, row->value[HEAT], 1e-3);
    take(&c->view.power_w, row->value[POWER], 1e-6);
    take(&current, row->value[CURRENT], 1);
    c->view.throttle = ttp_host_chip_throttle(&c->view, current, c->current_limit);
}

static bool differs(int64_t before, int64_t now, int64_t by)
{
    if (now == NOT_READ || before == NOT_READ)
        return now != before && now != NOT_READ;
    return now - before >= by || before - now >= by;
}

/* The firmware's figures are whole degrees and watts; a clock counts whatever it does. */
static bool is_news(const struct meter_row *last, const struct meter_row *now)
{
    return !last->time_ns || now->time_ns - last->time_ns >= QUIET_NS ||
           last->value[CLOCK] != now->value[CLOCK] || last->throttle != now->throttle ||
           differs(last->value[TRIPS], now->value[TRIPS], 1) ||
           differs(last->value[HEAT], now->value[HEAT], 1000) ||
           differs(last->value[POWER], now->value[POWER], 1000000);
}

static void sample_chip(struct ttp_meter *m, size_t i, bool slow)
{
    struct meter_chip *c = &m->chip[i];
    struct meter_row now = {.chip = i, .throttle = c->view.throttle};

    for (int p = 0; p < PROBES; p++)
        now.value[p] = NOT_READ;
    now.time_ns = ttp_clock_ns();
    now.value[CLOCK] = read_value(&c->probe[CLOCK], probe_attr[CLOCK]);
    if (slow) {
        read_slow(c, &now);
        now.throttle = c->view.throttle;
    }
    if (now.time_ns - c->checked_ns >= QUIET_NS) {
        for (int p = 0; p < PROBES; p++)
            renew(m, &c->probe[p]);
        c->checked_ns = now.time_ns;
    }
    if (!is_news(&c->last, &now))
        return;
    m->row[m->nrows++] = now;
    for (int p = CLOCK + 1; p < PROBES; p++) /* what was not read is as it was */
        if (now.value[p] == NOT_READ)
            now.value[p] = c->last.time_ns ? c->last.value[p] : NOT_READ;
    c->last = now;
    if (m->nrows == ROWS_MAX)
        flush(m, now.time_ns);
}

static void take_sample(struct ttp_meter *m, uint64_t now)
{
    const size_t n = m->host.nchips, slow = n < SLOW_CHIPS ? n : SLOW_CHIPS;

    for (size_t i = 0; i < n; i++)
        sample_chip(m, i, (i < m->slow_at ? i + n : i) - m->slow_at < slow);
    m->slow_at += slow;
    if (m->slow_at >= n)
        m->slow_at -= n;
    m->samples++;
    m->last_ns = now;
    if (now - m->flushed_ns >= QUIET_NS)
        flush(m, now);
}

/* --- beginning and end --- */

static bool has_clock(const struct ttp_host_sample *s)
{
    for (size_t i = 0; i < s->nchips; i++)
        if (s->chip[i].attr[TTP_CHIP_AICLK_MHZ].known)
            return true;
    return false;
}

/* Limits do not change during a run. */
static void prepare(struct ttp_meter *m, const struct ttp_host_sample *limits,
                    struct ttp_arena *arena)
{
    m->chip = TTP_NEW(arena, struct meter_chip, m->host.nchips);
    for (size_t i = 0; i < m->host.nchips; i++) {
        struct meter_chip *c = &m->chip[i];
        int64_t current;

        ttp_host_chip_view(&c->view, &m->host, limits, (struct ttp_host_interval){NULL, limits}, i);
        c->current_limit =
            ttp_reading_number(&limits->chip[i].attr[TTP_CHIP_CURRENT_MAX_MA], &current)
                ? (double)current
                : NAN;
        for (int p = 0; p < PROBES; p++) {
            c->probe[p] = (struct probe){
                .path = ttp_host_attr_path(&m->host.chip[i], probe_attr[p], arena), .fd = -1};
            renew(m, &c->probe[p]);
        }
        c->checked_ns = ttp_clock_ns();
    }
}

static void release(struct ttp_meter *m)
{
    struct ttp_arena arena = m->arena;

    for (size_t i = 0; m->chip && i < m->host.nchips; i++)
        for (int p = 0; p < PROBES; p++)
            if (m->chip[i].probe[p].fd >= 0)
                close(m->chip[i].probe[p].fd);
    if (m->fd >= 0)
        close(m->fd);
    ttp_host_close(&m->host);
    ttp_arena_free(&m->scratch);
    ttp_arena_free(&arena);
}

ttp_code ttp_host_meter_open(struct ttp_meter **out, const struct ttp_meter_options *options,
                             struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_meter *m = TTP_NEW(&arena, struct ttp_meter, 1);
    struct ttp_host_sample limits;

    *out = NULL;
    m->fd = -1;
    const ttp_code rc = ttp_host_open(&m->host, options->root, options->boards, &arena, err);
    if (rc != TTP_OK) {
        ttp_arena_free(&arena);
        return rc;
    }
    ttp_host_sample(&limits, &m->host, &(struct ttp_sample_options){0}, &arena);
    m->interval_ns = (uint64_t)(1e9 / options->hz);
    m->credit_ns = CREDIT_NS / COST_FACTOR;
    const bool wanted = has_clock(&limits);
    if (wanted)
        prepare(m, &limits, &arena);
    m->arena = arena;
    if (!wanted) {
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
    m->first_ns = m->last_ns = m->due_ns = m->flushed_ns = ttp_clock_ns();
    *out = m;
    ttp_host_meter_tick(m);
    return TTP_OK;
}

/* What the time since the last sample allows, less what it cost. */
static void settle(struct ttp_meter *m, uint64_t since_ns, uint64_t spent_ns)
{
    m->credit_ns += (int64_t)(since_ns / COST_FACTOR);
    if (m->credit_ns > CREDIT_NS / COST_FACTOR)
        m->credit_ns = CREDIT_NS / COST_FACTOR;
    m->credit_ns -= (int64_t)spent_ns;
    m->cpu_ns += spent_ns;
}

void ttp_host_meter_tick(struct ttp_meter *m)
{
    const uint64_t now = ttp_clock_ns();

    if (!m || m->error || now < m->due_ns)
        return;
    const uint64_t before = cpu_now(), last = m->last_ns;
    take_sample(m, now);
    settle(m, now - last, cpu_now() - before);
    /* on a grid, whoever calls late; if calls come much too late, from now on */
    m->due_ns += m->interval_ns;
    if (m->due_ns <= now)
        m->due_ns = now + m->interval_ns;
    const uint64_t pause = m->credit_ns < 0 ? (uint64_t)-m->credit_ns * COST_FACTOR : 0;
    if (now + pause > m->due_ns)
        m->due_ns = now + pause;
}

ttp_code ttp_host_meter_close(struct ttp_meter *m, struct ttp_meter_cost *cost, struct ttp_err *err)
{
    if (cost)
        *cost = (struct ttp_meter_cost){0};
    if (!m)
        return TTP_OK;
    for (size_t i = 0; i < m->host.nchips; i++) /* every chip has a row at the end */
        m->chip[i].last.time_ns = 0;
    m->due_ns = 0;
    ttp_host_meter_tick(m);
    flush(m, m->last_ns);
    if (cost)
        *cost = (struct ttp_meter_cost){m->samples, (double)(m->last_ns - m->first_ns) / 1e9,
                                        (double)m->cpu_ns / 1e9};
    const int error = m->error;
    release(m);
    errno = error;
    return error ? ttp_fail_errno(err, "cannot write the log of clocks") : TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* machine_log.c - clock, power and temperature of the chips of a recorded run. */
#include <inttypes.h>
#include <math.h>

#include "base/input.h"
#include "base/num.h"
#include "base/outsink.h"
#include "base/vec.h"
#include "logs/logs.h"

/* An hour of 32 chips at 10 Hz, ten times over. */
#define ROWS_MAX  10000000
#define CHIPS_MAX 4096

enum { TIME, CHIP, BUS, CLOCK, CLOCK_MAX, POWER, POWER_LIMIT, HEAT, HEAT_LIMIT, TRIPS, THROTTLE };
enum { COLUMNS = THROTTLE + 1 };
#define TITLES                                                                                     \
    ",chip,bus,clock_mhz,clock_max_mhz,power_w,power_limit_w,temperature_c,temperature_limit_c,"   \
    "trips,throttle"
static const char host_titles[] = "host_ns" TITLES, monotonic_titles[] = "monotonic_ns" TITLES;

static const char *const throttle_words[TTP_THROTTLES] = {
    [TTP_THROTTLE_NONE] = "",
    [TTP_THROTTLE_HEAT] = "heat",
    [TTP_THROTTLE_POWER] = "power",
    [TTP_THROTTLE_CURRENT] = "current",
};

const char *ttp_logs_machine_throttle_name(enum ttp_throttle throttle)
{
    return throttle_words[throttle];
}

struct reading {
    struct ttp_machine_log *out;
    struct ttp_arena *arena;
    size_t rows;
    uint64_t line;
};

static ttp_code reject(const struct reading *r, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "%s", why);
    if (err)
        err->line = r->line;
    return TTP_EPARSE;
}

static double number(ttp_str cell)
{
    double v;

    return cell.len && ttp_str_to_f64(cell, &v) && isfinite(v) ? v : NAN;
}

static struct ttp_machine_chip *find_or_add_chip(struct reading *r, uint32_t number, ttp_str bus)
{
    struct ttp_machine_log *log = r->out;

    for (size_t i = 0; i < log->count; i++)
        if (log->chip[i].number == number)
            return &log->chip[i];
    struct ttp_machine_chip *c = TTP_PUSH(r->arena, log->chip, log->count);
    *c = (struct ttp_machine_chip){.number = number,
                                   .bus = ttp_str_from(ttp_arena_zstr(r->arena, bus))};
    return c;
}

static enum ttp_throttle throttle_of(ttp_str word)
{
    for (int i = 0; i < TTP_THROTTLES; i++)
        if (ttp_str_eq(word, ttp_str_from(throttle_words[i])))
            return (enum ttp_throttle)i;
    return TTP_THROTTLE_NONE;
}

static ttp_code take_row(struct reading *r, ttp_str line, struct ttp_err *err)
{
    struct ttp_machine_sample s = {.trips = -1};
    ttp_str cell[COLUMNS + 1];
    uint64_t chip;

    if (ttp_str_split(line, ',', cell, COLUMNS + 1) != COLUMNS)
        return reject(r, "not a row of a machine log: it must have 11 cells", err);
    if (!ttp_str_to_i64(cell[TIME], &s.time_ns) || !ttp_str_to_u64(cell[CHIP], &chip) ||
        chip >= CHIPS_MAX)
        return reject(r, "time or chip is not a number", err);
    if (++r->rows > ROWS_MAX)
        return ttp_fail(err, TTP_ELIMIT, "a machine log has at most %d rows", ROWS_MAX);
    struct ttp_machine_chip *c = find_or_add_chip(r, (uint32_t)chip, cell[BUS]);
    if (c->count && s.time_ns < c->sample[c->count - 1].time_ns)
        return reject(r, "the time of a chip went backwards", err);
    c->clock_max_mhz = number(cell[CLOCK_MAX]);
    c->power_limit_w = number(cell[POWER_LIMIT]);
    c->heat_limit_c = number(cell[HEAT_LIMIT]);
    s.clock_mhz = number(cell[CLOCK]);
    s.power_w = number(cell[POWER]);
    s.temperature_c = number(cell[HEAT]);
    (void)ttp_str_to_i64(cell[TRIPS], &s.trips);
    s.throttle = throttle_of(cell[THROTTLE]);
    *TTP_PUSH(r->arena, c->sample, c->count) = s;
    return TTP_OK;
}

static ttp_code take_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reading *r = arg;
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line)) {
        if (r->line++ == 0) {
            r->out->aligned = ttp_str_eq(line, ttp_str_from(host_titles));
            if (!r->out->aligned && !ttp_str_eq(line, ttp_str_from(monotonic_titles)))
                return reject(r, "not a machine log of tt-perf", err);
        } else if (line.len) {
            TTP_TRY(take_row(r, line, err));
        }
    }
    return TTP_OK;
}

ttp_code ttp_logs_machine_log_read(struct ttp_machine_log *out, const char *path,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    struct reading r = {.out = out, .arena = arena};

    *out = (struct ttp_machine_log){0};
    return ttp_input_each(path, ttp_input_cut_lines, take_lines, &r, err);
}

static void put_number(struct ttp_sink *out, double value)
{
    if (isfinite(value))
        ttp_sink_printf(out, "%.1f", value);
    ttp_sink_own(out, ",");
}

static void put_chip(struct ttp_sink *out, const struct ttp_machine_chip *c, int64_t offset_ns)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct ttp_machine_sample *s = &c->sample[i];

        ttp_sink_printf(out, "%" PRId64 ",%" PRIu32 ",", s->time_ns - offset_ns, c->number);
        ttp_sink_put(out, c->bus);
        ttp_sink_own(out, ",");
        put_number(out, s->clock_mhz);
        put_number(out, c->clock_max_mhz);
        put_number(out, s->power_w);
        put_number(out, c->power_limit_w);
        put_number(out, s->temperature_c);
        put_number(out, c->heat_limit_c);
        if (s->trips >= 0)
            ttp_sink_printf(out, "%" PRId64, s->trips);
        ttp_sink_printf(out, ",%s\n", throttle_words[s->throttle]);
    }
}

ttp_code ttp_logs_machine_log_write(const struct ttp_machine_log *log, const char *path,
                                    int64_t offset_ns, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    ttp_sink_printf(&out.sink, "%s\n", host_titles);
    for (size_t i = 0; i < log->count; i++)
        put_chip(&out.sink, &log->chip[i], offset_ns);
    return ttp_outsink_close(&out, TTP_OK, err);
}

const char *ttp_logs_machine_log_find(const char *csv_or_folder, struct ttp_arena *arena)
{
    const char *slash = strrchr(csv_or_folder, '/');
    const char *folder =
        ttp_file_is_dir(csv_or_folder) ? csv_or_folder
        : slash ? ttp_arena_zstr(arena, (ttp_str){csv_or_folder, (size_t)(slash - csv_or_folder)})
                : ".";
    const char *const places[] = {".logs/" TTP_MACHINE_LOG, TTP_MACHINE_LOG};

    for (size_t i = 0; i < TTP_COUNT(places); i++) {
        const char *path = ttp_file_join(folder, places[i], arena);

        if (ttp_file_exists(path))
            return path;
    }
    return NULL;
}

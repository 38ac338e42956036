/* SPDX-License-Identifier: Apache-2.0 */
/* sync_file.c - sync_device_info.csv: samples of a root device while clocks were synchronised, and
 * for each other device the line from its cycles to those of the root. */
#include <math.h>

#include "base/vec.h"
#include "run/rank_file.h"

#define COLUMNS 14
enum { DEVICE, CORE_X, CYCLES = 3, RATIO = 12, SHIFT = 13 };
/* Samples are 10 ms apart. Where they are further apart, in cycles of a clock of 1 GHz, another
 * synchronisation begins: at the opening and at the closing of a device. */
#define APART_CYCLES INT64_C(1000000000)
#define MAX_DEVICES  65536
#define MAX_CYCLES   0x1p62

struct line {
    int64_t device;
    double ratio, shift;
};
struct parser {
    int64_t root;
    bool has_root, several_roots;
    int64_t *moment; /* middle of each synchronisation, in cycles of the root */
    size_t moments;
    int64_t first, last; /* samples of the current one */
    struct line *line;
    size_t lines;
    struct ttp_arena *arena;
};

static void end_sync(struct parser *p)
{
    if (p->has_root)
        *TTP_PUSH(p->arena, p->moment, p->moments) = p->first + (p->last - p->first) / 2;
}

static bool take_sample(struct parser *p, int64_t device, ttp_str cycles)
{
    int64_t at;

    if (!ttp_str_to_i64(cycles, &at) || at < 0)
        return false;
    if (p->has_root && device != p->root) { /* whose lines are whose is not known then */
        p->several_roots = true;
        return true;
    }
    if (p->has_root && (at < p->last || at - p->last > APART_CYCLES)) {
        end_sync(p);
        p->first = at;
    }
    p->first = p->has_root ? p->first : at;
    p->last = at;
    p->root = device;
    p->has_root = true;
    return true;
}

static bool take_line(struct parser *p, int64_t device, ttp_str ratio, ttp_str shift)
{
    struct line line = {.device = device};

    if (!ttp_str_to_f64(ratio, &line.ratio) || !ttp_str_to_f64(shift, &line.shift) ||
        !(line.ratio > 0.5 && line.ratio < 2) || !(fabs(line.shift) < MAX_CYCLES))
        return false;
    *TTP_PUSH(p->arena, p->line, p->lines) = line;
    return true;
}

static bool take_row(struct parser *p, ttp_str row)
{
    ttp_str cell[COLUMNS + 1];
    int64_t device;

    if (ttp_str_split(row, ',', cell, COLUMNS + 1) != COLUMNS)
        return false;
    for (size_t i = 0; i < COLUMNS; i++)
        cell[i] = ttp_str_trim(cell[i]);
    if (!ttp_str_to_i64(cell[DEVICE], &device) || device < 0)
        return false;
    return cell[CORE_X].len ? take_sample(p, device, cell[CYCLES])
                            : take_line(p, device, cell[RATIO], cell[SHIFT]);
}

/* At each synchronisation, every device with a line against the root. */
static void put_points(struct ttp_mesh_sync **out, size_t *count, const struct parser *p)
{
    for (size_t i = 0; i < p->lines; i++)
        for (size_t k = 0; k < p->moments; k++) {
            const double cycle = ((double)p->moment[k] - p->line[i].shift) / p->line[i].ratio;
            if (p->line[i].device != p->root && fabs(cycle) < MAX_CYCLES)
                *TTP_PUSH(p->arena, *out, *count) = (struct ttp_mesh_sync){
                    p->root, p->line[i].device, p->moment[k], (int64_t)cycle};
        }
}

ttp_code ttp_sync_parse(struct ttp_mesh_sync **out, size_t *count, ttp_str text,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    struct parser p = {.arena = arena};
    uint64_t at = 0;
    ttp_str line;

    *out = NULL;
    *count = 0;
    while (ttp_str_next_line(&text, &line)) {
        at++;
        line = ttp_str_trim(line);
        if (line.len == 0 || ttp_str_starts(line, TTP_STR("device id"))) /* again for each root */
            continue;
        if (p.lines == MAX_DEVICES)
            return ttp_fail(err, TTP_ELIMIT, "more than %d devices", MAX_DEVICES);
        if (!take_row(&p, line)) {
            (void)ttp_fail(err, TTP_EPARSE, "not a row of a clock synchronisation");
            ttp_err_where(err, "", at);
            return TTP_EPARSE;
        }
    }
    end_sync(&p);
    if (!p.several_roots)
        put_points(out, count, &p);
    return TTP_OK;
}

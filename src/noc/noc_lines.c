/* SPDX-License-Identifier: Apache-2.0 */
#include "noc/noc_lines.h"

/* Inner loops of this length become one instruction (with the options of cmake/library.cmake, which
 * rest on that no rate is infinite or a negative 0). */
#define LANES 4

static const float *make_masks(size_t len, size_t width, struct ttp_arena *arena)
{
    float *mask = TTP_NEW(arena, float, len *(len + 1) * width);

    for (size_t from = 0; from < len; from++)
        for (size_t count = 0; count <= len; count++)
            for (size_t k = 0; k < count; k++)
                mask[(from * (len + 1) + count) * width + (from + k) % len] = 1;
    return mask;
}

void ttp_noc_lines_init(struct ttp_noc_lines *out, const struct ttp_noc_grid *g,
                        struct ttp_arena *arena)
{
    const size_t longest = g->cols > g->rows ? g->cols : g->rows;

    out->grid = g;
    out->width = (longest + LANES - 1) / LANES * LANES;
    out->chip = 2U * g->cols + 2U * g->rows;
    out->row = make_masks(g->cols, out->width, arena);
    out->column = make_masks(g->rows, out->width, arena);
}

void ttp_noc_rates_init(struct ttp_noc_rates *out, const struct ttp_noc_lines *lines,
                        unsigned chips, struct ttp_arena *arena)
{
    out->at = TTP_NEW(arena, float, lines->chip *chips * lines->width);
    out->used = TTP_NEW(arena, bool, lines->chip *chips);
}

static uint32_t line_number(const struct ttp_noc_lines *lines, uint32_t chip, unsigned link,
                            unsigned line)
{
    const unsigned cols = lines->grid->cols, rows = lines->grid->rows;
    const unsigned first[] = {0, rows, rows + cols, rows + 2 * cols};

    return (uint32_t)(chip * lines->chip + first[link] + line);
}

size_t ttp_noc_rate_at(const struct ttp_noc_lines *lines, uint32_t chip, int x, int y,
                       enum ttp_noc_link k)
{
    const bool row = ttp_noc_along_rows(k);

    return line_number(lines, chip, k, (unsigned)(row ? y : x)) * lines->width +
           (size_t)(row ? x : y);
}

size_t ttp_noc_spans(struct ttp_noc_span *out, const struct ttp_noc_lines *lines,
                     const struct ttp_noc_transfer *t)
{
    struct ttp_noc_leg leg[TTP_NOC_MAX_LEGS];
    const size_t n = ttp_noc_legs(leg, lines->grid, t);

    for (size_t i = 0; i < n; i++) {
        const bool row = ttp_noc_along_rows(leg[i].link);
        const size_t len = row ? lines->grid->cols : lines->grid->rows;
        out[i].line = line_number(lines, t->device, leg[i].link, leg[i].line);
        out[i].mask = (row ? lines->row : lines->column) +
                      (leg[i].from * (len + 1) + leg[i].count) * lines->width;
    }
    return n;
}

static void add_masked(float *restrict at, const float *restrict mask, float rate, size_t width)
{
    for (size_t i = 0; i < width; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            at[i + k] += rate * mask[i + k];
}

void ttp_noc_rates_add(struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                       const struct ttp_noc_span *span, size_t n, float rate)
{
    for (size_t i = 0; i < n; i++) {
        float *at = rates->at + span[i].line * lines->width;
        rates->used[span[i].line] = true;
        add_masked(at, span[i].mask, rate, lines->width);
    }
}

static void raise_masked(float *restrict max, const float *restrict at, const float *restrict mask,
                         size_t width)
{
    for (size_t i = 0; i < width; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float v = at[i + k] * mask[i + k];
            max[k] = v > max[k] ? v : max[k];
        }
}

static float greatest_lane(const float *v)
{
    const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];

    return a > b ? a : b;
}

float ttp_noc_rates_greatest(const struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                             const struct ttp_noc_span *span, size_t n)
{
    float max[LANES] = {0};

    for (size_t i = 0; i < n; i++) {
        const float *at = rates->at + span[i].line * lines->width;
        raise_masked(max, at, span[i].mask, lines->width);
    }
    return greatest_lane(max);
}

void ttp_noc_rates_clear(struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                         unsigned chip)
{
    for (size_t i = chip * lines->chip; i < (chip + 1) * lines->chip; i++) {
        if (!rates->used[i])
            continue;
        memset(rates->at + i * lines->width, 0, lines->width * sizeof(float));
        rates->used[i] = false;
    }
}

struct lanes {
    double all[LANES], low[LANES];
    float max[LANES];
};

static void sum_line(struct lanes *sum, const float *at, float cap, size_t width)
{
    for (size_t i = 0; i < width; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float v = at[i + k];
            const float low = v < cap ? v : cap;
            sum->all[k] += (double)v;
            sum->low[k] += (double)low;
            sum->max[k] = v > sum->max[k] ? v : sum->max[k];
        }
}

struct ttp_noc_line_sums ttp_noc_rates_sum(const struct ttp_noc_rates *rates,
                                           const struct ttp_noc_lines *lines, unsigned chip,
                                           unsigned noc, float cap)
{
    const size_t half = lines->chip / 2, first = chip * lines->chip + noc * half;
    struct lanes sum = {0};

    for (size_t i = first; i < first + half; i++) {
        const float *at = rates->at + i * lines->width;
        if (rates->used[i])
            sum_line(&sum, at, cap, lines->width);
    }
    return (struct ttp_noc_line_sums){.all = sum.all[0] + sum.all[1] + sum.all[2] + sum.all[3],
                                      .low = sum.low[0] + sum.low[1] + sum.low[2] + sum.low[3],
                                      .max = greatest_lane(sum.max)};
}

double ttp_noc_sum(const float *v, size_t n)
{
    double sum[LANES] = {0};

    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += (double)v[i + k];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

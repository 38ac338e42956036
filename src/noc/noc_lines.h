/* SPDX-License-Identifier: Apache-2.0 */
/* noc_lines.h - private to noc: demand on links, line by line.
 *
 * Links of one direction lie along the lines of the torus, a row of memory for each line, all
 * equally wide. A leg of a route is a line and a mask of ones and zeros over it, so that adding to
 * its links and finding the greatest of them are loops of fixed length, around the end of the line
 * or not. Adding zero times a rate changes nothing, so no sum depends on it. */
#ifndef TTP_NOC_NOC_LINES_H
#define TTP_NOC_NOC_LINES_H

#include "noc/noc_route.h"

struct ttp_noc_lines {
    const struct ttp_noc_grid *grid;
    size_t width;     /* of a line in memory, a multiple of 4 */
    size_t chip;      /* lines of a chip: east, south, north, west */
    const float *row; /* masks of legs in rows: [from][count] */
    const float *column;
};

/* A leg of a route on a chip. */
struct ttp_noc_span {
    uint32_t line; /* among those of all chips */
    const float *mask;
};

/* Rates on all links of all chips. */
struct ttp_noc_rates {
    float *at;  /* by line and place */
    bool *used; /* lines that are not all 0 */
};

void ttp_noc_lines_init(struct ttp_noc_lines *out, const struct ttp_noc_grid *g,
                        struct ttp_arena *arena);
void ttp_noc_rates_init(struct ttp_noc_rates *out, const struct ttp_noc_lines *lines,
                        unsigned chips, struct ttp_arena *arena);

/* Spans of a transfer's route, at most TTP_NOC_MAX_LEGS. */
size_t ttp_noc_spans(struct ttp_noc_span *out, const struct ttp_noc_lines *lines,
                     const struct ttp_noc_transfer *t);

/* Position in ttp_noc_rates.at of link k at (x, y) of a chip. */
size_t ttp_noc_rate_at(const struct ttp_noc_lines *lines, uint32_t chip, int x, int y,
                       enum ttp_noc_link k);

void ttp_noc_rates_add(struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                       const struct ttp_noc_span *span, size_t n, float rate);
/* 0 when there are no spans. */
float ttp_noc_rates_greatest(const struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                             const struct ttp_noc_span *span, size_t n);
void ttp_noc_rates_clear(struct ttp_noc_rates *rates, const struct ttp_noc_lines *lines,
                         unsigned chip);

/* Of the links of one NoC. */
struct ttp_noc_line_sums {
    double all, low; /* low: each at most `cap` */
    float max;
};
/* In no particular order. */
struct ttp_noc_line_sums ttp_noc_rates_sum(const struct ttp_noc_rates *rates,
                                           const struct ttp_noc_lines *lines, unsigned chip,
                                           unsigned noc, float cap);
/* Of a multiple of 4 rates, such as those of ports. */
double ttp_noc_sum(const float *v, size_t n);

#endif

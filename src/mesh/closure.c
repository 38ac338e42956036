/* SPDX-License-Identifier: Apache-2.0 */
/* closure.c - shortest paths over difference constraints. A cycle of negative length means that the
 * constraints cannot all hold: its size is kept, and all are eased by it. */
#include "mesh/closure.h"

/* Above it, paths are searched from one device at a time. */
#define MAX_ALL  64
#define MAX_EASE 8

void ttp_mesh_closure_open(struct ttp_closure *c, const struct ttp_mesh_pairs *pairs,
                           size_t devices, struct ttp_arena *arena)
{
    *c = (struct ttp_closure){.pairs = pairs, .devices = devices};
    c->edge = TTP_NEW(arena, double, pairs->count * 2 + 1);
    if (devices <= MAX_ALL)
        c->all = TTP_NEW(arena, double, devices *devices);
}

static void ease(struct ttp_closure *c, double by)
{
    if (by > c->worst_ns)
        c->worst_ns = by;
    for (size_t k = 0; k < c->pairs->count * 2; k++)
        c->edge[k] += by;
}

/* Floyd-Warshall; returns the size of the worst negative cycle, 0 if there is none. */
static double all_paths(struct ttp_closure *c)
{
    const size_t n = c->devices;
    double worst = 0;

    for (size_t k = 0; k < n * n; k++)
        c->all[k] = INFINITY;
    for (size_t d = 0; d < n; d++)
        c->all[d * n + d] = 0;
    for (size_t p = 0; p < c->pairs->count; p++) {
        const struct ttp_mesh_pair *pair = &c->pairs->pair[p];
        c->all[pair->i * n + pair->j] = c->edge[2 * p];
        c->all[pair->j * n + pair->i] = c->edge[2 * p + 1];
    }
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < n; a++) {
            const double first = c->all[a * n + k];
            if (!(first < INFINITY))
                continue;
            double *row = &c->all[a * n];
            const double *via = &c->all[k * n];
            for (size_t b = 0; b < n; b++)
                row[b] = first + via[b] < row[b] ? first + via[b] : row[b];
            if (-row[a] > worst)
                worst = -row[a];
        }
    return worst;
}

void ttp_mesh_closure_set(struct ttp_closure *c, const double *x)
{
    double worst;

    for (size_t p = 0; p < c->pairs->count; p++) {
        double low, high;
        ttp_mesh_pair_bounds(&c->pairs->pair[p], x[c->pairs->pair[p].j], &low, &high);
        c->edge[2 * p] = high;
        c->edge[2 * p + 1] = -low;
    }
    for (int k = 0; c->all && k < MAX_EASE && (worst = all_paths(c)) > 0; k++)
        ease(c, worst);
}

/* Bellman-Ford; false: it does not come to rest, so there is a negative cycle. */
static bool paths_of(const struct ttp_closure *c, uint32_t from, bool to, double *out)
{
    for (size_t d = 0; d < c->devices; d++)
        out[d] = INFINITY;
    out[from] = 0;
    for (size_t round = 0; round <= c->devices; round++) {
        bool changed = false;
        for (size_t p = 0; p < c->pairs->count; p++) {
            const struct ttp_mesh_pair *pair = &c->pairs->pair[p];
            const double ij = c->edge[2 * p + (to ? 1 : 0)], ji = c->edge[2 * p + (to ? 0 : 1)];
            if (out[pair->i] + ij < out[pair->j]) {
                out[pair->j] = out[pair->i] + ij;
                changed = true;
            }
            if (out[pair->j] + ji < out[pair->i]) {
                out[pair->i] = out[pair->j] + ji;
                changed = true;
            }
        }
        if (!changed)
            return true;
    }
    return false;
}

void ttp_mesh_closure_row(struct ttp_closure *c, uint32_t from, bool to, double *out)
{
    if (c->all) {
        for (size_t d = 0; d < c->devices; d++)
            out[d] = to ? c->all[d * c->devices + from] : c->all[from * c->devices + d];
        return;
    }
    double by = 1;
    for (int k = 0; k < 40 && !paths_of(c, from, to, out); k++) {
        ease(c, by);
        by *= 2;
    }
}

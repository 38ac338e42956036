/* SPDX-License-Identifier: Apache-2.0 */
/* diff_mesh.c - changes between the devices of two meshes: which computes longest, which waits for
 * which, and the cost. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/sink.h"
#include "diff/diff.h"

const char *ttp_diff_straggler_name(enum ttp_diff_straggler straggler)
{
    static const char *const names[] = {[TTP_STRAGGLER_NONE] = "none",
                                        [TTP_STRAGGLER_SAME] = "same",
                                        [TTP_STRAGGLER_MOVED] = "moved",
                                        [TTP_STRAGGLER_NEW] = "new",
                                        [TTP_STRAGGLER_GONE] = "gone"};
    return names[straggler];
}

/* ---- the run as a whole ---- */

#define SUMMARY(member) offsetof(struct ttp_mesh_summary, member)
static const struct {
    const char *name, *help;
    size_t at;
} figures[] = {
    {"compute", "of the device that computes longest", SUMMARY(compute_us)},
    {"wait", "in collectives for other devices, mean of the devices", SUMMARY(wait_us)},
    {"transfer", "in collectives after all arrived, mean of the devices", SUMMARY(transfer_us)},
    {"exposed", "communication that no compute hides", SUMMARY(exposed_us)},
    {"hidden", "communication that compute hides", SUMMARY(hidden_us)},
    {"skew median", "of a collective: last arrival minus first", SUMMARY(skew_median_us)},
    {"skew p95", "95 % of the collectives have less", SUMMARY(skew_p95_us)},
    {"imbalance", "sum over the collectives of the mean wait", SUMMARY(imbalance_us)},
    {"due to the last", "saved if the last device arrived with the one before",
     SUMMARY(ideal_gain_us)},
    {"critical path", "compute, idle time and transfers on it", SUMMARY(path_us)},
};
_Static_assert(TTP_COUNT(figures) == TTP_DIFF_MESH_FIGURES, "one for each");

/* Mean over the runs of a side that know it. */
static double mean_figure(const struct ttp_mesh_summary *of, size_t runs, size_t at)
{
    double sum = 0;
    size_t n = 0;

    for (size_t r = 0; r < runs; r++) {
        const double v = *(const double *)((const char *)&of[r] + at);
        if (isnan(v))
            continue;
        sum += v;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

static struct ttp_mesh_summary *summarise(const struct ttp_diff_side *side, struct ttp_arena *arena)
{
    struct ttp_mesh_summary *out = TTP_NEW(arena, struct ttp_mesh_summary, side->runs);

    for (size_t r = 0; r < side->runs; r++)
        ttp_mesh_summarise(&out[r], side->run[r].mesh);
    return out;
}

static double per_iteration(const struct ttp_mesh *m, double us)
{
    return us / (double)m->window.iterations;
}

static struct ttp_diff_mesh_side describe(const struct ttp_mesh *m,
                                          const struct ttp_mesh_summary *summary)
{
    struct ttp_diff_mesh_side out = {.ranks = m->parts + m->missing_ranks,
                                     .missing = m->missing_ranks,
                                     .devices = m->devices,
                                     .iterations = m->window.iterations,
                                     .straggler_us = NAN,
                                     .op_us = NAN};

    if (summary->critical != TTP_MESH_NONE)
        out.critical = m->device[summary->critical].name;
    if (summary->straggler != TTP_MESH_NONE) {
        const struct ttp_mesh_device *d = &m->window.device[summary->straggler];
        out.straggler = d->name;
        out.op = d->op;
        out.straggler_us = summary->straggler_us;
        out.op_us = per_iteration(m, d->op_us);
    }
    return out;
}

static enum ttp_diff_straggler compare_stragglers(const struct ttp_diff_mesh *d)
{
    if (d->base.straggler.len == 0)
        return d->other.straggler.len ? TTP_STRAGGLER_NEW : TTP_STRAGGLER_NONE;
    if (d->other.straggler.len == 0)
        return TTP_STRAGGLER_GONE;
    return ttp_str_eq(d->base.straggler, d->other.straggler) ? TTP_STRAGGLER_SAME
                                                             : TTP_STRAGGLER_MOVED;
}

/* ---- device by device ---- */

TTP_ORDER(by_place, struct ttp_diff_mesh_device, TTP_UP(rank), TTP_UP(id))

static const struct ttp_diff_mesh_times unknown = {NAN, NAN, NAN, NAN, NAN, NAN, 0};

static void list_devices(struct ttp_diff_mesh *out, const struct ttp_diff_side *const side[2],
                         struct ttp_arena *arena)
{
    size_t most = 0, n = 0;

    for (size_t s = 0; s < 2; s++)
        for (size_t r = 0; r < side[s]->runs; r++)
            most += side[s]->run[r].mesh->devices;
    out->device = TTP_NEW(arena, struct ttp_diff_mesh_device, most + 1);
    for (size_t s = 2; s-- > 0;) /* the later side names them */
        for (size_t r = 0; r < side[s]->runs; r++)
            for (size_t d = 0; d < side[s]->run[r].mesh->devices; d++) {
                const struct ttp_mesh_device *from = &side[s]->run[r].mesh->device[d];
                out->device[n++] = (struct ttp_diff_mesh_device){
                    from->rank, from->id, from->name, from->place, from->host, unknown, unknown};
            }
    TTP_SORT(out->device, n, by_place);
    for (size_t i = 0; i < n; i++)
        if (out->devices == 0 || by_place(&out->device[out->devices - 1], &out->device[i]) != 0)
            out->device[out->devices++] = out->device[i];
}

/* The mean of n values, of which *mean has the first n - 1. */
static void take(double *mean, double v, size_t n)
{
    *mean = n > 1 ? *mean + (v - *mean) / (double)n : v;
}

static void measure_devices(struct ttp_diff_mesh *out, const struct ttp_diff_side *side, bool other)
{
    for (size_t r = 0; r < side->runs; r++) {
        const struct ttp_mesh *m = side->run[r].mesh;
        for (size_t d = 0; d < m->devices; d++) {
            const struct ttp_mesh_device *from = &m->window.device[d];
            const struct ttp_diff_mesh_device key = {.rank = from->rank, .id = from->id};
            struct ttp_diff_mesh_device *to =
                bsearch(&key, out->device, out->devices, sizeof(key), by_place);
            struct ttp_diff_mesh_times *t = other ? &to->other : &to->base;
            const size_t n = ++t->count;
            take(&t->compute_us, per_iteration(m, from->busy_us), n);
            take(&t->excess_us, per_iteration(m, from->excess_us), n);
            take(&t->idle_us, per_iteration(m, from->gap_us), n);
            take(&t->wait_us, per_iteration(m, from->wait_us), n);
            take(&t->transfer_us, per_iteration(m, from->transfer_us), n);
            take(&t->last, per_iteration(m, (double)from->last), n);
        }
    }
}

static void add_to_rank(struct ttp_diff_mesh_times *of, const struct ttp_diff_mesh_times *t)
{
    if (t->count == 0)
        return;
    const size_t n = ++of->count;
    of->compute_us = n > 1 ? fmax(of->compute_us, t->compute_us) : t->compute_us;
    of->excess_us = n > 1 ? fmax(of->excess_us, t->excess_us) : t->excess_us;
    take(&of->idle_us, t->idle_us, n);
    take(&of->wait_us, t->wait_us, n);
    take(&of->transfer_us, t->transfer_us, n);
    of->last = n > 1 ? of->last + t->last : t->last;
}

static void list_ranks(struct ttp_diff_mesh *out, struct ttp_arena *arena)
{
    out->rank = TTP_NEW(arena, struct ttp_diff_mesh_device, out->devices + 1);
    for (size_t d = 0; d < out->devices; d++) {
        const struct ttp_diff_mesh_device *from = &out->device[d];
        if (d == 0 || from->rank != from[-1].rank)
            out->rank[out->ranks++] = (struct ttp_diff_mesh_device){
                .rank = from->rank,
                .id = -1,
                .name = ttp_sink_format(arena, "%lld", (long long)from->rank),
                .host = from->host,
                .base = unknown,
                .other = unknown};
        add_to_rank(&out->rank[out->ranks - 1].base, &from->base);
        add_to_rank(&out->rank[out->ranks - 1].other, &from->other);
    }
}

static bool all_have_one(const struct ttp_diff_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (!side->run[r].mesh)
            return false;
    return true;
}

void ttp_diff_compare_meshes(struct ttp_diff_mesh *out, const struct ttp_diff_side *base,
                             const struct ttp_diff_side *other, struct ttp_arena *arena)
{
    *out = (struct ttp_diff_mesh){.known = all_have_one(base) && all_have_one(other)};
    if (!out->known)
        return;
    const struct ttp_mesh_summary *of_base = summarise(base, arena),
                                  *of_other = summarise(other, arena);
    out->figures = TTP_COUNT(figures);
    for (size_t i = 0; i < TTP_COUNT(figures); i++)
        out->figure[i] = (struct ttp_diff_mesh_figure){
            figures[i].name, figures[i].help, mean_figure(of_base, base->runs, figures[i].at),
            mean_figure(of_other, other->runs, figures[i].at)};
    out->base = describe(base->run[0].mesh, &of_base[0]);
    out->other = describe(other->run[0].mesh, &of_other[0]);
    out->straggler = compare_stragglers(out);
    list_devices(out, (const struct ttp_diff_side *const[]){base, other}, arena);
    measure_devices(out, base, false);
    measure_devices(out, other, true);
    list_ranks(out, arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_text.c - a run of many devices, for people. */
#include <math.h>
#include <stdlib.h>

#include "outputs/cells.h"
#include "outputs/mesh_table.h"
#include "outputs/paint.h"

struct printing {
    struct ttp_sink *out;
    const struct ttp_mesh_view *view;
    const struct ttp_mesh *m;
    struct ttp_arena *arena;
};

static size_t count_hosts(const struct ttp_mesh *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->parts; i++) {
        bool seen = !m->rank[i].host;
        for (size_t k = 0; k < i && !seen; k++)
            seen = m->rank[k].host && strcmp(m->rank[k].host, m->rank[i].host) == 0;
        n += !seen;
    }
    return n;
}

static void put_missing(const struct printing *p)
{
    if (p->m->missing_ranks == 0)
        return;
    ttp_sink_printf(p->out, " (%zu missing:", p->m->missing_ranks);
    for (size_t i = 0; i < p->m->missing_ranks && i < 16; i++)
        ttp_sink_printf(p->out, " %lld", (long long)p->m->missing_rank[i]);
    ttp_sink_printf(p->out, "%s)", p->m->missing_ranks > 16 ? " ..." : "");
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* "4 ranks (1 missing: 2), 3 hosts, 96 devices, aligned: ..." */
static void put_head(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    const size_t ranks = m->parts + m->missing_ranks, hosts = count_hosts(m);

    ttp_sink_printf(p->out, "%zu rank%s", ranks, plural(ranks));
    put_missing(p);
    if (hosts)
        ttp_sink_printf(p->out, ", %zu host%s", hosts, plural(hosts));
    ttp_sink_printf(p->out, ", %zu device%s", m->devices, plural(m->devices));
    if (m->mesh_rows && m->mesh_columns)
        ttp_sink_printf(p->out, " (%lld x %lld)", (long long)m->mesh_rows,
                        (long long)m->mesh_columns);
    if (isfinite(m->bound_us))
        ttp_sink_printf(p->out,
                        ", aligned: bounds ±%.1f μs, estimate ±%.1f μs, %zu of %zu rows set "
                        "aside\n",
                        m->bound_us, m->estimate_us, m->rows_aside, m->collective_rows);
    else
        ttp_sink_printf(p->out, ", clocks not aligned: %s\n",
                        m->collectives ? "see the notes below" : "no collective to go by");
    ttp_sink_printf(p->out,
                    "%zu ops in %zu iteration%s, %.1f μs from the first start to the last "
                    "end\n",
                    m->ops, m->iterations, plural(m->iterations), m->span_us);
    if (m->components > 1)
        ttp_sink_printf(p->out, "%zu time lines: clocks of different ones do not relate\n",
                        m->components);
    if (m->inconsistency_ns > 0)
        ttp_sink_printf(p->out, "inconsistent by %.3f μs%s\n", m->inconsistency_ns / 1000,
                        m->inconsistency_ns > 1000 ? ": do not trust the bounds" : "");
    for (size_t i = 0; i < m->notes.count; i++)
        ttp_sink_printf(p->out, "note: %s\n", m->notes.word[i]);
    if (m->waits && m->waits_differ * 20 > m->waits)
        ttp_sink_printf(p->out,
                        "note: waits by clocks and by duration differ by more than the bound "
                        "in %zu of %zu rows\n",
                        m->waits_differ, m->waits);
}

static void put_title(const struct printing *p, const char *title)
{
    ttp_sink_printf(p->out, p->view->markdown ? "\n## %s\n\n" : "\n%s\n", title);
}

static double each(const struct ttp_mesh *m, double us)
{
    return m->iterations ? us / (double)m->iterations : us;
}

static void put_figure(const struct printing *p, const char *name, double us, const char *more)
{
    if (p->view->markdown)
        ttp_sink_printf(p->out, "- %s: %.1f μs%s\n", name, us, more);
    else
        ttp_sink_printf(p->out, "  %-28s %10.1f μs%s\n", name, us, more);
}

static void put_cost(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    double hidden = 0, exposed = 0, wait = 0, transfer = 0;

    for (size_t d = 0; d < m->devices; d++) {
        hidden += m->device[d].hidden_us / (double)m->devices;
        exposed += m->device[d].exposed_us / (double)m->devices;
        wait += m->device[d].wait_us / (double)m->devices;
        transfer += m->device[d].transfer_us / (double)m->devices;
    }
    put_title(p, "What communication costs, for each iteration and device");
    put_figure(p, "waiting for others", each(m, wait), "");
    put_figure(p, "transfers", each(m, transfer), "");
    put_figure(p, "exposed", each(m, exposed), "");
    put_figure(p, "hidden behind compute", each(m, hidden), "");
    put_figure(p, "imbalance", each(m, m->imbalance_us), " (mean wait at the collectives)");
    put_figure(p, "of it by the last alone", each(m, m->ideal_gain_us),
               " (had it come with the one before)");
}

static void put_path(const struct printing *p)
{
    const struct ttp_mesh_path *path = &p->m->path;
    const struct ttp_records rows = ttp_mesh_records(p->m, TTP_MESH_TABLE_PATH);

    put_title(p, "Critical path");
    ttp_sink_printf(p->out,
                    "%s%.1f μs: compute %.1f, idle %.1f, transfers %.1f; it changes the device %zu "
                    "times\n%s",
                    p->view->markdown ? "" : "  ", path->length_us, path->compute_us, path->idle_us,
                    path->transfer_us, path->turns, p->view->markdown ? "\n" : "");
    ttp_mesh_put_table(p->out, p->view, &rows, NULL, rows.count, p->arena);
}

/* ---- the map ---- */

static void put_map(const struct printing *p)
{
    static const char shade[] = " .:-=+*#%@";
    size_t rows, columns;
    const uint32_t *grid = ttp_mesh_grid(p->m, &rows, &columns, p->arena);
    double low = INFINITY, high = -INFINITY;

    if (!grid || columns > 64)
        return;
    for (size_t d = 0; d < p->m->devices; d++) {
        const double v = ttp_mesh_map_value(p->view, &p->m->device[d]);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    put_title(p, "Map");
    ttp_sink_printf(p->out, "%s%s, μs\n", p->view->markdown ? "" : "  ",
                    ttp_mesh_map_name(p->view->map));
    if (p->view->markdown)
        ttp_sink_own(p->out, "\n```\n");
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            const uint32_t d = grid[r * columns + c];
            if (d == 0) {
                ttp_sink_printf(p->out, "  %9s", "-");
                continue;
            }
            const double v = ttp_mesh_map_value(p->view, &p->m->device[d - 1]);
            const double part = high > low ? (v - low) / (high - low) : 0;
            ttp_sink_printf(p->out, "  %8.1f%c", v, shade[(size_t)(part * 9)]);
        }
        ttp_sink_own(p->out, "\n");
    }
    if (p->view->markdown)
        ttp_sink_own(p->out, "```\n");
}

/* ---- stragglers ---- */

struct scored {
    double excess;
    size_t device;
};

static int by_excess(const void *pa, const void *pb)
{
    const struct scored *a = pa, *b = pb;
    if (a->excess != b->excess)
        return a->excess > b->excess ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static void put_stragglers(const struct printing *p)
{
    const struct ttp_mesh *m = p->m;
    const struct ttp_records rows = ttp_mesh_records(m, TTP_MESH_TABLE_DEVICES);
    struct scored *s = TTP_NEW(p->arena, struct scored, m->devices);
    size_t *index = TTP_NEW(p->arena, size_t, m->devices);

    for (size_t d = 0; d < m->devices; d++)
        s[d] = (struct scored){m->device[d].excess_us, d};
    qsort(s, m->devices, sizeof(*s), by_excess);
    for (size_t d = 0; d < m->devices; d++)
        index[d] = s[d].device;
    put_title(p, "Devices, those that hold up the others first");
    ttp_mesh_put_table(p->out, p->view, &rows, index, m->devices, p->arena);
}

static void put_rows(const struct printing *p, enum ttp_mesh_table table, const char *title)
{
    const struct ttp_records rows = ttp_mesh_records(p->m, table);

    if (rows.count == 0)
        return;
    put_title(p, title);
    ttp_mesh_put_table(p->out, p->view, &rows, NULL, rows.count, p->arena);
}

static bool wanted(const struct printing *p, enum ttp_mesh_table table)
{
    return p->view->table == table ||
           (p->view->table == TTP_MESH_TABLE_USUAL && table != TTP_MESH_TABLE_COLLECTIVES);
}

void ttp_out_mesh_text(struct ttp_sink *out, const struct ttp_mesh_view *view,
                       struct ttp_arena *scratch)
{
    const struct printing p = {out, view, view->mesh, scratch};

    put_head(&p);
    if (wanted(&p, TTP_MESH_TABLE_RANKS) &&
        (view->table == TTP_MESH_TABLE_RANKS || view->mesh->parts > 1))
        put_rows(&p, TTP_MESH_TABLE_RANKS, "Ranks");
    if (wanted(&p, TTP_MESH_TABLE_GROUPS))
        put_rows(&p, TTP_MESH_TABLE_GROUPS, "Groups");
    if (wanted(&p, TTP_MESH_TABLE_CLASSES))
        put_rows(&p, TTP_MESH_TABLE_CLASSES, "Collectives");
    if (wanted(&p, TTP_MESH_TABLE_COLLECTIVES))
        put_rows(&p, TTP_MESH_TABLE_COLLECTIVES, "Every collective");
    if (wanted(&p, TTP_MESH_TABLE_DEVICES))
        put_stragglers(&p);
    if (view->table == TTP_MESH_TABLE_USUAL || view->table == TTP_MESH_TABLE_DEVICES)
        put_map(&p);
    if (view->table == TTP_MESH_TABLE_USUAL && view->mesh->collectives)
        put_cost(&p);
    if (wanted(&p, TTP_MESH_TABLE_PATH))
        put_path(&p);
}

void ttp_out_mesh_csv(struct ttp_sink *out, const struct ttp_mesh_view *view)
{
    const struct ttp_records rows = ttp_mesh_records(view->mesh, view->table);

    ttp_mesh_put_csv(out, &rows);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* merged.c - the rows of all ranks as one CSV, op by op. */
#include "base/csv.h"
#include "base/gate.h"
#include "base/sink.h"
#include "base/vec.h"
#include "mesh/build.h"

#define MAX_COLUMNS 4096

/* A rank's own CSV. */
struct source {
    ttp_str text;
    ttp_str *name; /* of its columns */
    size_t columns;
    struct ttp_csv_row *row;
    size_t rows;
    uint32_t *op_of; /* by row: the op it belongs to, or that it comes before */
    size_t *column;  /* by column of the result: its own, TTP_NPOS: it has none */
};

struct merger {
    const struct ttp_mesh *m;
    struct ttp_sink *out;
    struct source *source;
    ttp_str *name; /* of the result's columns */
    size_t names;
    const double *wait_us; /* by cell; NAN: none */
    struct ttp_arena *arena;
};

static ttp_code index_rows(struct source *s, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_csv csv = {.text = s->text, .sep = ','};
    uint32_t *end = TTP_NEW(arena, uint32_t, MAX_COLUMNS + TTP_CSV_AHEAD);
    struct ttp_csv_row row = {.end = end, .max = MAX_COLUMNS};

    if (!ttp_csv_next(&csv, &row) || row.nfields > MAX_COLUMNS)
        return ttp_fail(err, TTP_EPARSE, "no header, or more than %d columns", MAX_COLUMNS);
    s->columns = row.nfields;
    s->name = TTP_NEW(arena, ttp_str, s->columns);
    for (size_t i = 0; i < s->columns; i++)
        s->name[i] = ttp_arena_copy(arena, ttp_csv_field(&csv, &row, i, arena));
    while (ttp_csv_next(&csv, &row)) {
        TTP_ROOM(arena, s->row, s->rows);
        const size_t fields = row.nfields < s->columns ? row.nfields : s->columns;
        s->row[s->rows] = row;
        s->row[s->rows].nfields = fields;
        s->row[s->rows].end = TTP_NEW(arena, uint32_t, fields + 1);
        memcpy(s->row[s->rows++].end, end, fields * sizeof(*end));
    }
    return TTP_OK;
}

/* Columns that the new ones would repeat: of a CSV that was merged before. */
static bool is_ours(ttp_str name)
{
    static const char *const ours[] = {"RANK",
                                       "HOST",
                                       "MESH ID",
                                       "MESH COORD",
                                       "OP ORDINAL",
                                       "ALIGNED START [ns]",
                                       "ALIGNED END [ns]",
                                       "ALIGNMENT ERROR [ns]",
                                       "COLLECTIVE WAIT [ns]"};

    for (size_t i = 0; i < TTP_COUNT(ours); i++)
        if (ttp_str_eq(name, ttp_str_from(ours[i])))
            return true;
    return false;
}

static size_t find_name(const ttp_str *name, size_t n, ttp_str wanted)
{
    for (size_t i = 0; i < n; i++)
        if (ttp_str_eq(name[i], wanted))
            return i;
    return TTP_NPOS;
}

/* Columns of the first rank, then what others have besides. */
static void join_columns(struct merger *g)
{
    size_t most = 0;

    for (size_t p = 0; p < g->m->parts; p++)
        most += g->source[p].columns;
    g->name = TTP_NEW(g->arena, ttp_str, most);
    for (size_t p = 0; p < g->m->parts; p++)
        for (size_t c = 0; c < g->source[p].columns; c++) {
            const ttp_str name = g->source[p].name[c];
            if (!is_ours(name) && find_name(g->name, g->names, name) == TTP_NPOS)
                g->name[g->names++] = name;
        }
    for (size_t p = 0; p < g->m->parts; p++) {
        struct source *s = &g->source[p];
        s->column = TTP_NEW(g->arena, size_t, g->names);
        for (size_t c = 0; c < g->names; c++)
            s->column[c] = find_name(s->name, s->columns, g->name[c]);
    }
}

/* Which op each row belongs to; what is not a row of a device comes before the next that is. */
static ttp_code place_rows(struct merger *g, struct ttp_err *err)
{
    const struct ttp_mesh *m = g->m;

    for (size_t p = 0; p < m->parts; p++) {
        g->source[p].op_of = TTP_NEW(g->arena, uint32_t, g->source[p].rows + 1);
        for (size_t r = 0; r < g->source[p].rows; r++)
            g->source[p].op_of[r] = TTP_MESH_NONE;
    }
    for (uint32_t o = 0; o < m->ops; o++)
        for (uint32_t k = 0; k < m->op[o].cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[m->op[o].cells_at + k];
            struct source *s = &g->source[m->device[c->device].part];
            if (c->row >= s->rows)
                return ttp_fail(err, TTP_EPARSE, "the file changed while it was read");
            s->op_of[c->row] = o;
        }
    return TTP_OK;
}

static void put_raw(struct merger *g, const struct source *s, size_t row)
{
    const struct ttp_csv_row *r = &s->row[row];

    for (size_t c = 0; c < g->names; c++) {
        const size_t f = s->column[c];
        ttp_sink_own(g->out, ",");
        if (f == TTP_NPOS || f >= r->nfields)
            continue;
        const size_t from = f ? r->end[f - 1] + 1 : r->start;
        ttp_sink_put(g->out, ttp_str_slice(s->text, from, r->end[f]));
    }
}

static void put_front(struct merger *g, uint32_t part, const struct ttp_mesh_device *d)
{
    const struct ttp_mesh_rank *rank = &g->m->rank[part];

    ttp_sink_i64(g->out, rank->rank);
    ttp_sink_own(g->out, ",");
    if (rank->host)
        ttp_gate_put_csv(g->out, ttp_str_from(rank->host));
    ttp_sink_own(g->out, ",");
    if (rank->mesh_id >= 0)
        ttp_sink_i64(g->out, rank->mesh_id);
    ttp_sink_own(g->out, ",");
    if (d && d->has_place)
        ttp_sink_printf(g->out, "\"[%lld, %lld]\"", (long long)d->row, (long long)d->column);
}

static void put_device_row(struct merger *g, uint32_t op, const struct ttp_mesh_cell *c)
{
    const struct ttp_mesh *m = g->m;
    const struct ttp_mesh_device *d = &m->device[c->device];
    const bool related = m->reference != TTP_MESH_NONE && c->timed &&
                         d->component == m->device[m->reference].component;

    put_front(g, d->part, d);
    put_raw(g, &g->source[d->part], c->row);
    ttp_sink_printf(g->out, ",%u,", op);
    if (related) {
        const struct ttp_mesh_theta t = ttp_mesh_theta_at(m, op, c);
        ttp_sink_printf(g->out, "%.0f,%.0f,%.0f", c->start + t.estimate, c->end + t.estimate,
                        ttp_mesh_theta_error(&t));
    } else {
        ttp_sink_own(g->out, ",,");
    }
    ttp_sink_own(g->out, ",");
    const double wait = g->wait_us[c - m->cell];
    if (isfinite(wait))
        ttp_sink_printf(g->out, "%.0f", wait * 1000);
    ttp_sink_own(g->out, "\n");
}

static void put_host_row(struct merger *g, uint32_t part, size_t row)
{
    put_front(g, part, NULL);
    put_raw(g, &g->source[part], row);
    ttp_sink_own(g->out, ",,,,,\n");
}

/* Rows of a rank from *next on that are not device ops, before its row `until`. */
static void put_host_rows(struct merger *g, uint32_t part, size_t *next, size_t until)
{
    const struct source *s = &g->source[part];

    for (; *next < until && *next < s->rows; (*next)++)
        if (s->op_of[*next] == TTP_MESH_NONE)
            put_host_row(g, part, *next);
}

static void put_header(struct merger *g)
{
    ttp_sink_own(g->out, "RANK,HOST,MESH ID,MESH COORD");
    for (size_t c = 0; c < g->names; c++) {
        ttp_sink_own(g->out, ",");
        ttp_gate_put_csv(g->out, g->name[c]);
    }
    ttp_sink_own(g->out, ",OP ORDINAL,ALIGNED START [ns],ALIGNED END [ns],ALIGNMENT ERROR "
                         "[ns],COLLECTIVE WAIT [ns]\n");
}

static const double *list_waits(const struct ttp_mesh *m, struct ttp_arena *arena)
{
    double *wait = TTP_NEW(arena, double, m->cells + 1);

    for (size_t c = 0; c < m->cells; c++)
        wait[c] = NAN;
    for (size_t k = 0; k < m->collectives; k++)
        for (size_t i = 0; i < m->collective[k].members; i++)
            wait[m->collective[k].member[i].cell] = m->collective[k].member[i].shown_us;
    return wait;
}

ttp_code ttp_mesh_write_csv(struct ttp_sink *out, const struct ttp_mesh *mesh, const ttp_str *text,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct merger g = {.m = mesh, .out = out, .arena = arena};
    size_t *next = TTP_NEW(arena, size_t, mesh->parts);

    g.source = TTP_NEW(arena, struct source, mesh->parts);
    g.wait_us = list_waits(mesh, arena);
    for (size_t p = 0; p < mesh->parts; p++) {
        g.source[p].text = text[p];
        TTP_TRY(index_rows(&g.source[p], arena, err));
    }
    join_columns(&g);
    TTP_TRY(place_rows(&g, err));
    put_header(&g);
    for (uint32_t o = 0; o < mesh->ops; o++) {
        const struct ttp_mesh_cell *cell = &mesh->cell[mesh->op[o].cells_at];
        for (uint32_t k = 0; k < mesh->op[o].cells; k++)
            put_host_rows(&g, mesh->device[cell[k].device].part,
                          &next[mesh->device[cell[k].device].part], cell[k].row);
        for (uint32_t k = 0; k < mesh->op[o].cells; k++)
            put_device_row(&g, o, &cell[k]);
    }
    for (uint32_t p = 0; p < mesh->parts; p++)
        put_host_rows(&g, p, &next[p], g.source[p].rows);
    return TTP_OK;
}

const uint32_t *ttp_mesh_lines(const struct ttp_mesh *mesh, const size_t *rows,
                               struct ttp_arena *arena)
{
    uint32_t *line = TTP_NEW(arena, uint32_t, mesh->cells + 1);
    bool **of_device = TTP_NEW(arena, bool *, mesh->parts + 1);
    size_t *next = TTP_NEW(arena, size_t, mesh->parts + 1);
    uint32_t at = 2; /* the header is line 1 */

    for (size_t p = 0; p < mesh->parts; p++)
        of_device[p] = TTP_NEW(arena, bool, rows[p] + 1);
    for (size_t c = 0; c < mesh->cells; c++)
        of_device[mesh->device[mesh->cell[c].device].part][mesh->cell[c].row] = true;
    for (uint32_t o = 0; o < mesh->ops; o++) {
        const uint32_t first = mesh->op[o].cells_at;
        for (uint32_t k = first; k < first + mesh->op[o].cells; k++) {
            const uint32_t p = mesh->device[mesh->cell[k].device].part;
            for (; next[p] < mesh->cell[k].row; next[p]++)
                at += !of_device[p][next[p]]; /* what the host did before it */
        }
        for (uint32_t k = first; k < first + mesh->op[o].cells; k++)
            line[k] = at++;
    }
    return line;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* merged.c - the rows of all ranks as one table, op by op: as CSV, or in memory. */
#include <stdio.h>

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
    size_t *column; /* by column of the result: its own, TTP_NPOS: it has none */
};

struct merger {
    const struct ttp_mesh *m;
    struct ttp_sink *out;
    struct source *source;
    ttp_str *name; /* of the result's columns */
    size_t names;
    const struct ttp_mesh_collective *const *collective; /* by cell; NULL: none */
    struct ttp_arena *arena;
};

/* ---- the order of rows ---- */

/* A row of the table of all ranks. */
struct line {
    uint32_t part, row;
    uint32_t op, cell; /* cell TTP_MESH_NONE: a row that no device ran */
};
struct lines {
    struct line *at;
    size_t count;
};

/* Rows of a rank from *next on that no device ran, before its row `until`. */
static void add_host_lines(struct lines *out, const bool *of_device, uint32_t part, size_t *next,
                           size_t until)
{
    for (; *next < until; (*next)++)
        if (!of_device[*next])
            out->at[out->count++] =
                (struct line){.part = part, .row = (uint32_t)*next, .cell = TTP_MESH_NONE};
}

/* Op by op, its rows on all devices; before them what the host did before. rows[p]: how many part p
 * has. */
static const struct line *list_lines(const struct ttp_mesh *m, const size_t *rows, size_t *count,
                                     struct ttp_arena *arena)
{
    bool **of_device = TTP_NEW(arena, bool *, m->parts + 1);
    size_t *next = TTP_NEW(arena, size_t, m->parts + 1), all = 0;

    for (size_t p = 0; p < m->parts; p++) {
        of_device[p] = TTP_NEW(arena, bool, rows[p] + 1);
        all += rows[p];
    }
    for (size_t c = 0; c < m->cells; c++)
        of_device[m->device[m->cell[c].device].part][m->cell[c].row] = true;
    struct lines out = {.at = TTP_NEW(arena, struct line, all + 1)};
    for (uint32_t o = 0; o < m->ops; o++) {
        const uint32_t first = m->op[o].cells_at, end = first + m->op[o].cells;
        for (uint32_t c = first; c < end; c++) {
            const uint32_t p = m->device[m->cell[c].device].part;
            add_host_lines(&out, of_device[p], p, &next[p], m->cell[c].row);
        }
        for (uint32_t c = first; c < end; c++)
            out.at[out.count++] =
                (struct line){m->device[m->cell[c].device].part, m->cell[c].row, o, c};
    }
    for (uint32_t p = 0; p < m->parts; p++)
        add_host_lines(&out, of_device[p], p, &next[p], rows[p]);
    *count = out.count;
    return out.at;
}

/* ---- what a collective adds to its rows ---- */

static const struct ttp_mesh_collective *const *list_collectives(const struct ttp_mesh *m,
                                                                 struct ttp_arena *arena)
{
    const struct ttp_mesh_collective **of =
        TTP_NEW(arena, const struct ttp_mesh_collective *, m->cells + 1);

    for (size_t k = 0; k < m->collectives; k++)
        for (size_t i = 0; i < m->collective[k].members; i++)
            of[m->collective[k].member[i].cell] = &m->collective[k];
    return of;
}

struct own_cells {
    char wait[TTP_NUM_MAX], skew[TTP_NUM_MAX];
    ttp_str last;
};

static struct own_cells cells_of(const struct ttp_mesh *m,
                                 const struct ttp_mesh_collective *const *collective,
                                 const struct ttp_mesh_cell *c)
{
    const struct ttp_mesh_collective *k = collective[c - m->cell];
    struct own_cells out = {0};

    for (size_t i = 0; k && i < k->members; i++)
        if (k->member[i].cell == (uint32_t)(c - m->cell) && isfinite(k->member[i].shown_us))
            snprintf(out.wait, sizeof(out.wait), "%.0f", k->member[i].shown_us * 1000);
    if (k && k->aligned && isfinite(k->skew_us))
        snprintf(out.skew, sizeof(out.skew), "%.0f", k->skew_us * 1000);
    if (k && k->aligned && k->last != TTP_MESH_NONE)
        out.last = m->device[k->last].name;
    return out;
}

/* ---- as CSV ---- */

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
                                       "COLLECTIVE WAIT [ns]",
                                       "COLLECTIVE SKEW [ns]",
                                       "COLLECTIVE LAST"};

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
    double offset, apart;
    const bool related = ttp_mesh_related(m, c->device, &offset, &apart) && c->timed;

    put_front(g, d->part, d);
    put_raw(g, &g->source[d->part], c->row);
    ttp_sink_printf(g->out, ",%u,", op);
    if (related) {
        const struct ttp_mesh_theta t = ttp_mesh_theta_at(m, op, c);
        ttp_sink_printf(g->out, "%.0f,%.0f,%.0f", c->start + t.estimate + offset,
                        c->end + t.estimate + offset, ttp_mesh_theta_error(&t) + apart);
    } else {
        ttp_sink_own(g->out, ",,");
    }
    const struct own_cells own = cells_of(m, g->collective, c);
    ttp_sink_printf(g->out, ",%s,%s,", own.wait, own.skew);
    ttp_gate_put_csv(g->out, own.last);
    ttp_sink_own(g->out, "\n");
}

static void put_host_row(struct merger *g, uint32_t part, size_t row)
{
    put_front(g, part, NULL);
    put_raw(g, &g->source[part], row);
    ttp_sink_own(g->out, ",,,,,,,\n");
}

static void put_header(struct merger *g)
{
    ttp_sink_own(g->out, "RANK,HOST,MESH ID,MESH COORD");
    for (size_t c = 0; c < g->names; c++) {
        ttp_sink_own(g->out, ",");
        ttp_gate_put_csv(g->out, g->name[c]);
    }
    ttp_sink_own(g->out, ",OP ORDINAL,ALIGNED START [ns],ALIGNED END [ns],ALIGNMENT ERROR "
                         "[ns],COLLECTIVE WAIT [ns],COLLECTIVE SKEW [ns],COLLECTIVE LAST\n");
}

static bool is_wanted(const struct ttp_mesh *m, const struct ttp_mesh_cell *c, int64_t device)
{
    return device < 0 || m->device[c->device].id == device;
}

ttp_code ttp_mesh_write_csv(struct ttp_sink *out, const struct ttp_mesh *mesh,
                            struct ttp_mesh_texts texts, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct merger g = {.m = mesh, .out = out, .arena = arena};
    size_t *rows = TTP_NEW(arena, size_t, mesh->parts + 1), lines;

    g.source = TTP_NEW(arena, struct source, mesh->parts);
    g.collective = list_collectives(mesh, arena);
    for (size_t p = 0; p < mesh->parts; p++) {
        g.source[p].text = texts.text[p];
        TTP_TRY(index_rows(&g.source[p], arena, err));
        rows[p] = g.source[p].rows;
    }
    for (size_t c = 0; c < mesh->cells; c++)
        if (mesh->cell[c].row >= rows[mesh->device[mesh->cell[c].device].part])
            return ttp_fail(err, TTP_EPARSE, "the file changed while it was read");
    bool any = texts.device < 0;
    for (size_t d = 0; d < mesh->devices && !any; d++)
        any = mesh->device[d].id == texts.device;
    if (!any)
        return ttp_fail(err, TTP_ENOTFOUND, "no device %lld in this run", (long long)texts.device);
    join_columns(&g);
    put_header(&g);
    const struct line *line = list_lines(mesh, rows, &lines, arena);
    for (size_t i = 0; i < lines; i++)
        if (line[i].cell == TTP_MESH_NONE)
            put_host_row(&g, line[i].part, line[i].row);
        else if (is_wanted(mesh, &mesh->cell[line[i].cell], texts.device))
            put_device_row(&g, line[i].op, &mesh->cell[line[i].cell]);
    return TTP_OK;
}

struct ttp_ops_rows *ttp_mesh_merge_rows(const struct ttp_mesh *mesh,
                                         struct ttp_ops_rows *const *from, const size_t *rows,
                                         struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0};
    size_t lines;
    const struct line *line = list_lines(mesh, rows, &lines, &scratch);
    const struct ttp_mesh_collective *const *collective = list_collectives(mesh, &scratch);
    struct ttp_ops_place *place = TTP_NEW(&scratch, struct ttp_ops_place, lines + 1);

    for (size_t i = 0; i < lines; i++) {
        place[i] = (struct ttp_ops_place){
            .part = line[i].part, .row = line[i].row, .rank = mesh->rank[line[i].part].rank};
        if (line[i].cell == TTP_MESH_NONE)
            continue;
        const struct own_cells own = cells_of(mesh, collective, &mesh->cell[line[i].cell]);
        place[i].wait = ttp_arena_copy(&scratch, ttp_str_from(own.wait));
        place[i].skew = ttp_arena_copy(&scratch, ttp_str_from(own.skew));
        place[i].last = own.last;
    }
    struct ttp_ops_rows *out =
        ttp_ops_merge_rows(from, mesh->parts, (struct ttp_ops_places){place, lines}, arena);
    ttp_arena_free(&scratch);
    return out;
}

const uint32_t *ttp_mesh_lines(const struct ttp_mesh *mesh, const size_t *rows,
                               struct ttp_arena *arena)
{
    uint32_t *number = TTP_NEW(arena, uint32_t, mesh->cells + 1);
    size_t lines;
    const struct line *line = list_lines(mesh, rows, &lines, arena);

    for (size_t i = 0; i < lines; i++)
        if (line[i].cell != TTP_MESH_NONE)
            number[line[i].cell] = (uint32_t)i + 2; /* the header is line 1 */
    return number;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/mesh_table.h"

#include "base/gate.h"
#include "outputs/cells.h"
#include "outputs/json_members.h"

#define MAX_CELLS ((size_t)1 << 20)

struct ttp_records ttp_mesh_records(const struct ttp_mesh *mesh, enum ttp_mesh_table table)
{
    switch (table) {
    case TTP_MESH_TABLE_CLASSES:
        return (struct ttp_records){&ttp_mesh_class_fields, mesh, mesh->class_row,
                                    sizeof(*mesh->class_row), mesh->class_rows};
    case TTP_MESH_TABLE_DEVICES:
        return (struct ttp_records){&ttp_mesh_device_fields, mesh, mesh->device,
                                    sizeof(*mesh->device), mesh->devices};
    case TTP_MESH_TABLE_GROUPS:
        return (struct ttp_records){&ttp_mesh_axis_fields, mesh, mesh->axis, sizeof(*mesh->axis),
                                    mesh->axes};
    case TTP_MESH_TABLE_PATH:
        return (struct ttp_records){&ttp_mesh_worth_fields, mesh, mesh->path.worth,
                                    sizeof(*mesh->path.worth), mesh->path.worths};
    case TTP_MESH_TABLE_RANKS:
        return (struct ttp_records){&ttp_mesh_rank_fields, mesh, mesh->rank, sizeof(*mesh->rank),
                                    mesh->parts};
    default:
        return (struct ttp_records){&ttp_mesh_collective_fields, mesh, mesh->collective,
                                    sizeof(*mesh->collective), mesh->collectives};
    }
}

static void put_value(struct ttp_sink *out, const struct ttp_field *f, struct ttp_value v, bool csv)
{
    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(out, v.v.i);
    else if (v.kind == TTP_VALUE_REAL)
        ttp_sink_printf(out, "%.*f", csv && f->digits < 3 ? 3 : f->digits, v.v.f);
    else if (v.kind == TTP_VALUE_BOOL && !csv)
        ttp_sink_put(out, ttp_str_eq(v.v.text, TTP_STR("True")) ? TTP_STR("yes") : TTP_STR("no"));
    else if (v.kind != TTP_VALUE_NONE && csv)
        ttp_gate_put_csv(out, v.v.text);
    else if (v.kind != TTP_VALUE_NONE)
        ttp_sink_put(out, v.v.text);
}

void ttp_mesh_put_table(struct ttp_sink *out, const struct ttp_mesh_view *view,
                        const struct ttp_records *rows, const size_t *index, size_t count,
                        struct ttp_arena *scratch)
{
    const size_t shown = view->top && view->top < count ? view->top : count;
    struct ttp_cell_column *column = TTP_NEW(scratch, struct ttp_cell_column, rows->fields->count);
    const struct ttp_field **field =
        TTP_NEW(scratch, const struct ttp_field *, rows->fields->count);
    struct ttp_cells cells;
    size_t n = 0;

    for (size_t i = 0; i < rows->fields->count; i++) {
        const struct ttp_field *f = &rows->fields->field[i];
        if (!f->in_table)
            continue;
        field[n] = f;
        column[n++] = (struct ttp_cell_column){f->title, f->left, f->drop};
    }
    ttp_cells_init(&cells, column, n, scratch);
    cells.indent = view->markdown ? 0 : 2;
    for (size_t i = 0; i < shown; i++) {
        const void *row = ttp_records_at(rows, index ? index[i] : i);
        ttp_cells_add_row(&cells);
        for (size_t c = 0; c < n; c++) {
            struct ttp_sink text;
            ttp_sink_to_arena(&text, scratch);
            put_value(&text, field[c], field[c]->get(rows->context, row), false);
            ttp_cells_set(&cells, c, ttp_sink_text(&text));
        }
    }
    if (view->markdown)
        ttp_cells_markdown(out, &cells);
    else
        ttp_cells_text(out, &cells, view->width, view->color);
    if (shown < count)
        ttp_sink_printf(out, "%s... and %zu more (--top 0 shows all)\n",
                        view->markdown ? "\n" : "  ", count - shown);
}

void ttp_mesh_put_csv(struct ttp_sink *out, const struct ttp_records *rows)
{
    for (size_t i = 0; i < rows->fields->count; i++)
        ttp_sink_printf(out, "%s%s", i ? "," : "", rows->fields->field[i].id);
    ttp_sink_own(out, "\n");
    for (size_t r = 0; r < rows->count; r++) {
        for (size_t i = 0; i < rows->fields->count; i++) {
            const struct ttp_field *f = &rows->fields->field[i];
            if (i)
                ttp_sink_own(out, ",");
            put_value(out, f, f->get(rows->context, ttp_records_at(rows, r)), true);
        }
        ttp_sink_own(out, "\n");
    }
}

void ttp_mesh_put_members(struct ttp_json_writer *w, const struct ttp_records *rows, size_t i)
{
    for (size_t k = 0; k < rows->fields->count; k++) {
        const struct ttp_field *f = &rows->fields->field[k];
        const struct ttp_value v = f->get(rows->context, ttp_records_at(rows, i));
        switch (v.kind) {
        case TTP_VALUE_INT:
            ttp_member_i64(w, f->id, v.v.i);
            break;
        case TTP_VALUE_REAL:
            ttp_member_fixed(w, f->id, v.v.f, 4);
            break;
        case TTP_VALUE_BOOL:
            ttp_member_bool(w, f->id, ttp_str_eq(v.v.text, TTP_STR("True")));
            break;
        case TTP_VALUE_TEXT:
            ttp_member_str(w, f->id, v.v.text);
            break;
        default:
            ttp_member_null(w, f->id);
        }
    }
}

/* ---- the map ---- */

double ttp_mesh_map_value(const struct ttp_mesh_view *view, const struct ttp_mesh_device *device)
{
    switch (view->map) {
    case TTP_MAP_WAIT:
        return device->wait_us;
    case TTP_MAP_BUSY:
        return device->busy_us;
    case TTP_MAP_IDLE:
        return device->gap_us;
    case TTP_MAP_EXPOSED:
        return device->exposed_us;
    default:
        return device->excess_us;
    }
}

const char *ttp_mesh_map_name(enum ttp_mesh_map map)
{
    static const char *const names[] = {
        [TTP_MAP_EXCESS] = "compute beyond the median of all devices",
        [TTP_MAP_WAIT] = "waiting in collectives",
        [TTP_MAP_BUSY] = "compute",
        [TTP_MAP_IDLE] = "idle time beyond the median of all devices",
        [TTP_MAP_EXPOSED] = "communication that no compute covers"};
    return names[map];
}

const uint32_t *ttp_mesh_grid(const struct ttp_mesh *mesh, size_t *rows, size_t *columns,
                              struct ttp_arena *arena)
{
    int64_t height = 0, width = 0;

    for (size_t d = 0; d < mesh->devices; d++) {
        if (!mesh->device[d].has_place)
            return NULL;
        if (mesh->device[d].row >= height)
            height = mesh->device[d].row + 1;
        if (mesh->device[d].column >= width)
            width = mesh->device[d].column + 1;
    }
    if (height <= 0 || width <= 0 || (size_t)height > MAX_CELLS / (size_t)width)
        return NULL;
    *rows = (size_t)height;
    *columns = (size_t)width;
    uint32_t *grid = TTP_NEW(arena, uint32_t, *rows * *columns);
    for (uint32_t d = 0; d < mesh->devices; d++)
        grid[(size_t)mesh->device[d].row * *columns + (size_t)mesh->device[d].column] = d + 1;
    return grid;
}

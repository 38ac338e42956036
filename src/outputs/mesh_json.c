/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.mesh-1.json describes what is written here. */
#include <math.h>

#include "outputs/json_members.h"
#include "outputs/mesh_table.h"

/* [rank, id], or null. */
static void put_device(struct ttp_json_writer *w, const struct ttp_mesh *m, uint32_t device)
{
    if (device == TTP_MESH_NONE) {
        ttp_json_put_null(w);
        return;
    }
    ttp_json_begin_array(w);
    ttp_json_put_i64(w, m->device[device].rank);
    ttp_json_put_i64(w, m->device[device].id);
    ttp_json_end_array(w);
}

static void member_device(struct ttp_json_writer *w, const char *key, const struct ttp_mesh *m,
                          uint32_t device)
{
    ttp_member_key(w, key);
    put_device(w, m, device);
}

static void put_theta(struct ttp_json_writer *w, const struct ttp_mesh *m, size_t d)
{
    static const size_t third[] = {0, 4, 8};

    ttp_member_array(w, "theta_ns_at_start_mid_end");
    for (size_t k = 0; k < TTP_COUNT(third) && m->grids == 9; k++) {
        const struct ttp_mesh_theta *t = &m->grid[third[k]].theta[d];
        ttp_json_begin_array(w);
        ttp_json_put_fixed(w, t->low, 3);
        ttp_json_put_fixed(w, t->high, 3);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
    ttp_member_array(w, "estimate_ns_at_start_mid_end");
    for (size_t k = 0; k < TTP_COUNT(third) && m->grids == 9; k++)
        ttp_json_put_fixed(w, m->grid[third[k]].theta[d].estimate, 3);
    ttp_json_end_array(w);
    ttp_member_array(w, "statistical_error_ns_at_start_mid_end");
    for (size_t k = 0; k < TTP_COUNT(third) && m->grids == 9; k++)
        ttp_json_put_fixed(w, m->grid[third[k]].theta[d].error, 3);
    ttp_json_end_array(w);
}

static void put_devices(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    const struct ttp_records rows = ttp_mesh_records(m, TTP_MESH_TABLE_DEVICES);

    ttp_member_array(w, "devices");
    for (size_t d = 0; d < m->devices; d++) {
        ttp_json_begin_object(w);
        member_device(w, "device", m, (uint32_t)d);
        ttp_member_i64(w, "base_cycle", m->device[d].base_cycle);
        ttp_mesh_put_members(w, &rows, d);
        put_theta(w, m, d);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_groups(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    const struct ttp_records rows = ttp_mesh_records(m, TTP_MESH_TABLE_GROUPS);

    ttp_member_array(w, "groups");
    for (size_t a = 0; a < m->axes; a++) {
        ttp_json_begin_object(w);
        ttp_mesh_put_members(w, &rows, a);
        ttp_member_array(w, "devices");
        for (size_t g = 0; g < m->axis[a].groups; g++) {
            const struct ttp_mesh_group *group = &m->group[m->axis[a].first_group + g];
            ttp_json_begin_array(w);
            for (size_t k = 0; k < group->members; k++)
                put_device(w, m, group->member[k]);
            ttp_json_end_array(w);
        }
        ttp_json_end_array(w);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_waits(struct ttp_json_writer *w, const struct ttp_mesh *m,
                      const struct ttp_mesh_collective *c)
{
    ttp_member_object(w, "wait_us");
    for (size_t k = 0; k < c->members; k++) {
        ttp_json_put_key(w, m->device[c->member[k].device].name);
        ttp_json_put_fixed(w, c->member[k].shown_us, 4);
    }
    ttp_json_end_object(w);
}

static void put_collectives(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    const struct ttp_records rows = ttp_mesh_records(m, TTP_MESH_TABLE_COLLECTIVES);

    ttp_member_array(w, "collectives");
    for (size_t k = 0; k < m->collectives; k++) {
        ttp_json_begin_object(w);
        ttp_mesh_put_members(w, &rows, k);
        member_device(w, "last_device", m, m->collective[k].last);
        put_waits(w, m, &m->collective[k]);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_table(struct ttp_json_writer *w, const struct ttp_mesh *m, const char *key,
                      enum ttp_mesh_table table)
{
    const struct ttp_records rows = ttp_mesh_records(m, table);

    ttp_member_array(w, key);
    for (size_t i = 0; i < rows.count; i++) {
        ttp_json_begin_object(w);
        ttp_mesh_put_members(w, &rows, i);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

static void put_aside(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    ttp_member_array(w, "rows_set_aside");
    for (size_t o = 0; o < m->ops; o++)
        for (uint32_t k = 0; k < m->op[o].cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[m->op[o].cells_at + k];
            if (!c->aside)
                continue;
            ttp_json_begin_object(w);
            member_device(w, "device", m, c->device);
            ttp_member_u64(w, "op", o);
            ttp_member_u64(w, "line", (uint64_t)c->row + 2);
            ttp_json_end_object(w);
        }
    ttp_json_end_array(w);
}

static void put_clocks(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    member_device(w, "reference", m, m->reference);
    ttp_member_array(w, "grid_ns");
    for (size_t k = 0; k < m->grids; k++)
        ttp_json_put_fixed(w, m->grid[k].at, 3);
    ttp_json_end_array(w);
    ttp_member_u64(w, "timelines", m->components);
    ttp_member_known(w, "bound_us", isfinite(m->bound_us), m->bound_us);
    ttp_member_known(w, "estimate_us", isfinite(m->estimate_us), m->estimate_us);
    ttp_member_fixed(w, "inconsistency_ns", m->inconsistency_ns, 3);
    ttp_member_fixed(w, "rate_bound_ppm", m->rate_bound_ppm, 1);
    ttp_member_array(w, "pairs_by_rate_bound");
    for (size_t i = 0; i < TTP_COUNT(m->pairs_by_rate); i++) {
        if (m->pairs_by_rate[i] == 0)
            continue;
        ttp_json_begin_array(w);
        ttp_json_put_fixed(w, 250.0 * (double)(1 << i), 1);
        ttp_json_put_u64(w, m->pairs_by_rate[i]);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
    ttp_member_u64(w, "pair_rows", m->pair_rows);
    ttp_member_u64(w, "pair_rows_against", m->pair_rows_against);
    ttp_member_u64(w, "collective_rows", m->collective_rows);
    ttp_member_u64(w, "rows_without_times", m->rows_without_times);
    put_aside(w, m);
}

static void put_run(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    ttp_member_array(w, "missing_ranks");
    for (size_t i = 0; i < m->missing_ranks; i++)
        ttp_json_put_i64(w, m->missing_rank[i]);
    ttp_json_end_array(w);
    put_table(w, m, "ranks", TTP_MESH_TABLE_RANKS);
    ttp_member_array(w, "shifts_in_doubt");
    for (size_t i = 0; i < m->parts; i++)
        if (m->rank[i].doubtful)
            ttp_json_put_i64(w, m->rank[i].rank);
    ttp_json_end_array(w);
    ttp_member_array(w, "mesh_shape");
    if (m->mesh_rows && m->mesh_columns) {
        ttp_json_put_i64(w, m->mesh_rows);
        ttp_json_put_i64(w, m->mesh_columns);
    }
    ttp_json_end_array(w);
    ttp_member_array(w, "mesh_order");
    for (size_t i = 0; i < m->orders; i++)
        put_device(w, m, m->order[i]);
    ttp_json_end_array(w);
    ttp_member_u64(w, "ops", m->ops);
    ttp_member_u64(w, "iterations", m->iterations);
    ttp_member_fixed(w, "span_us", m->span_us, 3);
    ttp_member_fixed(w, "imbalance_us", m->imbalance_us, 3);
    ttp_member_fixed(w, "ideal_gain_us", m->ideal_gain_us, 3);
}

static void put_path(struct ttp_json_writer *w, const struct ttp_mesh *m)
{
    ttp_member_object(w, "critical_path");
    ttp_member_fixed(w, "length_us", m->path.length_us, 3);
    ttp_member_fixed(w, "compute_us", m->path.compute_us, 3);
    ttp_member_fixed(w, "idle_us", m->path.idle_us, 3);
    ttp_member_fixed(w, "transfer_us", m->path.transfer_us, 3);
    ttp_member_u64(w, "turns", m->path.turns);
    put_table(w, m, "ops", TTP_MESH_TABLE_PATH);
    ttp_json_end_object(w);
}

void ttp_out_mesh_json(struct ttp_json_writer *w, const struct ttp_mesh_view *view)
{
    const struct ttp_mesh *m = view->mesh;

    ttp_json_begin_object(w);
    put_run(w, m);
    put_clocks(w, m);
    put_groups(w, m);
    put_devices(w, m);
    put_table(w, m, "classes", TTP_MESH_TABLE_CLASSES);
    put_collectives(w, m);
    put_path(w, m);
    ttp_json_end_object(w);
}

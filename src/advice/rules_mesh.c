/* SPDX-License-Identifier: Apache-2.0 */
/* rules_mesh.c - rules about devices of a mesh: slow chips, uneven work, late starts, slow
 * transfers, and exposed transfers. */
#include "advice/mesh_look.h"
#include "advice/rule_parts.h"
#include "base/quantity.h"
#include "base/sink.h"

/* A link that carries less than this part of its peak is not what limits the transfer, and a
 * transfer matters from this part of the run on: both from the specification of the mesh views. */
#define SHARE_LEAST   0.30
#define TRANSFER_PART 0.05
/* Of the run, from which a wait matters: as a straggler does. */
#define WAIT_PART 0.02
/* Compute that hides more of a collective than that is overlap already. */
#define HIDDEN_LEAST 0.10

static const struct ttp_mesh_look *look_at(const struct ttp_plan_run *run, size_t i)
{
    return run->mesh ? run->mesh[i] : NULL;
}

/* The mesh has the time of firmware, rows that of kernels: of an op that mostly waits to start
 * neither says how devices compare. */
#define KERNEL_PART 0.5

static bool is_compute(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);

    return look && look->op->kind == TTP_MESH_COMPUTE && look->slow_us > 0 &&
           ttp_rule_time(ttp_rule_op(run, i)) > KERNEL_PART * look->slow_us;
}

static bool is_collective(const struct ttp_mesh_look *look)
{
    return look && look->op->kind == TTP_MESH_ALL_WAIT && look->transfer_us > 0;
}

double ttp_gain_straggler(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (!is_compute(run, i) || !look->straggler || !(look->other_us > 0))
        return TTP_RULE_NO;
    return ttp_rule_saved(time, time * (1 - (1 - look->other_us / look->slow_us) * look->on_path));
}

double ttp_gain_device_imbalance(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);

    if (!is_compute(run, i) || !look->uneven)
        return TTP_RULE_NO;
    return ttp_rule_time(ttp_rule_op(run, i)) * (1 - look->mean_us / look->slow_us);
}

/* Waits that compute causes are those of the two rules above. */
double ttp_gain_late_start(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);

    if (!is_collective(look) || !(look->wait_us > look->transfer_us) ||
        !(look->run_wait > WAIT_PART) || !(look->late_us > 0))
        return TTP_RULE_NO;
    return look->late_us;
}

double ttp_gain_slow_transfer(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    const double time = ttp_rule_time(ttp_rule_op(run, i));

    if (!is_collective(look) || look->op->fused || !(look->link_share < SHARE_LEAST) ||
        !(look->run_transfer > TRANSFER_PART) ||
        ttp_rule_near_floor(run, look->transfer_us, ttp_opc(run, TTP_OPC_FLOOR_COLLECTIVE)))
        return TTP_RULE_NO;
    return ttp_rule_saved(
        time, fmax(time * look->link_share / SHARE_LEAST, ttp_opc(run, TTP_OPC_FLOOR_COLLECTIVE)));
}

double ttp_gain_overlap(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_mesh_look *look = look_at(run, i);

    if (!is_collective(look) || look->op->fused || look->hidden > HIDDEN_LEAST ||
        !(look->run_transfer > TRANSFER_PART) || look->beside == TTP_NPOS)
        return TTP_RULE_NO;
    return fmin(ttp_rule_time(ttp_rule_op(run, i)), ttp_rule_time(ttp_rule_op(run, look->beside)));
}

/* ---- in words ---- */

static void put_device(struct ttp_sink *out, const struct ttp_mesh *m, uint32_t d)
{
    ttp_sink_printf(out, "device %.*s", TTP_FMT(m->device[d].name));
    if (m->device[d].place.len)
        ttp_sink_printf(out, " at %.*s", TTP_FMT(m->device[d].place));
    if (m->device[d].host)
        ttp_sink_printf(out, " on %s", m->device[d].host);
}

ttp_str ttp_advice_loaded_device(const struct ttp_plan_run *run, size_t i, struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_device(&out, look->mesh, look->slowest);
    return ttp_sink_text(&out);
}

ttp_str ttp_advice_slow_device(const struct ttp_plan_run *run, size_t i, struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    const ttp_str op = look->mesh->device[look->slowest].op;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_device(&out, look->mesh, look->slowest);
    if (op.len)
        ttp_sink_printf(&out, ", mostly in %.*s", TTP_FMT(ttp_analysis_brief_name(op, arena)));
    return ttp_sink_text(&out);
}

static void put_since(struct ttp_sink *out, const struct ttp_mesh_device *d)
{
    if (d->since_op == 0) {
        ttp_sink_put(out, TTP_STR("since the start of the run"));
        return;
    }
    ttp_sink_printf(out, "since op %u of the run, ", d->since_op);
    ttp_put_time_us(out, d->since_us);
    ttp_sink_put(out, TTP_STR(" after its start"));
}

ttp_str ttp_advice_tell_straggler(const struct ttp_plan_run *run, size_t i, struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    const struct ttp_mesh_device *d = &look->mesh->device[look->slowest];
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_device(&out, look->mesh, look->slowest);
    ttp_sink_put(&out, TTP_STR(" takes "));
    ttp_put_time_us(&out, look->slow_us);
    ttp_sink_put(&out, TTP_STR(", the others at most "));
    ttp_put_time_us(&out, look->other_us);
    ttp_sink_put(&out, TTP_STR("; "));
    if (d->op.len)
        ttp_sink_printf(&out, "mostly in %.*s, ", TTP_FMT(d->op));
    put_since(&out, d);
    if (d->gap_us > d->excess_us)
        ttp_sink_put(&out, TTP_STR("; it is also idle for longer than the others (host)"));
    return ttp_sink_text(&out);
}

ttp_str ttp_advice_tell_device_imbalance(const struct ttp_plan_run *run, size_t i,
                                         struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    put_device(&out, look->mesh, look->slowest);
    ttp_sink_put(&out, TTP_STR(" takes "));
    ttp_put_time_us(&out, look->slow_us);
    ttp_sink_printf(&out, ", the mean of %zu devices is ", look->mesh->devices);
    ttp_put_time_us(&out, look->mean_us);
    return ttp_sink_text(&out);
}

ttp_str ttp_advice_tell_late_start(const struct ttp_plan_run *run, size_t i,
                                   struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("devices wait "));
    ttp_put_time_us(&out, look->wait_us);
    ttp_sink_put(&out, TTP_STR(" on average for the last, the transfer takes "));
    ttp_put_time_us(&out, look->transfer_us);
    ttp_sink_put(&out, TTP_STR("; "));
    /* the last one delays all, itself included, by more than the mean of their waits */
    ttp_sink_put(&out, TTP_STR("the last starts "));
    ttp_put_time_us(&out, look->late_us);
    ttp_sink_put(&out, TTP_STR(" later because devices were idle before it"));
    if (look->last != TTP_MESH_NONE) {
        ttp_sink_put(&out, TTP_STR("; most often last: "));
        put_device(&out, look->mesh, look->last);
    }
    return ttp_sink_text(&out);
}

static void put_topology(struct ttp_sink *out, const struct ttp_mesh_look *look)
{
    if (look->op->links)
        ttp_sink_printf(out, ", %lld link%s", (long long)look->op->links,
                        look->op->links == 1 ? "" : "s");
    ttp_sink_printf(out, ", %s of %zu devices", look->op->ring_topology ? "ring" : "line",
                    look->mesh->axis[look->op->axis_at].size);
}

ttp_str ttp_advice_tell_slow_transfer(const struct ttp_plan_run *run, size_t i,
                                      struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("the transfer takes "));
    ttp_put_time_us(&out, look->transfer_us);
    ttp_sink_printf(&out, " at %.0f %% of the links' peak", look->link_share * 100);
    put_topology(&out, look);
    ttp_sink_put(&out, TTP_STR("; devices wait "));
    ttp_put_time_us(&out, look->wait_us);
    return ttp_sink_text(&out);
}

ttp_str ttp_advice_tell_overlap(const struct ttp_plan_run *run, size_t i, struct ttp_arena *arena)
{
    const struct ttp_mesh_look *look = look_at(run, i);
    const struct ttp_op *beside = ttp_rule_op(run, look->beside);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("the transfer takes "));
    ttp_put_time_us(&out, look->transfer_us);
    ttp_sink_printf(&out, ", %.0f %% of it hidden by compute; ID %u %.*s next to it takes ",
                    look->hidden * 100, beside->row + 2,
                    TTP_FMT(ttp_sym_name(run->report->syms, beside->name)));
    ttp_put_time_us(&out, ttp_rule_time(beside));
    ttp_sink_put(&out, TTP_STR(" and has tensors of other sizes"));
    return ttp_sink_text(&out);
}

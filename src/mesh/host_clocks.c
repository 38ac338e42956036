/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/host_clocks.h"

#include "mesh/table.h"

static int64_t at_0(const struct ttp_mesh_host_clock *c)
{
    return c->counter_at_0_ns + c->realtime_ns;
}

static bool same_machine(const struct ttp_mesh_host_clock *a, const struct ttp_mesh_host_clock *b)
{
    return ttp_str_eq(a->machine, b->machine);
}

void ttp_mesh_host_share_realtime(struct ttp_mesh_part *part, size_t parts)
{
    for (size_t p = 0; p < parts; p++)
        for (size_t q = 0; q < p && part[p].clock.known; q++)
            if (part[q].clock.known && same_machine(&part[q].clock, &part[p].clock)) {
                part[p].clock.realtime_ns = part[q].clock.realtime_ns;
                break;
            }
}

static int64_t origin_of(const struct ttp_mesh_build *b)
{
    int64_t first = INT64_MAX;

    for (size_t p = 0; p < b->parts; p++)
        if (b->part[p].clock.known && at_0(&b->part[p].clock) < first)
            first = at_0(&b->part[p].clock);
    return first;
}

bool ttp_mesh_host_start(double *out, const struct ttp_mesh_part *part, uint32_t row)
{
    double replay;

    return ttp_cell_f64(ttp_ops_cell(part->ops, TTP_OPS_HOST_START, row), out) && isfinite(*out) &&
           !ttp_cell_f64(ttp_ops_cell(part->ops, TTP_OPS_REPLAY, row), &replay);
}

static bool start_of(double *out, const struct ttp_mesh_part *part, uint32_t row)
{
    if (!part->table)
        return part->ops && ttp_mesh_host_start(out, part, row);
    if (!part->table->host_ns || part->table->host_ns[row] == TTP_TABLE_NO_HOST)
        return false;
    *out = (double)part->table->host_ns[row];
    return true;
}

static bool host_time(double *out, const struct ttp_mesh_build *b, uint32_t part, uint32_t row)
{
    const struct ttp_mesh_host_clock *clock = &b->part[part].clock;
    double start;

    if (!clock->known || !start_of(&start, &b->part[part], row))
        return false;
    *out = (double)(at_0(clock) - origin_of(b)) + start * clock->rate;
    return true;
}

bool ttp_mesh_host_time(double *out, const struct ttp_mesh_build *b,
                        const struct ttp_mesh_sequence *seq, size_t step)
{
    return host_time(out, b, seq->part,
                     b->part[seq->part].table ? (uint32_t)step : seq->step[step].row);
}

double ttp_mesh_host_error(const struct ttp_mesh_build *b, uint32_t one, uint32_t other)
{
    const struct ttp_mesh_host_clock *x = &b->part[one].clock, *y = &b->part[other].clock;
    const double between =
        b->options->host_error_ns > 0 ? b->options->host_error_ns : TTP_MESH_HOST_ERROR_NS;

    return x->error_ns + y->error_ns + (same_machine(x, y) ? 0 : between);
}

/* ---- time lines ---- */

/* What must be added to the time of a time line to get host time. */
struct host_offset {
    double low, high; /* infinite: not known */
    uint32_t part;    /* whose clock it is; TTP_MESH_NONE: unknown */
};

/* A reduced rank has the time of the first device of each op alone. */
static bool has_own_time(const struct ttp_mesh_part *part, int64_t id, uint32_t row)
{
    const struct ttp_mesh_reduced *t = part->table;

    return !t || t->device[t->cell[t->step[row].cell].device].id == id;
}

/* An op starts after its host began to enqueue it. */
static void take_start(struct host_offset *o, const struct ttp_mesh_build *b, double start,
                       const struct ttp_mesh_cell *c)
{
    const uint32_t part = b->mesh->device[c->device].part;
    double host;

    if (!has_own_time(&b->part[part], b->mesh->device[c->device].id, c->row) ||
        !host_time(&host, b, part, c->row) ||
        (o->part != TTP_MESH_NONE && !same_machine(&b->part[o->part].clock, &b->part[part].clock)))
        return;
    o->part = o->part == TTP_MESH_NONE ? part : o->part;
    if (host - start > o->low)
        o->low = host - start;
}

/* And it has ended before the process that reads its times has. */
static void take_end(struct host_offset *o, const struct ttp_mesh_build *b, double end,
                     const struct ttp_mesh_cell *c)
{
    const struct ttp_mesh_host_clock *clock = &b->part[b->mesh->device[c->device].part].clock;

    if (!clock->known || clock->end_ns == 0 || o->part == TTP_MESH_NONE ||
        !same_machine(&b->part[o->part].clock, clock))
        return;
    const double roof = (double)(clock->end_ns + clock->realtime_ns - origin_of(b)) - end;
    if (roof < o->high)
        o->high = roof;
}

static void find_offsets(struct host_offset *offset, const struct ttp_mesh_build *b)
{
    const struct ttp_mesh *m = b->mesh;

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t o = 0; o < m->ops; o++)
            for (uint32_t k = m->op[o].cells_at; k < m->op[o].cells_at + m->op[o].cells; k++) {
                const struct ttp_mesh_cell *c = &m->cell[k];
                if (!c->timed || c->aside)
                    continue;
                const double theta = m->moment[o].theta[c->device].estimate;
                struct host_offset *of = &offset[m->device[c->device].component];
                if (pass == 0)
                    take_start(of, b, c->start + theta, c);
                else
                    take_end(of, b, c->end + theta, c);
            }
}

static void relate(struct ttp_mesh_timeline *line, const struct ttp_mesh_build *b,
                   const struct host_offset *own, const struct host_offset *reference)
{
    if (own->part == TTP_MESH_NONE || reference->part == TTP_MESH_NONE)
        return;
    const double error = ttp_mesh_host_error(b, own->part, reference->part);
    line->related = true;
    /* the op that waited least for its start says most */
    line->offset_us = (own->low - reference->low) / 1000;
    line->low_us = (own->low - reference->high - error) / 1000;
    line->high_us = (own->high - reference->low + error) / 1000;
}

static void note_timeline(struct ttp_mesh_build *b, const struct ttp_mesh_timeline *line)
{
    const struct ttp_mesh_device *d = &b->mesh->device[line->first];

    if (line->related && isfinite(line->low_us) && isfinite(line->high_us))
        ttp_mesh_note(b,
                      "%zu device%s from %lld:%lld on have a time line of their own; host clocks "
                      "place it within -%.3f and +%.3f ms",
                      line->devices, line->devices == 1 ? "" : "s", (long long)d->rank,
                      (long long)d->id, (line->offset_us - line->low_us) / 1000,
                      (line->high_us - line->offset_us) / 1000);
}

void ttp_mesh_host_relate_timelines(struct ttp_mesh_build *b, const uint32_t *reference)
{
    struct ttp_mesh *m = b->mesh;
    const size_t n = m->components;
    struct host_offset *offset = TTP_NEW(b->arena, struct host_offset, n + 1);

    m->timeline = TTP_NEW(b->arena, struct ttp_mesh_timeline, n + 1);
    for (size_t c = 0; c < n; c++) {
        m->timeline[c] = (struct ttp_mesh_timeline){.first = reference[c]};
        offset[c] = (struct host_offset){-INFINITY, INFINITY, TTP_MESH_NONE};
    }
    for (size_t d = 0; d < m->devices; d++)
        m->timeline[m->device[d].component].devices++;
    const uint32_t main_line =
        m->reference == TTP_MESH_NONE ? 0 : m->device[m->reference].component;
    if (n < 2)
        return;
    find_offsets(offset, b);
    for (uint32_t c = 0; c < n; c++) {
        if (c == main_line) {
            m->timeline[c].related = true;
            continue;
        }
        relate(&m->timeline[c], b, &offset[c], &offset[main_line]);
        note_timeline(b, &m->timeline[c]);
    }
}

bool ttp_mesh_related(const struct ttp_mesh *mesh, uint32_t device, double *offset_ns,
                      double *error_ns)
{
    const struct ttp_mesh_timeline *line = &mesh->timeline[mesh->device[device].component];

    *offset_ns = *error_ns = 0;
    if (mesh->reference == TTP_MESH_NONE)
        return false;
    if (mesh->device[device].component == mesh->device[mesh->reference].component)
        return true;
    if (!line->related || !isfinite(line->low_us) || !isfinite(line->high_us))
        return false;
    *offset_ns = line->offset_us * 1000;
    *error_ns = fmax(line->high_us - line->offset_us, line->offset_us - line->low_us) * 1000;
    return true;
}

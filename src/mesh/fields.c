/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - figures of devices, collectives, groups and of the critical path. */
#include <math.h>

#include "base/json_write.h"
#include "mesh/build.h"
#include "mesh/mesh_fields.h"

static struct ttp_value none(void)
{
    return (struct ttp_value){.kind = TTP_VALUE_NONE};
}

static struct ttp_value real(double v)
{
    return isfinite(v) ? ttp_value_f64(v) : none();
}

static struct ttp_value device_name(const struct ttp_mesh *m, uint32_t device)
{
    return device == TTP_MESH_NONE ? none() : ttp_value_text(m->device[device].name);
}

static struct ttp_value axis_number(int64_t axis)
{
    return axis < 0 ? none() : ttp_value_i64(axis);
}

/* A figure in a hundred of the run's span. */
static struct ttp_value share(const struct ttp_mesh *m, double us)
{
    return m->span_us > 0 ? real(us / m->span_us * 100) : none();
}

static double each(const struct ttp_mesh *m, double us)
{
    return m->iterations ? us / (double)m->iterations : us;
}

const char *ttp_mesh_origin_name(enum ttp_mesh_origin origin)
{
    static const char *const names[] = {[TTP_MESH_FROM_ALL] = "all",
                                        [TTP_MESH_FROM_FILES] = "files",
                                        [TTP_MESH_FROM_ORDER] = "order",
                                        [TTP_MESH_FROM_DATA] = "data"};
    return names[origin];
}

#define GETTER(type, name, expression)                                                             \
    static struct ttp_value get_##type##_##name(const void *context, const void *row)              \
    {                                                                                              \
        const struct ttp_mesh *m = context;                                                        \
        const struct ttp_mesh_##type *r = row;                                                     \
        (void)m;                                                                                   \
        (void)r;                                                                                   \
        return expression;                                                                         \
    }
/* id, title, unit, kind, digits, drop, in the table, aligned to the left, getter, help */
#define FIELD(id_, title_, unit_, type_, digits_, drop_, in_, left_, get_, help_)                  \
    {                                                                                              \
        .id = (id_), .title = (title_), .unit = (unit_), .type = (type_), .digits = (digits_),     \
        .drop = (drop_), .in_table = (in_), .left = (left_), .get = (get_), .help = (help_)        \
    }
#define FIELDS(array, where)                                                                       \
    {                                                                                              \
        (array), TTP_COUNT(array), NULL, 0, "tt-perf mesh --help has " where                       \
    }

/* ---- devices, and lists of them ---- */

/* A device in JSON: [rank, id]. */
static const struct ttp_field one_i64 = {.type = TTP_I64, .stored = TTP_STORED_I64};
static const struct ttp_fields bare_i64 = {&one_i64, 1, NULL, 0, NULL};
#define RANK_AND_ID                                                                                \
    .type = TTP_ROWS, .stored = TTP_STORED_HERE, .offset = offsetof(struct ttp_mesh_device, rank), \
    .fixed = 2, .row_size = sizeof(int64_t), .sub = &bare_i64
_Static_assert(offsetof(struct ttp_mesh_device, id) ==
                   offsetof(struct ttp_mesh_device, rank) + sizeof(int64_t),
               "the first two elements of the list");
static const struct ttp_field rank_and_id = {RANK_AND_ID};
const struct ttp_fields ttp_mesh_bare_device = {&rank_and_id, 1, NULL, 0, NULL};

struct ttp_records ttp_mesh_device_record(const struct ttp_mesh *mesh, uint32_t device)
{
    const bool none = device == TTP_MESH_NONE;

    return (struct ttp_records){&ttp_mesh_bare_device, mesh, none ? NULL : &mesh->device[device],
                                sizeof(*mesh->device), !none};
}

static struct ttp_records by_index(const void *context, const void *row)
{
    return ttp_mesh_device_record(context, *(const uint32_t *)row);
}
static const struct ttp_field indexed = {
    .type = TTP_OBJECT, .list = by_index, .sub = &ttp_mesh_bare_device};
const struct ttp_fields ttp_mesh_bare_index = {&indexed, 1, NULL, 0, NULL};

/* At the start, in the middle and at the end of the run. */
enum { MOMENTS = 3 };
static const struct ttp_mesh_theta *theta_at(const struct ttp_mesh *m, const void *device, size_t i)
{
    return &m->grid[i * 4].theta[(const struct ttp_mesh_device *)device - m->device];
}

static size_t moments(const struct ttp_mesh *m)
{
    return m->grids == TTP_COUNT(m->grid) ? MOMENTS : 0;
}

static struct ttp_records list_theta(const void *context, const void *row)
{
    const struct ttp_mesh *m = context;
    struct ttp_mesh_two *pair = TTP_NEW(m->arena, struct ttp_mesh_two, MOMENTS);

    for (size_t i = 0; i < moments(m); i++)
        pair[i] = (struct ttp_mesh_two){{theta_at(m, row, i)->low, theta_at(m, row, i)->high}};
    return (struct ttp_records){&ttp_mesh_bare_pair, m, pair, sizeof(*pair), moments(m)};
}

static struct ttp_records list_estimate(const void *context, const void *row)
{
    const struct ttp_mesh *m = context;
    double *v = TTP_NEW(m->arena, double, MOMENTS);

    for (size_t i = 0; i < moments(m); i++)
        v[i] = theta_at(m, row, i)->estimate;
    return (struct ttp_records){&ttp_bare_f64, m, v, sizeof(*v), moments(m)};
}

static struct ttp_records list_error(const void *context, const void *row)
{
    const struct ttp_mesh *m = context;
    double *v = TTP_NEW(m->arena, double, MOMENTS);

    for (size_t i = 0; i < moments(m); i++)
        v[i] = theta_at(m, row, i)->error;
    return (struct ttp_records){&ttp_bare_f64, m, v, sizeof(*v), moments(m)};
}

#define GET(name, expression) GETTER(device, name, expression)
GET(name, ttp_value_text(r->name))
GET(place, ttp_value_text(r->place))
GET(host, ttp_value_word(r->host))
GET(arch, ttp_value_text(r->arch))
GET(ghz, real(r->ghz))
GET(excess, real(r->excess_us))
GET(excess_each, real(each(m, r->excess_us)))
GET(excess_pct, share(m, r->excess_us))
GET(op, ttp_value_text(r->op))
GET(op_us, real(r->op_us))
GET(gap, real(r->gap_us))
GET(stretches, ttp_value_i64((int64_t)r->stretches))
GET(busy, real(r->busy_us))
GET(wait, real(r->wait_us))
GET(transfer, real(r->transfer_us))
GET(exposed, real(r->exposed_us))
GET(hidden, real(r->hidden_us))
GET(last, ttp_value_i64((int64_t)r->last))
GET(certain, ttp_value_i64((int64_t)r->certain))
GET(cost, real(r->cost_us))
GET(rate, real(r->rate_ppm))
GET(rows, ttp_value_i64((int64_t)r->rows))
GET(aside, ttp_value_i64((int64_t)r->rows_aside))
GET(untimed, ttp_value_i64((int64_t)r->rows_without_times))
GET(component, ttp_value_i64((int64_t)r->component))
#undef GET

static const struct ttp_field device_fields[] = {
    {.id = "device", RANK_AND_ID, .help = "rank and id"},
    FIELD("name", "Device", "", TTP_TEXT, 0, 0, true, true, get_device_name, "rank:id"),
    FIELD("coord", "Coord", "", TTP_TEXT, 0, 4, true, true, get_device_place,
          "row and column in the mesh"),
    FIELD("host", "Host", "", TTP_TEXT, 0, 6, true, true, get_device_host, "name of its host"),
    FIELD("arch", "Arch", "", TTP_TEXT, 0, 0, false, true, get_device_arch, "architecture"),
    FIELD("ghz", "GHz", "GHz", TTP_F64, 3, 0, false, false, get_device_ghz, "nominal clock"),
    FIELD("excess_us", "Excess", "us", TTP_F64, 1, 0, true, false, get_device_excess,
          "straggler score: compute time above the median of all devices, over the run"),
    FIELD("excess_us_per_iteration", "per Iter", "us", TTP_F64, 1, 5, true, false,
          get_device_excess_each, "the same per iteration"),
    FIELD("excess_pct", "Excess share", "%", TTP_F64, 1, 7, true, false, get_device_excess_pct,
          "the same as a share of the run"),
    FIELD("op", "Op", "", TTP_TEXT, 0, 0, true, true, get_device_op,
          "op code with the largest excess"),
    FIELD("op_us", "Op", "us", TTP_F64, 1, 8, true, false, get_device_op_us, "its excess"),
    FIELD("gap_us", "Idle", "us", TTP_F64, 1, 3, true, false, get_device_gap,
          "idle time between collectives above the median of all devices: host and dispatch"),
    FIELD("stretches", "Stretches", "", TTP_I64, 0, 0, false, false, get_device_stretches,
          "intervals between two collectives"),
    FIELD("busy_us", "Compute", "us", TTP_F64, 1, 9, true, false, get_device_busy,
          "time in compute ops"),
    FIELD("wait_us", "Wait", "us", TTP_F64, 1, 1, true, false, get_device_wait,
          "time in collectives, waiting for others"),
    FIELD("transfer_us", "Transfer", "us", TTP_F64, 1, 2, true, false, get_device_transfer,
          "time in collectives after all devices arrived"),
    FIELD("exposed_us", "Exposed", "us", TTP_F64, 1, 0, false, false, get_device_exposed,
          "communication not hidden by compute on another sub-device"),
    FIELD("hidden_us", "Hidden", "us", TTP_F64, 1, 0, false, false, get_device_hidden,
          "communication hidden by such compute"),
    FIELD("last", "Last", "", TTP_I64, 0, 4, true, false, get_device_last,
          "collectives where it was last by more than the statistical error"),
    FIELD("certain", "Certain", "", TTP_I64, 0, 0, false, false, get_device_certain,
          "of these, by more than the bound"),
    FIELD("cost_us", "Cost", "us", TTP_F64, 1, 5, true, false, get_device_cost,
          "mean wait at the collectives where it was last"),
    FIELD("rate_ppm", "Rate", "ppm", TTP_F64, 1, 0, false, false, get_device_rate,
          "clock relative to the reference, over the run"),
    FIELD("rows", "Rows", "", TTP_I64, 0, 0, false, false, get_device_rows, "rows of its ops"),
    FIELD("rows_set_aside", "Aside", "", TTP_I64, 0, 0, false, false, get_device_aside,
          "rows that contradict the others"),
    FIELD("rows_without_times", "Untimed", "", TTP_I64, 0, 0, false, false, get_device_untimed,
          "rows without usable cycles"),
    FIELD("timeline", "Timeline", "", TTP_I64, 0, 0, false, false, get_device_component,
          "devices with the same number have related clocks"),
    TTP_INT("base_cycle", "", TTP_FIGURE(struct ttp_mesh_device, base_cycle),
            .help = "cycle at which its own time starts"),
    TTP_LISTED("theta_ns_at_start_mid_end", TTP_ROWS, list_theta, ttp_mesh_bare_pair,
               .help = "bounds of the offset from its own time to common time"),
    TTP_LISTED("estimate_ns_at_start_mid_end", TTP_ROWS, list_estimate, ttp_bare_f64,
               .help = "bounds of the same offset"),
    TTP_LISTED("statistical_error_ns_at_start_mid_end", TTP_ROWS, list_error, ttp_bare_f64,
               .help = "estimate of the same offset"),
};
const struct ttp_fields ttp_mesh_device_fields = FIELDS(device_fields, "devices");

/* The same devices by what they cost the others. */
static const struct ttp_field straggler_fields[] = {
    {.id = "device", RANK_AND_ID, .help = "rank and id"},
    TTP_REAL("excess_us", "us", 0, TTP_FIGURE(struct ttp_mesh_device, excess_us),
             .help = "compute time above the median of all devices"),
    TTP_REAL("gap_us", "us", 0, TTP_FIGURE(struct ttp_mesh_device, gap_us),
             .help = "the same of idle time: host and dispatch"),
    TTP_INT("stretches", "", TTP_FIGURE(struct ttp_mesh_device, stretches)),
    {.id = "op", .type = TTP_TEXT, .get = get_device_op, .help = "with the largest excess"},
    TTP_REAL("op_us", "us", 0, TTP_FIGURE(struct ttp_mesh_device, op_us)),
    TTP_INT("last", "", TTP_FIGURE(struct ttp_mesh_device, clear),
            .help = "collectives at which it was last beyond twice the bound"),
    TTP_REAL("cost_us", "us", 0, TTP_FIGURE(struct ttp_mesh_device, cost_us),
             .help = "mean wait at the collectives where it was last"),
};
const struct ttp_fields ttp_mesh_straggler_fields = {TTP_FIELDS(straggler_fields)};

/* ---- classes of collectives ---- */

#define GET(name, expression) GETTER(class_row, name, expression)
GET(code, ttp_value_text(r->code))
GET(axis, axis_number(r->axis))
GET(ring, ttp_value_i64((int64_t)r->ring))
GET(shape, ttp_value_text(r->shape))
GET(count, ttp_value_i64((int64_t)r->count))
GET(skew, real(r->skew_median_us))
GET(skew95, real(r->skew_p95_us))
GET(wait, real(r->count ? r->wait_us / (double)r->count : NAN))
GET(transfer, real(r->transfer_median_us))
GET(wait_sum, real(r->wait_us))
GET(transfer_sum, real(r->aligned ? r->transfer_us : NAN))
GET(share, real(r->link_share * 100))
GET(last, device_name(m, r->last))
GET(last_count, r->last_count ? ttp_value_i64((int64_t)r->last_count) : none())
#undef GET

static const struct ttp_field class_fields[] = {
    FIELD("code", "Op", "", TTP_TEXT, 0, 0, true, true, get_class_row_code, "op code"),
    FIELD("axis", "Axis", "", TTP_I64, 0, 3, true, false, get_class_row_axis,
          "cluster axis; null: all devices"),
    FIELD("ring_size", "Ring", "", TTP_I64, 0, 5, true, false, get_class_row_ring,
          "devices that run it together"),
    FIELD("shape", "Input", "", TTP_TEXT, 0, 6, true, true, get_class_row_shape,
          "logical shape of input 0"),
    FIELD("count", "N", "", TTP_I64, 0, 0, true, false, get_class_row_count, "how many"),
    FIELD("skew_us", "Skew", "us", TTP_F64, 1, 0, true, false, get_class_row_skew,
          "from the first to the last arrival, median"),
    FIELD("skew_p95_us", "p95", "us", TTP_F64, 1, 4, true, false, get_class_row_skew95,
          "the same, 95th percentile"),
    FIELD("wait_us", "Wait", "us", TTP_F64, 1, 0, true, false, get_class_row_wait,
          "wait of a device, mean"),
    FIELD("transfer_us", "Transfer", "us", TTP_F64, 1, 0, true, false, get_class_row_transfer,
          "from the last arrival to the last end, median"),
    FIELD("wait_sum_us", "Wait sum", "us", TTP_F64, 1, 0, false, false, get_class_row_wait_sum,
          "sum over the collectives of the mean wait"),
    FIELD("transfer_sum_us", "Transfer sum", "us", TTP_F64, 1, 0, false, false,
          get_class_row_transfer_sum, "sum over the collectives"),
    FIELD("link_share_pct", "Link", "%", TTP_F64, 1, 2, true, false, get_class_row_share,
          "bytes over the busiest link relative to its capacity, median"),
    FIELD("last", "Last", "", TTP_TEXT, 0, 1, true, true, get_class_row_last,
          "device that was most often last"),
    FIELD("last_count", "Times", "", TTP_I64, 0, 2, true, false, get_class_row_last_count,
          "how often it was"),
};
const struct ttp_fields ttp_mesh_class_fields = FIELDS(class_fields, "classes");

/* ---- collectives ---- */

static const struct ttp_mesh_op *op_of(const struct ttp_mesh *m,
                                       const struct ttp_mesh_collective *c)
{
    return &m->op[c->op];
}

#define GET(name, expression) GETTER(collective, name, expression)
GET(op, ttp_value_i64((int64_t)r->op))
GET(code, ttp_value_text(op_of(m, r)->code))
GET(axis, axis_number(m->axis[op_of(m, r)->axis_at].axis))
GET(group, ttp_value_i64((int64_t)r->group - (int64_t)m->axis[op_of(m, r)->axis_at].first_group))
GET(members, ttp_value_i64((int64_t)r->members))
GET(missing, ttp_value_i64((int64_t)r->missing))
GET(skew, r->aligned ? real(r->skew_us) : none())
GET(error, r->aligned ? real(r->error_us) : none())
GET(spread, r->aligned ? real(r->spread_us) : none())
GET(last, device_name(m, r->last))
GET(certain, ttp_value_bool(r->certain))
GET(lead, r->aligned ? real(r->lead_us) : none())
GET(wait, real(r->mean_wait_us))
GET(transfer, r->aligned ? real(r->transfer_us) : none())
GET(share, real(r->link_share))
#undef GET

static struct ttp_records list_last(const void *context, const void *row)
{
    return ttp_mesh_device_record(context, ((const struct ttp_mesh_collective *)row)->last);
}

/* By names of devices. */
static struct ttp_value get_waits(const void *context, const void *row)
{
    const struct ttp_mesh *m = context;
    const struct ttp_mesh_collective *c = row;
    struct ttp_sink out;
    struct ttp_json_writer w = {.sink = &out};

    ttp_sink_to_arena(&out, m->arena);
    ttp_json_begin_object(&w);
    for (size_t k = 0; k < c->members; k++) {
        ttp_json_put_key(&w, m->device[c->member[k].device].name);
        ttp_json_put_f64(&w, c->member[k].shown_us);
    }
    ttp_json_end_object(&w);
    return ttp_value_text(ttp_sink_text(&out));
}

static const struct ttp_field collective_fields[] = {
    FIELD("op", "Ordinal", "", TTP_I64, 0, 0, true, false, get_collective_op,
          "number of the op in the run, from 0"),
    FIELD("code", "Op", "", TTP_TEXT, 0, 0, true, true, get_collective_code, "op code"),
    FIELD("axis", "Axis", "", TTP_I64, 0, 4, true, false, get_collective_axis,
          "cluster axis; null: all devices"),
    FIELD("group", "Group", "", TTP_I64, 0, 3, true, false, get_collective_group,
          "group on that axis, from 0"),
    FIELD("members", "Devs", "", TTP_I64, 0, 6, true, false, get_collective_members,
          "devices with usable times"),
    FIELD("missing", "Missing", "", TTP_I64, 0, 7, true, false, get_collective_missing,
          "members without usable times: skew is then a lower bound"),
    FIELD("skew_us", "Skew", "us", TTP_F64, 1, 0, true, false, get_collective_skew,
          "from the first to the last arrival"),
    FIELD("error_us", "Bound ±", "us", TTP_F64, 1, 0, true, false, get_collective_error,
          "maximum error of the skew"),
    FIELD("statistical_error_us", "Est ±", "us", TTP_F64, 2, 5, true, false, get_collective_spread,
          "statistical error of the delay"),
    FIELD("last_name", "Last", "", TTP_TEXT, 0, 0, true, true, get_collective_last,
          "the last to arrive, if its delay exceeds the statistical error"),
    FIELD("certain", "Certain", "", TTP_BOOL, 0, 8, true, true, get_collective_certain,
          "its delay exceeds the bound"),
    FIELD("lead_us", "Lead", "us", TTP_F64, 1, 0, false, false, get_collective_lead,
          "delay of the last device after the one before"),
    FIELD("mean_wait_us", "Wait", "us", TTP_F64, 1, 1, true, false, get_collective_wait,
          "wait of a member, mean"),
    FIELD("transfer_us", "Transfer", "us", TTP_F64, 1, 0, true, false, get_collective_transfer,
          "from the last arrival to the last end"),
    FIELD("link_share", "Link", "", TTP_F64, 3, 2, true, false, get_collective_share,
          "bytes over the busiest link relative to its capacity"),
    TTP_LISTED("last", TTP_OBJECT, list_last, ttp_mesh_bare_device,
               .help = "rank and id of the last to arrive"),
    {.id = "wait_us", .type = TTP_JSON, .get = get_waits, .help = "of each member"},
};
const struct ttp_fields ttp_mesh_collective_fields = FIELDS(collective_fields, "collectives");

/* ---- groups ---- */

#define GET(name, expression) GETTER(axis, name, expression)
GET(axis, axis_number(r->axis))
GET(size, ttp_value_i64((int64_t)r->size))
GET(groups, ttp_value_i64((int64_t)r->groups))
GET(by, ttp_value_word(ttp_mesh_origin_name(r->origin)))
GET(proven, ttp_value_bool(r->proven))
GET(same, ttp_value_bool(r->same_from_data))
GET(refused, ttp_value_bool(r->refused))
GET(rows, ttp_value_i64((int64_t)r->rows))
GET(against, ttp_value_i64((int64_t)r->rows_against))
#undef GET

static const struct ttp_field group_members = {
    TTP_ROWS_AT(struct ttp_mesh_group, member, members, ttp_mesh_bare_index)};
static const struct ttp_fields bare_group = {&group_members, 1, NULL, 0, NULL};

static struct ttp_records list_groups(const void *context, const void *row)
{
    const struct ttp_mesh *m = context;
    const struct ttp_mesh_axis *a = row;

    return (struct ttp_records){&bare_group, m, m->group + a->first_group, sizeof(*m->group),
                                a->groups};
}

static const struct ttp_field axis_fields[] = {
    FIELD("axis", "Axis", "", TTP_I64, 0, 0, true, false, get_axis_axis,
          "cluster axis; null: all devices"),
    FIELD("ring_size", "Ring", "", TTP_I64, 0, 0, true, false, get_axis_size,
          "devices that run a collective together"),
    FIELD("groups", "Groups", "", TTP_I64, 0, 0, true, false, get_axis_groups, "how many groups"),
    FIELD("by", "From", "", TTP_TEXT, 0, 0, true, true, get_axis_by,
          "source of the groups: all devices, mapping files, the order of the host, the data"),
    FIELD("proven", "Proven", "", TTP_BOOL, 0, 0, true, true, get_axis_proven,
          "other groups would contradict the data"),
    FIELD("same_from_data", "Same From Data", "", TTP_BOOL, 0, 0, false, true, get_axis_same,
          "the data alone gives the same groups"),
    FIELD("refused", "Refused", "", TTP_BOOL, 0, 0, true, true, get_axis_refused,
          "too many contradicting rows: not used for clocks"),
    FIELD("rows", "Rows", "", TTP_I64, 0, 0, true, false, get_axis_rows, "rows of its collectives"),
    FIELD("rows_against", "Against", "", TTP_I64, 0, 0, true, false, get_axis_against,
          "rows that contradict at 2,000 ppm"),
    TTP_LISTED("devices", TTP_ROWS, list_groups, bare_group, .help = "those of each group"),
};
const struct ttp_fields ttp_mesh_axis_fields = FIELDS(axis_fields, "groups");

/* ---- the critical path ---- */

#define GET(name, expression) GETTER(worth, name, expression)
GET(code, ttp_value_text(r->code))
GET(count, ttp_value_i64((int64_t)r->count))
GET(compute, real(r->compute_us))
GET(transfer, real(r->transfer_us))
GET(share, real(r->share_pct))
#undef GET

static const struct ttp_field worth_fields[] = {
    FIELD("code", "Op", "", TTP_TEXT, 0, 0, true, true, get_worth_code, "op code"),
    FIELD("count", "N", "", TTP_I64, 0, 0, true, false, get_worth_count, "times on the path"),
    FIELD("compute_us", "Compute", "us", TTP_F64, 1, 1, true, false, get_worth_compute,
          "its compute on the path"),
    FIELD("transfer_us", "Transfer", "us", TTP_F64, 1, 1, true, false, get_worth_transfer,
          "its transfers on the path"),
    FIELD("share_pct", "Path", "%", TTP_F64, 1, 0, true, false, get_worth_share,
          "share of the path: the most that a speed-up can gain"),
};
const struct ttp_fields ttp_mesh_worth_fields = FIELDS(worth_fields, "path");

/* ---- ranks ---- */

#define GET(name, expression) GETTER(rank, name, expression)
GET(rank, ttp_value_i64(r->rank))
GET(host, ttp_value_word(r->host))
GET(devices, ttp_value_i64((int64_t)r->devices))
GET(ops, ttp_value_i64((int64_t)r->ops))
GET(unmatched, ttp_value_i64((int64_t)r->unmatched))
GET(shift, r->doubtful ? none() : ttp_value_i64(r->shift))
GET(shifts, ttp_value_i64((int64_t)r->shifts))
#undef GET

static const struct ttp_field rank_fields[] = {
    FIELD("rank", "Rank", "", TTP_I64, 0, 0, true, false, get_rank_rank, "its number"),
    FIELD("host", "Host", "", TTP_TEXT, 0, 1, true, true, get_rank_host, "name of its host"),
    FIELD("devices", "Devices", "", TTP_I64, 0, 0, true, false, get_rank_devices,
          "devices with ops"),
    FIELD("ops", "Ops", "", TTP_I64, 0, 0, true, false, get_rank_ops, "programs it ran"),
    FIELD("unmatched", "Unmatched", "", TTP_I64, 0, 0, true, false, get_rank_unmatched,
          "programs without a match in another rank"),
    FIELD("shift", "Shift", "", TTP_I64, 0, 0, true, false, get_rank_shift,
          "shift of its sequence relative to the longest"),
    FIELD("shifts", "Possible", "", TTP_I64, 0, 0, true, false, get_rank_shifts,
          "number of shifts that fit equally well"),
};
const struct ttp_fields ttp_mesh_rank_fields = FIELDS(rank_fields, "ranks");

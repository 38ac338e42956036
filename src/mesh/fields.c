/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - figures of devices, collectives, groups and of the critical path. */
#include <math.h>

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

const char *ttp_mesh_origin_name(enum ttp_mesh_origin origin)
{
    static const char *const names[] = {[TTP_MESH_FROM_ALL] = "all",
                                        [TTP_MESH_FROM_FILES] = "files",
                                        [TTP_MESH_FROM_ORDER] = "order",
                                        [TTP_MESH_FROM_DATA] = "data"};
    return names[origin];
}

#define MESH    struct ttp_mesh
#define DEVICE  struct ttp_mesh_device
#define CLASS   struct ttp_mesh_class_row
#define MEETING struct ttp_mesh_collective
#define AXIS    struct ttp_mesh_axis
#define WORTH   struct ttp_mesh_worth
#define RANK    struct ttp_mesh_rank
#define FIELDS(array, where)                                                                       \
    {                                                                                              \
        (array), TTP_COUNT(array), NULL, 0,                                                        \
            "tt-perf mesh --table " where " --columns help lists them"                             \
    }

/* ---- devices, and lists of them ---- */

/* A device in JSON: [rank, id]. */
#define RANK_AND_ID                                                                                \
    .type = TTP_ROWS, .stored = TTP_STORED_HERE, .offset = offsetof(DEVICE, rank), .fixed = 2,     \
    .row_size = sizeof(int64_t), .sub = &ttp_bare_i64
_Static_assert(offsetof(DEVICE, id) == offsetof(DEVICE, rank) + sizeof(int64_t),
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

/* The device with its sums over the iterations of the window alone, and such a sum for one. */
static const DEVICE *in_window(const MESH *m, const DEVICE *device)
{
    return &m->window.device[device - m->device];
}
static struct ttp_value each(const MESH *m, double sum)
{
    return real(sum / (double)m->window.iterations);
}
TTP_GET(get_device_gap_each, MESH, DEVICE, each(c, in_window(c, r)->gap_us))
TTP_GET(get_device_compute_each, MESH, DEVICE, each(c, in_window(c, r)->busy_us))
TTP_GET(get_device_wait_each, MESH, DEVICE, each(c, in_window(c, r)->wait_us))
TTP_GET(get_device_transfer_each, MESH, DEVICE, each(c, in_window(c, r)->transfer_us))
TTP_GET(get_device_cost_each, MESH, DEVICE, each(c, in_window(c, r)->cost_us))
TTP_GET(get_device_op_each, MESH, DEVICE,
        in_window(c, r)->op.len ? ttp_value_text(in_window(c, r)->op) : none())
TTP_GET(get_device_op_us_each, MESH, DEVICE,
        in_window(c, r)->op.len ? each(c, in_window(c, r)->op_us) : none())
TTP_GET(get_device_op_pct, MESH, DEVICE,
        in_window(c, r)->op.len ? real(in_window(c, r)->op_pct) : none())
TTP_GET(get_device_path_excess, MESH, DEVICE, each(c, in_window(c, r)->path_excess_us))
TTP_GET(get_device_excess_each, MESH, DEVICE, real(r->excess_each_us))
/* In a hundred of what the device would compute as the median does. */
TTP_GET(get_device_excess_pct, MESH, DEVICE, real(r->excess_pct))
TTP_GET(get_device_op, MESH, DEVICE, r->op.len ? ttp_value_text(r->op) : none())
TTP_GET(get_device_op_us, MESH, DEVICE, r->op.len ? real(r->op_us) : none())
TTP_GET(get_device_since, MESH, DEVICE, r->since_op ? real(r->since_us) : none())
TTP_GET(get_device_rate, MESH, DEVICE, real(r->rate_ppm))

static const struct ttp_field device_fields[] = {
    {.id = "device", RANK_AND_ID, .help = "rank and id"},
    TTP_WORDS_COLUMN("name", "Device", 0, TTP_FIGURE(DEVICE, name), .help = "rank:id"),
    TTP_WORDS_COLUMN("coord", "Coord", 4, TTP_FIGURE(DEVICE, place),
                     .help = "row and column in the mesh"),
    TTP_WORDS_COLUMN("host", "Host", 6, TTP_FIGURE(DEVICE, host), .help = "name of its host"),
    TTP_WORDS("arch", .title = "Arch", TTP_FIGURE(DEVICE, arch), .help = "architecture"),
    TTP_REAL("ghz", "GHz", 3, .title = "GHz", TTP_FIGURE(DEVICE, ghz), .help = "nominal clock"),
    TTP_REAL("excess_us", "us", 1, .title = "Excess of run", TTP_FIGURE(DEVICE, excess_us),
             .help = "straggler score: compute time above the median of all devices, over the run"),
    TTP_REAL_COLUMN("iteration_excess_us", "Excess", "us", 1, 0, .get = get_device_excess_each,
                    .help = "the same per iteration, as all figures iteration_*: of the iterations "
                            "that 'tt-perf report' shows"),
    TTP_REAL_COLUMN("excess_percent", "Excess share", "%", 1, 7, .get = get_device_excess_pct,
                    .help = "the same as a share of the median's compute time"),
    TTP_WORDS("op", .title = "Op of run", .get = get_device_op,
              .help = "op code with the largest excess over the run, if it is above 0"),
    TTP_REAL("op_us", "us", 1, .title = "Op of run", .get = get_device_op_us, .help = "its excess"),
    TTP_WORDS_COLUMN("iteration_op", "Op", 0, .get = get_device_op_each,
                     .help = "the same in those iterations"),
    TTP_REAL_COLUMN("iteration_op_us", "Op", "us", 1, 8, .get = get_device_op_us_each,
                    .help = "its excess"),
    TTP_REAL("op_percent", "%", 1, .title = "Op share", .get = get_device_op_pct,
             .help = "by how much it takes longer than the median of all devices"),
    TTP_REAL("path_excess_us", "us", 1, .title = "Path excess", .get = get_device_path_excess,
             .help = "excess on the critical path, per iteration: the most that a device as fast "
                     "as the others saves"),
    TTP_REAL("since_us", "us", 1, .title = "Since", .get = get_device_since,
             .help = "since when it is slow, from its first op on; null: always, or never"),
    TTP_REAL("gap_us", "us", 1, .title = "Idle of run", TTP_FIGURE(DEVICE, gap_us),
             .help = "idle time before a collective beyond that of the median device there, summed "
                     "over all: host and dispatch"),
    TTP_REAL_COLUMN("iteration_gap_us", "Idle vs median", "us", 1, 3, .get = get_device_gap_each,
                    .help = "the same per iteration"),
    TTP_INT("stretches", "", .title = "Stretches", TTP_FIGURE(DEVICE, stretches),
            .help = "intervals between two collectives"),
    TTP_REAL("compute_us", "us", 1, .title = "Compute of run", TTP_FIGURE(DEVICE, busy_us),
             .help = "time in compute ops"),
    TTP_REAL_COLUMN("iteration_compute_us", "Compute", "us", 1, 9, .get = get_device_compute_each,
                    .help = "the same per iteration"),
    TTP_REAL("wait_us", "us", 1, .title = "Wait of run", TTP_FIGURE(DEVICE, wait_us),
             .help = "time in collectives, waiting for others"),
    TTP_REAL_COLUMN("iteration_wait_us", "Wait", "us", 1, 1, .get = get_device_wait_each,
                    .help = "the same per iteration"),
    TTP_REAL("transfer_us", "us", 1, .title = "Transfer of run", TTP_FIGURE(DEVICE, transfer_us),
             .help = "time in collectives after all devices arrived"),
    TTP_REAL_COLUMN("iteration_transfer_us", "Transfer", "us", 1, 6,
                    .get = get_device_transfer_each, .help = "the same per iteration"),
    TTP_REAL("exposed_us", "us", 1, .title = "Exposed", TTP_FIGURE(DEVICE, exposed_us),
             .help = "communication not hidden by compute on another sub-device"),
    TTP_REAL("hidden_us", "us", 1, .title = "Hidden", TTP_FIGURE(DEVICE, hidden_us),
             .help = "communication hidden by such compute"),
    TTP_INT_COLUMN("last", "Last", "", 4, TTP_FIGURE(DEVICE, last),
                   .help = "collectives where it was last by more than the statistical error"),
    TTP_INT("certain", "", .title = "Certain", TTP_FIGURE(DEVICE, certain),
            .help = "of these, by more than the bound"),
    TTP_INT("clearly_last", "", .title = "Clearly last", TTP_FIGURE(DEVICE, clear),
            .help = "of these, by more than twice the bound: `last` of a straggler"),
    TTP_REAL("cost_us", "us", 1, .title = "Cost of run", TTP_FIGURE(DEVICE, cost_us),
             .help = "mean wait at the collectives where it was last"),
    TTP_REAL_COLUMN("iteration_cost_us", "Cost", "us", 1, 2, .get = get_device_cost_each,
                    .help = "the same per iteration"),
    TTP_REAL("rate_ppm", "ppm", 1, .title = "Rate", .get = get_device_rate,
             .help = "clock relative to the reference, over the run"),
    TTP_INT("rows", "", .title = "Rows", TTP_FIGURE(DEVICE, rows), .help = "rows of its ops"),
    TTP_INT("rows_set_aside", "", .title = "Aside", TTP_FIGURE(DEVICE, rows_aside),
            .help = "rows that contradict the others"),
    TTP_INT("rows_without_times", "", .title = "Untimed", TTP_FIGURE(DEVICE, rows_without_times),
            .help = "rows without usable cycles"),
    TTP_INT("timeline", "", .title = "Timeline", TTP_FIGURE(DEVICE, component),
            .help = "devices with the same number have related clocks"),
    TTP_INT("base_cycle", "", TTP_FIGURE(DEVICE, base_cycle),
            .help = "cycle at which its own time starts"),
    TTP_LISTED("theta_ns_at_start_mid_end", TTP_ROWS, list_theta, ttp_mesh_bare_pair,
               .help = "bounds of the offset from its own time to common time"),
    TTP_LISTED("estimate_ns_at_start_mid_end", TTP_ROWS, list_estimate, ttp_bare_f64,
               .help = "estimate of the same offset"),
    TTP_LISTED("statistical_error_ns_at_start_mid_end", TTP_ROWS, list_error, ttp_bare_f64,
               .help = "statistical error of that estimate"),
};
/* The pair of JSON is no column. */
static const struct ttp_field_alias device_aliases[] = {{"device", "name"}};
const struct ttp_fields ttp_mesh_device_fields = {
    TTP_FIELDS(device_fields), device_aliases, TTP_COUNT(device_aliases),
    "tt-perf mesh --table devices --columns help lists them"};

/* The same devices by what they cost the others. */
static const struct ttp_field straggler_fields[] = {
    {.id = "device", RANK_AND_ID, .help = "rank and id"},
    TTP_WORDS("name", .title = "Device", TTP_FIGURE(DEVICE, name), .help = "rank:id"),
    TTP_REAL("excess_us", "us", 0, TTP_FIGURE(DEVICE, excess_us),
             .help = "compute time above the median of all devices"),
    TTP_REAL("gap_us", "us", 0, TTP_FIGURE(DEVICE, gap_us),
             .help = "the same of idle time: host and dispatch"),
    TTP_INT("stretches", "", TTP_FIGURE(DEVICE, stretches)),
    {.id = "op", .type = TTP_TEXT, .get = get_device_op, .help = "with the largest excess"},
    TTP_REAL("op_us", "us", 0, .get = get_device_op_us),
    TTP_INT("last", "", .title = "Clearly last", TTP_FIGURE(DEVICE, clear),
            .help = "collectives at which it was last beyond twice the bound"),
    TTP_REAL("cost_us", "us", 0, TTP_FIGURE(DEVICE, cost_us),
             .help = "mean wait at the collectives where it was last"),
};
const struct ttp_fields ttp_mesh_straggler_fields = {TTP_FIELDS(straggler_fields)};

/* ---- classes of collectives ---- */

TTP_GET(get_class_row_wait, MESH, CLASS, real(r->count ? r->wait_us / (double)r->count : NAN))
TTP_GET(get_class_row_transfer_sum, MESH, CLASS, real(r->aligned ? r->transfer_us : NAN))
TTP_GET(get_class_row_over_peak, MESH, CLASS, ttp_value_bool(r->link_share > 1))
TTP_GET(get_class_row_last, MESH, CLASS, device_name(c, r->last))
TTP_GET(get_class_row_last_count, MESH, CLASS,
        r->last_count ? ttp_value_i64((int64_t)r->last_count) : none())

static const struct ttp_field class_fields[] = {
    TTP_WORDS_COLUMN("code", "Op", 0, TTP_FIGURE(CLASS, code), .help = "op code"),
    TTP_INT_COLUMN("axis", "Axis", "", 3, TTP_FIGURE(CLASS, axis), .is_id = true,
                   .help = "cluster axis; null: all devices"),
    TTP_INT_COLUMN("ring_size", "Ring", "", 5, TTP_FIGURE(CLASS, ring),
                   .help = "devices that run it together"),
    TTP_WORDS_COLUMN("shape", "Input", 1, TTP_FIGURE(CLASS, shape),
                     .help = "logical shape of input 0"),
    TTP_INT_COLUMN("count", "N", "", 0, TTP_FIGURE(CLASS, count), .help = "how many"),
    TTP_REAL_COLUMN("skew_us", "Skew", "us", 1, 0, TTP_FIGURE(CLASS, skew_median_us),
                    .help = "from the first to the last arrival, median"),
    TTP_REAL_COLUMN("skew_p95_us", "p95", "us", 1, 4, TTP_FIGURE(CLASS, skew_p95_us),
                    .help = "the same, 95th percentile"),
    TTP_REAL_COLUMN("wait_us", "Wait", "us", 1, 0, .get = get_class_row_wait,
                    .help = "wait of a device, mean"),
    TTP_REAL_COLUMN("transfer_us", "Transfer", "us", 1, 0, TTP_FIGURE(CLASS, transfer_median_us),
                    .help = "from the last arrival to the last end, median"),
    TTP_REAL("imbalance_us", "us", 1, .title = "Wait sum", TTP_FIGURE(CLASS, wait_us),
             .help = "sum over the collectives of the mean wait"),
    TTP_REAL("transfer_sum_us", "us", 1, .title = "Transfer sum", .get = get_class_row_transfer_sum,
             .help = "sum over the collectives"),
    TTP_REAL_COLUMN("link_share", "Link", "", 3, 2, TTP_FIGURE(CLASS, link_share),
                    .help = "bytes over the busiest link relative to its capacity, median"),
    TTP_FLAG("over_peak", .title = "Over peak", .get = get_class_row_over_peak,
             .help = "the link share exceeds 1, which cannot be true"),
    TTP_WORDS_COLUMN("last", "Last", 1, .get = get_class_row_last,
                     .help = "device that was most often last"),
    TTP_INT_COLUMN("last_count", "Times", "", 2, .get = get_class_row_last_count,
                   .help = "how often it was"),
};
const struct ttp_fields ttp_mesh_class_fields = FIELDS(class_fields, "classes");

/* ---- collectives ---- */

static const struct ttp_mesh_op *op_of(const struct ttp_mesh *m,
                                       const struct ttp_mesh_collective *c)
{
    return &m->op[c->op];
}

TTP_GET(get_collective_over_peak, MESH, MEETING, ttp_value_bool(r->link_share > 1))
TTP_GET(get_collective_code, MESH, MEETING, ttp_value_text(op_of(c, r)->code))
TTP_GET(get_collective_axis, MESH, MEETING, axis_number(c->axis[op_of(c, r)->axis_at].axis))
TTP_GET(get_collective_group, MESH, MEETING,
        ttp_value_i64((int64_t)r->group - (int64_t)c->axis[op_of(c, r)->axis_at].first_group))
TTP_GET(get_collective_error, MESH, MEETING, r->aligned ? real(r->error_us) : none())
TTP_GET(get_collective_spread, MESH, MEETING, r->aligned ? real(r->spread_us) : none())
TTP_GET(get_collective_last, MESH, MEETING, device_name(c, r->last))

static struct ttp_records list_last(const void *context, const void *row)
{
    return ttp_mesh_device_record(context, ((const struct ttp_mesh_collective *)row)->last);
}

/* By names of devices. */
#define MEMBER struct ttp_mesh_member
TTP_GET(get_member, MESH, MEMBER, device_name(c, r->device))
static const struct ttp_field wait_fields[] = {
    TTP_WORDS("device", .get = get_member),
    {.type = TTP_F64, .unit = "us", TTP_FIGURE(MEMBER, shown_us)},
};
static const struct ttp_fields waits = {TTP_FIELDS(wait_fields)};

static const struct ttp_field collective_fields[] = {
    TTP_INT_COLUMN("op", "Ordinal", "", 0, TTP_FIGURE(MEETING, op),
                   .help = "number of the op in the run, from 0"),
    TTP_WORDS_COLUMN("code", "Op", 0, .get = get_collective_code, .help = "op code"),
    TTP_INT_COLUMN("axis", "Axis", "", 4, .get = get_collective_axis,
                   .help = "cluster axis; null: all devices"),
    TTP_INT_COLUMN("group", "Group", "", 3, .get = get_collective_group,
                   .help = "group on that axis, from 0"),
    TTP_INT_COLUMN("members", "Devs", "", 6, TTP_FIGURE(MEETING, members),
                   .help = "devices with usable times"),
    TTP_INT_COLUMN("missing", "Missing", "", 7, TTP_FIGURE(MEETING, missing),
                   .help = "members without usable times: skew is then a lower bound"),
    TTP_REAL_COLUMN("skew_us", "Skew", "us", 1, 0, TTP_FIGURE(MEETING, skew_us),
                    TTP_KNOWN_IF(MEETING, aligned), .help = "from the first to the last arrival"),
    TTP_REAL_COLUMN("error_us", "Bound ±", "us", 1, 0, .get = get_collective_error,
                    .help = "maximum error of the skew"),
    TTP_REAL_COLUMN("statistical_error_us", "Est ±", "us", 2, 5, .get = get_collective_spread,
                    .help = "statistical error of the delay"),
    TTP_WORDS_COLUMN("last_name", "Last", 0, .get = get_collective_last,
                     .help = "the last to arrive, if its delay exceeds the statistical error"),
    TTP_FLAG("certain", TTP_SHOWN("Certain"), .drop = 8, TTP_FIGURE(MEETING, certain),
             .help = "its delay exceeds the bound"),
    TTP_REAL("lead_us", "us", 1, .title = "Lead", TTP_FIGURE(MEETING, lead_us),
             TTP_KNOWN_IF(MEETING, aligned),
             .help = "delay of the last device after the one before"),
    TTP_REAL("late_us", "us", 1, .title = "Late", TTP_FIGURE(MEETING, late_us),
             TTP_KNOWN_IF(MEETING, aligned),
             .help = "how much earlier the last would have arrived if no device had been idle "
                     "before it"),
    TTP_REAL_COLUMN("mean_wait_us", "Wait", "us", 1, 1, TTP_FIGURE(MEETING, mean_wait_us),
                    .help = "wait of a member, mean"),
    TTP_REAL_COLUMN("transfer_us", "Transfer", "us", 1, 0, TTP_FIGURE(MEETING, transfer_us),
                    TTP_KNOWN_IF(MEETING, aligned),
                    .help = "from the last arrival to the last end"),
    TTP_REAL_COLUMN("link_share", "Link", "", 3, 2, TTP_FIGURE(MEETING, link_share),
                    .help = "bytes over the busiest link relative to its capacity"),
    TTP_FLAG("over_peak", .title = "Over peak", .get = get_collective_over_peak,
             .help = "the link share exceeds 1, which cannot be true"),
    TTP_LISTED("last", TTP_OBJECT, list_last, ttp_mesh_bare_device,
               .help = "rank and id of the last to arrive"),
    {.id = "wait_us",
     .nest = TTP_NEST_MAP,
     TTP_ROWS_AT(MEETING, member, members, waits),
     .help = "of each member"},
};
const struct ttp_fields ttp_mesh_collective_fields = FIELDS(collective_fields, "collectives");

/* ---- groups ---- */

TTP_GET(get_axis_by, MESH, AXIS, ttp_value_word(ttp_mesh_origin_name(r->origin)))

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
    TTP_INT_COLUMN("axis", "Axis", "", 0, TTP_FIGURE(AXIS, axis), .is_id = true,
                   .help = "cluster axis; null: all devices"),
    TTP_INT_COLUMN("ring_size", "Ring", "", 0, TTP_FIGURE(AXIS, size),
                   .help = "devices that run a collective together"),
    TTP_INT_COLUMN("groups", "Groups", "", 0, TTP_FIGURE(AXIS, groups), .help = "how many groups"),
    TTP_WORDS_COLUMN(
        "by", "From", 0, .get = get_axis_by,
        .help =
            "source of the groups: all devices, mapping files, the order of the host, the data"),
    TTP_FLAG("proven", TTP_SHOWN("Proven"), TTP_FIGURE(AXIS, proven),
             .help = "other groups would contradict the data"),
    TTP_FLAG("same_from_data", .title = "Same From Data", TTP_FIGURE(AXIS, same_from_data),
             .help = "the data alone gives the same groups"),
    TTP_FLAG("refused", TTP_SHOWN("Refused"), TTP_FIGURE(AXIS, refused),
             .help = "too many contradicting rows: not used for clocks"),
    TTP_INT_COLUMN("rows", "Rows", "", 0, TTP_FIGURE(AXIS, rows),
                   .help = "rows of its collectives"),
    TTP_INT_COLUMN("rows_against", "Against", "", 0, TTP_FIGURE(AXIS, rows_against),
                   .help = "rows that contradict at 2,000 ppm"),
    TTP_LISTED("devices", TTP_ROWS, list_groups, bare_group, .help = "those of each group"),
};
const struct ttp_fields ttp_mesh_axis_fields = FIELDS(axis_fields, "groups");

/* ---- the critical path ---- */

static const struct ttp_field worth_fields[] = {
    TTP_WORDS_COLUMN("code", "Op", 0, TTP_FIGURE(WORTH, code), .help = "op code"),
    TTP_INT_COLUMN("count", "N", "", 0, TTP_FIGURE(WORTH, count), .help = "times on the path"),
    TTP_REAL_COLUMN("compute_us", "Compute", "us", 1, 1, TTP_FIGURE(WORTH, compute_us),
                    .help = "its compute on the path"),
    TTP_REAL_COLUMN("transfer_us", "Transfer", "us", 1, 1, TTP_FIGURE(WORTH, transfer_us),
                    .help = "its transfers on the path"),
    TTP_REAL_COLUMN("share_percent", "Path", "%", 1, 0, TTP_FIGURE(WORTH, share_pct),
                    .help = "share of the path: the most that a speed-up can gain"),
};
const struct ttp_fields ttp_mesh_worth_fields = FIELDS(worth_fields, "path");

/* ---- ranks ---- */

TTP_GET(get_rank_shift, MESH, RANK, r->doubtful ? none() : ttp_value_i64(r->shift))

static const struct ttp_field rank_fields[] = {
    TTP_INT_COLUMN("rank", "Rank", "", 0, TTP_FIGURE(RANK, rank), .help = "its number"),
    TTP_WORDS_COLUMN("host", "Host", 1, TTP_FIGURE(RANK, host), .help = "name of its host"),
    TTP_INT_COLUMN("devices", "Devices", "", 0, TTP_FIGURE(RANK, devices),
                   .help = "devices with ops"),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(RANK, ops), .help = "programs it ran"),
    TTP_INT_COLUMN("unmatched", "Unmatched", "", 0, TTP_FIGURE(RANK, unmatched),
                   .help = "programs without a match in another rank"),
    TTP_INT_COLUMN("shift", "Shift", "", 0, .get = get_rank_shift,
                   .help = "shift of its sequence relative to the longest"),
    TTP_INT_COLUMN("shifts", "Possible", "", 0, TTP_FIGURE(RANK, shifts),
                   .help = "number of shifts that fit equally well"),
    TTP_FLAG("by_host", .title = "By host", TTP_FIGURE(RANK, by_host),
             .help = "clocks of hosts decided between them"),
};
const struct ttp_fields ttp_mesh_rank_fields = FIELDS(rank_fields, "ranks");

/* SPDX-License-Identifier: Apache-2.0 */
/* report_html.c - a report as a page: where the time of one iteration goes, and what to change. */
#include <math.h>

#include "outputs/advise/advise_parts.h"
#include "outputs/report/first_screen.h"
#include "outputs/report/report_memory.h"
#include "outputs/report/report_parts.h"
#include "outputs/report/window_fields.h"
#include "outputs/roofline/roofline_drawing.h"

/* Heat maps without coordinates are this wide. */
#define MAP_COLUMNS 8

enum {
    PAGE_BUDGET,
    PAGE_PHASES,
    PAGE_GROUPS,
    PAGE_LOCATIONS,
    PAGE_CONST_EVAL,
    PAGE_PLAN,
    PAGE_POINTS,
    PAGE_ROOFS,
    PAGE_TREE,
    PAGE_DEVICES,
    PAGE_MEMORY_DEVICES,
    PAGE_MEMORY,
    PAGE_OPS,
    PAGE_QUALITY,
    PAGE_WINDOW,
    PAGE_RUN,
};

/* ---- phases ---- */

struct phase {
    const char *name, *meaning;
    size_t ops;
    double time_us;
};
static const struct ttp_field phase_fields[] = {
    TTP_WORDS_COLUMN("phase", "Phase", 0, TTP_FIGURE(struct phase, name)),
    TTP_REAL_COLUMN("device_us", "Device Time", "us", 1, 0, TTP_FIGURE(struct phase, time_us)),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(struct phase, ops)),
    TTP_WORDS_COLUMN("meaning", "Meaning", 0, TTP_FIGURE(struct phase, meaning)),
};
static const struct ttp_fields phases = {TTP_FIELDS(phase_fields)};

static void set_phases(struct ttp_document *doc, const struct ttp_window *w,
                       struct ttp_arena *arena)
{
    static const struct {
        const char *name, *meaning;
    } phase[TTP_PHASES] = {
        [TTP_PHASE_SETUP] = {"set-up", "operations that do not belong to an iteration"},
        [TTP_PHASE_COLD] = {"cold", "programs that run for the first time"},
        [TTP_PHASE_CAPTURE] = {"capture", "calls that are recorded into a trace"},
        [TTP_PHASE_WARMUP] = {"warm-up", "iterations before the steady ones"},
        [TTP_PHASE_ITERATION] = {"iterations", "part that this report shows"},
        [TTP_PHASE_AFTER] = {"after", "operations after the last iteration"},
    };
    struct phase *list = TTP_NEW(arena, struct phase, TTP_PHASES);
    size_t n = 0;

    for (size_t i = 0; i < TTP_PHASES; i++)
        if (w->phase[i].ops)
            list[n++] = (struct phase){phase[i].name, phase[i].meaning, w->phase[i].ops,
                                       w->phase[i].time_us};
    ttp_document_rows(doc, PAGE_PHASES, NULL, list, n);
}

/* ---- groups ---- */

#define GROUP            struct ttp_screen_group
#define GROUP_OF(member) TTP_FIGURE(GROUP, member)
TTP_GET(get_share, struct ttp_screen_groups, GROUP,
        ttp_value_f64(c->time_us > 0 ? ttp_out_screen_share(c, r->time_us) : NAN))
TTP_GET(get_mean, struct ttp_screen_groups, GROUP, ttp_value_f64(r->time_us / (double)r->count))
TTP_GET(get_bound, struct ttp_screen_groups, GROUP, ttp_value_word(ttp_out_screen_group_bound(r)))

static const struct ttp_field group_fields[] = {
    TTP_WORDS_COLUMN("group", "Op", 0, GROUP_OF(name)),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, .get = get_share,
                    .help = "of the device time of the window"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, GROUP_OF(time_us), .help = "sum of its ops"),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, GROUP_OF(count)),
    TTP_REAL_COLUMN("mean_us", "Each", "us", 1, 0, .get = get_mean),
    TTP_REAL_COLUMN("min_us", "Min", "us", 1, 0, GROUP_OF(min_us)),
    TTP_REAL_COLUMN("max_us", "Max", "us", 1, 0, GROUP_OF(max_us)),
    TTP_INT_COLUMN("cores", "Cores", "", 0, GROUP_OF(cores), .above_0 = true),
    TTP_WORDS_COLUMN("bound", "Bound", 0, .get = get_bound),
    TTP_REAL_COLUMN("dram_percent", "DRAM", "%", 1, 0, GROUP_OF(dram_pct), .above_0 = true,
                    .help = "share of the board's DRAM bandwidth"),
    TTP_REAL_COLUMN("flops_percent", "FLOPs", "%", 1, 0, GROUP_OF(flops_pct), .above_0 = true,
                    .help = "share of the peak of the cores used"),
};
static const struct ttp_fields groups = {TTP_FIELDS(group_fields)};

/* ---- groups by what tt-mlir says ---- */

#define ORIGIN struct ttp_group
static const struct ttp_field origin_fields[] = {
    TTP_REAL_COLUMN("device_us", "Device time", "us", 2, 0, TTP_FIGURE(ORIGIN, time_us)),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, TTP_FIGURE(ORIGIN, time_pct)),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(ORIGIN, count)),
    TTP_WORDS_COLUMN("name", "Where", 0, TTP_FIGURE(ORIGIN, key)),
};
static const struct ttp_fields origins = {TTP_FIELDS(origin_fields)};

/* ---- ranges, or layers ---- */

struct branch {
    ttp_str name;
    int64_t depth, ops, first_id;
    double time_us;
};
#define BRANCH(member) TTP_FIGURE(struct branch, member)
static const struct ttp_field branch_fields[] = {
    TTP_WORDS_COLUMN("name", "Range or layer", 0, BRANCH(name)),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, BRANCH(time_us)),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, BRANCH(ops)),
    TTP_INT_COLUMN("first_id", "First ID", "", 0, BRANCH(first_id)),
    TTP_INT("depth", "", BRANCH(depth)),
};
static const struct ttp_fields branches = {TTP_FIELDS(branch_fields)};

struct tree {
    struct branch *item;
    size_t count;
    struct ttp_arena *arena;
};

static void add_ranges(struct tree *t, const struct ttp_ranges *ranges)
{
    size_t count;
    const size_t *shown = ttp_out_ranges_shown(&count, ranges, t->arena);

    t->item = TTP_NEW(t->arena, struct branch, count);
    for (size_t i = 0; i < count; i++) {
        const struct ttp_range *r = &ranges->item[shown[i]];
        t->item[t->count++] = (struct branch){r->name, r->depth, (int64_t)r->ops,
                                              (int64_t)r->first_row + 2, r->time_us};
    }
}

static double time_of(const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE && op->has & TTP_HAS_TIME ? op->time_us : 0;
}

/* Ops [from, to) as one branch. */
static struct branch *add_stretch(struct tree *t, const struct ttp_report *r, ttp_str name,
                                  size_t from, size_t to)
{
    struct branch *b = &t->item[t->count++];

    *b = (struct branch){.name = name, .depth = 1, .first_id = (int64_t)r->op[from].row + 2};
    for (size_t i = from; i < to; i++) {
        b->time_us += time_of(&r->op[i]);
        b->ops += r->op[i].kind == TTP_OP_DEVICE;
    }
    return b;
}

/* Each op of a stretch below it; ops that follow one another with the same name are one. */
static void add_leaves(struct tree *t, const struct ttp_report *r, int64_t depth, size_t from,
                       size_t to)
{
    const size_t first = t->count;

    for (size_t i = from; i < to; i++) {
        const ttp_str name = ttp_sym_name(r->syms, r->op[i].name);
        struct branch *last = t->count > first ? &t->item[t->count - 1] : NULL;

        if (r->op[i].kind != TTP_OP_DEVICE)
            continue;
        if (!last || !ttp_str_eq(last->name, name)) {
            last = &t->item[t->count++];
            *last = (struct branch){name, depth, 0, (int64_t)r->op[i].row + 2, 0};
        }
        last->time_us += time_of(&r->op[i]);
        last->ops++;
    }
}

/* A stretch that no layer repeats: its ops are directly below the window if there are no
 * layers at all. */
static void add_rest(struct tree *t, const struct ttp_report *r, const struct ttp_folds *folds,
                     size_t from, size_t to)
{
    if (from >= to)
        return;
    if (folds->count)
        (void)add_stretch(t, r, TTP_STR("outside of layers"), from, to);
    add_leaves(t, r, folds->count ? 2 : 1, from, to);
}

/* Without ranges: layers that repeat one another, and what lies between them. */
static void add_layers(struct tree *t, const struct ttp_report *r)
{
    struct ttp_folds folds;
    size_t at = 0;

    ttp_analysis_fold(&folds, r, t->arena);
    t->item = TTP_NEW(t->arena, struct branch, 3 * r->count + 2);
    t->item[t->count++] = (struct branch){TTP_STR("window"), 0, (int64_t)r->device_ops,
                                          r->count ? (int64_t)r->op[0].row + 2 : 0, r->time_us};
    for (size_t f = 0; f < folds.count; f++) {
        const struct ttp_fold *fold = &folds.item[f];

        add_rest(t, r, &folds, at, fold->first);
        for (size_t k = 0; k < fold->repeats; k++) {
            const size_t from = fold->first + k * fold->rows;
            struct ttp_sink name;

            ttp_sink_to_arena(&name, t->arena);
            ttp_sink_printf(&name, "%s %zu", ttp_analysis_fold_name(fold->kind), k);
            (void)add_stretch(t, r, ttp_sink_text(&name), from, from + fold->rows);
            add_leaves(t, r, 2, from, from + fold->rows);
        }
        at = fold->first + fold->rows * fold->repeats;
    }
    add_rest(t, r, &folds, at, r->count);
}

/* ---- devices ---- */

struct chip {
    ttp_str name;
    int64_t x, y, ops;
    double time_us;
};
#define CHIP(member) TTP_FIGURE(struct chip, member)
static const struct ttp_field chip_fields[] = {
    TTP_WORDS_COLUMN("device", "Device", 0, CHIP(name)),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, CHIP(time_us),
                    .help = "of one iteration, collectives with their waits included"),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, CHIP(ops)),
    TTP_INT("x", "", CHIP(x)),
    TTP_INT("y", "", CHIP(y)),
};
static const struct ttp_fields chips = {TTP_FIELDS(chip_fields)};

static ttp_str chip_name(const struct ttp_ops *ops, int64_t id, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (ops->devices && (size_t)id < ops->devices)
        return ttp_sym_name(&ops->syms, ops->device[id].name);
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%lld", (long long)id);
    return ttp_sink_text(&out);
}

/* The device of the mesh that a number of the table means; NULL: none. */
static const struct ttp_mesh_device *mesh_device(const struct ttp_mesh *m,
                                                 const struct ttp_ops *ops, int64_t id)
{
    const bool named = ops->devices && (size_t)id < ops->devices;
    const int64_t rank = named ? ops->device[id].rank : 0, own = named ? ops->device[id].id : id;

    for (size_t d = 0; d < m->devices; d++)
        if (m->device[d].id == own && (!named || m->device[d].rank == rank))
            return &m->device[d];
    return NULL;
}

/* At their rows and columns of the mesh, if all of them have one: no map mixes both. */
static void place_in_mesh(struct chip *list, const struct ttp_report *r, const struct ttp_mesh *m)
{
    size_t placed = 0;

    while (m && placed < r->device_times) {
        const struct ttp_mesh_device *d = mesh_device(m, r->ops, r->device_time[placed].device);
        if (!d || !d->has_place)
            return;
        placed++;
    }
    for (size_t i = 0; i < placed; i++) {
        const struct ttp_mesh_device *d = mesh_device(m, r->ops, r->device_time[i].device);
        list[i].x = d->column;
        list[i].y = d->row;
    }
}

/* Where a device is drawn without that: a row for each rank, or rows of the same length. */
static void place(struct chip *chip, const struct chip *before, const struct ttp_ops *ops,
                  const struct ttp_device_time *at)
{
    const bool same_rank =
        before && ops->devices && ops->device[at[0].device].rank == ops->device[at[-1].device].rank;

    chip->x = before ? before->x + 1 : 0;
    chip->y = before ? before->y : 0;
    if (chip->x < MAP_COLUMNS && (!before || !ops->devices || same_rank))
        return;
    chip->x = 0;
    chip->y++;
}

static void set_devices(struct ttp_document *doc, const struct ttp_report *r,
                        const struct ttp_mesh *mesh, struct ttp_arena *arena)
{
    struct chip *list = TTP_NEW(arena, struct chip, r->device_times + 1);

    if (r->device_times < 2)
        return;
    for (size_t i = 0; i < r->device_times; i++) {
        const struct ttp_device_time *d = &r->device_time[i];

        list[i] = (struct chip){.name = chip_name(r->ops, d->device, arena),
                                .ops = (int64_t)d->ops,
                                .time_us = d->time_us};
        place(&list[i], i ? &list[i - 1] : NULL, r->ops, d);
    }
    place_in_mesh(list, r, mesh);
    ttp_document_rows(doc, PAGE_DEVICES, NULL, list, r->device_times);
}

/* ---- ops, each with the group that represents it ---- */

struct grouped_report {
    struct ttp_report report; /* first: the context of the other columns */
    const ttp_str *group;
};
TTP_GET(get_group, struct grouped_report, struct ttp_op, ttp_value_text(c->group[r - c->report.op]))

static void set_ops(struct ttp_document *doc, const struct ttp_report_view *view,
                    const struct ttp_screen_groups *made, struct ttp_arena *arena)
{
    struct grouped_report *of = TTP_NEW(arena, struct grouped_report, 1);
    struct ttp_fields *fields = TTP_NEW(arena, struct ttp_fields, 1);
    struct ttp_field *field = TTP_NEW(arena, struct ttp_field, ttp_op_fields.count + 1);

    *of = (struct grouped_report){*view->report, made->op_group};
    memcpy(field, ttp_op_fields.field, ttp_op_fields.count * sizeof(*field));
    field[ttp_op_fields.count] = (struct ttp_field)TTP_WORDS(
        "group", .title = "Group", .get = get_group, .help = "ops with the same name and shape");
    *fields = ttp_op_fields;
    for (size_t i = 0; i < ttp_op_fields.count; i++)
        if (strcmp(field[i].id, "available_cores") == 0)
            field[i].title = "Available"; /* its "of" needs the column before it */
    fields->field = field;
    fields->count = ttp_op_fields.count + 1;
    ttp_document_rows(doc, PAGE_OPS, of, view->report->op, view->report->count);
    doc->part[PAGE_OPS].rows.fields = fields;
    ttp_document_choose(doc, PAGE_OPS, view->row, view->rows);
}

/* ---- the page ---- */

#define AS_CHART(what, id, name, ...)                                                              \
    {                                                                                              \
        .kind = (what), .part = (id), .title = (name), __VA_ARGS__                                 \
    }
static const char in_order[] = "The window in the order in which it ran.";
static const struct ttp_chart charts[] = {
    AS_CHART("bar", "budget", "Time budget", .label = "part", .y = "device_us",
             .help =
                 "The window by what bounds its operations. Point at a part to see what it means.",
             .fold_table = true),
    AS_CHART("bar", "phases", "Phases", .label = "phase", .y = "device_us",
             .help = "Device time of the whole run, all devices added up. Point at a part to see "
                     "what it means.",
             .fold_table = true),
    AS_CHART("plot", "points", "Roofline", .x = "flop_per_byte", .y = "tflops", .size = "device_us",
             .color = "limit", .label = "op", .line_part = "roofs", .line_label = "name",
             .line_level = "peak_tflops", .line_slope = "peak_gbs", .line_scale = 1e-3,
             .fold_table = true, .fold_lines = true,
             .help = "Each dot is an operation below the peaks of the chip; dots grow with their "
                     "time. Click a dot to see the operation."),
    AS_CHART("icicle", "tree", "Ranges and layers", .label = "name", .y = "device_us",
             .depth = "depth", .fold_table = true,
             .help = "Width is device time; a range is above what it contains."),
    AS_CHART("heat", "devices", "Devices", .x = "x", .y = "y", .label = "device",
             .size = "device_us", .fold_table = true,
             .help = "Device time of one iteration on each device, waiting in collectives "
                     "included."),
    AS_CHART("timeline", "ops", "Operations", .label = "op", .y = "device_us", .before = "gap_us",
             .lane = "device", .color = "category", .help = in_order),
    AS_CHART("stack", "memory", "Memory", .label = "name", .x = "id",
             .y = "cb_inferred_bytes,stale_bytes,waiting_bytes,input_bytes,intermediate_bytes,"
                  "output_bytes",
             .line_part = "memory_devices", .line_level = "l1_bank_bytes", .line_label = "device",
             .help = "L1 of a core at the peak of each operation, in the order in which they ran.",
             .fold_table = true),
};
static const char *const links[] = {"first_id", NULL};

static const struct ttp_part_spec parts[] = {
    [PAGE_BUDGET] = {.id = "budget", .fields = &ttp_budget_fields, .title = "Time budget"},
    [PAGE_PHASES] = {.id = "phases", .fields = &phases, .title = "Phases"},
    [PAGE_GROUPS] = {.id = "groups",
                     .fields = &groups,
                     .title = "Groups",
                     .help = "Operations of the window by name and shape."},
    [PAGE_LOCATIONS] = {.id = "locations",
                        .fields = &origins,
                        .title = "Time by source location",
                        .help = "Locations in the model's source, from tt-mlir."},
    [PAGE_CONST_EVAL] = {.id = "const_eval",
                         .fields = &origins,
                         .title = "Const-eval share",
                         .help = "Operations that compute constants, once, and the model itself."},
    [PAGE_PLAN] = {.id = "plan",
                   .title = "Advice",
                   .fields = &ttp_plan_item_fields,
                   .help = "Largest gain first; later gains exclude what earlier ones already "
                           "save. Open a row for the evidence and its operations."},
    [PAGE_POINTS] = {.id = "points", .title = "Roofline", .fields = &ttp_roof_point_fields},
    [PAGE_ROOFS] = {.id = "roofs", .title = "Peaks", .fields = &ttp_roof_fields},
    [PAGE_TREE] = {.id = "tree", .title = "Ranges and layers", .fields = &branches},
    [PAGE_DEVICES] = {.id = "devices", .title = "Devices", .fields = &chips},
    [PAGE_MEMORY_DEVICES] = {.id = "memory_devices",
                             .title = "Memory",
                             .fields = &ttp_report_memory_devices_fields},
    [PAGE_MEMORY] = {.id = "memory", .title = "Memory", .fields = &ttp_mem_fields},
    [PAGE_OPS] = {.id = "ops", .title = "Operations", .fields = &ttp_op_fields},
    [PAGE_QUALITY] = {.id = "quality",
                      .kind = TTP_PART_OBJECT,
                      .title = "Can this run be trusted?",
                      .fields = &ttp_quality_fields},
    [PAGE_WINDOW] = {.id = "window",
                     .kind = TTP_PART_OBJECT,
                     .title = "Window",
                     .fields = &ttp_window_fields},
    [PAGE_RUN] = {.id = "run", .kind = TTP_PART_OBJECT, .title = "Run", .fields = &ttp_run_fields},
};
static const struct ttp_document_spec page_document = {
    .schema = "tt-perf.report/2", .help = "Ops of a run", TTP_PARTS(parts), .main = PAGE_OPS};

static void put_headline(const struct ttp_show *show, const void *arg)
{
    ttp_out_headline(show, arg);
}

static const char *page_title(const struct ttp_show *show)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, show->arena);
    ttp_sink_put(&out, TTP_STR("Performance report"));
    for (size_t i = 0; show->inputs && i < show->inputs->count && i < 2; i++) {
        const char *path = show->inputs->word[i], *slash = strrchr(path, '/');
        ttp_sink_printf(&out, "%s%s", i ? ", " : " of ", slash && slash[1] ? slash + 1 : path);
    }
    return ttp_arena_zstr(show->arena, ttp_sink_text(&out));
}

/* The same fields, with these in the table too. */
static const struct ttp_fields *with_columns(const struct ttp_fields *fields, const char *names,
                                             struct ttp_arena *arena)
{
    struct ttp_fields *more = TTP_NEW(arena, struct ttp_fields, 1);
    struct ttp_field *field = TTP_NEW(arena, struct ttp_field, fields->count);

    memcpy(field, fields->field, fields->count * sizeof(*field));
    for (size_t i = 0; i < fields->count; i++)
        field[i].in_table |= strstr(names, field[i].id) != NULL;
    *more = *fields;
    more->field = field;
    return more;
}

/* What tt-mlir says about the ops; nothing without it. */
static void set_origins(struct ttp_document *doc, const struct ttp_report *r,
                        struct ttp_arena *arena)
{
    static const struct {
        size_t part;
        enum ttp_ops_text column;
        enum ttp_group_by by;
    } kinds[] = {{PAGE_LOCATIONS, TTP_OPS_LOCATION, TTP_GROUP_LOCATION},
                 {PAGE_CONST_EVAL, TTP_OPS_CONST_EVAL, TTP_GROUP_CONST_EVAL}};

    for (size_t i = 0; i < TTP_COUNT(kinds); i++) {
        const struct ttp_report_options options = {0};
        struct ttp_summary *by = TTP_NEW(arena, struct ttp_summary, 1);
        bool any = false;

        for (size_t k = 0; k < r->count && !any; k++)
            any = ttp_analysis_text(r, &r->op[k], kinds[i].column).len > 0;
        if (any && ttp_analysis_summarise(by, r, kinds[i].by, &options, arena, NULL) == TTP_OK)
            ttp_document_rows(doc, kinds[i].part, NULL, by->group, by->count);
    }
}

/* What the rules say about the ops. */
static void set_plan(struct ttp_document *doc, const struct ttp_report_view *view,
                     struct ttp_arena *arena)
{
    struct ttp_plan_view *of = TTP_NEW(arena, struct ttp_plan_view, 1);
    struct ttp_plan *plan = TTP_NEW(arena, struct ttp_plan, 1);

    ttp_plan_make(plan, view->report, &view->plan, arena);
    *of = (struct ttp_plan_view){
        .plan = plan, .report = view->report, .operands = view->operands, .top = 20};
    ttp_document_rows(doc, PAGE_PLAN, of, plan->item, plan->count);
    doc->part[PAGE_PLAN].rows.fields =
        with_columns(&ttp_plan_item_fields, "low_us,high_us,confidence", arena);
}

/* A row of a merged report represents the op on all devices: these are one lane. */
static const struct ttp_chart *charts_of(const struct ttp_report *r, struct ttp_arena *arena)
{
    struct ttp_chart *of = TTP_NEW(arena, struct ttp_chart, TTP_COUNT(charts));

    memcpy(of, charts, sizeof(charts));
    for (size_t i = 0; i < TTP_COUNT(charts); i++)
        if (of[i].lane && r->merged) {
            of[i].lane = NULL;
            of[i].help = "The window in the order in which it ran; an operation of several devices "
                         "is one.";
        }
    return of;
}

ttp_code ttp_out_report_html(const struct ttp_show *show, const struct ttp_report_view *view,
                             struct ttp_err *err)
{
    const struct ttp_report *r = view->report;
    const struct ttp_html html = {
        .title = page_title(show),
        .chart = charts_of(r, show->arena),
        .charts = TTP_COUNT(charts),
        .link_part = "ops",
        .link_field = "id",
        .link_from = links,
        .members_part = "groups",
        .members_of = "group",
        .members_by = "group",
    };
    const struct ttp_page page = {.arg = view, .head = put_headline, .html = &html};
    struct ttp_arena *arena = show->arena;
    struct ttp_report_view *drawn = TTP_NEW(arena, struct ttp_report_view, 1);
    struct ttp_roofline *roofline = TTP_NEW(arena, struct ttp_roofline, 1);
    struct ttp_screen_groups made;
    struct ttp_time_budget *budget = TTP_NEW(arena, struct ttp_time_budget, 1);
    struct tree tree = {.arena = arena};
    struct ttp_show as = *show;
    struct ttp_document doc;

    as.selection = (struct ttp_selection){0}; /* made already */
    ttp_document_init(&doc, &page_document, arena);
    ttp_out_screen_budget(budget, r);
    ttp_document_rows(&doc, PAGE_BUDGET, NULL, budget->part, budget->count);
    set_phases(&doc, &r->window, arena);
    ttp_out_screen_group_ops(&made, r, SIZE_MAX, arena);
    ttp_document_rows(&doc, PAGE_GROUPS, &made, made.item, made.count);
    set_origins(&doc, r, arena);
    set_plan(&doc, view, arena);
    ttp_analysis_roofline(roofline, r, view->row, view->rows, arena);
    *drawn = *view;
    drawn->roofline = roofline;
    if (roofline->points) {
        ttp_document_rows(&doc, PAGE_ROOFS, drawn, roofline->roof, roofline->roofs);
        ttp_document_rows(&doc, PAGE_POINTS, drawn, roofline->point, roofline->points);
    }
    if (r->ranges.count > 1)
        add_ranges(&tree, &r->ranges);
    else
        add_layers(&tree, r);
    ttp_document_rows(&doc, PAGE_TREE, NULL, tree.item, tree.count);
    set_devices(&doc, r, view->mesh ? view->mesh : view->places, arena);
    ttp_out_report_memory_devices(&doc, PAGE_MEMORY_DEVICES, r);
    ttp_out_report_memory_ops(&doc, PAGE_MEMORY, r, arena);
    set_ops(&doc, view, &made, arena);
    ttp_document_object(&doc, PAGE_QUALITY, NULL, &r->quality);
    ttp_document_object(&doc, PAGE_WINDOW, NULL, &r->window);
    ttp_document_object(&doc, PAGE_RUN, NULL, r);
    return ttp_show_document(&as, &doc, &page, err);
}

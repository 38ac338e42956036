/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_mesh.c - `tt-perf mesh`: many ranks and devices as one run, on one clock. */
#include "core/cmd.h"
#include "core/shift_option.h"
#include "mesh/mesh.h"
#include "outputs/outputs.h"
#include "run/run.h"

struct mesh_opts {
    struct ttp_common_opts common;
    struct ttp_words shifts;
    const char *rank, *device;
    int map, table;
    double host_error;
    bool all, steady, link_model;
};

static const char *const maps[] = {"excess", "wait", "compute", "idle", "exposed", NULL};
static const char *const tables[] = {"usual",  "collectives", "classes", "devices",
                                     "groups", "path",        "ranks",   NULL};

#define FIELD(name) offsetof(struct mesh_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(CHOICE, "table", FIELD(table),
               "show only this table; --columns, --sort and --where apply to it (default for CSV: "
               "collectives)",
               .choices = tables, .metavar = "NAME", .group = "Selection"),
    TTP_OPTION(FLAG, "all", FIELD(all), "list every collective instead of one line per kind"),
    TTP_OPTION(CHOICE, "map", FIELD(map), "figure on the map of devices (default excess)",
               .choices = maps, .metavar = "FIGURE"),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "only devices of rank N, and collectives that one of them takes part in",
               .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device),
               "only device D of rank R, and its collectives; R may be omitted if there is one",
               .metavar = "R:D"),
    TTP_OPTION(INT, "top", FIELD(common.top),
               "at most N rows per table, 0 means all (default 20 in text and Markdown; all with "
               "--all, CSV and JSON)",
               .metavar = "N", .min = 0, .max = INT32_MAX),
    TTP_OPTION(LIST, "shift", FIELD(shifts),
               "the first op of RANK is op N of the longest rank, if the data does not decide it; "
               "may be repeated",
               .metavar = "RANK=N", .group = "Rank alignment"),
    TTP_OPTION(FLOAT, "host-clock-error", FIELD(host_error),
               "how far apart the clocks of two hosts may be, in microseconds (default 5000, as "
               "with NTP; PTP: 10)",
               .metavar = "US"),
    TTP_OPTION(FLAG, "steady", FIELD(steady),
               "assume that chip clocks keep their rates over the run, as with little load: "
               "narrower bounds"),
    TTP_OPTION(FLAG, "link-model", FIELD(link_model),
               "assume that a transfer takes at least as long as its links need at their peak (see "
               "--boards): narrower bounds"),
};

#define TOP_UNSET (-1)
#define TOP_TEXT  20
static const struct mesh_opts defaults = {.common = {.top = TOP_UNSET}};

/* "RANK:ID", or ID where the rank is known; *rank is -1 before if it is not. */
static ttp_code read_device(int64_t *rank, int64_t *id, const struct ttp_mesh *m, const char *text,
                            struct ttp_err *err)
{
    ttp_str part[3];
    int64_t named = -1;
    const size_t n = ttp_str_split(ttp_str_from(text), ':', part, 3);

    if (n < 1 || n > 2 || !ttp_str_to_i64(part[n - 1], id) || *id < 0 ||
        (n == 2 && (!ttp_str_to_i64(part[0], &named) || named < 0)))
        return ttp_fail(err, TTP_EUSAGE, "option '--device': '%s' is not RANK:ID", text);
    if (n == 1)
        named = *rank >= 0 ? *rank : m->parts == 1 ? m->rank[0].rank : -1;
    if (named < 0 || (*rank >= 0 && *rank != named))
        return ttp_fail(err, TTP_EUSAGE, "option '--device': '%s' lacks the rank", text);
    *rank = named;
    return TTP_OK;
}

/* The devices that were asked for: they are together, by rank and id. */
static ttp_code choose_devices(struct ttp_mesh_view *view, const struct mesh_opts *o,
                               struct ttp_err *err)
{
    const struct ttp_mesh *m = view->mesh;
    int64_t rank = -1, id = -1;

    view->devices = m->devices;
    if (o->rank && (!ttp_str_to_i64(ttp_str_from(o->rank), &rank) || rank < 0))
        return ttp_fail(err, TTP_EUSAGE, "option '--rank': '%s' is not the number of a rank",
                        o->rank);
    if (o->device)
        TTP_TRY(read_device(&rank, &id, m, o->device, err));
    if (rank < 0)
        return TTP_OK;
    view->devices = 0;
    for (size_t d = m->devices; d-- > 0;)
        if (m->device[d].rank == rank && (id < 0 || m->device[d].id == id)) {
            view->first_device = d;
            view->devices++;
        }
    return view->devices ? TTP_OK
                         : ttp_fail(err, TTP_ENOTFOUND, "no %s %s in this run",
                                    o->device ? "device" : "rank", o->device ? o->device : o->rank);
}

static ttp_code put_mesh(const struct ttp_ctx *ctx, const struct mesh_opts *o,
                         const struct ttp_mesh *mesh, const struct ttp_words *inputs,
                         const struct ttp_words *problems, struct ttp_err *err)
{
    struct ttp_mesh_view view = {
        .mesh = mesh, .map = (enum ttp_mesh_map)o->map, .table = (enum ttp_mesh_table)o->table};
    const bool given = o->common.top != TOP_UNSET;
    struct ttp_show show = ctx->show;
    struct ttp_words warnings = {0};

    /* what is about the rows of one table shows that table */
    if (o->all || (o->table == 0 && (show.columns || show.selection.where || show.selection.sort)))
        view.table = TTP_MESH_TABLE_COLLECTIVES;
    if (given)
        view.top = (size_t)o->common.top;
    else
        view.top = o->all ? 0 : TOP_TEXT;
    TTP_TRY(choose_devices(&view, o, err));
    show.selection.top = given ? view.top : 0;
    show.inputs = inputs;
    show.warnings = &warnings;
    for (size_t i = 0; i < problems->count; i++) {
        ttp_words_add(&warnings, problems->word[i], ctx->arena);
        if (show.form != TTP_FORM_JSON)
            ttp_ctx_warn(ctx, "%s", problems->word[i]);
    }
    for (size_t i = 0; i < mesh->notes.count; i++)
        ttp_words_add(&warnings, mesh->notes.word[i], ctx->arena);
    return ttp_out_mesh(&show, &view, err);
}

static ttp_code make_mesh(struct ttp_mesh *out, struct ttp_run_parts *parts,
                          struct ttp_mesh_options *how, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    int64_t *rank = TTP_NEW(arena, int64_t, parts->count + 1);

    for (size_t i = 0; i < parts->count; i++)
        rank[i] = parts->part[i].rank;
    TTP_TRY(ttp_check_shifts(how, rank, parts->count, err));
    how->ranks = parts->ranks.size;
    const ttp_code rc =
        ttp_mesh_make(out, (struct ttp_mesh_parts){parts->part, parts->count}, how, arena, err);
    if (rc != TTP_OK && parts->count == 1)
        ttp_err_where(err, parts->part[0].name, 0);
    if (rc == TTP_OK)
        ttp_run_find_window(out, parts, arena);
    return rc;
}

static ttp_code run_mesh(int *status, const struct ttp_ctx *ctx, const void *opts,
                         const struct ttp_words *operands, struct ttp_err *err)
{
    const struct mesh_opts *o = opts;
    const struct ttp_run_plan plan = {
        .reading = {.threads = (unsigned)o->common.threads, .progress = !ctx->quiet}, .rows = true};
    struct ttp_mesh_options meshing = {
        .boards = ctx->boards, .steady = o->steady, .link_model = o->link_model};
    struct ttp_run_parts parts;
    struct ttp_mesh *mesh = TTP_NEW(ctx->arena, struct ttp_mesh, 1);
    struct ttp_words runs;

    if (!(o->host_error >= 0 && o->host_error <= 1e12))
        return ttp_fail(err, TTP_EUSAGE, "--host-clock-error must be 0 or more");
    meshing.host_error_ns = o->host_error * 1000;
    TTP_TRY(ttp_parse_shifts(&meshing, &o->shifts, ctx->arena, err));
    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    ttp_code rc = ttp_run_open_parts(&parts, (struct ttp_paths){runs.word, runs.count}, &plan,
                                     ctx->arena, err);
    if (rc == TTP_OK)
        rc = make_mesh(mesh, &parts, &meshing, ctx->arena, err);
    ttp_run_drop_parts(&parts);
    TTP_TRY(rc);
    TTP_TRY(put_mesh(ctx, o, mesh, &runs, &parts.problems, err));
    if (mesh->in_doubt)
        *status = TTP_EXIT_UNDECIDED;
    else if (mesh->inconsistency_ns > 1000 || parts.unreadable)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static size_t columns_part(const void *opts)
{
    return ttp_out_mesh_part((enum ttp_mesh_table)((const struct mesh_opts *)opts)->table);
}

static const struct ttp_example examples[] = {
    {"tt-perf mesh generated/profiler/ttrun", "merge the ranks of a run and analyse it"},
    {"tt-perf mesh --all ops_perf_results.csv", "one process with many chips: every collective"},
    {"tt-perf mesh hostA hostB --format svg -o map.svg",
     "ranks copied from two hosts; a picture of devices that delay the others"},
    {"tt-perf mesh ttrun -o mesh.html", "all tables and maps as one HTML page"},
    {"tt-perf mesh run --shift 1=34", "set which op of the longest rank is the first of rank 1"},
    {NULL, NULL},
};
static const char *const formats[] = {TTP_TABLE_FORMATS, "svg", "png", NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_mesh_document, NULL};

const struct ttp_cmd cmd_mesh = {
    .name = "mesh",
    .args = "[RUN...]",
    .summary = "analyse many ranks, hosts and devices as one run",
    .description =
        "RUN is a folder with folders rank0, rank1, ... as tt-run and 'tt-perf record' under MPI "
        "leave them, several such folders copied from their hosts, or an ops CSV of one process "
        "with many devices; the default is the folder where the profiler writes. Devices are "
        "named rank:id.\n\n"
        "Clocks of chips are not synchronised and do not run evenly. Collectives relate them: no "
        "device ends before all have begun. That gives guaranteed bounds; the end times of "
        "collectives give estimates, which are usually much better. Both are shown. A device is "
        "named as the last to arrive only if its delay exceeds the statistical error, and called "
        "certain only if it exceeds the bound. See docs/mesh.md for definitions.",
    TTP_CMD_OPTIONS(options, struct mesh_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS | TTP_TAKES_BOARDS,
    .formats = formats,
    .documents = documents,
    .columns_part = columns_part,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "1 if the clocks contradict each other by more than 1 μs, or if a rank cannot be "
                  "read and the others can; 7 if the ops of a "
                  "rank cannot be aligned with the others (see --shift).",
    .run = run_mesh,
};

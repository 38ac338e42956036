/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_merge.c - `tt-perf merge`: many ranks by small tables of each. */
#include "base/file.h"
#include "base/outsink.h"
#include "base/par.h"
#include "core/cmd.h"
#include "core/merge_engine.h"
#include "core/shift_option.h"
#include "outputs/outputs.h"
#include "run/run.h"

const struct ttp_merge_engine *ttp_merge_engine;

struct merge_opts {
    struct ttp_common_opts common;
    struct ttp_words shifts;
    int table;
    bool part, passes;
};

static const char *const tables[] = {"usual", "ops", "collectives", "devices", "ranks", NULL};

#define TOP_UNSET (-1)
#define TOP_TEXT  20

#define FIELD(name) offsetof(struct merge_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "part", FIELD(part),
               "reduce one rank to a file for a later merge, written to the file of -o",
               .group = "Input and output"),
    TTP_OPTION(FLAG, "passes", FIELD(passes),
               "merge recordings of one command (NoC events, lines, counters) into one run in the "
               "folder of -o"),
    TTP_OPTION(CHOICE, "table", FIELD(table),
               "show only this table; --columns, --sort and --where apply to it (default for CSV: "
               "ops)",
               .choices = tables, .metavar = "NAME"),
    TTP_OPTION(INT, "top", FIELD(common.top),
               "at most N rows per table, 0 means all (default 20 in text and Markdown)",
               .metavar = "N", .min = 0, .max = INT32_MAX),
    TTP_OPTION(LIST, "shift", FIELD(shifts),
               "the first op of RANK is op N of the longest rank, if the data does not decide it; "
               "may be repeated",
               .metavar = "RANK=N", .group = "Rank alignment"),
};
static const struct merge_opts defaults = {.common = {.top = TOP_UNSET}};

/* ---- passes of one run ---- */

static bool output_is_folder(const void *opts)
{
    return ((const struct merge_opts *)opts)->passes;
}

static ttp_code merge_passes(int *status, const struct ttp_ctx *ctx, const struct merge_opts *o,
                             const struct ttp_words *dirs, struct ttp_err *err)
{
    struct ttp_pass_check check;

    if (o->part || o->table || ctx->show.form != TTP_FORM_TEXT)
        return ttp_fail(err, TTP_EUSAGE,
                        "--passes writes a run, not a table: it conflicts with --part, --table and "
                        "--format");
    if (!o->common.output)
        return ttp_fail(err, TTP_EUSAGE, "--passes needs -o DIR");
    const struct ttp_pass_join how = {dirs, o->common.output, (unsigned)o->common.threads};
    TTP_TRY(ttp_run_join_passes(&check, &how, ctx->arena, err));
    for (size_t i = 0; i < check.differences.count; i++)
        ttp_sink_printf(ctx->out, "%s\n", check.differences.word[i]);
    if (check.differences.count) {
        ttp_ctx_warn(ctx, "the passes disagree, so nothing was merged");
        *status = TTP_EXIT_FINDING;
        return TTP_OK;
    }
    ttp_sink_printf(ctx->out,
                    "%s: %zu passes, the same %zu execution%s of programs, kernel cycles differ by "
                    "%.1f %% at most\n",
                    o->common.output, check.passes, check.executions,
                    check.executions == 1 ? "" : "s", check.worst_pct);
    return TTP_OK;
}

/* ---- what to read ---- */

/* A folder that holds nothing but parts: each of them. */
static ttp_code list_parts(struct ttp_words *out, const char *dir, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, dir, arena, err));
    for (size_t i = 0; i < names.count; i++)
        if (ttp_str_ends(ttp_str_from(names.word[i]), TTP_STR(".ttpart")))
            ttp_words_add(out, ttp_file_join(dir, names.word[i], arena), arena);
    return TTP_OK;
}

static ttp_code list_inputs(struct ttp_words *out, const struct ttp_words *runs,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    *out = (struct ttp_words){0};
    for (size_t i = 0; i < runs->count; i++) {
        struct ttp_words dirs = {0};
        const size_t before = out->count;
        if (ttp_file_is_dir(runs->word[i])) {
            TTP_TRY(ttp_run_list_ranks(&dirs, runs->word[i], arena, err));
            for (size_t k = 0; k < dirs.count; k++)
                ttp_words_add(out, dirs.word[k], arena);
            if (dirs.count == 0)
                TTP_TRY(list_parts(out, runs->word[i], arena, err));
        }
        if (out->count == before)
            ttp_words_add(out, runs->word[i], arena);
    }
    return ttp_run_check_ranks(out, arena, err);
}

/* "rank7" at the end of a path: 7; -1: not such a folder. */
static int64_t number_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const ttp_str name = ttp_str_from(slash ? slash + 1 : path);
    int64_t n;

    return ttp_str_starts(name, TTP_STR("rank")) &&
                   ttp_str_to_i64(ttp_str_slice(name, 4, name.len), &n) && n >= 0
               ? n
               : -1;
}

/* ---- reading it ---- */

struct reading {
    const struct ttp_ctx *ctx;
    struct ttp_run_plan plan;
    struct ttp_mesh_reduced **table;
    size_t tables;
    const char **source; /* by table: what it was read from */
    struct ttp_merge_rank *failed;
    size_t failures;
    const struct ttp_words *input;
    size_t next;             /* of them */
    struct ttp_arena *arena; /* of each */
};

static ttp_code write_part(const char *path, const struct ttp_mesh_reduced *table,
                           struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    ttp_mesh_write_reduced(&out.sink, table);
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* A job that is killed can be finished from the parts of its ranks. */
static void leave_part(const struct reading *r, const char *dir)
{
    const char *logs = ttp_file_join(dir, ".logs", r->ctx->arena);
    struct ttp_err why = {0};

    if (ttp_file_make_dirs(logs, &why) != TTP_OK ||
        write_part(ttp_run_part_file(dir, r->ctx->arena), r->table[r->tables], &why) != TTP_OK)
        ttp_ctx_warn(r->ctx, "%s: %s", dir, why.text);
}

/* A rank while it is read, at the same time as others. */
struct rank_item {
    const char *path;
    size_t index; /* in the operands */
    struct ttp_mesh_reduced *table;
    struct ttp_arena *arena; /* has the table */
    ttp_code rc;
    struct ttp_err why;
};

static bool is_ours(const char *path, size_t index)
{
    const int64_t number = number_of(path);

    return !ttp_merge_engine || (number >= 0 ? number : (int64_t)index) % ttp_merge_engine->size ==
                                    ttp_merge_engine->rank;
}

static ttp_code make_part(const struct ttp_ctx *ctx, const struct merge_opts *o,
                          const struct ttp_words *inputs, const struct ttp_run_plan *plan,
                          struct ttp_err *err)
{
    struct ttp_mesh_reduced *table;

    if (inputs->count != 1)
        return ttp_fail(err, TTP_EUSAGE, "--part takes one rank, got %zu", inputs->count);
    if (!o->common.output)
        return ttp_fail(err, TTP_EUSAGE, "--part needs -o FILE");
    TTP_TRY(ttp_run_reduce(&table, inputs->word[0], plan, ctx->arena, err));
    if (!table)
        return ttp_fail(err, TTP_EPARSE, "'%s' has no op that ran on a device", inputs->word[0]);
    ttp_ctx_exact(ctx);
    ttp_mesh_write_reduced(ctx->out, table);
    return TTP_OK;
}

static ttp_code show_merge(const struct ttp_ctx *ctx, const struct merge_opts *o,
                           const struct ttp_merge *merge, const struct ttp_words *inputs,
                           struct ttp_err *err)
{
    const bool given = o->common.top != TOP_UNSET;
    struct ttp_merge_view view = {.merge = merge,
                                  .table = (enum ttp_merge_table)o->table,
                                  .top = given ? (size_t)o->common.top : TOP_TEXT};
    struct ttp_show show = ctx->show;

    if (o->table == 0 && (show.columns || show.selection.where || show.selection.sort))
        view.table = TTP_MERGE_TABLE_OPS;
    show.selection.top = given ? view.top : 0;
    show.inputs = inputs;
    show.warnings = &merge->notes;
    return ttp_out_merge(&show, &view, err);
}

static int status_of(const struct ttp_merge *merge)
{
    return merge->failed ? TTP_EXIT_FINDING : merge->doubtful ? TTP_EXIT_UNDECIDED : TTP_EXIT_OK;
}

#define MOST_LISTED 16

static void tell_missing(const struct ttp_ctx *ctx, const struct ttp_merge *merge)
{
    struct ttp_sink list;
    size_t n = 0;

    ttp_sink_to_arena(&list, ctx->arena);
    for (size_t i = 0; i < merge->ranks; i++)
        if (merge->rank[i].missing && n++ < MOST_LISTED)
            ttp_sink_printf(&list, " %lld", (long long)merge->rank[i].rank);
    if (merge->missing)
        ttp_ctx_warn(ctx, "%zu of %zu ranks missing:%.*s%s", merge->missing, merge->ranks,
                     TTP_FMT(ttp_sink_text(&list)), n > MOST_LISTED ? " ..." : "");
}

static ttp_code next_rank(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct reading *r = ctx;
    struct rank_item *rank = item;

    (void)err;
    while (r->next < r->input->count && !is_ours(r->input->word[r->next], r->next))
        r->next++;
    *more = r->next < r->input->count;
    if (*more)
        *rank = (struct rank_item){
            .path = r->input->word[r->next], .index = r->next, .arena = &r->arena[r->next]};
    r->next++;
    return TTP_OK;
}

static ttp_code reduce_rank(void *ctx, void *item, struct ttp_err *err)
{
    const struct reading *r = ctx;
    struct rank_item *rank = item;

    (void)err; /* a rank that cannot be read does not end the others */
    rank->rc = ttp_run_reduce(&rank->table, rank->path, &r->plan, rank->arena, &rank->why);
    return TTP_OK;
}

/* A rank that cannot be read is reported, and the others are merged. One whose ops all ran on the
 * host has no table: it is listed. */
static ttp_code take_rank(void *ctx, void *item, struct ttp_err *err)
{
    struct reading *r = ctx;
    const struct rank_item *rank = item;
    const int64_t number = number_of(rank->path);
    const bool read = rank->rc == TTP_OK;

    if (!read)
        ttp_ctx_warn(r->ctx, "%s: %s", rank->path, rank->why.text);
    if (!read || !rank->table) {
        r->failed[r->failures++] = ttp_mesh_merge_failed(
            number >= 0 ? number : (int64_t)rank->index, read ? "" : rank->why.text);
        return TTP_OK;
    }
    for (size_t i = 0; i < r->tables && !ttp_merge_engine; i++)
        if (ttp_mesh_rank_of(r->table[i]) == ttp_mesh_rank_of(rank->table))
            return ttp_fail(err, TTP_EPARSE, "'%s' and '%s' are both rank %lld", r->source[i],
                            rank->path, (long long)ttp_mesh_rank_of(rank->table));
    r->source[r->tables] = rank->path;
    r->table[r->tables] = rank->table;
    if (ttp_merge_engine && ttp_file_is_dir(rank->path))
        leave_part(r, rank->path);
    r->tables++;
    return TTP_OK;
}

/* Threads read different ranks; those that are left over help with the files of a rank. At most
 * one rank for each thread is in memory as a whole. */
static ttp_code read_inputs(struct reading *r, const struct ttp_words *inputs, struct ttp_err *err)
{
    static const struct ttp_pipeline stages = {
        .item_size = sizeof(struct rank_item),
        .produce = next_rank,
        .work = reduce_rank,
        .merge = take_rank,
    };
    unsigned threads = r->plan.reading.threads ? r->plan.reading.threads : ttp_par_cores();
    size_t ours = 0;

    for (size_t i = 0; i < inputs->count; i++)
        ours += is_ours(inputs->word[i], i);
    r->table = TTP_NEW(r->ctx->arena, struct ttp_mesh_reduced *, inputs->count + 1);
    r->source = TTP_NEW(r->ctx->arena, const char *, inputs->count + 1);
    r->failed = TTP_NEW(r->ctx->arena, struct ttp_merge_rank, inputs->count + 1);
    r->arena = TTP_NEW(r->ctx->arena, struct ttp_arena, inputs->count + 1);
    r->input = inputs;
    r->plan.reading.threads = ours && threads > ours ? threads / (unsigned)ours : 1;
    r->plan.reading.progress &= ours < 2; /* a line for each would overwrite that of the others */
    if (threads > ours)
        threads = ours ? (unsigned)ours : 1;
    return ttp_par_pipeline(&stages, r, threads, err);
}

/* Of several processes each knows only its own ranks. */
static ttp_code check_shifts(const struct reading *r, const struct ttp_mesh_options *given,
                             struct ttp_err *err)
{
    int64_t *rank = TTP_NEW(r->ctx->arena, int64_t, r->tables + r->failures + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->tables; i++)
        rank[n++] = ttp_mesh_rank_of(r->table[i]);
    for (size_t i = 0; i < r->failures; i++)
        rank[n++] = r->failed[i].rank;
    return ttp_merge_engine ? TTP_OK : ttp_check_shifts(given, rank, n, err);
}

static void drop_inputs(struct reading *r)
{
    for (size_t i = 0; i < r->input->count; i++)
        ttp_arena_free(&r->arena[i]);
}

/* The tables of the ranks are gone when it returns. */
static ttp_code merge_inputs(struct ttp_merge *merge, struct reading *r,
                             const struct ttp_words *inputs, const struct ttp_mesh_options *meshing,
                             struct ttp_err *err)
{
    ttp_code rc = read_inputs(r, inputs, err);

    if (rc == TTP_OK)
        rc = check_shifts(r, meshing, err);
    if (rc == TTP_OK && ttp_merge_engine)
        rc = ttp_merge_engine->ready(err);
    if (rc == TTP_OK)
        rc = ttp_mesh_merge_tables(merge, r->table, r->tables, r->failed, r->failures, meshing,
                                   ttp_merge_engine ? &ttp_merge_engine->net : NULL, r->ctx->arena,
                                   err);
    drop_inputs(r);
    return rc;
}

static ttp_code run_merge(int *status, const struct ttp_ctx *ctx, const void *opts,
                          const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_words no_inputs; /* the result does not depend on where it was read */
    const struct merge_opts *o = opts;
    struct ttp_mesh_options meshing = {.boards = ctx->boards};
    struct reading r = {
        .ctx = ctx,
        .plan = {.reading = {.threads = (unsigned)o->common.threads, .progress = !ctx->quiet}}};
    struct ttp_words runs, inputs;
    struct ttp_merge merge;

    if (o->passes)
        return merge_passes(status, ctx, o, operands, err);
    TTP_TRY(ttp_parse_shifts(&meshing, &o->shifts, ctx->arena, err));
    TTP_TRY(ttp_run_operands(&runs, operands, ctx->arena, err));
    TTP_TRY(list_inputs(&inputs, &runs, ctx->arena, err));
    if (o->part)
        return make_part(ctx, o, &inputs, &r.plan, err);
    TTP_TRY(merge_inputs(&merge, &r, &inputs, &meshing, err));
    if (ttp_merge_engine && !ttp_merge_engine->net.is_root)
        return TTP_OK;
    if (merge.devices == 0)
        return ttp_fail(err, TTP_EPARSE, "no rank could be read");
    tell_missing(ctx, &merge);
    TTP_TRY(show_merge(ctx, o, &merge, &no_inputs, err));
    *status = status_of(&merge);
    return TTP_OK;
}

static size_t columns_part(const void *opts)
{
    return ttp_out_merge_part((enum ttp_merge_table)((const struct merge_opts *)opts)->table);
}

static const struct ttp_example examples[] = {
    {"tt-perf merge generated/profiler/ttrun", "merge all ranks of a run on this machine"},
    {"tt-perf merge --part run/rank7 -o rank7.ttpart",
     "reduce one rank on the host that has its logs"},
    {"tt-perf merge rank0.ttpart rank7.ttpart --format json", "merge parts copied from hosts"},
    {"tt-perf merge --passes noc/ lines/ -o both", "merge two recordings of a kernel into one run"},
    {"mpirun -np 8 tt-perf-mpi merge run -o merged.json", "the same on all hosts at once"},
    {NULL, NULL},
};
static const struct ttp_document_spec *const documents[] = {&ttp_merge_document, NULL};

const struct ttp_cmd cmd_merge = {
    .name = "merge",
    .args = "[RUN...]",
    .summary = "merge the ranks of a large run from a small table of each",
    .description =
        "RUN is a folder of ranks (rank0, rank1, ...), several such folders, folders of single "
        "ranks, or parts (.ttpart) that --part made of them. Each rank is reduced to a table of "
        "its "
        "ops; only small tables are exchanged, so that the logs stay where they are. The result "
        "has for each op the shortest, median and longest time over all devices, for each "
        "collective skew, wait and transfer, and for each device how much longer it computes than "
        "the others.\n\n"
        "'mpirun tt-perf-mpi merge RUN' does the same with one process for each rank, each of "
        "which reads the folders on its own disk; a folder, its parts and MPI give the same "
        "result. A rank that cannot be read is reported, and the others are merged. "
        "'tt-perf mesh' explains a run that fits one machine in more detail.\n\n"
        "With --passes each RUN is a recording of the same command, one with NoC events, others "
        "with zones of lines or hardware counters, as 'tt-perf record --mode kernel' makes them "
        "itself. They become one run in the folder of -o, which kernel, annotate, noc, advise and "
        "trace read, if they ran the same ops and programs in as many cycles, apart from noise and "
        "the cost of markers. Nothing is averaged: every figure comes from the pass that measured "
        "it.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct merge_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_COLOR | TTP_TAKES_OUTPUT |
             TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_BOARDS | TTP_TAKES_LIMITS |
             TTP_TAKES_TIME,
    .formats = ttp_table_formats,
    .documents = documents,
    .columns_part = columns_part,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 0,
    .max_operands = -1,
    .examples = examples,
    .output_is_folder = output_is_folder,
    .exit_notes = "1: a rank could not be read; the others are merged. With --passes, 1: the "
                  "passes disagree, and nothing is merged. 7: the ops of a rank cannot be aligned "
                  "with the others (see --shift).",
    .run = run_merge,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_config.c - `tt-perf config`: legal program configs, their L1 and their predicted time. */
#include "config/config.h"
#include "core/cmd.h"
#include "core/run_input.h"
#include "outputs/outputs.h"
#include "verbs/config_calibrate.h"
#include "verbs/config_job.h"
#include "verbs/config_problem.h"

#define FIELD(name) offsetof(struct ttp_config_args, name)
#define TYPE_HELP   "f32, bf16, fp8, bfp8, bfp4 or bfp2"
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "run", FIELD(run),
               "take the matmul from a profiled run: an ops CSV, or a folder with one or with logs",
               .metavar = "RUN", .of_run = true, .group = "Matmul"),
    TTP_OPTION(INT, "id", FIELD(id), "op of the run: its ID in report, the line in the file",
               .min = 2, .max = INT64_C(1) << 40, .metavar = "N"),
    {.table = &ttp_window_options, .offset = FIELD(analysis)},
    TTP_OPTION(STR, "rank", FIELD(analysis.rank), "only ops of rank N of the run", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(analysis.device), "only ops of device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(
        STR, "mem", FIELD(mem),
        "limit the L1 of configs to what other tensors leave free at the op: a graph capture of "
        "the run of --run, or of the op of --op, or a folder with one (default: the capture in "
        "the folder of --run)",
        .of_run = true, .metavar = "FILE"),
    TTP_OPTION(
        INT, "op", FIELD(op),
        "take the matmul and the chip from an op of the capture of --mem: its number in tt-perf "
        "mem",
        .min = 1, .max = INT64_C(1) << 31, .metavar = "N"),
    TTP_OPTION(STR, "in0-type", FIELD(in0), "data type of input 0: " TYPE_HELP " (default bf16)",
               .metavar = "TYPE", .group = "Datatypes"),
    {.name = "a", .alias_of = "in0-type"},
    TTP_OPTION(STR, "weights", FIELD(weights), "data type of input 1 (default bfp8)",
               .metavar = "TYPE"),
    {.name = "b", .alias_of = "weights"},
    TTP_OPTION(STR, "out-type", FIELD(out), "data type of the output (default bf16)",
               .metavar = "TYPE"),
    {.name = "o", .alias_of = "out-type"},
    TTP_OPTION(STR, "bias", FIELD(bias), "data type of a fused bias (default none)",
               .metavar = "TYPE"),
    TTP_OPTION(STR, "in0-memory", FIELD(in0_memory),
               "memory of input 0: dram, l1 (interleaved), ws, hs, bs (width, height, "
               "block sharded in L1), dram_ws, dram_hs (sharded over DRAM banks); ws:32x128:32 "
               "has shards of 32 x 128 elements on 32 cores, append :8x4 for the grid, "
               ":COL_MAJOR for the order (default dram)",
               .metavar = "MEMORY", .group = "Memory of the tensors"),
    {.name = "am", .alias_of = "in0-memory"},
    TTP_OPTION(STR, "weights-memory", FIELD(weights_memory), "memory of input 1",
               .metavar = "MEMORY"),
    {.name = "bm", .alias_of = "weights-memory"},
    TTP_OPTION(STR, "out-memory", FIELD(out_memory), "memory of the output", .metavar = "MEMORY"),
    {.name = "om", .alias_of = "out-memory"},
    TTP_OPTION(INT, "batch", FIELD(batch), "batches of input 0 (default 1)", .min = 1,
               .max = 1 << 24, .metavar = "N", .group = "Computation"),
    TTP_OPTION(INT, "batch-b", FIELD(batch_b), "batches of input 1 (default 1)", .min = 1,
               .max = 1 << 24, .metavar = "N"),
    TTP_OPTION(FLAG, "fold-batch", FIELD(fold_batch),
               "fold the batches of input 0 into its rows: one matmul instead of one per batch"),
    TTP_OPTION(STR, "fidelity", FIELD(fidelity), "LoFi, HiFi2, HiFi3 or HiFi4 (default HiFi2)",
               .metavar = "NAME"),
    {.name = "fid", .alias_of = "fidelity"},
    TTP_OPTION(STR, "activation", FIELD(activation), "fused activation, such as SILU",
               .metavar = "NAME"),
    {.name = "act", .alias_of = "activation"},
    TTP_OPTION(FLAG, "fp32", FIELD(fp32), "fp32_dest_acc_en"),
    TTP_OPTION(FLAG, "no-l1acc", FIELD(no_l1acc), "packer_l1_acc is off"),
    TTP_OPTION(FLAG, "full-sync", FIELD(full_sync), "dst_full_sync_en"),
    TTP_OPTION(LIST, "set", FIELD(set),
               "further properties: untilize, ta, tb (transposes), th, tw (tile height and width), "
               "bias_h, core_grid=8x8, other_l1=BYTES used by other tensors per core, sparse, "
               "swiglu",
               .metavar = "NAME=VALUE"),
    TTP_OPTION(STR, "board", FIELD(shared.board),
               "n150, n300, p100, p150, p300, ... (default p150, or the run's)", .metavar = "NAME",
               .group = "Chip"),
    {.name = "arch", .alias_of = "board"},
    TTP_OPTION(INT, "top", FIELD(top), "number of proposals (default 5)", .min = 1, .max = 1000,
               .metavar = "N", .group = "Selection"),
    TTP_OPTION(INT, "paste", FIELD(paste),
               "print the Python of the proposal of rank N (default: of the first)", .min = 1,
               .max = 1000, .metavar = "N"),
    TTP_OPTION(FLAG, "keep-memory", FIELD(keep),
               "propose only configs that leave the tensors where they are"),
    TTP_OPTION(STR, "write", FIELD(shared.write), "calibrate: write the constants as a boards file",
               .metavar = "FILE"),
};

static const struct ttp_config_args defaults = {.top = 5};
static const char *const actions[] = {"check", "auto", "propose", "calibrate", NULL};

static ttp_code show(const struct ttp_config_job *j, struct ttp_config_view *v)
{
    struct ttp_show as = j->ctx->show;
    const char *run = j->o->run;
    const struct ttp_words inputs = {.word = &run, .count = run != NULL};

    v->action = actions[j->action];
    v->op = j->op_name;
    v->problem = &j->op.problem;
    v->arena = j->ctx->arena;
    v->scale = j->action == CONFIG_AUTO ? 0 : j->scale;
    v->model_us = j->model_us;
    as.inputs = &inputs;
    as.warnings = &j->warnings;
    return ttp_out_config(&as, v, j->err);
}

/* The config: operands, joined by blanks, or that of the run. */
static ttp_code given_config(struct ttp_matmul_config *out, const struct ttp_config_job *j)
{
    struct ttp_sink s;

    if (j->rest.count == 0 && j->op.has_config) {
        *out = j->op.config;
        return TTP_OK;
    }
    if (j->rest.count == 0) {
        (void)ttp_fail(j->err, TTP_EUSAGE, "missing config");
        ttp_err_hint(j->err, "for example 'dram in0_block_w=4 per_core_M=1 per_core_N=14', or "
                             "the Python text in quotes");
        return TTP_EUSAGE;
    }
    ttp_sink_to_arena(&s, j->ctx->arena);
    for (size_t i = 0; i < j->rest.count; i++)
        ttp_sink_printf(&s, "%s%s", i ? " " : "", j->rest.word[i]);
    return ttp_config_parse(out, ttp_sink_text(&s), j->err);
}

/* Shards of the run fit the config in use; their shape is unknown. */
static void leave_shards_open(struct ttp_config_row *row)
{
    struct ttp_config_check *check = &row->check;

    row->moves_tensors = true;
    check->verdict = TTP_CONFIG_UNDECIDED;
    if (check->nopen < TTP_COUNT(check->open))
        check->open[check->nopen++] = "shards: the config in use has others, so that tensors move";
}

static ttp_code run_check(int *status, struct ttp_config_job *j)
{
    struct ttp_matmul_config config;
    struct ttp_config_row row;
    struct ttp_config_view v = {.row = &row, .rows = 1};

    TTP_TRY(given_config(&config, j));
    ttp_config_judge(&row,
                     j->op.has_config && j->rest.count == 0 ? TTP_ORIGIN_USED : TTP_ORIGIN_GIVEN,
                     &j->op.problem, &config);
    if (row.origin == TTP_ORIGIN_GIVEN && j->op.has_config &&
        row.check.verdict != TTP_CONFIG_BROKEN &&
        ttp_config_needs_other_shards(&j->op.problem, &j->op.config, &config))
        leave_shards_open(&row);
    if (row.origin == TTP_ORIGIN_USED)
        row.measured_us = j->op.measured_ns / 1e3;
    ttp_config_row_scale(&row, j->scale);
    TTP_TRY(show(j, &v));
    if (row.check.verdict == TTP_CONFIG_BROKEN)
        *status = TTP_EXIT_FINDING;
    else if (row.check.verdict == TTP_CONFIG_UNDECIDED)
        *status = TTP_EXIT_UNDECIDED;
    return TTP_OK;
}

static ttp_code run_auto(int *status, struct ttp_config_job *j)
{
    struct ttp_config_auto automatic;
    struct ttp_config_row row;
    struct ttp_config_view v = {.row = &row};

    if (j->rest.count)
        return ttp_fail(j->err, TTP_EUSAGE, "unexpected operand '%s'", j->rest.word[0]);
    if (ttp_config_auto(&automatic, &j->op.problem, false)) {
        ttp_config_judge(&row, TTP_ORIGIN_DEFAULT, &j->op.problem, &automatic.config);
        v.rows = 1;
        v.why = automatic.why;
        v.nwhy = automatic.nwhy;
        v.depends_on_l1 = automatic.depends_on_l1;
    } else {
        ttp_ctx_warn(j->ctx, "cannot tell what ttnn picks here; give the shard shape of input 0 "
                             "(such as --in0-memory ws:32x128:32:8x4)");
        *status = TTP_EXIT_UNDECIDED;
    }
    TTP_TRY(show(j, &v));
    return TTP_OK;
}

/* The row whose Python is printed; *out NULL: none has a prediction. */
static ttp_code choose_row(const struct ttp_config_row **out,
                           const struct ttp_config_proposals *found, const struct ttp_config_job *j)
{
    const size_t rank = (size_t)j->o->paste;

    *out = ttp_config_best(found);
    if (rank == 0)
        return TTP_OK;
    for (size_t i = 0; i < found->count; i++)
        if (found->row[i].origin == TTP_ORIGIN_PROPOSED && found->row[i].rank == rank) {
            *out = &found->row[i];
            return TTP_OK;
        }
    (void)ttp_fail(j->err, TTP_EUSAGE, "no proposal has rank %zu", rank);
    ttp_err_hint(j->err, "--top lists more of them; configs that are predicted within 2 %% of each "
                         "other share a rank");
    return TTP_EUSAGE;
}

static ttp_code run_propose(int *status, struct ttp_config_job *j)
{
    const struct ttp_config_request request = {
        .used = j->op.has_config ? &j->op.config : NULL,
        .measured_us = j->op.measured_ns / 1e3,
        .scale = j->scale,
        .top = (size_t)(j->o->paste > j->o->top ? j->o->paste : j->o->top),
        .keep_placement = j->o->keep};
    struct ttp_config_proposals found;
    struct ttp_config_view v = {.pasted = TTP_ORIGIN_PROPOSED};

    if (j->rest.count)
        return ttp_fail(j->err, TTP_EUSAGE, "unexpected operand '%s'", j->rest.word[0]);
    ttp_config_propose(&found, &j->op.problem, &request, j->ctx->arena);
    v.row = found.row;
    v.rows = found.count;
    v.tried = found.tried;
    v.legal = found.legal;
    const struct ttp_config_row *best;
    TTP_TRY(choose_row(&best, &found, j));
    if (best) {
        v.pasted_rank = best->rank;
        v.python = ttp_config_python(&best->problem, &best->config, j->ctx->arena);
        v.pasted = best->origin;
    }
    TTP_TRY(show(j, &v));
    if (v.python.len == 0) {
        ttp_ctx_warn(j->ctx, "no legal config of this matmul has a prediction");
        *status = TTP_EXIT_UNDECIDED;
    }
    return TTP_OK;
}

/* Every matmul of a run. */
static ttp_code check_run(int *status, struct ttp_config_job *j)
{
    const char *path = j->o->run;
    const struct ttp_words inputs = {.word = &path, .count = 1};
    struct ttp_config_context context = {j->ctx->arena};
    struct ttp_config_run all;
    struct ttp_sink title;

    TTP_TRY(ttp_config_read_run(j));
    ttp_config_check_run(&all, &j->in.ops, ttp_config_board_of_run(j), j->ctx->arena);
    ttp_sink_to_arena(&title, j->ctx->arena);
    ttp_sink_printf(&title,
                    "%zu matmuls: %zu legal, %zu broken, %zu undecided, %zu without a config",
                    all.count, all.legal, all.broken, all.undecided, all.unknown);
    const struct ttp_config_list_view v = {.spec = &ttp_config_ops_document,
                                           .action = "check",
                                           .title = ttp_sink_text(&title),
                                           .context = &context,
                                           .row = all.op,
                                           .row_size = sizeof(*all.op),
                                           .rows = all.count};
    TTP_TRY(ttp_config_show_list(j->ctx, &v, &inputs, &j->warnings, j->err));
    if (all.broken)
        *status = TTP_EXIT_FINDING;
    else if (all.legal == 0)
        *status = TTP_EXIT_UNDECIDED;
    return TTP_OK;
}

static ttp_code check_options(const struct ttp_config_job *j)
{
    const struct ttp_config_args *o = j->o;

    if (o->id && !o->run)
        return ttp_fail(j->err, TTP_EUSAGE, "--id requires --run");
    if (o->op && (!o->mem || o->run))
        return ttp_fail(j->err, TTP_EUSAGE,
                        o->run ? "--op conflicts with --run; use --id" : "--op requires --mem");
    if (o->mem && !o->run && !o->op)
        return ttp_fail(j->err, TTP_EUSAGE, "--mem requires --run or --op");
    if (o->mem && (j->action == CONFIG_CALIBRATE || ttp_config_is_other(j)))
        return ttp_fail(j->err, TTP_EUSAGE, "--mem supports only matmuls");
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct ttp_config_job j = {
        .ctx = ctx, .o = opts, .action = CONFIG_PROPOSE, .rest = *operands, .err = err};
    const int word =
        operands->count ? ttp_opts_choice(actions, ttp_str_from(operands->word[0])) : -1;

    if (word >= 0) {
        j.action = (enum ttp_config_action)word;
        j.rest.word++;
        j.rest.count--;
    }
    TTP_TRY(check_options(&j));
    if (j.action == CONFIG_CALIBRATE)
        return ttp_config_calibrate(status, ctx, &j.o->shared, &j.rest, err);
    if (ttp_config_is_other(&j))
        return ttp_config_run_other(status, &j);
    if (j.o->run && !j.o->id) {
        if (j.action == CONFIG_CHECK && j.rest.count == 0)
            return check_run(status, &j);
        (void)ttp_fail(err, TTP_EUSAGE, "--run requires --id N");
        ttp_err_hint(err, "tt-perf config check --run %.150s lists the matmuls", j.o->run);
        return TTP_EUSAGE;
    }
    TTP_TRY(ttp_config_read_problem(&j));
    switch (j.action) {
    case CONFIG_CHECK:
        return run_check(status, &j);
    case CONFIG_AUTO:
        return run_auto(status, &j);
    default:
        return run_propose(status, &j);
    }
}

static const struct ttp_example examples[] = {
    {"tt-perf config --run run/ --id 4", "configs for op 4 of a run, with Python to paste"},
    {"tt-perf config 32 4096 14336 --weights bfp4 --fidelity LoFi --board n150",
     "configs for a decode matmul on an n150"},
    {"tt-perf config check 32 4096 14336 --weights bfp4 --in0-memory ws:32x128:32 "
     "--weights-memory dram_ws --out-memory ws dram in0_block_w=8 per_core_M=1 per_core_N=14",
     "is this config legal, and if not, which rule does it break?"},
    {"tt-perf config check --run run/", "check every matmul of a run"},
    {"tt-perf config --run ops.csv --id 4 --mem graph_capture.json",
     "configs that fit in addition to other data in L1 at that op"},
    {"tt-perf config auto 2048 4096 4096", "what ttnn picks without a config, and why"},
    {"tt-perf config calibrate run/ --write boards.conf",
     "fit the constants of the cost model to your own runs"},
    {NULL, NULL},
};

static const struct ttp_document_spec *const documents[] = {
    &ttp_config_document, &ttp_config_ops_document, &ttp_config_constants_document,
    &ttp_config_other_document, NULL};

const struct ttp_cmd cmd_config = {
    .name = "config",
    .args = "[check|auto|propose|calibrate] [M K N] [CONFIG]",
    .summary = "find legal program configs for a matmul, with predicted times",
    .description =
        "Proposes legal program configs for a matmul, ranked by the time that a cost model "
        "predicts, with their L1 use, bottleneck and confidence, next to the config in use and "
        "the one that ttnn picks; then prints Python to paste.\n\n"
        "check tells whether a config is legal, or which rule of tt-metal it breaks first and "
        "with which numbers, and how much L1 it needs per core. A config is the short form (dram "
        "in0_block_w=4 per_core_M=1 per_core_N=14), the Python text or the attribute text of an "
        "ops CSV. auto shows what ttnn picks without a config, and why. calibrate fits the "
        "constants of the cost model to your own runs.\n\n"
        "check and propose also accept other ops, for which they check only rules and L1: "
        "layernorm M K (sharded; block_h, block_w, subblock_w), sdpa BATCH HEADS SQ SK D "
        "(q_chunk_size, k_chunk_size) and conv2d ROWS C KH KW CORES (act_block_h_override; ROWS "
        "of the output).\n\n"
        "The model was fitted to public runs: on Blackhole half of its predictions are within 4 "
        "% and nine of ten within 15 %; on Wormhole it is based on two models, and its "
        "confidence is low.",
    TTP_CMD_OPTIONS(options, struct ttp_config_args),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_BOARDS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_ACTION,
    .words = actions,
    .words_optional = true,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "1 if a rule is broken, 7 if the input is not enough to decide.",
    .run = run,
};

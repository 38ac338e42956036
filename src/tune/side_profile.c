/* SPDX-License-Identifier: Apache-2.0 */
/* side_profile.c - the profile of a side: recorded once, kept next to the ledger, reduced to
 * figures. */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/temp_dir.h"
#include "fit/fit.h"
#include "tune/recorded.h"
#include "tune/tuner.h"

void ttp_tune_profile_init(struct ttp_tune_profile *p)
{
    *p = (struct ttp_tune_profile){.device_us = NAN,
                                   .gap_us = NAN,
                                   .cycles = NAN,
                                   .clock_mhz = NAN,
                                   .dram_gbs = NAN,
                                   .dram_peak_gbs = NAN,
                                   .dram_bytes = NAN,
                                   .roofline_us = NAN,
                                   .ideal_bytes = NAN,
                                   .cores = NAN,
                                   .cores_available = NAN,
                                   .noc_pct = NAN,
                                   .noc_bytes = NAN,
                                   .barrier_pct = NAN,
                                   .l1_bytes = NAN,
                                   .l1_limit = NAN,
                                   .bound = "",
                                   .bound_pct = NAN};
}

/* ---- figures of ops ---- */

static void fill_cores(struct ttp_tune_profile *p, const struct ttp_report *r)
{
    double sum = 0, time_us = 0, noc = 0, noc_us = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct ttp_op *op = &r->op[i];
        double cores, busy;

        if (!(op->has & TTP_HAS_TIME) || op->kind != TTP_OP_DEVICE)
            continue;
        if (ttp_cell_f64(op->cores, &cores)) {
            sum += cores * op->time_us;
            time_us += op->time_us;
        }
        if (ttp_analysis_cell(r, op, TTP_OPS_NOC_UTIL, &busy)) {
            noc += busy * op->time_us;
            noc_us += op->time_us;
        }
    }
    p->cores = time_us > 0 ? sum / time_us : NAN;
    p->cores_available = r->worker_cores > 0 ? (double)r->worker_cores : NAN;
    p->noc_pct = noc_us > 0 ? noc / noc_us : NAN;
}

/* What holds up most of the time. */
static void fill_bound(struct ttp_tune_profile *p, const struct ttp_report *r)
{
    double time_us[UINT8_MAX + 1] = {0}, all = 0;
    size_t most = 0;

    for (size_t i = 0; i < r->count; i++)
        if ((r->op[i].has & TTP_HAS_TIME) && r->op[i].kind == TTP_OP_DEVICE) {
            time_us[r->op[i].limit] += r->op[i].time_us;
            all += r->op[i].time_us;
        }
    for (size_t i = 1; i <= UINT8_MAX; i++)
        if (time_us[i] > time_us[most])
            most = i;
    if (most && all > 0) {
        p->bound = ttp_diagnosis_limit_name((enum ttp_limit)most);
        p->bound_pct = 100 * time_us[most] / all;
    }
}

static void fill_dram(struct ttp_tune_profile *p, const struct ttp_report *r)
{
    double bytes = 0;

    for (size_t i = 0; i < r->count; i++)
        if ((r->op[i].has & TTP_HAS_DRAM) && isfinite(r->op[i].dram_bytes))
            bytes += r->op[i].dram_bytes;
    if (r->arch && r->arch->dram_gbs > 0)
        p->dram_peak_gbs = r->arch->dram_gbs;
    if (!r->has_roofline || !(bytes > 0))
        return;
    p->dram_bytes = bytes;
    p->dram_gbs = r->roofline_gbs;
    p->roofline_us = bytes / (p->dram_peak_gbs * 1e3);
}

static bool chip_of(struct ttp_cost_chip *out, const struct ttp_report *r,
                    const struct ttp_boards *boards)
{
    const char *name = r->arch ? r->arch->board : NULL;
    const struct ttp_board *board =
        name ? ttp_board_of(boards ? boards : r->boards, ttp_str_from(name)) : NULL;

    return board && ttp_cost_chip_of(out, board);
}

static void fill_l1(struct ttp_tune_profile *p, const struct ttp_recorded *run,
                    const struct ttp_boards *boards, struct ttp_arena *arena)
{
    struct ttp_cost_chip chip;
    struct ttp_fit_op *op;

    if (!chip_of(&chip, &run->run.report, boards))
        return;
    const struct ttp_fit_core core = {.board = chip.board,
                                      .tile = {32, 32},
                                      .l1_bytes = chip.l1_bytes,
                                      .reserved_bytes = chip.reserved_bytes};
    p->l1_limit = (double)(chip.l1_bytes - chip.reserved_bytes);
    if (ttp_fit_ops(&op, &run->run.ops, &core, arena) > 0)
        p->l1_bytes = (double)op[0].total_bytes;
}

/* ---- figures of kernels ---- */

static uint64_t moved_bytes(const struct ttp_traffic *t)
{
    uint64_t bytes = t->multicast.bytes + t->fabric.bytes;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        bytes += t->read[i].bytes + t->write[i].bytes;
    return bytes;
}

static double larger(double a, double b)
{
    return isnan(a) ? b : fmax(a, b);
}

static double plus(double a, double b)
{
    return isnan(a) ? b : a + b;
}

static void add_program(struct ttp_tune_profile *p, const struct ttp_kernel_program *k)
{
    const struct ttp_targets *t = &k->targets;

    if (k->traffic)
        p->noc_bytes = plus(p->noc_bytes, (double)moved_bytes(k->traffic));
    if (t->dram_bytes)
        p->dram_bytes = plus(p->dram_bytes, (double)t->dram_bytes);
    if (t->ideal_bytes)
        p->ideal_bytes = plus(p->ideal_bytes, (double)t->ideal_bytes);
    if (t->block_bytes)
        p->l1_bytes = larger(p->l1_bytes, 2 * (double)t->block_bytes); /* two blocks of each */
    if (t->l1_bytes)
        p->l1_limit = (double)t->l1_bytes;
}

static void fill_barriers(struct ttp_tune_profile *p, const struct ttp_kernel_program *k)
{
    static const enum ttp_kernel_role movers[] = {TTP_ROLE_READER, TTP_ROLE_WRITER};

    for (size_t i = 0; i < TTP_COUNT(movers); i++) {
        const struct ttp_role_time *role = &k->verdict.role[movers[i]];

        if (role->known)
            p->barrier_pct = larger(p->barrier_pct, role->barrier * 100);
    }
}

/* The longest program represents its kind; bytes are those of all. */
static void fill_kernels(struct ttp_tune_profile *p, const struct ttp_kernel_report *r)
{
    const struct ttp_kernel_program *longest = NULL;
    uint64_t cycles = 0;

    p->l1_bytes = p->dram_bytes = NAN;
    for (size_t i = 0; i < r->nprograms; i++) {
        add_program(p, &r->program[i]);
        cycles += r->program[i].duration_cycles;
        if (!longest || r->program[i].duration_cycles > longest->duration_cycles)
            longest = &r->program[i];
    }
    if (!longest)
        return;
    fill_barriers(p, longest);
    if (longest->targets.cores_used)
        p->cores = (double)longest->targets.cores_used;
    if (longest->targets.cores_available)
        p->cores_available = (double)longest->targets.cores_available;
    p->bound = ttp_kernel_bottleneck_name(longest->verdict.bottleneck);
    p->bound_pct = NAN;
    p->dram_gbs = longest->targets.dram_gbs > 0 ? longest->targets.dram_gbs : NAN;
    if (longest->targets.peak_gbs > 0)
        p->dram_peak_gbs = longest->targets.peak_gbs;
    const double bytes = fmin(p->ideal_bytes, p->dram_bytes); /* fmin: of those that are known */
    p->roofline_us = bytes / (p->dram_peak_gbs * 1e3);
}

static ttp_code read_figures(struct ttp_tune_profile *p, const struct ttp_recording *r,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_recorded run;

    TTP_TRY(ttp_tune_recorded_read(&run, r, true, arena, err));
    const struct ttp_report *report = &run.run.report;
    p->device_us = report->window.device_us;
    p->gap_us = report->window.gap_us;
    p->ops = report->window.ops;
    p->iterations = report->window.iterations;
    p->cycles = ttp_tune_recorded_cycles(&run);
    p->clock_mhz = ttp_tune_recorded_clock_mhz(&run);
    fill_cores(p, report);
    fill_bound(p, report);
    fill_dram(p, report);
    fill_l1(p, &run, r->boards, arena);
    if (run.has_kernels)
        fill_kernels(p, &run.kernels.report);
    return TTP_OK;
}

/* ---- recording ---- */

const char *ttp_tune_profile_folder(const struct ttp_tune_place *place,
                                    const struct ttp_tune_profile *profile, struct ttp_arena *arena)
{
    return ttp_tuner_text(arena, "%s/profiles/%s", place->state, profile->name);
}

/* A profile that is not whole never has its name. */
static ttp_code settle_folder(const char *made, const char *wanted, struct ttp_err *err)
{
    if (ttp_file_is_dir(wanted))
        ttp_temp_dir_remove(wanted, true);
    if (rename(made, wanted) < 0)
        return ttp_fail_errno(err, "cannot rename '%.150s'", made);
    return TTP_OK;
}

static ttp_code record(struct ttp_tune *t, const struct ttp_ready *side,
                       const struct ttp_recording *r, struct ttp_err *err)
{
    const struct ttp_ready recorded = {.dir = side->dir,
                                       .argv = ttp_tune_recorded_argv(side->argv, r, t->arena),
                                       .env = side->env};
    struct ttp_child c;

    TTP_TRY(ttp_tune_side_run(&c, t, &recorded,
                              (struct ttp_side_command){NULL, t->session.setup.timeout_s}, err));
    if (ttp_tune_side_ended_well(&c))
        return TTP_OK;
    return ttp_fail(err, TTP_EPARSE, "%.190s",
                    ttp_tune_side_failure(t, "the recorded command", &c));
}

ttp_code ttp_tune_profile_side(struct ttp_tune_profile *out, struct ttp_tune *t,
                               const struct ttp_ready *side, const char *name, struct ttp_err *err)
{
    const struct ttp_tune_setup *setup = &t->session.setup;
    const char *dir = ttp_tuner_text(t->arena, "%s/profiles", t->place.state);
    const struct ttp_recording r = {.program = t->options.program,
                                    .dir = ttp_tuner_text(t->arena, "%s/new", dir),
                                    .mode = setup->profile,
                                    .window = setup->window,
                                    .boards = t->options.boards,
                                    .signals = t->options.signals};
    struct ttp_arena scratch = {0};

    ttp_tune_profile_init(out);
    if (!setup->profile)
        return TTP_OK;
    ttp_tuner_say(t, "recording a profile of %s", name);
    TTP_TRY(ttp_file_make_dirs(dir, err));
    if (ttp_file_is_dir(r.dir))
        ttp_temp_dir_remove(r.dir, true);
    TTP_TRY(record(t, side, &r, err));
    const ttp_code rc = read_figures(out, &r, &scratch, err);
    if (rc == TTP_OK) { /* what was read goes with the arena */
        out->bound = ttp_arena_zstr(t->arena, ttp_str_from(out->bound));
        out->name = name;
        out->mode = setup->profile;
    }
    ttp_arena_free(&scratch);
    if (rc == TTP_ENOTFOUND || rc == TTP_EPARSE) {
        ttp_fail(err, TTP_EPARSE, "the profile of the %.60s has no ops", name);
        ttp_err_hint(err, "check with 'tt-perf record -- COMMAND', or use --profile none");
        return TTP_EPARSE;
    }
    TTP_TRY(rc);
    ttp_tuner_step(t);
    return settle_folder(r.dir, ttp_tune_profile_folder(&t->place, out, t->arena), err);
}

/* Those of the baseline and of the best stay. */
void ttp_tune_profile_clean(const struct ttp_tune *t)
{
    const struct ttp_tune_profile *best = ttp_tune_best_profile(&t->session);

    for (size_t i = 0; i < t->session.count; i++) {
        const struct ttp_tune_profile *p = &t->session.change[i].profile;

        if (p->name && p != best)
            ttp_temp_dir_remove(ttp_tune_profile_folder(&t->place, p, t->arena), true);
    }
}

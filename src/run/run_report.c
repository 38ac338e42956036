/* SPDX-License-Identifier: Apache-2.0 */
/* run_report.c - the report of a folder of logs as files: ops_perf_results.csv and those next to
 * it.
 */
#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "base/outsink.h"
#include "run/run_end.h"
#include "run/run_ranks.h"

#define DATE_MAX 32

/* File names of one report. */
struct names {
    const char *folder;
    char suffix[256]; /* "_NAME_DATE" */
};

static ttp_code choose_names(struct names *out, const struct ttp_report_place *place,
                             const char *root, struct ttp_arena *arena, struct ttp_err *err)
{
    const bool dated = place->date || !place->folder;
    char date[DATE_MAX] = "";
    struct tm tm;
    const time_t now = time(NULL);

    if (dated &&
        (!localtime_r(&now, &tm) || strftime(date, sizeof(date), "%Y_%m_%d_%H_%M_%S", &tm) == 0))
        return ttp_fail(err, TTP_EIO, "cannot read the clock");
    if (place->name && strlen(place->name) > sizeof(out->suffix) - DATE_MAX - 3)
        return ttp_fail(err, TTP_EUSAGE, "option '--name': longer than 200 bytes");
    if (place->name && strchr(place->name, '/'))
        return ttp_fail(err, TTP_EUSAGE, "option '--name': '%s' contains a '/'", place->name);
    snprintf(out->suffix, sizeof(out->suffix), "%s%s%s%s", place->name ? "_" : "",
             place->name ? place->name : "", dated ? "_" : "", date);
    out->folder = place->folder;
    if (out->folder)
        return ttp_file_make_dirs(out->folder, err);
    out->folder = ttp_file_join(root, "reports", arena);
    if (place->name)
        out->folder = ttp_file_join(out->folder, place->name, arena);
    out->folder = ttp_file_join(out->folder, date, arena);
    return ttp_file_make_new_dir(&out->folder, out->folder, arena, err);
}

/* The files of a report. */
enum part {
    PART_OPS,
    PART_PER_CORE,
    PART_NO_CONST_EVAL,
    PART_NO_INPUT_LAYOUT,
    PART_NEITHER,
    PARTS
};
static const struct {
    const char *name, *tail;
    unsigned without;
} report_files[] = {
    [PART_OPS] = {"ops_perf_results", "", 0},
    [PART_PER_CORE] = {"per_core_op_to_op_times", "", 0},
    /* what 'ttrt perf' writes next to it */
    [PART_NO_CONST_EVAL] = {"ops_perf_results", "_minus_const_eval", TTP_WITHOUT_CONST_EVAL},
    [PART_NO_INPUT_LAYOUT] = {"ops_perf_results", "_minus_input_layout_conversions",
                              TTP_WITHOUT_INPUT_LAYOUT},
    [PART_NEITHER] = {"ops_perf_results", "_minus_const_eval_and_input_layout_conversions",
                      TTP_WITHOUT_CONST_EVAL | TTP_WITHOUT_INPUT_LAYOUT},
};

static bool is_wanted(const struct ttp_ops_report *report, int part)
{
    return part == PART_OPS || (part == PART_PER_CORE ? report->device_only : report->mlir);
}

/* One file, put in place only if all of it could be written. */
static ttp_code write_part(const char *path, const struct ttp_ops_report *report, int part,
                           struct ttp_err *err)
{
    struct ttp_outsink out;
    ttp_code rc = TTP_OK;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    if (part == PART_PER_CORE)
        ttp_ops_write_per_core(&out.sink, report, &out.arena);
    else
        rc = ttp_ops_write_csv(&out.sink, report, report_files[part].without, &out.arena, err);
    return ttp_outsink_close(&out, rc, err);
}

static ttp_code write_report(struct ttp_words *files, const struct ttp_ops_report *report,
                             const struct names *names, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    for (int i = 0; i < PARTS; i++) {
        char name[400];

        if (!is_wanted(report, i))
            continue;
        snprintf(name, sizeof(name), "%s%s%s.csv", report_files[i].name, names->suffix,
                 report_files[i].tail);
        const char *path = ttp_file_join(names->folder, name, arena);
        TTP_TRY(write_part(path, report, i, err));
        ttp_words_add(files, path, arena);
    }
    return TTP_OK;
}

/* The log of the chips, and how the run ended, stay with the report: the next run replaces them in
 * the folder of logs. */
static ttp_code keep_facts(const struct ttp_log_paths *paths, const struct names *names,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const char *log = ttp_file_join(paths->folder, TTP_MACHINE_LOG, arena);

    TTP_TRY(ttp_run_end_keep(names->folder, paths->folder, arena, err));
    return ttp_file_exists(log)
               ? ttp_file_copy(ttp_file_join(names->folder, TTP_MACHINE_LOG, arena), log, err)
               : TTP_OK;
}

/* The rows of all ranks, as the file of one report. */
static ttp_code write_merged(struct ttp_words *files, struct ttp_run_parts *parts, int64_t device,
                             const struct names *names, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_outsink out;
    char name[400];

    snprintf(name, sizeof(name), "%s%s.csv", report_files[PART_OPS].name, names->suffix);
    const char *path = ttp_file_join(names->folder, name, arena);
    TTP_TRY(ttp_outsink_open(&out, path, err));
    const ttp_code rc = ttp_run_write_parts(&out.sink, parts, device, arena, err);
    TTP_TRY(ttp_outsink_close(&out, rc, err));
    ttp_words_add(files, path, arena);
    return TTP_OK;
}

static ttp_code make_merged(struct ttp_run_made *out, const char *dir,
                            const struct ttp_run_plan *given, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_run_plan plan = *given;
    struct ttp_run_parts parts;
    struct names names;

    plan.texts = true;
    TTP_TRY(ttp_run_open_parts(&parts, (struct ttp_paths){&dir, 1}, &plan, arena, err));
    ttp_code rc = choose_names(&names, &plan.place, dir, arena, err);
    if (rc == TTP_OK)
        rc = write_merged(&out->files, &parts, plan.one_device ? plan.device : -1, &names, arena,
                          err);
    if (rc == TTP_OK)
        rc = ttp_run_end_write(names.folder, &parts.end, arena, err);
    out->problems = parts.problems;
    out->unreadable = parts.unreadable;
    return rc;
}

static ttp_code no_ops(const struct ttp_run *run, struct ttp_err *err)
{
    ttp_fail(err, TTP_ENOTFOUND, "%s, only what the device ran is known",
             run->report.broken ? "the command was killed or crashed before it sent an op"
                                : "the command sent no op");
    ttp_err_hint(err, "'tt-perf kernel %s' shows the programs of the device", run->paths.root);
    return TTP_ENOTFOUND;
}

ttp_code ttp_run_make_report(struct ttp_run_made *out, const char *dir,
                             const struct ttp_run_plan *plan, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_run *run = &out->run;
    struct ttp_run_ranks ranks = {0};
    struct names names = {0};

    *out = (struct ttp_run_made){0};
    if (!plan->reading.strict && ttp_file_is_dir(dir))
        TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){&dir, 1}, arena, err));
    out->ranks = ranks.count > 0;
    if (out->ranks)
        return make_merged(out, dir, plan, arena, err);
    TTP_TRY(ttp_run_read_logs(run, dir, plan, arena, err));
    TTP_TRY(ttp_run_join(run, plan, arena, err));
    if (plan->host_ops && run->report.device_only)
        return no_ops(run, err);
    run->report.one_device = plan->one_device;
    run->report.device = plan->device;
    out->problems = run->problems;
    TTP_TRY(choose_names(&names, &plan->place, run->paths.root, arena, err));
    if (!plan->reading.strict && names.folder)
        TTP_TRY(keep_facts(&run->paths, &names, arena, err));
    return write_report(&out->files, &run->report, &names, arena, err);
}

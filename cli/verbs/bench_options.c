/* SPDX-License-Identifier: Apache-2.0 */
/* bench_options.c - the options of `tt-perf bench`. */
#include "verbs/bench_setup.h"

const char *const bench_fidelities[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4", NULL};

#define FIELD(name) offsetof(struct bench_opts, name)
const struct ttp_opt bench_options[] = {
    TTP_OPTION(
        LIST, "metric", FIELD(metrics),
        "measure a number the command prints: the first group of a POSIX extended regular "
        "expression; may be repeated. ;unit=U, ;better=lower|higher, ;name=N and "
        ";take=last|first|min|max|mean|sum may follow. 'wall', the default, is the elapsed "
        "time; 'device-time' is the time the devices were busy, 'kernel-cycles' the cycles of your "
        "kernels, 'json:PATH' a number of 'tt-perf report --format json', all from a recording of "
        "each run",
        .metavar = "REGEX", .group = "Metrics"),
    TTP_OPTION(STR, "window", FIELD(window),
               "part of each recorded run to measure, as in report --window (default "
               "auto: one iteration)",
               .metavar = "WHICH"),
    TTP_OPTION(STR, "bytes-in", FIELD(bytes_in),
               "bytes read per iteration, such as 4M or 2048*{BATCH}; adds throughput",
               .metavar = "N"),
    TTP_OPTION(STR, "bytes-out", FIELD(bytes_out), "bytes written per iteration", .metavar = "N"),
    TTP_OPTION(STR, "flops", FIELD(flops), "operations per iteration, such as 2*4096*4096*{BATCH}",
               .metavar = "N"),
    TTP_OPTION(STR, "items", FIELD(items), "items processed per iteration, such as {BATCH} images",
               .metavar = "N"),
    TTP_OPTION(STR, "iterations", FIELD(iterations), "iterations per run (default 1)",
               .metavar = "N"),
    TTP_OPTION(
        STR, "arch", FIELD(arch),
        "compare the rates with the roofline of this chip or board (default: this machine's)",
        .metavar = "NAME"),
    TTP_OPTION(CHOICE, "fidelity", FIELD(fidelity),
               "math fidelity of that roofline; the first, with the highest roof, is the default",
               .choices = bench_fidelities),
    {.table = &trial_options, .offset = FIELD(trials), .group = "Repetitions"},
    TTP_OPTION(STR, "prepare", FIELD(prepare), "run this command before each run, untimed",
               .metavar = "CMD"),
    TTP_OPTION(FLAG, "ignore-failure", FIELD(go_on),
               "continue when a run fails; its values are ignored"),
    TTP_OPTION(LIST, "compare", FIELD(compare),
               "another command to measure, in quotes; all are compared with the first; may be "
               "repeated",
               .metavar = "CMD", .group = "Comparison"),
    TTP_OPTION(LIST, "variant", FIELD(variants),
               "the same command with VAR set; repeat NAME to set another variable; 'NAME=' keeps "
               "the environment unchanged",
               .metavar = "NAME=VAR=VALUE"),
    TTP_OPTION(PERCENT, "min-effect", FIELD(min_effect), "ignore smaller differences (default 1 %)",
               .metavar = "PCT"),
    TTP_OPTION(FLAG, "check", FIELD(check), "exit with 1 if a variant is worse than the first"),
    TTP_OPTION(FLAG, "force", FIELD(force),
               "compare results even if they come from different machines"),
    TTP_OPTION(LIST, "sweep", FIELD(sweeps),
               "measure each value, 8,16,32 or 8..128*2 or 1..9+2; it is set as NAME in the "
               "environment and replaces {NAME} in the command; repeat for a second parameter",
               .metavar = "NAME=VALUES", .group = "Sweep"),
    TTP_OPTION(PERCENT, "min-gain", FIELD(min_gain),
               "stop when throughput improves by less twice in a row (default 5 %)",
               .metavar = "PCT"),
    TTP_OPTION(FLOAT, "latency-cap", FIELD(latency_cap_s),
               "stop when a run takes longer than S seconds", .metavar = "S"),
    TTP_OPTION(FLAG, "exhaustive", FIELD(exhaustive),
               "measure every value, without stopping early"),
    {.table = &trial_place_options, .offset = FIELD(place), .group = "Environment"},
    TTP_OPTION(FLAG, "strict", FIELD(strict),
               "reject results that other load on the machine may have disturbed"),
    TTP_OPTION(STR, "model", FIELD(model),
               "ml_model_name of --format benchmark-run (default: name of the command)",
               .metavar = "NAME", .group = "Result"),
    TTP_OPTION(STR, "run-type", FIELD(run_type),
               "run_type of --format benchmark-run (default tt-perf-bench)", .metavar = "TEXT"),
    TTP_OPTION(STR, "output", FIELD(file),
               "save the result to FILE, as JSON unless --format or the suffix of FILE says "
               "otherwise, and print it as text; '-' is standard output",
               .letter = 'o', .metavar = "FILE"),
};

_Static_assert(TTP_COUNT(bench_options) == BENCH_OPTIONS, "the number in bench_setup.h");

const struct bench_opts bench_defaults = {
    .trials = TRIAL_DEFAULTS, .min_effect = 0.01, .min_gain = 0.05};

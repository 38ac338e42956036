/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_csvexport.c - the command lines of Tracy's csvexport, as tt-metal ships it: until June
 * 2026 'csvexport-release' with -p PARENT, since then 'tracy-csvexport' with -t PARENT, where -p
 * asks for plots. The trace may be any recording that tt-perf reads. */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "compat/compat.h"
#include "core/message.h"
#include "dropin/tools.h"
#include "verbs/recordings.h"

struct csvexport {
    const char *filter, *sep, *parent, *special, *trace;
    bool filter_case, self_time, unwrap, messages, devices, plots, version;
    unsigned percentile;
};

struct generation {
    const char *letters, *usage;
    const struct option *words;
    enum ttp_csv_generation columns;
    char parent; /* the option that names it */
};

enum { TRUNCATED_MEAN = 256 }; /* upstream's -t; the fork's is the parent */

/* What only the newer one knows comes first. */
static const struct option new_words[] = {
    {"version", no_argument, NULL, 'V'},
    {"gpu", no_argument, NULL, 'g'},
    {"plot", no_argument, NULL, 'p'},
    {"truncated_mean", optional_argument, NULL, TRUNCATED_MEAN},
    {"help", no_argument, NULL, 'h'},
    {"filter", optional_argument, NULL, 'f'},
    {"sep", optional_argument, NULL, 's'},
    {"case", no_argument, NULL, 'c'},
    {"self", no_argument, NULL, 'e'},
    {"unwrap", no_argument, NULL, 'u'},
    {"messages", no_argument, NULL, 'm'},
    {NULL, 0, NULL, 0},
};
#define OLD_WORDS (new_words + 4)

/* Lines of help that both have, around the letter of the parent. */
#define USAGE(letter)                                                                              \
    "  -h, --help        this text\n"                                                              \
    "  -f, --filter arg  only zones whose name has this\n"                                         \
    "  -c, --case        where upper and lower case count\n"                                       \
    "  -s, --sep arg     what separates cells, a comma unless given\n"                             \
    "  -e, --self        without the time of zones inside\n"                                       \
    "  -u, --unwrap      one row for each zone\n"                                                  \
    "  -x arg            zones whose parent is looked for, separated by commas\n"                  \
    "  -" letter " arg            what the name of that parent has in it\n"                        \
    "  -m, --messages    messages only\n"

static const struct generation old_tool = {
    .letters = "hf:p:t:x:s:ceum",
    .words = OLD_WORDS,
    .columns = TTP_CSV_0_10,
    .parent = 'p',
    .usage = USAGE("p"),
};

static const struct generation new_tool = {
    .letters = "hVf:t:x:s:ceugmp",
    .words = new_words,
    .columns = TTP_CSV_0_13,
    .parent = 't',
    .usage = USAGE("t") "  -V, --version     version\n"
                        "  -g, --gpu         one row for each zone of a device\n"
                        "  -p, --plot        with -u: plots too\n"
                        "  --truncated_mean[=arg]  without -u: a percentile, 90 unless given, and "
                        "the mean\n"
                        "                    of what is not longer\n",
};

static int usage(const struct generation *g, const char *name, int status)
{
    ttp_str rest = ttp_str_from(g->usage);

    ttp_message("usage: %s [OPTION...] <trace file>\n\n", name);
    for (ttp_str line; ttp_str_next_line(&rest, &line);)
        ttp_message("%.*s\n", TTP_FMT(line));
    return status;
}

/* As the original takes it: what is not a number counts as the least. */
static unsigned percentile_of(const char *arg)
{
    uint64_t n = 0;

    if (!arg)
        return 90;
    (void)ttp_str_to_u64(ttp_str_from(arg), &n);
    return n < 1 ? 1 : n > 99 ? 99 : (unsigned)n;
}

static void take(struct csvexport *o, int c, const char *arg)
{
    switch (c) {
    case 'f':
        o->filter = arg;
        break;
    case 's':
        o->sep = arg;
        break;
    case 'x':
        o->special = arg;
        break;
    case 'c':
        o->filter_case = true;
        break;
    case 'e':
        o->self_time = true;
        break;
    case 'u':
        o->unwrap = true;
        break;
    case 'm':
        o->messages = true;
        break;
    case 'g':
        o->devices = true;
        break;
    case 'p':
        o->plots = true;
        break;
    case 'V':
        o->version = true;
        break;
    case TRUNCATED_MEAN:
        o->percentile = percentile_of(arg);
        break;
    default:
        break;
    }
}

static int write_out(const struct csvexport *o, const struct generation *g, const char *name,
                     struct ttp_arena *arena)
{
    const bool devices = o->devices && !o->messages, plots = o->plots && o->unwrap && !devices;
    const struct ttp_trace_reading how = {
        .zones = o->messages || devices ? TTP_ZONES_NONE : TTP_ZONES_ALL,
        .devices = devices,
        .plots = plots && !o->messages,
    };
    struct ttp_csv_options csv = {.generation = g->columns,
                                  .sticky_cells = true,
                                  .raw_cells = true,
                                  .sep = o->sep,
                                  .filter = o->filter,
                                  .filter_case = o->filter_case,
                                  .parent = o->parent,
                                  .self_time = o->self_time,
                                  .percentile = o->percentile};
    struct ttp_trace trace;
    struct ttp_err err = {0};
    struct ttp_sink out;

    if (access(o->trace, R_OK) != 0) {
        ttp_message("Could not open file %s\n", o->trace);
        return 1;
    }
    if (ttp_capture_trace_read(&trace, o->trace, &how, arena, &err) != TTP_OK) {
        ttp_message("%s: '%s': %s\n", name, o->trace, err.text);
        return 1;
    }
    if ((how.devices || how.plots) && trace.kind != TTP_TRACE_TRACY)
        ttp_message("%s: '%s': device zones and plots are kept in .tracy files only\n", name,
                    o->trace);
    if (trace.zones_dropped && !o->messages && !devices && trace.zones_seen > trace.zone.count)
        ttp_message("%s: '%s': zones were dropped when it was recorded\n", name, o->trace);
    ttp_recording_split(&csv.special, o->special, arena);
    ttp_sink_to_fd(&out, STDOUT_FILENO, arena);
    if (o->messages)
        ttp_capture_trace_write_messages(&out, &trace, &csv, arena);
    else if (devices)
        ttp_original_trace_write_device_zones(&out, &trace, &csv, arena);
    else if (o->unwrap)
        ttp_capture_trace_write_zones(&out, &trace, &csv, arena);
    else
        ttp_original_trace_write_statistics(&out, &trace, &csv, arena);
    if (how.plots)
        ttp_original_trace_write_plots(&out, &trace, &csv, arena);
    if (ttp_sink_finish(&out, &err) == TTP_OK)
        return 0;
    ttp_message("%s: %s\n", name, err.text);
    return 1;
}

int ttp_csvexport_main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    const struct generation *g = strcmp(name, "csvexport-release") == 0 ? &old_tool : &new_tool;
    struct csvexport o = {0};
    struct ttp_arena arena = {0};

    for (int c; (c = getopt_long(argc, argv, g->letters, g->words, NULL)) != -1;) {
        if (c == 'h')
            return usage(g, name, 0);
        if (c == '?')
            return usage(g, name, 1);
        if (c == g->parent || (c == 't' && g == &old_tool))
            o.parent = optarg;
        else
            take(&o, c, optarg);
    }
    if (o.version)
        return printf("%s %s\n", name, ttp_version) < 0;
    if (argc != optind + 1)
        return usage(g, name, 1);
    o.trace = argv[optind];
    const int status = write_out(&o, g, name, &arena);
    ttp_arena_free(&arena);
    return status;
}

ttp_code ttp_dropin_export(int *status, const struct ttp_ctx *ctx, const void *opts,
                           const struct ttp_words *operands, struct ttp_err *err)
{
    static const struct ttp_export_manner how = {
        .sticky_cells = true, .raw_cells = true, .own_columns = true};

    return ttp_export_run(status, ctx, opts, operands, &how, err);
}

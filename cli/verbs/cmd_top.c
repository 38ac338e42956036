/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_top.c - `tt-perf top`: the current state of the boards. */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/cmd.h"
#include "host/host.h"
#include "outputs/outputs.h"
#include "verbs/top_attach.h"
#include "verbs/top_live.h"
#include "verbs/top_screen.h"

struct top_opts {
    struct ttp_common_opts common;
    const char *root;
    double interval;
    int64_t count, attach, max_backlog;
    bool once, yes;
};

#define FIELD(name) offsetof(struct top_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(
        FLOAT, "interval", FIELD(interval),
        "time between samples (default 0.5); at least 0.1, because firmware values change every "
        "100 ms",
        .metavar = "SECONDS", .group = "Repetitions"),
    TTP_OPTION(INT, "count", FIELD(count), "exit after N samples", .metavar = "N", .min = 1,
               .max = INT64_MAX),
    TTP_OPTION(
        FLAG, "once", FIELD(once),
        "take two samples, print one table and exit; the default if standard output is not a "
        "terminal"),
    TTP_OPTION(STR, "root", FIELD(root), "read another machine's sys, proc and dev from a folder",
               .metavar = "DIR", .group = "Input"),
    TTP_OPTION(INT, "attach", FIELD(attach),
               "show how busy the chips are and with what, from the Tracy client of a process; "
               "requires --yes",
               .metavar = "PID", .min = 1, .max = INT32_MAX, .group = "Programs on the chips"),
    TTP_OPTION(FLAG, "yes", FIELD(yes),
               "use the one connection that the Tracy client of a process takes: no other profiler "
               "or viewer can connect to it afterwards"),
    TTP_OPTION(INT, "max-backlog", FIELD(max_backlog),
               "stop if the process sends more than N MiB of earlier events (default 256)",
               .metavar = "MIB", .min = 1, .max = INT64_C(1) << 20),
};

static const struct top_opts defaults = {.interval = 0.5};

struct top_run {
    const struct ttp_ctx *ctx;
    const struct top_opts *options;
    struct ttp_host host;
    struct ttp_host_sample first, sample[2];
    struct ttp_arena arena[2]; /* of sample[0] and sample[1] */
    size_t taken;
    struct ttp_top_view view;
    struct ttp_activity_watch *watch;
    struct ttp_top_live live;
    struct ttp_top_attach *attach; /* NULL: none */
    ttp_str hostname;
};

static const struct ttp_top_view *take_sample(struct top_run *r)
{
    const size_t at = r->taken % 2;
    const bool limits = r->ctx->show.form == TTP_FORM_PROMETHEUS; /* it shows all that there is */

    ttp_arena_reset(&r->arena[at]);
    ttp_host_sample(
        &r->sample[at], &r->host,
        &(struct ttp_sample_options){.flags = TTP_SAMPLE_CHIPS | (limits ? 0u : TTP_SAMPLE_LIVE)},
        &r->arena[at]);
    r->view = (struct ttp_top_view){.host = &r->host,
                                    .first = &r->first,
                                    .before = r->taken ? &r->sample[1 - at] : NULL,
                                    .now = &r->sample[at],
                                    .unix_ns = (uint64_t)ttp_clock_unix_ns(),
                                    .live = &r->live,
                                    .hostname = r->hostname};
    ttp_top_live(&r->live, r->watch, r->options->root, &r->view, &r->arena[at]);
    if (r->attach)
        ttp_top_attach_look(&r->live, r->attach, &r->arena[at]);
    r->taken++;
    return &r->view;
}

static uint64_t interval_ns(const struct top_run *r)
{
    return (uint64_t)(r->options->interval * 1e9);
}

static ttp_code wait(struct top_run *r, struct ttp_err *err)
{
    if (r->attach)
        return ttp_top_attach_wait(r->attach, interval_ns(r), err);
    ttp_clock_sleep_ns(interval_ns(r));
    return TTP_OK;
}

/* In the memory of the sample, which the one after the next takes back. */
static ttp_code print(struct top_run *r, struct ttp_err *err)
{
    struct ttp_show show = r->ctx->show;

    show.inputs = NULL;
    show.arena = &r->arena[(r->taken - 1) % 2];
    return ttp_out_top(&show, &r->view, err);
}

static ttp_code run_lines(struct top_run *r, struct ttp_err *err)
{
    const int64_t count = r->options->once ? 2 : r->options->count;

    while (count == 0 || (int64_t)r->taken < count) {
        if (r->taken)
            TTP_TRY(wait(r, err));
        take_sample(r);
        TTP_TRY(print(r, err));
        TTP_TRY(ttp_sink_finish(r->ctx->out, err)); /* a reader wants each line immediately */
    }
    return TTP_OK;
}

static ttp_code run_once(struct top_run *r, struct ttp_err *err)
{
    take_sample(r);
    if (r->host.nchips || r->attach) { /* rates need two */
        TTP_TRY(wait(r, err));
        take_sample(r);
    }
    return print(r, err);
}

static ttp_code run_screen(int *status, struct top_run *r, struct ttp_err *err)
{
    struct ttp_top_screen *screen;

    if (!ttp_top_has_screen())
        return ttp_fail_unbuilt(err, "ncurses for the live view", "libncurses-dev",
                                "use --once or --format ndjson");
    screen = ttp_top_screen_open(r->ctx->color, r->host.nchips, r->ctx->arena);
    if (!screen) {
        *status = TTP_EXIT_ENVIRONMENT;
        ttp_fail(err, TTP_EUSAGE, "the terminal does not support the live view: check TERM");
        ttp_err_hint(err, "use --once, or --format ndjson");
        return TTP_EUSAGE;
    }
    ttp_code rc = TTP_OK;
    do {
        if (r->attach)
            rc = ttp_top_attach_wait(r->attach, 0, err);
        ttp_top_screen_show(screen, take_sample(r));
    } while (rc == TTP_OK && (r->options->count == 0 || (int64_t)r->taken < r->options->count) &&
             ttp_top_screen_wait(screen, &r->view, interval_ns(r)));
    ttp_top_screen_close(screen);
    return rc;
}

static ttp_code check_attach(const struct top_opts *o, struct ttp_err *err)
{
    if (!o->attach) {
        if (o->yes || o->max_backlog)
            return ttp_fail(err, TTP_EUSAGE, "--%s requires --attach",
                            o->yes ? "yes" : "max-backlog");
        return TTP_OK;
    }
    if (o->root)
        return ttp_fail(err, TTP_EUSAGE, "--attach conflicts with --root");
    if (o->yes)
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE,
                   "--attach uses the one connection that the Tracy client of "
                   "process %lld takes: no other profiler or viewer can connect "
                   "to it afterwards",
                   (long long)o->attach);
    ttp_err_hint(err, "add --yes if that is fine");
    return TTP_EUSAGE;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct top_run r = {.ctx = ctx, .options = opts};
    struct ttp_fingerprint machine;
    ttp_code rc = TTP_OK;
    const uint64_t max_backlog = r.options->max_backlog ? (uint64_t)r.options->max_backlog : 256;

    (void)operands;
    if (!(r.options->interval >= 0.1 && r.options->interval <= 86400))
        return ttp_fail(err, TTP_EUSAGE, "--interval must be between 0.1 and 86400 seconds");
    TTP_TRY(check_attach(r.options, err));
    if (r.options->attach)
        TTP_TRY(ttp_top_attach_open(&r.attach, status, r.options->attach, max_backlog << 20,
                                    ctx->arena, err));
    TTP_TRY(ttp_host_open(&r.host, r.options->root, ctx->boards, ctx->arena, err));
    ttp_host_fingerprint(&machine, &r.host, ctx->arena);
    r.hostname = machine.hostname;
    r.watch = ttp_startup_activity_open(r.options->root, ctx->arena);
    ttp_host_sample(&r.first, &r.host, &(struct ttp_sample_options){.flags = TTP_SAMPLE_CHIPS},
                    ctx->arena);
    if (ctx->show.form == TTP_FORM_NDJSON)
        rc = run_lines(&r, err);
    else if (ctx->show.form != TTP_FORM_TEXT || r.options->once || ctx->output_path ||
             !isatty(STDOUT_FILENO))
        rc = run_once(&r, err);
    else
        rc = run_screen(status, &r, err);
    /* no card, or the process that we were attached to ended */
    if (rc == TTP_ENOTFOUND || (rc == TTP_OK && r.host.nchips == 0 && !r.attach))
        *status = TTP_EXIT_ENVIRONMENT;
    ttp_top_attach_close(r.attach);
    ttp_startup_activity_close(r.watch);
    ttp_host_close(&r.host);
    ttp_arena_free(&r.arena[0]);
    ttp_arena_free(&r.arena[1]);
    return rc;
}

static const char *const formats[] = {"text", "ndjson", "csv", "md", "json", "prometheus", NULL};
static const struct ttp_document_spec *const documents[] = {&ttp_top_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf top", "watch the boards; q quits, h helps, s sorts"},
    {"tt-perf top --once", "one table"},
    {"tt-perf top --format ndjson --interval 1 --count 60 >minute.ndjson",
     "a minute of samples for a script"},
    {"tt-perf top --format prometheus -o tt_perf.prom",
     "metrics for the textfile collector of node_exporter"},
    {"tt-perf top --once --attach 4711 --yes", "how busy the chips are, and with which programs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_top = {
    .name = "top",
    .summary = "watch clocks, temperature, power and PCIe traffic of the boards",
    .description =
        "Shows each chip's AI clock, temperature, core power, PCIe traffic, heartbeat, the limit "
        "it is at, and the processes that have it open, with the last minutes as sparklines. Below "
        "it shows how "
        "much DRAM and L1 each process holds, as counted by tt-metal's allocator in /dev/shm, "
        "and what it does according to its inspector logs: which program it compiles, or how "
        "many launches per second of which ops. Trace replays are not logged, so they look "
        "idle.\n\n"
        "Only sysfs, procfs and these files are read: no device is opened, and a running job is "
        "not disturbed. A '-' means that the files belong to another user, are disabled, or come "
        "from an older tt-metal.\n\n"
        "--attach connects to the Tracy client of a process, which every build of tt-metal with "
        "Tracy has, and shows from then on how busy each chip is and with which programs, named by "
        "their kernels. The client takes one connection in the life of its process and first sends "
        "all earlier events. Remote chips and Ethernet dispatch send no such records.",
    TTP_CMD_OPTIONS(options, struct top_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_COLOR | TTP_TAKES_OUTPUT | TTP_TAKES_TALK |
             TTP_TAKES_BOARDS | TTP_TAKES_TABLE,
    .formats = formats,
    .documents = documents,
    .examples = examples,
    .exit_notes =
        "4 if there is no card, or --attach finds no Tracy client, or it already had a server.",
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* synth_workload.c - a program that behaves as one under tt-metal's profiler: a Tracy client that
 * sends the zones and messages of a made-up run, and files of the device where
 * TT_METAL_PROFILER_DIR says. It does what the environment asks for, as tt-metal does: no device
 * log without TT_METAL_DEVICE_PROFILER, no op messages without TTNN_OP_PROFILER. The tt-lang kernel
 * has what TT-Lang's variables ask for: see kernel_files.h.
 *
 * For tests and for './dev demo'. Faults on request. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/opts.h"
#include "device_programs.h"
#include "kernel_files.h"
#include "run_events.h"
#include "synth/synth.h"

struct workload_opts {
    int dialect, model;
    int64_t seed, ops, cores, layers, devices, replays, host_zones;
    int64_t processes, exit_code, wait_ms, linger_ms, seconds;
    int64_t claim, flood_ms, deep, programs_ms;
    int64_t block_bytes, piece_bytes, pause_us, burst_blocks, kill_after, stop_after;
    bool open_zone, chatty, ignore_term, no_client, same_dir, sequential, real_time, mended, pipes,
        help;
    int bottleneck;
    const char *started, *sent, *plant;
};

#define FIELD(f) offsetof(struct workload_opts, f)
#define NUMBER(long_name, field, text)                                                             \
    {                                                                                              \
        .name = (long_name), .type = TTP_OPT_INT, .offset = FIELD(field), .help = (text)           \
    }
#define FLAG(long_name, field, text)                                                               \
    {                                                                                              \
        .name = (long_name), .type = TTP_OPT_FLAG, .offset = FIELD(field), .help = (text)          \
    }
static const struct ttp_opt options[] = {
    FLAG("help", help, "list the options"),
    {.name = "dialect",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(dialect),
     .choices = tc_dialect_names},
    {.name = "model",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(model),
     .choices = ttp_synth_model_names},
    {.name = "bottleneck",
     .type = TTP_OPT_CHOICE,
     .offset = FIELD(bottleneck),
     .choices = ttp_synth_bottleneck_names},
    FLAG("pipes", pipes, "the kernel has pipes between its cores"),
    NUMBER("cores", cores, "as of synth"),
    NUMBER("seed", seed, "as of synth"),
    NUMBER("ops", ops, "as of synth"),
    NUMBER("layers", layers, "as of synth"),
    NUMBER("devices", devices, "as of synth"),
    NUMBER("replays", replays, "as of synth"),
    NUMBER("host-zones", host_zones, "as of synth"),
    NUMBER("processes", processes, "so many clients, with seeds from SEED on, each in rank<N>"),
    FLAG("sequential", sequential, "one process after the other"),
    FLAG("same-dir", same_dir, "all processes write to one folder, so only the first's logs count"),
    NUMBER("exit", exit_code, "status to end with"),
    NUMBER("programs", programs_ms, "tell of programs on the chips for so many ms, first of all"),
    NUMBER("wait", wait_ms, "give up without a server after that time"),
    NUMBER("linger", linger_ms, "stay after the session"),
    NUMBER("seconds", seconds, "spread the run over this time"),
    FLAG("real-time", real_time, "send no event before its own time, as a real run does"),
    NUMBER("block", block_bytes, "plain bytes in a block"),
    NUMBER("piece", piece_bytes, "bytes sent at once"),
    NUMBER("pause", pause_us, "microseconds between pieces"),
    NUMBER("burst", burst_blocks, "blocks between pauses of 50 ms"),
    NUMBER("kill-after", kill_after, "SIGKILL after so many bytes of blocks"),
    NUMBER("stop-after", stop_after, "end without goodbye after so many events"),
    NUMBER("claim", claim, "say to be that process"),
    NUMBER("flood", flood_ms, "do nothing but announce clients, for so many ms"),
    NUMBER("deep", deep, "before the run, so many zones in each other that never end"),
    FLAG("open-zone", open_zone, "leave a zone open at the end"),
    FLAG("chatty", chatty, "say when the client is connected, and how it ended"),
    FLAG("ignore-term", ignore_term, "do not end on SIGINT and SIGTERM"),
    FLAG("no-client", no_client, "no Tracy in this build"),
    {.name = "plant",
     .type = TTP_OPT_STR,
     .offset = FIELD(plant),
     .help = "as of synth: a run with something to improve"},
    FLAG("mended", mended, "the same run, improved"),
    {.name = "started",
     .type = TTP_OPT_STR,
     .offset = FIELD(started),
     .help = "make this file when the first block is out"},
    {.name = "sent",
     .type = TTP_OPT_STR,
     .offset = FIELD(sent),
     .help = "keep in this file how many messages are in blocks that are out"},
};

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int number)
{
    asked_to_stop = number;
}

static bool enabled(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] == '1';
}

/* --- files --- */

static void remove_log(const char *dir, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/.logs/%s", dir, name);
    (void)unlink(path);
}

/* A log that is ours to send instead of to write. */
static ttp_code make_text(ttp_str *out, enum ttp_synth_file file,
                          const struct ttp_synth_options *what, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_synth_totals totals;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    TTP_TRY(ttp_synth_write_file(&totals, &text, file, what, err));
    *out = ttp_sink_text(&text);
    return TTP_OK;
}

/* What tt-metal would not have written stays away. */
static ttp_code make_run(struct run_events *out, const struct workload_opts *o, const char *dir,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const bool device = enabled("TT_METAL_DEVICE_PROFILER");
    struct ttp_synth_options what = {
        .seed = (uint64_t)o->seed,
        .model = (enum ttp_synth_model)o->model,
        .bottleneck = (enum ttp_synth_bottleneck)o->bottleneck,
        .ops = (uint32_t)o->ops,
        .cores = (uint32_t)o->cores,
        .layers = (uint32_t)o->layers,
        .devices = (uint32_t)o->devices,
        .replays = (uint32_t)o->replays,
        .host_zones = (uint32_t)o->host_zones,
        .plant = o->plant,
        .mended = o->mended,
        .counters = getenv("TT_METAL_PROFILE_PERF_COUNTERS") != NULL,
        .noc = enabled("TT_METAL_DEVICE_PROFILER_NOC_EVENTS"),
    };
    struct ttp_synth_totals totals;
    ttp_str zones, messages;

    if (what.model == TTP_SYNTH_TT_LANG_KERNEL)
        kernel_files_ask(&what);
    TTP_TRY(ttp_synth_write_folder(&totals, dir, &what, err));
    remove_log(dir, "tracy_ops_times.csv");
    remove_log(dir, "tracy_ops_data.csv");
    if (!device)
        remove_log(dir, "profile_log_device.csv");
    if (!device || !enabled("TT_METAL_PROFILER_CPP_POST_PROCESS"))
        remove_log(dir, "cpp_device_perf_report.csv");
    if (what.model == TTP_SYNTH_TT_LANG_KERNEL)
        TTP_TRY(kernel_files_place(dir, o->pipes, err));
    TTP_TRY(make_text(&zones, TTP_SYNTH_OPS_TIMES, &what, arena, err));
    TTP_TRY(make_text(&messages, TTP_SYNTH_OPS_DATA, &what, arena, err));
    run_events_make(out, zones, messages, arena);
    return TTP_OK;
}

/* --- the run --- */

static bool is_of_op(const struct run_event *e)
{
    return e->kind == RUN_MESSAGE
               ? ttp_str_starts(e->text, TTP_STR("`TT_DNN"))
               : e->source && ttp_str_starts(ttp_str_from(e->source->name), TTP_STR("TT_DNN"));
}

static bool send_event(struct tc_client *c, const struct run_event *e)
{
    switch (e->kind) {
    case RUN_ZONE_BEGIN:
        return tc_zone_begin(c, e->thread, e->ns, e->source) &&
               (!e->text.len || tc_zone_text(c, e->thread, e->text));
    case RUN_ZONE_END:
        return tc_zone_end(c, e->thread, e->ns);
    case RUN_MESSAGE:
        return tc_message(c, e->thread, e->ns, e->text, is_of_op(e) ? 0xf0f8ff : 0);
    }
    return false;
}

static void mark_started(const char *path)
{
    FILE *f = path ? fopen(path, "w") : NULL;

    if (f)
        (void)fclose(f);
}

/* Programs of the devices, and zones that stay open. False: the server is gone. */
static bool send_before(struct tc_client *c, const struct workload_opts *o)
{
    static const struct tc_source open_zone = {"held_open", "main", "workload.c", 1};

    if (o->programs_ms)
        device_programs_send(c, o->devices ? (uint16_t)o->devices : 1, o->programs_ms);
    for (int64_t i = 0; i < o->deep; i++)
        if (!tc_zone_begin(c, 301, 1, &open_zone))
            return false;
    if (o->open_zone)
        (void)tc_zone_begin(c, 300, 1, &open_zone);
    return true;
}

static void wait_until(struct tc_client *c, uint64_t ns)
{
    while (ttp_clock_ns() < ns && !asked_to_stop) {
        (void)tc_flush(c);
        usleep(1000);
    }
}

static void send_run(struct tc_client *c, const struct run_events *run,
                     const struct workload_opts *o)
{
    const uint64_t pace_ns = o->seconds ? (uint64_t)o->seconds * 1000000000 / (run->count + 1) : 0;
    const uint64_t start = ttp_clock_ns();
    const bool ops = enabled("TTNN_OP_PROFILER");

    if (!send_before(c, o))
        return;
    for (size_t i = 0; i < run->count && !asked_to_stop; i++) {
        const struct run_event *e = &run->event[i];

        if (o->stop_after && i == (size_t)o->stop_after)
            _exit(3);
        if (!ops && e->kind == RUN_MESSAGE && is_of_op(e))
            continue;
        if (o->real_time)
            wait_until(c, start + (uint64_t)(e->ns - run->event[0].ns));
        if (!send_event(c, e))
            return;
        if (i % 100 == 0)
            (void)tc_plot(c, 299, e->ns, "memory", (double)i);
        if (i % 64 == 0 && !tc_flush(c))
            return;
        if (i == 64)
            mark_started(o->started);
        wait_until(c, start + i * pace_ns);
    }
    tc_finish(c);
}

static int run_client(const struct workload_opts *o, const char *dir)
{
    const struct tc_manner manner = {
        .block_bytes = (uint32_t)o->block_bytes,
        .piece_bytes = (uint32_t)o->piece_bytes,
        .pause_us = (uint32_t)o->pause_us,
        .burst_blocks = (uint32_t)o->burst_blocks,
        .kill_after = (uint64_t)o->kill_after,
        .claim = (uint64_t)o->claim,
        .sent = o->sent,
    };
    struct ttp_arena arena = {0};
    struct run_events run;
    struct ttp_err err = {0};
    int status = (int)o->exit_code;

    if (make_run(&run, o, dir, &arena, &err) != TTP_OK) {
        fprintf(stderr, "synth_workload: %s\n", err.text);
        return 90;
    }
    struct tc_client *c =
        o->no_client ? NULL : tc_open((enum tc_dialect)o->dialect, &manner, "synth_workload");
    if (c && tc_wait(c, enabled("TRACY_NO_EXIT") ? 60000 : (int)o->wait_ms)) {
        if (o->chatty)
            fprintf(stderr, "synth_workload: connected on port %u\n", tc_port(c));
        send_run(c, &run, o);
        if (tc_bad_queries(c)) {
            fprintf(stderr, "synth_workload: %u questions that nobody may ask\n",
                    tc_bad_queries(c));
            status = 99;
        }
    } else if (o->chatty) {
        fprintf(stderr, "synth_workload: no server\n");
    }
    if (c)
        tc_close(c);
    mark_started(o->started);
    for (int64_t t = 0; t < o->linger_ms && !asked_to_stop; t += 10)
        usleep(10000);
    ttp_arena_free(&arena);
    if (asked_to_stop && o->chatty)
        fprintf(stderr, "synth_workload: stopped by signal %d\n", (int)asked_to_stop);
    return asked_to_stop ? 128 + asked_to_stop : status;
}

/* A program of its own each, as the environment of a client is read from its start. */
static int run_processes(const struct workload_opts *o, const char *root, int argc, char **argv)
{
    char **args = calloc((size_t)argc + 3, sizeof(*args)), alone[] = "--processes=0";
    int worst = 0;

    if (!args)
        return 90;
    for (int64_t rank = 0; rank < o->processes; rank++) {
        char seed[32], dir[4096];

        memcpy(args, argv, (size_t)argc * sizeof(*args));
        snprintf(seed, sizeof(seed), "--seed=%d", (int)(o->seed + rank));
        snprintf(dir, sizeof(dir), o->same_dir ? "%s" : "%s/rank%d", root, (int)rank);
        args[argc] = alone;
        args[argc + 1] = seed;
        const pid_t pid = fork();
        if (pid == 0) {
            setenv("TT_METAL_PROFILER_DIR", dir, 1);
            execv("/proc/self/exe", args);
            _exit(90);
        }
        int status;
        if (o->sequential && waitpid(pid, &status, 0) == pid && status)
            worst = 1;
    }
    for (int status; wait(&status) > 0 || errno == EINTR;)
        if (status)
            worst = 1;
    free(args);
    return worst ? worst : (int)o->exit_code;
}

static void put_help(void)
{
    printf("usage: synth_workload [OPTION...]\n\n"
           "Behaves as a program under tt-metal's profiler; run it with 'tt-perf record --\n"
           "synth_workload OPTION...'. It prints nothing, and without a profiler it does "
           "nothing.\n\n");
    for (size_t i = 0; i < TTP_COUNT(options); i++) {
        const struct ttp_opt *o = &options[i];

        printf("  --%s%s", o->name, o->type == TTP_OPT_INT ? " N" : "");
        printf("%s%s", o->type == TTP_OPT_STR ? " TEXT" : "", o->choices ? " " : "");
        for (size_t k = 0; o->choices && o->choices[k]; k++)
            printf("%s%s", k ? "|" : "", o->choices[k]);
        printf("%s%s\n", o->help ? "\n        " : "", o->help ? o->help : "");
    }
}

int main(int argc, char **argv)
{
    struct workload_opts o = {.seed = 1, .devices = 1, .host_zones = 10, .wait_ms = 5000};
    const char *dir = getenv("TT_METAL_PROFILER_DIR");
    struct ttp_arena arena = {0};
    const struct ttp_opts_grammar grammar = {.opt = options, .count = TTP_COUNT(options)};
    struct ttp_opts_given given = {.opts = &o};
    struct ttp_err err = {0};
    int status = 2;

    if (ttp_opts_parse(&given, &grammar, (struct ttp_arguments){argc - 1, argv + 1}, &arena,
                       &err) != TTP_OK) {
        fprintf(stderr, "synth_workload: %s\n", err.text);
    } else if (o.help) {
        put_help();
        status = 0;
    } else if (o.flood_ms > 0) {
        tc_flood(o.flood_ms);
        status = 0;
    } else if (o.processes > 0) {
        status = run_processes(&o, dir ? dir : ".", argc, argv);
    } else {
        const struct sigaction stop = {.sa_handler = o.ignore_term ? SIG_IGN : on_signal};
        sigaction(SIGINT, &stop, NULL);
        sigaction(SIGTERM, &stop, NULL);
        status = run_client(&o, dir ? dir : ".");
    }
    ttp_arena_free(&arena);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - door of the record module: run a command so that tt-metal profiles it, and receive
 * data of its Tracy clients while it runs.
 *
 * The steps: settings become variables of the environment (ttp_record_environment), the command is
 * run under supervision with one receiver for each client (ttp_record_run), and what remains are
 * capture files, for the caller to make reports of. One run at a time in a process: signals and
 * children are the process's. Results live in the arena passed. */
#ifndef TTP_RECORD_RECORD_H
#define TTP_RECORD_RECORD_H

#include "base/append_log.h"
#include "base/err.h"
#include "base/sink.h"
#include "capture/capture.h"

/* ---- what to profile ---- */

/* Performance counters of the device, as bits of TT_METAL_PROFILE_PERF_COUNTERS. */
enum {
    TTP_COUNTERS_FPU = 1 << 0,
    TTP_COUNTERS_PACK = 1 << 1,
    TTP_COUNTERS_UNPACK = 1 << 2,
    TTP_COUNTERS_L1_0 = 1 << 3,
    TTP_COUNTERS_L1_1 = 1 << 4,
    TTP_COUNTERS_INSTRN = 1 << 5,
    TTP_COUNTERS_L1_2 = 1 << 6,
    TTP_COUNTERS_L1_3 = 1 << 7,
    TTP_COUNTERS_L1_4 = 1 << 8,
    TTP_COUNTERS_ALL = 47, /* what fits in one run: fpu, pack, unpack, l1_0, instrn */
};

/* Bits of a list such as "fpu,l1_1" or "all"; a trailing or doubled comma is fine. TTP_EUSAGE names
 * the word. */
TTP_NODISCARD ttp_code ttp_record_parse_counters(uint32_t *out, const char *list,
                                                 struct ttp_err *err);

/* Zero-initialised: only a client that sends to us. */
struct ttp_ledger_settings {
    const char *dir;       /* artifacts folder, absolute */
    int64_t support_count; /* programs that the device's buffer is made for; 0: its default */
    uint32_t counters;     /* bits, 0: none */
    uint16_t port;         /* 0: every client looks for its own */
    bool one_of_ranks;     /* other ranks of the job have clients of their own */
    bool device;           /* the device profiler */
    bool keep_device;      /* leave it as the environment has it, rather than switch it off */
    bool ops;              /* messages and zones of ops, traces tracked */
    bool cpp_report;       /* C++ post-processing, unless something below rules it out */
    bool report;           /* an ops report is wanted: refuse what makes it impossible */
    bool push_to_tracy;    /* device zones in the stream, for the viewer */
    bool noc_events;       /* NoC events, their files next to the logs */
    bool lines;            /* tt-lang: a zone for each line of a kernel */
    bool perf_dump;        /* tt-lang: its summary of traffic, if it would find the logs */
    bool signposts;        /* tt-lang: zones that the user placed; ruled out by `lines` */
    bool pipe_graph;       /* tt-lang: pipes between cores, next to the logs */
    bool one_of_passes;    /* variables of other passes are removed */
    bool dispatch_cores;   /* profile them too */
    bool sums, accumulate;
    bool sync;                  /* host and device clocks */
    bool trace_only;            /* one lane for a core, of replayed traces */
    bool memory;                /* plots of buffers */
    bool mid_run;               /* files are written at every read of the device */
    bool no_files;              /* the device writes none */
    bool no_op_cache;           /* every op described in full */
    bool drop_op_cache_setting; /* the environment's own wish for that is removed */
    bool clear_l1;              /* as tt_profile has it */
    bool unreceived;            /* nothing will connect: do not configure its Tracy client */
};

/* A variable that is set, or removed (value NULL), and why. Names and reasons are static. */
struct ttp_record_variable {
    const char *name, *value, *why;
};
struct ttp_record_environment {
    struct ttp_record_variable *item;
    size_t count;
};

/* What the settings ask for. TTP_EUSAGE: they, or they together with what is set already, ask for
 * what tt-metal refuses; text says why, hint what to do. */
TTP_NODISCARD ttp_code ttp_record_make_environment(struct ttp_record_environment *out,
                                                   const struct ttp_ledger_settings *settings,
                                                   struct ttp_arena *arena, struct ttp_err *err);

/* ---- passes of a kernel profile ---- */

/* NoC events, zones of lines and hardware counters share the buffer of a RISC and disturb each
 * other, and TT-Lang compiles for one of them at a time: each has a pass of its own. */
struct ttp_record_pass {
    const char *name; /* "noc", "lines", "counters", "counters-2", ...; static */
    const char *what; /* it records, in words */
    struct ttp_ledger_settings settings;
};
#define TTP_RECORD_PASSES 8
struct ttp_record_passes {
    struct ttp_record_pass pass[TTP_RECORD_PASSES];
    size_t count;
};
/* `base`: what all of them record. Of `counters`, only one bank of L1 fits in a pass. `single`:
 * everything in one pass, without counters unless they are given. */
void ttp_record_plan_passes(struct ttp_record_passes *out, const struct ttp_ledger_settings *base,
                            uint32_t counters, bool single);

/* ---- ports ---- */

/* A Tracy client without TRACY_PORT takes the first of these that is free; with it, that one or
 * none. So several at the same time are received completely only if each looks for its own. */
enum { TTP_PORT_FIRST = 8086, TTP_PORT_LAST = 8105 };

/* Keeps a port from others until a client of ours has it. */
struct ttp_port {
    uint16_t number; /* for TRACY_PORT; 0: clients look for one themselves */
    bool given;      /* by the user: whoever listens there is received. Set by the caller */
    int fd; /* bound, never listening, so that a client that asks for reuse gets it; -1: none */
};

/* `wanted` 0: any free one. TTP_EIO: it is taken; text names the process where /proc tells. */
TTP_NODISCARD ttp_code ttp_record_port_hold(struct ttp_port *out, uint16_t wanted,
                                            struct ttp_err *err);
/* The first free one of those that clients look for, `number` 0. TTP_EIO: all are taken, so none
 * of them would find one. */
TTP_NODISCARD ttp_code ttp_record_port_hold_first(struct ttp_port *out, struct ttp_err *err);
void ttp_record_port_release(struct ttp_port *p);
/* Where the Tracy client of a process waits for a server; 0: nowhere, or it cannot be seen. */
uint16_t ttp_record_tracy_port(int64_t pid);

/* ---- folders ---- */

/* Folders that only this process may write to. These are locks of the system, which
 * end with their process however that ends; the files that carry them mean nothing.
 * Zero-initialise.
 */
struct ttp_holds {
    struct ttp_hold {
        struct ttp_lock lock;
        const char *path;
    } * item;
    size_t count;
};
#define TTP_FOLDER_LOCK ".tt-perf.lock"
struct ttp_held_name {
    const char *dir, *name;
};
/* Hold the lock `name` in `dir`, which exists; if we do so already, that is fine. TTP_ENOTFOUND:
 * another process has it, *holder, 0 if it does not say. TTP_EIO: there can be none. */
TTP_NODISCARD ttp_code ttp_record_holds_add(struct ttp_holds *h, struct ttp_held_name what,
                                            int64_t *holder, struct ttp_arena *arena,
                                            struct ttp_err *err);
void ttp_record_holds_release(struct ttp_holds *h);
/* This process is about to become another program: that holds them then. */
void ttp_record_holds_pass_on(const struct ttp_holds *h);

/* ---- running ---- */

struct ttp_record_options {
    char *const *command; /* NULL at the end; passed on untouched */
    const struct ttp_record_environment *environment;
    const char *logs;     /* folder of the capture files; exists */
    struct ttp_port port; /* where the first client is expected; number 0: anywhere */
    struct ttp_receiver_options receiver;
    const char *stock_capture; /* program to run through a proxy for .tracy files, or NULL */
    struct ttp_holds *holds;   /* folders that clients choose themselves are held too */
    bool live;                 /* a row at the foot of the terminal while it runs */
    void (*tick)(void *arg);   /* called at least every 50 ms while it runs; NULL: not needed */
    void *tick_arg;
};

/* Folders of `kept` below begin with it. */
#define TTP_KEPT_LOGS ".of_"

/* One client that was received. */
struct ttp_record_client {
    struct ttp_receiver_stats stats; /* as it ended */
    uint64_t pid;                    /* as seen from here, where stats.pid is its own view */
    const char *capture;             /* path of its capture file */
    const char *artifacts;           /* its own TT_METAL_PROFILER_DIR; NULL: unknown */
    const char *kept; /* folder with its device logs as they were when it ended, for the next client
                         may replace them; NULL: none, or others ran next to it */
    bool artifacts_taken;     /* by another recording: */
    int64_t artifacts_holder; /* this process, 0: unknown */
    bool no_op_profiler;      /* it ran without TTNN_OP_PROFILER */
    bool no_device_profiler;  /* it ran without TT_METAL_DEVICE_PROFILER */
    const char *disk_error;   /* why its file is not whole, or NULL */
    bool foreign;             /* no process of the command: received because of its port */
    bool foreign_uid_known;
    uint32_t foreign_uid;      /* whose socket it was */
    char foreign_name[32];     /* what its process is called; empty: cannot be seen */
    const char *tracy_file;    /* what the stock capture wrote, next to `capture`; or NULL */
    const char *no_tracy_file; /* why there is none although wanted, or NULL */
};

struct ttp_record_result {
    int status;            /* the command's: 0 to 255; 128 + signal; 126, 127: could not be run */
    const char *unstarted; /* why it could not be run, or NULL */
    int interrupted;       /* signal that asked us to stop, or 0 */
    bool killed;           /* asked twice: the command was killed */
    struct ttp_record_client *client;
    size_t nclients;
    uint64_t elapsed_ns;
    /* Seen on the way, for whoever must explain why there is nothing. */
    bool saw_tt_metal;      /* some process had its libraries loaded */
    bool saw_tracy;         /* some process had a Tracy client */
    uint16_t port_foreign;  /* the listener is not a Tracy client, or had a server; 0: none */
    bool foreign_is_tracy;  /* the latter */
    uint64_t foreign_pid;   /* who listens there; 0: not to be seen */
    char foreign_name[32];  /* what that process is called */
    bool port_changed;      /* a process had another TRACY_PORT than we gave */
    uint32_t deaf;          /* processes with a Tracy client that found no port */
    uint64_t deaf_pid;      /* one of them */
    uint64_t apart_pid;     /* a process with a Tracy client in another network; 0: none */
    uint16_t stranger_port; /* a client that is not a process of the command waits there, or was
                               turned away; 0: none */
    uint32_t stranger_uid;  /* whose it is */
};

/* Run the command to its end and receive from its clients. Signals that ask us to stop are passed
 * on, the second one kills; they never end us. TTP_EIO: our own failure, before the command was
 * started. */
TTP_NODISCARD ttp_code ttp_record_run(struct ttp_record_result *out,
                                      const struct ttp_record_options *options,
                                      struct ttp_arena *arena, struct ttp_err *err);

/* tracy-capture or capture-release: in `folder` if given, else on PATH, else below TT_METAL_HOME or
 * TT_METAL_RUNTIME_ROOT. NULL: none. In the arena. */
const char *ttp_record_find_stock(const char *folder, struct ttp_arena *arena);

/* What a capture had in it. */
struct ttp_record_exported {
    uint64_t messages, zones, lost_bytes;
    uint64_t pid; /* of the client, as it calls itself; 0: not given */
};
struct ttp_record_source {
    const char *capture;
    uint64_t pid;
};
/* Write tracy_ops_times.csv and tracy_ops_data.csv of a capture (or of anything else that
 * ttp_capture_trace_read() reads) into `dir`, which is made if need be. `pid`: whose logs `dir`
 * has, by its own count; 0: anybody's. Codes as of that function, TTP_EPARSE also where the capture
 * is of another process, and TTP_EIO. */
TTP_NODISCARD ttp_code ttp_record_export(struct ttp_record_exported *out, const char *dir,
                                         struct ttp_record_source from,
                                         const struct ttp_trace_reading *reading,
                                         struct ttp_err *err);

/* Which of the usual causes explains that nothing, or no op, arrived: one sentence, lower case. In
 * the arena. */
const char *ttp_record_explain(const struct ttp_record_result *result,
                               const struct ttp_ledger_settings *settings, struct ttp_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - door of the capture module: what a program with a Tracy client sends, received live
 * and kept in a capture file, and every form such a recording can have read back.
 *
 * A program under Tracy listens; we connect. docs/formats/tracy_wire.md describes the protocol,
 * docs/formats/capture_file.md our files, docs/formats/tracy_file.md the files of Tracy's own
 * tools. Results live in the arena the caller passes. A receiver belongs to one thread. */
#ifndef TTP_CAPTURE_CAPTURE_H
#define TTP_CAPTURE_CAPTURE_H

#include <poll.h>

#include "base/err.h"
#include "base/sink.h"
#include "base/sym.h"

/* ---- dialects ---- */

/* Protocol numbers are compared for equality by the client; sizes of items may differ under the
 * same number. */
struct ttp_dialect_info {
    unsigned protocol;
    const char *origin; /* "tenstorrent" or "upstream" */
    const char *tracy;  /* versions that speak it, for human readers */
    unsigned types;     /* of items */
    bool verified;      /* against a recording; else from the description alone */
};

/* Every dialect we decode, by number. Static storage. */
const struct ttp_dialect_info *ttp_capture_dialects(size_t *count);
/* "lz4": is it part of this build? Without it nothing can be received or read but capture files
 * without raw bytes and .tracy files packed with zstd. */
bool ttp_capture_supports(const char *library);

/* ---- receiving ---- */

enum ttp_zones {
    TTP_ZONES_OPS, /* named TT_*, what lies directly in an op's zone, and `children` below TT_* */
    TTP_ZONES_ALL,
    TTP_ZONES_NONE, /* messages only; for readers */
};

/* A zone of a device, with both of its times. Texts are borrowed until the callback returns. */
struct ttp_device_zone {
    ttp_str context;         /* "Device 0:"; empty: never named */
    ttp_str name, file;      /* "Program_17"; the sources of its kernels */
    double start_ns, end_ns; /* on the clock of the device */
};
typedef void ttp_device_zone_fn(void *arg, const struct ttp_device_zone *zone);

struct ttp_receiver_options {
    ttp_device_zone_fn *device_zone; /* called for each as it comes; NULL: they are skipped */
    void *device_zone_arg;
    enum ttp_zones zones;
    /* Names of zones to keep at any depth below TT_*, besides CompileProgram and
     * HWCommandQueue_write_buffer. Borrowed until the receiver is closed. */
    struct ttp_words children;
    bool raw;          /* keep the stream itself as well; always done for an unknown dialect */
    unsigned protocol; /* number to try first, as announced by UDP; 0: none known */
    /* Asked right before each attempt to connect; false: wait, because the listener is not the
     * wanted client. A client accepts one connection only: connecting to a wrong one would break
     * its own recording. NULL: any client will do. */
    bool (*may_connect)(uint16_t port);
};

enum ttp_receiver_state {
    TTP_RECEIVER_CONNECTING, /* nothing listens yet, or the handshake continues */
    TTP_RECEIVER_RECEIVING,
    TTP_RECEIVER_ENDING, /* the client has finished; answers are still pending */
    TTP_RECEIVER_DONE,   /* nothing more will come; see `end` */
};

/* How a stream ended. */
enum ttp_capture_end {
    TTP_END_OPEN,      /* it did not, or we were killed; all received data is kept */
    TTP_END_NORMAL,    /* the client ended the session */
    TTP_END_CUT,       /* the connection broke: the client was killed or crashed hard */
    TTP_END_REFUSED,   /* it already had another server */
    TTP_END_NOT_TRACY, /* something else listens there */
    TTP_END_STOPPED,   /* we disconnected before the client was done */
};
/* In words, lower case. Static storage. */
const char *ttp_capture_end_text(enum ttp_capture_end end);

struct ttp_receiver_stats {
    enum ttp_receiver_state state;
    enum ttp_capture_end end;
    unsigned protocol;   /* 0: not yet known */
    bool known;          /* we have a table for that number */
    bool consistent;     /* every block so far was whole items; once false, nothing is asked */
    bool crashed;        /* the client reported a crash of its program */
    bool disk_full;      /* the file could not be written: what follows is received and dropped */
    const char *limit;   /* the client sent more of something than is kept, such as threads: what
                            follows is received and dropped; NULL: no. Static storage */
    uint16_t local_port; /* our end of the connection; 0: none */
    bool accepted; /* the client has accepted our connection: a step ends here, so that its process
                      can be inspected while it still exists */
    uint64_t items, zones, messages;
    uint64_t ops;           /* messages that announce one */
    uint64_t zones_kept;    /* written, or waiting for their names */
    uint64_t wire_bytes;    /* received, as sent */
    uint64_t plain_bytes;   /* the same decompressed */
    uint64_t file_bytes;    /* written */
    uint64_t queries, owed; /* asked for, and of those not answered yet */
    uint64_t bad_blocks;    /* not whole items, or not LZ4 */
    uint64_t backlog_bytes; /* waiting in our socket */
    int64_t lag_ns;         /* how much older the newest event is than at best: client backlog */
    bool has_clock;
    int64_t clock_offset_ns; /* ttp_clock_ns() less the client's time: that of the block that
                                arrived fastest, so at most its travelling time too large */
    uint64_t pid;            /* of the client; 0: not yet known */
    int64_t tick_at_0;       /* of its counter, from which its times count */
    double ns_per_tick;      /* 0: not yet known */
    char program[65];        /* name of the client's program, or empty */
};

struct ttp_receiver;

/* Create the capture file and a receiver that is not connected. TTP_EIO: cannot write there.
 * TTP_EMISSING: a build without LZ4. */
TTP_NODISCARD ttp_code ttp_receiver_open(struct ttp_receiver **out, const char *path,
                                         const struct ttp_receiver_options *options,
                                         struct ttp_err *err);
/* Start looking for a client on this port of 127.0.0.1: connects again and again until one listens,
 * and finds its protocol number by asking with one after the other. Nothing blocks. */
void ttp_receiver_connect(struct ttp_receiver *r, uint16_t port);
/* What to poll for, as of now: fills *out (fd -1: nothing) and returns the time in ms after which
 * step wants to be called anyway, -1: only when something happens. */
int ttp_receiver_wants(const struct ttp_receiver *r, struct pollfd *out);
/* Take what has arrived (up to a MiB, or 16 decompressed), decode, ask, write; call it on any
 * event, on timeout, or without need: it never blocks. What has arrived is in the file (of the
 * kernel's, not synced) when it returns. Never fails: client errors are a state, disk errors a
 * statistic.
 */
void ttp_receiver_step(struct ttp_receiver *r);
/* Ask the client to end the session; continue stepping until DONE. Also ends the search for one. */
void ttp_receiver_stop(struct ttp_receiver *r);
void ttp_receiver_get_stats(struct ttp_receiver_stats *out, const struct ttp_receiver *r);
/* Write what is still held (open zones, names that never came, how it ended), close file and
 * socket, free. Works in any state. TTP_EIO: the file is incomplete but usable. NULL is fine. */
TTP_NODISCARD ttp_code ttp_receiver_close(struct ttp_receiver *r, struct ttp_err *err);

/* For a proxy between a client and another server: instead of _connect, hand over the bytes of both
 * directions in the order they pass. Nothing is asked then; the other server does. */
void ttp_receiver_feed_client(struct ttp_receiver *r, ttp_str bytes);
void ttp_receiver_feed_server(struct ttp_receiver *r, ttp_str bytes);
/* The client closed its connection. */
void ttp_receiver_feed_end(struct ttp_receiver *r);

/* ---- reading ---- */

enum ttp_trace_kind {
    TTP_TRACE_NONE,    /* not one of these */
    TTP_TRACE_CAPTURE, /* our capture file */
    TTP_TRACE_WIRE,    /* bytes from client to server, as they were */
    TTP_TRACE_TRACY,   /* .tracy */
};
/* The same for a file; one that cannot be read is TTP_TRACE_NONE. */
enum ttp_trace_kind ttp_capture_trace_detect_file(const char *path);

struct ttp_trace_reading {
    enum ttp_zones zones;
    struct ttp_words children; /* as for a receiver */
    bool devices, plots;       /* these too, of a .tracy file; no other recording has them */
    bool memory;               /* that too; not of a .tracy file */
    bool progress;
};

struct ttp_trace_thread {
    uint64_t tid;
    ttp_str name;  /* empty: never named */
    int32_t index; /* the small number csvexport prints */
};

struct ttp_trace_source {
    ttp_sym name; /* what is shown: the name given, else the function */
    ttp_sym function, file;
    uint32_t line;
};

struct ttp_trace_message {
    int64_t ns; /* since the start of the trace */
    ttp_str text;
    uint32_t thread; /* position in ttp_trace.thread */
    uint32_t color;
};

#define TTP_ZONE_OPEN INT64_MIN  /* end_ns: never ended */
#define TTP_ZONE_NONE UINT32_MAX /* no parent, no text, no name */

/* Zones in order of their begin within each thread, one array per column. */
struct ttp_trace_zones {
    size_t count;
    int64_t *start_ns, *end_ns;
    uint32_t *source; /* position in ttp_trace.source */
    uint32_t *thread; /* position in ttp_trace.thread */
    uint32_t *parent; /* position here of the nearest zone around it that is kept */
    uint32_t *extra;  /* position in `note`, or TTP_ZONE_NONE */
    struct ttp_zone_note {
        ttp_str text, name; /* ptr NULL: none */
    } * note;
    size_t nnotes;
};

/* Zones of devices that have ended, in the order of the file. */
struct ttp_trace_device_zones {
    size_t count;
    int64_t *start_ns, *end_ns;
    uint32_t *source; /* position in ttp_trace.source */
};

struct ttp_trace_plots {
    size_t count; /* points; those of a plot follow each other */
    int64_t *ns;
    double *value;
    ttp_sym *name;
};

/* Named memory: a buffer of a device that came or went. */
struct ttp_trace_memory {
    int64_t ns;
    uint64_t address, bytes; /* bytes: of an allocation */
    ttp_sym pool;            /* "Device 0 L1" */
    bool freed;
};

struct ttp_trace {
    enum ttp_trace_kind kind;
    unsigned protocol;        /* of a stream; 0: .tracy */
    const char *origin;       /* of its dialect, or NULL */
    unsigned char version[3]; /* of a .tracy file */
    ttp_str program, host;
    uint64_t pid, epoch_s;
    enum ttp_capture_end end;
    bool zones_dropped; /* zones were left out: by the receiver or by our options */
    bool inconsistent;  /* part of the stream could not be decoded */
    bool unknown;       /* no table for that protocol: messages only */
    uint64_t items, zones_seen;
    int64_t last_ns;                 /* of anything in it, as far as it is known */
    uint64_t lost_bytes;             /* at the end of the file: cut or damaged */
    uint64_t lost_at;                /* where they begin */
    struct ttp_trace_thread *thread; /* in order of discovery */
    size_t nthreads;
    struct ttp_trace_source *source; /* in order of discovery */
    size_t nsources;
    struct ttp_trace_message *message; /* in order of arrival */
    size_t nmessages;
    struct ttp_trace_zones zone;
    struct ttp_trace_device_zones device;
    struct ttp_trace_plots plot;
    struct ttp_trace_memory *memory; /* in order of arrival */
    size_t nmemory;
    struct ttp_symtab names;
};

/* Read any of the three. A truncated or damaged file gives what comes before the damage: see
 * lost_bytes. TTP_EPARSE: nothing usable. TTP_ELIMIT: larger than we accept. TTP_EMISSING: needs a
 * library this build lacks. */
TTP_NODISCARD ttp_code ttp_capture_trace_read(struct ttp_trace *out, const char *path,
                                              const struct ttp_trace_reading *options,
                                              struct ttp_arena *arena, struct ttp_err *err);

/* ---- writing zones and messages as CSV ---- */

enum ttp_csv_generation {
    TTP_CSV_0_10,     /* csvexport-release of the fork until June 2026 */
    TTP_CSV_0_13,     /* tracy-csvexport since then: a column `value` before special_parent_text */
    TTP_CSV_UPSTREAM, /* no special_parent_text */
};

struct ttp_csv_options {
    enum ttp_csv_generation generation;
    bool sticky_cells;        /* what a zone lacks is shown as in the row before */
    bool raw_cells;           /* nothing is quoted for separators, no quotes are doubled */
    const char *sep;          /* NULL: "," */
    const char *filter;       /* only zones whose name has this; NULL: all */
    bool filter_case;         /* upper and lower case count */
    const char *parent;       /* -p, -t; NULL: none */
    struct ttp_words special; /* -x */
    bool self_time;           /* -e */
    unsigned percentile;      /* --truncated_mean; 0: not asked for */
};

/* In order of time, later arrivals first among equals. */
const struct ttp_trace_message **ttp_capture_trace_sort_messages(const struct ttp_trace *trace,
                                                                 struct ttp_arena *arena);
/* tracy_ops_data.csv, in that order. */
void ttp_capture_trace_write_messages(struct ttp_sink *out, const struct ttp_trace *trace,
                                      const struct ttp_csv_options *options,
                                      struct ttp_arena *scratch);
/* tracy_ops_times.csv: one row a zone that has ended and took time. */
void ttp_capture_trace_write_zones(struct ttp_sink *out, const struct ttp_trace *trace,
                                   const struct ttp_csv_options *options,
                                   struct ttp_arena *scratch);
/* ---- writing a .tracy file ---- */

enum ttp_tracy_form {
    TTP_TRACY_OWN,  /* what viewers of the recorded program's Tracy read */
    TTP_TRACY_0_10, /* 0.10.0: Tenstorrent's fork until June 2026 */
    TTP_TRACY_0_13, /* 0.13.2: that, and everything later */
};

struct ttp_tracy_writing {
    const char *recording; /* a capture file or a wire recording */
    const char *output;
    enum ttp_tracy_form form;
};

struct ttp_tracy_written {
    struct ttp_trace trace; /* what was read, in the arena */
    unsigned char version[3];
    bool whole; /* the stream itself was there; false: only what a capture file keeps of it, and
                   neither devices, plots, frames nor colours */
    uint64_t zones, messages, devices, device_zones, points, frames, allocations;
    uint64_t stacks, samples, lock_events, switches; /* of the stream that the file does not have */
    uint64_t folded;        /* zones beyond the 65,533 source locations that a file can name */
    uint64_t texts_dropped; /* texts of zones beyond the 16,777,214 that a file can name */
    uint64_t times_clamped; /* times more than 39 hours after the start */
};

/* What Tracy's own capture program would have written, as far as we read the stream: no call
 * stacks, samples, locks, context switches and images. Errors as of ttp_capture_trace_read(); also
 * TTP_EPARSE: it is a .tracy file already, TTP_ELIMIT: more than 65,535 threads, TTP_EIO: cannot
 * write there. The file appears only when it is complete. */
TTP_NODISCARD ttp_code ttp_tracy_write(struct ttp_tracy_written *out,
                                       const struct ttp_tracy_writing *what,
                                       struct ttp_arena *arena, struct ttp_err *err);

/* ---- replaying ---- */

struct ttp_replay;

/* Be the client of a recording (TTP_TRACE_WIRE, or a capture file that kept the raw stream): listen
 * on 127.0.0.1, *port 0: any free one, and tell which. TTP_EPARSE: no raw stream in it. */
TTP_NODISCARD ttp_code ttp_capture_replay_open(struct ttp_replay **out, const char *path,
                                               uint16_t *port, struct ttp_err *err);
/* The number that the server must speak; 0: any of several. */
unsigned ttp_capture_replay_protocol(const struct ttp_replay *r);
/* As for a receiver: what to poll for, and one step that does not block; *done when the server has
 * everything and closed the session, or left. */
int ttp_capture_replay_wants(const struct ttp_replay *r, struct pollfd *out);
TTP_NODISCARD ttp_code ttp_capture_replay_step(struct ttp_replay *r, bool *done,
                                               struct ttp_err *err);
void ttp_capture_replay_close(struct ttp_replay *r);

#include "capture/csv_rows.h"

#endif

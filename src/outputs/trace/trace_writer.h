/* SPDX-License-Identifier: Apache-2.0 */
/* trace_writer.h - private to outputs: a timeline on its way out, event by event, in one of the
 * formats. Memory grows with tracks and with different names, not with events.
 *
 * On one track slices nest: begin and end calls come as brackets do, in order of time or not. A
 * track that never gets an event is not written. Times are nanoseconds, never negative. */
#ifndef TTP_OUTPUTS_TRACE_WRITER_H
#define TTP_OUTPUTS_TRACE_WRITER_H

#include "base/map.h"
#include "base/sink.h"
#include "base/sym.h"
#include "outputs/outputs.h"
#include "outputs/trace/protobuf.h"

typedef uint32_t ttp_track;
#define TTP_TRACK_ROOT ((ttp_track)0)

enum ttp_track_kind {
    TTP_TRACK_GROUP,   /* holds other tracks */
    TTP_TRACK_PROCESS, /* the same, for the host program */
    TTP_TRACK_THREAD,  /* of the process above it */
    TTP_TRACK_SLICES,
    TTP_TRACK_COUNTER,
    TTP_TRACK_STAGES, /* executions of programs on a device, as graphics tools know them */
};

/* Attributes of an event. The text of each is in trace_writer.c. */
enum ttp_trace_key {
    TTP_KEY_START_CYCLE,
    TTP_KEY_CYCLES,
    TTP_KEY_OP_ID,
    TTP_KEY_CALL_COUNT,
    TTP_KEY_REPORT_ID,
    TTP_KEY_OP_CODE,
    TTP_KEY_OP_TYPE,
    TTP_KEY_CORES,
    TTP_KEY_KERNEL_NS,
    TTP_KEY_FIDELITY,
    TTP_KEY_ATTRIBUTES,
    TTP_KEY_TRACE_ID,
    TTP_KEY_REPLAY,
    TTP_KEY_SUB_DEVICE,
    TTP_KEY_BOUND,
    TTP_KEY_DRAM_PCT,
    TTP_KEY_FLOPS_PCT,
    TTP_KEY_SOURCE,
    TTP_KEY_TEXT,
    TTP_KEY_BYTES,
    TTP_KEY_TARGET,
    TTP_KEY_NOC,
    TTP_KEY_DATA,
    TTP_KEY_ORDINAL,
    TTP_KEY_ALIGNMENT_ERROR,
    TTP_KEY_ESTIMATE_ERROR,
    TTP_KEY_WAIT,
    TTP_KEY_SKEW,
    TTP_KEY_LAST,
    TTP_KEYS,
};

/* TTP_ARG_NAME: a text of ttp_out_trace_name(), which may come again. */
enum ttp_arg_type { TTP_ARG_UINT, TTP_ARG_INT, TTP_ARG_REAL, TTP_ARG_TEXT, TTP_ARG_NAME };

struct ttp_trace_arg {
    uint8_t key;  /* enum ttp_trace_key */
    uint8_t type; /* enum ttp_arg_type */
    union {
        uint64_t u;
        int64_t i;
        double f;
        ttp_str text;
        ttp_sym name;
    } v;
};

struct ttp_trace_slice {
    int64_t start_ns, end_ns; /* an instant: equal */
    ttp_sym name;             /* of ttp_out_trace_name(), or TTP_SYM_NONE and `text` */
    ttp_str text;             /* a name that does not come again */
    const struct ttp_trace_arg *arg;
    size_t nargs;
    uint64_t flow_out, flow_in; /* an arrow leaves, ends here; 0: none */
    uint32_t more_out;          /* further arrows that leave, with the numbers that follow */
};

/* One execution of a program, for the graphics tools' view of it. */
struct ttp_out_trace_stage {
    int64_t start_ns, end_ns;
    uint64_t id;
    ttp_sym name;
    uint32_t grid; /* cores that ran it */
    uint32_t threads;
    const struct ttp_trace_arg *arg;
    size_t nargs;
};

struct ttp_trace_track {
    ttp_track parent;
    enum ttp_track_kind kind;
    ttp_str name, note;
    int32_t rank;     /* among its siblings */
    uint32_t device;  /* TTP_TRACK_STAGES: position among the devices */
    const char *unit; /* of a counter */
    int32_t pid, tid; /* of a process or thread */
    bool real;        /* a counter's values have a fraction */

    /* Private. */
    bool open;
    uint32_t keys; /* already written: bit k, enum ttp_trace_key */
    uint32_t events;
    uint32_t stack;  /* of stacks.c: the slice that is open, plus one; 0: none yet */
    int64_t last_ns; /* the delta clock is here */
    struct ttp_trace_told {
        uint64_t *bit; /* the same for names */
        size_t words;
    } names, texts; /* of events and in arguments */
};

struct ttp_trace_device {
    ttp_str name, arch;
};

struct ttp_trace_devices {
    const struct ttp_trace_device *device;
    size_t count;
};

struct ttp_trace_writer {
    struct ttp_sink *out;
    struct ttp_arena *arena;
    const struct ttp_trace_form *form;
    struct ttp_trace_track *track;
    size_t ntracks;
    struct ttp_symtab names;
    int64_t origin_ns; /* the first event is not before */
    struct ttp_pb packet;
    const struct ttp_trace_device *device;
    size_t ndevices;
    bool any;           /* JSON: a comma is due */
    const char *arrows; /* what they are called; NULL: "enqueue" */
    struct ttp_trace_counts counts;
    struct ttp_trace_stack *stack; /* of stacks.c */
    size_t nstacks;
    struct ttp_map stack_of; /* a slice in a stack: position plus one */
};

/* How a format writes each kind of event. Tracks are declared parents first. */
struct ttp_trace_form {
    void (*start)(struct ttp_trace_writer *w);
    void (*declare)(struct ttp_trace_writer *w, ttp_track track);
    void (*begin)(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s);
    void (*end)(struct ttp_trace_writer *w, ttp_track track, int64_t ns);
    void (*instant)(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s);
    void (*counter)(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value);
    void (*stage)(struct ttp_trace_writer *w, ttp_track track, const struct ttp_out_trace_stage *s);
    void (*finish)(struct ttp_trace_writer *w);
};
extern const struct ttp_trace_form ttp_trace_perfetto, ttp_trace_chrome, ttp_trace_folded,
    ttp_trace_speedscope;

/* `device` is borrowed. */
void ttp_out_trace_start(struct ttp_trace_writer *w, struct ttp_sink *out,
                         enum ttp_trace_format format, struct ttp_trace_devices devices,
                         struct ttp_arena *arena);
void ttp_out_trace_finish(struct ttp_trace_writer *w);

/* Name and note are copied. */
ttp_track ttp_out_trace_add_track(struct ttp_trace_writer *w, const struct ttp_trace_track *spec);
static inline ttp_sym ttp_out_trace_name(struct ttp_trace_writer *w, ttp_str name)
{
    return ttp_sym_intern(&w->names, name);
}
const char *ttp_out_trace_key_name(enum ttp_trace_key key);

void ttp_out_trace_begin(struct ttp_trace_writer *w, ttp_track track,
                         const struct ttp_trace_slice *s);
void ttp_out_trace_end(struct ttp_trace_writer *w, ttp_track track, int64_t ns);
void ttp_out_trace_instant(struct ttp_trace_writer *w, ttp_track track,
                           const struct ttp_trace_slice *s);
void ttp_out_trace_counter(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value);
void ttp_out_trace_stage(struct ttp_trace_writer *w, ttp_track track,
                         const struct ttp_out_trace_stage *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* wire_keep.h - private to capture: data of a stream besides zones of the host and messages, for a
 * .tracy file. It processes each item after wire_items.c, so clocks, numbers of threads and source
 * locations are those of the wire. All of it lives in the arena of the struct. */
#ifndef TTP_CAPTURE_WIRE_KEEP_H
#define TTP_CAPTURE_WIRE_KEEP_H

#include "base/map.h"
#include "capture/wire_items.h"

/* A time that never came, as .tracy files say it. */
#define TTP_KEPT_NEVER ((int64_t)-1)

/* A device, or a part of one with its own clock. */
struct ttp_kept_context {
    uint64_t thread; /* all its zones are of this thread; 0: each zone says its own */
    ttp_str name;
    float period; /* ns of a unit of its time */
    uint8_t type;
    bool calibrated;
    uint64_t zones;    /* that have begun on the device */
    uint64_t overflow; /* what its clock counts up to; 0: not seen to wrap */
    /* private: from its time to that of the trace */
    uint64_t wraps;
    int64_t difference_ns, at_device_ns, at_host_ns, last;
    double rate;
};

struct ttp_kept_lane {
    uint32_t context, thread;
    uint32_t open; /* position plus one of its innermost open zone; 0: none */
};

/* Zones of devices, in the order of their begins. */
struct ttp_kept_zone {
    int64_t host_ns[2], device_ns[2]; /* start and end, or TTP_KEPT_NEVER */
    uint32_t source, lane;
    uint32_t parent; /* position, or TTP_ZONE_NONE */
};

enum ttp_plot_type { TTP_PLOT_USER = 0, TTP_PLOT_SYS_TIME = 2 };

struct ttp_kept_plot {
    uint64_t key;
    ttp_str name;
    uint8_t type, format, steps, fill;
    uint32_t color;
    struct ttp_kept_point {
        int64_t ns;
        double value;
    } * point;
    size_t count;
};

struct ttp_kept_frames {
    uint64_t key; /* 0: the frames of the program itself */
    ttp_str name;
    bool continuous; /* a frame ends where the next begins */
    struct ttp_kept_frame {
        int64_t start_ns, end_ns;
    } * frame;
    size_t count;
};

enum ttp_memory_change { TTP_MEMORY_TAKEN, TTP_MEMORY_FREED, TTP_MEMORY_ALL_FREED };

struct ttp_kept_memory {
    int64_t ns;
    uint64_t address, bytes;
    uint64_t pool; /* key of its name; 0: memory of the host */
    uint64_t thread;
    enum ttp_memory_change change;
};

struct ttp_kept_name {
    uint64_t key;
    ttp_str text;
};

struct ttp_wire_keep {
    struct ttp_arena *arena; /* set by the caller */
    bool filled;             /* a stream was read; false: there was none */
    struct ttp_welcome welcome;

    struct ttp_kept_context *context;
    size_t ncontexts;
    struct ttp_kept_lane *lane;
    size_t nlanes;
    struct ttp_kept_zone *zone;
    size_t nzones;
    struct ttp_kept_plot *plot;
    size_t nplots;
    struct ttp_kept_frames *frames;
    size_t nframes;
    struct ttp_kept_memory *memory;
    size_t nmemory;
    struct ttp_kept_name *pool; /* names of pools of memory */
    size_t npools;
    uint32_t *color; /* of source locations, by position */
    size_t ncolors;
    struct ttp_kept_coloring {
        uint64_t number; /* of a zone, as in the journal */
        uint32_t color;
        uint32_t zone; /* its position in the trace, or TTP_ZONE_NONE; set when that is complete */
    } * coloring;
    size_t ncolorings;
    uint64_t stacks, samples, lock_events, switches; /* that were seen and are not kept */
    uint64_t *numbered; /* threads by the number that csvexport prints; 0: none has it */
    size_t nnumbered;

    /* private */
    struct ttp_map context_at, lane_at, query_at, plot_at, frames_at, pool_at;
    int64_t device_clock;
    uint64_t next_pool;
    uint32_t sys_time; /* position plus one of its plot */
};

/* `k` has its arena set, the rest zero. */
void ttp_capture_keep_init(struct ttp_wire_keep *k);
/* An item that is neither a begin nor an end of a zone of the host; `text` is what follows it. */
void ttp_capture_keep_item(struct ttp_wire *w, const unsigned char *p, ttp_str text);
/* The stream is at its end. */
void ttp_capture_keep_finish(struct ttp_wire *w);

#endif

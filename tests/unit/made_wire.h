/* SPDX-License-Identifier: Apache-2.0 */
/* made_wire.h - streams as a Tracy client of any dialect would send them, and .tracy files. */
#ifndef TTP_MADE_WIRE_H
#define TTP_MADE_WIRE_H

#include "capture/dialect.h"
#include "capture/lz4_blocks.h"

/* Bytes, and numbers as Tracy writes them: little-endian. */
void made_put(struct ttp_sink *out, const void *p, size_t n);
void made_put16(struct ttp_sink *out, uint16_t v);
void made_put32(struct ttp_sink *out, uint32_t v);
void made_put64(struct ttp_sink *out, uint64_t v);

/* What clients of that protocol speak: tt-metal's fork of Tracy, or Tracy itself. */
const struct ttp_dialect *made_dialect(unsigned protocol, bool fork);

struct made_wire {
    const struct ttp_dialect *d;
    struct ttp_arena *arena;
    struct ttp_sink block, stream; /* items of the current block; everything sent so far */
    struct ttp_packer *packer;
    int64_t now, clock; /* ticks: of the program, and what the current thread was told last */
    size_t nblocks;
};

/* Status and welcome. A tick is half a nanosecond, and the trace begins at tick 1000. */
void made_wire_start(struct made_wire *w, const struct ttp_dialect *d, struct ttp_arena *arena);
/* End the current block. */
void made_wire_flush(struct made_wire *w);
ttp_str made_wire_bytes(struct made_wire *w);

/* Items; time passes before those that have one. */
void made_thread(struct made_wire *w, uint32_t tid);
void made_begin(struct made_wire *w, int64_t ticks, uint64_t source);
void made_begin_inline(struct made_wire *w, int64_t ticks, const char *name, const char *file);
void made_end(struct made_wire *w, int64_t ticks);
void made_text(struct made_wire *w, const char *text);
void made_name(struct made_wire *w, const char *text);
void made_value(struct made_wire *w, uint64_t value);
void made_message(struct made_wire *w, int64_t ticks, const char *text);
void made_literal(struct made_wire *w, int64_t ticks, uint64_t text);
void made_plot(struct made_wire *w, int64_t ticks);
/* A context of no thread, and a zone on it. */
void made_device(struct made_wire *w, uint32_t lane);
/* The context of made_device() alone, with its name; then zones on a lane of it, whose device
 * times are sent as what passed on its clock since the last one. */
void made_context(struct made_wire *w, const char *name);
void made_device_begin(struct made_wire *w, uint32_t lane, const char *name, int64_t ns);
void made_device_end(struct made_wire *w, uint32_t lane, int64_t ns);
/* TTP_ITEM_FRAME, TTP_ITEM_FRAME_START or TTP_ITEM_FRAME_END. */
void made_frame(struct made_wire *w, enum ttp_role role, int64_t ticks, uint64_t name);
void made_color(struct made_wire *w, uint32_t rgb);
void made_sys_time(struct made_wire *w, int64_t ticks, float percent);
/* An answer of TTP_ITEM_PLOT_NAME or TTP_ITEM_FRAME_NAME. */
void made_answer(struct made_wire *w, enum ttp_role role, uint64_t key, const char *text);
void made_memory(struct made_wire *w, uint32_t tid);
/* Memory of the pool whose name is at that address; `ticks` since the last serial item. */
struct made_buffer {
    uint64_t pool, address, bytes;
};
void made_alloc(struct made_wire *w, int64_t ticks, struct made_buffer buffer);
void made_free(struct made_wire *w, int64_t ticks, struct made_buffer buffer);
/* A lock is taken and released, which takes time of the serial clock. */
void made_lock(struct made_wire *w, int64_t ticks);
void made_terminate(struct made_wire *w);
/* Answers. */
void made_source(struct made_wire *w, uint64_t name, uint64_t function, uint64_t file,
                 uint32_t line);
void made_string(struct made_wire *w, uint64_t key, const char *text);
void made_thread_name(struct made_wire *w, uint32_t tid, const char *text);

/* A small run: two ops with zones inside, a worker thread, Python zones, every kind of item whose
 * time counts, and all answers. The same content in every dialect. */
ttp_str made_run(const struct ttp_dialect *d, size_t *nblocks, struct ttp_arena *arena);

/* The same kind of content as a .tracy file of that version. */
enum made_container { MADE_OLD_LZ4, MADE_OLD_ZSTD, MADE_NEW_LZ4, MADE_NEW_ZSTD };
ttp_str made_tracy(unsigned version, bool sections, enum made_container container,
                   struct ttp_arena *arena);
/* One with so many messages, all the same and empty. */
ttp_str made_tracy_of_nothing(uint64_t nmessages, struct ttp_arena *arena);
#define MADE_VERSION(a, b, c) ((unsigned)(a) << 16 | (unsigned)(b) << 8 | (unsigned)(c))

/* Write to a file that exists in memory; its name. Lives until the process ends. */
const char *made_file(ttp_str bytes, struct ttp_arena *arena);

#endif

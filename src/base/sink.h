/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - output text: a buffer for a descriptor or in an arena.
 *
 * A sink may have a gate. Then everything put into it counts as foreign text and is escaped (see
 * gate.h), line ends and tabs too: ttp_sink_put(), and the %s and %c of ttp_sink_printf(). Our own
 * text goes in through ttp_sink_own(), which takes literals only, by the format of
 * ttp_sink_printf(), and by ttp_sink_char() and ttp_sink_repeat(). Text laid out in a separate sink
 * is made with ttp_sink_beside() and added with ttp_sink_join().
 *
 * Writing never fails in the middle: the first failure is kept and everything after it is dropped,
 * so callers check once, with ttp_sink_finish(). One thread per sink. */
#ifndef TTP_BASE_SINK_H
#define TTP_BASE_SINK_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"

/* Who reads what comes out. */
enum ttp_gate {
    TTP_GATE_NONE,     /* a program, byte for byte, or the writer escapes its text itself */
    TTP_GATE_TEXT,     /* a terminal */
    TTP_GATE_MARKDOWN, /* a terminal or a viewer of Markdown */
};

struct ttp_sink {
    char *buf;
    size_t len, cap;
    struct ttp_arena *arena; /* grows here when fd is -1 */
    int fd;
    int saved_errno;  /* of the first failed write, 0 so far */
    uint64_t written; /* bytes that have left for the descriptor */
    bool to_memory;   /* the descriptor is not an output of the program */
    enum ttp_gate gate;
};

/* Collects in memory; read the result with ttp_sink_text(). */
void ttp_sink_to_arena(struct ttp_sink *s, struct ttp_arena *arena);
/* Writes to fd in pieces of 64 KiB; the buffer is in the arena, the descriptor stays the caller's.
 */
void ttp_sink_to_fd(struct ttp_sink *s, int fd, struct ttp_arena *arena);

/* The same for a file in memory: what goes there does not count as output. */
void ttp_sink_to_memory(struct ttp_sink *s, int fd, struct ttp_arena *arena);
/* Collects in the arena, with the gate of `s`. */
void ttp_sink_beside(struct ttp_sink *part, const struct ttp_sink *s, struct ttp_arena *arena);

/* Room for n more bytes; written bytes are then added to s->len by the caller. */
char *ttp_sink_room(struct ttp_sink *s, size_t n);
void ttp_sink_put(struct ttp_sink *s, ttp_str text);
/* A literal of ours, as if by a function. NOLINTNEXTLINE(readability-identifier-naming) */
#define ttp_sink_own(s, literal) ttp_sink_trusted((s), TTP_STR("" literal ""))
/* What part has collected: as it is if it had the same gate, else through the gate of `s`. */
void ttp_sink_join(struct ttp_sink *s, const struct ttp_sink *part);
/* Bypasses the gate. For writers that escape by themselves and for texts that are part of the
 * program; cmake/check_banned.sh lists them. */
void ttp_sink_trusted(struct ttp_sink *s, ttp_str text);
/* Columns that ttp_sink_put() would fill. */
size_t ttp_sink_columns(const struct ttp_sink *s, ttp_str text);
void ttp_sink_repeat(struct ttp_sink *s, char c, size_t n);
void ttp_sink_printf(struct ttp_sink *s, const char *fmt, ...) TTP_PRINTF(2, 3);
void ttp_sink_vprintf(struct ttp_sink *s, const char *fmt, va_list args) TTP_PRINTF(2, 0);
/* What printf(3) would print, as a text in the arena. */
ttp_str ttp_sink_vformat(struct ttp_arena *arena, const char *fmt, va_list args) TTP_PRINTF(2, 0);
ttp_str ttp_sink_format(struct ttp_arena *arena, const char *fmt, ...) TTP_PRINTF(2, 3);

static inline void ttp_sink_char(struct ttp_sink *s, char c)
{
    *ttp_sink_room(s, 1) = c;
    s->len++;
}
static inline void ttp_sink_u64(struct ttp_sink *s, uint64_t v)
{
    s->len += ttp_num_u64(ttp_sink_room(s, TTP_NUM_MAX), v);
}
static inline void ttp_sink_i64(struct ttp_sink *s, int64_t v)
{
    s->len += ttp_num_i64(ttp_sink_room(s, TTP_NUM_MAX), v);
}
static inline void ttp_sink_f64(struct ttp_sink *s, double v, enum ttp_num_style style)
{
    s->len += ttp_num_f64(ttp_sink_room(s, TTP_NUM_MAX), v, style);
}
static inline void ttp_sink_fixed(struct ttp_sink *s, double v, int digits, bool grouped)
{
    s->len += ttp_num_fixed(ttp_sink_room(s, TTP_NUM_FIXED_MAX), v, digits, grouped);
}

/* What has been collected; valid until the next write. Only for sinks in an arena. */
static inline ttp_str ttp_sink_text(const struct ttp_sink *s)
{
    return (ttp_str){s->buf, s->len};
}

/* Flush. TTP_EIO with errno's text if any write failed since the start. */
TTP_NODISCARD ttp_code ttp_sink_finish(struct ttp_sink *s, struct ttp_err *err);

#endif

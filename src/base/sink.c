/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/gate.h"
#include "base/sink_format.h"

#define PIECE ((size_t)64 << 10)

void ttp_sink_to_arena(struct ttp_sink *s, struct ttp_arena *arena)
{
    *s = (struct ttp_sink){.arena = arena, .fd = -1};
}

void ttp_sink_to_fd(struct ttp_sink *s, int fd, struct ttp_arena *arena)
{
    *s = (struct ttp_sink){.arena = arena, .fd = fd};
}

void ttp_sink_to_memory(struct ttp_sink *s, int fd, struct ttp_arena *arena)
{
    *s = (struct ttp_sink){.arena = arena, .fd = fd, .to_memory = true};
}

void ttp_sink_beside(struct ttp_sink *part, const struct ttp_sink *s, struct ttp_arena *arena)
{
    ttp_sink_to_arena(part, arena);
    part->gate = s->gate;
}

static void write_all(struct ttp_sink *s, const char *p, size_t n)
{
    if (!s->to_memory)
        ttp_budget_write(n);
    while (n && !s->saved_errno) {
        const ssize_t done = write(s->fd, p, n);

        if (done >= 0) {
            p += done;
            n -= (size_t)done;
            s->written += (uint64_t)done;
        } else if (errno != EINTR) {
            s->saved_errno = errno;
        }
    }
}

static void grow(struct ttp_sink *s, size_t n)
{
    size_t cap = s->cap ? s->cap * 2 : (s->fd < 0 ? 256 : PIECE);

    while (cap - s->len < n)
        cap *= 2;
    char *buf = ttp_arena_bytes(s->arena, cap);
    if (s->len)
        memcpy(buf, s->buf, s->len);
    s->buf = buf;
    s->cap = cap;
}

char *ttp_sink_room(struct ttp_sink *s, size_t n)
{
    if (s->cap - s->len < n && s->fd >= 0 && s->cap) {
        write_all(s, s->buf, s->len);
        s->len = 0;
    }
    if (s->cap - s->len < n)
        grow(s, n);
    return s->buf + s->len;
}

void ttp_sink_put(struct ttp_sink *s, ttp_str text)
{
    switch (s->gate) {
    case TTP_GATE_NONE:
        ttp_sink_trusted(s, text);
        return;
    case TTP_GATE_TEXT:
        ttp_gate_put_text(s, text);
        return;
    case TTP_GATE_MARKDOWN:
        ttp_gate_put_markdown(s, text);
        return;
    }
}

void ttp_sink_join(struct ttp_sink *s, const struct ttp_sink *part)
{
    if (part->gate == s->gate)
        ttp_sink_trusted(s, ttp_sink_text(part));
    else
        ttp_sink_put(s, ttp_sink_text(part));
}

size_t ttp_sink_columns(const struct ttp_sink *s, ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink shown;

    if (s->gate == TTP_GATE_NONE || ttp_gate_clean_prefix(text) == text.len)
        return ttp_str_code_points(text);
    ttp_sink_to_arena(&shown, &arena);
    ttp_gate_put_text(&shown, text);
    const size_t n = ttp_str_code_points(ttp_sink_text(&shown));
    ttp_arena_free(&arena);
    return n;
}

void ttp_sink_trusted(struct ttp_sink *s, ttp_str text)
{
    if (text.len == 0)
        return;
    if (s->fd >= 0 && text.len >= PIECE) { /* large enough for a write of its own */
        write_all(s, s->buf, s->len);
        write_all(s, text.ptr, text.len);
        s->len = 0;
        return;
    }
    memcpy(ttp_sink_room(s, text.len), text.ptr, text.len);
    s->len += text.len;
}

void ttp_sink_repeat(struct ttp_sink *s, char c, size_t n)
{
    if (n == 0)
        return;
    memset(ttp_sink_room(s, n), c, n);
    s->len += n;
}

static TTP_PRINTF(2, 0) void put_format(struct ttp_sink *s, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    if (n > 0) {
        /* vsnprintf() adds a NUL that is not part of the text */
        (void)vsnprintf(ttp_sink_room(s, (size_t)n + 1), (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
}

void ttp_sink_vprintf(struct ttp_sink *s, const char *fmt, va_list args)
{
    if (s->gate == TTP_GATE_NONE)
        put_format(s, fmt, args);
    else
        ttp_sink_put_gated(s, fmt, args);
}

void ttp_sink_printf(struct ttp_sink *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ttp_sink_vprintf(s, fmt, args);
    va_end(args);
}

ttp_str ttp_sink_vformat(struct ttp_arena *arena, const char *fmt, va_list args)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    put_format(&s, fmt, args);
    return ttp_sink_text(&s);
}

ttp_str ttp_sink_format(struct ttp_arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const ttp_str text = ttp_sink_vformat(arena, fmt, args);
    va_end(args);
    return text;
}

ttp_code ttp_sink_finish(struct ttp_sink *s, struct ttp_err *err)
{
    if (s->fd >= 0) {
        write_all(s, s->buf, s->len);
        s->len = 0;
    }
    if (s->saved_errno) {
        errno = s->saved_errno;
        return ttp_fail_errno(err, "cannot write");
    }
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/message.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/gate.h"
#include "base/wrap.h"

void ttp_message(const char *fmt, ...)
{
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    va_list ap;

    ttp_sink_to_fd(&out, STDERR_FILENO, &arena);
    out.gate = TTP_GATE_TEXT;
    va_start(ap, fmt);
    ttp_sink_vprintf(&out, fmt, ap);
    va_end(ap);
    const ttp_code told = ttp_sink_finish(&out, NULL);
    (void)told; /* nothing can be printed any more */
    ttp_arena_free(&arena);
}

size_t ttp_message_width(void)
{
    struct winsize size = {0};

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

void ttp_message_put(struct ttp_sink *out, ttp_str text, size_t width)
{
    const size_t hang = 2;

    ttp_put_wrapped(out, text, (struct ttp_wrap){width, 0, hang});
}

void ttp_message_wrapped(ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink out;

    ttp_sink_to_fd(&out, STDERR_FILENO, &arena);
    out.gate = TTP_GATE_TEXT;
    ttp_message_put(&out, ttp_gate_text(&arena, text), ttp_message_width());
    const ttp_code told = ttp_sink_finish(&out, NULL);
    (void)told; /* nothing can be printed any more */
    ttp_arena_free(&arena);
}

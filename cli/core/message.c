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

void ttp_message_wrapped(ttp_str text)
{
    const size_t hang = 2;
    struct ttp_arena arena = {0};
    struct winsize size = {0};
    struct ttp_sink out;

    ttp_sink_to_fd(&out, STDERR_FILENO, &arena);
    out.gate = TTP_GATE_TEXT;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0)
        size.ws_col = 0;
    ttp_put_wrapped(&out, ttp_gate_text(&arena, text), (struct ttp_wrap){size.ws_col, 0, hang});
    const ttp_code told = ttp_sink_finish(&out, NULL);
    (void)told; /* nothing can be printed any more */
    ttp_arena_free(&arena);
}

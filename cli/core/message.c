/* SPDX-License-Identifier: Apache-2.0 */
#include "core/message.h"

#include <unistd.h>

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
    (void)told; /* nobody is left to tell */
    ttp_arena_free(&arena);
}

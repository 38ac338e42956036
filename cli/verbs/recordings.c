/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/recordings.h"

#include <inttypes.h>

void ttp_recording_split(struct ttp_words *out, const char *list, struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(list);

    while (rest.len) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const ttp_str word = ttp_str_slice(rest, 0, comma);

        if (word.len)
            ttp_words_add(out, ttp_arena_zstr(arena, word), arena);
        rest = comma == TTP_NPOS ? TTP_STR("") : ttp_str_slice(rest, comma + 1, rest.len);
    }
}

enum ttp_csv_generation ttp_recording_generation(const struct ttp_trace *trace)
{
    const bool old = trace->kind == TTP_TRACE_TRACY
                         ? trace->version[0] == 0 && trace->version[1] <= 10
                         : trace->protocol <= 66;

    return old ? TTP_CSV_0_10 : TTP_CSV_0_13;
}

void ttp_recording_tell(const struct ttp_ctx *ctx, const char *path, const struct ttp_trace *trace)
{
    if (trace->unknown)
        ttp_ctx_warn(ctx, "'%s': protocol %u is unsupported: messages only", path, trace->protocol);
    if (trace->inconsistent)
        ttp_ctx_warn(ctx, "'%s': part of the stream could not be decoded and is missing", path);
    if (trace->lost_bytes)
        ttp_ctx_warn(ctx,
                     "'%s': %" PRIu64 " bytes from offset %" PRIu64 " on are truncated or "
                     "damaged; using the intact "
                     "part",
                     path, trace->lost_bytes, trace->lost_at);
    if (trace->end != TTP_END_NORMAL && !trace->lost_bytes)
        ttp_ctx_warn(ctx, "'%s': %s", path, ttp_capture_end_text(trace->end));
    if (trace->zones_dropped && trace->zones_seen > trace->zone.count)
        ttp_ctx_warn(ctx,
                     "'%s': %" PRIu64 " of %" PRIu64 " zones were dropped on arrival; record "
                     "with --zones all to keep them",
                     path, trace->zones_seen - trace->zone.count, trace->zones_seen);
}

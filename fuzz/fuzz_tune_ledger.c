/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a ledger: no crash; what is accepted is consistent and can be shown, a refusal says
 * where. The checksums would hide everything after them, so the lines are also sealed again. */
#include <stdio.h>
#include <stdlib.h>

#include "base/append_log.h"
#include "fuzz.h"
#include "outputs/outputs.h"
#include "tune/ledger.h"

static void show(const struct ttp_tune_session *s, struct ttp_arena *arena)
{
    struct ttp_tune_view view = {.action = "report", .session = s};
    struct ttp_sink out;
    struct ttp_show how = {.out = &out, .width = 80, .arena = arena};

    ttp_sink_to_arena(&out, arena);
    for (int i = 0; i < 2; i++) {
        view.story = i;
        for (how.form = TTP_FORM_TEXT; how.form <= TTP_FORM_JSON; how.form++)
            if (ttp_out_tune(&how, &view, NULL) != TTP_OK)
                abort();
    }
    ttp_out_tune_svg(&out, &view, arena);
}

static void read_text(ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_tune_session s;
    struct ttp_err err = {0};

    if (ttp_tune_read(&s, text, &arena, &err) != TTP_OK) {
        if (err.code == TTP_OK || err.offset > text.len)
            abort();
    } else {
        if (s.good_bytes + s.torn_bytes > text.len || (s.count && !s.measured))
            abort();
        for (size_t i = 0; i < s.count; i++)
            if (s.change[i].number != i + 1 ||
                (s.change[i].outcome == TTP_TUNE_PENDING && i + 1 != s.count))
                abort();
        if (s.measured && s.count < 64)
            show(&s, &arena);
    }
    ttp_arena_free(&arena);
}

/* Lines with a checksum that fits: "{...}" gets its seal in place of the last brace. */
static void read_sealed(ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink all;
    ttp_str line;

    ttp_sink_to_arena(&all, &arena);
    while (ttp_str_next_line(&text, &line)) {
        const size_t old = ttp_str_find(line, TTP_STR(",\"crc\":\""));
        const ttp_str body = ttp_str_slice(line, 0,
                                           old != TTP_NPOS ? old
                                           : line.len      ? line.len - 1
                                                           : 0);
        char seal[32];

        snprintf(seal, sizeof(seal), ",\"crc\":\"%08x\"}\n", ttp_crc32(body));
        ttp_sink_put(&all, body);
        ttp_sink_put(&all, ttp_str_from(seal));
    }
    read_text(ttp_sink_text(&all));
    ttp_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};

    read_text(text);
    read_sealed(text);
    return 0;
}

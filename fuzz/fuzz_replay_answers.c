/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the items of a recorded client and the queries of another server, 13 bytes each, in
 * the dialect that the first byte chooses; the second and third are the length of the former.
 * Whatever is asked, the reply is whole items; what is left of a block has no answers. */
#include <string.h>

#include "base/sink.h"
#include "capture/bytes.h"
#include "capture/replay_answers.h"
#include "fuzz.h"
#include "memfile.h"

static bool is_whole(const struct ttp_dialect *d, ttp_str items)
{
    unsigned staged = TTP_STAGED_ANY;
    uint64_t count = 0;

    return items.len == 0 || ttp_capture_dialect_walk(
                                 d, items, (struct ttp_dialect_seen){&staged, &count}, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_sink reply;
    size_t n;
    const struct ttp_dialect *all = ttp_capture_dialect_all(&n);

    if (size < 4)
        return 0;
    const struct ttp_dialect *d = &all[data[0] % n];
    struct ttp_answers answers = {.dialect = d, .arena = &arena};
    ttp_str rest = {(const char *)data + 3, size - 3};
    const ttp_str block = ttp_str_slice(rest, 0, (size_t)data[1] | (size_t)data[2] << 8);
    rest = ttp_str_slice(rest, block.len, rest.len);
    ttp_capture_replay_answers_init(&answers);
    if (is_whole(d, block)) {
        char *left = ttp_arena_bytes(&arena, block.len + 1);

        ttp_capture_replay_answers_learn(&answers, block);
        const size_t kept = ttp_capture_replay_answers_strip(d, block, left);
        must(kept <= block.len && is_whole(d, (ttp_str){left, kept}));
        char *again = ttp_arena_bytes(&arena, kept + 1);
        must(ttp_capture_replay_answers_strip(d, (ttp_str){left, kept}, again) == kept);
    }
    ttp_sink_to_arena(&reply, &arena);
    while (rest.len >= TTP_QUERY_BYTES) {
        unsigned char query[TTP_QUERY_BYTES];
        const size_t before = reply.len;

        memcpy(query, rest.ptr, sizeof(query));
        ttp_capture_replay_answers_put(&reply, &answers, query);
        const ttp_str text = ttp_sink_text(&reply);
        must(is_whole(d, ttp_str_slice(text, before, text.len)));
        rest = ttp_str_slice(rest, sizeof(query), rest.len);
    }
    ttp_arena_free(&arena);
    return 0;
}

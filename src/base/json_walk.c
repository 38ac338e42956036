/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_walk.h"

#include "base/input.h"

static bool step(struct ttp_json_walk *w)
{
    if (w->code == TTP_OK)
        w->code = ttp_json_next(&w->event, &w->json, w->err);
    return w->code == TTP_OK && w->event != TTP_JSON_END;
}

void ttp_walk_begin(struct ttp_json_walk *w, ttp_str text, struct ttp_arena *arena,
                    struct ttp_err *err)
{
    *w = (struct ttp_json_walk){
        .json = {.python = true, .replace_surrogate = true}, .arena = arena, .err = err};
    ttp_json_feed(&w->json, text, true);
    (void)step(w);
}

ttp_code ttp_walk_end(struct ttp_json_walk *w)
{
    while (step(w))
        ;
    const ttp_code code = w->code;
    ttp_json_clear(&w->json);
    return code;
}

bool ttp_walk_member(struct ttp_json_walk *w, ttp_str *key)
{
    if (!step(w) || w->event != TTP_JSON_KEY)
        return false;
    *key = ttp_arena_copy(w->arena, w->json.text);
    return step(w);
}

bool ttp_walk_item(struct ttp_json_walk *w)
{
    return step(w) && w->event != TTP_JSON_ARRAY_END;
}

void ttp_walk_leave(struct ttp_json_walk *w)
{
    if (w->code != TTP_OK ||
        (w->event != TTP_JSON_OBJECT_BEGIN && w->event != TTP_JSON_ARRAY_BEGIN))
        return;
    const uint32_t outside = w->json.depth - 1;
    while (w->json.depth > outside && step(w))
        ;
}

static bool into(struct ttp_json_walk *w, enum ttp_json_event begin)
{
    if (w->code == TTP_OK && w->event == begin)
        return true;
    ttp_walk_leave(w);
    return false;
}

bool ttp_walk_into_array(struct ttp_json_walk *w)
{
    return into(w, TTP_JSON_ARRAY_BEGIN);
}

bool ttp_walk_into_object(struct ttp_json_walk *w)
{
    return into(w, TTP_JSON_OBJECT_BEGIN);
}

bool ttp_walk_text(struct ttp_json_walk *w, ttp_str *out)
{
    if (w->code != TTP_OK || w->event != TTP_JSON_STRING) {
        ttp_walk_leave(w);
        return false;
    }
    *out = ttp_arena_copy(w->arena, w->json.text);
    return true;
}

bool ttp_walk_i64(struct ttp_json_walk *w, int64_t *out)
{
    if (w->code != TTP_OK || w->event != TTP_JSON_NUMBER) {
        ttp_walk_leave(w);
        return false;
    }
    return ttp_json_to_i64(w->json.text, out);
}

ttp_code ttp_walk_read_file(ttp_str *out, const char *path, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    static const struct ttp_input_bound bound = {(size_t)64 << 20,
                                                 "more than 64 MiB: not such a file"};

    return ttp_input_all(out, path, &bound, arena, err);
}

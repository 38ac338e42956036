/* SPDX-License-Identifier: Apache-2.0 */
/* A receiver that wants little asks little, so its recording lacks what another server asks for.
 * All answers to plain questions are therefore taken out of the stream and given again when they
 * are asked for; a text that was not recorded is answered with a placeholder. */
#include "capture/replay_answers.h"

#include "base/vec.h"
#include "capture/bytes.h"

/* The address that represents a text that was not recorded. */
#define UNKNOWN_TEXT ((uint64_t)8)

void ttp_capture_replay_answers_init(struct ttp_answers *a)
{
    for (size_t i = 0; i < TTP_ANSWER_KINDS; i++)
        a->text_at[i].arena = a->arena;
    a->source_at.arena = a->recorded.arena = a->arena;
}

static void see_source(struct ttp_answers *a, uint64_t key)
{
    if (ttp_map_get(&a->source_at, key) != TTP_MAP_NONE)
        return;
    TTP_ROOM(a->arena, a->source, a->nsources);
    TTP_ROOM(a->arena, a->fifo, a->nfifo);
    a->source[a->nsources] = (struct ttp_recorded_source){0};
    a->fifo[a->nfifo++] = (uint32_t)a->nsources;
    ttp_map_put(&a->source_at, key, (uint32_t)a->nsources++);
}

static void learn_text(struct ttp_answers *a, int kind, uint64_t key, ttp_str text)
{
    TTP_ROOM(a->arena, a->text, a->ntexts);
    a->text[a->ntexts] = ttp_arena_copy(a->arena, text);
    ttp_map_put(&a->text_at[kind], key, (uint32_t)a->ntexts++);
}

static void learn_source(struct ttp_answers *a, const unsigned char *item)
{
    if (a->fifo_at == a->nfifo)
        return;
    struct ttp_recorded_source *s = &a->source[a->fifo[a->fifo_at++]];
    memcpy(s->bytes, item + 1, sizeof(s->bytes));
    s->known = true;
}

/* Of questions with answers of several items: which were answered in the recording. */
static uint64_t recorded_key(unsigned query, uint64_t what)
{
    return what * 16 + query;
}

static void learn_other(struct ttp_answers *a, const unsigned char *p)
{
    const uint8_t id = *p, last = a->dialect->fiber_name;
    unsigned query = 0;
    uint64_t what = 0;

    if (a->dialect->size[id] == 10) { /* CallstackFrameSize */
        query = TTP_QUERY_CALLSTACK_FRAME;
        what = ttp_get64(p + 1);
    } else if (a->dialect->size[id] == 13) { /* SymbolInformation */
        query = TTP_QUERY_SYMBOL;
        what = ttp_get64(p + 5);
    } else if (id == last - 2) {
        query = TTP_QUERY_SYMBOL_CODE;
        what = ttp_get64(p + 1);
    } else if (id == last - 1) {
        query = TTP_QUERY_SOURCE_CODE;
        what = ttp_get64(p + 1);
    } else if (id == last - 4) {
        query = TTP_QUERY_EXTERNAL;
        what = ttp_get64(p + 1);
    }
    if (query)
        ttp_map_put(&a->recorded, recorded_key(query, what), 0);
}

static void learn_item(struct ttp_answers *a, const unsigned char *p, ttp_str text)
{
    const size_t context = a->dialect->wide ? 17 : 16;

    switch (a->dialect->role[*p]) {
    case TTP_ITEM_ZONE_BEGIN:
        see_source(a, ttp_get64(p + 9));
        break;
    case TTP_ITEM_ZONE_BEGIN32:
        see_source(a, ttp_get64(p + 5));
        break;
    case TTP_ITEM_ZONE_BEGIN16:
        see_source(a, ttp_get64(p + 3));
        break;
    case TTP_ITEM_GPU_BEGIN:
    case TTP_ITEM_GPU_BEGIN_SERIAL:
        see_source(a, ttp_get64(p + context));
        break;
    case TTP_ITEM_LOCK_ANNOUNCE:
        see_source(a, ttp_get64(p + 13));
        break;
    case TTP_ITEM_LOCK_MARK:
        see_source(a, ttp_get64(p + 9));
        break;
    case TTP_ITEM_SOURCE:
        learn_source(a, p);
        break;
    case TTP_ITEM_STRING:
        learn_text(a, TTP_ANSWER_STRING, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_THREAD_NAME:
        learn_text(a, TTP_ANSWER_THREAD, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_PLOT_NAME:
        learn_text(a, TTP_ANSWER_PLOT, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_FRAME_NAME:
        learn_text(a, TTP_ANSWER_FRAME, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_FIBER_NAME:
        learn_text(a, TTP_ANSWER_FIBER, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_OTHER_ANSWER:
        learn_other(a, p);
        break;
    default:
        break;
    }
}

void ttp_capture_replay_answers_learn(struct ttp_answers *a, ttp_str block)
{
    const unsigned char *p = (const unsigned char *)block.ptr, *end = p + block.len;
    ttp_str text;

    for (size_t size; p < end && (size = ttp_capture_dialect_item(a->dialect, p, end, &text));
         p += size)
        learn_item(a, p, text);
}

static bool is_left_out(enum ttp_role role)
{
    switch (role) {
    case TTP_ITEM_SOURCE:
    case TTP_ITEM_STRING:
    case TTP_ITEM_THREAD_NAME:
    case TTP_ITEM_PLOT_NAME:
    case TTP_ITEM_FRAME_NAME:
    case TTP_ITEM_FIBER_NAME:
    case TTP_ITEM_ACK:
    case TTP_ITEM_TERMINATE:
    case TTP_ITEM_KEEP_ALIVE:
        return true;
    default:
        return false;
    }
}

size_t ttp_capture_replay_answers_strip(const struct ttp_dialect *d, ttp_str block, char *rest)
{
    const unsigned char *p = (const unsigned char *)block.ptr, *end = p + block.len;
    size_t n = 0;
    ttp_str text;

    for (size_t size; p < end && (size = ttp_capture_dialect_item(d, p, end, &text)); p += size)
        if (!is_left_out((enum ttp_role)d->role[*p])) {
            memcpy(rest + n, p, size);
            n += size;
        }
    return n;
}

/* ---- answering ---- */

static void put_bytes(struct ttp_sink *out, const void *p, size_t n)
{
    ttp_sink_put(out, (ttp_str){p, n});
}

static void put_text(struct ttp_sink *out, uint8_t id, uint64_t key, ttp_str text)
{
    unsigned char head[11];

    head[0] = id;
    ttp_set64(head + 1, key);
    ttp_set16(head + 9, (uint16_t)text.len);
    put_bytes(out, head, sizeof(head));
    ttp_sink_put(out, text);
}

/* A text for the item that follows, of less than 256 bytes. */
static void stage(struct ttp_sink *out, const struct ttp_dialect *d, enum ttp_role role,
                  ttp_str text)
{
    unsigned char head[3];
    unsigned id = 0;

    while (id < 255 && (d->role[id] != role || d->tail[id] == TTP_TAIL_16_256))
        id++;
    head[0] = (unsigned char)id;
    ttp_set16(head + 1, (uint16_t)text.len);
    put_bytes(out, head, d->tail[id] == TTP_TAIL_8 ? 2 : 3);
    ttp_sink_put(out, text);
}

static uint8_t other_id(const struct ttp_dialect *d, uint8_t size)
{
    unsigned id = 0;

    while (id < 255 && (d->role[id] != TTP_ITEM_OTHER_ANSWER || d->size[id] != size ||
                        d->tail[id] != TTP_TAIL_NONE))
        id++;
    return (uint8_t)id;
}

static void put_source(struct ttp_sink *out, const struct ttp_answers *a, uint64_t key)
{
    const uint32_t at = ttp_map_get(&a->source_at, key);
    unsigned char item[32] = {0};

    item[0] = a->dialect->source;
    ttp_set64(item + 9, UNKNOWN_TEXT);
    ttp_set64(item + 17, UNKNOWN_TEXT);
    if (at != TTP_MAP_NONE && a->source[at].known)
        memcpy(item + 1, a->source[at].bytes, sizeof(a->source[at].bytes));
    put_bytes(out, item, sizeof(item));
}

/* One frame without a name. */
static void put_frame(struct ttp_sink *out, const struct ttp_dialect *d, uint64_t address)
{
    unsigned char size[10] = {0}, frame[17] = {0};

    size[0] = other_id(d, 10);
    ttp_set64(size + 1, address);
    size[9] = 1;
    stage(out, d, TTP_ITEM_STRING_STAGED, TTP_STR("[unknown]"));
    put_bytes(out, size, sizeof(size));
    frame[0] = other_id(d, 17);
    stage(out, d, TTP_ITEM_STRING_STAGED, TTP_STR("[unknown]"));
    stage(out, d, TTP_ITEM_STRING_SECOND, TTP_STR("[unknown]"));
    put_bytes(out, frame, sizeof(frame));
}

static void put_symbol(struct ttp_sink *out, const struct ttp_dialect *d, uint64_t address)
{
    unsigned char item[13] = {0};

    item[0] = other_id(d, 13);
    ttp_set64(item + 5, address);
    stage(out, d, TTP_ITEM_STRING_STAGED, TTP_STR("[unknown]"));
    put_bytes(out, item, sizeof(item));
}

static void put_name(struct ttp_sink *out, const struct ttp_answers *a, int kind, uint8_t id,
                     uint64_t key)
{
    const uint32_t at = ttp_map_get(&a->text_at[kind], key);

    put_text(out, id, key, at == TTP_MAP_NONE ? TTP_STR("???") : a->text[at]);
}

/* Answers that the stream itself carries are not given twice. */
static void put_rare(struct ttp_sink *out, const struct ttp_answers *a, unsigned query,
                     uint64_t what)
{
    const struct ttp_dialect *d = a->dialect;
    unsigned char missing[5];

    if (ttp_map_get(&a->recorded, recorded_key(query, what)) != TTP_MAP_NONE)
        return;
    switch (query) {
    case TTP_QUERY_EXTERNAL:
        put_text(out, (uint8_t)(d->fiber_name - 3), what, TTP_STR("???"));
        put_text(out, (uint8_t)(d->fiber_name - 4), what, TTP_STR("???"));
        break;
    case TTP_QUERY_CALLSTACK_FRAME:
        put_frame(out, d, what);
        break;
    case TTP_QUERY_SYMBOL:
        put_symbol(out, d, what);
        break;
    case TTP_QUERY_SYMBOL_CODE:
        ttp_sink_char(out, (char)d->symbol_code_missing);
        break;
    case TTP_QUERY_SOURCE_CODE:
        missing[0] = d->source_code_missing;
        ttp_set32(missing + 1, (uint32_t)what);
        put_bytes(out, missing, sizeof(missing));
        break;
    default:
        break;
    }
}

void ttp_capture_replay_answers_put(struct ttp_sink *out, const struct ttp_answers *a,
                                    const unsigned char *query)
{
    const struct ttp_dialect *d = a->dialect;
    const uint64_t what = ttp_get64(query + 1);

    switch (query[0]) {
    case TTP_QUERY_STRING:
        put_name(out, a, TTP_ANSWER_STRING, d->string, what);
        break;
    case TTP_QUERY_THREAD:
        put_name(out, a, TTP_ANSWER_THREAD, d->thread_name, what);
        break;
    case TTP_QUERY_SOURCE:
        put_source(out, a, what);
        break;
    case TTP_QUERY_PLOT:
        put_name(out, a, TTP_ANSWER_PLOT, d->plot_name, what);
        break;
    case TTP_QUERY_FRAME:
        put_name(out, a, TTP_ANSWER_FRAME, d->frame_name, what);
        break;
    case TTP_QUERY_FIBER:
        put_name(out, a, TTP_ANSWER_FIBER, d->fiber_name, what);
        break;
    case TTP_QUERY_PARAMETER:
    case TTP_QUERY_DATA:
    case TTP_QUERY_DATA_PART:
        ttp_sink_char(out, (char)d->ack);
        break;
    default:
        put_rare(out, a, query[0], what);
        break;
    }
}

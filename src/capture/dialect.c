/* SPDX-License-Identifier: Apache-2.0 */
/* Every protocol since 63 only ever inserted items, so one list in the order of ids, each row with
 * the numbers it is valid for, gives all dialects. docs/formats/tracy_wire.md says where the facts
 * come from. */
#include "capture/dialect.h"

#include <assert.h>
#include <pthread.h>

enum {
    WIDE = 1,  /* one byte longer where GPU contexts have 16 bits */
    TT = 2,    /* only in Tenstorrent's fork */
    LAST = 255 /* `until`: still there */
};

struct row {
    uint8_t since, until; /* protocol numbers, both included */
    uint8_t size;         /* of the fixed part with the id; length fields not counted */
    uint8_t flags;
    uint8_t role;
    uint8_t tail;
};

static const struct row rows[] = {
    {0, LAST, 1, 0, TTP_ITEM_ZONE_TEXT, 0},
    {0, LAST, 1, 0, TTP_ITEM_ZONE_NAME, 0},
    {0, 76, 9, 0, TTP_ITEM_MESSAGE, 0},
    {77, LAST, 10, 0, TTP_ITEM_MESSAGE, 0},
    {0, 76, 12, 0, TTP_ITEM_MESSAGE_COLOR, 0},
    {77, LAST, 13, 0, TTP_ITEM_MESSAGE_COLOR, 0},
    {0, 76, 9, 0, TTP_ITEM_MESSAGE, 0}, /* with a call stack */
    {77, LAST, 10, 0, TTP_ITEM_MESSAGE, 0},
    {0, 76, 12, 0, TTP_ITEM_MESSAGE_COLOR, 0},
    {77, LAST, 13, 0, TTP_ITEM_MESSAGE_COLOR, 0},
    {0, LAST, 9, 0, TTP_ITEM_APP_INFO, 0},
    {0, LAST, 9, 0, TTP_ITEM_ZONE_BEGIN_ALLOC, 0},
    {0, LAST, 9, 0, TTP_ITEM_ZONE_BEGIN_ALLOC, 0},
    {0, LAST, 1, 0, TTP_ITEM_CALLSTACK, 0}, /* serial */
    {0, LAST, 1, 0, TTP_ITEM_CALLSTACK, 0},
    {0, LAST, 1, 0, TTP_ITEM_SKIP, 0}, /* CallstackAlloc */
    {0, LAST, 13, 0, TTP_ITEM_SAMPLE, 0},
    {78, LAST, 9, 0, TTP_ITEM_SAMPLE, 0},
    {78, LAST, 7, 0, TTP_ITEM_SAMPLE, 0},
    {0, LAST, 13, 0, TTP_ITEM_SAMPLE, 0}, /* at a context switch */
    {78, LAST, 9, 0, TTP_ITEM_SAMPLE, 0},
    {78, LAST, 7, 0, TTP_ITEM_SAMPLE, 0},
    {0, LAST, 10, 0, TTP_ITEM_SKIP, 0}, /* FrameImage */
    {0, LAST, 17, 0, TTP_ITEM_ZONE_BEGIN, 0},
    {78, LAST, 13, 0, TTP_ITEM_ZONE_BEGIN32, 0},
    {78, LAST, 11, 0, TTP_ITEM_ZONE_BEGIN16, 0},
    {0, LAST, 17, 0, TTP_ITEM_ZONE_BEGIN, 0}, /* with a call stack */
    {78, LAST, 13, 0, TTP_ITEM_ZONE_BEGIN32, 0},
    {78, LAST, 11, 0, TTP_ITEM_ZONE_BEGIN16, 0},
    {0, LAST, 9, 0, TTP_ITEM_ZONE_END, 0},
    {78, LAST, 5, 0, TTP_ITEM_ZONE_END32, 0},
    {78, LAST, 3, 0, TTP_ITEM_ZONE_END16, 0},
    {0, LAST, 17, 0, TTP_ITEM_LOCK_EVENT, 0}, /* wait */
    {0, LAST, 17, 0, TTP_ITEM_LOCK_EVENT, 0}, /* obtain */
    {0, LAST, 13, 0, TTP_ITEM_LOCK_RELEASE, 0},
    {0, LAST, 17, 0, TTP_ITEM_LOCK_EVENT, 0}, /* the same shared */
    {0, LAST, 17, 0, TTP_ITEM_LOCK_EVENT, 0},
    {0, LAST, 17, 0, TTP_ITEM_LOCK_RELEASE_SHARED, 0},
    {0, LAST, 5, 0, TTP_ITEM_LOCK_NAME, 0},
    {0, LAST, 27, 0, TTP_ITEM_MEMORY, 0}, /* allocations */
    {0, LAST, 27, 0, TTP_ITEM_MEMORY_NAMED, 0},
    {0, LAST, 21, 0, TTP_ITEM_MEMORY, 0}, /* frees */
    {0, LAST, 21, 0, TTP_ITEM_MEMORY_NAMED, 0},
    {0, LAST, 27, 0, TTP_ITEM_MEMORY, 0}, /* the same with call stacks */
    {0, LAST, 27, 0, TTP_ITEM_MEMORY_NAMED, 0},
    {0, LAST, 21, 0, TTP_ITEM_MEMORY, 0},
    {0, LAST, 21, 0, TTP_ITEM_MEMORY_NAMED, 0},
    {72, LAST, 21, 0, TTP_ITEM_MEMORY_DISCARD, 0},
    {72, LAST, 21, 0, TTP_ITEM_MEMORY_DISCARD, 0},
    {0, LAST, 24, WIDE, TTP_ITEM_GPU_BEGIN, 0},
    {0, LAST, 24, WIDE, TTP_ITEM_GPU_BEGIN, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_BEGIN_ALLOC, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_BEGIN_ALLOC, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_END, 0},
    {0, LAST, 24, WIDE, TTP_ITEM_GPU_BEGIN_SERIAL, 0},
    {0, LAST, 24, WIDE, TTP_ITEM_GPU_BEGIN_SERIAL, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL, 0},
    {0, LAST, 16, WIDE, TTP_ITEM_GPU_END_SERIAL, 0},
    {0, LAST, 25, 0, TTP_ITEM_PLOT, 0},
    {0, LAST, 21, 0, TTP_ITEM_PLOT_FLOAT, 0},
    {0, LAST, 25, 0, TTP_ITEM_PLOT_DOUBLE, 0},
    {0, 72, 20, 0, TTP_ITEM_SWITCH, 0}, /* ContextSwitch */
    {73, LAST, 23, 0, TTP_ITEM_SWITCH, 0},
    {0, 72, 13, 0, TTP_ITEM_SWITCH, 0}, /* ThreadWakeup */
    {73, LAST, 16, 0, TTP_ITEM_SWITCH, 0},
    {0, LAST, 12, WIDE, TTP_ITEM_GPU_TIME, 0},
    {0, LAST, 2, WIDE, TTP_ITEM_GPU_CONTEXT_NAME, 0},
    {75, LAST, 10, 0, TTP_ITEM_SKIP, 0}, /* GpuAnnotationName */
    {79, LAST, 3, TT, TTP_ITEM_SKIP, 0}, /* GpuMarkerMeta */
    {79, LAST, 24, TT, TTP_ITEM_GPU_MARKER, 0},
    {0, LAST, 10, 0, TTP_ITEM_OTHER_ANSWER, 0}, /* CallstackFrameSize */
    {0, LAST, 13, 0, TTP_ITEM_OTHER_ANSWER, 0}, /* SymbolInformation */
    {0, LAST, 1, 0, TTP_ITEM_SKIP, 0},          /* three that never leave the client */
    {0, LAST, 1, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 1, 0, TTP_ITEM_SKIP, 0},
    {0, 67, 21, 0, TTP_ITEM_FIBER_ENTER, 0},
    {68, LAST, 25, 0, TTP_ITEM_FIBER_ENTER, 0},
    {0, LAST, 13, 0, TTP_ITEM_FIBER_LEAVE, 0},
    {81, 81, 13, 0, TTP_ITEM_SECTION, 0}, /* SectionEnter */
    {82, LAST, 15, 0, TTP_ITEM_SECTION, 0},
    {81, LAST, 13, 0, TTP_ITEM_SECTION, 0}, /* SectionLeave */
    {82, LAST, 3, 0, TTP_ITEM_SKIP, 0},     /* SectionSetup */
    {0, LAST, 1, 0, TTP_ITEM_TERMINATE, 0},
    {0, LAST, 1, 0, TTP_ITEM_KEEP_ALIVE, 0},
    {0, LAST, 5, 0, TTP_ITEM_THREAD, 0},
    {0, LAST, 26, WIDE, TTP_ITEM_GPU_CALIBRATION, 0},
    {65, LAST, 18, WIDE, TTP_ITEM_GPU_TIME_SYNC, 0},
    {79, LAST, 31, TT, TTP_ITEM_GPU_ZONE, 0},
    {0, LAST, 1, 0, TTP_ITEM_CRASH, 0},
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0}, /* CrashReport */
    {0, LAST, 5, 0, TTP_ITEM_SKIP, 0},  /* ZoneValidation */
    {0, LAST, 4, 0, TTP_ITEM_ZONE_COLOR, 0},
    {0, LAST, 9, 0, TTP_ITEM_ZONE_VALUE, 0},
    {0, LAST, 17, 0, TTP_ITEM_FRAME, 0},
    {0, LAST, 17, 0, TTP_ITEM_FRAME_START, 0},
    {0, LAST, 17, 0, TTP_ITEM_FRAME_END, 0},
    {0, LAST, 13, 0, TTP_ITEM_SKIP, 0}, /* FrameVsync */
    {0, LAST, 32, 0, TTP_ITEM_SOURCE, 0},
    {0, LAST, 22, 0, TTP_ITEM_LOCK_ANNOUNCE, 0},
    {0, LAST, 13, 0, TTP_ITEM_SKIP, 0}, /* LockTerminate */
    {0, LAST, 17, 0, TTP_ITEM_LOCK_MARK, 0},
    {0, LAST, 17, 0, TTP_ITEM_LITERAL, 0},
    {0, LAST, 20, 0, TTP_ITEM_LITERAL_COLOR, 0},
    {0, LAST, 17, 0, TTP_ITEM_LITERAL, 0},
    {0, LAST, 20, 0, TTP_ITEM_LITERAL_COLOR, 0},
    {0, LAST, 28, WIDE, TTP_ITEM_GPU_CONTEXT, 0},
    {0, LAST, 17, 0, TTP_ITEM_OTHER_ANSWER, 0}, /* CallstackFrame */
    {0, LAST, 13, 0, TTP_ITEM_SYS_TIME, 0},
    {64, LAST, 25, 0, TTP_ITEM_SKIP, 0}, /* SysPowerReport */
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},  /* TidToPid */
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},  /* six hardware samples */
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 16, 0, TTP_ITEM_PLOT_CONFIG, 0},
    {0, LAST, 18, 0, TTP_ITEM_PARAMETER, 0},
    {0, LAST, 1, 0, TTP_ITEM_ACK, 0},
    {0, LAST, 5, 0, TTP_ITEM_ACK, 0}, /* no source code */
    {0, LAST, 1, 0, TTP_ITEM_ACK, 0}, /* no symbol code */
    {0, 68, 13, 0, TTP_ITEM_SKIP, 0}, /* CpuTopology */
    {69, LAST, 17, 0, TTP_ITEM_SKIP, 0},
    {0, 79, 1, 0, TTP_ITEM_STRING_STAGED, TTP_TAIL_16},
    {80, LAST, 1, 0, TTP_ITEM_STRING_STAGED, TTP_TAIL_16_256},
    {0, 79, 1, 0, TTP_ITEM_STRING_SECOND, TTP_TAIL_16},
    {80, LAST, 1, 0, TTP_ITEM_STRING_SECOND, TTP_TAIL_16_256},
    {80, LAST, 1, 0, TTP_ITEM_STRING_STAGED, TTP_TAIL_8},
    {80, LAST, 1, 0, TTP_ITEM_STRING_SECOND, TTP_TAIL_8},
    {0, LAST, 9, 0, TTP_ITEM_MEMORY_POOL, 0},
    {67, LAST, 9, 0, TTP_ITEM_SKIP, 0}, /* ThreadGroupHint */
    {75, 75, 20, 0, TTP_ITEM_SKIP, 0},  /* GpuZoneAnnotation */
    {76, LAST, 24, 0, TTP_ITEM_SKIP, 0},
    {0, LAST, 9, 0, TTP_ITEM_STRING, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_THREAD_NAME, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_PLOT_NAME, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_SOURCE_STAGED, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_CALLSTACK_STAGED, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_SKIP, TTP_TAIL_16}, /* CallstackAllocPayload */
    {0, LAST, 9, 0, TTP_ITEM_FRAME_NAME, TTP_TAIL_16},
    {0, LAST, 9, 0, TTP_ITEM_SKIP, TTP_TAIL_32},         /* FrameImageData */
    {0, LAST, 9, 0, TTP_ITEM_OTHER_ANSWER, TTP_TAIL_16}, /* ExternalName */
    {0, LAST, 9, 0, TTP_ITEM_OTHER_ANSWER, TTP_TAIL_16}, /* ExternalThreadName */
    {0, LAST, 9, 0, TTP_ITEM_OTHER_ANSWER, TTP_TAIL_32}, /* SymbolCode */
    {0, LAST, 9, 0, TTP_ITEM_OTHER_ANSWER, TTP_TAIL_32}, /* SourceCode */
    {0, LAST, 9, 0, TTP_ITEM_FIBER_NAME, TTP_TAIL_16},
};

/* In the order in which a recording that fits several is taken for one of them. */
static const struct {
    unsigned protocol;
    bool fork, verified;
    const char *tracy;
} known[] = {
    {66, true, true, "0.10.0"},           {78, false, true, "0.13.3"},
    {78, true, false, "0.13.3"},          {79, true, false, "0.13.4, 0.13.5"},
    {83, true, false, "0.14.1"},          {77, true, false, "0.13.2"},
    {76, true, false, "0.13.0"},          {82, false, false, "0.13.5, 0.14.0"},
    {81, false, false, "0.13.4"},         {80, false, false, "0.13.3"},
    {79, false, false, "0.13.3"},         {77, false, false, "0.13.2"},
    {76, false, false, "0.13.0, 0.13.1"}, {75, false, false, "0.12.3"},
    {74, false, false, "0.12"},           {73, false, false, "0.12.0"},
    {72, false, false, "0.11.2"},         {71, false, false, "0.11.2"},
    {70, false, false, "0.11.2"},         {69, false, false, "0.11.1"},
    {68, false, false, "0.11.1"},         {67, false, false, "0.11.0"},
    {66, false, false, "0.11.0"},         {65, false, false, "0.10.0"},
    {64, false, false, "0.10"},           {63, false, false, "0.9.1"},
};

#define DIALECTS TTP_COUNT(known)

static struct ttp_dialect all[DIALECTS];
static struct ttp_dialect_info infos[DIALECTS];
static pthread_once_t built = PTHREAD_ONCE_INIT;

static bool has_row(const struct row *row, unsigned protocol, bool fork)
{
    return protocol >= row->since && (row->until == LAST || protocol <= row->until) &&
           (fork || !(row->flags & TT));
}

static void note_staging(struct ttp_dialect *d, uint8_t id)
{
    switch (d->role[id]) {
    case TTP_ITEM_STRING_STAGED:
        d->gives[id] = TTP_STAGED_TEXT;
        break;
    case TTP_ITEM_SOURCE_STAGED:
        d->gives[id] = TTP_STAGED_SOURCE;
        break;
    case TTP_ITEM_CALLSTACK_STAGED:
        d->gives[id] = TTP_STAGED_CALLSTACK;
        break;
    case TTP_ITEM_ZONE_TEXT:
    case TTP_ITEM_ZONE_NAME:
    case TTP_ITEM_MESSAGE:
    case TTP_ITEM_MESSAGE_COLOR:
    case TTP_ITEM_APP_INFO:
    case TTP_ITEM_LOCK_NAME:
    case TTP_ITEM_GPU_CONTEXT_NAME:
        d->needs[id] = TTP_STAGED_TEXT;
        break;
    case TTP_ITEM_ZONE_BEGIN_ALLOC:
    case TTP_ITEM_GPU_BEGIN_ALLOC:
    case TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL:
        d->needs[id] = TTP_STAGED_SOURCE;
        break;
    case TTP_ITEM_CALLSTACK:
        d->needs[id] = TTP_STAGED_CALLSTACK;
        break;
    default:
        break;
    }
}

/* Which id answers are made of; acknowledgements come three in a row. */
static void note_id(struct ttp_dialect *d, uint8_t id)
{
    switch (d->role[id]) {
    case TTP_ITEM_TERMINATE:
        d->terminate = id;
        break;
    case TTP_ITEM_KEEP_ALIVE:
        d->keep_alive = id;
        break;
    case TTP_ITEM_STRING:
        d->string = id;
        break;
    case TTP_ITEM_THREAD_NAME:
        d->thread_name = id;
        break;
    case TTP_ITEM_PLOT_NAME:
        d->plot_name = id;
        break;
    case TTP_ITEM_FRAME_NAME:
        d->frame_name = id;
        break;
    case TTP_ITEM_FIBER_NAME:
        d->fiber_name = id;
        break;
    case TTP_ITEM_SOURCE:
        d->source = id;
        break;
    case TTP_ITEM_ACK:
        if (!d->ack)
            d->ack = id;
        else if (d->size[id] > 1)
            d->source_code_missing = id;
        else
            d->symbol_code_missing = id;
        break;
    default:
        break;
    }
}

static void build_one(struct ttp_dialect *d, size_t at)
{
    const unsigned protocol = known[at].protocol;
    const bool fork = known[at].fork;
    unsigned id = 0;

    d->wide = fork;
    d->deltas_packed = protocol >= 78;
    d->value_in_hex = protocol >= 73;
    d->literal_shift = protocol >= 79 ? 8 : protocol >= 77 ? 56 : 0;
    d->welcome_bytes = protocol >= 75 ? 1170 : 1178;
    for (size_t i = 0; i < TTP_COUNT(rows); i++) {
        const struct row *row = &rows[i];

        if (!has_row(row, protocol, fork))
            continue;
        assert(id < TTP_ITEM_TYPES);
        d->size[id] = (uint8_t)(row->size + (fork && (row->flags & WIDE)));
        d->role[id] = row->role;
        d->tail[id] = row->tail;
        note_id(d, (uint8_t)id);
        note_staging(d, (uint8_t)id);
        id++;
    }
    d->info = (struct ttp_dialect_info){protocol, fork ? "tenstorrent" : "upstream",
                                        known[at].tracy, id, known[at].verified};
    infos[at] = d->info;
}

static void build_all(void)
{
    for (size_t i = 0; i < DIALECTS; i++)
        build_one(&all[i], i);
    /* people want them by number */
    for (size_t i = 1; i < DIALECTS; i++)
        for (size_t k = i; k > 0 && infos[k - 1].protocol > infos[k].protocol; k--) {
            const struct ttp_dialect_info swap = infos[k];
            infos[k] = infos[k - 1];
            infos[k - 1] = swap;
        }
}

const struct ttp_dialect *ttp_capture_dialect_all(size_t *count)
{
    pthread_once(&built, build_all);
    *count = DIALECTS;
    return all;
}

const struct ttp_dialect_info *ttp_capture_dialects(size_t *count)
{
    pthread_once(&built, build_all);
    *count = DIALECTS;
    return infos;
}

size_t ttp_capture_dialect_find(const struct ttp_dialect **out, size_t max, unsigned protocol)
{
    size_t n = 0, total;
    const struct ttp_dialect *d = ttp_capture_dialect_all(&total);

    for (int fork = 1; fork >= 0; fork--)
        for (size_t i = 0; i < total; i++)
            if (d[i].info.protocol == protocol && d[i].wide == (fork != 0) && n < max)
                out[n++] = &d[i];
    return n;
}

const unsigned *ttp_capture_dialect_numbers(void)
{
    static const unsigned numbers[] = {78, 66, 79, 83, 82, 77, 76, 74, 81, 80, 75,
                                       73, 72, 71, 70, 69, 68, 67, 65, 64, 63, 0};
    return numbers;
}

static size_t load(const unsigned char *p, size_t n)
{
    size_t v = 0;

    for (size_t i = 0; i < n; i++)
        v |= (size_t)p[i] << (8 * i);
    return v;
}

size_t ttp_capture_dialect_item(const struct ttp_dialect *d, const unsigned char *p,
                                const unsigned char *end, ttp_str *text)
{
    static const unsigned char length_bytes[] = {0, 1, 2, 2, 4};
    const size_t left = (size_t)(end - p), fixed = left ? d->size[*p] : 0;

    *text = (ttp_str){0};
    if (fixed == 0 || fixed > left)
        return 0;
    if (d->tail[*p] == TTP_TAIL_NONE)
        return fixed;
    const size_t field = length_bytes[d->tail[*p]];
    if (left - fixed < field)
        return 0;
    const size_t n = load(p + fixed, field) + (d->tail[*p] == TTP_TAIL_16_256 ? 256 : 0);
    if (left - fixed - field < n)
        return 0;
    *text = (ttp_str){(const char *)p + fixed + field, n};
    return fixed + field + n;
}

static bool same_item(const struct ttp_dialect *a, const struct ttp_dialect *b, uint8_t id)
{
    return a->size[id] == b->size[id] && a->role[id] == b->role[id] && a->tail[id] == b->tail[id] &&
           (a->literal_shift == b->literal_shift ||
            (a->role[id] != TTP_ITEM_LITERAL && a->role[id] != TTP_ITEM_LITERAL_COLOR));
}

/* No program has an address there: a literal whose tag sits elsewhere shows by it. */
#define ADDRESS_BITS 52

static bool literal_is_odd(const struct ttp_dialect *d, const unsigned char *p)
{
    const size_t at = d->role[*p] == TTP_ITEM_LITERAL ? 9 : 12;

    return ttp_dialect_literal(d, load(p + at, 8)) >> ADDRESS_BITS != 0;
}

bool ttp_capture_dialect_walk(const struct ttp_dialect *d, ttp_str block,
                              struct ttp_dialect_seen seen, const struct ttp_dialect *other,
                              bool *differs)
{
    const unsigned char *p = (const unsigned char *)block.ptr, *end = p + block.len;
    unsigned have = *seen.staged;
    uint64_t n = 0;

    while (p < end) {
        const uint8_t id = *p;
        size_t size = d->size[id];

        if (d->tail[id] != TTP_TAIL_NONE || size == 0 || size > (size_t)(end - p)) {
            ttp_str text;
            size = ttp_capture_dialect_item(d, p, end, &text);
            if (size == 0)
                return false;
        }
        if ((d->needs[id] & ~have) ||
            ((d->role[id] == TTP_ITEM_LITERAL || d->role[id] == TTP_ITEM_LITERAL_COLOR) &&
             literal_is_odd(d, p)))
            return false;
        have = (have & ~(unsigned)d->needs[id]) | d->gives[id];
        if (other && !same_item(d, other, id))
            *differs = true;
        p += size;
        n++;
    }
    *seen.staged = have;
    *seen.items += n;
    return true;
}

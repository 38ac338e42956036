/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of TT-Lang's Perfetto server, byte for byte: zones paired by core, RISC, name and timer
 * alone, whatever device or program they are of; microseconds by division before subtraction. */
#include "base/input.h"
#include "base/map.h"
#include "base/vec.h"
#include "compat/compat.h"

/* Columns a row needs; the two first lines are never rows. */
enum { ROW_FIELDS = 14, HEADER_LINES = 2 };

/* A zone that has begun. */
struct open_zone {
    uint32_t core; /* of the list below */
    ttp_sym risc, name;
    uint32_t timer_id;
    bool open;
    uint64_t cycle;
};

struct writing {
    struct ttp_sink *out; /* NULL: only look for the earliest */
    struct ttp_arena *arena;
    struct open_zone *zone;
    size_t nzones;
    struct ttp_map zones;
    double mhz, earliest;
    uint64_t events;
};

/* Devices are not told apart: a core is its coordinates. */
static uint32_t core_key(const struct ttp_core *c)
{
    return (uint32_t)c->x << 16 ^ (uint32_t)c->y;
}

static struct open_zone *zone_of(struct writing *w, const struct open_zone *key)
{
    const uint64_t hash = ttp_hash_u64(ttp_hash_u64(0, (uint64_t)key->core << 32 | key->timer_id),
                                       (uint64_t)key->risc << 32 | key->name);
    uint32_t at;

    TTP_MAP_EACH (at, &w->zones, hash) {
        struct open_zone *z = &w->zone[at];

        if (z->core == key->core && z->risc == key->risc && z->name == key->name &&
            z->timer_id == key->timer_id)
            return z;
    }
    w->zones.arena = w->arena;
    ttp_map_add(&w->zones, hash, (uint32_t)w->nzones);
    struct open_zone *zone = TTP_PUSH(w->arena, w->zone, w->nzones);
    *zone = *key;
    return zone;
}

static bool is_skipped(ttp_str name)
{
    static const char *const skipped[] = {"BRISC-FW",     "NCRISC-FW",     "TRISC-FW",
                                          "BRISC-KERNEL", "NCRISC-KERNEL", "TRISC-KERNEL"};

    for (size_t i = 0; i < TTP_COUNT(skipped); i++)
        if (ttp_str_eq(name, ttp_str_from(skipped[i])))
            return true;
    return false;
}

static void put_unicode(struct ttp_sink *out, uint32_t c)
{
    if (c >= 0x10000) {
        c -= 0x10000;
        ttp_sink_printf(out, "\\u%04x\\u%04x", 0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
    } else {
        ttp_sink_printf(out, "\\u%04x", c);
    }
}

/* One code point of well-formed text. */
static size_t decode(ttp_str s, uint32_t *out)
{
    const unsigned char c = (unsigned char)s.ptr[0];
    const size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    *out = n == 1 ? c : c & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        *out = *out << 6 | ((unsigned char)s.ptr[i] & 0x3f);
    return n;
}

/* As json.dumps() does: ASCII only. */
static void put_text(struct ttp_sink *out, ttp_str s)
{
    static const char plain[] = "\"\"\\\\\nn\rr\tt\bb\ff";

    ttp_sink_char(out, '"');
    while (s.len) {
        const bool valid = ttp_str_valid_utf8(ttp_str_slice(s, 0, 4)) > 0 || s.len == 0;
        uint32_t c = 0xfffd;
        const size_t n = valid ? decode(s, &c) : 1;
        const char *escape = c && c < 0x80 ? memchr(plain, (int)c, sizeof(plain) - 1) : NULL;

        if (escape && (escape - plain) % 2 == 0)
            ttp_sink_printf(out, "\\%c", escape[1]);
        else if (c < 0x20 || c >= 0x7f)
            put_unicode(out, c);
        else
            ttp_sink_char(out, (char)c);
        s = ttp_str_slice(s, n, s.len);
    }
    ttp_sink_char(out, '"');
}

static void put_event(struct writing *w, const struct ttp_zone_log *log,
                      const struct ttp_zone_lane *lane, const struct ttp_zone_site *site,
                      uint64_t start, uint64_t end)
{
    const struct ttp_core *core = &log->core[lane->core];
    const ttp_str risc = ttp_sym_name(&log->names, lane->risc_name);
    const struct ttp_mark mark = ttp_arena_mark(w->arena);
    struct ttp_sink source;

    ttp_sink_to_arena(&source, w->arena);
    ttp_sink_put(&source, ttp_sym_name(&log->names, site->file));
    ttp_sink_char(&source, ':');
    ttp_sink_u64(&source, site->line);
    ttp_sink_put(w->out, w->events ? TTP_STR(", {\"name\": ") : TTP_STR("{\"name\": "));
    put_text(w->out, ttp_sym_name(&log->names, site->name));
    ttp_sink_put(w->out, TTP_STR(", \"cat\": "));
    put_text(w->out, risc);
    ttp_sink_put(w->out, TTP_STR(", \"ph\": \"X\", \"ts\": "));
    ttp_sink_f64(w->out, (double)start / w->mhz - w->earliest, TTP_NUM_PYTHON);
    ttp_sink_put(w->out, TTP_STR(", \"dur\": "));
    ttp_sink_f64(w->out, (double)end / w->mhz - (double)start / w->mhz, TTP_NUM_PYTHON);
    ttp_sink_printf(w->out, ", \"pid\": \"Core (%d,%d)\", \"tid\": ", core->x, core->y);
    put_text(w->out, risc);
    ttp_sink_put(w->out, TTP_STR(", \"args\": {\"source\": "));
    put_text(w->out, ttp_sink_text(&source));
    ttp_sink_put(w->out, TTP_STR("}}"));
    ttp_arena_rewind(w->arena, mark);
}

static void take_mark(struct writing *w, const struct ttp_zone_log *log,
                      const struct ttp_zone_lane *lane, const struct ttp_zone_mark *m)
{
    const struct ttp_zone_site *site = &log->site[m->site];
    const struct open_zone key = {.core = core_key(&log->core[lane->core]),
                                  .risc = lane->risc_name,
                                  .name = site->name,
                                  .timer_id = site->timer_id};

    if (is_skipped(ttp_sym_name(&log->names, site->name)))
        return;
    struct open_zone *z = zone_of(w, &key);
    if (m->kind == TTP_MARK_START) {
        z->open = true;
        z->cycle = m->start_cycle;
        return;
    }
    if (!z->open)
        return;
    z->open = false;
    if (w->out)
        put_event(w, log, lane, site, z->cycle, m->end_cycle);
    else if (w->events == 0 || (double)z->cycle / w->mhz < w->earliest)
        w->earliest = (double)z->cycle / w->mhz;
    w->events++;
}

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    struct writing *w = arg;

    (void)err;
    for (size_t i = 0; i < batch->nlanes; i++)
        for (size_t k = 0; k < batch->lane[i].nmarks; k++)
            take_mark(w, log, &batch->lane[i], &batch->lane[i].mark[k]);
    return TTP_OK;
}

static ttp_code read_log(struct writing *w, const char *path, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    const struct ttp_logs_options reading = {0};
    const struct ttp_zone_request request = {.kinds = 1u << TTP_MARK_START | 1u << TTP_MARK_END,
                                             .by_position = ROW_FIELDS,
                                             .header_lines = HEADER_LINES,
                                             .take = take,
                                             .arg = w};
    struct ttp_zone_log log;

    w->arena = arena;
    return ttp_logs_stream_zones(&log, path, &request, &reading, arena, err);
}

/* "... CHIP_FREQ[MHz]: 1350 ..." in the first line; 1000 if it does not say so. */
static ttp_code read_clock(void *arg, ttp_str text, struct ttp_err *err)
{
    double *mhz = arg;
    ttp_str rest = text, line = {0};
    uint64_t number;

    (void)err;
    if (*mhz > 0)
        return TTP_OK;
    *mhz = 1000;
    (void)ttp_str_next_line(&rest, &line);
    const size_t at = ttp_str_find(line, TTP_STR("CHIP_FREQ[MHz]:"));
    line = at == TTP_NPOS ? TTP_STR("") : ttp_str_slice(line, at + 15, line.len);
    line = ttp_str_slice(line, 0, ttp_str_find_char(line, ','));
    if (ttp_str_to_u64(ttp_str_trim(line), &number) && number)
        *mhz = (double)number;
    return TTP_OK;
}

static ttp_code write_events(uint64_t *events, struct ttp_sink *out, const char *path,
                             struct ttp_arena *scratch, struct ttp_err *err)
{
    struct writing first = {0}, second = {.out = out};

    *events = 0;
    TTP_TRY(ttp_input_each(path, NULL, read_clock, &first.mhz, err));
    TTP_TRY(read_log(&first, path, scratch, err));
    *events = first.events;
    if (first.events == 0)
        return TTP_OK;
    second.earliest = first.earliest;
    second.mhz = first.mhz;
    ttp_sink_put(out, TTP_STR("{\"traceEvents\": ["));
    TTP_TRY(read_log(&second, path, scratch, err));
    ttp_sink_put(out, TTP_STR("]}"));
    return TTP_OK;
}

ttp_code ttp_out_original_trace(uint64_t *events, struct ttp_sink *out, const char *path,
                                struct ttp_err *err)
{
    struct ttp_arena scratch = {0}; /* rewound while reading: `out` must not grow in it */

    const ttp_code rc = write_events(events, out, path, &scratch, err);
    ttp_arena_free(&scratch);
    return rc;
}

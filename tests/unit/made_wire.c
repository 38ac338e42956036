/* SPDX-License-Identifier: Apache-2.0 */
#include "made_wire.h"

#include <unistd.h>

#include "base/file.h"
#include "capture/bytes.h"

#define TICK_NS    0.5
#define FIRST_TICK 1000
/* Addresses as programs have them. */
#define AT(n) ((uint64_t)0x7F0000000000 + (n))

void made_put(struct ttp_sink *out, const void *p, size_t n)
{
    ttp_sink_put(out, (ttp_str){p, n});
}

void made_put16(struct ttp_sink *out, uint16_t v)
{
    unsigned char b[2];

    ttp_set16(b, v);
    made_put(out, b, sizeof(b));
}

void made_put32(struct ttp_sink *out, uint32_t v)
{
    unsigned char b[4];

    ttp_set32(b, v);
    made_put(out, b, sizeof(b));
}

void made_put64(struct ttp_sink *out, uint64_t v)
{
    unsigned char b[8];

    ttp_set64(b, v);
    made_put(out, b, sizeof(b));
}

const struct ttp_dialect *made_dialect(unsigned protocol, bool fork)
{
    const struct ttp_dialect *d[4];
    const size_t n = ttp_capture_dialect_find(d, 4, protocol);

    for (size_t i = 0; i < n; i++)
        if (d[i]->wide == fork)
            return d[i];
    return NULL;
}

/* The n-th item of that role. */
static uint8_t id_of(const struct ttp_dialect *d, enum ttp_role role, unsigned n)
{
    for (unsigned id = 0; id < 256; id++)
        if (d->size[id] && d->role[id] == role && n-- == 0)
            return (uint8_t)id;
    return 0;
}

static void item(struct made_wire *w, enum ttp_role role, unsigned n)
{
    ttp_sink_char(&w->block, (char)id_of(w->d, role, n));
}

static void fill_from(struct made_wire *w, size_t start, uint8_t id)
{
    while (w->block.len - start < w->d->size[id])
        ttp_sink_char(&w->block, 0);
}

void made_wire_start(struct made_wire *w, const struct ttp_dialect *d, struct ttp_arena *arena)
{
    const double mul = TICK_NS;
    uint64_t bits;

    *w = (struct made_wire){.d = d, .arena = arena, .now = FIRST_TICK};
    ttp_sink_to_arena(&w->block, arena);
    ttp_sink_to_arena(&w->stream, arena);
    w->packer = ttp_capture_packer_new(TTP_WIRE_PLAIN_MAX, arena);
    ttp_sink_char(&w->stream, 1);
    memcpy(&bits, &mul, sizeof(bits));
    made_put64(&w->stream, bits);
    made_put64(&w->stream, FIRST_TICK);
    made_put64(&w->stream, FIRST_TICK + 10);
    if (d->welcome_bytes == 1178)
        made_put64(&w->stream, 1); /* delay */
    made_put64(&w->stream, 1);     /* resolution */
    made_put64(&w->stream, 1700000000);
    made_put64(&w->stream, 1600000000);
    made_put64(&w->stream, 4242);
    made_put64(&w->stream, 0);
    ttp_sink_put(&w->stream, TTP_STR("\0\x02GenuineMade \x01\0\0\0"));
    ttp_sink_put(&w->stream, TTP_STR("made"));
    while (w->stream.len < 1 + d->welcome_bytes)
        ttp_sink_char(&w->stream, 0);
}

void made_wire_flush(struct made_wire *w)
{
    ttp_str packed;

    if (w->block.len == 0 || !ttp_capture_packer_run(w->packer, ttp_sink_text(&w->block), &packed))
        return;
    made_put32(&w->stream, (uint32_t)packed.len);
    ttp_sink_put(&w->stream, packed);
    w->block.len = 0;
    w->nblocks++;
}

ttp_str made_wire_bytes(struct made_wire *w)
{
    made_wire_flush(w);
    return ttp_sink_text(&w->stream);
}

void made_thread(struct made_wire *w, uint32_t tid)
{
    item(w, TTP_ITEM_THREAD, 0);
    made_put32(&w->block, tid);
    w->clock = 0;
}

static int64_t delta(struct made_wire *w, int64_t ticks)
{
    w->now += ticks;
    const int64_t d = w->now - w->clock;
    w->clock = w->now;
    return d;
}

/* The shortest form that the dialect has. */
static void put_timed(struct made_wire *w, enum ttp_role role, int64_t d)
{
    if (!w->d->deltas_packed) {
        item(w, role, 0);
        made_put64(&w->block, (uint64_t)d);
    } else if (d >= 0 && d < 1 << 16) {
        item(w, role + 2, 0);
        made_put16(&w->block, (uint16_t)d);
    } else if (d >= 0 && d < ((int64_t)1 << 32) + (1 << 16)) {
        item(w, role + 1, 0);
        made_put32(&w->block, (uint32_t)(d - (1 << 16)));
    } else {
        item(w, role, 0);
        made_put64(&w->block, (uint64_t)(d - (1 << 16) - ((int64_t)1 << 32)));
    }
}

void made_begin(struct made_wire *w, int64_t ticks, uint64_t source)
{
    put_timed(w, TTP_ITEM_ZONE_BEGIN, delta(w, ticks));
    made_put64(&w->block, source);
}

void made_end(struct made_wire *w, int64_t ticks)
{
    put_timed(w, TTP_ITEM_ZONE_END, delta(w, ticks));
}

void made_begin_inline(struct made_wire *w, int64_t ticks, const char *name, const char *file)
{
    item(w, TTP_ITEM_SOURCE_STAGED, 0);
    made_put64(&w->block, 0);
    made_put16(&w->block, (uint16_t)(8 + 1 + strlen(file) + 1 + strlen(name)));
    made_put32(&w->block, 0);
    made_put32(&w->block, 7);
    made_put(&w->block, "", 1);
    made_put(&w->block, file, strlen(file) + 1);
    made_put(&w->block, name, strlen(name));
    item(w, TTP_ITEM_ZONE_BEGIN_ALLOC, 0);
    made_put64(&w->block, (uint64_t)delta(w, ticks));
}

static void stage(struct made_wire *w, const char *text)
{
    const size_t n = strlen(text);

    if (w->d->info.protocol < 80) {
        item(w, TTP_ITEM_STRING_STAGED, 0);
        made_put16(&w->block, (uint16_t)n);
    } else if (n < 256) {
        item(w, TTP_ITEM_STRING_STAGED, 1);
        ttp_sink_char(&w->block, (char)n);
    } else {
        item(w, TTP_ITEM_STRING_STAGED, 0);
        made_put16(&w->block, (uint16_t)(n - 256));
    }
    made_put(&w->block, text, n);
}

void made_text(struct made_wire *w, const char *text)
{
    stage(w, text);
    item(w, TTP_ITEM_ZONE_TEXT, 0);
}

void made_name(struct made_wire *w, const char *text)
{
    stage(w, text);
    item(w, TTP_ITEM_ZONE_NAME, 0);
}

void made_value(struct made_wire *w, uint64_t value)
{
    item(w, TTP_ITEM_ZONE_VALUE, 0);
    made_put64(&w->block, value);
}

void made_message(struct made_wire *w, int64_t ticks, const char *text)
{
    const uint8_t id = id_of(w->d, TTP_ITEM_MESSAGE_COLOR, 0);

    stage(w, text);
    const size_t start = w->block.len;
    w->now += ticks;
    ttp_sink_char(&w->block, (char)id);
    made_put64(&w->block, (uint64_t)w->now);
    made_put(&w->block, "\x01\x02\x03", 3);
    fill_from(w, start, id);
}

void made_literal(struct made_wire *w, int64_t ticks, uint64_t text)
{
    const unsigned shift = w->d->literal_shift;

    w->now += ticks;
    item(w, TTP_ITEM_LITERAL, 0);
    made_put64(&w->block, (uint64_t)w->now);
    made_put64(&w->block, shift == 8    ? text << 8 | 0x20
                          : shift == 56 ? text | (uint64_t)0x20 << 56
                                        : text);
}

void made_plot(struct made_wire *w, int64_t ticks)
{
    item(w, TTP_ITEM_PLOT, 0);
    made_put64(&w->block, 0x7000);
    made_put64(&w->block, (uint64_t)delta(w, ticks));
    made_put64(&w->block, 5);
}

static void put_context(struct made_wire *w)
{
    ttp_sink_char(&w->block, 3);
    if (w->d->wide)
        ttp_sink_char(&w->block, 0);
}

void made_device(struct made_wire *w, uint32_t lane)
{
    const uint8_t context = id_of(w->d, TTP_ITEM_GPU_CONTEXT, 0);
    size_t start = w->block.len;

    ttp_sink_char(&w->block, (char)context);
    made_put64(&w->block, (uint64_t)w->now);
    made_put64(&w->block, 1);
    made_put32(&w->block, 0);
    made_put32(&w->block, 0);
    put_context(w);
    fill_from(w, start, context);
    item(w, TTP_ITEM_SOURCE_STAGED, 0);
    made_put64(&w->block, 0);
    made_put16(&w->block, 8 + 2 + 3);
    made_put32(&w->block, 0);
    made_put32(&w->block, 1);
    made_put(&w->block, "\0\0FW0", 5);
    item(w, TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL, 0);
    made_put64(&w->block, 1);
    made_put32(&w->block, lane);
    made_put16(&w->block, 9);
    put_context(w);
}

void made_context(struct made_wire *w, const char *name)
{
    const uint8_t context = id_of(w->d, TTP_ITEM_GPU_CONTEXT, 0);
    const bool new_types = w->d->info.protocol >= 75;
    const float period = 1;
    const size_t start = w->block.len;
    uint32_t bits;

    memcpy(&bits, &period, sizeof(bits));
    ttp_sink_char(&w->block, (char)context);
    made_put64(&w->block, (uint64_t)w->now);
    made_put64(&w->block, 100);
    made_put32(&w->block, 0);
    made_put32(&w->block, bits);
    put_context(w);
    ttp_sink_char(&w->block, 0);
    ttp_sink_char(&w->block, (char)(!w->d->wide ? 2 : new_types ? 10 : 6));
    fill_from(w, start, context);
    stage(w, name);
    item(w, TTP_ITEM_GPU_CONTEXT_NAME, 0);
    put_context(w);
}

/* The query is the same for all: its time follows at once. */
static void put_device_time(struct made_wire *w, int64_t ns)
{
    item(w, TTP_ITEM_GPU_TIME, 0);
    made_put64(&w->block, (uint64_t)ns);
    made_put16(&w->block, 9);
    put_context(w);
}

static void put_device_item(struct made_wire *w, enum ttp_role role, uint32_t lane)
{
    item(w, role, 0);
    made_put64(&w->block, 1);
    made_put32(&w->block, lane);
    made_put16(&w->block, 9);
    put_context(w);
}

void made_device_begin(struct made_wire *w, uint32_t lane, const char *name, int64_t ns)
{
    item(w, TTP_ITEM_SOURCE_STAGED, 0);
    made_put64(&w->block, 0);
    made_put16(&w->block, (uint16_t)(8 + 2 + strlen(name)));
    made_put32(&w->block, 0x112233);
    made_put32(&w->block, 21);
    made_put(&w->block, "\0", 2);
    made_put(&w->block, name, strlen(name));
    put_device_item(w, TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL, lane);
    put_device_time(w, ns);
}

void made_device_end(struct made_wire *w, uint32_t lane, int64_t ns)
{
    put_device_item(w, TTP_ITEM_GPU_END_SERIAL, lane);
    put_device_time(w, ns);
}

void made_frame(struct made_wire *w, enum ttp_role role, int64_t ticks, uint64_t name)
{
    w->now += ticks;
    item(w, role, 0);
    made_put64(&w->block, (uint64_t)w->now);
    made_put64(&w->block, name);
}

void made_color(struct made_wire *w, uint32_t rgb)
{
    item(w, TTP_ITEM_ZONE_COLOR, 0);
    made_put(&w->block, &rgb, 3);
}

void made_sys_time(struct made_wire *w, int64_t ticks, float percent)
{
    uint32_t bits;

    memcpy(&bits, &percent, sizeof(bits));
    w->now += ticks;
    item(w, TTP_ITEM_SYS_TIME, 0);
    made_put64(&w->block, (uint64_t)w->now);
    made_put32(&w->block, bits);
}

void made_memory(struct made_wire *w, uint32_t tid)
{
    const uint8_t id = id_of(w->d, TTP_ITEM_MEMORY, 0);
    const size_t start = w->block.len;

    ttp_sink_char(&w->block, (char)id);
    made_put64(&w->block, 1);
    made_put32(&w->block, tid);
    fill_from(w, start, id);
}

static void put_buffer(struct made_wire *w, int64_t ticks, struct made_buffer b, bool freed)
{
    /* allocations come first among the items of a role */
    uint8_t id = id_of(w->d, TTP_ITEM_MEMORY_NAMED, 0);

    for (unsigned i = 0; freed && w->d->size[id] != 21; i++)
        id = id_of(w->d, TTP_ITEM_MEMORY_NAMED, i);
    item(w, TTP_ITEM_MEMORY_POOL, 0);
    made_put64(&w->block, b.pool);
    ttp_sink_char(&w->block, (char)id);
    made_put64(&w->block, (uint64_t)ticks);
    made_put32(&w->block, 10);
    made_put64(&w->block, b.address);
    if (freed)
        return;
    made_put32(&w->block, (uint32_t)b.bytes);
    made_put16(&w->block, (uint16_t)(b.bytes >> 32));
}

void made_alloc(struct made_wire *w, int64_t ticks, struct made_buffer buffer)
{
    put_buffer(w, ticks, buffer, false);
}

void made_free(struct made_wire *w, int64_t ticks, struct made_buffer buffer)
{
    put_buffer(w, ticks, buffer, true);
}

void made_lock(struct made_wire *w, int64_t ticks)
{
    item(w, TTP_ITEM_LOCK_EVENT, 0);
    made_put32(&w->block, 10);
    made_put32(&w->block, 1);
    made_put64(&w->block, (uint64_t)ticks / 2);
    item(w, TTP_ITEM_LOCK_RELEASE, 0);
    made_put32(&w->block, 1);
    made_put64(&w->block, (uint64_t)ticks - (uint64_t)ticks / 2);
}

void made_terminate(struct made_wire *w)
{
    made_wire_flush(w);
    item(w, TTP_ITEM_TERMINATE, 0);
    made_wire_flush(w);
}

void made_source(struct made_wire *w, uint64_t name, uint64_t function, uint64_t file,
                 uint32_t line)
{
    item(w, TTP_ITEM_SOURCE, 0);
    made_put64(&w->block, name);
    made_put64(&w->block, function);
    made_put64(&w->block, file);
    made_put32(&w->block, line);
    made_put(&w->block, "\0\0\0", 3);
}

static void keyed(struct made_wire *w, enum ttp_role role, uint64_t key, const char *text)
{
    item(w, role, 0);
    made_put64(&w->block, key);
    made_put16(&w->block, (uint16_t)strlen(text));
    made_put(&w->block, text, strlen(text));
}

void made_string(struct made_wire *w, uint64_t key, const char *text)
{
    keyed(w, TTP_ITEM_STRING, key, text);
}

void made_answer(struct made_wire *w, enum ttp_role role, uint64_t key, const char *text)
{
    keyed(w, role, key, text);
}

void made_thread_name(struct made_wire *w, uint32_t tid, const char *text)
{
    keyed(w, TTP_ITEM_THREAD_NAME, tid, text);
}

static void made_op(struct made_wire *w, const char *id, const char *message)
{
    made_begin(w, 100, AT(0x5000)); /* TT_DNN_DEVICE_OP */
    made_text(w, id);
    made_begin(w, 10, AT(0x5100)); /* CompileProgram */
    made_begin(w, 2, AT(0x5200));  /* inner */
    made_end(w, 4);
    made_end(w, 70000);
    made_message(w, 6, message);
    made_end(w, 20);
}

static void made_answers(struct made_wire *w)
{
    made_source(w, AT(0x6050), AT(0x6010), AT(0x6020),
                14); /* in the order in which they were met */
    made_source(w, AT(0x6000), AT(0x6010), AT(0x6020), 11);
    made_source(w, AT(0x6030), AT(0x6010), AT(0x6020), 12);
    made_source(w, 0, AT(0x6040), AT(0x6020), 13);
    made_string(w, AT(0x6000), "TT_DNN_DEVICE_OP");
    made_string(w, AT(0x6010), "run");
    made_string(w, AT(0x6020), "/src/run.cpp");
    made_string(w, AT(0x6030), "CompileProgram");
    made_string(w, AT(0x6040), "inner");
    made_string(w, AT(0x6050), "TT_OUTER");
    made_string(w, AT(0x6060), "`TT_SIGNPOST: warm`");
    made_thread_name(w, 10, "Main thread");
    made_thread_name(w, 11, "worker");
    made_thread_name(w, 12, "allocator");
}

ttp_str made_run(const struct ttp_dialect *d, size_t *nblocks, struct ttp_arena *arena)
{
    struct made_wire w;

    made_wire_start(&w, d, arena);
    made_thread(&w, 10);
    made_begin(&w, 50, AT(0x5300)); /* around all of it */
    made_op(&w, "id:1024",
            "`TT_DNN_DEVICE_OP: \"Matmul\", 7, 0, false, 1024 ->\n{\"op_code\":\"M\"}`");
    made_device(&w, 77);
    made_plot(&w, 5);
    made_wire_flush(&w);
    made_op(&w, "id:2048", "`TT_DNN_DEVICE_OP: \"Matmul\", 7, 0, true, 2048`");
    made_literal(&w, 3, AT(0x6060));
    made_thread(&w, 11);
    for (int i = 0; i < 3; i++) {
        made_begin_inline(&w, 9, "PY_step", "model.py");
        if (i == 0)
            made_name(&w, "first");
        if (i == 1) {
            made_text(&w, "one, \"two\"");
            made_text(&w, "three");
        }
        made_end(&w, i == 2 ? (int64_t)5000000000 : 8);
    }
    made_memory(&w, 12);
    made_wire_flush(&w);
    made_answers(&w);
    made_wire_flush(&w);
    made_thread(&w, 10);
    made_end(&w, 40);
    made_begin(&w, 10, AT(0x5200)); /* never ends */
    made_terminate(&w);
    const ttp_str bytes = made_wire_bytes(&w);
    if (nblocks)
        *nblocks = w.nblocks;
    return bytes;
}

const char *made_file(ttp_str bytes, struct ttp_arena *arena)
{
    const char *path;
    int fd;

    if (ttp_file_in_memory(&fd, &path, arena, NULL) != TTP_OK)
        return "";
    for (size_t done = 0; done < bytes.len;) {
        const ssize_t n = write(fd, bytes.ptr + done, bytes.len - done);
        if (n <= 0)
            return "";
        done += (size_t)n;
    }
    return path;
}

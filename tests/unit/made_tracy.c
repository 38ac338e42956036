/* SPDX-License-Identifier: Apache-2.0 */
/* A .tracy file with two threads, four zones and two messages, section by section as
 * docs/formats/tracy_file.md says, in any version and container. */
#ifdef TTP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "capture/bytes.h"
#include "made_wire.h"

static void zeros(struct ttp_sink *out, size_t n)
{
    while (n-- > 0)
        ttp_sink_char(out, 0);
}

static void text(struct ttp_sink *out, const char *s)
{
    made_put64(out, strlen(s));
    made_put(out, s, strlen(s));
}

static void head(struct ttp_sink *out, unsigned version)
{
    made_put(out, "tracy", 5);
    ttp_sink_char(out, (char)(version >> 16));
    ttp_sink_char(out, (char)(version >> 8));
    ttp_sink_char(out, (char)version);
    if (version < MADE_VERSION(0, 12, 3))
        made_put64(out, 1); /* delay */
    zeros(out, 16);
    made_put64(out, 9000);
    made_put64(out, 0);
    made_put64(out, 4242);
    zeros(out, 8 + 1 + 4 + 12);
    if (version >= MADE_VERSION(0, 9, 2))
        ttp_sink_char(out, 0);
    text(out, "capture");
    text(out, "made");
    made_put64(out, 1700000000);
    made_put64(out, 1600000000);
    text(out, "host");
    made_put64(out, 1); /* one package */
    made_put32(out, 0);
    if (version >= MADE_VERSION(0, 11, 2)) {
        made_put64(out, 1); /* with one die */
        made_put32(out, 0);
    }
    made_put64(out, 1); /* with one core of two threads */
    made_put32(out, 0);
    made_put64(out, 2);
    zeros(out, 8);
    zeros(out, 28);     /* crash */
    made_put64(out, 2); /* frames */
    made_put64(out, 0);
    ttp_sink_char(out, 1);
    made_put64(out, 1);
    zeros(out, 12);
    made_put64(out, 0x99);
    ttp_sink_char(out, 0);
    made_put64(out, 1);
    zeros(out, 20);
}

static void sections(struct ttp_sink *out, unsigned version)
{
    if (version == MADE_VERSION(0, 13, 4)) {
        made_put64(out, 1);
        zeros(out, 15);
        return;
    }
    made_put64(out, 1);
    zeros(out, 2);
    made_put64(out, 1);
    zeros(out, 15);
    made_put64(out, 1);
    zeros(out, 5);
}

static const char *const strings[] = {"TT_DNN_DEVICE_OP", "CompileProgram", "/src/run.cpp",
                                      "id:1024",          "PY_step",        "shown",
                                      "`TT_SIGNPOST: a`", "second",         "Main thread"};

static void ref(struct ttp_sink *out, uint64_t at)
{
    made_put64(out, at);
    ttp_sink_char(out, 3);
}

static void source(struct ttp_sink *out, uint64_t name, uint32_t line)
{
    ref(out, name);
    ref(out, name);
    ref(out, 2);
    made_put32(out, line);
    made_put32(out, 0);
}

static void names(struct ttp_sink *out)
{
    made_put64(out, TTP_COUNT(strings));
    for (size_t i = 0; i < TTP_COUNT(strings); i++) {
        made_put64(out, 0x8000 + i);
        text(out, strings[i]);
    }
    made_put64(out, 1); /* addresses */
    made_put64(out, 0x7000);
    made_put64(out, 0x8007);
    made_put64(out, 1); /* names of threads */
    made_put64(out, 10);
    made_put64(out, 0x8008);
    made_put64(out, 0); /* external names */
    made_put64(out, 2); /* numbers of threads: 0 is reserved */
    made_put64(out, 0);
    made_put64(out, 10);
    made_put64(out, 0);
    made_put64(out, 2); /* source locations */
    made_put64(out, 0x5000);
    source(out, 0, 11);
    made_put64(out, 0x5100);
    source(out, 1, 12);
    made_put64(out, 3); /* ids; the first one is of nothing */
    made_put64(out, 0);
    made_put64(out, 0x5000);
    made_put64(out, 0x5100);
    made_put64(out, 1); /* that came inline */
    source(out, 4, 7);
    made_put64(out, 1);
    zeros(out, 10);
    made_put64(out, 0);
    made_put64(out, 1); /* a lock */
    zeros(out, 4 + 3 + 2 + 1 + 1 + 8 + 8);
    made_put64(out, 1);
    made_put64(out, 10);
    made_put64(out, 1);
    zeros(out, 12);
}

static void messages(struct ttp_sink *out, unsigned version)
{
    made_put64(out, 2);
    for (uint64_t i = 0; i < 2; i++) {
        made_put64(out, 0xA000 + i);
        made_put64(out, 500);
        ref(out, 6 + i);
        made_put32(out, UINT32_MAX);
        zeros(out, version >= MADE_VERSION(0, 13, 2) ? 5 : 3);
    }
    made_put64(out, 3); /* extras */
    zeros(out, 12);
    made_put(out, "\0\0\0\x04\0\0\0\0\0\0\0\0", 12);
    made_put(out, "\0\0\0\0\0\0\x06\0\0\0\0\0", 12);
}

static void zone(struct ttp_sink *out, int16_t id, int64_t start, uint32_t extra, uint32_t children)
{
    unsigned char b[2];

    ttp_set16(b, (uint16_t)id);
    made_put(out, b, 2);
    made_put64(out, (uint64_t)start);
    made_put32(out, extra);
    made_put32(out, children);
}

static void thread(struct ttp_sink *out, uint64_t tid, unsigned version)
{
    made_put64(out, tid);
    zeros(out, 8 + 8 + 1 + (version >= MADE_VERSION(0, 11, 1) ? 4 : 0));
}

static void threads(struct ttp_sink *out, unsigned version)
{
    made_put64(out, 4);
    made_put64(out, 1);
    made_put64(out, 2);
    thread(out, 10, version);
    made_put32(out, 1);
    zone(out, 1, 100, 1, 1);
    zone(out, 2, 50, 0, 0);
    made_put64(out, 200);
    made_put64(out, 30);
    made_put64(out, 2);
    made_put64(out, 0xA000);
    made_put64(out, 0xA001);
    made_put64(out, 0);
    made_put64(out, 1);
    zeros(out, 11);
    thread(out, 11, version);
    made_put32(out, 2);
    zone(out, -1, 700, 2, 0);
    made_put64(out, 9);
    zone(out, -1, 1, 0, 0);
    made_put64(out, (uint64_t)-711); /* never ended: at -1 */
    made_put64(out, 0);
    made_put64(out, 0);
    made_put64(out, 0);
}

static void device_zone(struct ttp_sink *out, int16_t id, int64_t start, uint64_t children)
{
    unsigned char b[2];

    made_put64(out, 3); /* of the host */
    made_put64(out, (uint64_t)start);
    ttp_set16(b, (uint16_t)id);
    made_put(out, b, 2);
    zeros(out, 3 + 2);
    made_put64(out, children);
}

static void device_end(struct ttp_sink *out, int64_t end, unsigned version)
{
    made_put64(out, 3);
    made_put64(out, (uint64_t)end);
    zeros(out, version >= MADE_VERSION(0, 12, 4) ? 2 : 0);
}

/* A context with two lanes: a zone in a zone, and one that never ended. */
static void devices(struct ttp_sink *out, unsigned version)
{
    const bool annotated = version >= MADE_VERSION(0, 12, 4);

    made_put64(out, 3);
    made_put64(out, 1);
    made_put64(out, 1);
    zeros(out, 8 + 1 + 8 + 4 + 1 + 3 + 8);
    if (annotated) {
        made_put64(out, 1);
        zeros(out, 8 + 3);
    }
    made_put64(out, 3);
    made_put64(out, 5);
    made_put64(out, 1);
    device_zone(out, -1, 1000, 1);
    device_zone(out, 2, 10, 0);
    device_end(out, 20, version);
    device_end(out, 30, version);
    made_put64(out, 6);
    made_put64(out, 1);
    device_zone(out, 2, 2000, 0);
    device_end(out, -2001, version);
    made_put64(out, 7); /* nothing on this one */
    made_put64(out, 0);
    if (annotated) {
        made_put64(out, 1);
        zeros(out, 2);
        made_put64(out, 1);
        zeros(out, 16);
    }
}

static void plots(struct ttp_sink *out)
{
    static const double values[] = {1.5, -2.25};

    made_put64(out, 2);
    for (uint64_t i = 0; i < 2; i++) {
        zeros(out, 8);
        made_put64(out, i ? 0x7000 : 0x7777); /* the first has no name */
        zeros(out, 24);
        made_put64(out, i * 2);
    }
    for (size_t i = 0; i < 2; i++) {
        made_put64(out, 40);
        made_put(out, &values[i], 8);
    }
}

#ifdef TTP_HAVE_ZSTD
static void pack_zstd(struct ttp_sink *out, ttp_str plain, unsigned streams)
{
    ZSTD_CStream *stream[8] = {NULL};
    char packed[1 << 17];

    for (unsigned i = 0; i < streams; i++) {
        stream[i] = ZSTD_createCStream();
        ZSTD_initCStream(stream[i], 1);
    }
    for (unsigned turn = 0; plain.len; turn = turn + 1 < streams ? turn + 1 : 0) {
        const ttp_str part = ttp_str_slice(plain, 0, 150);
        ZSTD_inBuffer in = {part.ptr, part.len, 0};
        ZSTD_outBuffer to = {packed, sizeof(packed), 0};

        ZSTD_compressStream2(stream[turn], &to, &in, ZSTD_e_flush);
        made_put32(out, (uint32_t)to.pos);
        made_put(out, packed, to.pos);
        plain = ttp_str_slice(plain, part.len, plain.len);
    }
    for (unsigned i = 0; i < streams; i++)
        ZSTD_freeCStream(stream[i]);
}
#else
static void pack_zstd(struct ttp_sink *out, ttp_str plain, unsigned streams)
{
    (void)out, (void)plain, (void)streams; /* tests that want it skip themselves */
}
#endif

static void pack_lz4(struct ttp_sink *out, ttp_str plain, unsigned streams, size_t bytes,
                     struct ttp_arena *arena)
{
    struct ttp_packer *packer[8];

    for (unsigned i = 0; i < streams; i++)
        packer[i] = ttp_capture_packer_new((size_t)64 << 10, arena);
    for (unsigned turn = 0; plain.len; turn = (turn + 1) % streams) {
        const ttp_str part = ttp_str_slice(plain, 0, bytes);
        ttp_str packed = {0};

        if (!ttp_capture_packer_run(packer[turn], part, &packed))
            return;
        made_put32(out, (uint32_t)packed.len);
        ttp_sink_put(out, packed);
        plain = ttp_str_slice(plain, part.len, plain.len);
    }
}

ttp_str made_tracy(unsigned version, bool has_sections, enum made_container container,
                   struct ttp_arena *arena)
{
    static const ttp_str magic[] = {[MADE_OLD_LZ4] = {"tlZ\x04", 4},
                                    [MADE_OLD_ZSTD] = {"tZst", 4},
                                    [MADE_NEW_LZ4] = {"tr\xFDP\0\x02", 6},
                                    [MADE_NEW_ZSTD] = {"tr\xFDP\x01\x03", 6}};
    const bool zstd = container == MADE_OLD_ZSTD || container == MADE_NEW_ZSTD;
    const unsigned streams = container == MADE_NEW_LZ4 ? 2 : container == MADE_NEW_ZSTD ? 3 : 1;
    struct ttp_sink plain, out;

    ttp_sink_to_arena(&plain, arena);
    head(&plain, version);
    if (has_sections)
        sections(&plain, version);
    names(&plain);
    messages(&plain, version);
    threads(&plain, version);
    devices(&plain, version);
    plots(&plain);
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, magic[container]);
    if (zstd)
        pack_zstd(&out, ttp_sink_text(&plain), streams);
    else
        pack_lz4(&out, ttp_sink_text(&plain), streams, 150, arena);
    return ttp_sink_text(&out);
}

ttp_str made_tracy_of_nothing(uint64_t nmessages, struct ttp_arena *arena)
{
    struct ttp_sink plain, out;

    ttp_sink_to_arena(&plain, arena);
    head(&plain, MADE_VERSION(0, 10, 0));
    names(&plain);
    made_put64(&plain, nmessages);
    memset(ttp_sink_room(&plain, nmessages * 32), 0, nmessages * 32);
    plain.len += nmessages * 32;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, TTP_STR("tlZ\x04"));
    pack_lz4(&out, ttp_sink_text(&plain), 1, (size_t)64 << 10, arena);
    return ttp_sink_text(&out);
}

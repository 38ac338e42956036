/* SPDX-License-Identifier: Apache-2.0 */
/* bench_capture.c - a session of 10 M zones (20 M items, two threads), as the fork's client sends
 * it: received with zone dropping and with all zones, both also written as two CSVs, the latter as
 * a .tracy file too. The baseline is unpacking the blocks and walking over the items. Memory is
 * what the largest of each grew by. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "capture/bytes.h"
#include "capture/wire_stream.h"

enum { OPS_A_THREAD = 625000, ZONES_AN_OP = 8, PIECE = 256 << 10 };

#define SOURCE(n) (UINT64_C(0x7F0000000000) + (uint64_t)(n)*32)

struct maker {
    const struct ttp_dialect *d;
    struct ttp_sink block, stream;
    struct ttp_packer *packer;
    uint64_t clock;
};

static void put(struct ttp_sink *out, const void *p, size_t n)
{
    ttp_sink_put(out, (ttp_str){p, n});
}

static void end_block(struct maker *m)
{
    unsigned char n[4];
    ttp_str packed;

    if (m->block.len == 0 || !ttp_capture_packer_run(m->packer, ttp_sink_text(&m->block), &packed))
        return;
    ttp_set32(n, (uint32_t)packed.len);
    put(&m->stream, n, 4);
    ttp_sink_put(&m->stream, packed);
    m->block.len = 0;
}

static void begin(struct maker *m, unsigned source)
{
    unsigned char item[17] = {15};

    ttp_set64(item + 1, 40 + source * 13);
    ttp_set64(item + 9, SOURCE(source));
    put(&m->block, item, sizeof(item));
}

static void end(struct maker *m, unsigned ticks)
{
    unsigned char item[9] = {17};

    ttp_set64(item + 1, 100 + ticks % 977);
    put(&m->block, item, sizeof(item));
}

static void text(struct maker *m, const char *s, size_t n)
{
    unsigned char head[3] = {96};

    ttp_set16(head + 1, (uint16_t)n);
    put(&m->block, head, sizeof(head));
    put(&m->block, s, n);
}

static void op(struct maker *m, unsigned i)
{
    char line[96];

    /* one in 64 is an op of the device with its text, one in 1024 has a message */
    begin(m, i % 64 == 0 ? 0 : 1 + i % 40);
    if (i % 64 == 0) {
        text(m, line, (size_t)snprintf(line, sizeof(line), "id:%u", i));
        ttp_sink_char(&m->block, 0);
    }
    for (unsigned k = 1; k < ZONES_AN_OP; k++)
        begin(m, 1 + (i + k) % 40);
    for (unsigned k = 1; k < ZONES_AN_OP; k++)
        end(m, i * 31 + k);
    if (i % 1024 == 0) {
        unsigned char item[12] = {3};

        text(m, line,
             (size_t)snprintf(line, sizeof(line), "`TT_DNN_DEVICE_OP: \"Matmul\", 77, 0, true, %u`",
                              i));
        ttp_set64(item + 1, 1000 + i);
        put(&m->block, item, sizeof(item));
    }
    end(m, i);
}

static void answers(struct maker *m)
{
    for (unsigned i = 0; i <= 40; i++) {
        unsigned char item[32] = {71};

        ttp_set64(item + 1, SOURCE(1000 + i));
        ttp_set64(item + 9, SOURCE(1000 + i));
        ttp_set64(item + 17, SOURCE(999));
        put(&m->block, item, sizeof(item));
    }
    for (unsigned i = 0; i <= 41; i++) {
        unsigned char head[11] = {99};
        char name[32];
        const size_t n = i == 41  ? (size_t)snprintf(name, sizeof(name), "/src/model.cpp")
                         : i == 0 ? (size_t)snprintf(name, sizeof(name), "TT_DNN_DEVICE_OP")
                                  : (size_t)snprintf(name, sizeof(name), "function_%u", i);

        ttp_set64(head + 1, SOURCE(i == 41 ? 999 : 1000 + i));
        ttp_set16(head + 9, (uint16_t)n);
        put(&m->block, head, sizeof(head));
        put(&m->block, name, n);
    }
}

/* All source locations are met and answered in the first block, as a client would soon do. */
static ttp_str make_stream(struct ttp_arena *arena)
{
    const struct ttp_dialect *d[4];
    struct maker m = {.packer = ttp_capture_packer_new(TTP_WIRE_PLAIN_MAX, arena)};
    const double mul = 1;

    ttp_capture_dialect_find(d, 4, 66);
    m.d = d[0];
    ttp_sink_to_arena(&m.block, arena);
    ttp_sink_to_arena(&m.stream, arena);
    ttp_sink_char(&m.stream, 1);
    put(&m.stream, &mul, sizeof(mul));
    while (m.stream.len < 1 + m.d->welcome_bytes)
        ttp_sink_char(&m.stream, 0);
    put(&m.block, "\x3B\x0A\0\0\0", 5);
    for (unsigned i = 0; i <= 40; i++) {
        begin(&m, i);
        end(&m, 0);
    }
    end_block(&m);
    answers(&m);
    end_block(&m);
    for (unsigned i = 0; i < 2 * OPS_A_THREAD; i++) {
        if (i % 512 == 0) {
            unsigned char thread[5] = {59};

            ttp_set32(thread + 1, 10 + i / 512 % 2);
            put(&m.block, thread, sizeof(thread));
        }
        op(&m, i);
        if (m.block.len > TTP_WIRE_PLAIN_MAX - 1024)
            end_block(&m);
    }
    end_block(&m);
    ttp_sink_char(&m.block, 57);
    end_block(&m);
    return ttp_sink_text(&m.stream);
}

struct subject {
    ttp_str stream;
    char path[32];
    enum ttp_zones zones;
    void (*export)(const struct subject *s); /* of what was received */
    uint64_t items;
};

static void receive(void *arg)
{
    struct subject *s = arg;
    const struct ttp_receiver_options options = {.zones = s->zones};
    struct ttp_receiver_stats stats;
    struct ttp_receiver *r;

    if (ttp_receiver_open(&r, s->path, &options, NULL) != TTP_OK)
        exit(EXIT_FAILURE);
    ttp_receiver_feed_server(r, TTP_STR("TracyPrf\x42\0\0\0"));
    for (unsigned i = 0; i <= 40; i++) {
        unsigned char query[TTP_QUERY_BYTES] = {TTP_QUERY_SOURCE};

        ttp_set64(query + 1, SOURCE(i));
        ttp_receiver_feed_server(r, (ttp_str){(const char *)query, sizeof(query)});
    }
    for (size_t at = 0; at < s->stream.len; at += PIECE)
        ttp_receiver_feed_client(r, ttp_str_slice(s->stream, at, at + PIECE));
    ttp_receiver_feed_end(r);
    ttp_receiver_get_stats(&stats, r);
    s->items = stats.items;
    bench_sink += stats.zones;
    if (ttp_receiver_close(r, NULL) != TTP_OK)
        exit(EXIT_FAILURE);
}

static void unpack(void *arg)
{
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_unpacker *u = ttp_capture_unpacker_new(TTP_WIRE_PLAIN_MAX, &arena);
    const struct ttp_dialect *d[4];
    unsigned staged = 0;
    uint64_t items = 0;
    ttp_str plain;

    ttp_capture_dialect_find(d, 4, 66);
    for (size_t at = 1 + d[0]->welcome_bytes; at < s->stream.len;) {
        const size_t n = ttp_get32(s->stream.ptr + at);

        if (!ttp_capture_unpacker_run(u, ttp_str_slice(s->stream, at + 4, at + 4 + n), &plain) ||
            !ttp_capture_dialect_walk(d[0], plain, (struct ttp_dialect_seen){&staged, &items}, NULL,
                                      NULL))
            exit(EXIT_FAILURE);
        at += 4 + n;
    }
    bench_sink += items;
    ttp_arena_free(&arena);
}

/* Both CSVs of what was received. */
static void export_csv(const struct subject *s)
{
    static const char *special[] = {"CompileProgram", "HWCommandQueue_write_buffer"};
    const struct ttp_trace_reading how = {.zones = s->zones};
    const struct ttp_csv_options zones = {.parent = "TT_", .special = {special, 2}};
    const struct ttp_csv_options messages = {.sep = ";"};
    struct ttp_arena arena = {0};
    struct ttp_trace trace;
    struct ttp_sink out;
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (ttp_capture_trace_read(&trace, s->path, &how, &arena, NULL) != TTP_OK)
        exit(EXIT_FAILURE);
    ttp_sink_to_fd(&out, fd, &arena);
    ttp_capture_trace_write_zones(&out, &trace, &zones, &arena);
    ttp_capture_trace_write_messages(&out, &trace, &messages, &arena);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        exit(EXIT_FAILURE);
    bench_sink += out.written;
    close(fd);
    ttp_arena_free(&arena);
}

static void export_tracy(const struct subject *s)
{
    const struct ttp_tracy_writing what = {.recording = s->path, .output = "/dev/null"};
    struct ttp_arena arena = {0};
    struct ttp_tracy_written written;

    if (ttp_tracy_write(&written, &what, &arena, NULL) != TTP_OK)
        exit(EXIT_FAILURE);
    bench_sink += written.zones;
    ttp_arena_free(&arena);
}

/* A whole session in a process of its own: CPU seconds, and by how much memory grew in MB. */
static double session(struct subject *s, double *grown_mb)
{
    struct rusage before, after;
    int pipes[2];
    double result[2] = {0};

    if (pipe(pipes) != 0)
        exit(EXIT_FAILURE);
    const pid_t pid = fork();
    if (pid == 0) {
        /* the stream is shared with the parent and counts for nothing */
        FILE *f = fopen("/proc/self/clear_refs", "we");
        if (f) {
            fputs("5", f);
            fclose(f);
        }
        getrusage(RUSAGE_SELF, &before);
        receive(s);
        s->export(s);
        getrusage(RUSAGE_SELF, &after);
        result[0] = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                    (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                    (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6 +
                    (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e6;
        result[1] = (double)(after.ru_maxrss - before.ru_maxrss) / 1024;
        _exit(write(pipes[1], result, sizeof(result)) == sizeof(result) ? 0 : 1);
    }
    close(pipes[1]);
    if (pid < 0 || read(pipes[0], result, sizeof(result)) != sizeof(result))
        exit(EXIT_FAILURE);
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    *grown_mb = result[1];
    return result[0];
}

int main(void)
{
    struct ttp_arena arena = {0};
    struct subject s = {.stream = make_stream(&arena)};
    double drop_mb, all_mb, tracy_mb;
    const int fd = memfd_create("capture", MFD_CLOEXEC);

    snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", fd);
    s.export = export_csv;
    const double drop_s = session(&s, &drop_mb);
    s.zones = TTP_ZONES_ALL;
    const double all_s = session(&s, &all_mb);
    s.export = export_tracy;
    const double tracy_s = session(&s, &tracy_mb);
    s.zones = TTP_ZONES_OPS;
    const struct bench_pair r = bench_versus(receive, unpack, &s, 5);
    printf("{\"bench\":\"capture\",\"items_m\":%.1f,\"wire_mb\":%.1f,\"items_m_s\":%.1f,"
           "\"vs_unpack\":%.2f,\"ops_cpu_s\":%.2f,\"ops_mb\":%.0f,\"all_cpu_s\":%.2f,"
           "\"all_mb\":%.0f,\"tracy_cpu_s\":%.2f,\"tracy_mb\":%.0f}\n",
           (double)s.items / 1e6, (double)s.stream.len / 1e6, (double)s.items / r.subject_s / 1e6,
           r.ratio, drop_s, drop_mb, all_s, all_mb, tracy_s, tracy_mb);
    close(fd);
    ttp_arena_free(&arena);
    return 0;
}

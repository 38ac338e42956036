/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver against clients on loopback: well behaved, cut off, odd, unknown. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "capture/bytes.h"
#include "capture/wire_stream.h"
#include "made_wire.h"
#include "test.h"

#define MS ((uint64_t)1000000)

static const struct ttp_trace_reading all_zones = {.zones = TTP_ZONES_ALL};

/* A client that says what it is told to, in pieces, and counts what it is asked. */
struct client {
    unsigned protocol;
    ttp_str stream;
    size_t piece; /* bytes sent at a time; 0: all */
    bool vanish;  /* hang up after the stream instead of waiting for goodbye */

    int listener;
    uint16_t port;
    pthread_t thread;
    unsigned handshakes, queries[16], odd_queries;
    bool goodbye;
};

static void take_queries(struct client *c, int fd, bool until_goodbye)
{
    unsigned char q[TTP_QUERY_BYTES];

    while (!c->goodbye &&
           recv(fd, q, sizeof(q), MSG_WAITALL | (until_goodbye ? 0 : MSG_DONTWAIT)) ==
               (ssize_t)sizeof(q)) {
        if (q[0] < 16)
            c->queries[q[0]]++;
        else
            c->odd_queries++;
        c->goodbye = q[0] == 0;
    }
}

static void talk(struct client *c, int fd)
{
    const size_t piece = c->piece ? c->piece : c->stream.len;

    for (size_t at = 0; at < c->stream.len; at += piece) {
        const ttp_str part = ttp_str_slice(c->stream, at, at + piece);

        if (send(fd, part.ptr, part.len, MSG_NOSIGNAL) != (ssize_t)part.len)
            return;
        if (c->piece && at % 4096 < piece)
            take_queries(c, fd, false);
    }
    if (!c->vanish)
        take_queries(c, fd, true);
}

static void *client_main(void *arg)
{
    struct client *c = arg;

    for (bool served = false; !served;) {
        unsigned char hello[12];
        const int fd = accept(c->listener, NULL, NULL);

        if (fd < 0)
            return NULL;
        c->handshakes++;
        if (recv(fd, hello, sizeof(hello), MSG_WAITALL) == (ssize_t)sizeof(hello)) {
            served = ttp_get32(hello + 8) == c->protocol;
            if (served)
                talk(c, fd);
            else
                (void)send(fd, "\x02", 1, MSG_NOSIGNAL);
        }
        close(fd);
    }
    return NULL;
}

static void client_start(struct client *c)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t n = sizeof(at);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->listener >= 0);
    assert_int_equal(bind(c->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(c->listener, 4), 0);
    assert_int_equal(getsockname(c->listener, (struct sockaddr *)&at, &n), 0);
    c->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&c->thread, NULL, client_main, c), 0);
}

static void client_stop(struct client *c)
{
    shutdown(c->listener, SHUT_RDWR);
    pthread_join(c->thread, NULL);
    close(c->listener);
}

/* Receive all of it; the name of the capture file. */
static const char *receive(struct client *c, const struct ttp_receiver_options *options,
                           struct ttp_receiver_stats *stats, struct ttp_arena *arena)
{
    const uint64_t start = ttp_clock_ns();
    struct ttp_receiver *r;
    const char *path;
    int fd;

    assert_int_equal(ttp_file_in_memory(&fd, &path, arena, NULL), TTP_OK);
    assert_int_equal(ttp_receiver_open(&r, path, options, NULL), TTP_OK);
    client_start(c);
    ttp_receiver_connect(r, c->port);
    do {
        struct pollfd p;
        const int timeout = ttp_receiver_wants(r, &p);

        poll(&p, p.fd >= 0, timeout);
        ttp_receiver_step(r);
        ttp_receiver_get_stats(stats, r);
        assert_true(ttp_clock_ns() - start < 20000 * MS);
    } while (stats->state != TTP_RECEIVER_DONE);
    assert_int_equal(ttp_receiver_close(r, NULL), TTP_OK);
    client_stop(c);
    return path;
}

static ttp_str zones_csv(const char *path, struct ttp_arena *arena)
{
    const struct ttp_csv_options o = {.parent = "TT_"};
    struct ttp_trace t;
    struct ttp_sink out;

    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    ttp_sink_to_arena(&out, arena);
    ttp_capture_trace_write_zones(&out, &t, &o, arena);
    ttp_capture_trace_write_messages(&out, &t, &o, arena);
    return ttp_sink_text(&out);
}

static void test_receiver__a_session_is_what_the_recording_of_it_is(void **state)
{
    ttp_test_needs("lz4");
    static const size_t pieces[] = {0, 1, 7, 1000};
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options all = {.zones = TTP_ZONES_ALL};

    for (size_t i = 0; i < TTP_COUNT(pieces); i++)
        for (int fork = 0; fork < 2; fork++) {
            const struct ttp_dialect *d = made_dialect(fork ? 66 : 78, fork);
            struct client c = {.protocol = d->info.protocol, .piece = pieces[i]};
            struct ttp_receiver_stats stats;

            c.stream = made_run(d, NULL, arena);
            const char *path = receive(&c, &all, &stats, arena);
            assert_int_equal(stats.end, TTP_END_NORMAL);
            assert_true(stats.known && stats.consistent);
            assert_int_equal(stats.messages, 3);
            assert_int_equal(stats.ops, 2);
            assert_int_equal(stats.zones, 11);
            assert_true(c.goodbye);
            assert_int_equal(c.odd_queries, 0);
            assert_true(
                ttp_str_eq(zones_csv(path, arena), zones_csv(made_file(c.stream, arena), arena)));
        }
}

static void test_receiver__numbers_are_tried_until_one_is_spoken(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options hinted = {.protocol = 74};
    struct client first = {.protocol = 74}, second = {.protocol = 66};
    struct ttp_receiver_stats stats;

    first.stream = made_run(made_dialect(74, false), NULL, arena);
    receive(&first, &hinted, &stats, arena);
    assert_int_equal(stats.protocol, 74);
    assert_int_equal(first.handshakes, 1);
    second.stream = made_run(made_dialect(66, true), NULL, arena);
    receive(&second, &(struct ttp_receiver_options){0}, &stats, arena);
    assert_int_equal(stats.protocol, 66);
    assert_int_equal(second.handshakes, 2); /* 78 first */
}

/* Only what the stream told us of is asked for. */
static void test_receiver__questions_are_owed(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct client c = {.protocol = 66, .piece = 1};
    struct ttp_receiver_stats stats;

    c.stream = made_run(made_dialect(66, true), NULL, arena);
    receive(&c, &(struct ttp_receiver_options){0}, &stats, arena);
    assert_int_equal(stats.queries, 4 + 7 + 3); /* sources, texts, threads */
    assert_int_equal(stats.owed, 0);
    assert_true(c.queries[TTP_QUERY_SOURCE] <= 4);
    assert_true(c.queries[TTP_QUERY_STRING] <= 7);
    assert_true(c.queries[TTP_QUERY_THREAD] <= 3);
}

/* Killed between any two blocks: what had arrived is in the file. */
static void test_receiver__a_client_killed_at_any_block_loses_nothing(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options all = {.zones = TTP_ZONES_ALL};
    const ttp_str whole = made_run(made_dialect(66, true), NULL, arena);

    for (size_t end = 1 + 1178; end <= whole.len;) {
        struct client c = {.protocol = 66, .vanish = true};
        struct ttp_receiver_stats stats;

        c.stream = ttp_str_slice(whole, 0, end);
        const char *path = receive(&c, &all, &stats, arena);
        assert_int_equal(stats.end, end == whole.len ? TTP_END_NORMAL : TTP_END_CUT);
        assert_true(
            ttp_str_eq(zones_csv(path, arena), zones_csv(made_file(c.stream, arena), arena)));
        if (end + 4 > whole.len)
            break;
        end += 4 + ttp_get32(whole.ptr + end);
    }
}

static void test_receiver__an_unknown_dialect_is_kept_whole_and_asked_nothing(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct client c = {.protocol = 90};
    struct ttp_receiver_stats stats;
    struct ttp_trace t;
    struct ttp_dialect odd = *made_dialect(82, false);

    /* one item more near the beginning: every id after it moves */
    memmove(odd.size + 9, odd.size + 8, 200);
    memmove(odd.role + 9, odd.role + 8, 200);
    memmove(odd.tail + 9, odd.tail + 8, 200);
    odd.info.protocol = 90;
    c.stream = made_run(&odd, NULL, arena);
    const char *path = receive(&c, &(struct ttp_receiver_options){0}, &stats, arena);
    assert_int_equal(stats.protocol, 90);
    assert_false(stats.known);
    assert_int_equal(stats.queries, 0);
    assert_int_equal(stats.messages, 2); /* the signpost was a literal: its text must be asked */
    for (int q = 1; q < 16; q++)
        assert_int_equal(c.queries[q], 0);
    assert_true(c.goodbye);
    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    assert_true(t.unknown);
    assert_int_equal(t.protocol, 90);
    assert_int_equal(t.nmessages, 2);
    assert_true(ttp_str_has(t.message[0].text, TTP_STR("TT_DNN_DEVICE_OP")));
    assert_int_equal(t.message[0].ns, 35086);
}

/* A block that is not an items: nothing is asked from then on, the rest is still used. */
static void test_receiver__after_an_odd_block_it_is_silent_and_goes_on(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct client c = {.protocol = 66};
    struct ttp_receiver_stats stats;
    struct ttp_trace t;
    struct made_wire w;

    made_wire_start(&w, made_dialect(66, true), arena);
    ttp_sink_put(&w.block, TTP_STR("\xF0\xF1\xF2"));
    made_wire_flush(&w);
    made_thread(&w, 10);
    made_begin(&w, 10, 0x7F0000005000);
    made_end(&w, 10);
    made_message(&w, 5, "`TT_SIGNPOST: still here`");
    made_terminate(&w);
    c.stream = made_wire_bytes(&w);
    const char *path = receive(&c, &(struct ttp_receiver_options){0}, &stats, arena);
    assert_false(stats.consistent);
    assert_int_equal(stats.bad_blocks, 1);
    assert_int_equal(stats.queries, 0);
    for (int q = 1; q < 16; q++)
        assert_int_equal(c.queries[q], 0);
    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    assert_true(t.inconsistent);
    assert_int_equal(t.nmessages, 1);
}

/* A wrong address would crash the program: one that cannot be one ends all questions. */
static void test_receiver__an_impossible_address_is_not_asked_for(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    struct client c = {.protocol = 66};
    struct ttp_receiver_stats stats;
    struct made_wire w;

    made_wire_start(&w, made_dialect(66, true), arena);
    made_thread(&w, 10);
    made_begin(&w, 10, 0xFFFFFFFFFFFF0000);
    made_end(&w, 10);
    made_begin(&w, 10, 0);
    made_end(&w, 10);
    made_terminate(&w);
    c.stream = made_wire_bytes(&w);
    receive(&c, &(struct ttp_receiver_options){0}, &stats, arena);
    assert_int_equal(c.queries[TTP_QUERY_SOURCE], 0);
    assert_true(c.goodbye);
}

static void test_receiver__more_source_locations_than_stock_tools_take(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options all = {.zones = TTP_ZONES_ALL};
    struct client c = {.protocol = 66};
    struct ttp_receiver_stats stats;
    struct ttp_trace t;
    struct made_wire w;
    char name[32];

    made_wire_start(&w, made_dialect(66, true), arena);
    made_thread(&w, 10);
    for (int i = 0; i < 40000; i++) {
        snprintf(name, sizeof(name), "PY_%d", i);
        made_begin_inline(&w, 10, name, "m.py");
        made_end(&w, 10);
        if (i % 1000 == 0)
            made_wire_flush(&w);
    }
    made_message(&w, 5, "`TT_SIGNPOST: end`");
    made_terminate(&w);
    c.stream = made_wire_bytes(&w);
    const char *path = receive(&c, &all, &stats, arena);
    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    assert_int_equal(t.nsources, 40000);
    assert_int_equal(t.zone.count, 40000);
    assert_int_equal(t.nmessages, 1);
}

/* The disk is full after a while: what was written is read. */
static void test_receiver__a_full_disk_keeps_what_was_written(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options all = {.zones = TTP_ZONES_ALL};
    struct rlimit before, small;
    char path[] = "/tmp/ttp_receiver_XXXXXX";
    struct ttp_receiver *r;
    struct ttp_trace t;
    struct made_wire w;

    close(mkstemp(path));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(ttp_receiver_open(&r, path, &all, NULL), TTP_OK);
    ttp_receiver_feed_server(r, TTP_STR("TracyPrf\x42\0\0\0"));
    made_wire_start(&w, made_dialect(66, true), arena);
    made_thread(&w, 10);
    made_message(&w, 5, "`TT_SIGNPOST: first`");
    made_wire_flush(&w);
    size_t sent = w.stream.len;
    ttp_receiver_feed_client(r, ttp_str_slice(ttp_sink_text(&w.stream), 0, sent));
    small = before;
    small.rlim_cur = 300;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 50; i++)
        made_message(&w, 5, "`TT_SIGNPOST: one more that does not fit any longer`");
    made_wire_flush(&w);
    ttp_receiver_feed_client(r, ttp_str_slice(ttp_sink_text(&w.stream), sent, w.stream.len));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    ttp_receiver_feed_end(r);
    assert_int_equal(ttp_receiver_close(r, NULL), TTP_EIO);
    assert_int_equal(ttp_capture_trace_read(&t, path, &all_zones, arena, NULL), TTP_OK);
    assert_int_equal(t.nmessages, 1);
    assert_true(ttp_str_has(t.message[0].text, TTP_STR("first")));
    unlink(path);
}

/* Cut or damaged, a capture file gives whole blocks and says what is lost. */
static void test_receiver__a_damaged_capture_file_gives_what_is_whole(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_arena *arena = *state;
    const struct ttp_receiver_options all = {.zones = TTP_ZONES_ALL};
    struct client c = {.protocol = 66, .piece = 200};
    struct ttp_receiver_stats stats;
    struct ttp_file file;
    struct ttp_trace t;

    c.stream = made_run(made_dialect(66, true), NULL, arena);
    const char *path = receive(&c, &all, &stats, arena);
    assert_int_equal(ttp_file_map(&file, path, NULL), TTP_OK);
    char *copy = TTP_NEW(arena, char, file.text.len);
    for (size_t len = 8; len <= file.text.len; len++) {
        struct ttp_arena scratch = {0};
        const char *cut = made_file(ttp_str_slice(file.text, 0, len), &scratch);
        const ttp_code rc = ttp_capture_trace_read(&t, cut, &all_zones, &scratch, NULL);

        assert_true(rc == TTP_OK || len < 8 + 16 + ttp_get32(file.text.ptr + 12));
        if (rc == TTP_OK && t.lost_bytes)
            assert_true(t.lost_at + t.lost_bytes == len);
        ttp_arena_free(&scratch);
    }
    for (size_t at = 8; at < file.text.len; at++) {
        struct ttp_arena scratch = {0};

        memcpy(copy, file.text.ptr, file.text.len);
        copy[at] ^= 0x10;
        const char *flipped = made_file((ttp_str){copy, file.text.len}, &scratch);
        if (ttp_capture_trace_read(&t, flipped, &all_zones, &scratch, NULL) == TTP_OK)
            assert_true(t.lost_bytes > 0);
        ttp_arena_free(&scratch);
    }
    ttp_file_close(&file);
}

static void test_receiver__nobody_there_ends_when_told_to(void **state)
{
    ttp_test_needs("lz4");
    struct ttp_receiver *r;
    struct ttp_receiver_stats stats;
    const char *path;
    int fd;

    assert_int_equal(ttp_file_in_memory(&fd, &path, *state, NULL), TTP_OK);
    assert_int_equal(ttp_receiver_open(&r, path, &(struct ttp_receiver_options){0}, NULL), TTP_OK);
    ttp_receiver_connect(r, 1); /* no one listens there */
    for (int i = 0; i < 5; i++)
        ttp_receiver_step(r);
    ttp_receiver_get_stats(&stats, r);
    assert_int_equal(stats.state, TTP_RECEIVER_CONNECTING);
    ttp_receiver_stop(r);
    ttp_receiver_get_stats(&stats, r);
    assert_int_equal(stats.state, TTP_RECEIVER_DONE);
    assert_int_equal(ttp_receiver_close(r, NULL), TTP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_receiver__a_session_is_what_the_recording_of_it_is),
        TTP_TEST_ARENA(test_receiver__numbers_are_tried_until_one_is_spoken),
        TTP_TEST_ARENA(test_receiver__questions_are_owed),
        TTP_TEST_ARENA(test_receiver__a_client_killed_at_any_block_loses_nothing),
        TTP_TEST_ARENA(test_receiver__an_unknown_dialect_is_kept_whole_and_asked_nothing),
        TTP_TEST_ARENA(test_receiver__after_an_odd_block_it_is_silent_and_goes_on),
        TTP_TEST_ARENA(test_receiver__an_impossible_address_is_not_asked_for),
        TTP_TEST_ARENA(test_receiver__more_source_locations_than_stock_tools_take),
        TTP_TEST_ARENA(test_receiver__a_full_disk_keeps_what_was_written),
        TTP_TEST_ARENA(test_receiver__a_damaged_capture_file_gives_what_is_whole),
        TTP_TEST_ARENA(test_receiver__nobody_there_ends_when_told_to),
    };
    return ttp_test_end(cmocka_run_group_tests_name("receiver", tests, NULL, NULL));
}

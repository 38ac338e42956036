/* SPDX-License-Identifier: Apache-2.0 */
/* The server as a client sees it, over a socket. */
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/assets.h"
#include "serve/serve.h"

struct fixture {
    struct ttp_server *server;
    int fd;
    char token[64];
};

#define TRACE_BYTES 300000

static void open_server(struct fixture *f, bool openly, bool offline)
{
    ttp_test_needs("libmicrohttpd");
    char *bytes = malloc(TRACE_BYTES);
    struct ttp_serve_options o = {
        .name = "a<b>&\"c\".pftrace", .json = openly, .open_paths = openly, .offline = offline};
    struct ttp_err err = {0};

    assert_int_equal(ttp_file_temporary(&f->fd, NULL), TTP_OK);
    for (size_t i = 0; i < TRACE_BYTES; i++)
        bytes[i] = (char)('a' + i % 23);
    assert_int_equal(write(f->fd, bytes, TRACE_BYTES), TRACE_BYTES);
    free(bytes);
    o.fd = f->fd;
    if (ttp_server_open(&f->server, &o, &err) != TTP_OK)
        fail_msg("%s", err.text);
    const char *at = strstr(ttp_server_url(f->server) + 7, "/");
    snprintf(f->token, sizeof(f->token), "%.*s", openly ? 0 : 33, at);
}

static void close_server(struct fixture *f)
{
    ttp_server_close(f->server);
    close(f->fd);
}

/* The whole answer to one request; the path begins after the token. */
static ttp_str ask(const struct fixture *f, const char *method, const char *path, const char *head,
                   struct ttp_arena *arena)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ttp_server_port(f->server))};
    char request[512], buf[65536];
    struct ttp_sink answer;
    ssize_t n;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ttp_sink_to_arena(&answer, arena);
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s >= 0);
    assert_int_equal(connect(s, (struct sockaddr *)&to, sizeof(to)), 0);
    const int size =
        snprintf(request, sizeof(request), "%s %s%s HTTP/1.1\r\n%sConnection: close\r\n\r\n",
                 method, f->token, path, head);
    assert_int_equal(write(s, request, (size_t)size), size);
    while ((n = read(s, buf, sizeof(buf))) > 0)
        ttp_sink_put(&answer, (ttp_str){buf, (size_t)n});
    close(s);
    return ttp_sink_text(&answer);
}

#define LOCAL "Host: 127.0.0.1\r\n"

static void assert_status(ttp_str answer, const char *status)
{
    if (!ttp_str_starts(answer, TTP_STR("HTTP/1.1 ")) ||
        !ttp_str_eq(ttp_str_slice(answer, 9, 12), ttp_str_from(status)))
        fail_msg("not %s: %.*s", status, (int)(answer.len < 200 ? answer.len : 200), answer.ptr);
}

static ttp_str body(ttp_str answer)
{
    const size_t at = ttp_str_find(answer, TTP_STR("\r\n\r\n"));

    assert_true(at != TTP_NPOS);
    return ttp_str_slice(answer, at + 4, answer.len);
}

static bool has(ttp_str answer, const char *text)
{
    return ttp_str_has(answer, ttp_str_from(text));
}

static void test_serve__pages_and_trace_are_below_the_token(void **state)
{
    struct fixture f;
    open_server(&f, false, false);
    ttp_str a = ask(&f, "GET", "/", LOCAL, *state);
    assert_status(a, "200");
    assert_true(has(a, "Content-Security-Policy: default-src 'none'"));
    assert_true(has(a, "https://ui.perfetto.dev"));
    assert_true(has(a, "a&#60;b&#62;&#38;&#34;c&#34;.pftrace")); /* a name cannot break out */
    assert_false(has(a, "{{"));
    a = ask(&f, "GET", "/timeline", "Host: localhost:1234\r\n", *state);
    assert_status(a, "200");
    assert_true(has(a, "class Trace"));
    assert_false(has(a, "{{"));
    a = ask(&f, "GET", "/trace.pftrace", LOCAL, *state);
    assert_status(a, "200");
    assert_true(has(a, "\r\nAccess-Control-Allow-Origin: https://ui.perfetto.dev\r\n"));
    assert_int_equal(body(a).len, TRACE_BYTES);
    for (size_t i = 0; i < TRACE_BYTES; i++)
        assert_int_equal(body(a).ptr[i], 'a' + i % 23);
    a = ask(&f, "HEAD", "/trace.pftrace", LOCAL, *state);
    assert_status(a, "200");
    assert_int_equal(body(a).len, 0);
    close_server(&f);
}

static void test_serve__offline_the_first_page_is_the_timeline(void **state)
{
    struct fixture f;
    open_server(&f, false, true);
    assert_true(has(ask(&f, "GET", "/", LOCAL, *state), "class Trace"));
    close_server(&f);
}

static void test_serve__strangers_get_nothing(void **state)
{
    static const struct {
        const char *method, *path, *head, *status;
    } cases[] = {
        {"GET", "/", "Host: example.com\r\n", "403"}, /* a name made to point here */
        {"GET", "/", "Host: 127.0.0.1.example.com\r\n", "403"},
        {"GET", "/", "Host: \r\n", "403"},
        {"POST", "/", LOCAL "Content-Length: 0\r\n", "405"},
        {"GET", "/../etc/passwd", LOCAL, "404"},
        {"GET", "/trace.json", LOCAL, "404"},
        {"GET", "", LOCAL, "404"},
    };
    struct fixture f, stranger;
    open_server(&f, false, false);
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_status(ask(&f, cases[i].method, cases[i].path, cases[i].head, *state),
                      cases[i].status);
    }
    stranger = f;
    stranger.token[0] = '\0';
    assert_status(ask(&stranger, "GET", "/", LOCAL, *state), "404");
    assert_status(ask(&stranger, "GET", "/trace.pftrace", LOCAL, *state), "404");
    memcpy(stranger.token, f.token, sizeof(f.token));
    stranger.token[5] = stranger.token[5] == 'a' ? 'b' : 'a';
    assert_status(ask(&stranger, "GET", "/", LOCAL, *state), "404");
    close_server(&f);
}

static void test_serve__tokens_are_made_up_anew(void **state)
{
    struct fixture a, b;
    (void)state;
    open_server(&a, false, false);
    open_server(&b, false, false);
    assert_int_equal(strlen(a.token), 33);
    assert_string_not_equal(a.token, b.token);
    assert_int_not_equal(ttp_server_port(a.server), ttp_server_port(b.server));
    close_server(&a);
    close_server(&b);
}

static void test_serve__a_browser_may_ask_for_perfetto(void **state)
{
    struct fixture f;
    open_server(&f, false, false);
    const ttp_str a = ask(&f, "OPTIONS", "/trace.pftrace", LOCAL, *state);
    assert_status(a, "204");
    assert_true(has(a, "Access-Control-Allow-Private-Network: true"));
    assert_true(has(a, "Access-Control-Allow-Origin: https://ui.perfetto.dev\r\n"));
    close_server(&f);
}

static void test_serve__compat_has_the_originals_routes(void **state)
{
    struct fixture f;
    open_server(&f, true, false);
    ttp_str a = ask(&f, "GET", "/trace.json", LOCAL, *state);
    assert_status(a, "200");
    assert_true(has(a, "\r\nContent-Type: application/json\r\n"));
    assert_false(has(a, "Access-Control-Allow-Origin"));
    assert_int_equal(body(a).len, TRACE_BYTES);
    static const char *const pages[] = {"/", "/trace.json?x=1", "/anything"};
    for (size_t i = 0; i < TTP_COUNT(pages); i++) {
        a = ask(&f, "GET", pages[i], LOCAL, *state);
        assert_status(a, "200");
        assert_true(has(a, "\r\nContent-Type: text/html\r\n"));
    }
    static const char *const methods[] = {"HEAD", "OPTIONS", "POST"};
    for (size_t i = 0; i < TTP_COUNT(methods); i++)
        assert_status(ask(&f, methods[i], "/trace.json", LOCAL "Content-Length: 0\r\n", *state),
                      "501");
    close_server(&f);
}

static void test_serve__a_port_that_is_taken_is_an_error(void **state)
{
    struct fixture f;
    struct ttp_server *second;
    struct ttp_err err = {0};
    (void)state;
    open_server(&f, false, false);
    const struct ttp_serve_options o = {.fd = f.fd, .name = "x", .port = ttp_server_port(f.server)};
    assert_int_equal(ttp_server_open(&second, &o, &err), TTP_EIO);
    assert_null(second);
    assert_non_null(strstr(err.text, "127.0.0.1"));
    close_server(&f);
}

#define IDLE 200

/* Idle connections, and unfinished requests, do not block other clients. */
static void test_serve__idle_connections_keep_nobody_out(void **state)
{
    struct fixture f;
    int idle[IDLE];

    open_server(&f, false, false);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ttp_server_port(f.server))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < IDLE; i++) {
        idle[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(idle[i] >= 0);
        assert_int_equal(connect(idle[i], (struct sockaddr *)&to, sizeof(to)), 0);
        if (i % 2)
            assert_true(send(idle[i], "GET /", 5, MSG_NOSIGNAL) != 0);
    }
    alarm(20); /* instead of waiting for two minutes */
    assert_status(ask(&f, "GET", "/trace.pftrace", LOCAL, *state), "200");
    alarm(0);
    for (size_t i = 0; i < IDLE; i++)
        close(idle[i]);
    close_server(&f);
}

/* One file, nothing to fetch, the trace inside. */
static void test_serve__a_page_holds_its_trace(void **state)
{
    struct ttp_sink out;
    int fd;
    assert_int_equal(ttp_file_temporary(&fd, NULL), TTP_OK);
    assert_int_equal(write(fd, "abcd", 4), 4);
    ttp_sink_to_arena(&out, *state);
    assert_int_equal(ttp_serve_put_timeline(&out, fd, "x</script>.html", false, NULL), TTP_OK);
    const ttp_str page = ttp_sink_text(&out);
    assert_false(has(page, "{{"));
    assert_false(has(page, "x</script>"));
    assert_false(has(page, "https://"));
    assert_true(has(page, "data-packed=\"gzip\">H4sI") || has(page, "data-packed=\"\">YWJjZA=="));
    assert_true(ttp_str_ends(page, TTP_STR("</html>\n")));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_serve__pages_and_trace_are_below_the_token),
        TTP_TEST_ARENA(test_serve__offline_the_first_page_is_the_timeline),
        TTP_TEST_ARENA(test_serve__strangers_get_nothing),
        TTP_TEST_ARENA(test_serve__tokens_are_made_up_anew),
        TTP_TEST_ARENA(test_serve__a_browser_may_ask_for_perfetto),
        TTP_TEST_ARENA(test_serve__compat_has_the_originals_routes),
        TTP_TEST_ARENA(test_serve__a_port_that_is_taken_is_an_error),
        TTP_TEST_ARENA(test_serve__idle_connections_keep_nobody_out),
        TTP_TEST_ARENA(test_serve__a_page_holds_its_trace),
    };
    return ttp_test_end(cmocka_run_group_tests_name("serve", tests, NULL, NULL));
}

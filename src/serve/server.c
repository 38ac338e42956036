/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server: libmicrohttpd is used here and nowhere else. */
#include "serve/serve.h"

#ifndef TTP_HAVE_MICROHTTPD
#define TTP_HAVE_MICROHTTPD 0
#endif

bool ttp_serve_supported(void)
{
    return TTP_HAVE_MICROHTTPD;
}

#if TTP_HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shared_library.h"
#include "serve/assets.h"

#define TOKEN_BYTES      16
#define TOKEN_DIGITS     ((size_t)TOKEN_BYTES * 2)
#define CONNECTIONS      256
#define SECONDS_OF_QUIET 30
/* Connections that may wait without a request: beyond that the oldest is closed, so that many open
 * connections cannot block others. */
#define IDLE_CONNECTIONS 32

/* The only page that may read a trace from outside ours. */
#define PERFETTO_ORIGIN "https://ui.perfetto.dev"

/* Loaded when a server starts, so that no other run pays for it: it brings a library for
 * encryption that takes longer to load than a report to make. */
#define HTTP_FUNCTIONS(X)                                                                          \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(create_response_from_buffer)                                                                 \
    X(create_response_from_fd_at_offset64)                                                         \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)                                                                            \
    X(lookup_connection_value)                                                                     \
    X(get_connection_info)                                                                         \
    X(get_connection_values)

struct http {
#define MEMBER(name) __typeof__(MHD_##name) *(name);
    HTTP_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* One that is open. Only the daemon's thread touches it. */
struct connection {
    struct MHD_Connection *http; /* NULL: none */
    uint64_t since;              /* its number, or that of its last answer */
    bool busy;                   /* with a request */
};

struct ttp_server {
    struct ttp_arena arena;
    struct http http;
    struct ttp_serve_options options;
    struct MHD_Daemon *daemon;
    uint16_t port;
    char token[TOKEN_DIGITS + 1];
    const char *url;
    uint64_t size; /* of the trace */
    struct connection open[CONNECTIONS];
    uint64_t events; /* counts connections and answers */
    ttp_str page, timeline;
};

static const char page_policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

static enum MHD_Result send_response(const struct ttp_server *s, struct MHD_Connection *c,
                                     unsigned status, struct MHD_Response *r, const char *type)
{
    if (!r)
        return MHD_NO;
    s->http.add_response_header(r, "Content-Type", type);
    s->http.add_response_header(r, "Cache-Control", "no-store");
    s->http.add_response_header(r, "X-Content-Type-Options", "nosniff");
    s->http.add_response_header(r, "Referrer-Policy", "no-referrer");
    const enum MHD_Result sent = s->http.queue_response(c, status, r);
    s->http.destroy_response(r);
    return sent;
}

static struct MHD_Response *response_of(const struct ttp_server *s, ttp_str text)
{
    union {
        const char *read;
        void *write; /* the library's parameter is not const, but with this mode it only reads */
    } bytes = {.read = text.ptr};

    return s->http.create_response_from_buffer(text.len, bytes.write, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_page(const struct ttp_server *s, struct MHD_Connection *c, ttp_str page)
{
    struct MHD_Response *r = response_of(s, page);

    if (r)
        s->http.add_response_header(r, "Content-Security-Policy", page_policy);
    return send_response(s, c, MHD_HTTP_OK, r, "text/html; charset=utf-8");
}

static enum MHD_Result send_text(const struct ttp_server *s, struct MHD_Connection *c,
                                 unsigned status, ttp_str text, const char *allow)
{
    struct MHD_Response *r = response_of(s, text);

    if (r && allow)
        s->http.add_response_header(r, "Allow", allow);
    return send_response(s, c, status, r, "text/plain; charset=utf-8");
}

static void allow_perfetto(const struct ttp_server *s, struct MHD_Response *r)
{
    s->http.add_response_header(r, "Access-Control-Allow-Origin", PERFETTO_ORIGIN);
    s->http.add_response_header(r, "Vary", "Origin");
}

static enum MHD_Result send_trace(const struct ttp_server *s, struct MHD_Connection *c)
{
    const int fd = dup(s->options.fd); /* closed with the response; reading has no common place */
    struct MHD_Response *r =
        fd < 0 ? NULL : s->http.create_response_from_fd_at_offset64(s->size, fd, 0);

    if (!r) {
        if (fd >= 0)
            close(fd);
        return MHD_NO;
    }
    if (!s->options.open_paths)
        allow_perfetto(s, r);
    return send_response(s, c, MHD_HTTP_OK, r,
                         s->options.json ? "application/json" : "application/octet-stream");
}

/* A browser asks before a page from the network may read from this machine. */
static enum MHD_Result send_permission(const struct ttp_server *s, struct MHD_Connection *c)
{
    struct MHD_Response *r = response_of(s, TTP_STR(""));

    if (r) {
        allow_perfetto(s, r);
        s->http.add_response_header(r, "Access-Control-Allow-Methods", "GET");
        s->http.add_response_header(r, "Access-Control-Allow-Private-Network", "true");
    }
    return send_response(s, c, MHD_HTTP_NO_CONTENT, r, "text/plain");
}

/* A name that resolves to this machine is not enough: a page elsewhere could have made one. */
static bool is_local(const struct ttp_server *s, struct MHD_Connection *c)
{
    const char *host = s->http.lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    ttp_str name = ttp_str_from(host ? host : "");

    name = ttp_str_slice(name, 0, ttp_str_find_char(name, ':'));
    return ttp_str_eq(name, TTP_STR("127.0.0.1")) || ttp_str_eq(name, TTP_STR("localhost"));
}

/* In the same time wherever they differ. */
static bool is_token(const struct ttp_server *s, ttp_str text)
{
    unsigned char difference = 0;

    if (text.len != TOKEN_DIGITS)
        return false;
    for (size_t i = 0; i < text.len; i++)
        difference |= (unsigned char)(text.ptr[i] ^ s->token[i]);
    return difference == 0;
}

static const char *trace_name(const struct ttp_server *s)
{
    return s->options.json ? "trace.json" : "trace.pftrace";
}

static enum MHD_Result answer_openly(const struct ttp_server *s, struct MHD_Connection *c,
                                     const char *url, const char *method)
{
    if (strcmp(method, "GET") != 0)
        return send_text(s, c, MHD_HTTP_NOT_IMPLEMENTED, TTP_STR("Unsupported method\n"), NULL);
    const bool query = s->http.get_connection_values(c, MHD_GET_ARGUMENT_KIND, NULL, NULL) > 0;
    if (strcmp(url, "/trace.json") == 0 && !query)
        return send_trace(s, c);
    return send_response(s, c, MHD_HTTP_OK, response_of(s, s->page), "text/html");
}

static enum MHD_Result answer_path(const struct ttp_server *s, struct MHD_Connection *c,
                                   ttp_str path, const char *method)
{
    const bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    const bool trace = ttp_str_eq(path, ttp_str_from(trace_name(s)));

    if (trace && strcmp(method, "OPTIONS") == 0)
        return send_permission(s, c);
    if (!get)
        return send_text(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, TTP_STR("only GET\n"), "GET, HEAD");
    if (trace)
        return send_trace(s, c);
    if (path.len == 0)
        return send_page(s, c, s->options.offline ? s->timeline : s->page);
    if (!s->options.json && ttp_str_eq(path, TTP_STR("timeline")))
        return send_page(s, c, s->timeline);
    return send_text(s, c, MHD_HTTP_NOT_FOUND, TTP_STR("no such page\n"), NULL);
}

static struct connection *find_connection(struct ttp_server *s, const struct MHD_Connection *c)
{
    for (size_t i = 0; i < CONNECTIONS; i++)
        if (s->open[i].http == c)
            return &s->open[i];
    return NULL;
}

/* If too many wait, end the one that has done so longest. */
static void limit_idle(struct ttp_server *s)
{
    struct connection *oldest = NULL;
    size_t idle = 0;

    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct connection *o = &s->open[i];

        if (!o->http || o->busy)
            continue;
        idle++;
        if (!oldest || o->since < oldest->since)
            oldest = o;
    }
    if (idle <= IDLE_CONNECTIONS)
        return;
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(oldest->http, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info)
        (void)shutdown(info->connect_fd, SHUT_RDWR); /* the daemon sees its end, and closes it */
    oldest->since = ++s->events;                     /* until then it is not chosen again */
}

static void on_connection(void *arg, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct ttp_server *s = arg;
    struct connection *o = find_connection(s, what == MHD_CONNECTION_NOTIFY_STARTED ? NULL : c);

    (void)context;
    if (!o)
        return;
    *o = (struct connection){0};
    if (what != MHD_CONNECTION_NOTIFY_STARTED)
        return;
    *o = (struct connection){.http = c, .since = ++s->events};
    limit_idle(s);
}

static void on_completed(void *arg, struct MHD_Connection *c, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct ttp_server *s = arg;
    struct connection *o = find_connection(s, c);

    (void)state, (void)how;
    if (o) {
        o->busy = false;
        o->since = ++s->events;
    }
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct ttp_server *s = arg;
    const ttp_str path = ttp_str_from(url);
    static int seen;

    (void)version, (void)upload;
    if (*state == NULL) { /* the head only: say nothing until all of the request is there */
        struct connection *o = find_connection(s, c);

        if (o)
            o->busy = true;
        *state = &seen;
        return MHD_YES;
    }
    if (*upload_size) { /* no one asked for it */
        *upload_size = 0;
        return MHD_YES;
    }
    if (!is_local(s, c))
        return send_text(s, c, MHD_HTTP_FORBIDDEN, TTP_STR("only for this machine\n"), NULL);
    if (s->options.open_paths)
        return answer_openly(s, c, url, method);
    const size_t slash = ttp_str_find_char(ttp_str_slice(path, 1, path.len), '/');
    if (slash == TTP_NPOS || !is_token(s, ttp_str_slice(path, 1, slash + 1)))
        return send_text(s, c, MHD_HTTP_NOT_FOUND, TTP_STR("no such page\n"), NULL);
    return answer_path(s, c, ttp_str_slice(path, slash + 2, path.len), method);
}

static ttp_str make_page(struct ttp_server *s, const char *asset)
{
    const struct ttp_template_word word[] = {
        {.name = "title", .text = ttp_str_from(s->options.name)},
        {.name = "name", .text = ttp_str_from(s->options.name)},
        {.name = "trace", .text = ttp_str_from(trace_name(s))},
        {.name = "builtin", .text = s->options.json ? TTP_STR("no") : TTP_STR("yes")},
    };
    const struct ttp_template page = {ttp_assets, word, TTP_COUNT(word)};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, &s->arena);
    ttp_template_put(&out, &page, asset, NULL);
    return ttp_sink_text(&out);
}

static bool make_token(char *out)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    return true;
}

static ttp_code load_http(struct http *out, struct ttp_err *err)
{
    static const struct ttp_library_entry functions[] = {
#define ENTRY(name) {"MHD_" #name, offsetof(struct http, name)},
        HTTP_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    return ttp_shared_library_load(out, "libmicrohttpd.so.12",
                                   (struct ttp_library_entries){functions, TTP_COUNT(functions)},
                                   "install libmicrohttpd12, or write a file with -o", err);
}

static bool listen_on(struct ttp_server *s, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->daemon = s->http.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_OF_QUIET, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
    if (!s->daemon)
        return false;
    const union MHD_DaemonInfo *info =
        s->http.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    s->port = info ? info->port : port;
    return true;
}

static ttp_code start(struct ttp_server *s, struct ttp_err *err)
{
    struct stat st;
    char url[96];

    TTP_TRY(load_http(&s->http, err));
    if (fstat(s->options.fd, &st) != 0)
        return ttp_fail_errno(err, "cannot read the trace");
    s->size = (uint64_t)st.st_size;
    if (!make_token(s->token))
        return ttp_fail_errno(err, "cannot generate a token");
    s->page = make_page(s, "open.html");
    s->timeline = s->options.json ? (ttp_str){0} : make_page(s, "timeline.html");
    const uint16_t wanted = s->options.port         ? s->options.port
                            : s->options.open_paths ? 0
                                                    : TTP_PERFETTO_PORT;
    errno = 0;
    if (!listen_on(s, wanted) && (s->options.port || !listen_on(s, 0))) {
        ttp_fail_errno(err, "cannot listen on 127.0.0.1:%u", wanted);
        ttp_err_hint(err, "choose another port with --port, or omit --port");
        return TTP_EIO;
    }
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/%s%s", s->port,
             s->options.open_paths ? "" : s->token, s->options.open_paths ? "" : "/");
    s->url = ttp_arena_zstr(&s->arena, ttp_str_from(url));
    return TTP_OK;
}

ttp_code ttp_server_open(struct ttp_server **out, const struct ttp_serve_options *options,
                         struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_server *s = TTP_NEW(&arena, struct ttp_server, 1);

    s->arena = arena;
    s->options = *options;
    const ttp_code rc = start(s, err);
    if (rc == TTP_OK) {
        *out = s;
    } else {
        *out = NULL;
        ttp_server_close(s);
    }
    return rc;
}

const char *ttp_server_url(const struct ttp_server *s)
{
    return s->url;
}

uint16_t ttp_server_port(const struct ttp_server *s)
{
    return s->port;
}

void ttp_server_close(struct ttp_server *s)
{
    if (!s)
        return;
    if (s->daemon)
        s->http.stop_daemon(s->daemon);
    struct ttp_arena arena = s->arena; /* s itself lives in it */
    ttp_arena_free(&arena);
}

#else

ttp_code ttp_server_open(struct ttp_server **out, const struct ttp_serve_options *options,
                         struct ttp_err *err)
{
    (void)options;
    *out = NULL;
    return ttp_fail_unbuilt(err, "HTTP server", "libmicrohttpd-dev", "write a file with -o");
}

const char *ttp_server_url(const struct ttp_server *s)
{
    (void)s;
    return "";
}

uint16_t ttp_server_port(const struct ttp_server *s)
{
    (void)s;
    return 0;
}

void ttp_server_close(struct ttp_server *s)
{
    (void)s;
}
#endif

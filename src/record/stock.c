/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stock.h"

#include <poll.h>
#include <unistd.h>

#include "base/clock.h"

enum { TICK_MS = 50 };
#define SAVING_NS UINT64_C(60000000000)

static const char *tracy_path(const struct ttp_session *one, struct ttp_arena *arena)
{
    const ttp_str path = ttp_str_from(one->path), end = TTP_STR(".ttcap");
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_str_slice(path, 0, path.len - end.len));
    ttp_sink_put(&out, TTP_STR(".tracy"));
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

void ttp_record_stock_start(const struct ttp_sessions *s, struct ttp_session *one,
                            struct ttp_command *c)
{
    struct ttp_err why = {0};
    pid_t pid;

    if (!s->options->stock_capture)
        return;
    if (c->nhelpers == TTP_MAX_HELPERS) {
        one->client.no_tracy_file = "there are too many capture tools already";
        return;
    }
    one->tracy = tracy_path(one, s->arena);
    if (ttp_record_proxy_open(&one->proxy, &pid, s->options->stock_capture, one->tracy, &why) !=
        TTP_OK) {
        one->client.no_tracy_file = ttp_arena_zstr(s->arena, ttp_str_from(why.text));
        return;
    }
    one->tool = &c->helper[c->nhelpers++];
    *one->tool = (struct ttp_helper){.pid = pid};
}

static void give_up(struct ttp_session *one, const char *why)
{
    one->client.no_tracy_file = why;
    ttp_record_proxy_close(one->proxy);
    one->proxy = NULL;
    if (!one->tool->ended)
        (void)kill(one->tool->pid, SIGTERM);
    ttp_receiver_connect(one->receiver, one->port);
}

void ttp_record_stock_mind(const struct ttp_sessions *s, struct ttp_command *c)
{
    (void)c;
    for (size_t i = 0; i < s->count; i++) {
        struct ttp_session *one = s->item[i];

        if (!one->proxy)
            continue;
        if (ttp_record_proxy_was_refused(one->proxy))
            give_up(one, "the program and the capture tool use different versions of Tracy's "
                         "protocol");
        else if (one->tool->ended && !ttp_record_proxy_is_joined(one->proxy))
            give_up(one, "the capture tool ended before it could connect");
    }
}

static bool is_saving(const struct ttp_sessions *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ttp_session *one = s->item[i];

        if (one->tool && !one->tool->ended && !one->dropped && !one->client.no_tracy_file)
            return true;
    }
    return false;
}

void ttp_record_stock_await(const struct ttp_sessions *s, struct ttp_command *c,
                            struct ttp_arena *scratch)
{
    const uint64_t start = ttp_clock_ns();

    while (is_saving(s) && ttp_clock_ns() - start < SAVING_NS && c->stops < 2) {
        struct pollfd fd = {c->signals, POLLIN, 0};

        (void)poll(&fd, 1, TICK_MS);
        ttp_record_command_handle_signals(c, scratch);
    }
    for (size_t i = 0; i < s->count; i++) {
        struct ttp_session *one = s->item[i];

        if (!one->tool)
            continue;
        if (!one->tool->ended) { /* one that never had a client, or does not end */
            (void)kill(one->tool->pid, SIGKILL);
            if (!one->client.no_tracy_file)
                one->client.no_tracy_file = "the capture tool did not end";
        }
        if (one->dropped || one->client.no_tracy_file)
            (void)unlink(one->tracy); /* not whole, if it is there at all */
        else if (access(one->tracy, R_OK) < 0)
            one->client.no_tracy_file = "the capture tool wrote no file";
        else
            one->client.tracy_file = one->tracy;
    }
}

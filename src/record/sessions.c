/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sessions.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

bool ttp_session_has_client(const struct ttp_session *one)
{
    return one->stats.pid || one->stats.wire_bytes > 0;
}

bool ttp_session_is_over(const struct ttp_session *one)
{
    return !one->receiver || one->stats.state == TTP_RECEIVER_DONE;
}

struct ttp_session *ttp_sessions_on(const struct ttp_sessions *s, uint16_t port)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->item[i]->port == port && !ttp_session_is_over(s->item[i]))
            return s->item[i];
    return NULL;
}

struct ttp_session *ttp_sessions_of(const struct ttp_sessions *s, pid_t pid)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->item[i]->met && s->item[i]->pid == pid)
            return s->item[i];
    return NULL;
}

static bool is_on(const char *value)
{
    return value && value[0] == '1';
}

/* Who the client says it is; in a container that is nobody of the command, but who listens on the
 * port may be. */
static pid_t find_pid(const struct ttp_session *one)
{
    const pid_t said = (pid_t)one->stats.pid;
    struct ttp_arena scratch = {0};
    struct ttp_family family;
    pid_t holder = 0;

    ttp_procs_family(&family, getpid(), &scratch);
    if (!ttp_family_has(&family, said))
        holder = ttp_family_listener(&family, one->port);
    ttp_arena_free(&scratch);
    return holder && holder != getpid() ? holder : said;
}

/* What its environment says, as long as it is there to be asked. */
static void read_environment(struct ttp_session *one, struct ttp_arena *arena)
{
    struct ttp_record_client *c = &one->client;

    c->artifacts = ttp_procs_variable(one->pid, "TT_METAL_PROFILER_DIR", arena);
    if (!c->artifacts)
        return; /* another's process, or gone: nothing can be said */
    c->no_op_profiler = !is_on(ttp_procs_variable(one->pid, "TTNN_OP_PROFILER", arena));
    c->no_device_profiler = !is_on(ttp_procs_variable(one->pid, "TT_METAL_DEVICE_PROFILER", arena));
}

/* One that was found by its port has said by now who it is, and may be gone at once. */
static void meet(struct ttp_session *one, struct ttp_arena *arena)
{
    one->met = true;
    if (one->pid)
        return;
    one->pid = (pid_t)one->stats.pid;
    read_environment(one, arena);
    if (one->client.artifacts)
        return;
    one->pid = find_pid(one);
    read_environment(one, arena);
}

bool ttp_sessions_open(struct ttp_sessions *s, uint16_t port, unsigned protocol, pid_t pid,
                       struct ttp_err *err)
{
    struct ttp_receiver_options options = s->options->receiver;
    struct ttp_sink path;

    if (s->count == TTP_MAX_SESSIONS) {
        ttp_fail(err, TTP_ELIMIT, "more than %d clients in one run", TTP_MAX_SESSIONS);
        return false;
    }
    struct ttp_session *one = TTP_NEW(s->arena, struct ttp_session, 1);
    ttp_sink_to_arena(&path, s->arena);
    ttp_sink_printf(&path, "%s/capture_%llu.ttcap", s->options->logs,
                    (unsigned long long)s->files + 1);
    one->path = ttp_arena_zstr(s->arena, ttp_sink_text(&path));
    one->port = port;
    one->moved_ns = ttp_clock_ns();
    options.protocol = protocol;
    if (ttp_receiver_open(&one->receiver, one->path, &options, err) != TTP_OK)
        return false;
    if (pid) { /* it waits for us, so it is there */
        one->pid = pid;
        read_environment(one, s->arena);
    }
    s->files++;
    s->item[s->count++] = one;
    return true;
}

void ttp_sessions_step(struct ttp_sessions *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct ttp_session *one = s->item[i];

        if (!one->receiver)
            continue;
        if (one->proxy)
            ttp_proxy_step(one->proxy, one->receiver, one->port);
        else
            ttp_receiver_step(one->receiver);
        ttp_receiver_get_stats(&one->stats, one->receiver);
        if (!one->met && one->stats.pid)
            meet(one, s->arena);
        if (one->stats.wire_bytes != one->seen_bytes) {
            one->seen_bytes = one->stats.wire_bytes;
            one->moved_ns = ttp_clock_ns();
        }
    }
}

void ttp_sessions_close(struct ttp_sessions *s, struct ttp_session *one)
{
    struct ttp_err why = {0};

    if (!one->receiver)
        return;
    ttp_proxy_close(one->proxy);
    one->proxy = NULL;
    ttp_receiver_get_stats(&one->stats, one->receiver);
    if (ttp_receiver_close(one->receiver, &why) != TTP_OK && ttp_session_has_client(one))
        one->client.disk_error = ttp_arena_zstr(s->arena, ttp_str_from(why.text));
    one->receiver = NULL;
    if (ttp_session_has_client(one))
        return;
    one->dropped = true;
    (void)unlink(one->path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One run: a single thread that waits for the command, for clients and for signals that ask us to
 * stop. Nothing in it blocks but the wait itself. */
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/status_row.h"
#include "record/hearing.h"
#include "record/stock.h"

#define MS               UINT64_C(1000000)
#define TICK_MS          50
#define SCAN_NS          (1000 * MS) /* looking for clients that are not announced */
#define SCAN_DEAF_NS     (200 * MS)  /* the same where announcements cannot be heard */
#define LOOK_NS          (500 * MS)  /* at what processes there are */
#define AGAIN_NS         (300 * MS)  /* before a port is tried again */
#define GRACE_NS         (1500 * MS) /* for clients that outlive the command */
#define SILENCE_NS       (1500 * MS) /* then nothing more is expected */
#define MAX_WATCHED_PIDS 512

struct run {
    const struct ttp_record_options *options;
    struct ttp_record_result *out;
    struct ttp_arena *arena;
    struct ttp_arena scratch;
    struct ttp_command command;
    struct ttp_sessions sessions;
    struct ttp_port port;
    struct ttp_hearing hearing;
    struct ttp_status_row row;
    uint64_t start_ns, scanned_ns, looked_ns, again_ns;
    pid_t stranger[MAX_WATCHED_PIDS]; /* had Tracy's thread and, when seen, no session */
    size_t nstrangers;
    uint64_t handled[64]; /* inodes, the latest */
    size_t nhandled;
    struct {
        uint64_t ns, items;
        double rate;
    } speed;
};

/* --- finding clients --- */

static void begin_session(struct run *r, struct ttp_session *one)
{
    ttp_record_stock_start(&r->sessions, one, &r->command);
    if (!one->proxy)
        ttp_receiver_connect(one->receiver, one->port);
}

static void watch_port(struct run *r, uint16_t port, unsigned protocol, pid_t pid)
{
    struct ttp_err why = {0};

    if (!ttp_record_sessions_open(&r->sessions, port, protocol, pid, &why)) {
        r->again_ns = ttp_clock_ns() + AGAIN_NS;
        return;
    }
    begin_session(r, r->sessions.item[r->sessions.count - 1]);
}

/* Sockets that have been looked at: each is a client once, or never. */
static bool was_handled(struct run *r, const struct ttp_listener *l)
{
    for (size_t i = 0; i < r->nhandled && i < TTP_COUNT(r->handled); i++)
        if (r->handled[i] == l->inode)
            return true;
    return false;
}

static void set_handled(struct run *r, const struct ttp_listener *l)
{
    r->handled[r->nhandled++ % TTP_COUNT(r->handled)] = l->inode;
}

/* Where every process takes its own port, those of the command are asked; where one was given, only
 * what certainly is a client: the rest may be servers of the command's own. */
static void look_at_listener(struct run *r, const struct ttp_listener *l, struct ttp_family *family)
{
    const pid_t pid = ttp_record_family_holder(family, l);

    if (!pid && family->partial)
        return; /* unknown; the next check may show it */
    if (pid && pid != getpid() && r->options->port.number &&
        !(ttp_procs_marks(pid) & TTP_PROCS_TRACY_RUNS))
        return; /* not yet, at least */
    set_handled(r, l);
    if (pid && pid != getpid() && !ttp_record_sessions_on(&r->sessions, l->port) &&
        !ttp_record_sessions_of(&r->sessions, pid))
        watch_port(r, l->port, 0, pid);
}

/* One that announced its port. Saying so proves nothing: the socket there must be one of the
 * command's processes. */
static void look_at_heard(struct run *r, const struct ttp_listener *l, struct ttp_family *family)
{
    const pid_t pid = ttp_record_family_holder(family, l);
    unsigned protocol = 0;

    if (!pid && family->partial)
        return;
    set_handled(r, l);
    for (size_t i = 0; i < r->hearing.nheard; i++)
        if (r->hearing.heard[i].port == l->port)
            protocol = r->hearing.heard[i].protocol;
    if (pid && pid != getpid()) {
        watch_port(r, l->port, protocol, pid);
    } else if (!pid) {
        r->out->stranger_port = l->port;
        r->out->stranger_uid = l->uid;
    }
}

static void look_into_heard(struct run *r, uint64_t now)
{
    struct ttp_listener l[2 * TTP_HEARD_MAX];
    struct ttp_family family = {0};
    uint16_t port[TTP_HEARD_MAX];

    if (!ttp_record_hearing_is_due(&r->hearing, now))
        return;
    const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
    for (size_t i = 0; i < r->hearing.nheard; i++)
        port[i] = r->hearing.heard[i].port;
    const size_t n = ttp_record_procs_listeners_on(l, TTP_COUNT(l), port, r->hearing.nheard);
    for (size_t i = 0; i < n; i++) {
        if (was_handled(r, &l[i]) || ttp_record_sessions_on(&r->sessions, l[i].port))
            continue;
        if (!family.count)
            ttp_record_procs_family(&family, getpid(), &r->scratch);
        look_at_heard(r, &l[i], &family);
    }
    ttp_arena_rewind(&r->scratch, mark);
    ttp_record_hearing_done(&r->hearing, now, ttp_clock_ns());
}

/* The ports that clients take by themselves; announcements do not cross every network. */
static void scan_ports(struct run *r, uint64_t now)
{
    struct ttp_listener l[2 * (TTP_PORT_LAST - TTP_PORT_FIRST + 1)];
    struct ttp_family family = {0};

    if (now - r->scanned_ns < (r->hearing.fd >= 0 ? SCAN_NS : SCAN_DEAF_NS))
        return;
    r->scanned_ns = now;
    const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
    const size_t n = ttp_record_procs_listeners(l, TTP_COUNT(l), TTP_PORT_FIRST, TTP_PORT_LAST);
    for (size_t i = 0; i < n; i++) {
        if (was_handled(r, &l[i]))
            continue;
        if (!family.count)
            ttp_record_procs_family(&family, getpid(), &r->scratch);
        look_at_listener(r, &l[i], &family);
    }
    ttp_arena_rewind(&r->scratch, mark);
}

/* Clients that come one after the other to the same port. */
static void keep_watching(struct run *r, uint64_t now)
{
    const uint16_t port = r->options->port.number;

    if (!port || now < r->again_ns || ttp_record_sessions_on(&r->sessions, port))
        return;
    watch_port(r, port, 0, 0);
    r->again_ns = now + AGAIN_NS;
}

/* --- looking around --- */

static void note_stranger(struct run *r, pid_t pid)
{
    for (size_t i = 0; i < r->nstrangers; i++)
        if (r->stranger[i] == pid)
            return;
    if (r->nstrangers < MAX_WATCHED_PIDS)
        r->stranger[r->nstrangers++] = pid;
}

/* Tracy's thread ran in them, and they never had a session although they would have waited for one:
 * their port was taken. */
static void count_deaf(struct run *r)
{
    for (size_t i = 0; i < r->nstrangers; i++)
        if (!ttp_record_sessions_of(&r->sessions, r->stranger[i])) {
            r->out->deaf++;
            r->out->deaf_pid = (uint64_t)r->stranger[i];
        }
}

/* Something gave it another port than we did: it is found there. */
static void check_port_of(struct run *r, pid_t pid, unsigned marks)
{
    const char *text = ttp_record_procs_variable(pid, "TRACY_PORT", &r->scratch);
    struct ttp_family alone = {.pid = &pid, .count = 1};
    uint64_t number = 0;

    if (text && (!ttp_str_to_u64(ttp_str_from(text), &number) || number > UINT16_MAX))
        number = 0; /* then it looks for one itself */
    if (number == r->options->port.number)
        return;
    r->out->port_changed |= r->options->port.number != 0;
    if (number && marks & TTP_PROCS_TRACY_RUNS && !ttp_record_sessions_of(&r->sessions, pid) &&
        !ttp_record_sessions_on(&r->sessions, (uint16_t)number) &&
        ttp_record_family_listener(&alone, (uint16_t)number) == pid)
        watch_port(r, (uint16_t)number, 0, pid);
}

static void look_at(struct run *r, pid_t pid)
{
    const unsigned marks = ttp_procs_marks(pid);

    r->out->saw_tt_metal |= (marks & TTP_PROCS_TT_METAL) != 0;
    r->out->saw_tracy |= (marks & TTP_PROCS_TRACY) != 0;
    if (marks & TTP_PROCS_TRACY && !ttp_record_procs_same_network(pid))
        r->out->apart_pid = (uint64_t)pid;
    else if (marks & TTP_PROCS_TRACY_RUNS && !ttp_record_sessions_of(&r->sessions, pid))
        note_stranger(r, pid);
    if (marks & TTP_PROCS_TRACY)
        check_port_of(r, pid, marks);
}

static void look_around(struct run *r, uint64_t now)
{
    if (now - r->looked_ns < LOOK_NS)
        return;
    r->looked_ns = now;
    const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
    struct ttp_family family;

    ttp_record_procs_family(&family, getpid(), &r->scratch);
    for (size_t i = 1; i < family.count; i++)
        if (!ttp_record_command_is_helper(&r->command, family.pid[i]))
            look_at(r, family.pid[i]);
    ttp_arena_rewind(&r->scratch, mark);
}

/* --- the row --- */

static void draw_row(struct run *r, uint64_t now)
{
    const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
    uint64_t items = 0, zones = 0, ops = 0, bytes = 0, clients = 0, seconds;
    int64_t lag = 0;
    struct ttp_sink text;

    for (size_t i = 0; i < r->sessions.count; i++) {
        const struct ttp_receiver_stats *s = &r->sessions.item[i]->stats;

        items += s->items;
        zones += s->zones;
        ops += s->ops;
        bytes += s->wire_bytes;
        clients += ttp_record_session_has_client(r->sessions.item[i]);
        lag = s->state == TTP_RECEIVER_RECEIVING && s->lag_ns > lag ? s->lag_ns : lag;
    }
    if (now - r->speed.ns >= 1000 * MS) {
        r->speed.rate = (double)(items - r->speed.items) / ((double)(now - r->speed.ns) / 1e9);
        r->speed.ns = now;
        r->speed.items = items;
    }
    seconds = (now - r->start_ns) / (1000 * MS);
    ttp_sink_to_arena(&text, &r->scratch);
    ttp_sink_printf(&text, "tt-perf: %s %llu:%02llu  ",
                    r->command.stops ? "stopping (again: kill)" : "recording",
                    (unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
    if (!clients) {
        ttp_sink_put(&text, TTP_STR("no client yet"));
    } else {
        ttp_sink_fixed(&text, r->speed.rate, 0, true);
        ttp_sink_printf(&text, " events/s  %llu zones  %llu ops  ", (unsigned long long)zones,
                        (unsigned long long)ops);
        ttp_put_bytes(&text, (double)bytes);
        ttp_sink_put(&text, TTP_STR("  backlog "));
        ttp_sink_fixed(&text, (double)lag / 1e9, 1, false);
        ttp_sink_put(&text, TTP_STR(" s"));
        if (clients > 1)
            ttp_sink_printf(&text, "  %llu clients", (unsigned long long)clients);
    }
    ttp_status_row_draw(&r->row, ttp_sink_text(&text));
    ttp_arena_rewind(&r->scratch, mark);
}

/* --- the loop --- */

/* One turn: wait for anything, then let everybody work. */
static void turn(struct run *r)
{
    struct pollfd fd[2 + TTP_MAX_SESSIONS * TTP_PROXY_FDS];
    nfds_t n = 0;
    int wait_ms;

    fd[n++] = (struct pollfd){r->command.signals, POLLIN, 0};
    wait_ms = ttp_record_hearing_wants(&r->hearing, &fd[n++], ttp_clock_ns(), TICK_MS);
    for (size_t i = 0; i < r->sessions.count; i++) {
        const struct ttp_session *one = r->sessions.item[i];

        if (!one->receiver)
            continue;
        if (one->proxy) {
            ttp_record_proxy_wants(one->proxy, &fd[n]);
            n += TTP_PROXY_FDS;
            wait_ms = wait_ms < 10 ? wait_ms : 10;
            continue;
        }
        const int ms = ttp_receiver_wants(one->receiver, &fd[n++]);
        wait_ms = ms >= 0 && ms < wait_ms ? ms : wait_ms;
    }
    (void)poll(fd, n, wait_ms);
    ttp_record_command_handle_signals(&r->command, &r->scratch);
    ttp_record_hearing_take(&r->hearing, ttp_clock_ns());
    look_into_heard(r, ttp_clock_ns());
    ttp_record_sessions_step(&r->sessions);
    ttp_record_stock_mind(&r->sessions, &r->command);
}

static void note_foreign(struct ttp_record_result *out, const struct ttp_session *one)
{
    out->port_foreign = one->port;
    out->foreign_is_tracy = one->stats.end == TTP_END_REFUSED;
    out->foreign_pid = (uint64_t)ttp_record_procs_port_owner(one->port, out->foreign_name,
                                                             sizeof(out->foreign_name));
}

/* Sessions that are over keep no descriptors; one that met another program reports it. */
static void close_finished(struct run *r)
{
    for (size_t i = 0; i < r->sessions.count; i++) {
        struct ttp_session *one = r->sessions.item[i];

        if (!one->receiver || !ttp_record_session_is_over(one))
            continue;
        if (one->stats.end == TTP_END_NOT_TRACY ||
            (one->stats.end == TTP_END_REFUSED && !ttp_record_session_has_client(one)))
            note_foreign(r->out, one);
        if (one->foreign) {
            r->out->stranger_port = one->port;
            r->out->stranger_uid = one->client.foreign_uid;
        }
        ttp_record_sessions_close(&r->sessions, one);
    }
}

static void run_command(struct run *r)
{
    while (!r->command.ended) {
        const uint64_t now = ttp_clock_ns();

        keep_watching(r, now);
        scan_ports(r, now);
        look_around(r, now);
        turn(r);
        close_finished(r);
        if (r->options->tick)
            r->options->tick(r->options->tick_arg);
        if (ttp_status_row_is_due(&r->row))
            draw_row(r, now);
    }
}

/* Are processes of the command still running? */
static bool is_family_gone(struct run *r)
{
    const struct ttp_mark mark = ttp_arena_mark(&r->scratch);
    struct ttp_family family;

    ttp_record_procs_family(&family, getpid(), &r->scratch);
    bool gone = true;
    for (size_t i = 1; i < family.count && gone; i++)
        gone = ttp_record_command_is_helper(&r->command, family.pid[i]);
    ttp_arena_rewind(&r->scratch, mark);
    return gone;
}

/* After the command: data in transit, or daemons that still send. Those get a moment,
 * then they are asked to end the session; then it is enough. */
static bool is_settled(struct run *r, uint64_t ended_ns)
{
    const uint64_t now = ttp_clock_ns();
    const bool alone = now - ended_ns > AGAIN_NS || is_family_gone(r);
    bool settled = true;

    for (size_t i = 0; i < r->sessions.count; i++) {
        struct ttp_session *one = r->sessions.item[i];

        if (!one->receiver || ttp_record_session_is_over(one))
            continue;
        /* what a client sent before it was killed may wait in a connection that is made */
        const bool connected =
            one->proxy ? ttp_record_proxy_is_joined(one->proxy) : one->stats.local_port != 0;
        if (!ttp_record_session_has_client(one) && !connected && alone) {
            ttp_record_sessions_close(&r->sessions, one);
            continue;
        }
        if (!one->stopped_ns && (now - ended_ns > GRACE_NS || r->command.killed)) {
            one->stopped_ns = now;
            ttp_receiver_stop(one->receiver);
        }
        if (one->stopped_ns && now - one->moved_ns > SILENCE_NS &&
            now - one->stopped_ns > SILENCE_NS) {
            ttp_record_sessions_close(&r->sessions, one);
            continue;
        }
        settled = false;
    }
    return settled;
}

static void settle(struct run *r)
{
    const uint64_t ended_ns = ttp_clock_ns();

    while (!is_settled(r, ended_ns) && r->command.stops < 3) {
        turn(r);
        close_finished(r);
    }
    for (size_t i = 0; i < r->sessions.count; i++)
        ttp_record_sessions_close(&r->sessions, r->sessions.item[i]);
    ttp_record_stock_await(&r->sessions, &r->command, &r->scratch);
}

static void list_clients(struct run *r)
{
    struct ttp_record_result *out = r->out;

    out->client = TTP_NEW(r->arena, struct ttp_record_client, r->sessions.count + 1);
    for (size_t i = 0; i < r->sessions.count; i++) {
        struct ttp_session *one = r->sessions.item[i];

        if (one->dropped)
            continue;
        one->client.stats = one->stats;
        /* as it calls itself, perhaps in a container, where nothing better is known */
        one->client.pid = one->pid ? (uint64_t)one->pid : one->stats.pid;
        one->client.capture = one->path;
        out->client[out->nclients++] = one->client;
    }
}

ttp_code ttp_record_run(struct ttp_record_result *out, const struct ttp_record_options *options,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    struct run *r = TTP_NEW(arena, struct run, 1);

    *out = (struct ttp_record_result){0};
    r->options = options;
    r->out = out;
    r->arena = arena;
    r->sessions = (struct ttp_sessions){.options = options, .arena = arena};
    r->port = options->port;
    r->start_ns = r->speed.ns = ttp_clock_ns();
    ttp_record_hearing_open(&r->hearing);
    if (options->port.number &&
        !ttp_record_sessions_open(&r->sessions, options->port.number, 0, 0, err)) {
        ttp_record_hearing_close(&r->hearing);
        return TTP_EIO;
    }
    ttp_code rc = ttp_record_command_start(
        &r->command, &out->unstarted,
        (struct ttp_command_line){options->command, options->environment}, arena, err);
    if (rc == TTP_OK) {
        ttp_status_row_init(&r->row, options->live);
        if (r->sessions.count)
            begin_session(r, r->sessions.item[0]);
        run_command(r);
        settle(r);
        ttp_status_row_clear(&r->row);
        list_clients(r);
        count_deaf(r);
        ttp_record_command_close(&r->command);
        out->status = r->command.status;
        out->interrupted = r->command.first_stop;
        out->killed = r->command.killed;
    } else {
        for (size_t i = 0; i < r->sessions.count; i++)
            ttp_record_sessions_close(&r->sessions, r->sessions.item[i]);
    }
    out->elapsed_ns = ttp_clock_ns() - r->start_ns;
    ttp_record_hearing_close(&r->hearing);
    ttp_arena_free(&r->scratch);
    return rc;
}

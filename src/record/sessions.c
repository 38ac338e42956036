/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sessions.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

/* Signals and other clients wait no longer than that. */
#define STEP_NS UINT64_C(100000000)

bool ttp_record_session_has_client(const struct ttp_session *one)
{
    return one->stats.pid || one->stats.wire_bytes > 0;
}

/* Can it be looked at? */
static bool is_there(const struct ttp_session *one)
{
    return one->stats.accepted || ttp_record_session_has_client(one);
}

bool ttp_record_session_is_over(const struct ttp_session *one)
{
    return !one->receiver || one->foreign || one->stats.state == TTP_RECEIVER_DONE;
}

struct ttp_session *ttp_record_sessions_on(const struct ttp_sessions *s, uint16_t port)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->item[i]->port == port && !ttp_record_session_is_over(s->item[i]))
            return s->item[i];
    return NULL;
}

struct ttp_session *ttp_record_sessions_of(const struct ttp_sessions *s, pid_t pid)
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

/* Where it puts its logs is ours as long as we run: another recording must not put its own there.
 */
static void hold_artifacts(struct ttp_record_client *c, struct ttp_holds *holds,
                           struct ttp_arena *arena)
{
    if (!holds || !ttp_file_is_dir(c->artifacts))
        return;
    c->artifacts_taken =
        ttp_record_holds_add(holds, (struct ttp_held_name){c->artifacts, TTP_FOLDER_LOCK},
                             &c->artifacts_holder, arena, NULL) == TTP_ENOTFOUND;
}

/* When a process started, in ticks since boot; 0: it has ended and its parent knows, or it is
 * another's. One that only its parent has not waited for yet may overlap with what its parent
 * started meanwhile. */
static uint64_t start_of(pid_t pid)
{
    char path[64], line[1024];
    ttp_str field[24];
    uint64_t ticks = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *f = pid > 0 ? fopen(path, "re") : NULL;
    if (!f)
        return 0;
    const char *name_end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    (void)fclose(f);
    /* after the name: state is field 0, the start field 19 */
    if (!name_end || name_end[1] != ' ' ||
        ttp_str_split(ttp_str_from(name_end + 2), ' ', field, TTP_COUNT(field)) < 20 ||
        !ttp_str_to_u64(field[19], &ticks))
        return 0;
    return ticks;
}

/* What its environment says, as long as it is there to be asked. */
static void read_environment(struct ttp_session *one, struct ttp_holds *holds,
                             struct ttp_arena *arena)
{
    struct ttp_record_client *c = &one->client;

    one->born = start_of(one->pid);
    one->ended = one->born == 0;
    c->artifacts = ttp_record_procs_variable(one->pid, "TT_METAL_PROFILER_DIR", arena);
    if (!c->artifacts)
        return; /* another user's process, or ended: unknown */
    hold_artifacts(c, holds, arena);
    c->no_op_profiler = !is_on(ttp_record_procs_variable(one->pid, "TTNN_OP_PROFILER", arena));
    c->no_device_profiler =
        !is_on(ttp_record_procs_variable(one->pid, "TT_METAL_DEVICE_PROFILER", arena));
}

/* Who is at the other end of the connection: whose socket that is, not what the client says of
 * itself. *found: there is such a socket, and somebody has it. 0: none of the command; with
 * *partial it is unknown. */
static pid_t find_peer(struct ttp_listener *peer, bool *found, bool *partial,
                       const struct ttp_session *one)
{
    const uint16_t local =
        one->proxy ? ttp_record_proxy_local_port(one->proxy) : one->stats.local_port;
    struct ttp_arena scratch = {0};
    struct ttp_family family;
    struct ttp_listener again;

    *partial = false;
    *found = local && ttp_record_procs_far_end(peer, one->port, local) && peer->inode;
    if (!*found)
        return 0;
    ttp_record_procs_family(&family, getpid(), &scratch);
    const pid_t pid = ttp_record_family_holder(&family, peer);
    *partial = family.partial;
    ttp_arena_free(&scratch);
    /* killed meanwhile: then no process has it any more */
    if (!pid)
        *found = ttp_record_procs_far_end(&again, one->port, local) && again.inode == peer->inode;
    return pid;
}

static const char *const device_logs[] = {"profile_log_device.csv", "cpp_device_perf_report.csv",
                                          "zone_src_locations.log", "sync_device_info.csv"};

/* The further names of device logs that are not its own alone. */
static void drop_kept(struct ttp_session *one, struct ttp_arena *arena)
{
    for (size_t i = 0; one->client.kept && i < TTP_COUNT(device_logs); i++)
        (void)unlink(ttp_file_join(one->client.kept, device_logs[i], arena));
    if (one->client.kept)
        (void)rmdir(one->client.kept);
    one->client.kept = NULL;
}

/* A client that follows in the same folder removes the device logs and writes its own: a further
 * name keeps them. */
static void keep_device_logs(struct ttp_sessions *s, struct ttp_session *one)
{
    const char *from = one->client.artifacts
                           ? ttp_file_join(one->client.artifacts, ".logs", s->arena)
                           : s->options->logs;
    char folder[64];

    if (one->kept || one->beside || !ttp_file_is_same(from, s->options->logs))
        return;
    one->kept = true;
    snprintf(folder, sizeof(folder), TTP_KEPT_LOGS "%d", (int)one->pid);
    const char *kept = ttp_file_join(from, folder, s->arena);
    if (ttp_file_make_dirs(kept, NULL) != TTP_OK)
        return;
    for (size_t i = 0; i < TTP_COUNT(device_logs); i++) {
        const int linked = link(ttp_file_join(from, device_logs[i], s->arena),
                                ttp_file_join(kept, device_logs[i], s->arena));
        (void)linked; /* one that it did not write */
    }
    one->client.kept = kept;
}

static uint64_t boot_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Did `one` exist when `other` was seen to run? Starts are known to a tick. */
static bool overlapped(const struct ttp_session *one, const struct ttp_session *other)
{
    const uint64_t tick_ns = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);

    return one->born && (one->born + 1) * tick_ns <= other->seen_ns;
}

/* Notes that its process still runs: a client that is met later may have started before it ended.
 */
static void see(struct ttp_session *one)
{
    const uint64_t now = boot_ns();

    if (!one->met || one->foreign || one->ended || now - one->looked_ns < STEP_NS)
        return;
    one->looked_ns = now;
    if (start_of(one->pid) == one->born)
        one->seen_ns = now;
    else
        one->ended = true;
}

/* Which clients run next to the one that has come? Whose the device logs are cannot be reported
 * then, of neither. What is unknown counts as next to. Those that have ended left their logs
 * complete: they are kept before the new one removes them. */
static void note_neighbours(struct ttp_sessions *s, struct ttp_session *one)
{
    for (size_t i = 0; i < s->count; i++) {
        struct ttp_session *other = s->item[i];
        if (other == one || other->dropped || other->foreign || !is_there(other))
            continue; /* one that is there may have sent nothing yet */
        if (other->pid && start_of(other->pid) != other->born)
            other->ended = true;
        if (other->ended && !overlapped(one, other)) {
            keep_device_logs(s, other);
            continue;
        }
        one->beside = other->beside = true;
        drop_kept(other, s->arena);
    }
}

/* A client is connected, and has sent its first bytes. One that is found by its port must
 * be looked at now: it may be gone at once. Who it is must be known in the end (`last`). */
static void meet(struct ttp_sessions *s, struct ttp_session *one, bool last)
{
    struct ttp_holds *holds = s->options->holds;
    struct ttp_arena *arena = s->arena;
    struct ttp_record_client *c = &one->client;
    struct ttp_listener peer = {0};
    bool found, partial;
    const pid_t pid = find_peer(&peer, &found, &partial, one);

    if (!pid && found && partial && !last)
        return; /* asked again at the next step */
    one->met = true;
    if (pid || (!found && one->pid)) { /* ended meanwhile: it listened before */
        one->pid = pid ? pid : one->pid;
        one->looked_ns = one->seen_ns = boot_ns();
        read_environment(one, holds, arena);
        note_neighbours(s, one);
        return;
    }
    one->foreign = !one->given;
    c->foreign = true;
    c->foreign_uid = peer.uid;
    c->foreign_uid_known = found;
    one->pid = ttp_record_procs_socket_owner(&peer, c->foreign_name, sizeof(c->foreign_name));
    if (one->pid)
        read_environment(one, holds, arena);
}

/* The client seen on the port may have ended, and another recording may use the port now. */
static bool one_of_ours_listens(uint16_t port)
{
    struct ttp_arena scratch = {0};
    struct ttp_family family;

    ttp_record_procs_family(&family, getpid(), &scratch);
    const bool ours = ttp_record_family_listener(&family, port) != 0;
    ttp_arena_free(&scratch);
    return ours;
}

bool ttp_record_sessions_open(struct ttp_sessions *s, uint16_t port, unsigned protocol, pid_t pid,
                              struct ttp_err *err)
{
    struct ttp_receiver_options options = s->options->receiver;

    if (s->count == TTP_MAX_SESSIONS) {
        ttp_fail(err, TTP_ELIMIT, "more than %d clients in one run", TTP_MAX_SESSIONS);
        return false;
    }
    struct ttp_session *one = TTP_NEW(s->arena, struct ttp_session, 1);
    one->path = ttp_arena_zstr(s->arena,
                               ttp_sink_format(s->arena, "%s/capture_%llu.ttcap", s->options->logs,
                                               (unsigned long long)s->files + 1));
    one->port = port;
    one->given = s->options->port.given && port == s->options->port.number;
    one->moved_ns = ttp_clock_ns();
    options.protocol = protocol;
    options.may_connect = one->given ? NULL : one_of_ours_listens;
    if (ttp_receiver_open(&one->receiver, one->path, &options, err) != TTP_OK)
        return false;
    if (pid) { /* it waits for us, so it is there */
        one->pid = pid;
        read_environment(one, s->options->holds, s->arena);
    }
    s->files++;
    s->item[s->count++] = one;
    return true;
}

static void step(struct ttp_sessions *s, struct ttp_session *one)
{
    if (one->proxy)
        ttp_record_proxy_step(one->proxy, one->receiver, one->port);
    else
        ttp_receiver_step(one->receiver);
    ttp_receiver_get_stats(&one->stats, one->receiver);
    if (!one->met && is_there(one))
        meet(s, one, false);
    see(one);
    if (one->stats.wire_bytes != one->seen_bytes) {
        one->seen_bytes = one->stats.wire_bytes;
        one->moved_ns = ttp_clock_ns();
    }
}

void ttp_record_sessions_step(struct ttp_sessions *s)
{
    const uint64_t start = ttp_clock_ns();

    for (size_t i = 0; i < s->count && ttp_clock_ns() - start < STEP_NS; i++) {
        struct ttp_session *one = s->item[s->turn++ % s->count];

        if (one->receiver)
            step(s, one);
    }
}

void ttp_record_sessions_close(struct ttp_sessions *s, struct ttp_session *one)
{
    struct ttp_err why = {0};

    if (!one->receiver)
        return;
    ttp_receiver_get_stats(&one->stats, one->receiver);
    if (!one->met && is_there(one))
        meet(s, one, true);
    ttp_record_proxy_close(one->proxy);
    one->proxy = NULL;
    if (ttp_receiver_close(one->receiver, &why) != TTP_OK && ttp_record_session_has_client(one))
        one->client.disk_error = ttp_arena_zstr(s->arena, ttp_str_from(why.text));
    one->receiver = NULL;
    if (ttp_record_session_has_client(one) && !one->foreign) {
        keep_device_logs(s, one);
        return;
    }
    one->dropped = true;
    (void)unlink(one->path);
}

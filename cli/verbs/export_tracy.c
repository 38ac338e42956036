/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/export_tracy.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "record/record.h"
#include "verbs/recordings.h"

extern char **environ;

static const char *output_of(const struct ttp_export_tracy *export, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (export->output)
        return export->output;
    const char *slash = strrchr(export->recording, '/'), *dot = strrchr(export->recording, '.');
    const bool has_dot = dot && (!slash || dot > slash + 1) && dot != export->recording;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, (ttp_str){export->recording, has_dot ? (size_t)(dot - export->recording)
                                                            : strlen(export->recording)});
    ttp_sink_put(&out, TTP_STR(".tracy"));
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* It has, and can still be waited for. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Play until the server has all. `pid` is the capture program, 0: someone else's. */
static ttp_code play(struct ttp_replay *replay, pid_t pid, struct ttp_err *err)
{
    bool done = false;
    int state;

    while (!done) {
        struct pollfd p;
        const int timeout = ttp_capture_replay_wants(replay, &p);

        if (poll(&p, 1, timeout) < 0 && errno != EINTR)
            return ttp_fail_errno(err, "cannot wait for the capture program");
        TTP_TRY(ttp_capture_replay_step(replay, &done, err));
        if (pid && has_ended(pid))
            break;
    }
    if (!pid || waitpid(pid, &state, 0) != pid || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        return TTP_OK;
    ttp_fail(err, TTP_EIO, "the capture program failed");
    ttp_err_hint(err, "it must support protocol %u", ttp_capture_replay_protocol(replay));
    return TTP_EIO;
}

struct replayed {
    struct ttp_replay *replay;
    uint16_t port;
};

static ttp_code run_tool(const char *tool, struct replayed client, const char *output,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    posix_spawn_file_actions_t actions;
    char number[8], words[5][12] = {"-o", "-f", "-p", "-a", "127.0.0.1"};
    pid_t pid;

    snprintf(number, sizeof(number), "%u", client.port);
    char *path = ttp_arena_zstr(arena, ttp_str_from(tool)),
         *to = ttp_arena_zstr(arena, ttp_str_from(output));
    char *argv[] = {path, words[0], to, words[1], words[3], words[4], words[2], number, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    errno = posix_spawn(&pid, tool, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    const ttp_code rc = errno ? ttp_fail_errno(err, "cannot run '%s'", tool) : TTP_OK;
    return rc == TTP_OK ? play(client.replay, pid, err) : rc;
}

static ttp_code no_tool(int *status, unsigned protocol, struct ttp_err *err)
{
    *status = TTP_EXIT_ENVIRONMENT;
    ttp_fail(err, TTP_ENOTFOUND,
             "Tracy's capture program was not found on PATH or below TT_METAL_HOME");
    ttp_err_hint(err,
                 "give it with --capture-tool (it must support protocol %u), start it yourself and "
                 "use --port, or omit both: then tt-perf writes the file",
                 protocol);
    return TTP_ENOTFOUND;
}

void ttp_export_tell(const struct ttp_ctx *ctx, const char *recording,
                     const struct ttp_tracy_written *w)
{
    if (!w->whole && !w->trace.unknown)
        ttp_ctx_note(ctx,
                     "'%s' does not contain the raw stream: no device zones, plots, frames and "
                     "colours; record with --raw to keep them",
                     recording);
    ttp_ctx_note(ctx,
                 "Tracy %u.%u.%u: %" PRIu64 " zones, %" PRIu64 " messages, %" PRIu64
                 " zones of %" PRIu64 " devices, %" PRIu64 " points of plots, %" PRIu64
                 " frames, %" PRIu64 " allocations",
                 w->version[0], w->version[1], w->version[2], w->zones, w->messages,
                 w->device_zones, w->devices, w->points, w->frames, w->allocations);
    if (w->stacks || w->samples || w->lock_events || w->switches)
        ttp_ctx_warn(ctx,
                     "'%s': the .tracy file has no call stacks (%" PRIu64
                     " in the stream), samples "
                     "(%" PRIu64 "), lock events (%" PRIu64 ") and context switches (%" PRIu64
                     "); 'export tracy --capture-tool' lets Tracy's own program write them",
                     recording, w->stacks, w->samples, w->lock_events, w->switches);
    if (w->folded)
        ttp_ctx_warn(ctx,
                     "'%s': a .tracy file can name 65,534 source locations, not %zu: %" PRIu64
                     " zones keep their name, but not file and line",
                     recording, w->trace.nsources, w->folded);
    if (w->texts_dropped)
        ttp_ctx_warn(ctx,
                     "'%s': a .tracy file can name 16,777,214 texts of zones: %" PRIu64
                     " more are missing",
                     recording, w->texts_dropped);
    if (w->times_clamped)
        ttp_ctx_warn(ctx,
                     "'%s': a .tracy file can have times up to 39 hours: %" PRIu64
                     " later ones are cut to that",
                     recording, w->times_clamped);
}

static ttp_code write_ourselves(const struct ttp_ctx *ctx, const struct ttp_export_tracy *export,
                                const char *output, struct ttp_err *err)
{
    const struct ttp_tracy_writing what = {
        .recording = export->recording, .output = output, .form = export->form};
    struct ttp_tracy_written written;

    TTP_TRY(ttp_tracy_write(&written, &what, ctx->arena, err));
    ttp_recording_tell(ctx, export->recording, &written.trace);
    ttp_export_tell(ctx, export->recording, &written);
    ttp_sink_printf(ctx->out, "%s\n", output);
    return TTP_OK;
}

/* By a tool that is found and started here. */
static ttp_code write_by_tool(int *status, const struct ttp_ctx *ctx, const char *tool,
                              struct replayed client, const char *output, struct ttp_err *err)
{
    const unsigned protocol = ttp_capture_replay_protocol(client.replay);

    if (strcmp(tool, "auto") == 0)
        tool = ttp_record_find_stock(NULL, ctx->arena);
    if (!tool)
        return no_tool(status, protocol, err);
    TTP_TRY(run_tool(tool, client, output, ctx->arena, err));
    if (!ttp_file_exists(output)) {
        ttp_fail(err, TTP_EIO, "'%s' wrote no file", tool);
        ttp_err_hint(err, "it must support protocol %u", protocol);
        return TTP_EIO;
    }
    ttp_sink_printf(ctx->out, "%s\n", output);
    return TTP_OK;
}

ttp_code ttp_export_tracy(int *status, const struct ttp_ctx *ctx,
                          const struct ttp_export_tracy *export, struct ttp_err *err)
{
    const char *output = output_of(export, ctx->arena);
    uint16_t port = export->port;
    struct ttp_replay *replay;
    ttp_code rc;

    if (!export->port && !export->tool)
        return write_ourselves(ctx, export, output, err);
    TTP_TRY(ttp_capture_replay_open(&replay, export->recording, &port, err));
    if (export->port) {
        ttp_ctx_say(ctx, "waiting on port %u for a server with protocol %u", port,
                    ttp_capture_replay_protocol(replay));
        rc = play(replay, 0, err);
    } else {
        rc = write_by_tool(status, ctx, export->tool, (struct replayed){replay, port}, output, err);
    }
    ttp_capture_replay_close(replay);
    return rc;
}

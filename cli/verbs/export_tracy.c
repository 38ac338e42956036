/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/export_tracy.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture.h"
#include "record/record.h"

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
        const int timeout = ttp_replay_wants(replay, &p);

        if (poll(&p, 1, timeout) < 0 && errno != EINTR)
            return ttp_fail_errno(err, "cannot wait for the capture program");
        TTP_TRY(ttp_replay_step(replay, &done, err));
        if (pid && has_ended(pid))
            break;
    }
    if (!pid || waitpid(pid, &state, 0) != pid || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        return TTP_OK;
    ttp_fail(err, TTP_EIO, "the capture program failed");
    ttp_err_hint(err, "it must support protocol %u", ttp_replay_protocol(replay));
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
                 "give it with --capture-tool (it must support protocol %u), or start it "
                 "yourself and use --port",
                 protocol);
    return TTP_ENOTFOUND;
}

ttp_code ttp_export_tracy(int *status, const struct ttp_ctx *ctx,
                          const struct ttp_export_tracy *export, struct ttp_err *err)
{
    const char *output = output_of(export, ctx->arena);
    uint16_t port = export->port;
    struct ttp_replay *replay;
    ttp_code rc;

    TTP_TRY(ttp_replay_open(&replay, export->recording, &port, err));
    const char *tool = export->tool ? export->tool : ttp_record_find_stock(NULL, ctx->arena);
    if (export->port) {
        ttp_ctx_say(ctx, "waiting on port %u for a server with protocol %u", port,
                    ttp_replay_protocol(replay));
        rc = play(replay, 0, err);
    } else if (!tool) {
        rc = no_tool(status, ttp_replay_protocol(replay), err);
    } else {
        rc = run_tool(tool, (struct replayed){replay, port}, output, ctx->arena, err);
        if (rc == TTP_OK && !ttp_file_exists(output)) {
            rc = ttp_fail(err, TTP_EIO, "'%s' wrote no file", tool);
            ttp_err_hint(err, "it must support protocol %u", ttp_replay_protocol(replay));
        }
        if (rc == TTP_OK)
            ttp_sink_printf(ctx->out, "%s\n", output);
    }
    ttp_replay_close(replay);
    return rc;
}

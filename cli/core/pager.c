/* SPDX-License-Identifier: Apache-2.0 */
#include "core/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "core/cmd.h"
#include "core/job_rank.h"

/* As git: the first that is set, else less. Empty or cat: none. */
static const char *command(void)
{
    static const char *const names[] = {"TT_PERF_PAGER", "PAGER"};

    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        const char *v = getenv(names[i]);
        if (v)
            return v[0] && strcmp(v, "cat") != 0 ? v : NULL;
    }
    return "less";
}

static bool is_there(const char *line, struct ttp_arena *arena)
{
    const struct ttp_words none = {0};
    const ttp_str all = ttp_str_from(line);
    const ttp_str word = ttp_str_slice(all, 0, ttp_str_find_char(all, ' '));
    struct ttp_err ignored = {0};
    const char *path;

    return ttp_child_find(&path, ttp_arena_zstr(arena, word), ttp_child_environment(&none, arena),
                          arena, &ignored) == TTP_OK;
}

static bool wanted(const struct ttp_ctx *ctx, const struct ttp_common_opts *common)
{
    const char *term = getenv("TERM");
    const bool text = ctx->show.form == TTP_FORM_TEXT || ctx->show.form == TTP_FORM_MARKDOWN;
    struct ttp_job_rank job;

    ttp_job_rank_find(&job); /* the terminal that mpirun gives a rank has no reader */
    return (ctx->cmd->takes & TTP_TAKES_PAGER) && text && !common->no_pager && !common->output &&
           !common->imitate && !job.many && ctx->cmd->operand != TTP_OPERAND_COMMAND &&
           isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
           !(term && strcmp(term, "dumb") == 0);
}

/* It ends at the end of what it shows where that fits the screen, keeps colours, and leaves the
 * text on the terminal. */
static const char **environment(struct ttp_arena *arena)
{
    struct ttp_words set = {0};

    if (!getenv("LESS"))
        ttp_words_add(&set, "LESS=FRX", arena);
    if (!getenv("LV"))
        ttp_words_add(&set, "LV=-c", arena);
    return ttp_child_environment(&set, arena);
}

static bool start(pid_t *pid, const char *line, int from, struct ttp_arena *arena)
{
    const char *const argv[] = {"sh", "-c", line, NULL};
    posix_spawn_file_actions_t actions;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    /* posix_spawn() does not change what it is given. NOLINTBEGIN(performance-no-int-to-ptr) */
    const bool done = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO) == 0 &&
                      posix_spawn(pid, "/bin/sh", &actions, NULL, (char *const *)(uintptr_t)argv,
                                  (char *const *)(uintptr_t)environment(arena)) == 0;
    /* NOLINTEND(performance-no-int-to-ptr) */
    posix_spawn_file_actions_destroy(&actions);
    return done;
}

void ttp_pager_begin(struct ttp_pager *p, const struct ttp_ctx *ctx,
                     const struct ttp_common_opts *common)
{
    const char *line = wanted(ctx, common) ? command() : NULL;
    int ends[2];
    pid_t pid;

    *p = (struct ttp_pager){.terminal = -1};
    if (!line || !is_there(line, ctx->arena) || pipe2(ends, O_CLOEXEC) != 0)
        return;
    p->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (p->terminal >= 0 && start(&pid, line, ends[0], ctx->arena)) {
        (void)dup2(ends[1], STDOUT_FILENO);
        p->pid = pid;
    } else if (p->terminal >= 0) {
        close(p->terminal);
        p->terminal = -1;
    }
    close(ends[0]);
    close(ends[1]);
}

void ttp_pager_end(struct ttp_pager *p)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;

    if (p->terminal < 0)
        return;
    (void)dup2(p->terminal, STDOUT_FILENO); /* the pipe ends here */
    close(p->terminal);
    p->terminal = -1;
    /* Ctrl-C is the pager's while it has the terminal */
    (void)sigaction(SIGINT, &ignore, &before);
    while (waitpid((pid_t)p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    (void)sigaction(SIGINT, &before, NULL);
}

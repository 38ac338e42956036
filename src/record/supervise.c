/* SPDX-License-Identifier: Apache-2.0 */
#include "record/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Those that ask to stop, then those that only concern the command. */
static const int stopping[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
static const int passing[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};

static bool is_name(const char *entry, const char *name)
{
    const size_t n = strlen(name);

    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Ours in place of those of the same name; what is removed is left out. */
static char **make_environ(const struct ttp_record_environment *env, struct ttp_arena *arena)
{
    size_t n = 0, have = 0;

    while (environ[have])
        have++;
    char **out = TTP_NEW(arena, char *, have + env->count + 1);
    for (size_t i = 0; i < have; i++) {
        bool ours = false;

        for (size_t k = 0; k < env->count && !ours; k++)
            ours = is_name(environ[i], env->item[k].name);
        if (!ours)
            out[n++] = environ[i];
    }
    for (size_t k = 0; k < env->count; k++) {
        if (!env->item[k].value)
            continue;
        out[n++] = ttp_arena_zstr(
            arena, ttp_sink_format(arena, "%s=%s", env->item[k].name, env->item[k].value));
    }
    return out;
}

static void become(char *const *argv, char *const *env, const sigset_t *mask, int tell)
{
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    execvpe(argv[0], argv, env);
    const int why = errno;
    const ssize_t told = write(tell, &why, sizeof(why));
    (void)told;
    _exit(127);
}

/* What the new process says before it is the command: nothing, or why it cannot be. */
static int hear_failure(int fd)
{
    int why = 0;
    ssize_t n;

    do
        n = read(fd, &why, sizeof(why));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(why) ? why : 0;
}

static void hold_signals(struct ttp_command *c)
{
    sigset_t mine;

    sigemptyset(&mine);
    for (size_t i = 0; i < TTP_COUNT(stopping); i++)
        sigaddset(&mine, stopping[i]);
    for (size_t i = 0; i < TTP_COUNT(passing); i++)
        sigaddset(&mine, passing[i]);
    pthread_sigmask(SIG_BLOCK, &mine, &c->before);
    c->signals = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
}

void ttp_record_command_close(struct ttp_command *c)
{
    struct signalfd_siginfo info;

    if (c->signals >= 0) {
        while (read(c->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
            continue; /* what came too late for the command is not for us either */
        close(c->signals);
    }
    pthread_sigmask(SIG_SETMASK, &c->before, NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0L, 0L, 0L, 0L);
}

ttp_code ttp_record_command_start(struct ttp_command *out, const char **unstarted,
                                  struct ttp_command_line line, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    char **env = make_environ(line.environment, arena);
    int tell[2];

    *out = (struct ttp_command){.signals = -1};
    *unstarted = NULL;
    hold_signals(out);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L); /* orphans stay in the family */
    if (out->signals < 0 || pipe2(tell, O_CLOEXEC) < 0) {
        ttp_fail_errno(err, "cannot supervise a command");
        ttp_record_command_close(out);
        return TTP_EIO;
    }
    out->pid = fork();
    if (out->pid == 0)
        become(line.argv, env, &out->before, tell[1]);
    close(tell[1]);
    if (out->pid < 0) {
        ttp_fail_errno(err, "cannot start a process");
        close(tell[0]);
        ttp_record_command_close(out);
        return TTP_EIO;
    }
    const int why = hear_failure(tell[0]);
    close(tell[0]);
    if (why) {
        (void)waitpid(out->pid, NULL, 0);
        out->ended = true;
        out->status = why == ENOENT ? 127 : 126;
        *unstarted = ttp_arena_zstr(
            arena, ttp_sink_format(arena, "cannot run '%s': %s", line.argv[0], strerror(why)));
    }
    return TTP_OK;
}

/* --- signals --- */

bool ttp_record_command_is_helper(const struct ttp_command *c, pid_t pid)
{
    for (size_t i = 0; i < c->nhelpers; i++)
        if (c->helper[i].pid == pid && !c->helper[i].ended)
            return true;
    return false;
}

static void reap_children(struct ttp_command *c)
{
    int status;

    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        for (size_t i = 0; i < c->nhelpers; i++)
            c->helper[i].ended |= c->helper[i].pid == pid;
        if (pid == c->pid) {
            c->ended = true;
            c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
    }
}

/* As the terminal would: to all of the family that are in our process group. */
static void pass_on(const struct ttp_command *c, int number, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const pid_t group = getpgrp();
    struct ttp_family family;

    ttp_record_procs_family(&family, getpid(), scratch);
    for (size_t i = 1; i < family.count; i++)
        if (family.pid[i] == c->pid || ttp_record_procs_group(family.pid[i]) == group)
            (void)kill(family.pid[i], number);
    ttp_arena_rewind(scratch, mark);
}

/* Whoever is made while we look is met the next time. */
static void kill_all(struct ttp_command *c, struct ttp_arena *scratch)
{
    c->killed = true;
    for (int round = 0; round < 5; round++) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        struct ttp_family family;

        ttp_record_procs_family(&family, getpid(), scratch);
        for (size_t i = 1; i < family.count; i++)
            if (!ttp_record_command_is_helper(c, family.pid[i]))
                (void)kill(family.pid[i], SIGKILL);
        ttp_arena_rewind(scratch, mark);
    }
}

static bool asks_to_stop(int number)
{
    for (size_t i = 0; i < TTP_COUNT(stopping); i++)
        if (stopping[i] == number)
            return true;
    return false;
}

void ttp_record_command_handle_signals(struct ttp_command *c, struct ttp_arena *scratch)
{
    struct signalfd_siginfo info;

    while (read(c->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        const int number = (int)info.ssi_signo;

        if (number == SIGCHLD)
            continue;
        if (asks_to_stop(number)) {
            if (!c->stops++)
                c->first_stop = number;
            if (c->stops > 1) {
                kill_all(c, scratch);
                continue;
            }
        }
        if (info.ssi_code != SI_KERNEL) /* the terminal tells the whole group itself */
            pass_on(c, number, scratch);
    }
    reap_children(c);
}

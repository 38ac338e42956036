/* SPDX-License-Identifier: Apache-2.0 */
/* guardian.c - finishes the merge of a job that was killed.
 *
 * It is not part of the job: it was forked before MPI began, has a session of its own, and waits at
 * a pipe. The pipe says that the merge ended; if it closes without that, the root is dead, and the
 * guardian merges what there is on its own: logs that it can read, and parts that ranks left. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cmd.h"
#include "mpi/guardian.h"
#include "mpi/program_main.h"

/* The job ends within a minute, the 60 s of an exchange that hangs not counted twice. */
#define FINISH_SECONDS 55

enum { IS_ROOT = 'r', LEAVE = 'q' };

static void out_of_time(int number)
{
    static const char text[] =
        "tt-perf-mpi: merge: the job was killed, and its ranks take too long "
        "to read: finish with 'tt-perf merge'\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(TTP_EXIT_TIMEOUT);
}

/* Launchers name the rank before MPI does; a job may be killed before MPI_Init() returns. */
static bool is_first_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < TTP_COUNT(names); i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return false;
}

static _Noreturn void guard(int from, int argc, char **argv)
{
    static const char text[] =
        "tt-perf-mpi: merge: a process of the job died; merging the existing data without MPI\n";
    bool root = is_first_rank();
    char said;

    (void)setsid(); /* launchers kill the group of a process */
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    while (read(from, &said, 1) == 1) {
        if (said == LEAVE)
            _exit(0);
        root = true;
    }
    if (!root)
        _exit(0);
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)signal(SIGALRM, out_of_time);
    (void)alarm(FINISH_SECONDS);
    const int status = ttp_program_main(argc, argv);
    (void)fflush(NULL);
    _exit(status);
}

int ttp_guardian_start(int argc, char **argv)
{
    int pipes[2];

    if (argc < 2 || strcmp(argv[1], "merge") != 0 || pipe(pipes) != 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(pipes[1]);
        guard(pipes[0], argc, argv);
    }
    (void)close(pipes[0]);
    if (pid > 0)
        return pipes[1];
    (void)close(pipes[1]);
    return -1;
}

static void tell(int guardian, char what)
{
    /* one that was killed itself must not take the caller with it */
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);

    (void)!write(guardian, &what, 1);
    (void)signal(SIGPIPE, before);
}

void ttp_guardian_is_root(int guardian, bool root)
{
    if (guardian >= 0)
        tell(guardian, root ? IS_ROOT : LEAVE);
}

void ttp_guardian_dismiss(int guardian)
{
    if (guardian >= 0)
        tell(guardian, LEAVE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* timed COMMAND [ARGUMENT...] - run it with its output thrown away; print its wall time in seconds,
 * its largest resident size in KiB (mapped pages included), its exit status and its CPU time in
 * seconds on one line.
 * time(1) counts in hundredths of a second, ten times what the whole command takes. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t quiet;
    struct timespec from, to;
    struct rusage used;
    pid_t child;
    int status;

    if (argc < 2) {
        fputs("usage: timed COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (posix_spawnp(&child, argv[1], &quiet, NULL, argv + 1, environ) != 0) {
        perror(argv[1]);
        return 2;
    }
    if (wait4(child, &status, 0, &used) < 0) {
        perror("wait4");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    posix_spawn_file_actions_destroy(&quiet);
    printf("%.6f %ld %d %.6f\n",
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9,
           used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6);
    return 0;
}

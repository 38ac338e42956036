/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_main.c - tt-perf-mpi: `merge` in the processes of an MPI job. The rest of tt-perf does not
 * know of MPI. Calls are those that OpenMPI 4.1 and 5.0 share. */
#include <mpi.h>
#include <signal.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cmd.h"
#include "core/merge_engine.h"
#include "mpi/guardian.h"
#include "mpi/program_main.h"

/* Nobody waits longer for the others: in an exchange, and until all have read their logs. */
#define EXCHANGE_SECONDS 60
#define READING_SECONDS  3600

enum { TAG_SIZE = 1, TAG_TABLE };

static struct {
    int rank, size;
} job;

/* ---- never hang ---- */

static void too_late(int number)
{
    static const char text[] = "tt-perf-mpi: merge: another rank does not answer; its part may be "
                               "missing: finish with 'tt-perf merge' on the folders and parts\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(TTP_EXIT_TIMEOUT);
}

/* The clock and its signal are those of --max-time too, which has set its own by now. */
static void wait_at_most(unsigned seconds)
{
    (void)signal(SIGALRM, too_late);
    (void)alarm(seconds);
}

static ttp_code done(int rc, struct ttp_err *err)
{
    (void)alarm(0);
    return rc == MPI_SUCCESS ? TTP_OK : ttp_fail(err, TTP_EIO, "MPI reports error %d", rc);
}

static ttp_code ready(struct ttp_err *err)
{
    wait_at_most(READING_SECONDS);
    return done(MPI_Barrier(MPI_COMM_WORLD), err);
}

/* ---- exchanges ---- */

/* For rows of tables. */
static char *room(struct ttp_arena *arena, size_t bytes)
{
    return ttp_arena_alloc(arena, bytes + 1, 1, alignof(max_align_t));
}

static ttp_code check_size(uint64_t bytes, struct ttp_err *err)
{
    return bytes < INT32_MAX ? TTP_OK
                             : ttp_fail(err, TTP_ELIMIT, "a table of more than 2 GB to send");
}

/* Where each process's bytes begin, and how many there are in all. */
static ttp_code place(const int *size, int *at, int n, size_t *total, struct ttp_err *err)
{
    uint64_t sum = 0;

    for (int i = 0; i < n; i++) {
        TTP_TRY(check_size(sum, err));
        at[i] = (int)sum;
        sum += (uint64_t)size[i];
    }
    *total = sum;
    return check_size(sum, err);
}

static void split(ttp_str *out, const char *bytes, const int *size, const int *at, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (ttp_str){bytes + at[i], (size_t)size[i]};
}

static ttp_code share_among(MPI_Comm line, ttp_str mine, ttp_str **out, size_t *count,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    int n, bytes = (int)mine.len;
    size_t total;

    MPI_Comm_size(line, &n);
    int *size = TTP_NEW(arena, int, (size_t)n), *at = TTP_NEW(arena, int, (size_t)n);
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Allgather(&bytes, 1, MPI_INT, size, 1, MPI_INT, line), err));
    TTP_TRY(place(size, at, n, &total, err));
    char *all = room(arena, total);
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Allgatherv(mine.ptr, bytes, MPI_BYTE, all, size, at, MPI_BYTE, line), err));
    *out = TTP_NEW(arena, ttp_str, (size_t)n);
    *count = (size_t)n;
    split(*out, all, size, at, n);
    return TTP_OK;
}

static ttp_code all(void *arg, bool member, ttp_str mine, ttp_str **out, size_t *count,
                    struct ttp_arena *arena, struct ttp_err *err)
{
    MPI_Comm line;

    (void)arg;
    *count = 0;
    TTP_TRY(check_size(mine.len, err));
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Comm_split(MPI_COMM_WORLD, member ? 1 : MPI_UNDEFINED, job.rank, &line), err));
    if (line == MPI_COMM_NULL)
        return TTP_OK;
    const ttp_code rc = share_among(line, mine, out, count, arena, err);
    MPI_Comm_free(&line);
    return rc;
}

static ttp_code receive(ttp_str *out, int from, struct ttp_arena *arena, struct ttp_err *err)
{
    uint64_t bytes = 0;

    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Recv(&bytes, 8, MPI_BYTE, from, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 err));
    TTP_TRY(check_size(bytes, err));
    char *to = room(arena, bytes);
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(
        done(MPI_Recv(to, (int)bytes, MPI_BYTE, from, TAG_TABLE, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             err));
    *out = (ttp_str){to, bytes};
    return TTP_OK;
}

static ttp_code send(ttp_str table, int to, struct ttp_err *err)
{
    uint64_t bytes = table.len;

    TTP_TRY(check_size(bytes, err));
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Send(&bytes, 8, MPI_BYTE, to, TAG_SIZE, MPI_COMM_WORLD), err));
    wait_at_most(EXCHANGE_SECONDS);
    return done(MPI_Send(table.ptr, (int)bytes, MPI_BYTE, to, TAG_TABLE, MPI_COMM_WORLD), err);
}

/* Up a binomial tree: what a process has got is added to its own. */
static ttp_code add_up(ttp_str *table, const struct ttp_merge_sum *how, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    for (int step = 1; step < job.size; step *= 2) {
        ttp_str other;
        if (job.rank & step)
            return send(*table, job.rank - step, err);
        if (job.rank + step >= job.size)
            continue;
        TTP_TRY(receive(&other, job.rank + step, arena, err));
        *table = ttp_merge_add(*table, other, how, arena);
    }
    return TTP_OK;
}

/* Up a tree, then to everybody. */
static ttp_code sum(void *arg, ttp_str *table, const struct ttp_merge_sum *how,
                    struct ttp_arena *arena, struct ttp_err *err)
{
    (void)arg;
    TTP_TRY(add_up(table, how, arena, err));
    uint64_t bytes = table->len;
    TTP_TRY(check_size(bytes, err));
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Bcast(&bytes, 8, MPI_BYTE, 0, MPI_COMM_WORLD), err));
    char *copy = room(arena, bytes);
    if (job.rank == 0 && bytes)
        memcpy(copy, table->ptr, bytes);
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Bcast(copy, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD), err));
    *table = (ttp_str){copy, bytes};
    return TTP_OK;
}

static ttp_code to_root(void *arg, ttp_str mine, ttp_str **out, size_t *count,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    int bytes = (int)mine.len;
    size_t total = 0;
    int *size = TTP_NEW(arena, int, (size_t)job.size), *at = TTP_NEW(arena, int, (size_t)job.size);

    (void)arg;
    TTP_TRY(check_size(mine.len, err));
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(MPI_Gather(&bytes, 1, MPI_INT, size, 1, MPI_INT, 0, MPI_COMM_WORLD), err));
    if (job.rank == 0)
        TTP_TRY(place(size, at, job.size, &total, err));
    char *all_bytes = room(arena, total);
    wait_at_most(EXCHANGE_SECONDS);
    TTP_TRY(done(
        MPI_Gatherv(mine.ptr, bytes, MPI_BYTE, all_bytes, size, at, MPI_BYTE, 0, MPI_COMM_WORLD),
        err));
    *count = job.rank == 0 ? (size_t)job.size : 0;
    *out = TTP_NEW(arena, ttp_str, (size_t)job.size);
    if (job.rank == 0)
        split(*out, all_bytes, size, at, job.size);
    return TTP_OK;
}

/* ---- the program ---- */

/* Only the root writes: elsewhere -o is left out, and standard output goes nowhere. */
static int be_quiet(int argc, char **argv)
{
    int n = 0;

    for (int i = 0; i < argc; i++) {
        const bool alone = strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output") == 0;
        const bool joined =
            strncmp(argv[i], "--output=", 9) == 0 || (strncmp(argv[i], "-o", 2) == 0 && argv[i][2]);
        if (alone && i + 1 < argc)
            i++;
        else if (!alone && !joined)
            argv[n++] = argv[i];
    }
    argv[n] = NULL;
    if (!freopen("/dev/null", "w", stdout))
        _exit(TTP_EXIT_IO);
    return n;
}

int main(int argc, char **argv)
{
    static struct ttp_merge_engine engine;

    if (argc > 1 && strcmp(argv[1], "merge") != 0 && strcmp(argv[1], "--version") != 0 &&
        strcmp(argv[1], "--help") != 0) {
        static const char text[] = "tt-perf-mpi: only 'merge' runs under MPI; use tt-perf\n";
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
        return TTP_EXIT_USAGE;
    }
    /* Open MPI gives a process a terminal of its own, whatever mpirun writes to. */
    (void)setenv("NO_COLOR", "1", 0);
    const int guardian = ttp_guardian_start(argc, argv);
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        ttp_guardian_dismiss(guardian);
        return TTP_EXIT_ENVIRONMENT;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    ttp_guardian_is_root(guardian, job.rank == 0);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    engine = (struct ttp_merge_engine){
        .rank = job.rank,
        .size = job.size,
        .net = {.all = all, .sum = sum, .root = to_root, .is_root = job.rank == 0},
        .ready = ready};
    ttp_merge_engine = &engine;
    if (job.rank != 0)
        argc = be_quiet(argc, argv);
    const int status = ttp_program_main(argc, argv);
    if (job.rank == 0)
        ttp_guardian_dismiss(guardian);
    /* a process that gave up would leave the others waiting; findings are complete results */
    if (status != TTP_EXIT_OK && status != TTP_EXIT_FINDING && status != TTP_EXIT_UNDECIDED)
        MPI_Abort(MPI_COMM_WORLD, status);
    wait_at_most(EXCHANGE_SECONDS);
    MPI_Finalize();
    (void)alarm(0);
    return status;
}

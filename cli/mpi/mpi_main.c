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
#include <time.h>
#include <unistd.h>

#include "core/cmd.h"
#include "core/merge_engine.h"
#include "mpi/guardian.h"
#include "mpi/program_main.h"

/* No rank waits longer for the others: in an exchange, and until all have read their logs.
 * TT_PERF_MPI_SECONDS sets both. */
#define EXCHANGE_SECONDS 60
#define READING_SECONDS  3600
/* How long the root waits for answers before it says who is silent; others wait longer than it. */
#define ANSWER_SECONDS 3
#define LATER_SECONDS  (ANSWER_SECONDS + 5)
#define SPINS          2000
#define NAP_NS         200000

enum { TAG_SIZE = 1, TAG_TABLE, TAG_ASK, TAG_ANSWER };

static struct {
    int rank, size;
    int64_t seconds; /* 0: the usual */
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

static unsigned limit(unsigned usual)
{
    return job.seconds ? (unsigned)job.seconds : usual;
}

/* The clock and its signal are those of --max-time too, which has set its own by now. It ends what
 * hangs inside MPI. */
static void wait_at_most(unsigned seconds)
{
    (void)signal(SIGALRM, too_late);
    (void)alarm(limit(seconds) + LATER_SECONDS);
}

static ttp_code done(int rc, struct ttp_err *err)
{
    (void)alarm(0);
    return rc == MPI_SUCCESS ? TTP_OK : ttp_fail(err, TTP_EIO, "MPI reports error %d", rc);
}

static int64_t now_ns(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nap(void)
{
    const struct timespec t = {.tv_nsec = NAP_NS};

    (void)nanosleep(&t, NULL);
}

static bool has_message(int tag, MPI_Status *status)
{
    int found = 0;

    return MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, status) == MPI_SUCCESS && found;
}

/* The checker does not see that finish() waits for requests, and questions need no wait.
 * NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */

/* A rank that waits tells the root so when it asks. */
static void answer(void)
{
    MPI_Status from;

    while (has_message(TAG_ASK, &from)) {
        (void)MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, TAG_ASK, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
        (void)MPI_Send(NULL, 0, MPI_BYTE, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
    }
}

/* The root asks all ranks, names those that do not answer, and ends the job. */
static _Noreturn void call_roll(void)
{
    struct ttp_arena arena = {0};
    bool *here = TTP_NEW(&arena, bool, (size_t)job.size);
    const int64_t until = now_ns() + (int64_t)ANSWER_SECONDS * 1000000000;
    struct ttp_sink out;

    for (int r = 1; r < job.size; r++) {
        MPI_Request sent;
        if (MPI_Isend(NULL, 0, MPI_BYTE, r, TAG_ASK, MPI_COMM_WORLD, &sent) == MPI_SUCCESS)
            (void)MPI_Request_free(&sent);
    }
    while (now_ns() < until) {
        MPI_Status from;
        if (!has_message(TAG_ANSWER, &from)) {
            nap();
            continue;
        }
        (void)MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
        here[from.MPI_SOURCE] = true;
    }
    ttp_sink_to_arena(&out, &arena);
    ttp_sink_own(&out, "tt-perf-mpi: merge: no answer from process");
    for (int r = 1; r < job.size; r++)
        if (!here[r])
            ttp_sink_printf(&out, " %d", r);
    ttp_sink_own(&out, "; finish with 'tt-perf merge' on the folders and parts\n");
    const ttp_str text = ttp_sink_text(&out);
    (void)!write(STDERR_FILENO, text.ptr, text.len);
    _exit(TTP_EXIT_TIMEOUT);
}

/* Wait for what `rc` started. */
static ttp_code finish(int rc, MPI_Request *request, unsigned seconds, struct ttp_err *err)
{
    const int64_t until = now_ns() + (int64_t)limit(seconds) * 1000000000;
    int complete = 0;

    wait_at_most(seconds);
    for (int64_t i = 0; rc == MPI_SUCCESS; i++) {
        rc = MPI_Test(request, &complete, MPI_STATUS_IGNORE);
        if (complete)
            break;
        answer();
        if (i > SPINS)
            nap();
        if (job.rank == 0 && job.size > 1 && now_ns() > until)
            call_roll();
    }
    return done(rc, err);
}

static ttp_code meet(unsigned seconds, struct ttp_err *err)
{
    MPI_Request r;

    return finish(MPI_Ibarrier(MPI_COMM_WORLD, &r), &r, seconds, err);
}

static ttp_code ready(struct ttp_err *err)
{
    return meet(READING_SECONDS, err);
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
                             : ttp_fail(err, TTP_ELIMIT, "a table to send is larger than 2 GB");
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
    MPI_Request r;
    size_t total;

    MPI_Comm_size(line, &n);
    int *size = TTP_NEW(arena, int, (size_t)n), *at = TTP_NEW(arena, int, (size_t)n);
    TTP_TRY(finish(MPI_Iallgather(&bytes, 1, MPI_INT, size, 1, MPI_INT, line, &r), &r,
                   EXCHANGE_SECONDS, err));
    TTP_TRY(place(size, at, n, &total, err));
    char *all = room(arena, total);
    TTP_TRY(finish(MPI_Iallgatherv(mine.ptr, bytes, MPI_BYTE, all, size, at, MPI_BYTE, line, &r),
                   &r, EXCHANGE_SECONDS, err));
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
    TTP_TRY(meet(EXCHANGE_SECONDS, err)); /* a split cannot be watched, so all meet before it */
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
    MPI_Request r;
    uint64_t bytes = 0;

    TTP_TRY(finish(MPI_Irecv(&bytes, 8, MPI_BYTE, from, TAG_SIZE, MPI_COMM_WORLD, &r), &r,
                   EXCHANGE_SECONDS, err));
    TTP_TRY(check_size(bytes, err));
    char *to = room(arena, bytes);
    TTP_TRY(finish(MPI_Irecv(to, (int)bytes, MPI_BYTE, from, TAG_TABLE, MPI_COMM_WORLD, &r), &r,
                   EXCHANGE_SECONDS, err));
    *out = (ttp_str){to, bytes};
    return TTP_OK;
}

static ttp_code send(ttp_str table, int to, struct ttp_err *err)
{
    MPI_Request r;
    uint64_t bytes = table.len;

    TTP_TRY(check_size(bytes, err));
    TTP_TRY(finish(MPI_Isend(&bytes, 8, MPI_BYTE, to, TAG_SIZE, MPI_COMM_WORLD, &r), &r,
                   EXCHANGE_SECONDS, err));
    return finish(MPI_Isend(table.ptr, (int)bytes, MPI_BYTE, to, TAG_TABLE, MPI_COMM_WORLD, &r), &r,
                  EXCHANGE_SECONDS, err);
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
        *table = ttp_mesh_merge_add(*table, other, how, arena);
    }
    return TTP_OK;
}

/* Up a tree, then to everybody. */
static ttp_code sum(void *arg, ttp_str *table, const struct ttp_merge_sum *how,
                    struct ttp_arena *arena, struct ttp_err *err)
{
    MPI_Request r;

    (void)arg;
    TTP_TRY(add_up(table, how, arena, err));
    uint64_t bytes = table->len;
    TTP_TRY(check_size(bytes, err));
    TTP_TRY(
        finish(MPI_Ibcast(&bytes, 8, MPI_BYTE, 0, MPI_COMM_WORLD, &r), &r, EXCHANGE_SECONDS, err));
    char *copy = room(arena, bytes);
    if (job.rank == 0 && bytes)
        memcpy(copy, table->ptr, bytes);
    TTP_TRY(finish(MPI_Ibcast(copy, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &r), &r,
                   EXCHANGE_SECONDS, err));
    *table = (ttp_str){copy, bytes};
    return TTP_OK;
}

static ttp_code to_root(void *arg, ttp_str mine, ttp_str **out, size_t *count,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    int bytes = (int)mine.len;
    MPI_Request r;
    size_t total = 0;
    int *size = TTP_NEW(arena, int, (size_t)job.size), *at = TTP_NEW(arena, int, (size_t)job.size);

    (void)arg;
    TTP_TRY(check_size(mine.len, err));
    TTP_TRY(finish(MPI_Igather(&bytes, 1, MPI_INT, size, 1, MPI_INT, 0, MPI_COMM_WORLD, &r), &r,
                   EXCHANGE_SECONDS, err));
    if (job.rank == 0)
        TTP_TRY(place(size, at, job.size, &total, err));
    char *all_bytes = room(arena, total);
    TTP_TRY(finish(MPI_Igatherv(mine.ptr, bytes, MPI_BYTE, all_bytes, size, at, MPI_BYTE, 0,
                                MPI_COMM_WORLD, &r),
                   &r, EXCHANGE_SECONDS, err));
    *count = job.rank == 0 ? (size_t)job.size : 0;
    *out = TTP_NEW(arena, ttp_str, (size_t)job.size);
    if (job.rank == 0)
        split(*out, all_bytes, size, at, job.size);
    return TTP_OK;
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

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
    const char *seconds = getenv("TT_PERF_MPI_SECONDS");
    if (seconds && (!ttp_str_to_i64(ttp_str_from(seconds), &job.seconds) || job.seconds < 1 ||
                    job.seconds > READING_SECONDS))
        job.seconds = 0;
    const int guardian = ttp_guardian_start(argc, argv);
    wait_at_most(EXCHANGE_SECONDS);
    const int begun = MPI_Init(&argc, &argv);
    (void)alarm(0);
    if (begun != MPI_SUCCESS) {
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

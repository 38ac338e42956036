/* SPDX-License-Identifier: Apache-2.0 */
/* Global state: the budget of the process, and per thread the scope and the place to return to. An
 * arena that fails is too deep to get them as parameters. */
#include "base/budget.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"

struct ttp_budget {
    struct ttp_limits limits;
    _Atomic uint64_t memory, read, packed, inflated, written;
    atomic_flag name_lock;
    char input[256]; /* the last one, or "" */
};

/* One ttp_budget_run(). */
struct ttp_scope {
    struct ttp_budget *budget;
    pthread_mutex_t lock; /* for the list */
    struct ttp_held *newest;
};

struct catcher {
    jmp_buf back;
    struct ttp_err why;
};

/* Without limits until a program sets them: others may stay for long, and the sums with them. */
static struct ttp_budget process = {.limits = {.inflate = UINT64_MAX, .output = UINT64_MAX},
                                    .name_lock = ATOMIC_FLAG_INIT};
static ttp_budget_tell_fn *tell_of; /* set once, before there are threads */
static _Thread_local struct ttp_scope *here;
static _Thread_local struct catcher *catching;

static struct ttp_budget *current(void)
{
    return here ? here->budget : &process;
}

void ttp_budget_set(const struct ttp_limits *limits, ttp_budget_tell_fn *tell)
{
    process.limits = *limits;
    tell_of = tell;
}

struct ttp_budget *ttp_budget_new(const struct ttp_limits *limits)
{
    struct ttp_budget *b = calloc(1, sizeof(*b));

    if (b) {
        b->limits = *limits;
        atomic_flag_clear(&b->name_lock);
    }
    return b;
}

void ttp_budget_free(struct ttp_budget *b)
{
    free(b);
}

struct ttp_size_text ttp_size_text(uint64_t bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    struct ttp_size_text out;
    double n = (double)bytes;
    size_t u = 0;

    for (; n >= 1024 && u + 1 < TTP_COUNT(unit); u++)
        n /= 1024;
    const bool whole = n == (double)(uint64_t)n;
    snprintf(out.text, sizeof(out.text), "%.*f %s", whole ? 0 : 1, n, unit[u]);
    return out;
}

/* ---- failures ---- */

void ttp_budget_raise(const struct ttp_err *why)
{
    if (catching) {
        catching->why = *why;
        longjmp(catching->back, 1); /* NOLINT: see the head of budget.h */
    }
    if (tell_of) {
        ttp_outfile_tidy();
        tell_of(why);
    }
    fprintf(stderr, "tt-perf: %s\n", why->text);
    abort();
}

/* The name of an option, as whoever reads the message can set it. */
static const char *option(const char *of_program, const char *of_library)
{
    return tell_of ? of_program : of_library;
}

static void name_input(struct ttp_err *err, struct ttp_budget *b)
{
    while (atomic_flag_test_and_set(&b->name_lock))
        continue;
    if (b->input[0])
        ttp_err_where(err, b->input, 0);
    atomic_flag_clear(&b->name_lock);
}

void ttp_budget_reading(const char *path)
{
    struct ttp_budget *b = current();
    if (strncmp(path, "/proc/self/fd/", 14) == 0)
        return; /* ours: the user does not know it */
    const size_t n = strlen(path), room = sizeof(b->input) - 1, from = n > room ? n - room : 0;

    while (atomic_flag_test_and_set(&b->name_lock))
        continue;
    memcpy(b->input, path + from, n - from + 1);
    atomic_flag_clear(&b->name_lock);
}

void ttp_budget_read(uint64_t bytes)
{
    atomic_fetch_add_explicit(&current()->read, bytes, memory_order_relaxed);
}

static bool is_over(uint64_t used, uint64_t limit)
{
    return limit && used > limit;
}

void ttp_budget_take_memory(size_t bytes)
{
    struct ttp_budget *b = current();
    const uint64_t before = atomic_fetch_add_explicit(&b->memory, bytes, memory_order_relaxed);

    if (!is_over(before + bytes, b->limits.memory) && bytes < SIZE_MAX / 4)
        return;
    atomic_fetch_sub_explicit(&b->memory, bytes, memory_order_relaxed);
    struct ttp_err why = {0};
    ttp_fail(&why, TTP_ELIMIT, "memory limit of %s exceeded",
             ttp_size_text(b->limits.memory ? b->limits.memory : SIZE_MAX / 4).text);
    ttp_err_hint(&why, "raise the limit with %s",
                 option("--max-memory or TT_PERF_MAX_MEMORY", "max_memory"));
    name_input(&why, b);
    ttp_budget_raise(&why);
}

void ttp_budget_give_memory(size_t bytes)
{
    atomic_fetch_sub_explicit(&current()->memory, bytes, memory_order_relaxed);
}

void ttp_budget_refused(size_t bytes)
{
    struct ttp_budget *b = current();
    struct ttp_err why = {0};

    const uint64_t held = atomic_fetch_sub(&b->memory, bytes) - bytes;
    if (bytes)
        ttp_fail(&why, TTP_ENOMEM,
                 "out of memory: the system cannot provide %s in addition to the %s in use",
                 ttp_size_text(bytes).text, ttp_size_text(held).text);
    else
        ttp_fail(&why, TTP_ENOMEM, "out of memory, with %s in use", ttp_size_text(held).text);
    ttp_err_hint(&why, "stop other programs, raise 'ulimit -v', or use less input");
    name_input(&why, b);
    ttp_budget_raise(&why);
}

/* ---- what is held ---- */

void ttp_held_add(struct ttp_held *h, size_t bytes, void (*release)(struct ttp_held *h))
{
    *h = (struct ttp_held){.scope = here, .budget = current(), .bytes = bytes, .release = release};
    if (!here)
        return;
    pthread_mutex_lock(&here->lock);
    h->older = here->newest;
    if (h->older)
        h->older->newer = h;
    here->newest = h;
    pthread_mutex_unlock(&here->lock);
}

/* With the lock held. */
static void unlink_held(struct ttp_held *h)
{
    if (h->newer)
        h->newer->older = h->older;
    else
        h->scope->newest = h->older;
    if (h->older)
        h->older->newer = h->newer;
    h->older = h->newer = NULL;
}

void ttp_held_keep(struct ttp_held *h)
{
    struct ttp_scope *scope = h->scope;

    if (!scope)
        return;
    pthread_mutex_lock(&scope->lock);
    unlink_held(h);
    h->scope = NULL;
    pthread_mutex_unlock(&scope->lock);
}

void ttp_held_drop(struct ttp_held *h)
{
    ttp_held_keep(h);
    if (h->budget)
        atomic_fetch_sub_explicit(&h->budget->memory, h->bytes, memory_order_relaxed);
}

void ttp_held_lock(struct ttp_held *h)
{
    if (h->scope)
        pthread_mutex_lock(&h->scope->lock);
}

void ttp_held_moved(struct ttp_held *h, size_t bytes)
{
    h->bytes = bytes;
    if (!h->scope)
        return;
    if (h->newer)
        h->newer->older = h;
    else
        h->scope->newest = h;
    if (h->older)
        h->older->newer = h;
    pthread_mutex_unlock(&h->scope->lock);
}

/* ---- scopes ---- */

struct ttp_scope *ttp_budget_scope(void)
{
    return here;
}

void ttp_budget_join(struct ttp_scope *scope)
{
    here = scope;
}

ttp_code ttp_budget_catch(bool *raised, ttp_budget_fn *body, void *arg, struct ttp_err *err)
{
    struct catcher c, *const outer = catching;

    *raised = false;
    if (setjmp(c.back) != 0) { /* NOLINT: see the head of budget.h */
        catching = outer;
        *raised = true;
        if (err)
            *err = c.why;
        return c.why.code;
    }
    catching = &c;
    const ttp_code rc = body(arg, err);
    catching = outer;
    return rc;
}

/* No other thread works in it any more. */
static void leave(struct ttp_scope *s, bool release)
{
    while (s->newest) {
        struct ttp_held *h = s->newest;

        ttp_held_keep(h);
        if (release)
            h->release(h);
    }
    pthread_mutex_destroy(&s->lock);
}

ttp_code ttp_budget_run(struct ttp_budget *b, ttp_budget_fn *body, void *arg,
                        struct ttp_arena *const *kept, struct ttp_err *err)
{
    struct ttp_scope scope = {.budget = b}, *const outer = here;
    bool raised;

    pthread_mutex_init(&scope.lock, NULL);
    here = &scope;
    const ttp_code rc = ttp_budget_catch(&raised, body, arg, err);
    for (; raised && kept && *kept; kept++)
        ttp_arena_keep(*kept);
    leave(&scope, raised);
    here = outer;
    return rc;
}

/* ---- other limits ---- */

static uint64_t by_ratio(uint64_t bytes, uint64_t ratio, uint64_t least)
{
    return bytes < least / ratio ? least : bytes > UINT64_MAX / ratio ? UINT64_MAX : bytes * ratio;
}

ttp_code ttp_budget_inflated(uint64_t packed, uint64_t bytes, struct ttp_err *err)
{
    struct ttp_budget *b = current();
    const uint64_t in = atomic_fetch_add(&b->packed, packed) + packed,
                   out = atomic_fetch_add(&b->inflated, bytes) + bytes;
    const uint64_t limit =
        b->limits.inflate ? b->limits.inflate : by_ratio(in, TTP_INFLATE_RATIO, TTP_INFLATE_FREE);

    if (out <= limit)
        return TTP_OK;
    ttp_fail(err, TTP_ELIMIT, "decompression limit of %s exceeded", ttp_size_text(limit).text);
    ttp_err_hint(err, "if it is not damaged, raise the limit with %s",
                 option("--max-inflate or TT_PERF_MAX_INFLATE", "max_inflate"));
    return TTP_ELIMIT;
}

void ttp_budget_write(uint64_t bytes)
{
    struct ttp_budget *b = current();
    const uint64_t before = atomic_fetch_add_explicit(&b->written, bytes, memory_order_relaxed);
    const uint64_t limit =
        b->limits.output ? b->limits.output : by_ratio(b->read, TTP_OUTPUT_RATIO, TTP_OUTPUT_FREE);

    if (before + bytes <= limit)
        return;
    struct ttp_err why = {0};
    ttp_fail(&why, TTP_ELIMIT, "output limit of %s exceeded", ttp_size_text(limit).text);
    ttp_err_hint(&why, "raise the limit with %s",
                 option("--max-output or TT_PERF_MAX_OUTPUT", "max_output"));
    name_input(&why, b);
    ttp_budget_raise(&why);
}

/* ---- the machine ---- */

/* The number a small file begins with; UINT64_MAX: none ("max"). */
static uint64_t read_number(const char *path, const char *key)
{
    char text[256];
    uint64_t v;

    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
    if (fd >= 0)
        close(fd);
    ttp_str rest = ttp_str_trim((ttp_str){text, n < 0 ? 0 : (size_t)n});
    if (!ttp_str_starts(rest, ttp_str_from(key)))
        return UINT64_MAX;
    rest = ttp_str_trim(ttp_str_slice(rest, strlen(key), rest.len));
    size_t digits = 0;
    while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
        digits++;
    return ttp_str_to_u64(ttp_str_slice(rest, 0, digits), &v) ? v : UINT64_MAX;
}

/* The least limit of the control groups that this process is in, from its own up to the root. */
static uint64_t group_limit(void)
{
    char group[512] = "", file[640];
    uint64_t least = UINT64_MAX;

    const int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, group, sizeof(group) - 1);
    if (fd >= 0)
        close(fd);
    group[n < 0 ? 0 : n] = '\0';
    char *path = strstr(group, "0::/"), *end;
    if (path) {
        path += 3;
        path[strcspn(path, "\n")] = '\0';
    }
    while (path && (end = strrchr(path, '/')) != NULL) {
        snprintf(file, sizeof(file), "/sys/fs/cgroup%s/memory.max", path);
        const uint64_t limit = read_number(file, "");
        if (limit < least)
            least = limit;
        *end = '\0';
    }
    return least;
}

uint64_t ttp_budget_default_memory(void)
{
    const uint64_t total_kb = read_number("/proc/meminfo", "MemTotal:");
    const uint64_t limit[] = {total_kb < UINT64_MAX / 1024 ? total_kb * 1024 : UINT64_MAX,
                              group_limit(), read_number("/sys/fs/cgroup/memory.max", ""),
                              read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", "")};
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < TTP_COUNT(limit); i++)
        if (limit[i] < least)
            least = limit[i];
    return least == UINT64_MAX ? least : least / 4 * 3;
}

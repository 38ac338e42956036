/* SPDX-License-Identifier: Apache-2.0 */
/* The list is one of the two things here that change and are not passed: a handler sees nothing
 * else. Whoever changes it holds its lock with signals off, and touches no mapped file meanwhile.
 */
#include "base/map_guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/file.h"

struct mapped {
    struct ttp_held held; /* first; of the mapping too */
    struct mapped *next;
    const char *from, *to;
    char path[];
};

static struct mapped *all;
static atomic_flag list_lock = ATOMIC_FLAG_INIT;

static ttp_map_lost_fn *tell_of; /* set once, before there are threads */
static struct sigaction before;

static void lock_list(sigset_t *old)
{
    sigset_t every;

    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, old);
    while (atomic_flag_test_and_set(&list_lock))
        continue;
}

static void unlock_list(const sigset_t *old)
{
    atomic_flag_clear(&list_lock);
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void abandon(struct ttp_held *held)
{
    const struct mapped *m = (const struct mapped *)(void *)held;
    const size_t len = (size_t)(m->to - m->from);
    union {
        const char *read;
        void *write;
    } map = {.read = m->from};

    ttp_map_guard_remove(m->from);
    munmap(map.write, len);
}

void ttp_map_guard_add(const void *map, size_t len, const char *path)
{
    const size_t size = strlen(path) + 1;
    struct mapped *m = malloc(sizeof(*m) + size);
    sigset_t old;

    if (!m)
        ttp_arena_oom();
    m->from = map;
    m->to = m->from + len;
    memcpy(m->path, path, size);
    lock_list(&old);
    m->next = all;
    all = m;
    unlock_list(&old);
    ttp_held_add(&m->held, 0, abandon);
}

void ttp_map_guard_remove(const void *map)
{
    struct mapped *found = NULL;
    sigset_t old;

    lock_list(&old);
    for (struct mapped **at = &all; *at; at = &(*at)->next)
        if ((*at)->from == map) {
            found = *at;
            *at = found->next;
            break;
        }
    unlock_list(&old);
    if (found)
        ttp_held_drop(&found->held);
    free(found);
}

ttp_code ttp_map_guard_fail(struct ttp_err *err, const char *path)
{
    ttp_fail(err, TTP_EIO, "cannot read '%s': it was truncated while being read", path);
    ttp_err_hint(err, "try again when no other process writes it");
    return TTP_EIO;
}

/* The lock is kept: the process ends, and a second thread that reads the same file waits for it. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    const struct mapped *m;

    (void)context;
    if (info->si_code == BUS_ADRERR) {
        while (atomic_flag_test_and_set(&list_lock))
            continue;
        for (m = all; m && (at < m->from || at >= m->to); m = m->next)
            continue;
        if (m) {
            ttp_outfile_tidy();
            tell_of(m->path);
        }
        atomic_flag_clear(&list_lock);
    }
    sigaction(number, &before,
              NULL); /* not ours: the access fails again, as without this handler */
    if (info->si_code <= 0)
        (void)raise(number);
}

void ttp_map_guard_on_signal(ttp_map_lost_fn *tell)
{
    const struct sigaction act = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

    tell_of = tell;
    sigaction(SIGBUS, &act, &before);
}

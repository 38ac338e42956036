/* SPDX-License-Identifier: Apache-2.0 */
#include "base/team.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/par.h"

#define MAX_THREADS 1024u

struct ttp_team {
    void (*work)(void *ctx, struct ttp_team *team, unsigned i);
    void *ctx;
    pthread_barrier_t step;
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t ready;
    unsigned size; /* 0: threads are still being started */
};

struct member {
    struct ttp_team *team;
    pthread_t id;
    unsigned i;
};

static void *join_in(void *arg)
{
    const struct member *m = arg;
    struct ttp_team *t = m->team;

    pthread_mutex_lock(&t->lock);
    while (t->size == 0)
        pthread_cond_wait(&t->ready, &t->lock);
    pthread_mutex_unlock(&t->lock);
    t->work(t->ctx, t, m->i);
    return NULL;
}

static unsigned start(struct ttp_team *t, struct member *member, unsigned threads)
{
    unsigned n = 1; /* the calling thread */

    while (n < threads) {
        member[n] = (struct member){.team = t, .i = n};
        if (pthread_create(&member[n].id, NULL, join_in, &member[n]) != 0)
            break;
        n++;
    }
    return n;
}

void ttp_team_run(void (*work)(void *ctx, struct ttp_team *team, unsigned i), void *ctx,
                  unsigned threads)
{
    struct ttp_arena arena = {0};
    struct ttp_team t = {.work = work, .ctx = ctx};

    if (threads == 0)
        threads = ttp_par_cores();
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    struct member *member = TTP_NEW(&arena, struct member, threads);
    pthread_mutex_init(&t.lock, NULL);
    pthread_cond_init(&t.ready, NULL);
    const unsigned n = start(&t, member, threads);
    pthread_barrier_init(&t.step, NULL, n);
    pthread_mutex_lock(&t.lock);
    t.size = n;
    pthread_cond_broadcast(&t.ready);
    pthread_mutex_unlock(&t.lock);
    work(ctx, &t, 0);
    for (unsigned i = 1; i < n; i++)
        pthread_join(member[i].id, NULL);
    pthread_barrier_destroy(&t.step);
    pthread_cond_destroy(&t.ready);
    pthread_mutex_destroy(&t.lock);
    ttp_arena_free(&arena);
}

unsigned ttp_team_size(const struct ttp_team *team)
{
    return team->size;
}

void ttp_team_wait(struct ttp_team *team)
{
    pthread_barrier_wait(&team->step);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Items have numbers in the order of production and live in a ring. Numbers below `head` are merged
 * and gone, [head, next) are being worked on or done, [next, tail) wait for a thread. Every thread
 * takes the most advanced step that is possible: merge, else work, else produce. So a thread mostly
 * works on what it has just produced, few items are alive, and none is left behind. */
#include "base/par.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"

#define NO_ITEM     UINT64_MAX
#define MAX_THREADS 1024u

enum state { WAITING, WORKING, DONE, DROPPED };

struct slot {
    enum state state;
    void *item;
};

struct queue {
    const struct ttp_pipeline *pipeline;
    void *ctx;
    struct ttp_scope *scope; /* of the calling thread */
    struct slot *slot;
    size_t nslots;
    unsigned threads; /* wanted, the calling thread included */
    pthread_t *id;

    pthread_mutex_t lock; /* for all that follows and the states */
    pthread_cond_t changed;
    unsigned started, sleeping;
    uint64_t head, next, tail;
    bool producing, merging;
    bool ended;
    bool raised;     /* want of memory (see budget.h): all stop, and err says why */
    uint64_t failed; /* the lowest item known to have failed */
    ttp_code rc;
    struct ttp_err err;
};

static void *help(void *arg);

/* One call of the pipeline's functions. */
struct call {
    const struct queue *queue;
    ttp_code (*fn)(void *ctx, void *item, struct ttp_err *err);
    void *item;
    bool *more; /* set: produce */
};

static ttp_code call_it(void *arg, struct ttp_err *err)
{
    const struct call *c = arg;

    if (c->more)
        return c->queue->pipeline->produce(c->queue->ctx, c->item, c->more, err);
    const ttp_code rc = c->fn(c->queue->ctx, c->item, err);
    if (c->fn == c->queue->pipeline->merge && c->queue->pipeline->drop)
        c->queue->pipeline->drop(c->queue->ctx, c->item);
    return rc;
}

/* Entered without the lock, left with it. Other threads work on what this one shares with them, so
 * what is raised here must wait for them. */
static ttp_code call_and_lock(struct queue *q, struct call c, struct ttp_err *err)
{
    bool raised = false;

    c.queue = q;
    const ttp_code rc = q->scope ? ttp_budget_catch(&raised, call_it, &c, err) : call_it(&c, err);
    pthread_mutex_lock(&q->lock);
    if (raised && !q->raised) {
        q->raised = true;
        q->err = *err;
    }
    return rc;
}

static struct slot *slot_of(struct queue *q, uint64_t number)
{
    return &q->slot[number % q->nslots];
}

/* A failure of an earlier item replaces one of a later: that is the one a plain loop would meet. */
static void note_failure(struct queue *q, uint64_t number, ttp_code rc, const struct ttp_err *err)
{
    if (number < q->failed && !q->raised) {
        q->failed = number;
        q->rc = rc;
        q->err = *err;
    }
}

static void wake_others(struct queue *q)
{
    if (q->sleeping)
        pthread_cond_broadcast(&q->changed);
}

/* Someone must be free to produce while this thread works; a short input starts none. */
static void start_helper(struct queue *q)
{
    if (q->ended || q->producing || q->sleeping || q->started >= q->threads)
        return;
    if (pthread_create(&q->id[q->started], NULL, help, q) == 0)
        q->started++;
    else
        q->threads = q->started; /* slower, but the result is the same */
}

/* The steps below are entered and left with the lock held, and give it up while they call. */

static bool can_produce(const struct queue *q)
{
    return !q->producing && !q->ended && q->failed == NO_ITEM && q->tail - q->head < q->nslots;
}

static void produce_one(struct queue *q)
{
    struct slot *s = slot_of(q, q->tail);
    struct ttp_err err = {0};
    bool more = true;

    q->producing = true;
    pthread_mutex_unlock(&q->lock);
    memset(s->item, 0, q->pipeline->item_size);
    const ttp_code rc = call_and_lock(q, (struct call){.item = s->item, .more = &more}, &err);
    q->producing = false;
    if (rc != TTP_OK) {
        note_failure(q, q->tail, rc, &err);
    } else if (!more) {
        q->ended = true;
    } else {
        s->state = WAITING;
        q->tail++;
    }
    wake_others(q);
}

static bool can_work(const struct queue *q)
{
    return q->next < q->tail && q->next < q->failed;
}

static void work_one(struct queue *q)
{
    const uint64_t number = q->next++;
    struct slot *s = slot_of(q, number);
    struct ttp_err err = {0};

    s->state = WORKING;
    start_helper(q);
    pthread_mutex_unlock(&q->lock);
    const ttp_code rc =
        call_and_lock(q, (struct call){.fn = q->pipeline->work, .item = s->item}, &err);
    s->state = DONE;
    if (rc != TTP_OK)
        note_failure(q, number, rc, &err);
    wake_others(q);
}

static bool can_merge(struct queue *q)
{
    return !q->merging && q->head < q->next && q->head < q->failed &&
           slot_of(q, q->head)->state == DONE;
}

static void merge_one(struct queue *q)
{
    struct slot *s = slot_of(q, q->head);
    struct ttp_err err = {0};

    q->merging = true;
    pthread_mutex_unlock(&q->lock);
    const ttp_code rc =
        call_and_lock(q, (struct call){.fn = q->pipeline->merge, .item = s->item}, &err);
    q->merging = false;
    s->state = DROPPED;
    if (rc != TTP_OK)
        note_failure(q, q->head, rc, &err);
    else
        q->head++;
    wake_others(q);
}

/* All before the failed item, or all there is, has been merged. */
static bool is_finished(const struct queue *q)
{
    return !q->producing && !q->merging &&
           (q->head == q->failed || (q->ended && q->head == q->tail));
}

static void run_steps(struct queue *q)
{
    while (!q->raised) {
        if (can_merge(q)) {
            merge_one(q);
        } else if (can_work(q)) {
            work_one(q);
        } else if (can_produce(q)) {
            produce_one(q);
        } else if (is_finished(q)) {
            return;
        } else {
            q->sleeping++;
            pthread_cond_wait(&q->changed, &q->lock);
            q->sleeping--;
        }
    }
}

static void *help(void *arg)
{
    struct queue *q = arg;

    ttp_budget_join(q->scope);
    pthread_mutex_lock(&q->lock);
    run_steps(q);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void init_queue(struct queue *q, unsigned threads, struct ttp_arena *arena)
{
    /* a cache line of its own for each item: its neighbours are written by other threads */
    const size_t stride = (q->pipeline->item_size + 63) & ~(size_t)63;

    q->threads = threads;
    q->nslots = 2 * (size_t)threads + 2;
    q->slot = TTP_NEW(arena, struct slot, q->nslots);
    q->id = TTP_NEW(arena, pthread_t, threads);
    char *items = ttp_arena_alloc(arena, q->nslots, stride, 64);
    for (size_t i = 0; i < q->nslots; i++)
        q->slot[i].item = items + i * stride;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->started = 1;
    q->failed = NO_ITEM;
}

static ttp_code run_threads(const struct ttp_pipeline *p, void *ctx, unsigned threads,
                            struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct queue q = {.pipeline = p, .ctx = ctx, .scope = ttp_budget_scope()};

    init_queue(&q, threads, &arena);
    pthread_mutex_lock(&q.lock);
    /* Two first: if there is only one item, no thread is started. */
    produce_one(&q);
    if (!q.raised && can_produce(&q))
        produce_one(&q);
    run_steps(&q);
    pthread_mutex_unlock(&q.lock);
    for (unsigned i = 1; i < q.started; i++)
        pthread_join(q.id[i], NULL);

    if (q.raised) { /* whoever catches it releases what the items hold */
        pthread_cond_destroy(&q.changed);
        pthread_mutex_destroy(&q.lock);
        ttp_budget_raise(&q.err);
    }
    for (uint64_t i = q.head; p->drop && i < q.tail; i++)
        if (slot_of(&q, i)->state != DROPPED)
            p->drop(ctx, slot_of(&q, i)->item);
    pthread_cond_destroy(&q.changed);
    pthread_mutex_destroy(&q.lock);
    ttp_arena_free(&arena);
    if (q.rc != TTP_OK && err)
        *err = q.err;
    return q.rc;
}

static ttp_code run_alone(const struct ttp_pipeline *p, void *ctx, void *item, struct ttp_err *err)
{
    for (;;) {
        bool more = true;

        memset(item, 0, p->item_size);
        TTP_TRY(p->produce(ctx, item, &more, err));
        if (!more)
            return TTP_OK;
        ttp_code rc = p->work(ctx, item, err);
        if (rc == TTP_OK)
            rc = p->merge(ctx, item, err);
        if (p->drop)
            p->drop(ctx, item);
        TTP_TRY(rc);
    }
}

ttp_code ttp_par_pipeline(const struct ttp_pipeline *p, void *ctx, unsigned threads,
                          struct ttp_err *err)
{
    if (threads == 0)
        threads = ttp_par_cores();
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    if (threads > 1)
        return run_threads(p, ctx, threads, err);

    struct ttp_arena arena = {0};
    void *item = ttp_arena_alloc(&arena, 1, p->item_size, 64);
    const ttp_code rc = run_alone(p, ctx, item, err);
    ttp_arena_free(&arena);
    return rc;
}

unsigned ttp_par_cores(void)
{
    /* The kernel refuses a set smaller than its own, so grow until it is content. */
    for (int ncpus = 1024; ncpus <= 1 << 20; ncpus *= 2) {
        const size_t size = CPU_ALLOC_SIZE(ncpus);
        cpu_set_t *set = CPU_ALLOC(ncpus);

        if (!set)
            ttp_arena_oom();
        const int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (found > 0)
            return (unsigned)found;
    }
    return 1;
}

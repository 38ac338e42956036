/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a stream, in the order in which they are seen doing something. */
#include "base/vec.h"
#include "capture/wire_zones.h"

static void write_thread(struct ttp_wire *w, uint32_t at)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_THREAD};

    e.u.thread.position = at;
    e.u.thread.tid = w->thread[at].tid;
    e.u.thread.index = w->thread[at].index;
    ttp_capture_journal_add(w->journal, &e);
}

/* At the limit it is the first: nothing more is decoded then. */
static uint32_t new_thread(struct ttp_wire *w, uint64_t tid)
{
    const uint32_t at = (uint32_t)w->nthreads;
    const uint32_t index = ttp_map_get(&w->index_at, tid);

    if (w->nthreads >= TTP_THREADS_MAX) {
        ttp_wire_stop_at(w, TTP_LIMIT_THREADS);
        return 0;
    }
    *TTP_PUSH(w->arena, w->thread, w->nthreads) =
        (struct ttp_wire_thread){.tid = tid, .index = index == TTP_MAP_NONE ? 0 : index};
    ttp_map_put(&w->thread_at, tid, at);
    write_thread(w, at);
    return at;
}

uint32_t ttp_wire_notice_thread(struct ttp_wire *w, uint32_t tid)
{
    uint32_t at = ttp_map_get(&w->thread_at, tid);

    if (at != TTP_MAP_NONE)
        return at;
    at = new_thread(w, tid);
    ttp_wire_ask(w, TTP_QUERY_THREAD, tid);
    return at;
}

void ttp_wire_give_index(struct ttp_wire *w, uint64_t tid)
{
    if (ttp_map_get(&w->index_at, tid) != TTP_MAP_NONE)
        return;
    if (w->index_at.count >= TTP_THREADS_MAX) {
        ttp_wire_stop_at(w, TTP_LIMIT_THREADS);
        return;
    }
    const uint32_t index = w->next_index++;
    ttp_map_put(&w->index_at, tid, index);
    const uint32_t at = ttp_map_get(&w->thread_at, tid);
    if (at == TTP_MAP_NONE)
        return;
    w->thread[at].index = index;
    write_thread(w, at);
}

uint32_t ttp_wire_current(struct ttp_wire *w)
{
    if (w->current == 0)
        w->current = ttp_wire_notice_thread(w, w->tid) + 1;
    const uint32_t fiber = w->thread[w->current - 1].fiber;
    return (fiber ? fiber : w->current) - 1;
}

void ttp_wire_enter_fiber(struct ttp_wire *w, uint64_t fiber, uint32_t tid)
{
    uint32_t at = ttp_map_get(&w->fiber_at, fiber);

    if (at == TTP_MAP_NONE) {
        at = new_thread(w, (uint64_t)1 << 32 | w->fiber_at.count);
        if (w->full)
            return;
        ttp_map_put(&w->fiber_at, fiber, at);
        ttp_wire_ask(w, TTP_QUERY_FIBER, fiber);
    }
    const uint32_t thread = ttp_wire_notice_thread(w, tid);
    w->thread[thread].fiber = at + 1;
    ttp_wire_give_index(w, tid);
}

void ttp_wire_leave_fiber(struct ttp_wire *w, uint32_t tid)
{
    const uint32_t thread = ttp_wire_notice_thread(w, tid);

    w->thread[thread].fiber = 0;
}

void ttp_wire_name_thread(struct ttp_wire *w, uint32_t at, ttp_str name)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_THREAD_NAME};

    if (at == TTP_MAP_NONE || w->thread[at].named)
        return;
    w->thread[at].named = true;
    e.u.thread_name.position = at;
    e.u.thread_name.name = ttp_until_nul(name);
    ttp_capture_journal_add(w->journal, &e);
}

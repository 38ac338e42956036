/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/exec_index.h"

#include "base/vec.h"

/* TTP_MAP_NONE: none yet. */
static uint32_t find_key(const struct ttp_exec_index *x, const struct ttp_exec_key *key)
{
    uint32_t at;

    TTP_MAP_EACH (at, &x->execs, ttp_exec_key_hash(key))
        if (ttp_exec_key_eq(&x->key[at], key))
            break;
    return at;
}

static void add_exec(struct ttp_exec_index *x, const struct ttp_exec_key *key)
{
    struct ttp_device_log *log = x->log;

    x->execs.arena = &x->scratch;
    ttp_map_add(&x->execs, ttp_exec_key_hash(key), (uint32_t)log->nexecs);
    TTP_ROOM(&x->scratch, x->key, log->nexecs);
    x->key[log->nexecs] = *key;
    *TTP_PUSH(x->arena, log->exec, log->nexecs) = (struct ttp_exec){.device = (uint32_t)key->device,
                                                                    .run_id = key->run_id,
                                                                    .trace_id = key->trace_id,
                                                                    .replay = key->replay,
                                                                    .first_cycle = UINT64_MAX,
                                                                    .sub_device = TTP_NO_ID};
}

static uint32_t find_exec(struct ttp_exec_index *x, const struct ttp_exec_key *key)
{
    if (x->exec_guess < x->log->nexecs && ttp_exec_key_eq(&x->key[x->exec_guess], key))
        return x->exec_guess++;
    uint32_t at = find_key(x, key);
    if (at == TTP_MAP_NONE) {
        at = (uint32_t)x->log->nexecs;
        add_exec(x, key);
    }
    x->exec_guess = at + 1;
    return at;
}

/* Where the search for a part begins. A core takes part in one execution after the other: sixteen
 * of them share a cache line, each in a place of its own. */
static size_t part_home(const struct ttp_exec_index *x, uint32_t exec, uint32_t core)
{
    const uint64_t line = ttp_exec_key_mix((uint64_t)(exec / 16) << 32 | core);

    return (line * 16 + ((exec ^ line >> 60) & 15)) & (x->npart_slots - 1);
}

/* Continues in the next line. The step is odd, so that every slot is probed. */
static size_t part_next(const struct ttp_exec_index *x, size_t at)
{
    return (at + 17) & (x->npart_slots - 1);
}

static void rehash_parts(struct ttp_exec_index *x)
{
    const size_t n = x->npart_slots ? x->npart_slots * 2 : 4096;

    x->part_slot = ttp_arena_resize(&x->scratch, x->part_slot, n * sizeof(*x->part_slot));
    memset(x->part_slot, 0, n * sizeof(*x->part_slot));
    x->npart_slots = n;
    for (size_t i = 0; i < x->log->nparts; i++) {
        const struct ttp_exec_core *p = &x->log->part[i];
        size_t at = part_home(x, p->exec, p->core);

        while (x->part_slot[at])
            at = part_next(x, at);
        x->part_slot[at] = (uint32_t)i + 1;
    }
}

/* Its slot, or the one where it belongs. */
static size_t part_slot(const struct ttp_exec_index *x, uint32_t exec, uint32_t core)
{
    size_t at = part_home(x, exec, core);

    while (x->part_slot[at] && (x->log->part[x->part_slot[at] - 1].exec != exec ||
                                x->log->part[x->part_slot[at] - 1].core != core))
        at = part_next(x, at);
    return at;
}

static void add_part(struct ttp_exec_index *x, uint32_t exec, uint32_t core)
{
    struct ttp_device_log *log = x->log;

    if (x->times) {
        TTP_ROOM(x->arena, log->times, log->nparts);
        log->times[log->nparts] = (struct ttp_core_times){.dm_start_cycle = UINT64_MAX};
    }
    *TTP_PUSH(x->arena, log->part, log->nparts) = (struct ttp_exec_core){
        .exec = exec, .core = core, .first_cycle = UINT64_MAX, .kernel_first_cycle = UINT64_MAX};
}

static uint32_t find_part(struct ttp_exec_index *x, uint32_t exec, uint32_t core)
{
    if (x->log->nparts * 4 >= x->npart_slots * 3)
        rehash_parts(x);
    const size_t at = part_slot(x, exec, core);
    if (!x->part_slot[at]) {
        add_part(x, exec, core);
        x->part_slot[at] = (uint32_t)x->log->nparts;
    }
    x->part_guess = x->part_slot[at];
    return x->part_slot[at] - 1;
}

/* The RISCs of a core run the same ops one after the other: what follows the part of the run before
 * is nearly always right, and then nothing must be searched for. */
struct ttp_exec_place ttp_logs_exec_index_find(struct ttp_exec_index *x,
                                               const struct ttp_exec_key *key, uint32_t core)
{
    if (x->part_guess < x->log->nparts) {
        const struct ttp_exec_core *guess = &x->log->part[x->part_guess];

        if (guess->core == core && ttp_exec_key_eq(&x->key[guess->exec], key)) {
            x->exec_guess = guess->exec + 1;
            return (struct ttp_exec_place){guess->exec, x->part_guess++};
        }
    }
    const uint32_t exec = find_exec(x, key);
    return (struct ttp_exec_place){exec, x->parts ? find_part(x, exec, core) : UINT32_MAX};
}

/* The execution of that key; NULL: none yet. */
static const struct ttp_exec *known_exec(const struct ttp_exec_index *x,
                                         const struct ttp_exec_key *key)
{
    const uint32_t at = find_key(x, key);

    return at == TTP_MAP_NONE ? NULL : &x->log->exec[at];
}

uint8_t ttp_logs_exec_risc_bit(unsigned risc)
{
    return (uint8_t)(risc == TTP_RISC_OTHER ? 0 : 1u << (risc - 1));
}

/* Has this RISC of this core begun that execution before? */
static bool has_begun(const struct ttp_exec_index *x, const struct ttp_exec_key *key, uint32_t core,
                      unsigned risc)
{
    const struct ttp_exec *e = known_exec(x, key);

    if (!e || x->npart_slots == 0)
        return false;
    const uint32_t found = x->part_slot[part_slot(x, (uint32_t)(e - x->log->exec), core)];
    return found && (x->log->part[found - 1].begun & ttp_logs_exec_risc_bit(risc));
}

int64_t ttp_logs_exec_index_count_turns(const struct ttp_exec_index *x, struct ttp_exec_key key,
                                        uint32_t core, const struct ttp_marker_run *run)
{
    int64_t begun = 0, step;
    const struct ttp_exec *e;

    /* RISCs begin executions one after the other: search for the last in steps that double */
    for (step = 1, key.replay = 1; has_begun(x, &key, core, run->risc); step *= 2)
        key.replay = (begun = key.replay) + step;
    for (step /= 2; step > 0; step /= 2) {
        key.replay = begun + step;
        if (has_begun(x, &key, core, run->risc))
            begun = key.replay;
    }
    if (!run->begins) {
        for (key.replay = begun; key.replay > 1; key.replay--)
            if ((e = known_exec(x, &key)) && e->first_cycle <= run->first_cycle)
                break;
        return key.replay > 1 ? key.replay : 1;
    }
    /* an execution begins on all cores before the next one begins on any */
    for (key.replay = begun + 2; (e = known_exec(x, &key)); key.replay++)
        if (run->first_cycle < e->first_cycle)
            break;
    return key.replay - 1;
}

void ttp_logs_exec_index_settle_turns(struct ttp_exec_index *x)
{
    for (size_t i = 0; i < x->log->nexecs; i++) {
        struct ttp_exec_key second = x->key[i];

        second.replay = 2;
        if (x->log->exec[i].replay == 1 && !known_exec(x, &second))
            x->log->exec[i].replay = TTP_NO_ID;
    }
}

void ttp_logs_exec_index_clear(struct ttp_exec_index *x)
{
    ttp_arena_free(&x->scratch);
}

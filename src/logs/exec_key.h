/* SPDX-License-Identifier: Apache-2.0 */
/* exec_key.h - part of the door of logs: which execution of a program on a device a record is of.
 */
#ifndef TTP_LOGS_EXEC_KEY_H
#define TTP_LOGS_EXEC_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct ttp_exec_key {
    int64_t device;           /* id, or position in a list of devices: one of them within a table */
    uint64_t run_id;          /* "run host ID" */
    int64_t trace_id, replay; /* TTP_NO_ID: not a replay of a trace */
};

static inline bool ttp_exec_key_eq(const struct ttp_exec_key *a, const struct ttp_exec_key *b)
{
    return a->run_id == b->run_id && a->device == b->device && a->replay == b->replay &&
           a->trace_id == b->trace_id;
}

static inline uint64_t ttp_exec_key_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static inline uint64_t ttp_exec_key_hash(const struct ttp_exec_key *k)
{
    return ttp_exec_key_mix(ttp_exec_key_mix(k->run_id << 8 ^ (uint64_t)k->device) ^
                            ((uint64_t)k->trace_id << 32 ^ (uint64_t)k->replay));
}

#endif

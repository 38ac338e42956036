/* SPDX-License-Identifier: Apache-2.0 */
/* budget.h - how much one run may use, and what happens if it needs more.
 *
 * Memory is allocated in hundreds of places that cannot fail, so lack of memory is not a result
 * code there. It is raised: the nearest ttp_budget_run() of the thread catches it, releases
 * everything acquired since it began, and returns a code. If it is not caught, the program's own
 * function is called, which prints a message and ends the process.
 *
 * The budget of a thread is that of the ttp_budget_run() around it, else the process's. Thread
 * safe.
 */
#ifndef TTP_BASE_BUDGET_H
#define TTP_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ttp_arena;

/* Bytes. 0: the default, UINT64_MAX: no limit. */
struct ttp_limits {
    uint64_t memory;  /* held at a time; default: no limit */
    uint64_t inflate; /* decompressed size of all inputs; default: TTP_INFLATE_RATIO times their
                         size, at least TTP_INFLATE_FREE */
    uint64_t output;  /* bytes written in total; default: TTP_OUTPUT_RATIO times the bytes read, at
                         least TTP_OUTPUT_FREE */
};
#define TTP_INFLATE_RATIO 200u
#define TTP_INFLATE_FREE  ((uint64_t)256 << 20)
#define TTP_OUTPUT_RATIO  100u
#define TTP_OUTPUT_FREE   ((uint64_t)1 << 30)

struct ttp_budget;

/* ---- the process ---- */

/* Prints the failure and ends the process; called by any thread, where nothing may be allocated. */
typedef void ttp_budget_tell_fn(const struct ttp_err *err);
/* For a program, before it starts threads; a process that does not call it has no limits. Messages
 * then name its options: "--max-memory". Files that were not yet put in place are removed before
 * `tell` is called. */
void ttp_budget_set(const struct ttp_limits *limits, ttp_budget_tell_fn *tell);
/* Three quarters of the memory of this machine, or of the control group if that is less. */
uint64_t ttp_budget_default_memory(void);

/* ---- a part of it: a call of the library ---- */

/* NULL: no memory. It must outlive all memory that was acquired under it. */
struct ttp_budget *ttp_budget_new(const struct ttp_limits *limits);
void ttp_budget_free(struct ttp_budget *b);

typedef ttp_code ttp_budget_fn(void *arg, struct ttp_err *err);
/* What body(arg, err) returns; or, if memory runs out or a limit is reached, TTP_ENOMEM or
 * TTP_ELIMIT after everything acquired in it was released, except for the memory of the arenas
 * `kept` (NULL at the end; arenas that existed before). */
TTP_NODISCARD ttp_code ttp_budget_run(struct ttp_budget *b, ttp_budget_fn *body, void *arg,
                                      struct ttp_arena *const *kept, struct ttp_err *err);

/* ---- for base, which acquires things ---- */

/* Something that must be released if the ttp_budget_run() around it fails. Part of the thing. */
struct ttp_held {
    struct ttp_held *older, *newer;
    struct ttp_scope *scope; /* NULL: none, or it went well */
    struct ttp_budget *budget;
    size_t bytes; /* of memory, counted against the budget */
    void (*release)(struct ttp_held *h);
};

/* Count memory that is about to be acquired; raises if it is too much. */
void ttp_budget_take_memory(size_t bytes);
/* Part of it was released. */
void ttp_budget_give_memory(size_t bytes);
/* It could not be acquired: uncounted again, and raises. */
_Noreturn void ttp_budget_refused(size_t bytes);
/* It was acquired: `release` must release it like whoever does so normally, ttp_held_drop()
 * included. bytes: as counted. */
void ttp_held_add(struct ttp_held *h, size_t bytes, void (*release)(struct ttp_held *h));
/* The thing goes away: forget and uncount it. */
void ttp_held_drop(struct ttp_held *h);
/* It stays whatever becomes of the ttp_budget_run() around. */
void ttp_held_keep(struct ttp_held *h);
/* Around a change of address or size, for callers that count the difference themselves. */
void ttp_held_lock(struct ttp_held *h);
void ttp_held_moved(struct ttp_held *h, size_t bytes);

/* Raise *why. */
_Noreturn void ttp_budget_raise(const struct ttp_err *why);
/* The scope of this thread, for threads that work on its behalf; NULL: that of the process. */
struct ttp_scope *ttp_budget_scope(void);
void ttp_budget_join(struct ttp_scope *scope);
/* body(arg, err), which stops what is raised in it here: *raised, and *err has the reason. Nothing
 * is released: raise it again once no thread works on it any more. */
TTP_NODISCARD ttp_code ttp_budget_catch(bool *raised, ttp_budget_fn *body, void *arg,
                                        struct ttp_err *err);

/* ---- the other limits ---- */

/* This is being read: messages name the last one. */
void ttp_budget_reading(const char *path);
/* It has that many bytes. */
void ttp_budget_read(uint64_t bytes);
/* That many bytes of an input have become that many; TTP_ELIMIT: too many. */
TTP_NODISCARD ttp_code ttp_budget_inflated(uint64_t packed, uint64_t bytes, struct ttp_err *err);
/* That many bytes are about to be written; raises if it is too much. */
void ttp_budget_write(uint64_t bytes);

/* "512 MiB", "1.5 GiB". */
struct ttp_size_text {
    char text[32];
};
struct ttp_size_text ttp_size_text(uint64_t bytes);

#endif

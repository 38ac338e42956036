/* SPDX-License-Identifier: Apache-2.0 */
/* store_place.h - a folder for the history of one test, which goes away with it. */
#ifndef TTP_TEST_STORE_PLACE_H
#define TTP_TEST_STORE_PLACE_H

#include "base/file.h"
#include "base/temp_dir.h"
#include "store/store.h"
#include "test.h"

struct place {
    struct ttp_arena arena;
    const char *folder, *where; /* the latter: of the history, which is missing yet */
};

static inline struct place *place_make(void **state, const char *name)
{
    struct ttp_arena arena = {0};
    struct place *p = TTP_NEW(&arena, struct place, 1);

    assert_int_equal(ttp_temp_dir_make(&p->folder, &arena, NULL), TTP_OK);
    p->where = ttp_file_join(p->folder, name, &arena);
    p->arena = arena;
    *state = p;
    return p;
}

static inline int place_remove(void **state)
{
    struct place *p = *state;
    struct ttp_arena arena = p->arena;

    ttp_temp_dir_end(p->folder);
    ttp_arena_free(&arena);
    return 0;
}

/* The history there, to write to. */
static inline struct ttp_store *open_store(const struct place *p)
{
    struct ttp_store *s = NULL;
    struct ttp_err err = {0};

    if (ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err) != TTP_OK)
        fail_msg("%s", err.text);
    return s;
}

#endif

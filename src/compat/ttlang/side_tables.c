/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_walk.h"
#include "base/vec.h"
#include "compat/compat.h"

#define TABLE_MAX 1000000

static void check_size(struct ttp_json_walk *w, size_t count)
{
    if (count >= TABLE_MAX && w->code == TTP_OK)
        w->code = ttp_fail(w->err, TTP_ELIMIT, "more than %d entries in a table", TABLE_MAX);
}

static struct ttp_side_kernel *kernel_of(struct ttp_json_walk *w, struct ttp_side_tables *t,
                                         ttp_str name)
{
    for (size_t i = 0; i < t->nkernels; i++)
        if (ttp_str_eq(t->kernel[i].name, name))
            return &t->kernel[i];
    check_size(w, t->nkernels);
    TTP_ROOM(w->arena, t->kernel, t->nkernels);
    t->kernel[t->nkernels] = (struct ttp_side_kernel){.name = name};
    return &t->kernel[t->nkernels++];
}

static void read_signposts(struct ttp_json_walk *w, struct ttp_side_tables *t)
{
    ttp_str zone;

    while (ttp_walk_member(w, &zone)) {
        struct ttp_side_line line = {.zone = zone};
        if (!ttp_walk_into_array(w))
            continue;
        for (size_t i = 0; ttp_walk_item(w); i++) {
            if (i == 0)
                (void)ttp_walk_i64(w, &line.line);
            else if (i == 1)
                (void)ttp_walk_text(w, &line.source);
            else
                ttp_walk_leave(w);
        }
        check_size(w, t->nlines);
        *TTP_PUSH(w->arena, t->line, t->nlines) = line;
    }
}

static void read_sources(struct ttp_json_walk *w, struct ttp_side_tables *t)
{
    ttp_str name, text;

    while (ttp_walk_member(w, &name)) {
        struct ttp_side_kernel *k = kernel_of(w, t, name);
        if (!ttp_walk_into_array(w))
            continue;
        while (ttp_walk_item(w))
            if (ttp_walk_text(w, &text)) {
                check_size(w, k->nlines);
                *TTP_PUSH(w->arena, k->line, k->nlines) = text;
            }
    }
}

static void read_offsets(struct ttp_json_walk *w, struct ttp_side_tables *t)
{
    ttp_str name;

    while (ttp_walk_member(w, &name))
        (void)ttp_walk_i64(w, &kernel_of(w, t, name)->offset);
}

static void read_threads(struct ttp_json_walk *w, struct ttp_side_tables *t)
{
    ttp_str thread, kernel;

    while (ttp_walk_member(w, &thread))
        if (ttp_walk_text(w, &kernel)) {
            check_size(w, t->nthreads);
            *TTP_PUSH(w->arena, t->thread, t->nthreads) = (struct ttp_side_thread){thread, kernel};
        }
}

ttp_code ttp_original_kernel_read_side_tables(struct ttp_side_tables *out, const char *path,
                                              struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct {
        const char *name;
        void (*read)(struct ttp_json_walk *w, struct ttp_side_tables *t);
    } table[] = {{"signposts", read_signposts},
                 {"sources", read_sources},
                 {"offsets", read_offsets},
                 {"thread_to_kernel", read_threads}};
    struct ttp_json_walk w;
    ttp_str text, key;

    *out = (struct ttp_side_tables){0};
    TTP_TRY(ttp_walk_read_file(&text, path, arena, err));
    ttp_walk_begin(&w, text, arena, err);
    if (ttp_walk_into_object(&w))
        while (ttp_walk_member(&w, &key)) {
            size_t i = 0;
            while (i < TTP_COUNT(table) && !ttp_str_eq(key, ttp_str_from(table[i].name)))
                i++;
            if (i == TTP_COUNT(table))
                ttp_walk_leave(&w);
            else if (ttp_walk_into_object(&w))
                table[i].read(&w, out);
        }
    const ttp_code rc = ttp_walk_end(&w);
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* json_members.c - json_members WANTED GOT: does "data" of the document GOT have every member of
 * WANTED, with the same value? Members of objects may have any order; 1 and 1.0 are equal, and so
 * are a large number and the text of its digits. The first differences are printed. */
#include <stdio.h>

#include "base/file.h"
#include "base/json_tree.h"

#define SHOWN 6

static int differences;

static void differs(const char *path, const char *what, ttp_str got, ttp_str wanted)
{
    if (differences++ < SHOWN)
        printf("%s: %s: got %.*s, wanted %.*s\n", path, what, TTP_FMT(got), TTP_FMT(wanted));
}

static bool is_number(const struct ttp_node *n)
{
    return n->kind == TTP_JSON_NUMBER;
}

static bool same_scalar(const struct ttp_node *got, const struct ttp_node *wanted)
{
    int64_t a, b;

    if (is_number(wanted) && (is_number(got) || got->kind == TTP_JSON_STRING)) {
        if (ttp_json_to_i64(got->text, &a) && ttp_json_to_i64(wanted->text, &b))
            return a == b;
        return ttp_node_f64(got) == ttp_node_f64(wanted);
    }
    return got->kind == wanted->kind && ttp_str_eq(got->text, wanted->text);
}

static size_t children(const struct ttp_node *n)
{
    size_t count = 0;

    for (const struct ttp_node *c = n->child; c; c = c->next)
        count++;
    return count;
}

/* The documents are our own and a few levels deep. NOLINTNEXTLINE(misc-no-recursion) */
static void compare(const struct ttp_node *got, const struct ttp_node *wanted, const char *path)
{
    char inner[512];

    if (wanted->kind != TTP_JSON_OBJECT_BEGIN && wanted->kind != TTP_JSON_ARRAY_BEGIN) {
        if (!same_scalar(got, wanted))
            differs(path, "value", got->text, wanted->text);
        return;
    }
    if (got->kind != wanted->kind || children(got) != children(wanted)) {
        differs(path, "kind or number of members", got->text, wanted->text);
        return;
    }
    const struct ttp_node *item = got->child;
    size_t i = 0;
    for (const struct ttp_node *w = wanted->child; w; w = w->next, i++) {
        const struct ttp_node *g = item;

        if (wanted->kind == TTP_JSON_OBJECT_BEGIN) {
            snprintf(inner, sizeof(inner), "%s/%.*s", path, TTP_FMT(w->key));
            for (g = got->child; g && !ttp_str_eq(g->key, w->key);)
                g = g->next;
        } else {
            snprintf(inner, sizeof(inner), "%s/%zu", path, i);
            item = item->next;
        }
        if (g)
            compare(g, w, inner);
        else
            differs(inner, "missing", (ttp_str){0}, w->text);
    }
}

static const struct ttp_node *read_tree(const char *path, struct ttp_arena *arena)
{
    struct ttp_node *tree = NULL;
    struct ttp_err err = {0};
    struct ttp_file file;

    if (ttp_file_map(&file, path, &err) == TTP_OK) {
        const ttp_str text = ttp_arena_copy(arena, file.text);
        ttp_file_close(&file);
        if (ttp_json_tree(&tree, text, arena, &err) == TTP_OK && tree)
            return tree;
    }
    printf("%s: %s\n", path, err.text);
    return NULL;
}

int main(int argc, char **argv)
{
    struct ttp_arena arena = {0};

    if (argc != 3) {
        fprintf(stderr, "usage: json_members WANTED GOT\n");
        return 2;
    }
    const struct ttp_node *wanted = read_tree(argv[1], &arena), *got = read_tree(argv[2], &arena);
    const struct ttp_node *data = got ? ttp_node_get(got, "data") : NULL;
    size_t members = 0;
    for (const struct ttp_node *w = wanted ? wanted->child : NULL; w && data; w = w->next) {
        char path[128];
        const struct ttp_node *g = data->child;

        if (ttp_str_eq(w->key, TTP_STR("case"))) /* the name of the recording */
            continue;
        members++;
        snprintf(path, sizeof(path), "%.*s", TTP_FMT(w->key));
        while (g && !ttp_str_eq(g->key, w->key))
            g = g->next;
        if (g)
            compare(g, w, path);
        else
            differs(path, "missing", (ttp_str){0}, w->text);
    }
    if (members == 0 || !data) {
        printf("nothing to compare\n");
        differences++;
    }
    ttp_arena_free(&arena);
    return differences != 0;
}

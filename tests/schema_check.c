/* SPDX-License-Identifier: Apache-2.0 */
/* schema_check.c - schema_check SCHEMA FILE...: do the JSON files follow the schema, and does every
 * property of the schema occur in one of them? What is printed and what is promised drift apart
 * otherwise. It knows the part of JSON Schema 2020-12 that docs/schemas/ uses and refuses the rest.
 */
#include <assert.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json_read.h"

#define MAX_DEPTH 64

struct node {
    enum ttp_json_event type; /* of a value: OBJECT_BEGIN, ARRAY_BEGIN, STRING, ... */
    ttp_str key, text;
    struct node *first, *next; /* members or items */
    bool seen;                 /* of a property in the schema: some file has it */
};

struct check {
    const struct node *root; /* of the schema */
    const char *file;
    int failures;
};

static struct node *read_tree(const char *path, struct ttp_arena *arena)
{
    struct node root = {0}, **tail[MAX_DEPTH] = {&root.first};
    struct ttp_json_reader r = {.max_depth = MAX_DEPTH - 2};
    struct ttp_err err = {0};
    enum ttp_json_event event;
    struct ttp_file file;
    ttp_str key = {0};
    size_t depth = 0;

    ttp_code rc = ttp_file_map(&file, path, &err);
    if (rc != TTP_OK)
        goto failed;
    ttp_json_feed(&r, file.text, true);
    while ((rc = ttp_json_next(&event, &r, &err)) == TTP_OK && event != TTP_JSON_END) {
        if (event == TTP_JSON_KEY) {
            key = ttp_arena_copy(arena, r.text);
            continue;
        }
        if (event == TTP_JSON_OBJECT_END || event == TTP_JSON_ARRAY_END) {
            depth--;
            continue;
        }
        struct node *n = TTP_NEW(arena, struct node, 1);
        *n = (struct node){.type = event, .key = key};
        key = (ttp_str){0};
        assert(tail[depth]); /* set when this level was opened */
        *tail[depth] = n;
        tail[depth] = &n->next;
        if (event == TTP_JSON_STRING || event == TTP_JSON_NUMBER)
            n->text = ttp_arena_copy(arena, r.text);
        if (event == TTP_JSON_OBJECT_BEGIN || event == TTP_JSON_ARRAY_BEGIN)
            tail[++depth] = &n->first;
    }
    ttp_json_clear(&r);
    ttp_file_close(&file);
    if (rc == TTP_OK)
        return root.first;
failed:
    fprintf(stderr, "%s: %s\n", path, err.text);
    return NULL;
}

static struct node *member(const struct node *object, ttp_str key)
{
    for (struct node *n = object ? object->first : NULL; n; n = n->next)
        if (ttp_str_eq(n->key, key))
            return n;
    return NULL;
}

static void complain(struct check *c, const char *path, const char *what, ttp_str detail)
{
    fprintf(stderr, "%s: %s: %s '%.*s'\n", c->file, path, what, TTP_FMT(detail));
    c->failures++;
}

static bool is_type(const struct node *v, ttp_str type)
{
    static const char *const names[] = {
        [TTP_JSON_OBJECT_BEGIN] = "object", [TTP_JSON_ARRAY_BEGIN] = "array",
        [TTP_JSON_STRING] = "string",       [TTP_JSON_NUMBER] = "number",
        [TTP_JSON_TRUE] = "boolean",        [TTP_JSON_FALSE] = "boolean",
        [TTP_JSON_NULL] = "null",
    };
    int64_t whole;

    if (ttp_str_eq(type, TTP_STR("integer")))
        return v->type == TTP_JSON_NUMBER && ttp_json_to_i64(v->text, &whole);
    return ttp_str_eq(type, ttp_str_from(names[v->type]));
}

static bool same_scalar(const struct node *a, const struct node *b)
{
    return a->type == b->type && ttp_str_eq(a->text, b->text);
}

static bool any_of(const struct node *list, const struct node *v, bool types)
{
    if (list->type != TTP_JSON_ARRAY_BEGIN)
        return types ? is_type(v, list->text) : same_scalar(list, v);
    for (const struct node *n = list->first; n; n = n->next)
        if (types ? is_type(v, n->text) : same_scalar(n, v))
            return true;
    return false;
}

static const struct node *follow(const struct check *c, const struct node *schema)
{
    const struct node *ref = member(schema, TTP_STR("$ref"));

    if (!ref)
        return schema;
    const ttp_str prefix = TTP_STR("#/$defs/");
    return ttp_str_starts(ref->text, prefix)
               ? member(member(c->root, TTP_STR("$defs")),
                        ttp_str_slice(ref->text, prefix.len, ref->text.len))
               : NULL;
}

static void check_keywords(struct check *c, const struct node *schema, const char *path)
{
    static const char *const known[] = {
        "$schema",     "$id",
        "$comment",    "$defs",
        "$ref",        "title",
        "description", "type",
        "enum",        "const",
        "items",       "properties",
        "required",    "additionalProperties",
        "minimum",     "maximum",
        "minItems",    "maxItems",
        "oneOf",       "allOf",
        "unit",
    };

    for (const struct node *k = schema->first; k; k = k->next) {
        size_t i = 0;
        while (i < TTP_COUNT(known) && !ttp_str_eq(k->key, ttp_str_from(known[i])))
            i++;
        if (i == TTP_COUNT(known))
            complain(c, path, "keyword this checker does not know:", k->key);
    }
}

/* Both trees are at most MAX_DEPTH deep. NOLINTBEGIN(misc-no-recursion) */
static void check_value(struct check *c, const struct node *schema, const struct node *v,
                        const char *path, int depth);

/* The first member that the schema wants and the value has not; NULL: it has all. */
static const struct node *first_missing(const struct node *schema, const struct node *v)
{
    const struct node *required = member(schema, TTP_STR("required"));
    const struct node *n = required ? required->first : NULL;

    while (n && member(v, n->text))
        n = n->next;
    return n;
}

/* Of the schema itself or of one that it is made of: of `oneOf` the one whose members are there. */
static struct node *find_property(const struct check *c, const struct node *schema,
                                  const struct node *v, ttp_str key, int depth)
{
    struct node *property = member(member(schema, TTP_STR("properties")), key);
    const struct node *all = member(schema, TTP_STR("allOf"));
    const struct node *one = member(schema, TTP_STR("oneOf"));

    for (const struct node *n = all ? all->first : NULL; n && !property; n = n->next)
        if (follow(c, n) && depth < MAX_DEPTH)
            property = find_property(c, follow(c, n), v, key, depth + 1);
    for (const struct node *n = one ? one->first : NULL; n && !property; n = n->next)
        if (follow(c, n) && depth < MAX_DEPTH && !first_missing(follow(c, n), v))
            property = find_property(c, follow(c, n), v, key, depth + 1);
    return property;
}

static void check_object(struct check *c, const struct node *schema, const struct node *v,
                         const char *path, int depth)
{
    const struct node *more = member(schema, TTP_STR("additionalProperties"));
    const struct node *missing = first_missing(schema, v);
    char inner[512];

    if (missing)
        complain(c, path, "no member", missing->text);
    for (const struct node *n = v->first; n; n = n->next) {
        struct node *property = find_property(c, schema, v, n->key, depth);

        snprintf(inner, sizeof(inner), "%s.%.*s", path, TTP_FMT(n->key));
        if (property) {
            property->seen = true;
            check_value(c, property, n, inner, depth + 1);
        } else if (!more || more->type == TTP_JSON_FALSE) {
            complain(c, path, "a member the schema does not have:", n->key);
        } else if (more->type == TTP_JSON_OBJECT_BEGIN) {
            check_value(c, more, n, inner, depth + 1);
        }
    }
}

static void check_array(struct check *c, const struct node *schema, const struct node *v,
                        const char *path, int depth)
{
    const struct node *items = member(schema, TTP_STR("items"));
    const struct node *most = member(schema, TTP_STR("maxItems"));
    const struct node *least = member(schema, TTP_STR("minItems"));
    char inner[512];
    uint64_t count = 0, max, min;

    for (const struct node *n = v->first; n; n = n->next, count++)
        if (items) {
            snprintf(inner, sizeof(inner), "%s[%llu]", path, (unsigned long long)count);
            check_value(c, items, n, inner, depth + 1);
        }
    if (most && ttp_json_to_u64(most->text, &max) && count > max)
        complain(c, path, "more items than", most->text);
    if (least && ttp_json_to_u64(least->text, &min) && count < min)
        complain(c, path, "less items than", least->text);
}

static void check_value(struct check *c, const struct node *schema, const struct node *v,
                        const char *path, int depth)
{
    double value, least, most;

    schema = follow(c, schema);
    if (!schema || depth > MAX_DEPTH) {
        complain(c, path, "a $ref that leads nowhere:", TTP_STR(""));
        return;
    }
    check_keywords(c, schema, path);
    const struct node *type = member(schema, TTP_STR("type"));
    const struct node *list = member(schema, TTP_STR("enum"));
    const struct node *fixed = member(schema, TTP_STR("const"));
    const struct node *minimum = member(schema, TTP_STR("minimum"));
    const struct node *maximum = member(schema, TTP_STR("maximum"));
    if (type && !any_of(type, v, true))
        complain(c, path, "wrong type of value", v->text);
    if ((list && !any_of(list, v, false)) || (fixed && !same_scalar(fixed, v)))
        complain(c, path, "value that is not allowed:", v->text);
    if (minimum && ttp_json_to_f64(minimum->text, &least) && v->type == TTP_JSON_NUMBER &&
        ttp_json_to_f64(v->text, &value) && value < least)
        complain(c, path, "too small:", v->text);
    if (maximum && ttp_json_to_f64(maximum->text, &most) && v->type == TTP_JSON_NUMBER &&
        ttp_json_to_f64(v->text, &value) && value > most)
        complain(c, path, "too large:", v->text);
    if (v->type == TTP_JSON_OBJECT_BEGIN)
        check_object(c, schema, v, path, depth);
    else if (v->type == TTP_JSON_ARRAY_BEGIN)
        check_array(c, schema, v, path, depth);
}

/* Properties that no file has. */
static void check_seen(struct check *c, const struct node *schema, int depth)
{
    for (const struct node *n = schema->first; n && depth < MAX_DEPTH; n = n->next) {
        const bool properties =
            ttp_str_eq(n->key, TTP_STR("properties")) && n->type == TTP_JSON_OBJECT_BEGIN;

        for (const struct node *p = properties ? n->first : NULL; p; p = p->next)
            if (!p->seen)
                complain(c, "schema", "no output has the property", p->key);
        if (n->type == TTP_JSON_OBJECT_BEGIN)
            check_seen(c, n, depth + 1);
    }
}

/* NOLINTEND(misc-no-recursion) */

int main(int argc, char **argv)
{
    struct ttp_arena arena = {0};
    struct check c = {0};

    /* a generated schema comes from the declarations that write the documents, but no run shows all
     * of it */
    const bool partial = argc > 1 && strcmp(argv[1], "--partial") == 0;
    argc -= partial;
    argv += partial;
    if (argc < 3) {
        fprintf(stderr, "usage: schema_check [--partial] SCHEMA FILE...\n");
        return 2;
    }
    c.root = read_tree(argv[1], &arena);
    for (int i = 2; i < argc && c.root; i++) {
        const struct node *value = read_tree(argv[i], &arena);
        c.file = argv[i];
        if (value)
            check_value(&c, c.root, value, "", 0);
        else
            c.failures++;
    }
    c.file = argv[1];
    if (c.root && !partial)
        check_seen(&c, c.root, 0);
    const int status = !c.root || c.failures;
    ttp_arena_free(&arena);
    return status;
}

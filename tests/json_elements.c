/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_elements [--member NAME] [--drop NAME]... [--unordered NAME]... FILE - prints a JSON
 * document one value per line, so that two documents can be compared by value with diff(1) and
 * sha256sum(1).
 *
 * A line is a path, a tab and a value without blanks. Objects are split into their members; the
 * elements of an array in the outermost object get a line each, numbered unless the array is
 * --unordered (sort the lines then). Numbers with a fraction or exponent are printed with 17
 * digits. --member prints only that member of the outermost object; --drop leaves out members of
 * that name at any depth. It expects valid JSON and refuses what it cannot follow.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 8
#define MAX_PATH  512
#define MAX_DEPTH 100

struct names {
    const char *name[MAX_NAMES];
    size_t count;
};

static struct names dropped, unordered;
static const char *only_member;

static _Noreturn void die(const char *what, const char *about)
{
    fprintf(stderr, "json_elements: %s %s\n", what, about);
    exit(2);
}

static bool is_named(const struct names *names, const char *key, size_t len)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->name[i]) == len && memcmp(names->name[i], key, len) == 0) {
            return true;
        }
    }
    return false;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* After the closing quote of the string that begins at p. */
static const char *string_end(const char *p)
{
    for (p++; *p != '"'; p++) {
        if (*p == '\\') {
            p++;
        }
        if (*p == '\0') {
            die("a string has no end:", "the file is cut short");
        }
    }
    return p + 1;
}

/* The value after the key at p; *len: of the key, with its quotes. */
static const char *after_key(const char *p, size_t *len)
{
    if (*p != '"') {
        die("expected a key, got", *p != '\0' ? "something else" : "the end of the file");
    }
    const char *end = string_end(p);
    *len = (size_t)(end - p);
    end = skip_blanks(end);
    if (*end != ':') {
        die("expected ':' after", "a key");
    }
    return skip_blanks(end + 1);
}

/* After the comma between two values, or at the closing bracket. */
static const char *next_value(const char *p, char closing)
{
    p = skip_blanks(p);
    if (*p == ',') {
        return skip_blanks(p + 1);
    }
    if (*p != closing) {
        die("expected ',' or a closing bracket after", "a value");
    }
    return p;
}

/* Depth is limited, so these may call each other. NOLINTBEGIN(misc-no-recursion) */
static const char *copy_value(const char *p, bool print, int depth);

/* Prints the object or array at p without blanks and without dropped members. */
static const char *copy_container(const char *p, bool print, int depth)
{
    const char closing = *p == '{' ? '}' : ']';
    bool any = false;
    if (depth > MAX_DEPTH) {
        die("nested too deeply:", "more than 100 levels");
    }
    if (print) {
        putchar(*p);
    }
    p = skip_blanks(p + 1);
    while (*p != closing) {
        bool show = print;
        const char *key = p;
        size_t key_len = 0;
        if (closing == '}') {
            p = after_key(p, &key_len);
            show = print && !is_named(&dropped, key + 1, key_len - 2);
        }
        if (show && any) {
            putchar(',');
        }
        if (show && key_len > 0) {
            printf("%.*s:", (int)key_len, key);
        }
        any = any || show;
        p = next_value(copy_value(p, show, depth + 1), closing);
    }
    if (print) {
        putchar(closing);
    }
    return p + 1;
}

static const char *copy_value(const char *p, bool print, int depth)
{
    if (*p == '{' || *p == '[') {
        return copy_container(p, print, depth);
    }
    const char *end = *p == '"' ? string_end(p) : p + strcspn(p, ",]} \t\r\n");
    if (end == p) {
        die("expected a value, got", *p != '\0' ? "something else" : "the end of the file");
    }
    if (print && *p != '"' && *p != 't' && *p != 'f' && strcspn(p, ".eE") < (size_t)(end - p)) {
        printf("%.17g", strtod(p, NULL));
    } else if (print) {
        fwrite(p, 1, (size_t)(end - p), stdout);
    }
    return end;
}

static const char *print_array(const char *p, const char *path)
{
    const bool any_order = is_named(&unordered, path, strlen(path));
    p = skip_blanks(p + 1);
    for (size_t i = 0; *p != ']'; i++) {
        printf(any_order ? "%s[]\t" : "%s[%zu]\t", path, i);
        p = next_value(copy_value(p, true, 1), ']');
        putchar('\n');
    }
    return p + 1;
}

static const char *print_members(const char *p, const char *path, int depth)
{
    p = skip_blanks(p + 1);
    while (*p != '}') {
        char inner[MAX_PATH];
        const char *key = p;
        size_t quoted;
        if (depth > MAX_DEPTH) {
            die("nested too deeply:", path);
        }
        p = after_key(p, &quoted);
        const int key_len = (int)quoted - 2;
        const int len = snprintf(inner, sizeof(inner), "%s%s%.*s", path, *path != '\0' ? "." : "",
                                 key_len, key + 1);
        if (len < 0 || (size_t)len >= sizeof(inner)) {
            die("the path is too long:", path);
        }
        const bool chosen = depth > 0 || only_member == NULL || strcmp(only_member, inner) == 0;
        if (is_named(&dropped, key + 1, (size_t)key_len) || !chosen) {
            p = copy_value(p, false, 0);
        } else if (*p == '{') {
            /* the chosen member represents the document */
            p = print_members(p, depth == 0 && only_member != NULL ? "" : inner, depth + 1);
        } else if (*p == '[' && depth == 0) {
            p = print_array(p, inner);
        } else {
            printf("%s\t", inner);
            p = copy_value(p, true, 0);
            putchar('\n');
        }
        p = next_value(p, '}');
    }
    return p + 1;
}

/* NOLINTEND(misc-no-recursion) */

static char *read_file(const char *name)
{
    FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (f == NULL) {
        die(strerror(errno), name);
    }
    size_t len = 0, room = 1U << 20;
    char *text = malloc(room);
    while (text != NULL) {
        len += fread(text + len, 1, room - len - 1, f);
        if (len < room - 1) {
            break;
        }
        room *= 2;
        text = realloc(text, room);
    }
    if (text == NULL || ferror(f)) {
        die("cannot read", name);
    }
    text[len] = '\0';
    return text;
}

int main(int argc, char **argv)
{
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        struct names *list = NULL;
        if (strcmp(argv[i], "--drop") == 0) {
            list = &dropped;
        } else if (strcmp(argv[i], "--unordered") == 0) {
            list = &unordered;
        }
        if (list != NULL && i + 1 < argc && list->count < MAX_NAMES) {
            list->name[list->count++] = argv[++i];
        } else if (strcmp(argv[i], "--member") == 0 && i + 1 < argc) {
            only_member = argv[++i];
        } else if (file == NULL) {
            file = argv[i];
        } else {
            die("unexpected argument", argv[i]);
        }
    }
    if (file == NULL) {
        die("FILE is required:",
            "json_elements [--member NAME] [--drop NAME]... [--unordered NAME]... FILE");
    }
    char *text = read_file(file);
    const char *p = skip_blanks(text);
    if (*p != '{') {
        die("not a JSON object:", file);
    }
    p = skip_blanks(print_members(p, "", 0));
    if (*p != '\0') {
        die("text after the document:", file);
    }
    free(text);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}

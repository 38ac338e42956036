/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes are a command line, words end at NUL. Both parsers: no crash; a refusal says why; parsing
 * the same words again gives the same; every operand is one of the words. */
#include <math.h>
#include <stdlib.h>

#include "dropin/argparse.h"
#include "fuzz.h"

struct values {
    bool all, brief, bare;
    const char *output;
    int64_t threads;
    double scale;
    int color;
    struct ttp_words where;
};

#define AT(field) offsetof(struct values, field)
#define MAX_WORDS 64

static const char *const colors[] = {"auto", "always", "never", NULL};

static const struct ttp_opt table[] = {
    {.name = "all", .letter = 'a', .type = TTP_OPT_FLAG, .offset = AT(all), .help = "x"},
    {.name = "brief", .letter = 'b', .type = TTP_OPT_FLAG, .offset = AT(brief), .help = "x"},
    {.name = "bare", .type = TTP_OPT_FLAG, .offset = AT(bare), .help = "x"},
    {.name = "output", .letter = 'o', .type = TTP_OPT_STR, .offset = AT(output), .help = "x"},
    {.name = "threads", .letter = 'j', .type = TTP_OPT_INT, .offset = AT(threads), .max = 64},
    {.name = "scale", .type = TTP_OPT_FLOAT, .offset = AT(scale), .help = "x-y--z"},
    {.name = "color", .type = TTP_OPT_CHOICE, .offset = AT(color), .choices = colors},
    {.name = "colour", .alias_of = "color", .hidden = true},
    {.name = "where", .type = TTP_OPT_LIST, .offset = AT(where)},
};

static const struct ttp_argparse parser = {
    .prog = "prog",
    .description = "d",
    .opt = table,
    .nopt = TTP_COUNT(table),
    .positional = "file",
    .positional_help = "f",
};

static bool same_words(const struct ttp_words *a, const struct ttp_words *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->word[i] != b->word[i])
            return false;
    return true;
}

static bool same_values(const struct values *a, const struct values *b)
{
    return a->all == b->all && a->brief == b->brief && a->bare == b->bare &&
           a->output == b->output && a->threads == b->threads && a->color == b->color &&
           (a->scale == b->scale || (isnan(a->scale) && isnan(b->scale))) &&
           same_words(&a->where, &b->where);
}

static void check_words(const struct ttp_words *w, int argc, char **argv)
{
    for (size_t i = 0; i < w->count; i++) {
        int k = 0;
        while (k < argc && argv[k] != w->word[i])
            k++;
        if (k == argc)
            abort();
    }
}

static void check_gnu(int argc, char **argv, struct ttp_arena *arena)
{
    struct values v[2] = {0};
    const struct ttp_opts_grammar grammar = {.opt = table, .count = TTP_COUNT(table)};
    struct ttp_opts_given given[2] = {{.opts = &v[0]}, {.opts = &v[1]}};
    struct ttp_err err[2] = {0};
    ttp_code rc[2];

    for (int i = 0; i < 2; i++)
        rc[i] =
            ttp_opts_parse(&given[i], &grammar, (struct ttp_arguments){argc, argv}, arena, &err[i]);
    if (rc[0] != rc[1] || given[0].dashdash != given[1].dashdash ||
        given[0].dashdash > given[0].operands.count ||
        !same_words(&given[0].operands, &given[1].operands) || !same_values(&v[0], &v[1]))
        abort();
    if (rc[0] != TTP_OK && (rc[0] != TTP_EUSAGE || err[0].text[0] == '\0'))
        abort();
    check_words(&given[0].operands, argc, argv);
}

static void check_python(int argc, char **argv, struct ttp_arena *arena)
{
    struct values v[2] = {0};
    struct ttp_words files[2];
    ttp_str message[2];
    enum ttp_argparse_result rc[2];

    for (int i = 0; i < 2; i++)
        rc[i] = ttp_argparse_parse(&v[i], &files[i], &message[i], &parser, argc, argv, arena);
    if (rc[0] != rc[1] || !same_words(&files[0], &files[1]) || !same_values(&v[0], &v[1]) ||
        !ttp_str_eq(message[0], message[1]))
        abort();
    if ((rc[0] == TTP_ARGPARSE_ERROR) != (message[0].len > 0) ||
        ttp_str_valid_utf8(message[0]) != message[0].len)
        abort();
    if (rc[0] == TTP_ARGPARSE_RUN && files[0].count == 0)
        abort();
    check_words(&files[0], argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    char *argv[MAX_WORDS];
    int argc = 0;

    char *bytes = TTP_NEW(&arena, char, size + 1);
    if (size)
        memcpy(bytes, data, size);
    for (size_t at = 0; at <= size && argc < MAX_WORDS; at += strlen(bytes + at) + 1)
        argv[argc++] = bytes + at;
    check_gnu(argc, argv, &arena);
    check_python(argc, argv, &arena); /* takes the first word for the program's name */
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* git_calls.c - git does what git knows best; we only ask. */
#include <assert.h>
#include <stdarg.h>

#include "tune/tuner.h"

/* Hooks of the user are not for our folders. */
static const char *const front[] = {"git", "--no-optional-locks", "-c", "core.hooksPath=/dev/null",
                                    "-c",  "gc.auto=0",           "-c", "advice.detachedHead=false",
                                    "-c",  "core.quotePath=false"};

/* The last line that says something, without "fatal: ". */
static ttp_str complaint(ttp_str errors)
{
    ttp_str rest = errors, line, last = TTP_STR("no reason given");

    while (ttp_str_next_line(&rest, &line)) {
        line = ttp_str_trim(line);
        if (line.len && !ttp_str_starts(line, TTP_STR("hint:")))
            last = line;
    }
    if (ttp_str_starts(last, TTP_STR("fatal: ")))
        last = ttp_str_slice(last, 7, last.len);
    if (ttp_str_starts(last, TTP_STR("error: ")))
        last = ttp_str_slice(last, 7, last.len);
    return ttp_str_slice(last, 0, 180);
}

/* It was the system that said no to git: no room, most of the time. */
static bool is_io_failure(ttp_str errors)
{
    static const ttp_str reason[] = {
        {"No space left on device", 23}, {"Out of diskspace", 16},   {"Disk quota exceeded", 19},
        {"File too large", 14},          {"Input/output error", 18}, {"Read-only file system", 21},
    };

    for (size_t i = 0; i < TTP_COUNT(reason); i++)
        if (ttp_str_has(errors, reason[i]))
            return true;
    return false;
}

static ttp_code run(ttp_str *out, const struct ttp_git *git, const char *const *argv,
                    const char *verb, struct ttp_err *err)
{
    struct ttp_words set = {0};
    struct ttp_child c;
    struct ttp_child_options o = {.argv = argv, .dir = git->dir};

    ttp_words_add(&set, "LC_ALL=C", git->arena);
    ttp_words_add(&set, "GIT_TERMINAL_PROMPT=0", git->arena);
    /* commits of ours are nobody's */
    ttp_words_add(&set, "GIT_AUTHOR_NAME=tt-perf tune", git->arena);
    ttp_words_add(&set, "GIT_AUTHOR_EMAIL=tt-perf@localhost", git->arena);
    ttp_words_add(&set, "GIT_COMMITTER_NAME=tt-perf tune", git->arena);
    ttp_words_add(&set, "GIT_COMMITTER_EMAIL=tt-perf@localhost", git->arena);
    if (git->index)
        ttp_words_add(&set, ttp_tuner_text(git->arena, "GIT_INDEX_FILE=%s", git->index),
                      git->arena);
    o.env = ttp_child_environment(&set, git->arena);
    TTP_TRY(ttp_child_find(&o.path, "git", o.env, git->arena, err));
    TTP_TRY(ttp_child_run(&c, &o, git->signals, git->arena, err));
    if (c.end == TTP_CHILD_INTERRUPTED)
        return ttp_fail(err, TTP_EIO, "interrupted");
    if (c.end != TTP_CHILD_EXITED || c.code != 0) {
        const bool io = is_io_failure(c.errors);

        ttp_fail(err, io ? TTP_EIO : TTP_EPARSE, "git %s: %.*s", verb,
                 TTP_FMT(complaint(c.errors)));
        if (io)
            ttp_err_hint(err, "make room for '%s', then do it again", git->dir);
        return io ? TTP_EIO : TTP_EPARSE;
    }
    *out = c.printed.len ? c.printed : TTP_STR("");
    if (ttp_str_ends(*out, TTP_STR("\n")))
        out->len--;
    return TTP_OK;
}

ttp_code ttp_git_words(ttp_str *out, const struct ttp_git *git, const struct ttp_words *words,
                       struct ttp_err *err)
{
    const char **argv = TTP_NEW(git->arena, const char *, TTP_COUNT(front) + words->count + 1);

    assert(words->count && words->word); /* at least what git is to do */
    memcpy(argv, front, sizeof(front));
    for (size_t i = 0; i < words->count; i++)
        argv[TTP_COUNT(front) + i] = words->word[i];
    return run(out, git, argv, words->word[0], err);
}

static struct ttp_words collect(va_list ap, struct ttp_arena *arena)
{
    struct ttp_words words = {0};
    const char *word;

    while ((word = va_arg(ap, const char *)))
        ttp_words_add(&words, word, arena);
    return words;
}

ttp_code ttp_git_ask(ttp_str *out, const struct ttp_git *git, struct ttp_err *err, ...)
{
    va_list ap;

    va_start(ap, err);
    const struct ttp_words words = collect(ap, git->arena);
    va_end(ap);
    return ttp_git_words(out, git, &words, err);
}

ttp_code ttp_git_do(const struct ttp_git *git, struct ttp_err *err, ...)
{
    ttp_str unused;
    va_list ap;

    va_start(ap, err);
    const struct ttp_words words = collect(ap, git->arena);
    va_end(ap);
    return ttp_git_words(&unused, git, &words, err);
}

struct ttp_git ttp_tuner_git(const struct ttp_tune *t)
{
    return (struct ttp_git){.dir = t->place.top, .signals = t->o.signals, .arena = t->arena};
}

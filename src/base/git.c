/* SPDX-License-Identifier: Apache-2.0 */
/* git.c - runs git and parses its output. */
#include "base/git.h"

#include <assert.h>
#include <stdarg.h>

#include "base/sink.h"

/* For all of it. What is looked up in the repository's configuration and executed is named here, or
 * its variable below. */
static const char *const always[] = {
    "git",
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "advice.detachedHead=false",
    "-c",
    "core.quotePath=false",
};

/* ---- environment ---- */

static bool is_one_of(ttp_str name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq(name, ttp_str_from(list[i])))
            return true;
    return false;
}

bool ttp_git_is_local_variable(ttp_str name)
{
    /* `git rev-parse --local-env-vars`, of all versions; tests/child_contract.sh compares */
    static const char *const local[] = {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    };

    return is_one_of(name, local, TTP_COUNT(local));
}

/* Of git's own variables only those reach it that say where it finds itself and its configuration:
 * the next version may have one more that ties it to a repository. */
static bool is_not_for_ours(ttp_str name)
{
    static const char *const kept[] = {
        "GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",       "GIT_EXEC_PATH",     "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    };

    return ttp_str_starts(name, TTP_STR("GIT_")) && !is_one_of(name, kept, TTP_COUNT(kept));
}

static const char *joined(struct ttp_arena *arena, const char *a, ttp_str b)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%.*s", a, TTP_FMT(b));
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

static const char **environment(const struct ttp_git *git)
{
    static const char *const plain[] = {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0"};
    static const char *const questions[] = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
                                            "GIT_ASKPASS=false"};
    struct ttp_words set = {0};

    for (size_t i = 0; i < TTP_COUNT(plain); i++)
        ttp_words_add(&set, plain[i], git->arena);
    for (size_t i = 0; !git->writes && i < TTP_COUNT(questions); i++)
        ttp_words_add(&set, questions[i], git->arena);
    if (git->index)
        ttp_words_add(&set, joined(git->arena, "GIT_INDEX_FILE=", ttp_str_from(git->index)),
                      git->arena);
    for (size_t i = 0; git->set && i < git->set->count; i++)
        ttp_words_add(&set, git->set->word[i], git->arena);
    return ttp_child_environment_without(is_not_for_ours, &set, git->arena);
}

/* ---- one call ---- */

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

/* A system error of git, mostly a full disk. */
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

static ttp_code fail_late(const struct ttp_git *git, const char *verb, double seconds,
                          struct ttp_err *err)
{
    ttp_fail(err, TTP_ETIMEOUT, "git %s took longer than %g s in '%.150s'", verb, seconds,
             git->dir ? git->dir : ".");
    ttp_err_hint(err, "the disk may be slow or gone; try 'git %s' there", verb);
    return TTP_ETIMEOUT;
}

static ttp_code run(ttp_str *out, const struct ttp_git *git, const struct ttp_words *words,
                    struct ttp_err *err)
{
    const char **argv = TTP_NEW(git->arena, const char *, TTP_COUNT(always) + words->count + 1);
    struct ttp_child c;
    struct ttp_child_options o = {.argv = argv,
                                  .env = environment(git),
                                  .dir = git->dir,
                                  .input = git->input,
                                  .timeout_s =
                                      git->timeout_s > 0 ? git->timeout_s : TTP_GIT_TIMEOUT_S};

    *out = (ttp_str){0};
    assert(words->count && words->word); /* at least what git is to do */
    memcpy(argv, always, sizeof(always));
    memcpy(argv + TTP_COUNT(always), words->word, words->count * sizeof(*argv));
    TTP_TRY(ttp_child_find(&o.path, "git", o.env, git->arena, err));
    TTP_TRY(ttp_child_run(&c, &o, git->signals, git->arena, err));
    if (c.end == TTP_CHILD_INTERRUPTED)
        return ttp_fail(err, TTP_EIO, "interrupted");
    if (c.end == TTP_CHILD_TIMED_OUT)
        return fail_late(git, words->word[0], o.timeout_s, err);
    if (c.end != TTP_CHILD_EXITED || c.code != 0) {
        const bool io = is_io_failure(c.errors);

        ttp_fail(err, io ? TTP_EIO : TTP_EPARSE, "git %s: %.*s", words->word[0],
                 TTP_FMT(complaint(c.errors)));
        if (io)
            ttp_err_hint(err, "free disk space for '%s', then try again",
                         git->dir ? git->dir : ".");
        return io ? TTP_EIO : TTP_EPARSE;
    }
    *out = c.printed.len ? c.printed : TTP_STR("");
    return TTP_OK;
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
    TTP_TRY(run(out, git, &words, err));
    if (ttp_str_ends(*out, TTP_STR("\n")))
        out->len--;
    return TTP_OK;
}

ttp_code ttp_git_do(const struct ttp_git *git, struct ttp_err *err, ...)
{
    ttp_str unused;
    va_list ap;

    va_start(ap, err);
    const struct ttp_words words = collect(ap, git->arena);
    va_end(ap);
    return run(&unused, git, &words, err);
}

/* ---- names ---- */

/* As git itself refuses them in a tree: a file is removed or read by these names. */
static bool stays_inside(ttp_str name)
{
    ttp_str rest = name;

    for (;;) {
        const size_t slash = ttp_str_find_char(rest, '/');
        const ttp_str part = ttp_str_slice(rest, 0, slash);

        if (part.len == 0 || ttp_str_eq(part, TTP_STR(".")) || ttp_str_eq(part, TTP_STR("..")) ||
            ttp_str_eq_any_case(part, TTP_STR(".git")))
            return false;
        if (slash == TTP_NPOS)
            return true;
        rest = ttp_str_slice(rest, slash + 1, rest.len);
    }
}

/* Names with a prefix, and the text before each. */
struct names_wanted {
    ttp_str want;
    char before;
};

/* Behind `skip` bytes of each entry is the name, of those that begin with `want`. */
static ttp_code split_names(struct ttp_words *out, ttp_str text, struct names_wanted which,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    *out = (struct ttp_words){0};
    while (text.len) {
        const size_t end = ttp_str_find_char(text, '\0');
        ttp_str one = ttp_str_slice(text, 0, end);

        if (end == TTP_NPOS)
            return ttp_fail(err, TTP_EPARSE, "the last name in git's output is truncated: '%.*s'",
                            TTP_FMT(ttp_str_slice(one, 0, 100)));
        text = ttp_str_slice(text, end + 1, text.len);
        if (!ttp_str_starts(one, which.want))
            continue;
        if (which.before)
            one = ttp_str_slice(one, ttp_str_find_char(one, which.before) + 1, one.len);
        /* "folder/" is a repository of its own that is not tracked */
        if (!stays_inside(ttp_str_ends(one, TTP_STR("/")) ? ttp_str_slice(one, 0, one.len - 1)
                                                          : one))
            return ttp_fail(err, TTP_EPARSE, "a name outside the tree: '%.*s'",
                            TTP_FMT(ttp_str_slice(one, 0, 100)));
        ttp_words_add(out, ttp_arena_zstr(arena, one), arena);
    }
    return TTP_OK;
}

ttp_code ttp_git_names(struct ttp_words *out, const struct ttp_git *git, struct ttp_err *err, ...)
{
    ttp_str text;
    va_list ap;

    va_start(ap, err);
    const struct ttp_words words = collect(ap, git->arena);
    va_end(ap);
    TTP_TRY(run(&text, git, &words, err));
    return split_names(out, text, (struct names_wanted){TTP_STR(""), '\0'}, git->arena, err);
}

ttp_code ttp_git_submodules(struct ttp_words *out, const struct ttp_git *git, struct ttp_err *err)
{
    const char *words[] = {"ls-files", "-z", "--stage", "--full-name"};
    ttp_str text;

    /* "160000 HASH 0<tab>PATH" */
    TTP_TRY(run(&text, git, &(struct ttp_words){words, TTP_COUNT(words)}, err));
    return split_names(out, text, (struct names_wanted){TTP_STR("160000 "), '\t'}, git->arena, err);
}

/* ---- what was edited ---- */

/* Every filter of the configuration becomes one that does nothing. In variables: a name may have
 * any character, also the '=' at which -c is cut. */
static ttp_code without_filters(struct ttp_words *out, const struct ttp_git *git,
                                struct ttp_err *err)
{
    const char *words[] = {"config", "-z", "--name-only", "--get-regexp",
                           "^filter\\..*\\.(clean|smudge|process|required)$"};
    struct ttp_err none = {0};
    ttp_str text, name;
    size_t count = 0;

    *out = (struct ttp_words){0};
    const ttp_code rc = run(&text, git, &(struct ttp_words){words, TTP_COUNT(words)}, &none);
    if (rc == TTP_EPARSE) /* there are none: its status is 1 then */
        return TTP_OK;
    if (rc != TTP_OK) {
        if (err)
            *err = none;
        return rc;
    }
    for (; text.len; count++) {
        struct ttp_sink key, value;
        const size_t end = ttp_str_find_char(text, '\0');

        name = ttp_str_slice(text, 0, end);
        text = ttp_str_slice(text, end == TTP_NPOS ? text.len : end + 1, text.len);
        ttp_sink_to_arena(&key, git->arena);
        ttp_sink_to_arena(&value, git->arena);
        ttp_sink_printf(&key, "GIT_CONFIG_KEY_%zu=%.*s", count, TTP_FMT(name));
        ttp_sink_printf(&value, "GIT_CONFIG_VALUE_%zu=%s", count,
                        ttp_str_ends(name, TTP_STR(".required")) ? "false" : "");
        ttp_words_add(out, ttp_arena_zstr(git->arena, ttp_sink_text(&key)), git->arena);
        ttp_words_add(out, ttp_arena_zstr(git->arena, ttp_sink_text(&value)), git->arena);
    }
    char number[TTP_NUM_MAX];
    const ttp_str digits = {number, ttp_num_u64(number, count)};
    ttp_words_add(out, joined(git->arena, "GIT_CONFIG_COUNT=", digits), git->arena);
    return TTP_OK;
}

ttp_code ttp_git_edited(const char **out, const struct ttp_git *git, bool untracked,
                        struct ttp_err *err)
{
    const char *words[] = {"status",
                           "-z",
                           "--porcelain=v1",
                           "--no-renames",
                           "--ignore-submodules=dirty",
                           untracked ? "--untracked-files=normal" : "--untracked-files=no"};
    struct ttp_git quiet = *git;
    struct ttp_words set;
    ttp_str text;

    *out = NULL;
    TTP_TRY(without_filters(&set, git, err));
    quiet.set = &set;
    TTP_TRY(run(&text, &quiet, &(struct ttp_words){words, TTP_COUNT(words)}, err));
    /* "XY PATH" */
    if (text.len > 3)
        *out = ttp_arena_zstr(git->arena, ttp_str_slice(text, 3, ttp_str_find_char(text, '\0')));
    return TTP_OK;
}

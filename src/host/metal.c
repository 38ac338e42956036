/* SPDX-License-Identifier: Apache-2.0 */
/* metal.c - the tt-metal that this environment points at: how it was built, and from which commit.
 */
#include "base/file.h"
#include "base/input.h"
#include "host/checkup.h"

#define CACHE_BOUND ((size_t)16 << 20) /* CMakeCache.txt has some 100 KB */
#define REF_BOUND   ((size_t)8 << 20)
#define COMMIT_LEN  40

static const char *variable(const struct ttp_words *env, const char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; i < env->count; i++)
        if (strncmp(env->word[i], name, n) == 0 && env->word[i][n] == '=' && env->word[i][n + 1])
            return env->word[i] + n + 1;
    return NULL;
}

/* A file that may be missing: then it is empty. */
static ttp_str optional_text(const char *dir, const char *name, size_t max, struct ttp_arena *arena)
{
    const struct ttp_input_bound bound = {max, "too large"};
    const char *path = ttp_file_join(dir, name, arena);
    struct ttp_err ignored;
    ttp_str text;

    if (!ttp_file_exists(path) || ttp_input_all(&text, path, &bound, arena, &ignored) != TTP_OK)
        return (ttp_str){0};
    return text;
}

/* "NAME:TYPE=VALUE" of CMakeCache.txt. */
static ttp_str cached(ttp_str cache, ttp_str name)
{
    ttp_str line;

    while (ttp_str_next_line(&cache, &line)) {
        const size_t equals = ttp_str_find_char(line, '=');

        if (line.len > name.len && ttp_str_starts(line, name) && line.ptr[name.len] == ':' &&
            equals != TTP_NPOS)
            return ttp_str_trim(ttp_str_slice(line, equals + 1, line.len));
    }
    return (ttp_str){0};
}

static bool is_commit(ttp_str s)
{
    uint64_t part;

    return s.len == COMMIT_LEN && ttp_str_hex_to_u64(ttp_str_slice(s, 0, 16), &part) &&
           ttp_str_hex_to_u64(ttp_str_slice(s, 16, 32), &part) &&
           ttp_str_hex_to_u64(ttp_str_slice(s, 32, 40), &part);
}

/* "COMMIT REF" of packed-refs. */
static ttp_str packed(ttp_str refs, ttp_str name)
{
    ttp_str line;

    while (ttp_str_next_line(&refs, &line))
        if (line.len == COMMIT_LEN + 1 + name.len && ttp_str_ends(line, name))
            return ttp_str_slice(line, 0, COMMIT_LEN);
    return (ttp_str){0};
}

/* git is not asked: it would run with the rights and settings of whoever owns that folder. */
static ttp_str commit_of(const char *root, struct ttp_arena *arena)
{
    const char *git = ttp_file_join(root, ".git", arena);
    const ttp_str head = ttp_str_trim(optional_text(git, "HEAD", 4096, arena));
    const ttp_str mark = TTP_STR("ref: ");

    if (!ttp_str_starts(head, mark))
        return is_commit(head) ? head : (ttp_str){0};
    const ttp_str ref = ttp_str_slice(head, mark.len, head.len);
    if (!ttp_str_starts(ref, TTP_STR("refs/")) || ttp_str_has(ref, TTP_STR("..")))
        return (ttp_str){0};
    ttp_str commit = ttp_str_trim(optional_text(git, ttp_arena_zstr(arena, ref), 4096, arena));
    if (!is_commit(commit))
        commit = packed(optional_text(git, "packed-refs", REF_BOUND, arena), ref);
    return is_commit(commit) ? commit : (ttp_str){0};
}

void ttp_host_metal_read(struct ttp_metal *out, const struct ttp_words *env,
                         struct ttp_arena *arena)
{
    static const char *const names[] = {"TT_METAL_HOME", "TT_METAL_RUNTIME_ROOT"};

    *out = (struct ttp_metal){0};
    for (size_t i = 0; i < TTP_COUNT(names) && !out->root; i++) {
        const char *dir = variable(env, names[i]);

        if (dir && dir[0] == '/' && ttp_file_is_dir(dir))
            out->root = dir;
    }
    if (!out->root)
        return;
    /* build is a link to the folder of the newest build */
    const char *build = ttp_file_join(out->root, "build", arena);
    const ttp_str cache = optional_text(build, "CMakeCache.txt", CACHE_BOUND, arena);
    out->configured = cache.len > 0;
    out->build_type = cached(cache, TTP_STR("CMAKE_BUILD_TYPE"));
    out->tracy = cached(cache, TTP_STR("ENABLE_TRACY"));
    out->commit = commit_of(out->root, arena);
}

/* --- checks --- */

static struct ttp_check *add(struct ttp_checkup *c, enum ttp_verdict_level level, ttp_str value,
                             const char *file)
{
    struct ttp_check *k =
        ttp_check_add(c, NULL, level, "%.*s", TTP_FMT(ttp_str_slice(value, 0, 60)));

    k->source = ttp_str_from(ttp_file_join(c->in->metal->root, file, c->arena));
    return k;
}

static bool is_one_of(ttp_str word, const char *const *list)
{
    while (*list && !ttp_str_eq_any_case(word, ttp_str_from(*list)))
        list++;
    return *list;
}

void ttp_check_metal_build(struct ttp_checkup *c)
{
    static const char *const fast[] = {"Release", "RelWithDebInfo", NULL};
    const struct ttp_metal *m = c->in->metal;

    if (!m || !m->root)
        return;
    if (m->build_type.len == 0) {
        add(c, TTP_CHECK_SKIP, TTP_STR("unknown"), "build/CMakeCache.txt")->text =
            m->configured ? TTP_STR("the build does not name its type")
                          : TTP_STR("tt-metal was not built there");
        return;
    }
    const bool good = is_one_of(m->build_type, fast);
    struct ttp_check *k =
        add(c, good ? TTP_CHECK_PASS : TTP_CHECK_WARN, m->build_type, "build/CMakeCache.txt");
    k->limit = TTP_STR("Release or RelWithDebInfo");
    k->origin = TTP_STR("vendor: build_metal.sh builds Release by default");
    if (!good) {
        k->text = TTP_STR("the host side is slower than in a release build");
        k->fix = TTP_STR("./build_metal.sh --release");
    }
}

void ttp_check_metal_profiler(struct ttp_checkup *c)
{
    static const char *const off[] = {"OFF", "0", "NO", "FALSE", "N", NULL};
    const struct ttp_metal *m = c->in->metal;

    if (!m || !m->root)
        return;
    if (m->tracy.len == 0) {
        add(c, TTP_CHECK_SKIP, TTP_STR("unknown"), "build/CMakeCache.txt")->text =
            TTP_STR("the build does not record whether Tracy is enabled");
        return;
    }
    const bool is_off = is_one_of(m->tracy, off);
    struct ttp_check *k =
        add(c, is_off ? TTP_CHECK_WARN : TTP_CHECK_PASS,
            ttp_check_text(c, "ENABLE_TRACY=%.*s", TTP_FMT(ttp_str_slice(m->tracy, 0, 20))),
            "build/CMakeCache.txt");
    k->limit = TTP_STR("on, to profile; it costs nothing until a profiler connects");
    k->origin = TTP_STR("vendor: build_metal.sh enables it by default");
    if (is_off) {
        k->text = TTP_STR("tt-perf record captures nothing of such a build");
        k->fix = TTP_STR("remove build/CMakeCache.txt and run ./build_metal.sh without "
                         "--disable-profiler");
    }
}

void ttp_check_metal_commit(struct ttp_checkup *c)
{
    const struct ttp_metal *m = c->in->metal;

    if (!m || !m->root)
        return;
    if (m->commit.len)
        add(c, TTP_CHECK_PASS, ttp_str_slice(m->commit, 0, 12), ".git/HEAD");
    else
        add(c, TTP_CHECK_SKIP, TTP_STR("unknown"), ".git/HEAD")->text =
            TTP_STR("not a git checkout");
}

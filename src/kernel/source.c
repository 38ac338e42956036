/* SPDX-License-Identifier: Apache-2.0 */
/* Source text for the lines of a profile. A kernel of TT-Lang is looked for by its name: a .py file
 * that defines it above its first measured line. A C++ file is looked for by its path, without the
 * folders that differ from machine to machine. */
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_walk.h"
#include "base/rootdir.h"
#include "kernel/kernel.h"
#include "kernel/line_text.h"

#define LINES_MAX  2000000
#define SOURCE_MAX ((size_t)16 << 20)
#define FILES_MAX  2000

static bool blank(ttp_str line)
{
    return ttp_str_trim(line).len == 0;
}

static ttp_code split(struct ttp_source_text *out, const char *path, ttp_str text,
                      struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str rest = text, line;
    size_t n = 0;

    while (ttp_str_next_line(&rest, &line))
        n++;
    if (n > LINES_MAX)
        return ttp_fail(err, TTP_ELIMIT, "%zu lines: too long for a kernel", n);
    *out = (struct ttp_source_text){.path = path, .line = TTP_NEW(arena, ttp_str, n)};
    rest = text;
    while (ttp_str_next_line(&rest, &line))
        out->line[out->nlines++] = line;
    return TTP_OK;
}

/* --- Python --- */

/* "def NAME(" or "async def NAME(": the line's number, or 0. */
static int64_t find_def(const struct ttp_source_text *s, ttp_str kernel, int64_t before)
{
    int64_t found = 0;

    for (size_t i = 0; i < s->nlines && (int64_t)i < before; i++) {
        ttp_str text = ttp_str_trim(s->line[i]);
        if (!ttp_str_starts(text, TTP_STR("def ")))
            continue;
        text = ttp_str_trim(ttp_str_slice(text, 4, text.len));
        if (ttp_str_starts(text, kernel) && text.len > kernel.len &&
            (text.ptr[kernel.len] == '(' || text.ptr[kernel.len] == ' '))
            found = (int64_t)i + 1;
    }
    return found;
}

/* The last line of the block that `def` opens. */
static int64_t block_end(const struct ttp_source_text *s, int64_t def)
{
    const size_t outer = ttp_indent_of(s->line[def - 1]);
    int64_t last = def;

    for (size_t i = (size_t)def; i < s->nlines; i++) {
        if (blank(s->line[i]))
            continue;
        if (ttp_indent_of(s->line[i]) <= outer && s->line[i].ptr[ttp_indent_of(s->line[i])] != ')')
            break;
        last = (int64_t)i + 1;
    }
    return last;
}

static bool frame_python(struct ttp_annotated_thread *t, const struct ttp_source_text *s)
{
    const int64_t first = t->line[0].line, last = t->line[t->nlines - 1].line;
    const int64_t def = find_def(s, t->kernel, first);

    if (def == 0 || last > (int64_t)s->nlines)
        return false;
    t->source = s;
    t->first_line = def;
    t->last_line = block_end(s, def);
    t->last_line = last > t->last_line ? last : t->last_line;
    return true;
}

/* --- C++ --- */

/* Lines around what was measured. */
static bool frame_cpp(struct ttp_annotated_thread *t, const struct ttp_source_text *s)
{
    enum { AROUND = 3 };
    int64_t first = t->line[0].line, last = t->line[t->nlines - 1].line;

    for (size_t i = 0; i < t->nlines && first <= 0; i++)
        first = t->line[i].line;
    if (first <= 0 || last > (int64_t)s->nlines)
        return false;
    t->source = s;
    t->first_line = first > AROUND ? first - AROUND : 1;
    t->last_line = last + AROUND < (int64_t)s->nlines ? last + AROUND : (int64_t)s->nlines;
    return true;
}

static bool frame(struct ttp_annotated_thread *t, const struct ttp_source_text *s)
{
    return t->kernel.len ? frame_python(t, s) : frame_cpp(t, s);
}

/* --- below a root --- */

static bool is_source_name(ttp_str path)
{
    static const char *const ends[] = {".py",  ".cpp", ".cc",  ".cxx", ".c",   ".h",
                                       ".hpp", ".hh",  ".hxx", ".inl", ".ipp", ".tpp"};

    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_ends(path, ttp_str_from(ends[i])))
            return true;
    return false;
}

/* `path` is relative to the folder that `root` holds and `folder` names. */
static ttp_code load_below(struct ttp_source_text *out, const struct ttp_rootdir *root,
                           const char *folder, const char *path, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    ttp_str text;

    if (!is_source_name(ttp_str_from(path)))
        return ttp_fail(err, TTP_ENOTFOUND, "'%s' does not have the suffix of a source file", path);
    TTP_TRY(
        ttp_rootdir_read_all(&text, root, ttp_file_join("/", path, arena), SOURCE_MAX, arena, err));
    return split(out, ttp_file_join(folder, path, arena), text, arena, err);
}

/* Its lines may not be those that were measured. */
static bool is_newer(const char *path, const struct ttp_source_options *options)
{
    struct stat st;

    return options->recorded_us && stat(path, &st) == 0 &&
           (uint64_t)st.st_mtim.tv_sec * 1000000 + (uint64_t)st.st_mtim.tv_nsec / 1000 >
               options->recorded_us;
}

/* With fewer and fewer folders in front. */
static bool load_cpp(struct ttp_source_text *out, ttp_str file, const struct ttp_rootdir *root,
                     const char *folder, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    ttp_str rest = file;

    for (size_t slash = 0; slash != TTP_NPOS; rest = ttp_str_slice(rest, slash + 1, rest.len)) {
        slash = ttp_str_find_char(rest, '/');
        if (rest.len && slash != 0 &&
            load_below(out, root, folder, ttp_arena_zstr(arena, rest), arena, &ignored) == TTP_OK)
            return true;
    }
    return false;
}

/* --- looking --- */

struct looking {
    struct ttp_annotated_thread *thread;
    const struct ttp_rootdir *root;
    const char *folder;
    struct ttp_arena *scratch;
    size_t left; /* files to look into; the rest of a large tree is left alone */
    bool runs;   /* copies that other runs have count as well */
};

/* What ttp_file_find_newest() has found below the folder, relative to it. */
static const char *below(const char *path, const char *folder)
{
    path += strlen(folder);
    return path + strspn(path, "/");
}

/* Does the file lie in the folder of a run, other than the one that is searched? */
static bool in_other_run(const char *path, const struct looking *l)
{
    const size_t above = (size_t)(strrchr(path, '/') - path);
    const char *folder = ttp_arena_zstr(l->scratch, (ttp_str){path, above});

    return below(path, l->folder)[strcspn(below(path, l->folder), "/")] == '/' &&
           ttp_file_is_dir(ttp_file_join(folder, ".logs", l->scratch));
}

static bool defines_kernel(const char *path, const char *name, void *arg)
{
    struct looking *l = arg;
    struct ttp_source_text s;
    struct ttp_err ignored = {0};
    struct ttp_annotated_thread probe = *l->thread;

    if (!ttp_str_ends(ttp_str_from(name), TTP_STR(".py")) || l->left == 0 ||
        ttp_str_has(ttp_str_from(path), TTP_STR("/.logs/"))) /* logs of passes are not source */
        return false;
    l->left--;
    const struct ttp_mark mark = ttp_arena_mark(l->scratch);
    const bool good = (l->runs || !in_other_run(path, l)) &&
                      load_below(&s, l->root, l->folder, below(path, l->folder), l->scratch,
                                 &ignored) == TTP_OK &&
                      frame_python(&probe, &s);
    ttp_arena_rewind(l->scratch, mark);
    return good;
}

static bool load_python(struct ttp_source_text *out, struct ttp_annotated_thread *t,
                        const struct ttp_rootdir *root, const char *folder, struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0};
    struct ttp_err ignored = {0};
    const char *path = NULL;
    bool found = false;

    /* a copy that another run has is of that run: only if there is nothing else */
    for (int runs = 0; runs < 2 && !found; runs++) {
        struct looking l = {t, root, folder, &scratch, FILES_MAX, runs > 0};

        found = ttp_file_find_newest(&path, folder, (struct ttp_file_matcher){defines_kernel, &l},
                                     arena, &ignored) == TTP_OK;
    }
    ttp_arena_free(&scratch);
    return found && load_below(out, root, folder, below(path, folder), arena, &ignored) == TTP_OK;
}

/* The first root that has it. */
static void find_source(struct ttp_annotated_thread *t, const struct ttp_source_options *options,
                        struct ttp_arena *arena)
{
    struct ttp_source_text *s = TTP_NEW(arena, struct ttp_source_text, 1);
    struct ttp_err ignored = {0};

    for (size_t i = 0; i < options->nroots && !t->source; i++) {
        const char *folder = options->root[i].path;
        struct ttp_rootdir root;

        if (t->kernel.len && !options->root[i].searched)
            continue;
        if (ttp_rootdir_open(&root, folder, &ignored) != TTP_OK)
            continue;
        if (t->kernel.len ? load_python(s, t, &root, folder, arena)
                          : load_cpp(s, t->file, &root, folder, arena)) {
            s->changed = !options->root[i].of_run && is_newer(s->path, options);
            (void)frame(t, s);
        }
        ttp_rootdir_close(&root);
    }
}

ttp_code ttp_kernel_find_sources(struct ttp_annotation *a, const struct ttp_source_options *options,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_source_text *given = TTP_NEW(arena, struct ttp_source_text, 1);

    if (options->source) {
        ttp_str text;

        TTP_TRY(ttp_walk_read_file(&text, options->source, arena, err));
        TTP_TRY(split(given, options->source, text, arena, err));
        given->changed = is_newer(options->source, options);
    }
    for (size_t i = 0; i < a->nthreads; i++) {
        struct ttp_annotated_thread *t = &a->thread[i];
        if (options->source && frame(t, given))
            continue;
        for (size_t k = 0; k < i && !t->source; k++) /* threads often share a file */
            if (a->thread[k].source && t->kernel.len)
                (void)frame(t, a->thread[k].source);
        if (!t->source)
            find_source(t, options, arena);
    }
    return TTP_OK;
}

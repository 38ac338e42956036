/* SPDX-License-Identifier: Apache-2.0 */
#include "core/source_roots.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/outsink.h"
#include "base/rootdir.h"

#define FILE_NAME    "tt_perf_sources.json"
#define SCHEMA       "tt-perf.sources/1"
#define ROOTS_MAX    16
#define FILE_BYTES   ((size_t)64 << 10)
#define OTHERS_MAX   3 /* the run's folder, the current one, TT_METAL_HOME */
#define MACHINE_ROOT "/"

static const char *metal_home(void)
{
    const char *home = getenv("TT_METAL_HOME"); /* NOLINT(concurrency-mt-unsafe) */
    return home && home[0] ? home : NULL;
}

ttp_code ttp_source_roots_write(const char *logs, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *folder[] = {".", metal_home()};
    struct ttp_outsink out;
    char full[PATH_MAX];

    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(logs, FILE_NAME, arena), err));
    struct ttp_json_writer w = {.sink = &out.sink};
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("schema"));
    ttp_json_put_str(&w, TTP_STR(SCHEMA));
    ttp_json_put_key(&w, TTP_STR("roots"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < TTP_COUNT(folder); i++)
        if (folder[i] && realpath(folder[i], full))
            ttp_json_put_str(&w, ttp_str_from(full));
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_char(&out.sink, '\n');
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* A run may come from another user: its folders do not apply here, and no root may be the whole
 * machine. */
static bool is_ours(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & S_IWOTH) == 0;
}

static void add(struct ttp_source_options *out, struct ttp_source_root *root, const char *path,
                bool searched)
{
    for (size_t i = 0; i < out->nroots; i++)
        if (ttp_file_is_same(root[i].path, path))
            return;
    if (ttp_file_is_dir(path))
        root[out->nroots++] = (struct ttp_source_root){.path = path, .searched = searched};
}

static void add_recorded(struct ttp_source_options *out, struct ttp_source_root *root,
                         const char *logs, struct ttp_arena *arena)
{
    const char *path = ttp_file_join(logs, FILE_NAME, arena);
    struct ttp_rootdir folder;
    struct ttp_node *all = NULL;
    ttp_str text = {0};

    if (!is_ours(path) || ttp_rootdir_open(&folder, logs, NULL) != TTP_OK)
        return;
    const ttp_code rc =
        ttp_rootdir_read_all(&text, &folder, "/" FILE_NAME, FILE_BYTES, arena, NULL);
    ttp_rootdir_close(&folder);
    if (rc != TTP_OK || ttp_json_tree(&all, text, arena, NULL) != TTP_OK ||
        !ttp_str_eq(ttp_node_str_of(all, "schema"), TTP_STR(SCHEMA)))
        return;
    for (const struct ttp_node *n = ttp_node_first_of(all, "roots"); n && out->nroots < ROOTS_MAX;
         n = n->next) {
        const ttp_str name = ttp_node_str(n);

        if (ttp_str_starts(name, TTP_STR("/")) && !memchr(name.ptr, '\0', name.len)) {
            const char *recorded = ttp_arena_zstr(arena, name);
            if (!ttp_file_is_same(recorded, MACHINE_ROOT))
                add(out, root, recorded, true);
        }
    }
}

ttp_code ttp_source_roots_choose(struct ttp_source_options *out, const struct ttp_words *given,
                                 const struct ttp_log_paths *run, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct ttp_source_root *root =
        TTP_NEW(arena, struct ttp_source_root, given->count + ROOTS_MAX + OTHERS_MAX);

    struct ttp_run_facts facts = {0};
    bool found = false;

    out->root = root;
    out->nroots = 0;
    if (ttp_logs_run_facts_read(&facts, &found, run->folder, arena, NULL) == TTP_OK && found)
        out->recorded_us = facts.started_us + facts.elapsed_us;
    for (size_t i = 0; i < given->count; i++) {
        if (!ttp_file_is_dir(given->word[i])) {
            ttp_fail(err, TTP_EIO, "cannot open '%s': no such folder", given->word[i]);
            ttp_err_hint(err, "--src-root needs the folder that contains the source");
            return TTP_EIO;
        }
        add(out, root, given->word[i], true);
    }
    if (given->count)
        return TTP_OK;
    /* a copy that lies in the run is what ran: others may have been edited since */
    add(out, root, run->root, true);
    const size_t own = out->nroots;
    if (own)
        root[0].of_run = true;
    add_recorded(out, root, run->folder, arena);
    const bool recorded = out->nroots > own;
    if (!recorded)
        add(out, root, ".", false);
    if (!recorded && metal_home())
        add(out, root, metal_home(), false);
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/top_live.h"

#include <stdio.h>

#include "base/file.h"
#include "base/vec.h"

struct gather {
    struct ttp_top_live *out;
    const char *root;
    struct ttp_arena *arena;
};

static struct ttp_top_process *process_of(struct gather *g, int32_t pid, ttp_str name)
{
    struct ttp_top_live *out = g->out;
    char path[512];

    for (size_t i = 0; i < out->processes; i++)
        if (out->process[i].pid == pid)
            return &out->process[i];
    snprintf(path, sizeof(path), "%s/proc/%d", g->root, pid);
    struct ttp_top_process *p = TTP_PUSH(g->arena, out->process, out->processes);
    *p = (struct ttp_top_process){
        .pid = pid, .name = ttp_arena_copy(g->arena, name), .alive = ttp_file_is_dir(path)};
    return p;
}

static void add_counts(struct ttp_mem_counts *to, const struct ttp_mem_counts *c)
{
    to->dram += c->dram;
    to->l1 += c->l1;
    to->l1_small += c->l1_small;
    to->trace += c->trace;
    to->cb += c->cb;
}

/* A killed process leaves its entry, which is ignored. */
static void add_memory(struct gather *g, const struct ttp_mem_shm *s)
{
    for (size_t i = 0; i < s->processes; i++) {
        struct ttp_top_process *p =
            process_of(g, s->process[i].pid, ttp_str_from(s->process[i].name));

        add_counts(&p->bytes, &s->process[i].bytes);
        p->has_memory = true;
        p->memory_chips++;
    }
}

/* DRAM of one chip, if all boards here are of one kind. */
static double dram_of(const struct ttp_host *host)
{
    double bytes = 0;

    for (size_t i = 0; i < host->nchips; i++) {
        double chips = 1, dram;

        if (!ttp_board_fact(host->chip[i].board, TTP_FACT_DRAM_BYTES, &dram))
            return 0;
        (void)ttp_board_fact(host->chip[i].board, TTP_FACT_CHIPS, &chips);
        dram /= chips > 0 ? chips : 1;
        if (bytes > 0 && dram != bytes)
            return 0;
        bytes = dram;
    }
    return bytes;
}

void ttp_top_live(struct ttp_top_live *out, struct ttp_activity_watch *watch, const char *root,
                  const struct ttp_top_view *view, struct ttp_arena *arena)
{
    struct gather g = {.out = out, .root = root ? root : "", .arena = arena};
    char dir[512];

    *out = (struct ttp_top_live){.dram_bytes = dram_of(view->host)};
    snprintf(dir, sizeof(dir), "%s/dev/shm", g.root);
    struct ttp_mem_shm_file *file;
    out->files = ttp_mem_list_shm(&file, dir, arena);
    out->file = file;
    for (size_t i = 0; i < out->files; i++)
        if (file[i].code == TTP_OK && file[i].shm.attached)
            add_memory(&g, &file[i].shm);
    for (size_t c = 0; c < view->now->nchips; c++)
        for (size_t i = 0; i < view->now->chip[c].nholders; i++)
            if (view->now->chip[c].holder[i].pid > 0)
                (void)process_of(&g, view->now->chip[c].holder[i].pid,
                                 view->now->chip[c].holder[i].name);
    for (size_t i = 0; i < out->processes; i++)
        if (out->process[i].alive)
            ttp_startup_activity_look(&out->process[i].activity, watch, out->process[i].pid,
                                      (int64_t)view->unix_ns, arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kept_run.c - the stored data of a run, and data from git and the machine. */
#include "base/secrets.h"
#include <math.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "history/history.h"

struct ttp_run_measure *ttp_history_run_add_measure(struct ttp_history_run *run,
                                                    struct ttp_arena *arena)
{
    TTP_ROOM(arena, run->measure, run->measures);
    run->measure[run->measures] = (struct ttp_run_measure){.target = NAN};
    return &run->measure[run->measures++];
}

struct ttp_run_sample *ttp_history_run_add_sample(struct ttp_history_run *run,
                                                  struct ttp_arena *arena)
{
    TTP_ROOM(arena, run->sample, run->samples);
    run->sample[run->samples] = (struct ttp_run_sample){0, NAN, NAN, NAN, NAN, NAN};
    return &run->sample[run->samples++];
}

void ttp_history_run_add_note(struct ttp_history_run *run, int64_t time_ns, ttp_str text,
                              struct ttp_arena *arena)
{
    *TTP_PUSH(arena, run->note, run->notes) = (struct ttp_run_note){time_ns, text};
}

void ttp_history_run_set_git(struct ttp_history_run *run, const struct ttp_git_state *git)
{
    if (!git->known)
        return;
    run->project = git->repository;
    run->branch = git->branch;
    run->commit = git->commit;
    run->commit_time = git->commit_time;
    run->dirty = git->dirty;
}

static void put(struct ttp_json_writer *w, const char *key, ttp_str v)
{
    if (v.len == 0)
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, v);
}

static void put_number(struct ttp_json_writer *w, const char *key, uint64_t v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_u64(w, v);
}

/* Of the class of machine: neither host name nor serial numbers. */
static ttp_str facts_of(const struct ttp_fingerprint *m, struct ttp_arena *arena)
{
    struct ttp_sink out;
    struct ttp_json_writer w = {.sink = &out};

    ttp_sink_to_arena(&out, arena);
    ttp_json_begin_object(&w);
    put(&w, "cpu", m->cpu);
    put_number(&w, "cpus", m->cpus);
    put_number(&w, "memory_bytes", m->memory_bytes);
    put(&w, "kernel", m->kernel);
    put(&w, "distribution", m->distro);
    put(&w, "driver", m->driver);
    put(&w, "governor", m->governor);
    ttp_json_put_key(&w, TTP_STR("boards"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < m->nboards; i++) {
        ttp_json_begin_object(&w);
        put(&w, "card", m->board[i].card);
        put(&w, "arch", ttp_str_from(m->board[i].chip));
        put(&w, "firmware", m->board[i].firmware);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    return ttp_sink_text(&out);
}

void ttp_history_run_set_machine(struct ttp_history_run *run, const struct ttp_fingerprint *machine,
                                 struct ttp_arena *arena)
{
    run->host = machine->hostname;
    run->machine_key = machine->key;
    run->machine_facts = facts_of(machine, arena);
    run->board = machine->nboards ? machine->board[0].card : (ttp_str){0};
}

void ttp_history_run_mask(struct ttp_history_run *run, struct ttp_arena *arena)
{
    const ttp_str document = ttp_str_trim(run->document);

    run->name = ttp_secrets_mask_text(run->name, arena);
    run->source = ttp_secrets_mask_text(run->source, arena);
    for (size_t i = 0; i < run->measures; i++)
        run->measure[i].variant = ttp_secrets_mask_text(run->measure[i].variant, arena);
    for (size_t i = 0; i < run->notes; i++)
        run->note[i].text = ttp_secrets_mask_text(run->note[i].text, arena);
    /* tables of ops have no command lines */
    if (document.len && (document.ptr[0] == '{' || document.ptr[0] == '['))
        run->document = ttp_secrets_mask_json(run->document, arena);
}

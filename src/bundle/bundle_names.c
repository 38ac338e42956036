/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_names.c - the names that a bundle must not contain: the user's, and those of the machines.
 */
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "bundle/bundle.h"
#include "logs/logs.h"
#include "run/run.h"

#define HOST_MAX 256

static void add_name(struct ttp_words *to, const char *name, struct ttp_arena *arena)
{
    if (!name || !*name)
        return;
    for (size_t i = 0; i < to->count; i++)
        if (strcmp(to->word[i], name) == 0)
            return;
    ttp_words_add(to, ttp_arena_zstr(arena, ttp_str_from(name)), arena);
}

static void add_machine(struct ttp_bundle_making *m, ttp_str host, ttp_str boot_id)
{
    add_name(&m->names.hosts, ttp_arena_zstr(m->arena, host), m->arena);
    add_name(&m->names.hosts, ttp_arena_zstr(m->arena, boot_id), m->arena);
}

static void add_machine_of_logs(struct ttp_bundle_making *m, const char *run)
{
    struct ttp_run_facts facts;
    bool found = false;

    if (ttp_logs_run_facts_read(&facts, &found, ttp_file_join(run, ".logs", m->arena), m->arena,
                                NULL) == TTP_OK &&
        found)
        add_machine(m, facts.host, facts.boot_id);
}

void ttp_bundle_find_names(struct ttp_bundle_making *m, const char *run,
                           const struct ttp_words *more)
{
    static const char *const users[] = {"USER", "LOGNAME", "SUDO_USER"}, *const hosts[] = {
                                                                             "HOSTNAME", "HOST",
                                                                             "SLURMD_NODENAME"};
    const struct passwd *me = getpwuid(geteuid());
    struct ttp_run_ranks ranks = {0};
    char host[HOST_MAX] = "";

    add_name(&m->names.users, me ? me->pw_name : NULL, m->arena);
    for (size_t i = 0; i < TTP_COUNT(users); i++)
        add_name(&m->names.users, getenv(users[i]), m->arena);
    for (size_t i = 0; i < TTP_COUNT(hosts); i++) /* a container may have another name inside */
        add_name(&m->names.hosts, getenv(hosts[i]), m->arena);
    for (size_t i = 0; i < more->count; i++)
        add_name(&m->names.users, more->word[i], m->arena);
    if (gethostname(host, sizeof(host) - 1) == 0)
        add_name(&m->names.hosts, host, m->arena);
    add_machine_of_logs(m, run);
    if (!ttp_file_is_dir(run) ||
        ttp_run_find_ranks(&ranks, (struct ttp_paths){&run, 1}, m->arena, NULL) != TTP_OK)
        return;
    for (size_t i = 0; i < ranks.count; i++) {
        add_machine(m, ranks.rank[i].facts.host, ranks.rank[i].facts.boot_id);
        add_machine_of_logs(m, ranks.rank[i].dir);
    }
}

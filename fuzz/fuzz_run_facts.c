/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the facts of a run: no crash, no leak; what is read survives being written, and the
 * check of logs against it ends. */
#include <sys/stat.h>

#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

static void put_file(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void check_logs(const char *folder, struct ttp_arena *arena)
{
    struct ttp_run_facts facts;
    struct ttp_log_paths paths = {0};
    struct ttp_err err = {0};

    put_file(folder, "profile_log_device.csv", (const uint8_t *)"ARCH", 4);
    must(ttp_logs_find(&paths, folder, arena, &err) == TTP_OK);
    const ttp_code rc = ttp_logs_check_run(&facts, &paths, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/fuzz_run_facts_XXXXXX";
    static bool made;
    struct ttp_arena arena = {0};
    struct ttp_run_facts facts, again;
    struct ttp_err err = {0};
    bool found;

    if (!made)
        must(mkdtemp(folder) != NULL);
    made = true;
    put_file(folder, TTP_RUN_FACTS, data, size);
    const ttp_code rc = ttp_logs_run_facts_read(&facts, &found, folder, &arena, &err);
    must(found && (rc == TTP_OK || (err.code == rc && err.text[0])));
    check_logs(folder, &arena);
    if (rc == TTP_OK) {
        must(ttp_logs_run_facts_write(&facts, folder, &arena, &err) == TTP_OK);
        must(ttp_logs_run_facts_read(&again, &found, folder, &arena, &err) == TTP_OK);
        must(again.nfiles == facts.nfiles && again.started_us == facts.started_us &&
             again.disputed == facts.disputed && ttp_str_eq(again.host, facts.host));
    }
    ttp_arena_free(&arena);
    return 0;
}

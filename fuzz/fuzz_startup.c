/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the logs of a process, and as records of the real-time profiler: parts of the phases
 * add up; nothing is longer than the whole. */
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "memfile.h"
#include "startup/startup.h"

static void put_file(const char *dir, const char *name, const uint8_t *data, size_t size)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "we");
    must(f && (size == 0 || fwrite(data, 1, size, f) == size) && fclose(f) == 0);
}

static void check(const struct ttp_startup *s)
{
    must(s->kernels == s->kernels_built + s->kernels_cached + s->kernels_repeated);
    must(s->compile_wall_ns <= s->compile_sum_ns && s->build_wall_ns <= s->compile_wall_ns);
    must(s->launches_after_steady <= s->launches);
    for (size_t i = 0; i < s->phases; i++)
        must(s->phase[i].wall_ns == s->phase[i].compile_ns + s->phase[i].other_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[] = "/tmp/ttp_fuzz_startup_XXXXXX";
    static const char *const names[] = {"programs_log.yaml", "mesh_devices_log.yaml",
                                        "mesh_workloads_log.yaml", "startup.yaml"};
    struct ttp_startup_finding *finding;
    struct ttp_arena arena = {0};
    struct ttp_realtime records;
    struct ttp_startup *s;
    struct memfile file;
    size_t count;

    if (dir[sizeof(dir) - 2] == 'X')
        must(mkdtemp(dir) != NULL);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        put_file(dir, names[i], data, size);
    if (ttp_startup_read(&s, &count, dir, &arena, NULL) == TTP_OK) {
        for (size_t i = 0; i < count; i++)
            check(&s[i]);
        (void)ttp_startup_findings(&finding, s, count, &arena);
    }
    memfile_open(&file, data, size);
    if (ttp_startup_realtime_read(&records, file.path, &arena, NULL) == TTP_OK)
        for (size_t i = 0; i < records.chips; i++)
            must(records.chip[i].union_cycles <= records.chip[i].window_cycles);
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

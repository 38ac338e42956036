/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a reduced rank: what is read is written back as it was, and can be merged. */
#include "fuzz.h"
#include "memfile.h"
#include "mesh/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_mesh_options how;
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_mesh_reduced *table = NULL;
    struct ttp_err err = {0};
    struct ttp_merge merge;
    struct ttp_sink again;

    if (ttp_mesh_read_reduced(&table, text, &arena, &err) != TTP_OK) {
        must(err.text[0] != 0);
        ttp_arena_free(&arena);
        return 0;
    }
    ttp_sink_to_arena(&again, &arena);
    ttp_mesh_write_reduced(&again, table);
    must(ttp_str_eq(ttp_sink_text(&again), text));
    err = (struct ttp_err){0};
    if (table->steps <= 256 && table->devices <= 16) /* more takes time, and shows no more */
        must(ttp_mesh_merge_tables(&merge, &table, 1, NULL, 0, &how, NULL, &arena, &err) ==
                 TTP_OK ||
             err.text[0] != 0);
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a reduced rank: what is read is written back as it was, that of an older version as
 * a file of this one, and can be merged. */
#include "fuzz.h"
#include "memfile.h"
#include "mesh/table.h"

enum { MAGIC_LEN = 8 }; /* with the version */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_mesh_options how;
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_mesh_reduced *table = NULL, *same = NULL;
    struct ttp_err err = {0};
    struct ttp_merge merge;
    struct ttp_sink again, third;

    if (ttp_mesh_read_reduced(&table, text, &arena, &err) != TTP_OK) {
        must(err.text[0] != 0);
        ttp_arena_free(&arena);
        return 0;
    }
    ttp_sink_to_arena(&again, &arena);
    ttp_mesh_write_reduced(&again, table);
    if (ttp_str_starts(text, ttp_str_slice(ttp_sink_text(&again), 0, MAGIC_LEN)))
        must(ttp_str_eq(ttp_sink_text(&again), text));
    must(ttp_mesh_read_reduced(&same, ttp_sink_text(&again), &arena, &err) == TTP_OK);
    ttp_sink_to_arena(&third, &arena);
    ttp_mesh_write_reduced(&third, same);
    must(ttp_str_eq(ttp_sink_text(&third), ttp_sink_text(&again)));
    err = (struct ttp_err){0};
    if (table->steps <= 256 && table->devices <= 16) /* more takes time, and shows no more */
        must(ttp_mesh_merge_tables(&merge, &table, 1, NULL, 0, &how, NULL, &arena, &err) ==
                 TTP_OK ||
             err.text[0] != 0);
    ttp_arena_free(&arena);
    return 0;
}

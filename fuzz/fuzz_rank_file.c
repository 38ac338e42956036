/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as rank.json, as a mapping file and as synchronised clocks: what they say, or an error.
 */
#include "fuzz.h"
#include "memfile.h"
#include "run/rank_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_rank_facts facts;
    struct ttp_mesh_place *place = NULL;
    struct ttp_err err = {0};
    size_t count = 0;

    ttp_code rc = ttp_run_rank_parse(&facts, text, &arena, &err);
    must(rc == TTP_OK ? facts.rank >= 0 && (facts.size == 0 || facts.rank < facts.size)
                      : err.text[0] != 0);
    err = (struct ttp_err){0};
    rc = ttp_run_mapping_parse(&place, &count, text, &arena, &err);
    must(rc == TTP_OK || err.text[0] != 0);
    for (size_t i = 0; rc == TTP_OK && i < count; i++)
        must(place[i].device >= 0 && place[i].row >= 0 && place[i].column >= 0);
    struct ttp_mesh_sync *sync = NULL;
    err = (struct ttp_err){0};
    rc = ttp_sync_parse(&sync, &count, text, &arena, &err);
    must(rc == TTP_OK || err.text[0] != 0);
    for (size_t i = 0; rc == TTP_OK && i < count; i++)
        must(sync[i].root >= 0 && sync[i].device >= 0 && sync[i].root != sync[i].device);
    ttp_arena_free(&arena);
    return 0;
}

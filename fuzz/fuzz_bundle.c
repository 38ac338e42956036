/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a bundle: no crash, nothing is written outside the folder, and a refusal says why.
 * Any bytes as a text to mask: what is not counted as masked is not changed. */
#include <stdlib.h>

#include "base/temp_dir.h"
#include "bundle/bundle_mask.h"
#include "fuzz.h"
#include "memfile.h"

static void mask(ttp_str text, struct ttp_arena *arena)
{
    static const char *users[] = {"ann"}, *hosts[] = {"lab7.corp.example"};
    static const struct ttp_bundle_names names = {{users, 1}, {hosts, 1}};
    struct ttp_bundle_table table = {0};
    uint64_t masked = 0;

    const ttp_str rows = ttp_bundle_mask_columns(&table, text, &names, &masked, arena);
    must(masked > 0 || ttp_str_eq(rows, text));
    masked = 0;
    const ttp_str open = ttp_bundle_mask(rows, &names, &masked, arena);
    must(masked > 0 || ttp_str_eq(open, rows));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_bundle b;
    struct memfile f;
    const char *folder;

    mask((ttp_str){(const char *)data, size}, &arena);
    memfile_open(&f, data, size);
    must(ttp_temp_dir_make(&folder, &arena, &err) == TTP_OK);
    if (ttp_bundle_read(&b, f.path, folder, &arena, &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0]);
    (void)ttp_bundle_is(f.path);
    ttp_temp_dir_end(folder);
    close(f.fd);
    ttp_arena_free(&arena);
    return 0;
}

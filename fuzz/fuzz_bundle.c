/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a bundle: no crash, nothing is written outside the folder, and a refusal says why.
 */
#include <stdlib.h>

#include "base/temp_dir.h"
#include "bundle/bundle.h"
#include "fuzz.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_bundle b;
    struct memfile f;
    const char *folder;

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

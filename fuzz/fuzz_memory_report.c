/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of the memory reporter, and as a text log with failures: no crash; a refusal
 * tells the line; blocks add up. */
#include "fuzz.h"
#include "mem/mem_parts.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_mem_failures failures = {0};
    struct ttp_arena arena = {0};
    struct ttp_mem_report report;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_mem_read_report(&report, file.path, &arena, &err) == TTP_OK) {
        for (size_t i = 0; i < report.blocks; i++) {
            const struct ttp_mem_blocks *b = &report.block[i];

            must(b->blocks == b->allocated_blocks + b->free_blocks && b->largest_free <= b->free);
        }
    } else {
        must(err.code != TTP_OK && err.text[0]);
    }
    must(ttp_mem_read_log(&failures, file.path, &arena, &err) == TTP_OK || err.text[0]);
    for (size_t i = 0; i < failures.count; i++)
        must(ttp_mem_verdict_name(failures.item[i].verdict)[0] && failures.item[i].line > 0);
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

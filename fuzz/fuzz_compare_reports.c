/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as two ops CSVs, divided at the first NUL: no crash; a table equals itself, and what
 * differs is counted once. */
#include <stdlib.h>

#include "fuzz.h"
#include "ops/ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str whole = {(const char *)data, size};
    const size_t at = ttp_str_find_char(whole, '\0');
    struct ttp_report_texts texts = {.first = ttp_str_slice(whole, 0, at),
                                     .second =
                                         ttp_str_slice(whole, at == TTP_NPOS ? size : at + 1, size),
                                     .first_name = "a",
                                     .second_name = "b"};
    struct ttp_arena arena = {0};
    struct ttp_report_difference d;
    struct ttp_err err = {0};

    if (ttp_ops_compare_reports(&d, texts, &arena, &err) == TTP_OK) {
        if (d.different > d.cells || d.columns > d.first_columns)
            abort();
        texts.second = texts.first;
        if (ttp_ops_compare_reports(&d, texts, &arena, &err) != TTP_OK || d.different ||
            d.first_rows != d.second_rows)
            abort();
    }
    ttp_arena_free(&arena);
    return 0;
}

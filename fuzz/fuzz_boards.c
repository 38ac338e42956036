/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a user's board file: no crash; what is accepted has sane figures with a source, a
 * refusal says where. */
#include <math.h>
#include <stdlib.h>

#include "device/boards_text.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_boards all;
    struct ttp_err err = {0};

    if (ttp_boards_read(&all, text, "f", &arena, &err) == TTP_OK) {
        for (size_t b = 0; b < all.count; b++) {
            if (!all.board[b].name || !all.board[b].chip)
                abort();
            if (!ttp_board_find(&all, ttp_str_from(all.board[b].name)))
                abort();
            for (size_t f = 0; f < TTP_FACTS; f++)
                if (all.board[b].fact[f].source && !(all.board[b].fact[f].value >= 0))
                    abort();
        }
    } else if (err.code == TTP_OK || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}

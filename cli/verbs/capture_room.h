/* SPDX-License-Identifier: Apache-2.0 */
/* capture_room.h - the L1 that a graph capture leaves to one op, for `fit` and `config`. */
#ifndef TTP_CLI_CAPTURE_ROOM_H
#define TTP_CLI_CAPTURE_ROOM_H

#include "core/cmd.h"
#include "mem/mem.h"

struct ttp_capture_room {
    struct ttp_mem_room room;
    uint64_t base, bank_bytes; /* of L1 that buffers may take */
    ttp_str op;                /* its name */
};
/* Of op `op` of a capture, on the device where it has least. TTP_EUSAGE: there is no such op, or no
 * capture; TTP_ENOTFOUND: the capture has no addresses. */
TTP_NODISCARD ttp_code ttp_capture_room_read(struct ttp_capture_room *out, const char *capture,
                                             int64_t op, const struct ttp_ctx *ctx,
                                             struct ttp_err *err);

#endif

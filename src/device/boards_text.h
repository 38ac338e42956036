/* SPDX-License-Identifier: Apache-2.0 */
/* boards_text.h - private to device: a user's figures of boards, as text. */
#ifndef TTP_DEVICE_BOARDS_TEXT_H
#define TTP_DEVICE_BOARDS_TEXT_H

#include "device/device.h"

/* ttp_boards_read_file() of bytes; `name` is what to call them as a source. */
TTP_NODISCARD ttp_code ttp_boards_read(struct ttp_boards *out, ttp_str text, const char *name,
                                       struct ttp_arena *arena, struct ttp_err *err);

#endif

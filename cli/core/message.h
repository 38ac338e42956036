/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - lines for human readers on standard error; the only way there, see base/gate.h. */
#ifndef TTP_CLI_MESSAGE_H
#define TTP_CLI_MESSAGE_H

#include "base/sink.h"

/* All of it in one write. Texts in the arguments are escaped, line ends in them too. */
void ttp_message(const char *fmt, ...) TTP_PRINTF(1, 2);

/* The text as one line; on a terminal in lines that fit it. */
void ttp_message_wrapped(ttp_str text);
/* The same, into a sink; `width` as ttp_message_width() has it. */
void ttp_message_put(struct ttp_sink *out, ttp_str text, size_t width);
/* Columns of the terminal; 0: messages go elsewhere, where programs read them line by line. */
size_t ttp_message_width(void);

#endif

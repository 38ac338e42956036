/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - lines for human readers on standard error; the only way there, see base/gate.h. */
#ifndef TTP_CLI_MESSAGE_H
#define TTP_CLI_MESSAGE_H

#include "base/sink.h"

/* All of it in one write. Texts in the arguments are escaped, line ends in them too. */
void ttp_message(const char *fmt, ...) TTP_PRINTF(1, 2);

/* The text as one line; on a terminal in lines that fit it. */
void ttp_message_wrapped(ttp_str text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* argparse_text.h - private to argparse: its options in order, and text as Python shows it. */
#ifndef TTP_CLI_ARGPARSE_TEXT_H
#define TTP_CLI_ARGPARSE_TEXT_H

#include "dropin/argparse.h"

/* Options are numbered with the built-in help first. */
#define TTP_ARGPARSE_HELP_INDEX 0

/* Option number `index`; false after the last. */
bool ttp_argparse_option(const struct ttp_opt **out, const struct ttp_argparse *p, size_t index);

/* As print() of a str to stderr: only bytes that are not UTF-8 are changed, to "\udc80" and so on.
 */
void ttp_argparse_str(struct ttp_sink *out, ttp_str text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* python_repr.h - values as Python shows them: reports of the tools we replace hold whole
 * dicts and lists in this form. */
#ifndef TTP_BASE_PYTHON_REPR_H
#define TTP_BASE_PYTHON_REPR_H

#include "base/sink.h"

/* str.isprintable() of one code point, Unicode 14. */
bool ttp_python_printable(uint32_t c);
/* repr() of a string of UTF-8: 'single quotes', or "double" where only that saves escapes. A byte
 * that is not UTF-8 is shown as \xNN. */
void ttp_python_repr(struct ttp_sink *out, ttp_str s);
/* The same for a word of a command line, where such a byte is the surrogate \udcNN. */
void ttp_python_repr_argument(struct ttp_sink *out, ttp_str s);
/* str() of a JSON number: an int stays as it is, a float gets its shortest form. */
void ttp_python_number(struct ttp_sink *out, ttp_str json);

#endif

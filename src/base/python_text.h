/* SPDX-License-Identifier: Apache-2.0 */
/* python_text.h - how Python reads numbers and blanks in text: the tools we replace are
 * written in it, and their users' files and command lines follow its rules. Text is UTF-8. */
#ifndef TTP_BASE_PYTHON_TEXT_H
#define TTP_BASE_PYTHON_TEXT_H

#include "base/sink.h"

/* str.strip(): blanks of all of Unicode. */
ttp_str ttp_python_strip(ttp_str s);
/* The first word of str.split(): between blanks of any kind; empty if there is none. */
ttp_str ttp_python_first_word(ttp_str s);

/* int(s): blanks around it, a sign, digits of any script, '_' between digits. A number that 64 bits
 * cannot hold stops at the largest they can. */
bool ttp_python_int(ttp_str s, int64_t *out);
/* float(s): the same, and decimals, exponents, "inf", "nan". At most 4 KiB long. */
bool ttp_python_float(ttp_str s, double *out);

/* The leading run of decimal digits of any script: bytes it takes, and its value, stopping at
 * INT64_MAX. */
size_t ttp_python_digits(ttp_str s, int64_t *value);

/* The text that int() of s prints, however many digits it has; empty: not a whole number, or longer
 * than `out`. */
#define TTP_PYTHON_INT_MAX 256
ttp_str ttp_python_int_text(ttp_str s, char out[TTP_PYTHON_INT_MAX]);

/* Lower case of Latin, Greek and Cyrillic letters; a capital sigma never becomes the final one. */
void ttp_python_put_lower(struct ttp_sink *out, ttp_str s);

/* Columns a text takes on a terminal: code points, escape sequences left out. */
size_t ttp_python_visible(ttp_str s);

#endif

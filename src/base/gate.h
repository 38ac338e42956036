/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - the only place where foreign text is escaped before it is shown.
 *
 * Names, paths, labels, command lines and messages come from files, from other programs and from
 * the environment. A terminal obeys control characters in them, a Markdown viewer their markup, a
 * spreadsheet their formulas. Sinks with a gate (see sink.h) call these functions for all that is
 * put into them; other code needs them only to know how wide a text will be. */
#ifndef TTP_BASE_GATE_H
#define TTP_BASE_GATE_H

#include "base/arena.h"
#include "base/str.h"

struct ttp_sink;

/* Length of the longest prefix that a terminal shows unchanged: well-formed UTF-8 without C0, DEL,
 * C1, bidirectional controls and line separators. */
size_t ttp_gate_clean_prefix(ttp_str s);
/* Whether a terminal must not get this code point. */
bool ttp_gate_is_control(uint32_t code_point);

/* Unclean text in visible form: \n \r \t, \x1b for other bytes, \u202e for other code points. What
 * was escaped once stays as it is. */
void ttp_gate_put_text(struct ttp_sink *out, ttp_str s);
/* The same, and no character acts as Markdown. */
void ttp_gate_put_markdown(struct ttp_sink *out, ttp_str s);
/* A cell of a CSV file that people open: as text, quoted where needed, and with a quote in front
 * where a spreadsheet would take it for a formula. Numbers are left alone. */
void ttp_gate_put_csv(struct ttp_sink *out, ttp_str s);
/* A cell of a CSV file that programs read byte for byte: quoted where needed, no more. */
void ttp_gate_put_csv_exact(struct ttp_sink *out, ttp_str s);

/* As ttp_gate_put_text() writes it; the same slice where nothing is to be done. */
ttp_str ttp_gate_text(struct ttp_arena *arena, ttp_str s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* field_table.h - records with declared figures as a table. Private to outputs. */
#ifndef TTP_OUTPUTS_FIELD_TABLE_H
#define TTP_OUTPUTS_FIELD_TABLE_H

#include "base/field.h"
#include "outputs/outputs.h"

/* The rows of `index` (NULL: all `count`), with the fields of the usual table. */
void ttp_field_table(struct ttp_sink *out, const struct ttp_records *rows, const size_t *index,
                     size_t count, const struct ttp_mem_style *style, struct ttp_arena *arena);
/* All fields; `header`: with their names. */
void ttp_field_csv(struct ttp_sink *out, const struct ttp_records *rows, bool header);

#endif

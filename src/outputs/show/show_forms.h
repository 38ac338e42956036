/* SPDX-License-Identifier: Apache-2.0 */
/* show_forms.h - a document in each form. Private to show. */
#ifndef TTP_OUTPUTS_SHOW_SHOW_FORMS_H
#define TTP_OUTPUTS_SHOW_SHOW_FORMS_H

#include "outputs/show/show.h"

/* Chosen rows and columns of the main part. */
void ttp_show_json_rows(struct ttp_json_writer *w, const struct ttp_table *table);
/* The value of one field, nested or not. */
void ttp_show_json_value(struct ttp_json_writer *w, const struct ttp_field *f, const void *context,
                         const void *row);

#endif

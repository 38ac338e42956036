/* SPDX-License-Identifier: Apache-2.0 */
/* show_forms.h - writers of documents: one for each form, in the table of document.c. Private to
 * show.
 */
#ifndef TTP_OUTPUTS_SHOW_SHOW_FORMS_H
#define TTP_OUTPUTS_SHOW_SHOW_FORMS_H

#include "outputs/show/show.h"

/* A document that is being written. */
struct ttp_showing {
    const struct ttp_show *show;
    const struct ttp_document *doc;
    const struct ttp_page *page;
    struct ttp_table *table;        /* for each part: chosen rows and columns */
    const struct ttp_showing *rest; /* the next document; NULL: it is the last */
};

/* One header, then the main parts of all documents. */
void ttp_show_csv(const struct ttp_showing *s);
/* The same rows with types. The sink has no gate. */
void ttp_show_parquet(const struct ttp_showing *s);

/* Chosen rows and columns of the main part. */
void ttp_show_json_rows(struct ttp_json_writer *w, const struct ttp_table *table);
/* The value of one field, nested or not. */
void ttp_show_json_value(struct ttp_json_writer *w, const struct ttp_field *f, const void *context,
                         const void *row);

#endif

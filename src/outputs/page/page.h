/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - documents as one HTML file that needs only a browser. Private to outputs.
 *
 * The file holds the tables as JSON, a script that draws them, and a policy that allows no other
 * script and no request. The script knows columns and charts, not verbs. */
#ifndef TTP_OUTPUTS_PAGE_PAGE_H
#define TTP_OUTPUTS_PAGE_PAGE_H

#include "base/template.h"
#include "outputs/show/show.h"

extern const struct ttp_asset ttp_page_assets[]; /* ends with a NULL name */

/* A table of the page. */
struct ttp_page_part {
    const char *id; /* in this page */
    const struct ttp_part_spec *spec;
    const struct ttp_table *table;
    bool main, folded;
    bool *empty; /* of each field: no row has a value; filled in when rows are written */
};

/* Its sections, from top to bottom; those with the same title are one. */
struct ttp_page_section {
    const char *title; /* NULL: that of the part */
    ttp_str text;      /* in a fixed font, or */
    bool folded;       /* closed at first */
    ttp_str picture;   /* an SVG file, or */
    const struct ttp_chart *chart;
    const struct ttp_page_part *part; /* below the chart, or alone */
};

struct ttp_page_content {
    const char *title;
    ttp_str head; /* for browsers without script */
    const struct ttp_html *html;
    struct ttp_page_part *part;
    size_t parts;
    struct ttp_page_section *section;
    size_t sections;
};

void ttp_page_write(const struct ttp_show *show, const struct ttp_page_content *content);

/* Columns of a part as JSON, packed; notes which are empty. */
void ttp_page_put_rows(struct ttp_json_writer *w, struct ttp_page_part *part,
                       struct ttp_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - a document: what a verb found, as figures that are declared once (base/field.h).
 *
 * A verb describes its document in one static struct, fills in the rows, and has it shown in any
 * format. Text, CSV, Markdown, JSON, the JSON Schema, --columns, --sort, --where and --top all read
 * the declarations. What differs from verb to verb (headlines, prose, charts) is a page, a few
 * functions that write into the same sink. */
#ifndef TTP_OUTPUTS_SHOW_SHOW_H
#define TTP_OUTPUTS_SHOW_SHOW_H

#include "base/field.h"
#include "base/json_write.h"
#include "base/sink.h"

/* ---- what there is to show ---- */

enum ttp_part_kind {
    TTP_PART_ROWS,   /* a table; an array of objects in JSON */
    TTP_PART_OBJECT, /* one record; an object in JSON, null without a row */
    TTP_PART_DATA,   /* one record whose members are directly in "data" */
    TTP_PART_OTHER,  /* in JSON only: an array of objects whose members the input names */
};

struct ttp_part_spec {
    const char *id;    /* key in "data" */
    const char *title; /* above the table in text and Markdown; NULL: none */
    const struct ttp_fields *fields;
    enum ttp_part_kind kind;
    bool optional;  /* no member in JSON where it was not filled in */
    bool json_only; /* the page says it in its own words */
    bool shared; /* TTP_PART_DATA of a spec with `each`: next to the list, of the first document */
    bool table_only; /* JSON has it inside another part: see ttp_show_choose() */
    const char *help;
};

struct ttp_document_spec {
    const char *schema; /* "tt-perf.pcc/2": verb and major version */
    const char *help;   /* what it is, for the schema */
    const struct ttp_part_spec *part;
    size_t parts;
    size_t main;   /* the part that CSV writes and --columns, --sort, --where and --top are about */
    bool no_table; /* there is no such part */
    bool bare;     /* the parts are the whole document, without the object around them */
    bool whole_json;  /* JSON nests all records, where the table has one kind of them: options on
                         rows are for the table */
    const char *each; /* there may be several of them in one output: key of their list in "data" */
};
#define TTP_PARTS(array) .part = (array), .parts = TTP_COUNT(array)

struct ttp_part {
    bool filled;
    struct ttp_records rows; /* fields: as the spec says, unless set */
    const size_t *index;     /* rows that the verb chose itself, in this order; NULL: all, or by
                                the selection of struct ttp_show */
    size_t count;            /* of index */
    void (*put)(struct ttp_json_writer *w, void *arg); /* of TTP_PART_OTHER: writes the array */
    void *arg;
};

/* In the arena that ttp_document_init() gets. */
struct ttp_document {
    const struct ttp_document_spec *spec;
    struct ttp_part *part; /* as many as the spec has */
    bool more;             /* there is more than the rows that were filled in */
};

void ttp_document_init(struct ttp_document *doc, const struct ttp_document_spec *spec,
                       struct ttp_arena *arena);
struct ttp_document_rows {
    const void *rows;
    size_t size, count;
};
/* Rows of `size` bytes, one after the other; they must live as long as the document. */
void ttp_document_set(struct ttp_document *doc, size_t part, const void *context,
                      struct ttp_document_rows of);
/* Only these rows, in this order: the selection was made already. */
void ttp_document_choose(struct ttp_document *doc, size_t part, const size_t *index, size_t count);
/* The rows of a part in this order; if it is the main part, only where the user chose none. */
struct ttp_show;
TTP_NODISCARD ttp_code ttp_document_order(struct ttp_document *doc, size_t part, const char *sort,
                                          struct ttp_show *show, struct ttp_err *err);
/* An array of count elements. NOLINTNEXTLINE(readability-identifier-naming) */
#define ttp_document_rows(doc, part, context, array, count)                                        \
    ttp_document_set((doc), (part), (context),                                                     \
                     (struct ttp_document_rows){(array), sizeof(*(array)), (count)})
/* The one record of an object. NOLINTNEXTLINE(readability-identifier-naming) */
#define ttp_document_object(doc, part, context, record)                                            \
    ttp_document_set((doc), (part), (context),                                                     \
                     (struct ttp_document_rows){(record), sizeof(*(record)), 1})

/* ---- how to show it ---- */

enum ttp_form {
    TTP_FORM_TEXT,
    TTP_FORM_CSV,
    TTP_FORM_MARKDOWN,
    TTP_FORM_JSON,
    TTP_FORM_SVG,
    TTP_FORM_PNG,
    TTP_FORM_HTML,
    TTP_FORM_PARQUET,
    TTP_FORM_NDJSON,
    TTP_FORM_PROMETHEUS,
    TTP_FORM_GITHUB, /* workflow commands of GitHub Actions, see ci.h */
    TTP_FORM_JUNIT,
    TTP_FORM_OTHER, /* of one verb alone */
};

/* The word of a format that is one table and nothing else, such as "csv": of all rows, with a
 * column for every figure. NULL: the format has all parts of a document. */
const char *ttp_form_flat(enum ttp_form form);
/* A drawing of a verb: SVG or PNG. */
bool ttp_form_is_picture(enum ttp_form form);
/* Bytes that are no text: nothing for a terminal. */
bool ttp_form_is_binary(enum ttp_form form);

/* Where an output comes from: the command, the files, the date. */
struct ttp_provenance {
    struct {
        const char *name;
        ttp_str text;
    } item[16];
    size_t count;
};

/* What the user asked for, and where the result goes. */
struct ttp_show {
    struct ttp_sink *out;
    enum ttp_form form;
    bool color;
    int width;                      /* of the terminal; 0: no limit */
    const char *columns;            /* names with ',' between them; NULL: the usual ones */
    struct ttp_selection selection; /* of the main part */
    const struct ttp_words *inputs;
    const struct ttp_words *warnings;
    const struct ttp_provenance *about; /* of an HTML page; NULL: not given */
    struct ttp_arena *arena;
};

/* A table of one part as text or Markdown. All zero but `rows` shows every row with the usual
 * columns. */
struct ttp_table {
    const struct ttp_records *rows;
    const size_t *index; /* rows to show, in this order; NULL: all */
    size_t count;        /* of index */
    const struct ttp_field *const *column;
    size_t columns;  /* 0: those with in_table, unless no row has a value */
    bool may_drop;   /* `column` is not what the user asked for: as if columns were 0 */
    bool aside;      /* --columns is about another table */
    size_t indent;   /* blanks before each line of text */
    bool ruled;      /* text: a line below the titles and one above the feet */
    const void *arg; /* of the functions below, each of which may be NULL */
    /* Another value for a cell; false: the usual one. */
    bool (*value)(struct ttp_value *value, const void *arg, const struct ttp_field *field,
                  const void *row);
    /* Another text for a cell; false: the usual one. */
    bool (*cell)(ttp_str *text, const void *arg, const struct ttp_field *field, const void *row,
                 struct ttp_arena *arena);
    /* The tone of a cell, instead of that of its field. */
    enum ttp_tone (*tone)(const void *arg, const struct ttp_field *field, const void *row);
    /* A line above row i (i == count: below the last), or several with line ends between them;
     * empty: none. */
    ttp_str (*above)(const void *arg, size_t i, struct ttp_arena *arena);
    enum ttp_tone above_tone;
    /* Lines below a row, in text; they end with a line end. */
    void (*below)(const struct ttp_show *show, const void *arg, const void *row);
    /* Values of lines below the rows, such as sums; a line without any is left out. */
    size_t feet;
    struct ttp_value (*foot)(const void *arg, size_t which, const struct ttp_field *field,
                             struct ttp_arena *arena);
};
/* In the form of `show`, which is text or Markdown. */
void ttp_show_table(const struct ttp_show *show, const struct ttp_table *table);

/* A chart of an HTML page, drawn from columns of a part. Names are ids of parts and fields; NULL:
 * the kind of chart does without. */
struct ttp_chart {
    const char
        *kind; /* bar, bars, plot, line, icicle, timeline, heat or stack: see page_charts.js */
    const char *part, *title, *help;
    const char *label, *x, *y, *size, *color, *before, *lane, *depth;
    /* of a plot: lines that are level or rise with x, from rows of another part */
    const char *line_part, *line_label, *line_level, *line_slope;
    double line_scale; /* of the slope */
    bool fold_table;   /* the table below it is closed at first */
    bool fold_lines;   /* so is that of line_part */
};
/* What a verb adds to its HTML page. */
struct ttp_html {
    const char *title;
    const struct ttp_chart *chart;
    size_t charts;
    /* Values of these columns lead to the row of `link_part` whose `link_field` has them. */
    const char *link_part, *link_field;
    const char *const *link_from; /* ends with NULL */
    /* Rows of this part represent those of link_part whose `members_by` is its `members_of`. */
    const char *members_part, *members_of, *members_by;
    /* A drawing as SVG, shown above the tables; NULL: none. */
    const char *picture_title;
    void (*picture)(struct ttp_sink *out, const void *arg, struct ttp_arena *arena);
};

/* What a verb adds to its tables in text and Markdown. Any may be NULL. */
struct ttp_page {
    const void *arg;
    void (*head)(const struct ttp_show *show, const void *arg);
    /* In place of the usual heading and table of a part; `index`: rows that were chosen. */
    void (*body)(const struct ttp_show *show, const void *arg, size_t part,
                 const struct ttp_table *table);
    void (*foot)(const struct ttp_show *show, const void *arg);
    const char *csv_columns; /* usual columns of CSV; NULL: all that are not objects or rows */
    const struct ttp_html *html;
};

/* The whole document in a form of tables (text, CSV, Markdown, JSON, HTML). TTP_EUSAGE: an unknown
 * column, a bad expression, or an option on rows if there is no table. `page` NULL: none. */
TTP_NODISCARD ttp_code ttp_show_document(const struct ttp_show *show,
                                         const struct ttp_document *doc,
                                         const struct ttp_page *page, struct ttp_err *err);

/* For JSON that has all rows. TTP_EUSAGE: rows or columns were chosen. */
TTP_NODISCARD ttp_code ttp_show_check_whole_json(const struct ttp_show *show, struct ttp_err *err);

/* The same of several documents of one kind, whose spec has `each`. */
TTP_NODISCARD ttp_code ttp_show_documents(const struct ttp_show *show,
                                          const struct ttp_document *doc,
                                          const struct ttp_page *page, size_t count,
                                          struct ttp_err *err);

/* The chosen rows and columns of the main part, copied, for a part that has them inside it in
 * JSON. */
TTP_NODISCARD ttp_code ttp_show_choose(struct ttp_records *out, const struct ttp_show *show,
                                       const struct ttp_records *rows, struct ttp_err *err);

/* Above a part, in text and Markdown; NULL: none. */
void ttp_show_heading(const struct ttp_show *show, const char *title);
/* Below a table: that many rows of it are not shown. */
void ttp_show_more(const struct ttp_show *show, size_t rows);
/* "  label   value" for each figure of the one record of a part, where it has a value. */
void ttp_show_facts(const struct ttp_show *show, const struct ttp_records *record);

/* The JSON Schema of a document, with a line end. */
void ttp_show_schema(struct ttp_sink *out, const struct ttp_document_spec *spec);
/* Columns of the main part with their help, for --columns help. */
void ttp_show_column_help(struct ttp_sink *out, const struct ttp_document_spec *spec, int width);

/* ---- parts of it, for writers of their own ---- */

/* Members of one record, in an object that is open. */
void ttp_show_json_members(struct ttp_json_writer *w, const struct ttp_records *record, size_t row);
/* A value as a cell of text. `unit`: of times in this column; NULL: chosen for the value. */
ttp_str ttp_show_cell(const struct ttp_field *field, struct ttp_value value, const char *unit,
                      struct ttp_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* field.h - figures of a record, each declared once: its name, unit and form, and how to get it.
 *
 * Text tables, CSV, Markdown, JSON, schemas, --columns, --sort and --where all read the same
 * declaration. A missing value has one form, TTP_VALUE_NONE. */
#ifndef TTP_BASE_FIELD_H
#define TTP_BASE_FIELD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum ttp_value_kind {
    TTP_VALUE_NONE,
    TTP_VALUE_INT,
    TTP_VALUE_REAL,
    TTP_VALUE_TEXT,
    TTP_VALUE_BOOL, /* `text` is "True" or "False"; in JSON it is a boolean */
};
struct ttp_value {
    enum ttp_value_kind kind;
    union {
        int64_t i;
        double f;
        ttp_str text;
    } v;
};

static inline bool ttp_value_is_text(struct ttp_value v)
{
    return v.kind == TTP_VALUE_TEXT || v.kind == TTP_VALUE_BOOL;
}

enum ttp_type { TTP_I64, TTP_F64, TTP_TEXT, TTP_BOOL };

/* `context` is what all rows of a table share, `row` one of them; both have the types that the
 * owner of the fields says. */
struct ttp_field {
    const char *id;    /* stable: CSV header, JSON key, --columns, --sort and --where name */
    const char *title; /* for people, in text tables and Markdown */
    const char *unit;  /* "us", "cycles", "bytes", "%", "" */
    enum ttp_type type;
    int digits;            /* after the point, in text */
    const char *csv_title; /* header in CSV where another tool's name is kept; NULL: id */
    uint8_t drop;          /* in text: the highest goes first where room is short; 0: never */
    bool in_table;         /* part of the usual text table; CSV and JSON have all fields */
    bool left;             /* aligned to the left */
    struct ttp_value (*get)(const void *context, const void *row);
    const char *help; /* what it is, for --columns help, the manual and the schema */
};

struct ttp_field_alias {
    const char *brief, *id;
};

/* All figures of one kind of record, in their usual order. */
struct ttp_fields {
    const struct ttp_field *field;
    size_t count;
    const struct ttp_field_alias *alias; /* short names that users know */
    size_t aliases;
    const char *hint; /* where they are listed: "tt-perf report --columns help lists them" */
};

/* By id or short name; NULL: none. */
const struct ttp_field *ttp_fields_find(const struct ttp_fields *fields, ttp_str name);
/* Those of a list with ',' between the names, in the arena. TTP_EUSAGE: no such field. */
TTP_NODISCARD ttp_code ttp_fields_choose(const struct ttp_field *const **chosen, size_t *count,
                                         const struct ttp_fields *fields, const char *list,
                                         struct ttp_arena *arena, struct ttp_err *err);
/* TTP_EUSAGE with the name and the hint. */
ttp_code ttp_fields_unknown(const struct ttp_fields *fields, ttp_str name, struct ttp_err *err);

/* Keeps the rows for which an expression is true, such as "bound=DRAM and cores<10". Comparisons: =
 * != < <= > >=, ~ (contains) and !~, joined by and, or, not and parentheses; text in any case,
 * quoted where it has blanks; a missing value is only ever equal to `none`. TTP_EUSAGE: err->offset
 * is the place in the text. */
struct ttp_filter;
TTP_NODISCARD ttp_code ttp_filter_parse(struct ttp_filter **out, const struct ttp_fields *fields,
                                        ttp_str text, struct ttp_arena *arena, struct ttp_err *err);
bool ttp_filter_keeps(const struct ttp_filter *filter, const void *context, const void *row);

/* Which rows to show, and in which order. */
struct ttp_selection {
    const char *where; /* NULL: all */
    const char *sort;  /* field, or field:asc, field:desc; NULL: as they are. Missing values come
                          last, ties keep their order */
    size_t top;        /* only so many; 0: all */
};
/* Rows of equal size, one after the other. */
struct ttp_records {
    const struct ttp_fields *fields;
    const void *context;
    const void *first;
    size_t size, count;
};

static inline const void *ttp_records_at(const struct ttp_records *rows, size_t i)
{
    return (const char *)rows->first + i * rows->size;
}

/* Indexes of the chosen rows in the arena. TTP_EUSAGE: an unknown field or a bad expression. */
TTP_NODISCARD ttp_code ttp_records_select(size_t **index, size_t *count,
                                          const struct ttp_records *rows,
                                          const struct ttp_selection *selection,
                                          struct ttp_arena *arena, struct ttp_err *err);

#endif

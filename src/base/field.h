/* SPDX-License-Identifier: Apache-2.0 */
/* field.h - figures of a record, each declared once: its name, unit, format and accessor.
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
    TTP_VALUE_BOOL,   /* `text` is "True" or "False"; in JSON it is a boolean */
    TTP_VALUE_MOMENT, /* `i`: nanoseconds since 1970, UTC; ISO 8601 in CSV and JSON */
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

/* Values, for functions that compute figures. Unknown numbers are NaN, unknown texts empty. */
struct ttp_value ttp_value_i64(int64_t v);
struct ttp_value ttp_value_f64(double v);
struct ttp_value ttp_value_text(ttp_str s);
struct ttp_value ttp_value_bool(bool yes);
struct ttp_value ttp_value_word(const char *s); /* none if it is empty or NULL */
/* 0: unknown. */
struct ttp_value ttp_value_moment(int64_t unix_ns);
/* Of a number or moment; NaN: it is neither. */
double ttp_value_number(struct ttp_value v);

struct ttp_records;

enum ttp_type {
    TTP_I64,
    TTP_F64,
    TTP_TEXT,
    TTP_BOOL,
    TTP_OBJECT, /* a record inside the record: JSON only */
    TTP_ROWS,   /* several of them: JSON only */
    TTP_MOMENT, /* nanoseconds since 1970, UTC; 0: unknown */
    TTP_JSON,   /* a text that is JSON, put there as it is; null where it is empty: JSON only */
};

/* Where a figure is in its row when no function computes it. Unknown numbers are NaN, unknown
 * texts empty or NULL, unknown objects NULL. */
enum ttp_stored {
    TTP_STORED_NOWHERE, /* `get` computes it */
    TTP_STORED_BOOL,
    TTP_STORED_I32,
    TTP_STORED_U8,
    TTP_STORED_U32,
    TTP_STORED_I64,
    TTP_STORED_U64,
    TTP_STORED_F32,
    TTP_STORED_F64,
    TTP_STORED_STR,
    TTP_STORED_CSTR,
    TTP_STORED_CHARS,   /* an array of the row, with a 0 at the end */
    TTP_STORED_HERE,    /* TTP_OBJECT: embedded in the row */
    TTP_STORED_POINTER, /* TTP_OBJECT: the row points to it; TTP_ROWS: to the first */
};

/* What rows inside a record are in JSON. */
enum ttp_nesting {
    TTP_NEST_LIST,   /* an array of objects */
    TTP_NEST_MAP,    /* an object; the first field of a row is its key, and a row without one is
                         omitted */
    TTP_NEST_TUPLES, /* an array of arrays, which have the values of the fields */
};

/* How a cell is highlighted in text. */
enum ttp_tone {
    TTP_TONE_PLAIN,
    TTP_TONE_FAINT,
    TTP_TONE_BAD,
    TTP_TONE_GOOD,
    TTP_TONE_WARN,
    TTP_TONE_BLUE,
    TTP_TONE_MAGENTA,
    TTP_TONE_CYAN,
};

/* For `drop`: a column that only decorates goes before any name is shortened. */
#define TTP_DROP_FIRST 255

/* `context` is shared by all rows of a table, `row` is one of them; the owner of the fields defines
 * their types. */
struct ttp_field {
    const char *id;    /* stable: CSV header, JSON key, --columns, --sort and --where name */
    const char *title; /* for human readers, in text tables and Markdown; NULL: the id */
    const char *unit;  /* "us", "cycles", "bytes", "%", "" */
    enum ttp_type type;
    int digits;            /* after the point, in text */
    const char *csv_title; /* header in CSV where another tool's name is kept; NULL: id */
    uint8_t drop;          /* in text: the highest is dropped first if space is short; 0: never */
    bool in_table;         /* part of the usual text table; CSV and JSON have all fields */
    bool left;             /* aligned to the left */
    bool table_only;       /* not in JSON, where the enclosing record has it */
    bool plus;             /* in text: a sign even if it is above 0 */
    bool is_id;            /* a number below 0 is none */
    bool above_0;          /* a number that is not above 0 is none */
    bool optional;         /* no member in JSON if there is none */
    /* Without `get`: where it is. TTP_FIGURE() and its kin fill these in. */
    uint8_t stored;    /* enum ttp_stored */
    uint8_t nest;      /* TTP_ROWS: enum ttp_nesting */
    uint32_t offset;   /* in the row */
    uint32_t known_at; /* 1 + offset of a bool of the row: false, it has no value; 0: always */
    uint32_t count_at; /* TTP_ROWS: offset of their number, a size_t */
    uint32_t fixed;    /* TTP_ROWS: their number where it is always the same; 0: see count_at */
    uint32_t row_size; /* TTP_ROWS: of one */
    uint32_t unit_at;  /* 1 + offset of a `const char *` of the row: its unit, where rows differ */
    uint32_t words;    /* number of names in `word` */
    double scale;      /* stored number times this is the figure; 0: it is the figure */
    struct ttp_value (*get)(const void *context, const void *row);
    const char *help;             /* what it is, for --columns help, the manual and the schema */
    const char *const *word;      /* names of the values 0, 1, ...; NULL: it is a number */
    const struct ttp_fields *sub; /* of TTP_OBJECT and TTP_ROWS, and what TTP_JSON may have; a
                                     single field without an id: the elements are bare values, or
                                     lists of them */
    enum ttp_tone (*tone)(const void *context, const void *row); /* NULL: plain */
    /* Objects and rows that are not stored as above: the records, with their own context. */
    struct ttp_records (*list)(const void *context, const void *row);
};

/* A function for `get`: of the context c and the row r. */
#define TTP_GET(name, context_type, row_type, expression)                                          \
    static struct ttp_value name(const void *context, const void *row)                             \
    {                                                                                              \
        const context_type *c = context;                                                           \
        const row_type *r = row;                                                                   \
        (void)c, (void)r;                                                                          \
        return expression;                                                                         \
    }

/* How a member is stored, by its type. NOLINTBEGIN(bugprone-macro-parentheses) */
#define TTP_STORED_OF(type, member)                                                                \
    _Generic(((type *)0)->member, bool                                                             \
             : TTP_STORED_BOOL, int32_t                                                            \
             : TTP_STORED_I32, uint8_t                                                             \
             : TTP_STORED_U8, uint32_t                                                             \
             : TTP_STORED_U32, int64_t                                                             \
             : TTP_STORED_I64, uint64_t                                                            \
             : TTP_STORED_U64, float                                                               \
             : TTP_STORED_F32, double                                                              \
             : TTP_STORED_F64, ttp_str                                                             \
             : TTP_STORED_STR, char *                                                              \
             : TTP_STORED_CSTR, const char *                                                       \
             : TTP_STORED_CSTR)
/* For the initialiser of a field: the figure is this member of the row. */
#define TTP_FIGURE(struct_type, member)                                                            \
    .stored = TTP_STORED_OF(struct_type, member), .offset = offsetof(struct_type, member)
/* The same of an array of characters. */
#define TTP_CHARS(struct_type, member)                                                             \
    .stored = TTP_STORED_CHARS, .offset = offsetof(struct_type, member)
/* Also: it has a value only if that member, a bool, is true. */
#define TTP_KNOWN_IF(struct_type, member) .known_at = 1 + offsetof(struct_type, member)
/* Also: its unit is that member. */
#define TTP_UNIT_IN(struct_type, member) .unit_at = 1 + offsetof(struct_type, member)
/* An enum whose values have names; the array of names begins with that of 0. */
#define TTP_WORD(struct_type, member, names)                                                       \
    .type = TTP_TEXT, .stored = TTP_STORED_OF(struct_type, member),                                \
    .offset = offsetof(struct_type, member), .word = (names), .words = TTP_COUNT(names)
/* A struct in the row, and one that it points to. */
#define TTP_OBJECT_HERE(struct_type, member, fields)                                               \
    .type = TTP_OBJECT, .stored = TTP_STORED_HERE, .offset = offsetof(struct_type, member),        \
    .sub = &(fields)
#define TTP_OBJECT_AT(struct_type, member, fields)                                                 \
    .type = TTP_OBJECT, .stored = TTP_STORED_POINTER, .offset = offsetof(struct_type, member),     \
    .sub = &(fields)
/* An array in the row, of `number` (size_t) elements. */
#define TTP_ROWS_HERE(struct_type, member, number, fields)                                         \
    .type = TTP_ROWS, .stored = TTP_STORED_HERE, .offset = offsetof(struct_type, member),          \
    .count_at = offsetof(struct_type, number), .row_size = sizeof(((struct_type *)0)->member[0]),  \
    .sub = &(fields)
/* An array in the row, all of it. */
#define TTP_ARRAY_HERE(struct_type, member, fields)                                                \
    .type = TTP_ROWS, .stored = TTP_STORED_HERE, .offset = offsetof(struct_type, member),          \
    .fixed = TTP_COUNT(((struct_type *)0)->member),                                                \
    .row_size = sizeof(((struct_type *)0)->member[0]), .sub = &(fields)
/* An array that `member` points to, of `number` (size_t) elements. */
#define TTP_ROWS_AT(struct_type, member, number, fields)                                           \
    .type = TTP_ROWS, .stored = TTP_STORED_POINTER, .offset = offsetof(struct_type, member),       \
    .count_at = offsetof(struct_type, number), .row_size = sizeof(*((struct_type *)0)->member),    \
    .sub = &(fields)
/* Complete fields in their usual form: figures that programs read, and columns of the usual
 * text table with their title and `drop`. The rest says where the figure is, and what it is. */
#define TTP_INT(name, measure, ...)                                                                \
    {                                                                                              \
        .id = (name), .unit = (measure), .type = TTP_I64, __VA_ARGS__                              \
    }
#define TTP_REAL(name, measure, places, ...)                                                       \
    {                                                                                              \
        .id = (name), .unit = (measure), .type = TTP_F64, .digits = (places), __VA_ARGS__          \
    }
#define TTP_WORDS(name, ...)                                                                       \
    {                                                                                              \
        .id = (name), .type = TTP_TEXT, .left = true, __VA_ARGS__                                  \
    }
#define TTP_FLAG(name, ...)                                                                        \
    {                                                                                              \
        .id = (name), .type = TTP_BOOL, .left = true, __VA_ARGS__                                  \
    }
#define TTP_INT_COLUMN(name, heading, measure, dropped, ...)                                       \
    TTP_INT(name, measure, .title = (heading), .drop = (dropped), .in_table = true, __VA_ARGS__)
#define TTP_REAL_COLUMN(name, heading, measure, places, dropped, ...)                              \
    TTP_REAL(name, measure, places, .title = (heading), .drop = (dropped), .in_table = true,       \
             __VA_ARGS__)
#define TTP_WORDS_COLUMN(name, heading, dropped, ...)                                              \
    TTP_WORDS(name, .title = (heading), .drop = (dropped), .in_table = true, __VA_ARGS__)
#define TTP_WHEN(name, ...)                                                                        \
    {                                                                                              \
        .id = (name), .type = TTP_MOMENT, .left = true, __VA_ARGS__                                \
    }
/* Records that a function lists: several, or at most one. */
#define TTP_LISTED(name, kind, function, fields, ...)                                              \
    {                                                                                              \
        .id = (name), .type = (kind), .list = (function), .sub = &(fields), __VA_ARGS__            \
    }
/* The same as an object whose keys are the first field of each record. */
#define TTP_MAP(name, function, fields, ...)                                                       \
    TTP_LISTED(name, TTP_ROWS, function, fields, .nest = TTP_NEST_MAP, __VA_ARGS__)
/* Such a function, of `r`, the row. */
#define TTP_LISTER(name, struct_type, fields, of, first, number)                                   \
    static struct ttp_records name(const void *context, const void *row)                           \
    {                                                                                              \
        const struct_type *r = row;                                                                \
                                                                                                   \
        (void)context;                                                                             \
        return (struct ttp_records){&(fields), (of), (first), sizeof(*(first)), (number)};         \
    }
/* It is a column of the usual text table, under this title. */
#define TTP_SHOWN(heading) .title = (heading), .in_table = true
/* NOLINTEND(bugprone-macro-parentheses) */

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

/* Title for human readers; rarely used figures have only their id. */
static inline ttp_str ttp_field_title(const struct ttp_field *field)
{
    return ttp_str_from(field->title ? field->title : field->id);
}

#define TTP_FIELDS(array) .field = (array), .count = TTP_COUNT(array)

/* Lists of bare values, for `sub`. */
extern const struct ttp_fields ttp_bare_u32, ttp_bare_i64, ttp_bare_u64, ttp_bare_f64, ttp_bare_f32,
    ttp_bare_str, ttp_bare_cstr;

/* Only in JSON: no cell of a table can hold it. */
static inline bool ttp_field_is_nested(const struct ttp_field *f)
{
    return f->type == TTP_OBJECT || f->type == TTP_ROWS || f->type == TTP_JSON;
}

/* The figure of a row. Objects and rows have none: see ttp_field_records(). */
struct ttp_value ttp_field_value(const struct ttp_field *field, const void *context,
                                 const void *row);

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
    size_t top;        /* only that many; 0: all */
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

/* The records of an object (at most one) or of rows. */
struct ttp_records ttp_field_records(const struct ttp_field *field, const void *context,
                                     const void *row);

/* Indexes of the chosen rows in the arena. TTP_EUSAGE: an unknown field or a bad expression. */
TTP_NODISCARD ttp_code ttp_records_select(size_t **index, size_t *count,
                                          const struct ttp_records *rows,
                                          const struct ttp_selection *selection,
                                          struct ttp_arena *arena, struct ttp_err *err);

#endif

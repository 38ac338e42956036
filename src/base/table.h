/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - typed columns. */
#ifndef TTP_BASE_TABLE_H
#define TTP_BASE_TABLE_H

#include "base/sym.h"

enum ttp_type { TTP_I64, TTP_F64, TTP_SYM };

struct ttp_colspec {
    const char *id;    /* stable: CSV header, JSON key, SQL column, --sort name */
    const char *title; /* for people, in text tables */
    const char *unit;  /* "ns", "cycles", "bytes", "%", "" */
    enum ttp_type type;
    int digits; /* after the point, when printed */
};

struct ttp_col {
    const struct ttp_colspec *spec;
    union {
        int64_t *i64;
        double *f64;
        ttp_sym *sym;
    } v;
    uint64_t *valid; /* bit r set: row r has a value; NULL: all rows have one */
};

struct ttp_table {
    size_t nrows, ncols;
    struct ttp_col *col;
    const struct ttp_symtab *syms; /* what the TTP_SYM columns index */
};

#endif

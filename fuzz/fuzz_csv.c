/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in: every kernel says the same as the scalar one, positions rise and stay within the
 * text, and the text may be cut at ttp_csv_whole_rows() without changing a row. The first byte
 * chooses the separator and how many fields are kept. */
#include <stdlib.h>

#include "base/csv_internal.h"
#include "fuzz.h"

enum { MAX_FIELDS = 72 };

static void check(bool ok)
{
    if (!ok)
        abort();
}

struct reader {
    struct ttp_csv csv;
    struct ttp_csv_row row;
    uint32_t end[MAX_FIELDS];
};

static void begin(struct reader *r, ttp_str text, char sep, size_t max)
{
    *r = (struct reader){.csv = {.text = text, .sep = sep}};
    r->row = (struct ttp_csv_row){.end = r->end, .max = max};
}

static size_t kept(const struct ttp_csv_row *row)
{
    return row->nfields < row->max ? row->nfields : row->max;
}

static void check_positions(const struct reader *r)
{
    size_t at = r->row.start;

    check(at < r->csv.text.len && r->row.nfields > 0);
    for (size_t i = 0; i < kept(&r->row); i++) {
        check(r->end[i] >= at && r->end[i] <= r->csv.text.len);
        at = (size_t)r->end[i] + 1;
    }
    check(r->csv.row <= r->csv.text.len && (r->row.nfields > r->row.max || r->csv.row >= at - 1));
}

/* Row of `r`, whose text begins `skip` bytes and `lines` lines after that of `whole`. */
static void check_same(const struct reader *whole, const struct reader *r, size_t skip,
                       uint64_t lines)
{
    const struct ttp_csv_row *a = &whole->row, *b = &r->row;

    check(a->start == b->start + skip && a->nfields == b->nfields);
    check(a->line == b->line + lines && a->open_quote == b->open_quote);
    for (size_t i = 0; i < kept(a); i++)
        check(a->end[i] == b->end[i] + skip);
}

static void check_fields(const struct reader *r)
{
    struct ttp_arena scratch = {0};

    for (size_t i = 0; i < kept(&r->row); i++) {
        const size_t from = i ? (size_t)r->end[i - 1] + 1 : r->row.start;
        check(ttp_csv_field(&r->csv, &r->row, i, &scratch).len <= r->end[i] - from);
    }
    ttp_arena_free(&scratch);
}

static void check_kernel(const struct ttp_csv_kernel *k, ttp_str text, char sep, size_t max)
{
    struct reader whole, part, scalar;
    const size_t cut = k->whole_rows(text, sep, false);
    size_t skip = 0;
    uint64_t lines = 0;

    check(cut <= text.len && cut == ttp_csv_scalar.whole_rows(text, sep, false));
    check(k->count(text, sep) == ttp_csv_scalar.count(text, sep));
    begin(&whole, text, sep, max);
    begin(&scalar, text, sep, max);
    begin(&part, (ttp_str){text.ptr, cut}, sep, max);
    while (k->next(&whole.csv, &whole.row)) {
        check_positions(&whole);
        check_fields(&whole);
        check(ttp_csv_scalar.next(&scalar.csv, &scalar.row));
        check_same(&whole, &scalar, 0, 0);
        if (!k->next(&part.csv, &part.row)) {
            check(skip == 0);
            skip = cut;
            lines = part.csv.lines;
            begin(&part, (ttp_str){text.ptr + cut, text.len - cut}, sep, max);
            check(k->next(&part.csv, &part.row));
        }
        check_same(&whole, &part, skip, lines);
    }
    check(!ttp_csv_scalar.next(&scalar.csv, &scalar.row) && !k->next(&part.csv, &part.row));
    check(whole.csv.lines == scalar.csv.lines && whole.csv.high == scalar.csv.high);
}

/* The functions that others call choose a kernel; its name is known. */
static void check_chosen(ttp_str text, char sep, size_t max)
{
    struct reader chosen, scalar;

    check(ttp_csv_kernel_name()[0] != '\0');
    check(ttp_csv_whole_rows(text, sep, false) == ttp_csv_scalar.whole_rows(text, sep, false));
    check(ttp_csv_whole_rows(text, sep, true) == ttp_csv_scalar.whole_rows(text, sep, true));
    begin(&chosen, text, sep, max);
    begin(&scalar, text, sep, max);
    while (ttp_csv_next(&chosen.csv, &chosen.row)) {
        check(ttp_csv_scalar.next(&scalar.csv, &scalar.row));
        check_same(&chosen, &scalar, 0, 0);
    }
    check(!ttp_csv_scalar.next(&scalar.csv, &scalar.row));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t maxima[] = {0, 1, 2, 7, 8, 9, 64, MAX_FIELDS};

    if (size == 0)
        return 0;
    const char sep = ",\t; "[data[0] & 3];
    const size_t max = maxima[data[0] >> 2 & 7];
    const ttp_str text = {(const char *)data + 1, size - 1};
    for (size_t i = 0; ttp_csv_kernel(i); i++)
        check_kernel(ttp_csv_kernel(i), text, sep, max);
    check_chosen(text, sep, max);
    return 0;
}

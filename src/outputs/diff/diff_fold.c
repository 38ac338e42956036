/* SPDX-License-Identifier: Apache-2.0 */
/* diff_fold.c - what changed, once: ops of one kind that were changed in the same way. */
#include "base/sym.h"
#include "outputs/diff/diff_fields.h"

/* So many equal changes are worth a reference to the line that has them. */
#define MIN_EQUAL 3

static const struct ttp_diff_line *line_at(const struct ttp_table *table, size_t i)
{
    return ttp_records_at(table->rows, table->index ? table->index[i] : i);
}

/* The next part of a list with ", " between them; the list becomes the rest. */
static ttp_str next_part(ttp_str *list)
{
    const size_t end = ttp_str_find(*list, TTP_STR(", "));
    const ttp_str part = ttp_str_slice(*list, 0, end);

    *list = end == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(*list, end + 2, list->len);
    return part;
}

static bool has_part(ttp_str list, ttp_str part)
{
    while (list.len)
        if (ttp_str_eq(next_part(&list), part))
            return true;
    return false;
}

/* What of a line is not in an earlier one, and how much is. */
static ttp_str less(const struct ttp_diff_line *line, const struct ttp_diff_line *before,
                    struct ttp_arena *arena)
{
    struct ttp_sink out;
    size_t equal = 0;

    ttp_sink_to_arena(&out, arena);
    for (ttp_str list = line->what; list.len;) {
        const ttp_str part = next_part(&list);

        if (has_part(before->what, part)) {
            equal++;
            continue;
        }
        if (out.len)
            ttp_sink_put(&out, TTP_STR(", "));
        ttp_sink_put(&out, part);
    }
    if (equal < MIN_EQUAL)
        return line->what;
    ttp_sink_printf(&out, "%s%zu changes as in %.*s above", out.len ? ", " : "", equal,
                    TTP_FMT(before->name));
    return ttp_sink_text(&out);
}

/* "Matmul" of "Matmul 32 x 2048 x 3072" */
static ttp_str code_of(ttp_str name)
{
    return ttp_str_slice(name, 0, ttp_str_find_char(name, ' '));
}

struct ttp_records ttp_out_diff_fold(const struct ttp_table *table, struct ttp_arena *arena)
{
    struct ttp_records rows = *table->rows;
    struct ttp_diff_line *copy = TTP_NEW(arena, struct ttp_diff_line, rows.count);
    size_t *first = TTP_NEW(arena, size_t, table->count + 1); /* by code: its line + 1 */
    struct ttp_symtab codes = {.arena = arena};

    memcpy(copy, rows.first, rows.count * sizeof(*copy));
    for (size_t i = 0; i < table->count; i++) {
        const struct ttp_diff_line *line = line_at(table, i);

        if (!line->what.len)
            continue;
        size_t *before = &first[ttp_sym_intern(&codes, code_of(line->name))];
        if (*before)
            copy[table->index ? table->index[i] : i].what =
                less(line, line_at(table, *before - 1), arena);
        else
            *before = i + 1;
    }
    rows.first = copy;
    return rows;
}

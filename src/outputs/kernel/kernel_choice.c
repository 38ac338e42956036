/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_choice.c - which of many programs a reader sees. */
#include <stdlib.h>

#include "base/order.h"
#include "outputs/kernel/kernel_parts.h"

/* Kinds of programs that the head names. */
#define TOP_ALIKE 3

static int by_duration(const void *a, const void *b)
{
    const struct ttp_kernel_row *p = *(const struct ttp_kernel_row *const *)a,
                                *q = *(const struct ttp_kernel_row *const *)b;

    if (p->of.duration_cycles != q->of.duration_cycles)
        return p->of.duration_cycles > q->of.duration_cycles ? -1 : 1;
    return p < q ? -1 : p > q;
}

static int by_position(const void *a, const void *b)
{
    const struct ttp_kernel_row *p = *(const struct ttp_kernel_row *const *)a,
                                *q = *(const struct ttp_kernel_row *const *)b;

    return p < q ? -1 : p > q;
}

/* Programs with the same name and number of cores. */
struct alike {
    const struct ttp_kernel_row *longest;
    size_t count;
    double cycles; /* of all of them */
};

static bool is_alike(const struct ttp_kernel_row *p, const struct ttp_kernel_row *q)
{
    return p->of.ncores == q->of.ncores && ttp_str_eq(p->of.name, q->of.name);
}

TTP_ORDER(by_cycles, struct alike, TTP_DOWN(cycles), TTP_UP(longest))

/* Groups of rows that are sorted by duration, the group with the most time first. */
static size_t group_alike(struct alike *out, const struct ttp_kernel_row *const *row, size_t rows)
{
    size_t count = 0, g;

    for (size_t i = 0; i < rows; i++) {
        for (g = 0; g < count && !is_alike(out[g].longest, row[i]); g++)
            ;
        if (g == count)
            out[count++] = (struct alike){.longest = row[i]};
        out[g].count++;
        out[g].cycles += (double)row[i]->of.duration_cycles;
    }
    TTP_SORT(out, count, by_cycles);
    return count;
}

/* The groups with the most time of all: single programs do not show them. */
static ttp_str tell_alike(const struct alike *group, size_t groups, struct ttp_arena *arena)
{
    struct ttp_sink out;
    double all = 0;

    for (size_t g = 0; g < groups; g++)
        all += group[g].cycles;
    ttp_sink_to_arena(&out, arena);
    for (size_t g = 0; g < groups && g < TOP_ALIKE && group[g].cycles > 0; g++) {
        const struct ttp_kernel_program *m = &group[g].longest->of;
        const ttp_str name = m->name.len ? m->name : TTP_STR(TTP_PROGRAM_OP);

        ttp_sink_printf(&out, "%s%zu %.*s", g ? ", " : "most time in: ", group[g].count,
                        TTP_FMT(name));
        if (!ttp_str_starts(name, TTP_STR(TTP_PROGRAM_OP " on ")))
            ttp_sink_printf(&out, " on %zu core%s", m->ncores, m->ncores == 1 ? "" : "s");
        ttp_sink_printf(&out, " %.0f %%", group[g].cycles / all * 100);
    }
    return ttp_sink_text(&out);
}

/* The longest of each group, those with the most time first, in their own order, unless the user
 * chose: others of a group say the same. */
void ttp_out_choose_programs(struct ttp_kernel_page *p, const struct ttp_table *table)
{
    struct ttp_arena *arena = p->show->arena;
    const struct ttp_kernel_row **row = TTP_NEW(arena, const struct ttp_kernel_row *, table->count);
    const struct ttp_kernel_row **first =
        TTP_NEW(arena, const struct ttp_kernel_row *, table->count);
    struct alike *group = TTP_NEW(arena, struct alike, table->count);
    size_t n = 0;

    for (size_t i = 0; i < table->count; i++)
        row[i] = ttp_records_at(table->rows, table->index[i]);
    p->row = row;
    p->rows = table->count;
    if (p->view->shown == 0 || p->view->shown >= p->rows)
        return;
    qsort(row, p->rows, sizeof(void *), by_duration);
    const size_t groups = group_alike(group, row, p->rows);
    for (size_t g = 0; g < groups && n < p->view->shown; g++)
        first[n++] = group[g].longest;
    p->row = first;
    p->rows = n;
    p->alike = tell_alike(group, groups, arena);
    qsort(first, p->rows, sizeof(void *), by_position);
}

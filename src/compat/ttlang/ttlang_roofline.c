/* SPDX-License-Identifier: Apache-2.0 */
/* Below the threads of TT-Lang's AUTO-PROFILE REPORT. */
#include "compat/ttlang/lines.h"

enum { BAR = 40 };

static void put(const struct ttp_lines_report *r, const char *text)
{
    ttp_sink_put(r->out, ttp_str_from(text));
}

static void rule(const struct ttp_lines_report *r)
{
    ttp_sink_repeat(r->out, '=', 100);
    ttp_sink_char(r->out, '\n');
}

void ttp_compat_lines_put_summary(const struct ttp_lines_report *r)
{
    rule(r);
    put(r, "THREAD SUMMARY\n");
    rule(r);
    for (size_t i = 0; i < r->nthreads; i++) {
        const struct ttp_lines_thread *t = &r->thread[i];
        struct ttp_sink kernel;

        ttp_sink_to_arena(&kernel, r->arena);
        if (t->kernel.len)
            ttp_sink_printf(&kernel, " [%.*s]", TTP_FMT(t->kernel));
        put(r, "  ");
        ttp_put_left(r->out, t->name, 12);
        ttp_put_right(r->out, ttp_sink_text(&kernel), 20);
        ttp_sink_char(r->out, ' ');
        ttp_put_grouped_right(r->out, t->cycles, 10);
        ttp_sink_printf(r->out, " cycles (%3llu ops) [", (unsigned long long)t->ops);
        ttp_put_fixed_right(r->out, 100.0 * (double)t->cycles / (double)r->total, 1, 5);
        put(r, "%]\n");
    }
    put(r, "\n");
}

/* The thread of most work among those with ranks [from, to); the first of equals. */
static const struct ttp_lines_thread *busiest(const struct ttp_lines_report *r, size_t from,
                                              size_t to)
{
    const struct ttp_lines_thread *best = NULL;

    for (size_t i = 0; i < r->nthreads; i++) {
        const struct ttp_lines_thread *t = &r->thread[i];
        if (t->cycles > 0 && t->rank >= from && t->rank < to && (!best || t->work > best->work))
            best = t;
    }
    return best;
}

static void put_bar(const struct ttp_lines_report *r, int64_t memory, int64_t compute)
{
    const int64_t sum = memory + compute;
    const double ratio = sum > 0 ? (double)memory / (double)sum : 0.5;
    const int at = (int)(ratio * (BAR - 1));

    if (memory == compute) {
        put(r, "  Perfectly balanced!\n");
    } else {
        const int64_t more = memory > compute ? memory : compute;
        const int64_t less = memory > compute ? compute : memory;
        put(r, "  ");
        ttp_sink_fixed(r->out, (double)(100 * (more - less)) / (double)more, 0, false);
        put(r, memory > compute ? "% memory bound\n" : "% compute bound\n");
    }
    put(r, "  Compute ├");
    for (int i = 0; i < at; i++)
        put(r, "─");
    put(r, "●");
    for (int i = at; i < BAR - 1; i++) /* none for a marker beyond the end, as "─" * -1 */
        put(r, "─");
    put(r, "┤ Memory\n          ");
    ttp_put_grouped(r->out, compute);
    put(r, " cycles");
    ttp_sink_repeat(r->out, ' ', BAR - 12);
    ttp_put_grouped(r->out, memory);
    put(r, " cycles\n\n");
}

static void put_busiest(const struct ttp_lines_report *r, const char *what,
                        const struct ttp_lines_thread *t)
{
    if (!t)
        return;
    put(r, what);
    ttp_put_grouped_right(r->out, t->work, 10);
    ttp_sink_printf(r->out, " cycles  (%.*s)\n", TTP_FMT(t->name));
}

void ttp_compat_lines_put_roofline(const struct ttp_lines_report *r)
{
    const struct ttp_lines_thread *memory = busiest(r, 0, 2), *compute = busiest(r, 2, 5);
    bool active = false;

    for (size_t i = 0; i < r->nthreads; i++)
        active |= r->thread[i].cycles > 0;
    if (!active)
        return;
    put(r, "ROOFLINE ANALYSIS\n");
    rule(r);
    put(r, "  Thread            Total   - Sync Waits   =       Work\n"
           "  ------------ ----------   - ----------   = ----------\n");
    for (size_t i = 0; i < r->nthreads; i++) {
        const struct ttp_lines_thread *t = &r->thread[i];
        if (t->cycles <= 0)
            continue;
        put(r, "  ");
        ttp_put_left(r->out, t->name, 12);
        put(r, " ");
        ttp_put_grouped_right(r->out, t->cycles, 10);
        put(r, "   - ");
        ttp_put_grouped_right(r->out, t->sync, 10);
        put(r, "   = ");
        ttp_put_grouped_right(r->out, t->work, 10);
        put(r, "\n");
    }
    put(r, "\n");
    const int64_t m = memory ? memory->work : 0, c = compute ? compute->work : 0;
    if (m <= 0 && c <= 0)
        return;
    put_busiest(r, "  Memory:  ", memory);
    put_busiest(r, "  Compute: ", compute);
    put(r, "\n");
    put_bar(r, m, c);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/mesh/mesh_headline.h"

#include <math.h>

#include "base/quantity.h"

#define MOST_LISTED 16

static size_t count_hosts(const struct ttp_mesh *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->parts; i++) {
        bool seen = !m->rank[i].host;
        for (size_t k = 0; k < i && !seen; k++)
            seen = m->rank[k].host && strcmp(m->rank[k].host, m->rank[i].host) == 0;
        n += !seen;
    }
    return n;
}

static void put_missing(struct ttp_sink *out, const struct ttp_mesh *m)
{
    if (m->missing_ranks == 0)
        return;
    ttp_sink_printf(out, " (%zu missing:", m->missing_ranks);
    for (size_t i = 0; i < m->missing_ranks && i < MOST_LISTED; i++)
        ttp_sink_printf(out, " %lld", (long long)m->missing_rank[i]);
    ttp_sink_printf(out, "%s)", m->missing_ranks > MOST_LISTED ? " ..." : "");
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void ttp_out_mesh_put_headline(struct ttp_sink *out, const struct ttp_mesh *m,
                               struct ttp_arena *arena)
{
    const size_t ranks = m->parts + m->missing_ranks, hosts = count_hosts(m);

    ttp_sink_printf(out, "%zu rank%s", ranks, plural(ranks));
    put_missing(out, m);
    if (hosts)
        ttp_sink_printf(out, ", %zu host%s", hosts, plural(hosts));
    ttp_sink_printf(out, ", %zu device%s", m->devices, plural(m->devices));
    if (m->mesh_rows && m->mesh_columns)
        ttp_sink_printf(out, " (%lld x %lld)", (long long)m->mesh_rows, (long long)m->mesh_columns);
    if (isfinite(m->bound_us))
        ttp_sink_printf(out, ", aligned: bounds ±%.*s, estimate ±%.*s, %zu of %zu rows set aside",
                        TTP_FMT(ttp_time_us_text(m->bound_us, arena)),
                        TTP_FMT(ttp_time_us_text(m->estimate_us, arena)), m->rows_aside,
                        m->collective_rows);
    else
        ttp_sink_printf(out, ", clocks not aligned: %s",
                        m->collectives ? m->notes.count ? m->notes.word[0] : "they contradict"
                                       : "no usable collective");
}

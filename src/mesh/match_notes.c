/* SPDX-License-Identifier: Apache-2.0 */
/* match_notes.c - what to say of how a rank was matched with the others. */
#include "base/sink.h"
#include "mesh/build.h"

#define MOST_LISTED 8

/* "0, 34, 68": the shifts that fit; INT64_MIN is none. */
static ttp_str list_shifts(const int64_t *shift, size_t shifts, struct ttp_arena *arena)
{
    struct ttp_sink list;
    size_t n = 0;

    ttp_sink_to_arena(&list, arena);
    for (size_t i = 0; i < shifts; i++)
        if (shift[i] != INT64_MIN && n++ < MOST_LISTED)
            ttp_sink_printf(&list, "%s%lld", n > 1 ? ", " : "", (long long)shift[i]);
    ttp_sink_put(&list, n > MOST_LISTED ? TTP_STR(", ...") : TTP_STR(""));
    return ttp_sink_text(&list);
}

/* Without a match by the shift that the user gave. */
static void note_told(struct ttp_mesh_build *b, const struct ttp_mesh_rank *rank)
{
    const ttp_str fit = list_shifts(rank->possible, rank->possibles, b->arena);

    ttp_mesh_note(b,
                  "rank %lld: with shift %lld %zu of %zu ops have no match in another rank%s%.*s",
                  (long long)rank->rank, (long long)rank->shift, rank->unmatched, rank->ops,
                  fit.len ? "; these shifts fit: " : "", TTP_FMT(fit));
}

void ttp_mesh_note_rank(struct ttp_mesh_build *b, const struct ttp_mesh_rank *rank)
{
    if (rank->told && rank->unmatched) {
        note_told(b, rank);
        return;
    }
    if (rank->doubtful)
        ttp_mesh_note(b,
                      "rank %lld: %zu possible shifts relative to the others: %.*s; omitting skew "
                      "between them (choose one with --shift %lld=N)",
                      (long long)rank->rank, rank->shifts,
                      TTP_FMT(list_shifts(rank->possible, rank->possibles, b->arena)),
                      (long long)rank->rank);
    else if (rank->by_host)
        ttp_mesh_note(b, "rank %lld: host clocks chose shift %lld; by chip clocks %zu are possible",
                      (long long)rank->rank, (long long)rank->shift, rank->shifts);
    if (!b->mesh->in_doubt && rank->unmatched) /* else that is why */
        ttp_mesh_note(b, "rank %lld: %zu of %zu ops have no match in another rank",
                      (long long)rank->rank, rank->unmatched, rank->ops);
}

/* By rank: ops that no other has. */
void ttp_mesh_count_unmatched(struct ttp_mesh_build *b, const uint32_t *step, size_t ops)
{
    const size_t n = b->sequences;

    for (size_t o = 0; o < ops && b->mesh->parts > 1; o++) {
        size_t ranks = 0, last = 0;
        for (size_t s = 0; s < n; s++)
            if (step[o * n + s] != TTP_MESH_NONE) {
                ranks++;
                last = s;
            }
        if (ranks == 1)
            b->mesh->rank[b->sequence[last].part].unmatched++;
    }
}

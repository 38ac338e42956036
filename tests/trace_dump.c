/* SPDX-License-Identifier: Apache-2.0 */
/* trace_dump FILE - what a Perfetto trace says, a line an event, fields separated by tabs:
 *
 *   counts  packets sequences delta absolute tracks slices instants samples stages flows gpus
 *   slice   path ts dur depth name key=value;...
 *   instant path ts name key=value;...
 *   sample  path ts value unit
 *   stage   gpu ts dur name grid workgroup
 *   flow    id, path and name where it begins, path and name where it ends
 *
 * Exit status 1, after a line that begins with "fault", if anything in it is not as it must be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "unit/trace_decode.h"

static void put_args(const struct td_event *e)
{
    for (size_t i = 0; i < e->nargs; i++)
        printf("%s%.*s=%.*s", i ? ";" : "", TTP_FMT(e->arg[i].key), TTP_FMT(e->arg[i].text));
    putchar('\n');
}

static void put_event(const struct td_trace *t, const struct td_event *e, struct ttp_arena *arena)
{
    if (e->kind == TD_STAGE) {
        printf("stage\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%.*s\t%" PRIu64 "\t%" PRIu64 "\n",
               e->gpu, e->ts, e->dur, TTP_FMT(e->name), e->grid, e->workgroup);
        return;
    }
    const ttp_str path = td_path(t, e->track, arena);
    if (e->kind == TD_SLICE) {
        printf("slice\t%.*s\t%" PRId64 "\t%" PRId64 "\t%d\t%.*s\t", TTP_FMT(path), e->ts, e->dur,
               e->depth, TTP_FMT(e->name));
        put_args(e);
    } else if (e->kind == TD_INSTANT) {
        printf("instant\t%.*s\t%" PRId64 "\t%.*s\t", TTP_FMT(path), e->ts, TTP_FMT(e->name));
        put_args(e);
    } else {
        const struct td_track *track = td_find_track(t, e->track);
        printf("sample\t%.*s\t%" PRId64 "\t%.6g\t%.*s\n", TTP_FMT(path), e->ts, e->value,
               track ? (int)track->unit.len : 0, track ? track->unit.ptr : "");
    }
}

struct flow {
    uint64_t id;
    const struct td_event *e;
    bool out;
};

static int by_id(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->out > y->out ? -1 : x->out < y->out;
}

/* Returns flows that do not have one beginning and one end, in this order. */
static size_t put_flows(const struct td_trace *t, size_t *count, bool print,
                        struct ttp_arena *arena)
{
    struct flow *flow = TTP_NEW(arena, struct flow, t->nevents * 2);
    size_t n = 0, odd = 0;

    for (size_t i = 0; i < t->nevents; i++) {
        if (t->event[i].flow_out)
            flow[n++] = (struct flow){t->event[i].flow_out, &t->event[i], true};
        if (t->event[i].flow_in)
            flow[n++] = (struct flow){t->event[i].flow_in, &t->event[i], false};
    }
    if (n)
        qsort(flow, n, sizeof(*flow), by_id);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || flow[i + 1].id != flow[i].id || !flow[i].out || flow[i + 1].out ||
            flow[i + 1].e->ts <= flow[i].e->ts) {
            odd++;
            continue;
        }
        const ttp_str from = td_path(t, flow[i].e->track, arena);
        const ttp_str to = td_path(t, flow[i + 1].e->track, arena);
        if (print)
            printf("flow\t%" PRIu64 "\t%.*s\t%.*s\t%.*s\t%.*s\n", flow[i].id, TTP_FMT(from),
                   TTP_FMT(flow[i].e->name), TTP_FMT(to), TTP_FMT(flow[i + 1].e->name));
        (*count)++;
        i++;
    }
    return odd;
}

/* A slice that ends after the one around it; by track, with the ends of those that are open. */
static size_t count_crossed(const struct td_trace *t, struct ttp_arena *arena)
{
    size_t crossed = 0;
    uint64_t most = 0;

    for (size_t i = 0; i < t->nevents; i++)
        most = t->event[i].track > most ? t->event[i].track : most;
    int64_t(*end)[64] = ttp_arena_alloc(arena, most + 1, sizeof(*end), 16);
    for (size_t i = 0; i < t->nevents; i++) {
        const struct td_event *e = &t->event[i];

        if (e->kind != TD_SLICE || e->depth >= 64)
            continue;
        end[e->track][e->depth] = e->ts + e->dur;
        crossed += e->depth > 0 && e->ts + e->dur > end[e->track][e->depth - 1];
    }
    return crossed;
}

int main(int argc, char **argv)
{
    struct ttp_arena arena = {0};
    struct ttp_file file;
    struct td_trace t;
    size_t kinds[4] = {0}, flows;
    const bool brief = argc == 3 && strcmp(argv[1], "--counts") == 0;

    if (argc != 2 + brief || ttp_file_map(&file, argv[1 + brief], NULL) != TTP_OK) {
        fprintf(stderr, "usage: trace_dump [--counts] FILE\n");
        return 2;
    }
    td_decode(&t, file.text, &arena);
    t.crossed = count_crossed(&t, &arena);
    for (size_t i = 0; i < t.nevents; i++)
        kinds[t.event[i].kind]++;
    const size_t odd = put_flows(&t, &flows, false, &arena);
    printf("counts\tpackets=%zu\tsequences=%zu\tdelta=%zu\tabsolute=%zu\ttracks=%zu\tslices=%zu\t"
           "instants=%zu\tsamples=%zu\tstages=%zu\tflows=%zu\tgpus=%zu\n",
           t.packets, t.sequences, t.delta_packets, t.absolute_packets, t.ntracks, kinds[TD_SLICE],
           kinds[TD_INSTANT], kinds[TD_COUNTER], kinds[TD_STAGE], flows, t.gpus);
    for (size_t i = 0; i < t.nevents && !brief; i++)
        put_event(&t, &t.event[i], &arena);
    if (!brief)
        (void)put_flows(&t, &flows, true, &arena);
    const bool bad = td_faults(&t) + odd > 0;
    if (bad)
        printf("fault\tmalformed=%zu unknown_fields=%zu no_state=%zu unknown_names=%zu "
               "unknown_tracks=%zu lone_ends=%zu unended=%zu crossed=%zu odd_flows=%zu\n",
               t.malformed, t.unknown_fields, t.no_state, t.unknown_names, t.unknown_tracks,
               t.lone_ends, t.unended, t.crossed, odd);
    ttp_file_close(&file);
    ttp_arena_free(&arena);
    return bad;
}

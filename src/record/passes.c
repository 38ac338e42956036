/* SPDX-License-Identifier: Apache-2.0 */
/* passes.c - which passes a complete kernel profile takes, and what each records. */
#include "record/record.h"

#define L1_BANKS                                                                                   \
    (TTP_COUNTERS_L1_0 | TTP_COUNTERS_L1_1 | TTP_COUNTERS_L1_2 | TTP_COUNTERS_L1_3 |               \
     TTP_COUNTERS_L1_4)

static struct ttp_ledger_settings *add(struct ttp_record_passes *out, const char *name,
                                       const char *what, const struct ttp_ledger_settings *base)
{
    struct ttp_record_pass *p = &out->pass[out->count++];

    *p = (struct ttp_record_pass){name, what, *base};
    p->settings.one_of_passes = true;
    return &p->settings;
}

/* What an undisturbed kernel moves; TT-Lang places the user's signposts only without lines. */
static void record_noc(struct ttp_ledger_settings *s)
{
    s->noc_events = s->mid_run = true;
    s->perf_dump = s->signposts = s->pipe_graph = true;
}

/* The banks share a multiplexer: the first goes with the other groups. */
static void add_counters(struct ttp_record_passes *out, const struct ttp_ledger_settings *base,
                         uint32_t counters)
{
    static const char *const names[] = {"counters", "counters-2", "counters-3", "counters-4",
                                        "counters-5"};
    uint32_t rest = counters & ~(uint32_t)L1_BANKS;
    size_t n = 0;

    for (uint32_t bank = 1; bank <= L1_BANKS; bank <<= 1) {
        if (!(counters & bank & L1_BANKS))
            continue;
        add(out, names[n++], "hardware counters", base)->counters = rest | bank;
        rest = 0;
    }
    if (rest)
        add(out, names[n], "hardware counters", base)->counters = rest;
}

void ttp_record_plan_passes(struct ttp_record_passes *out, const struct ttp_ledger_settings *base,
                            uint32_t counters, bool single)
{
    *out = (struct ttp_record_passes){.count = 0};
    struct ttp_ledger_settings *s =
        add(out, "noc", single ? "NoC events and lines" : "NoC events and times", base);
    record_noc(s);
    if (single) {
        s->lines = true;
        s->signposts = false;
        s->counters = counters;
        return;
    }
    s = add(out, "lines", "lines of the kernel", base);
    s->lines = s->mid_run = true;
    add_counters(out, base, counters);
}

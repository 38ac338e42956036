/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a NoC trace: no crash, no leak; what is accepted points where it should and can be
 * estimated or is refused with a reason, a refusal says where. */
#include "fuzz.h"
#include "noc/noc_merge.h"
#include "noc_check.h"

static void estimate(const struct ttp_noc_trace *t, const char *device,
                     const struct ttp_noc_rules *rules, struct ttp_arena *arena)
{
    const struct ttp_noc_model *m = ttp_device_noc_model(ttp_str_from(device));
    struct ttp_noc_load load;
    struct ttp_noc_estimate est;
    struct ttp_noc_profile profile;
    struct ttp_err err = {0};
    uint64_t bytes, out = 0;

    const ttp_code rc =
        ttp_noc_from_trace(&load, (struct ttp_noc_modelling){m, rules}, t, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    if (rc != TTP_OK || !check_estimate(&est, &bytes, &load, rules, arena))
        return;
    ttp_noc_make_profile(&profile, &load, t, 3, arena);
    for (size_t i = 0; i < (size_t)m->grid->cols * m->grid->rows * m->chips; i++)
        out += profile.out_bytes[i];
    must(profile.bytes == bytes && out == bytes);
}

/* As a single file, and as part of a folder. */
static void work_on(struct ttp_noc_trace *t, struct ttp_arena *arena)
{
    struct ttp_noc_timing timing;
    struct ttp_err err = {0};

    const struct ttp_noc_rules *rules = t->cut_values ? &ttp_compat_noc : &our_noc_rules;

    estimate(t, "wormhole_b0", &ttp_compat_noc, arena);
    estimate(t, "T3K", &ttp_compat_noc, arena);
    must(ttp_noc_merge(t, (struct ttp_noc_merging){&timing, NULL, rules}, arena, &err) == TTP_OK);
    estimate(t, "T3K", rules, arena);
    estimate(t, "P150", rules, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_noc_trace t = {.cut_values = size % 2, .strict_zones = size % 2};
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    const ttp_code rc = ttp_logs_read_noc_trace(&t, file.path, 0, &arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    for (size_t i = 0; i < t.nevents && rc == TTP_OK; i++) {
        const struct ttp_noc_event *e = &t.event[i];
        must(e->type < TTP_NOC_TYPES && e->risc < TTP_NOC_RISCS &&
             e->noc <= (t.cut_values ? TTP_NOC_STRANGE : 1));
        must(e->name == TTP_SYM_NONE || e->name < t.names.count);
        must(e->fabric == TTP_NOC_NO_FABRIC || e->fabric < t.nfabrics);
        must(e->cycle >= t.first_cycle && e->cycle <= t.last_cycle);
    }
    for (size_t i = 0; i < t.nfabrics && rc == TTP_OK; i++)
        must(t.fabric[i].write + t.fabric[i].nwrites <= t.nwrites &&
             t.fabric[i].hop + t.fabric[i].nhops <= t.nhops);
    for (size_t i = 0; i < t.nhops && rc == TTP_OK; i++)
        must(t.hop[i].write + t.hop[i].count <= t.nwrites);
    if (rc == TTP_OK)
        work_on(&t, &arena);
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a workload file: no crash, no leak; what is accepted can be estimated or is refused
 * with a reason, and ends after it began. */
#include "fuzz.h"
#include "noc/noc_programs.h"
#include "noc_check.h"

static void estimate(const struct ttp_noc_workload *w, const struct ttp_noc_rules *rules,
                     struct ttp_arena *arena)
{
    const struct ttp_noc_model *m = ttp_device_noc_model(TTP_STR("wormhole_b0"));
    struct ttp_noc_load load;
    struct ttp_noc_estimate est;
    struct ttp_err err = {0};
    uint64_t bytes;

    const ttp_code rc =
        ttp_noc_from_workload(&load, (struct ttp_noc_modelling){m, rules}, w, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    if (rc != TTP_OK || !check_estimate(&est, &bytes, &load, rules, arena))
        return;
    for (size_t i = 0; i < load.ntransfers; i++)
        must(est.start_cycle[i] >= load.transfer[i].offset_cycles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_noc_workload w;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    const ttp_code rc = ttp_logs_read_noc_workload(&w, file.path, size % 2, &arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    if (rc == TTP_OK) {
        estimate(&w, &our_noc_rules, &arena);
        estimate(&w, &ttp_compat_noc, &arena);
    }
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a NoC trace: no crash, no leak; what is accepted points where it should, a refusal
 * says where. */
#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_noc_trace t = {0};
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    const ttp_code rc = ttp_logs_read_noc_trace(&t, file.path, 0, &arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    for (size_t i = 0; i < t.nevents && rc == TTP_OK; i++) {
        const struct ttp_noc_event *e = &t.event[i];
        must(e->type < TTP_NOC_TYPES && e->risc < TTP_NOC_RISCS && e->noc <= 1);
        must(e->name == TTP_SYM_NONE || e->name < t.names.count);
        must(e->fabric == TTP_NOC_NO_FABRIC || e->fabric < t.nfabrics);
        must(e->cycle >= t.first_cycle && e->cycle <= t.last_cycle);
    }
    for (size_t i = 0; i < t.nfabrics && rc == TTP_OK; i++)
        must(t.fabric[i].write + t.fabric[i].nwrites <= t.nwrites &&
             t.fabric[i].hop + t.fabric[i].nhops <= t.nhops);
    for (size_t i = 0; i < t.nhops && rc == TTP_OK; i++)
        must(t.hop[i].write + t.hop[i].count <= t.nwrites);
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a topology: no crash, no leak; fabric events find a way over its chips or are
 * reported why not, whatever it says. */
#include "fuzz.h"
#include "noc/noc_merge.h"
#include "noc_check.h"

static void send_packets(const struct ttp_topology *t, const struct ttp_noc_rules *rules,
                         struct ttp_arena *arena)
{
    struct ttp_noc_event event[3] = {
        {.fabric = 0, .sx = 1, .sy = 1, .device = 0, .type = TTP_NOC_FABRIC_UNICAST_WRITE},
        {.fabric = 1, .sx = 1, .sy = 2, .device = 1, .type = TTP_NOC_FABRIC_UNICAST_WRITE},
        {.fabric = 2, .sx = 1, .sy = 3, .device = 0, .type = TTP_NOC_FABRIC_MULTICAST_WRITE}};
    struct ttp_noc_fabric fabric[3] = {
        {.eth_chan = 0, .start_distance = 1, .range = 3, .ns_hops = 1, .e_hops = 1},
        {.eth_chan = 1, .start_distance = 2, .range = 1, .ns_hops = 2, .w_hops = 2},
        {.eth_chan = 0,
         .start_distance = 1,
         .range = 1,
         .ns_hops = 2,
         .e_hops = 1,
         .w_hops = 1,
         .is_mcast = true}};
    struct ttp_noc_trace trace = {.event = event, .nevents = 3, .fabric = fabric, .nfabrics = 3};
    struct ttp_noc_timing timing;
    struct ttp_err err = {0};

    const ttp_code rc = ttp_noc_merge(&trace, &timing, t, rules, arena, &err);
    must(rc == TTP_OK || (rules->strict && err.code == rc && err.text[0]));
    for (size_t i = 0; i < 3; i++)
        must(fabric[i].hop + fabric[i].nhops <= trace.nhops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_topology t;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    const ttp_code rc = ttp_logs_read_topology(&t, file.path, &arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    if (rc == TTP_OK) {
        send_packets(&t, &our_noc_rules, &arena);
        send_packets(&t, &ttp_compat_noc, &arena);
    }
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}

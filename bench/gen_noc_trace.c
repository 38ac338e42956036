/* SPDX-License-Identifier: Apache-2.0 */
/* gen_noc_trace RECORDS - a NoC trace of a Wormhole whose 64 cores read, write and multicast at
 * random, about that many records, four in five of them transfers: the same bytes every time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

struct generator {
    uint64_t seed, time;
    const struct ttp_noc_grid *grid;
    bool first;
};

static uint32_t pick(struct generator *g, uint32_t n)
{
    g->seed = g->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(g->seed >> 33) % n;
}

static void begin(struct generator *g, int x, int y, const char *proc)
{
    printf("%s {\n  \"proc\": \"%s\",\n  \"sx\": %d,\n  \"sy\": %d,\n  \"op_name\": \"Syn\",\n"
           "  \"run_host_id\": 1024,\n  \"src_device_id\": 0,\n",
           g->first ? "" : ",\n", proc, x, y);
    g->first = false;
}

static void zone(struct generator *g, int x, int y, const char *proc, const char *phase)
{
    begin(g, x, y, proc);
    printf("  \"zone\": \"%s-KERNEL\",\n  \"zone_phase\": \"%s\",\n  \"timestamp\": %" PRIu64
           "\n }",
           proc, phase, g->time);
}

static void event(struct generator *g, int x, int y, bool noc1)
{
    static const int sizes[] = {64, 512, 1024, 2048, 4096, 4096};
    const uint32_t kind = pick(g, 100);
    const int bytes = sizes[pick(g, TTP_COUNT(sizes))];

    begin(g, x, y, noc1 ? "BRISC" : "NCRISC");
    printf("  \"noc\": \"NOC_%d\",\n  \"vc\": -1,\n", noc1);
    if (kind < 50) {
        const uint8_t *to = g->grid->dram[pick(g, 18)];
        printf("  \"type\": \"READ\",\n  \"num_bytes\": %d,\n  \"dx\": %d,\n  \"dy\": %d,\n", bytes,
               to[0], to[1]);
    } else if (kind < 74) {
        printf("  \"type\": \"WRITE_\",\n  \"num_bytes\": %d,\n  \"dx\": %u,\n  \"dy\": %u,\n",
               bytes, 1 + pick(g, 4), 1 + pick(g, 5));
    } else if (kind < 80) {
        printf(
            "  \"type\": \"WRITE_MULTICAST\",\n  \"num_bytes\": 2048,\n  \"mcast_start_x\": %d,\n"
            "  \"mcast_start_y\": %d,\n  \"mcast_end_x\": %d,\n  \"mcast_end_y\": %d,\n",
            noc1 ? 4 : 1, noc1 ? 5 : 2, noc1 ? 1 : 4, noc1 ? 2 : 5);
    } else {
        printf("  \"type\": \"%s\",\n  \"num_bytes\": 0,\n",
               kind < 90 ? "READ_BARRIER_START" : "READ_BARRIER_END");
    }
    g->time += 150 + pick(g, 880);
    printf("  \"timestamp\": %" PRIu64 "\n }", g->time);
}

int main(int argc, char **argv)
{
    struct generator g = {
        .seed = 7, .grid = ttp_device_noc_grid(TTP_STR("wormhole_b0")), .first = true};
    uint64_t records;

    if (argc != 2 || !ttp_str_to_u64(ttp_str_from(argv[1]), &records)) {
        fputs("usage: gen_noc_trace RECORDS\n", stderr);
        return 2;
    }
    fputs("[\n", stdout);
    for (int x = 1; x <= 9; x++)
        for (int y = 1; y <= 9; y++) {
            if (g.grid->map[y][x] != 'W')
                continue;
            for (int noc1 = 1; noc1 >= 0; noc1--) {
                const char *proc = noc1 ? "BRISC" : "NCRISC";
                g.time = 1000000000000 + pick(&g, 50);
                zone(&g, x, y, proc, "ZONE_START");
                for (uint64_t i = 0; i < records / 128; i++)
                    event(&g, x, y, noc1);
                g.time += 50;
                zone(&g, x, y, proc, "ZONE_END");
            }
        }
    fputs("\n]\n", stdout);
    return 0;
}

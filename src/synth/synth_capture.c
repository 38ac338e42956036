/* SPDX-License-Identifier: Apache-2.0 */
/* The graph capture of a run in which tensors of its beginning stay in L1 to the end. */
#include "synth/writers.h"

/* Of a real Wormhole. */
enum { L1_BASE = 103712, L1_BANK = 1370848, WORKER_L1 = 1499136 };
/* They leave 40,960 bytes of a bank. */
enum { STALE = 3, STALE_BYTES = 443296 };

struct writing {
    struct ttp_sink *out;
    uint32_t counter;
};

static void begin(struct writing *w, const char *type, uint32_t level)
{
    ttp_sink_printf(w->out,
                    "%s{\"counter\":%u,\"node_type\":\"%s\",\"arguments\":[],\"stacking_level\":%u",
                    w->counter ? ",\n" : "", w->counter, type, level);
    w->counter++;
}

static void put_function(struct writing *w, const char *type, const char *name, uint32_t level)
{
    begin(w, type, level);
    ttp_sink_printf(w->out,
                    ",\"connections\":[],\"input_tensors\":[],\"params\":{\"name\":\"%s\"}}", name);
}

static void put_allocation(struct writing *w, uint32_t banks, uint32_t i)
{
    const uint64_t size = (uint64_t)STALE_BYTES * banks;
    const uint32_t address = L1_BASE + L1_BANK - (i + 1) * STALE_BYTES, buffer = w->counter;

    begin(w, "buffer", 1);
    ttp_sink_printf(w->out,
                    ",\"connections\":[%u],\"input_tensors\":[],\"params\":{\"buffer_type\":1,"
                    "\"device_id\":0,\"layout\":\"INTERLEAVED\",\"size\":%llu,\"type\":\"L1\"}}",
                    buffer + 2, (unsigned long long)size);
    begin(w, "buffer_allocate", 1);
    ttp_sink_printf(w->out,
                    ",\"connections\":[%u],\"input_tensors\":[],\"params\":{\"address\":%u,"
                    "\"buffer_type\":1,\"device_id\":0,\"layout\":\"INTERLEAVED\","
                    "\"max_size_per_bank\":%u,\"num_cores\":0,\"page_size\":2048,\"size\":%llu,"
                    "\"type\":\"L1\"}}",
                    buffer, address, (unsigned)STALE_BYTES, (unsigned long long)size);
    begin(w, "tensor", 1);
    ttp_sink_printf(w->out,
                    ",\"connections\":[],\"input_tensors\":[],\"params\":{\"address\":%u,"
                    "\"buffer_type\":1,\"device_id\":0,\"tensor_id\":%u,\"size\":%llu}}",
                    address, i + 1, (unsigned long long)size);
}

/* An op that makes the tensors, one that uses them for the last time. */
static void put_stale(struct writing *w, uint32_t banks)
{
    uint32_t tensor[STALE];

    put_function(w, "function_start", "ttnn.ones", 1);
    for (uint32_t i = 0; i < STALE; i++) {
        put_allocation(w, banks, i);
        tensor[i] = w->counter - 1;
    }
    put_function(w, "function_end", "ttnn.ones", 1);
    begin(w, "function_start", 1);
    ttp_sink_printf(w->out,
                    ",\"connections\":[],\"input_tensors\":[%u,%u,%u],"
                    "\"params\":{\"name\":\"ttnn.addcmul\"}}",
                    tensor[0], tensor[1], tensor[2]);
    put_function(w, "function_end", "ttnn.addcmul", 1);
}

static void put_launch(struct writing *w, const char *name)
{
    put_function(w, "function_start", name, 1);
    begin(w, "circular_buffer_deallocate_all", 1);
    ttp_sink_own(w->out, ",\"connections\":[],\"input_tensors\":[],\"params\":{\"device_id\":0}}");
    begin(w, "circular_buffer_allocate", 1);
    ttp_sink_printf(w->out,
                    ",\"connections\":[],\"input_tensors\":[],\"params\":{\"address\":%u,"
                    "\"core_range_set\":\"{[(x=0,y=0) - (x=7,y=7)]}\",\"device_id\":0,"
                    "\"globally_allocated\":\"0\",\"size\":8192}}",
                    (unsigned)L1_BASE);
    put_function(w, "function_end", name, 1);
}

void ttp_synth_put_graph_capture(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    const uint32_t banks = p->chip.max_cores;
    struct writing w = {out, 0};

    ttp_sink_printf(out,
                    "{\"devices\":[{\"device_id\":0,\"l1_num_banks\":%u,\"l1_bank_size\":%u,"
                    "\"address_at_first_l1_cb_buffer\":%u,\"worker_l1_size\":%u,"
                    "\"num_dram_channels\":%u}],\n\"graph\":[\n",
                    banks, (unsigned)L1_BANK, (unsigned)L1_BASE, (unsigned)WORKER_L1,
                    p->chip.ndram);
    begin(&w, "capture_start", 0);
    ttp_sink_own(out, ",\"connections\":[],\"input_tensors\":[],\"params\":null}");
    if (p->side->stale)
        put_stale(&w, banks);
    for (size_t i = 0; i < p->ncalls; i++)
        if (p->call[i].event == SYNTH_OP)
            put_launch(&w, p->call[i].op->code);
    begin(&w, "capture_end", 0);
    ttp_sink_own(out, ",\"connections\":[],\"input_tensors\":[],\"params\":null}");
    ttp_sink_own(out, "],\n\"metadata\":{\"rank\":0,\"world_size\":1},\"version\":1}\n");
}

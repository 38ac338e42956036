/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a flow graph and a pipe graph: no crash, no leak; what is found is within its lists,
 * waits are those of consumers, a refusal says why. */
#include <string.h>

#include "fuzz.h"
#include "kernel/flow_graph.h"
#include "kernel/kernel.h"
#include "memfile.h"

static void check_flow(const struct ttp_flow_graph *g, struct ttp_arena *arena)
{
    size_t consumers = 0, barriers = 0;

    for (size_t i = 0; i < g->nbuffers; i++) {
        consumers += g->buffer[i].nops[TTP_FLOW_CONSUMERS];
        barriers += g->buffer[i].nops[TTP_FLOW_WAITS];
    }
    for (int original = 0; original < 2; original++) {
        struct ttp_flow_waits w;
        ttp_kernel_flow_waits(&w, g, original, arena);
        must(w.nsources <= consumers && w.nbarriers <= barriers);
        for (size_t i = 0; i < w.nsources; i++)
            must(w.source[i].line > 0 &&
                 ttp_kernel_find_source(&w, w.source[i].kernel, w.source[i].line, 0));
        for (size_t i = 0; i < w.nbarriers; i++)
            must(ttp_kernel_find_barrier(&w, w.barrier[i].kernel, w.barrier[i].line) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_flow_graph flow;
    struct ttp_pipe_graph pipes;
    struct ttp_err err = {0};

    if (ttp_kernel_parse_flow(&flow, text, &arena, &err) == TTP_OK)
        check_flow(&flow, &arena);
    else
        must(err.code != TTP_OK && err.text[0] && err.offset <= size);
    err = (struct ttp_err){0};
    if (ttp_kernel_parse_pipes(&pipes, text, &arena, &err) != TTP_OK)
        must(err.code != TTP_OK && err.text[0] && err.offset <= size);
    ttp_arena_free(&arena);
    return 0;
}

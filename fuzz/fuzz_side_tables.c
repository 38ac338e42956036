/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the side tables of a kernel, with a flow graph and a device log after them: no
 * crash, no leak; tables are within their bounds, and the report that takes them is written. */
#include "compat/compat.h"
#include "fuzz.h"
#include "kernel/flow_graph.h"
#include "memfile.h"
#include "parts.h"

static void write_report(const struct ttp_side_tables *tables, ttp_str flow, ttp_str log,
                         struct ttp_arena *arena)
{
    const struct ttp_logs_options options = {.threads = 1};
    struct ttp_original_zones zones;
    struct ttp_flow_graph graph = {0};
    struct ttp_flow_waits waits;
    struct ttp_err err = {0};
    struct ttp_sink out;
    struct memfile file;

    memfile_open(&file, (const uint8_t *)log.ptr, log.len);
    if (ttp_original_kernel_read(&zones, file.path, &options, arena, &err) == TTP_OK) {
        if (ttp_kernel_parse_flow(&graph, flow, arena, &err) != TTP_OK)
            graph = (struct ttp_flow_graph){0};
        ttp_kernel_flow_waits(&waits, &graph, true, arena);
        const struct ttp_original_lines_view view = {&zones, tables, &waits, false};
        ttp_sink_to_arena(&out, arena);
        (void)ttp_out_original_lines(&out, &view, arena);
        ttp_out_original_signposts(&out, &zones, arena);
    }
    close(file.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ttp_str rest = {(const char *)data, size};
    const ttp_str text = next_part(&rest), flow = next_part(&rest), log = next_part(&rest);
    struct ttp_arena arena = {0};
    struct ttp_side_tables tables;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, (const uint8_t *)text.ptr, text.len);
    if (ttp_original_kernel_read_side_tables(&tables, file.path, &arena, &err) == TTP_OK) {
        for (size_t i = 0; i < tables.nkernels; i++)
            must(tables.kernel[i].nlines == 0 || tables.kernel[i].line);
        must(tables.nlines <= size && tables.nkernels <= size && tables.nthreads <= size);
        write_report(&tables, flow, log, &arena);
    } else {
        must(err.code != TTP_OK && err.text[0]);
    }
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

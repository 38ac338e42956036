/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_ops_data.csv and tracy_ops_times.csv, as tracy-csvexport writes them: messages in order of
 * time; zones grouped by where they are in the source. */
#include <inttypes.h>

#include "synth/writers.h"

/* An op's zone is over a little before the next device's begins. */
enum { ZONE_GAP_NS = 260, MESSAGE_BEFORE_END_NS = 110, BEFORE_CALL_NS = 100 };
/* Of the ids, set: done by the host. */
#define HOST_ID_BIT 0x80000000u

static uint64_t zone_start(const struct ttp_synth_call *c, uint32_t device)
{
    return c->host_ns + (uint64_t)c->step_ns * device;
}

static uint64_t zone_ns(const struct ttp_synth_call *c)
{
    return c->step_ns - ZONE_GAP_NS;
}

static uint64_t message_time(const struct ttp_synth_call *c, uint32_t device)
{
    return zone_start(c, device) + zone_ns(c) - MESSAGE_BEFORE_END_NS;
}

/* --- messages --- */

static void put_trace_message(struct ttp_sink *out, const struct ttp_synth_plan *p,
                              const char *what, uint64_t ns)
{
    for (uint32_t device = 0; device < p->opt.devices; device++)
        ttp_sink_printf(out, "`TT_METAL_TRACE_%s: %u, 0`;%" PRIu64 "\n", what, device, ns + device);
}

/* Before the call on every device. No two messages may have the same time: csvexport writes such
 * messages with the later one first. */
static void put_trace_message_before(struct ttp_sink *out, const struct ttp_synth_plan *p,
                                     const char *what, const struct ttp_synth_call *c)
{
    _Static_assert(BEFORE_CALL_NS > TTP_SYNTH_MAX_DEVICES, "a nanosecond for each device");
    put_trace_message(out, p, what, c->host_ns - BEFORE_CALL_NS);
}

static void put_op_messages(struct ttp_sink *out, const struct ttp_synth_plan *p,
                            const struct ttp_synth_call *c)
{
    const unsigned cut = TTP_SYNTH_CUT_MESSAGE | TTP_SYNTH_OPEN_MESSAGE;

    for (uint32_t device = 0; device < p->opt.devices; device++) {
        const bool is_cut = c->first && p->opt.faults & cut && device == 0 && c->program == 1;

        if (c->captured)
            ttp_sink_printf(out, "`TT_METAL_TRACE_ENQUEUE_PROGRAM: %u, 0, %u`;%" PRIu64 "\n",
                            device, c->program, zone_start(c, device) + 40);
        if (p->opt.faults & TTP_SYNTH_ZONE_WITHOUT_OP && device == 0 &&
            c->program == p->nops / 2 + 1)
            continue;
        ttp_sink_char(out, '`');
        if (is_cut)
            ttp_sink_printf(out,
                            "TT_DNN_DEVICE_OP: \"%s\", %" PRIu64 ", 0, false, %u ->\n"
                            "{\n    \"attributes\": {\n        \"",
                            c->op->code, c->op->hash, ttp_synth_id(c, device));
        else if (c->first)
            ttp_synth_put_message(out, c, device);
        else
            ttp_sink_printf(out, "TT_DNN_DEVICE_OP: \"%s\", %" PRIu64 ", %u, false, %u",
                            c->op->code, c->op->hash, device, ttp_synth_id(c, device));
        if (!is_cut || !(p->opt.faults & TTP_SYNTH_OPEN_MESSAGE))
            ttp_sink_char(out, '`');
        ttp_sink_printf(out, ";%" PRIu64 "\n", message_time(c, device));
    }
}

static void put_host_message(struct ttp_sink *out, const struct ttp_synth_call *c)
{
    ttp_sink_printf(out,
                    "`TT_DNN_FALL_BACK_OP:\"%s\" ->\n"
                    "{\n"
                    "    \"attributes\": {\n"
                    "        \"dim\": \"-1\"\n"
                    "    },\n"
                    "    \"global_call_count\": %u,\n"
                    "    \"input_tensors\": [\n"
                    "        {\n"
                    "            \"dtype\": \"FLOAT32\",\n"
                    "            \"layout\": \"ROW_MAJOR\",\n"
                    "            \"shape\": {\n"
                    "                \"W\": \"1[1]\",\n"
                    "                \"X\": \"128256[128256]\",\n"
                    "                \"Y\": \"32[32]\",\n"
                    "                \"Z\": \"1[1]\"\n"
                    "            },\n"
                    "            \"storage_type\": \"HOST\"\n"
                    "        }\n"
                    "    ],\n"
                    "    \"op_code\": \"%s\",\n"
                    "    \"op_type\": \"python_fallback\"\n"
                    "}`;%" PRIu64 "\n",
                    c->name, c->program << 10 | HOST_ID_BIT, c->name, message_time(c, 0));
}

static void put_replays(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    uint64_t ns = p->replay_ns[0];

    for (uint32_t replay = 0; replay < p->opt.replays; replay++, ns += p->replay_ns[1])
        put_trace_message(out, p, "REPLAY", ns);
    put_trace_message(out, p, "RELEASE", ns);
}

void ttp_synth_put_ops_data(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    const bool traced = p->last_captured > p->first_captured;

    if (p->opt.faults & TTP_SYNTH_NO_MESSAGES) {
        ttp_sink_put(out, TTP_STR("There are currently no messages!\n"));
        return;
    }
    ttp_sink_put(out, TTP_STR("MessageName;total_ns\n"
                              "perf_event_paranoid: 4;208067325\n"
                              "Failed to get tracefs path, cannot setup system tracing.;208129113\n"
                              "SYNC_CHECK;2680489561\n"));
    for (size_t i = 0; i < p->ncalls; i++) {
        const struct ttp_synth_call *c = &p->call[i];
        if (traced && i == p->first_captured)
            put_trace_message_before(out, p, "BEGIN", c);
        if (traced && i == p->last_captured) /* the signpost of the replays */
            put_trace_message_before(out, p, "END", c);
        if (c->event == SYNTH_OP)
            put_op_messages(out, p, c);
        else if (c->event == SYNTH_HOST_OP)
            put_host_message(out, c);
        else
            ttp_sink_printf(out, "`TT_SIGNPOST: %s`;%" PRIu64 "\n", c->name, c->host_ns);
    }
    if (traced)
        put_replays(out, p);
    if (p->opt.faults & TTP_SYNTH_TRUNCATED)
        ttp_sink_put(out, TTP_STR("`TT_DNN_DEVICE_OP: \"Mat"));
}

/* --- zones --- */

#define IMPL "/opt/tt-metal/tt_metal/impl/"

/* Further zones of the host, in the requested number, which no reader uses. */
static const struct ttp_synth_zone busy[] = {
    {"EnqueueMeshWorkload", IMPL "../distributed/fd_mesh_command_queue.cpp", 214},
    {"AssembleDeviceCommands", IMPL "program/dispatch.cpp", 2084},
    {"WriteProgramCommandSequence", IMPL "program/dispatch.cpp", 2411},
    {"fetch_queue_reserve_back", IMPL "dispatch/system_memory_manager.cpp", 388},
    {"FinalizeOffsets", IMPL "program/program.cpp", 1630},
    {"SetRuntimeArgs", "/opt/tt-metal/tt_metal/tt_metal.cpp", 1127},
    {"allocate_circular_buffers", IMPL "program/program.cpp", 902},
    {"Tensor::to_device", "/opt/tt-metal/ttnn/core/tensor/tensor.cpp", 466},
};

struct stretch {
    uint64_t start, ns;
};

static void put_zone(struct ttp_sink *out, const struct ttp_synth_zone *z, const char *text,
                     struct stretch time, const char *parent)
{
    ttp_sink_printf(out, "%s,%s,%u,,", z->name, z->file, z->line);
    if (text[0])
        ttp_sink_printf(out, "\"%s\"", text);
    ttp_sink_char(out, ',');
    ttp_sink_u64(out, time.start);
    ttp_sink_char(out, ',');
    ttp_sink_u64(out, time.ns);
    ttp_sink_printf(out, ",1,%s,%s\n", text, parent);
}

static void put_op_zones(struct ttp_sink *out, const struct ttp_synth_plan *p,
                         enum ttp_synth_event event, const struct ttp_synth_zone *z)
{
    const uint32_t devices = event == SYNTH_OP ? p->opt.devices : 1;
    char id[24];

    for (size_t i = 0; i < p->ncalls; i++) {
        const struct ttp_synth_call *c = &p->call[i];
        for (uint32_t device = 0; c->event == event && device < devices; device++) {
            if (p->opt.faults & TTP_SYNTH_LOST_ZONE && event == SYNTH_OP && device == 0 &&
                c->program == p->nops / 2 + 1)
                continue;
            const uint32_t number = ttp_synth_id(c, device) | (event == SYNTH_OP ? 0 : HOST_ID_BIT);
            memcpy(id, "id:", 3);
            id[3 + ttp_num_u64(id + 3, number)] = '\0';
            put_zone(out, z, id, (struct stretch){zone_start(c, device), zone_ns(c)}, id);
        }
    }
}

/* Zones within those of ops: compiling the first time, writing runtime arguments every time. */
static void put_child_zones(struct ttp_sink *out, const struct ttp_synth_plan *p,
                            const struct ttp_synth_zone *z, bool first_only)
{
    char id[24];

    for (size_t i = 0; i < p->ncalls; i++) {
        const struct ttp_synth_call *c = &p->call[i];
        if (c->event != SYNTH_OP || (first_only && !c->first))
            continue;
        for (uint32_t device = 0; device < p->opt.devices; device++) {
            const uint64_t ns = first_only ? zone_ns(c) * 3 / 5 : 400 + (c->program * 37) % 900;
            memcpy(id, "id:", 3);
            id[3 + ttp_num_u64(id + 3, ttp_synth_id(c, device))] = '\0';
            put_zone(out, z, "",
                     (struct stretch){zone_start(c, device) + (first_only ? 120 : 2100), ns}, id);
        }
    }
}

void ttp_synth_put_ops_times(struct ttp_sink *out, const struct ttp_synth_plan *p)
{
    static const struct ttp_synth_zone device_op = {
        "TT_DNN_DEVICE_OP", "/opt/tt-metal/ttnn/api/tools/profiler/op_profiler_serialize.hpp", 424};
    static const struct ttp_synth_zone host_op = {
        "TT_DNN_FALLBACK_OP", "/opt/tt-metal/ttnn/cpp/ttnn-pybind/pytensor.cpp", 61};
    static const struct ttp_synth_zone compile = {"CompileProgram", IMPL "program/program.cpp",
                                                  1441};
    static const struct ttp_synth_zone write = {"HWCommandQueue_write_buffer",
                                                IMPL "dispatch/hardware_command_queue.cpp", 120};

    ttp_sink_put(out, TTP_STR("name,src_file,src_line,zone_name,zone_text,ns_since_start,"
                              "exec_time_ns,thread,value,special_parent_text\n"));
    put_op_zones(out, p, SYNTH_OP, &device_op);
    put_op_zones(out, p, SYNTH_HOST_OP, &host_op);
    put_child_zones(out, p, &compile, true);
    put_child_zones(out, p, &write, false);
    for (size_t z = 0; z < TTP_COUNT(busy); z++)
        for (size_t i = 0; i < p->ncalls; i++) {
            const struct ttp_synth_call *c = &p->call[i];
            const uint32_t rows = c->event == SYNTH_OP ? p->opt.host_zones : 0;
            for (uint32_t n = (uint32_t)z; n < rows; n += TTP_COUNT(busy))
                put_zone(out, &busy[z], "",
                         (struct stretch){c->host_ns + n * UINT64_C(31) + 500,
                                          90 + (c->program * 53 + n * 17) % 1900},
                         "");
        }
}

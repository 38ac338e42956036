/* SPDX-License-Identifier: Apache-2.0 */
/* What a dispatch core records: for each program the commands that set it up (BRISC), and the wait
 * to send its go signal (NCRISC). As tt-metal of 2026-08 writes it: names of zones carry the
 * commands, ids are 16 bits of the program's own number. */
#include <inttypes.h>
#include <stdio.h>

#include "synth/writers.h"

#define KERNELS "/opt/tt-metal/tt_metal/impl/dispatch/kernels/"

static const struct ttp_synth_zone dispatch = {"CQ-DISPATCH", KERNELS "cq_dispatch.cpp", 1673};
static const struct ttp_synth_zone subordinate = {"CQ-DISPATCH-SUBORDINATE",
                                                  KERNELS "cq_dispatch_subordinate.cpp", 617};
static const struct ttp_synth_zone command = {"process_cmd_d_dispatch", KERNELS "cq_dispatch.cpp",
                                              1302};
static const struct ttp_synth_zone program = {"runtime_host_id_dispatch", KERNELS "cq_dispatch.cpp",
                                              1426};
static const struct ttp_synth_zone sub_command = {"process_cmd_d_dispatch_subordinate",
                                                  KERNELS "cq_dispatch_subordinate.cpp", 630};

/* Commands of a program, the last of which hands over to the subordinate. */
static const char *const commands[] = {
    "CQ_DISPATCH_CMD_SET_WRITE_OFFSET", "CQ_DISPATCH_CMD_WRITE_PACKED",
    "CQ_DISPATCH_CMD_WRITE_PACKED_LARGE", "CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"};
enum { COMMAND_CYCLES = 130, LEAD_CYCLES = 620, GO = 14 };

struct lane {
    struct ttp_sink *out;
    struct ttp_synth_xy at;
    uint32_t device;
    const char *risc;
    uint64_t rows;
};

/* A zone with the suffix of its name, and its phase. */
struct mark_name {
    const struct ttp_synth_zone *z;
    const char *suffix, *type;
};

/* `id` is the program where the runtime has rewritten it: at the start of its zones. */
static void put_row(struct lane *l, struct mark_name of, uint64_t time, uint64_t data, uint32_t id)
{
    ttp_sink_printf(l->out, "%u,%u,%u,%s,%u,%" PRIu64 ",%" PRIu64 ",%u,,,%s%s,%s,%u,%s,", l->device,
                    l->at.x, l->at.y, l->risc, (unsigned)ttp_synth_zone_id(of.z), time, data, id,
                    of.z->name, of.suffix, of.type, of.z->line, of.z->file);
    l->rows++;
}

static void put_zone(struct lane *l, struct mark_name of, uint64_t time, uint32_t id)
{
    put_row(l, (struct mark_name){of.z, of.suffix, of.type}, time, 0, id);
    ttp_sink_char(l->out, '\n');
}

static void put_command(struct lane *l, const struct ttp_synth_zone *z, const char *name,
                        uint64_t time, uint64_t number)
{
    put_row(l, (struct mark_name){z, "", "TS_DATA"}, time, number, 0);
    ttp_sink_printf(l->out, "{\"dispatch_command_type\":\"%s\"}\n", name);
}

static void put_commands(struct lane *l, const struct ttp_synth_plan *p,
                         const struct ttp_synth_exec *e)
{
    const unsigned id = p->call[e->call].program & 0xFFFF;
    uint64_t time = e->start_cycle - LEAD_CYCLES;
    char suffix[96];

    for (size_t i = 0; i < TTP_COUNT(commands); i++, time += COMMAND_CYCLES) {
        snprintf(suffix, sizeof(suffix), ":%u:%s", id, commands[i]);
        put_zone(l, (struct mark_name){&dispatch, suffix, "ZONE_START"}, time, id);
        put_command(l, &command, commands[i], time + 8, i);
        if (i == 0) {
            put_row(l, (struct mark_name){&program, "", "TS_DATA"}, time + 20, id, 0);
            ttp_sink_printf(l->out, "{\"workers_runtime_id\":%u}\n", id);
        }
        put_zone(l, (struct mark_name){&dispatch, suffix, "ZONE_END"},
                 time + COMMAND_CYCLES - 10 - i, 0);
    }
}

static void put_go(struct lane *l, const struct ttp_synth_exec *e)
{
    static const char name[] = "CQ_DISPATCH_CMD_SEND_GO_SIGNAL";
    const uint64_t time = e->start_cycle - 90;

    put_zone(l, (struct mark_name){&subordinate, ":CQ_DISPATCH_CMD_SEND_GO_SIGNAL", "ZONE_START"},
             time, 0);
    put_command(l, &sub_command, name, time + 8, GO);
    put_zone(l, (struct mark_name){&subordinate, ":CQ_DISPATCH_CMD_SEND_GO_SIGNAL", "ZONE_END"},
             time + 60 + e->call % 23, 0);
}

uint64_t ttp_synth_put_dispatch(struct ttp_sink *out, const struct ttp_synth_plan *p,
                                uint32_t device, size_t from, size_t to)
{
    struct lane brisc = {.out = out, .at = p->chip.dispatch, .device = device, .risc = "BRISC"};
    struct lane ncrisc = {.out = out, .at = p->chip.dispatch, .device = device, .risc = "NCRISC"};

    for (size_t i = from; i < to; i++)
        if (!p->exec[i].replay) /* those of a trace are prefetched, not dispatched one by one */
            put_commands(&brisc, p, &p->exec[i]);
    for (size_t i = from; i < to; i++)
        if (!p->exec[i].replay)
            put_go(&ncrisc, &p->exec[i]);
    return brisc.rows + ncrisc.rows;
}

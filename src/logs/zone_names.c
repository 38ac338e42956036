/* SPDX-License-Identifier: Apache-2.0 */
/* What zone names mean. Names and RISCs are those of process_device_log.py and
 * device_post_proc_config.py; names must be equal, not only similar, by default. */
#include "logs/device_log.h"

static const struct {
    ttp_str name;
    struct ttp_zone zone;
} known[] = {
    {{"BRISC-FW", 8}, {.fw = true, .iteration = true, .master = TTP_RISC_BRISC}},
    {{"NCRISC-FW", 9}, {.fw = true}},
    {{"TRISC-FW", 8}, {.fw = true}},
    {{"ERISC-FW", 8}, {.fw = true, .master = TTP_RISC_ERISC}},
    {{"TENSIX_RISC_AGG-FW", 18}, {.fw = true}},
    {{"DM-FW", 5}, {.fw = true}},
    {{"DM0-FW", 6}, {.iteration = true, .master = TTP_RISC_QUASAR_DM0}},
    {{"TRACE-FW", 8}, {.trace_fw = true, .master = TTP_RISC_AGG}},
    {{"BRISC-KERNEL", 12},
     {.kernel = true, .data_movement = true, .tensix_dm = true, .own = TTP_RISC_BRISC}},
    {{"NCRISC-KERNEL", 13},
     {.kernel = true, .data_movement = true, .tensix_dm = true, .own = TTP_RISC_NCRISC}},
    {{"TRISC-KERNEL", 12}, {.kernel = true, .own = TTP_RISC_TRISC0}},
    {{"ERISC-KERNEL", 12}, {.kernel = true, .data_movement = true, .own = TTP_RISC_ERISC}},
    {{"TENSIX_RISC_AGG-KERNEL", 22}, {.kernel = true}},
    {{"DM-KERNEL", 9}, {.kernel = true}},
    {{"TRACE-KERNEL", 12}, {.trace_kernel = true}},
    {{"CB-COMPUTE-WAIT-FRONT", 21}, {.cb_wait = true}},
    {{"CB-COMPUTE-RESERVE-BACK", 23}, {.cb_reserve = true}},
};

static const struct {
    ttp_str name;
    enum ttp_risc risc;
} riscs[] = {
    {{"BRISC", 5}, TTP_RISC_BRISC},          {{"NCRISC", 6}, TTP_RISC_NCRISC},
    {{"TRISC_0", 7}, TTP_RISC_TRISC0},       {{"TRISC_1", 7}, TTP_RISC_TRISC1},
    {{"TRISC_2", 7}, TTP_RISC_TRISC2},       {{"ERISC", 5}, TTP_RISC_ERISC},
    {{"TENSIX_RISC_AGG", 15}, TTP_RISC_AGG}, {{"QUASAR_DM0", 10}, TTP_RISC_QUASAR_DM0},
};

struct ttp_zone ttp_logs_zone_of(ttp_str name)
{
    struct ttp_zone zone = {0};

    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (ttp_str_eq(name, known[i].name))
            zone = known[i].zone;
    zone.has_fw = ttp_str_has(name, TTP_STR("FW"));
    zone.dispatch =
        ttp_str_has(name, TTP_STR("CQ-DISPATCH")) || ttp_str_has(name, TTP_STR("CQ-PREFETCH"));
    zone.command = ttp_str_has(name, TTP_STR("CQ_DISPATCH_"));
    zone.go = ttp_str_eq(name, TTP_STR("CQ_DISPATCH_CMD_SEND_GO_SIGNAL"));
    return zone;
}

enum ttp_risc ttp_logs_risc_of(ttp_str name)
{
    for (size_t i = 0; i < TTP_COUNT(riscs); i++)
        if (ttp_str_eq(name, riscs[i].name))
            return riscs[i].risc;
    return TTP_RISC_OTHER;
}

bool ttp_logs_zone_is_own(const struct ttp_zone *zone, enum ttp_risc risc)
{
    if (zone->own == TTP_RISC_TRISC0)
        return risc == TTP_RISC_TRISC0 || risc == TTP_RISC_TRISC1 || risc == TTP_RISC_TRISC2;
    return zone->own != TTP_RISC_OTHER && zone->own == risc;
}

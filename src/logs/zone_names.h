/* SPDX-License-Identifier: Apache-2.0 */
/* zone_names.h - private to logs: what the names of zones and RISCs mean. */
#ifndef TTP_LOGS_ZONE_NAMES_H
#define TTP_LOGS_ZONE_NAMES_H

#include "logs/device_log.h"

struct ttp_zone ttp_zone_of(ttp_str name);
enum ttp_risc ttp_risc_of(ttp_str name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_numbers.h - what differs between the dialects of the protocol, as far as we speak them. */
#ifndef TTP_TESTS_TRACY_NUMBERS_H
#define TTP_TESTS_TRACY_NUMBERS_H

#include "tracy_client.h"

/* Numbers of the items we send. */
struct tc_numbers {
    const char *name;
    uint32_t protocol, welcome_bytes;
    double ns_per_tick; /* exact in binary, so that times come out to the ns */
    bool short_deltas, message_meta, delay_in_welcome;
    uint8_t message, message_color, zone_text, zone_begin, zone_end, thread_context, terminate,
        source_location, single_string, string, thread_name, plot_double, plot_name, ack,
        no_source_code, no_symbol_code;
};

extern const struct tc_numbers tc_numbers[TC_DIALECTS];

#endif

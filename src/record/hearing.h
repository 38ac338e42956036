/* SPDX-License-Identifier: Apache-2.0 */
/* hearing.h - ports that Tracy clients announce. Anybody can say so, as often as he
 * likes: what is read at a time, what is kept and how often it is looked into have limits, and a
 * port is only a hint where to look. */
#ifndef TTP_RECORD_HEARING_H
#define TTP_RECORD_HEARING_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TTP_HEARD_MAX = 32 };

struct ttp_hearing {
    int fd; /* -1: deaf */
    struct ttp_heard {
        uint16_t port;
        unsigned protocol;
    } heard[TTP_HEARD_MAX];
    size_t nheard;
    uint64_t
        deaf_until_ns; /* too much arrived at the same time: the system drops data until then */
    uint64_t due_ns;   /* not looked into before */
};

void ttp_record_hearing_open(struct ttp_hearing *h);
void ttp_record_hearing_close(struct ttp_hearing *h);
/* What to poll for, and for how long at most: `ms`, or less. */
int ttp_record_hearing_wants(const struct ttp_hearing *h, struct pollfd *out, uint64_t now, int ms);
/* Take what waits, but never much of it. */
void ttp_record_hearing_take(struct ttp_hearing *h, uint64_t now);
/* Is there something to look into now? */
bool ttp_record_hearing_is_due(const struct ttp_hearing *h, uint64_t now);
/* It was looked into, from `began` to `now`: the next time is so much later that looking takes a
 * tenth of the time at most. */
void ttp_record_hearing_done(struct ttp_hearing *h, uint64_t began, uint64_t now);

#endif

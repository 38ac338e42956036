/* SPDX-License-Identifier: Apache-2.0 */
#include "record/hearing.h"

#include <unistd.h>

#include "record/announce.h"

#define MS UINT64_C(1000000)

enum { TAKE_MAX = 64, REST_MS = 50 };

void ttp_record_hearing_open(struct ttp_hearing *h)
{
    *h = (struct ttp_hearing){.fd = ttp_record_announce_open()};
}

void ttp_record_hearing_close(struct ttp_hearing *h)
{
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
}

int ttp_record_hearing_wants(const struct ttp_hearing *h, struct pollfd *out, uint64_t now, int ms)
{
    const bool rests = now < h->deaf_until_ns;
    const uint64_t until = rests ? h->deaf_until_ns : h->nheard ? h->due_ns : UINT64_MAX;

    *out = (struct pollfd){rests ? -1 : h->fd, POLLIN, 0};
    if (until <= now)
        return 0;
    return until - now < (uint64_t)ms * MS ? (int)((until - now) / MS) + 1 : ms;
}

static void keep(struct ttp_hearing *h, const struct ttp_announcement *a)
{
    for (size_t i = 0; i < h->nheard; i++)
        if (h->heard[i].port == a->port)
            return;
    if (h->nheard < TTP_HEARD_MAX)
        h->heard[h->nheard++] = (struct ttp_heard){a->port, a->protocol};
}

void ttp_record_hearing_take(struct ttp_hearing *h, uint64_t now)
{
    struct ttp_announcement a;
    char buf[512];

    if (h->fd < 0 || now < h->deaf_until_ns)
        return;
    for (int i = 0; i < TAKE_MAX; i++) {
        switch (ttp_record_announce_next(&a, h->fd, buf, sizeof(buf))) {
        case TTP_ANNOUNCE_NONE:
            return;
        case TTP_ANNOUNCE_OTHER:
            break;
        case TTP_ANNOUNCE_CLIENT:
            if (!a.leaving)
                keep(h, &a);
            break;
        }
    }
    h->deaf_until_ns = now + REST_MS * MS;
}

bool ttp_record_hearing_is_due(const struct ttp_hearing *h, uint64_t now)
{
    return h->nheard && now >= h->due_ns;
}

void ttp_record_hearing_done(struct ttp_hearing *h, uint64_t began, uint64_t now)
{
    const uint64_t rest = (now - began) * 9;

    h->nheard = 0;
    h->due_ns = now + (rest > REST_MS * MS ? rest : REST_MS * MS);
}

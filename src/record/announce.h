/* SPDX-License-Identifier: Apache-2.0 */
/* announce.h - announcements of waiting Tracy clients on UDP port 8086. */
#ifndef TTP_RECORD_ANNOUNCE_H
#define TTP_RECORD_ANNOUNCE_H

#include "base/str.h"

struct ttp_announcement {
    uint16_t port;     /* where it listens */
    uint32_t protocol; /* number it speaks */
    uint64_t pid;      /* 0: this version does not say */
    bool leaving;      /* it has a server now, or goes away */
    ttp_str program;   /* in the bytes parsed */
};

/* Of any version from 0 to 3. False: not an announcement. */
bool ttp_record_announce_parse(struct ttp_announcement *out, ttp_str bytes);

/* A socket that hears announcements, shared with others who listen; -1: cannot be had. */
int ttp_record_announce_open(void);
enum ttp_announce_kind {
    TTP_ANNOUNCE_NONE,   /* nothing waits */
    TTP_ANNOUNCE_OTHER,  /* something else, or of another machine */
    TTP_ANNOUNCE_CLIENT, /* *out is filled */
};
/* Take one datagram. `buf` holds its bytes. */
enum ttp_announce_kind ttp_record_announce_next(struct ttp_announcement *out, int fd, char *buf,
                                                size_t size);

#endif

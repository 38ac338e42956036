/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.h - one receiver for each client of a run, those that are still looked for included. */
#ifndef TTP_RECORD_SESSIONS_H
#define TTP_RECORD_SESSIONS_H

#include "record/procs.h"
#include "record/proxy.h"
#include "record/record.h"
#include "record/supervise.h"

enum { TTP_MAX_SESSIONS = 256 };

struct ttp_session {
    struct ttp_receiver *receiver; /* NULL: closed */
    struct ttp_proxy *proxy;       /* who asks in our place, or NULL */
    struct ttp_helper *tool;       /* the capture tool after it, or NULL */
    const char *tracy;             /* what that writes */
    struct ttp_receiver_stats stats;
    uint16_t port;
    pid_t pid;          /* of its client, as we see it: in a container it calls itself otherwise */
    bool given;         /* the user gave the port: whoever listens there is received */
    bool met;           /* its client has been connected to, and was looked at */
    bool foreign;       /* met, no process of the command, and not given: not received */
    bool dropped;       /* it never had one; its file was removed */
    bool beside;        /* another client ran at the same time, as far as it is known */
    uint64_t born;      /* its process, in ticks since boot; 0: unknown */
    uint64_t seen_ns;   /* when its process was last seen to run, since boot */
    uint64_t looked_ns; /* when it was last looked for */
    bool ended;         /* its process was seen to have ended */
    bool kept;          /* its device logs have been given a further name */
    const char *path;
    uint64_t moved_ns; /* when bytes last came */
    uint64_t seen_bytes;
    uint64_t stopped_ns; /* when it was asked to end, 0: never */
    struct ttp_record_client client;
};

struct ttp_sessions {
    const struct ttp_record_options *options;
    struct ttp_arena *arena; /* of results */
    struct ttp_session *item[TTP_MAX_SESSIONS];
    size_t count;
    size_t turn;    /* whose it is to work first */
    uint64_t files; /* numbered so far */
};

/* Look for a client on this port; `protocol` as announced, or 0; `pid` if it is known who listens
 * there, else 0. False: it cannot be received (the file cannot be written, or there are too many).
 */
bool ttp_record_sessions_open(struct ttp_sessions *s, uint16_t port, unsigned protocol, pid_t pid,
                              struct ttp_err *err);
/* The session of a port that is still going on, or NULL. */
struct ttp_session *ttp_record_sessions_on(const struct ttp_sessions *s, uint16_t port);
struct ttp_session *ttp_record_sessions_of(const struct ttp_sessions *s, pid_t pid);
/* Let every receiver work, one after the other, for some time at most; the rest is first the next
 * time. What a client is, is noted when there is one: a process of the command, or not. */
void ttp_record_sessions_step(struct ttp_sessions *s);
/* Close one; if it never had a client, as if it had not been. */
void ttp_record_sessions_close(struct ttp_sessions *s, struct ttp_session *one);
bool ttp_record_session_is_over(const struct ttp_session *one);
bool ttp_record_session_has_client(const struct ttp_session *one);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* procs.h - processes as /proc shows them: descendants of this process, and listening sockets. A
 * process that cannot be read (another user's, or ended) counts as false. */
#ifndef TTP_RECORD_PROCS_H
#define TTP_RECORD_PROCS_H

#include <sys/types.h>

#include "base/arena.h"

/* Who listens on a TCP port, of any address, or holds it; 0: no visible process. `name` gets
 * what the process is called. */
pid_t ttp_record_procs_port_owner(uint16_t port, char *name, size_t size);

/* All that descend from `root`, itself included; processes that ended are not in it. */
struct ttp_family {
    pid_t *pid;
    size_t count;
    bool partial; /* the system did not tell all, for lack of memory or files: whoever is not found
                     may yet be one of them; also set by looking for a holder */
};
void ttp_record_procs_family(struct ttp_family *out, pid_t root, struct ttp_arena *arena);
bool ttp_record_family_has(const struct ttp_family *f, pid_t pid);
/* Which of the family listens on the port, as ttp_record_family_holder() tells; 0: none of them. */
pid_t ttp_record_family_listener(struct ttp_family *f, uint16_t port);

/* A socket that waits for connections, or the far end of one of ours. */
struct ttp_listener {
    uint16_t port, peer; /* peer: port of the other end; 0: it waits for one */
    uint32_t uid;        /* whose it is */
    uint64_t inode;      /* tells it from others, also on the same port; 0: not held yet */
};
/* Those of this network on ports from `first` to `last`, whoever has them; at most `max`. */
size_t ttp_record_procs_listeners(struct ttp_listener *out, size_t max, uint16_t first,
                                  uint16_t last);
/* The same on any of these ports. */
size_t ttp_record_procs_listeners_on(struct ttp_listener *out, size_t max, const uint16_t *port,
                                     size_t nports);
/* The far end of a connection from our port `local` to `port`, both of 127.0.0.1. False: there is
 * none any more. */
bool ttp_record_procs_far_end(struct ttp_listener *out, uint16_t port, uint16_t local);
/* Who has that socket open, of all processes; 0: no visible process. `name` gets what the
 * process is called. */
pid_t ttp_record_procs_socket_owner(const struct ttp_listener *l, char *name, size_t size);
/* Nothing listens there, but the system still keeps recent connections. */
bool ttp_record_procs_port_lingers(uint16_t port);
/* Which of the family has it open; 0: none of them. A process that is another user's (as under
 * sudo) does not show what it has open: it has the socket if that is the same user's. So no other
 * process can pass as a member. */
pid_t ttp_record_family_holder(struct ttp_family *f, const struct ttp_listener *l);

/* Value of a variable as the process was started with, copied to the arena; NULL: not set, or not
 * to be known. */
const char *ttp_record_procs_variable(pid_t pid, const char *name, struct ttp_arena *arena);
/* Its process group; 0: it ended. */
pid_t ttp_record_procs_group(pid_t pid);

/* What is loaded or runs in a process. */
enum ttp_procs_marks {
    TTP_PROCS_TT_METAL = 1 << 0,   /* its library is mapped */
    TTP_PROCS_TRACY = 1 << 1,      /* Tracy's library is mapped, or its thread runs */
    TTP_PROCS_TRACY_RUNS = 1 << 2, /* its thread runs */
};
unsigned ttp_procs_marks(pid_t pid);
/* Can we connect to what it listens on? Not in a container with a network of its own. */
bool ttp_record_procs_same_network(pid_t pid);

#endif

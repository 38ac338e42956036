/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.h - a command that runs as if it had been started without us: same terminal, same
 * process group, same signals; and all its descendants. */
#ifndef TTP_RECORD_SUPERVISE_H
#define TTP_RECORD_SUPERVISE_H

#include <signal.h>

#include "record/procs.h"
#include "record/record.h"

enum { TTP_MAX_HELPERS = 64 };

struct ttp_command {
    pid_t pid;
    bool ended;
    int status;      /* as a shell shows it */
    int signals;     /* descriptor of what concerns us */
    sigset_t before; /* our mask until then */
    int stops;       /* signals that asked to stop, so far */
    int first_stop;  /* the first of them */
    bool killed;
    struct ttp_helper {
        pid_t pid;
        bool ended;
    } helper[TTP_MAX_HELPERS]; /* our processes, not those of the command */
    size_t nhelpers;
};

struct ttp_command_line {
    char *const *argv;
    const struct ttp_record_environment *environment;
};
/* Start it. *unstarted is why it could not be run (status is then 126 or 127), in the arena; NULL
 * if it runs. TTP_EIO: no process available. */
TTP_NODISCARD ttp_code ttp_record_command_start(struct ttp_command *out, const char **unstarted,
                                                struct ttp_command_line line,
                                                struct ttp_arena *arena, struct ttp_err *err);
/* Handle what waits in `signals`: pass on, count, kill, collect the dead. Never blocks. */
void ttp_record_command_handle_signals(struct ttp_command *c, struct ttp_arena *scratch);
bool ttp_record_command_is_helper(const struct ttp_command *c, pid_t pid);
/* Everything as it was before. */
void ttp_record_command_close(struct ttp_command *c);

#endif

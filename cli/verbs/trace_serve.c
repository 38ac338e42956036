/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/trace_serve.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/run_limits.h"

static void tell(const struct ttp_ctx *ctx, const struct ttp_server *server,
                 const struct ttp_serve_options *o, uint64_t events)
{
    const unsigned port = ttp_server_port(server);

    ttp_sink_printf(ctx->out, "%s\n", ttp_server_url(server));
    ttp_ctx_say(ctx,
                "%" PRIu64 " slices; open the address above in a browser on this machine; press "
                "Ctrl-C to stop",
                events);
    ttp_ctx_say(ctx, "from another machine: ssh -N -L %u:127.0.0.1:%u %s, then open it there", port,
                port, "USER@THIS-MACHINE");
    if (!o->offline && !o->json && port != TTP_PERFETTO_PORT)
        ttp_ctx_note(ctx, "port %d is in use: Perfetto cannot fetch the trace automatically",
                     TTP_PERFETTO_PORT);
}

/* Until a signal comes, or a line on standard input. */
static ttp_code wait_for_end(int signals, bool any_input, struct ttp_err *err)
{
    const bool terminal = isatty(STDIN_FILENO) != 0;
    struct pollfd on[2] = {{.fd = signals, .events = POLLIN},
                           {.fd = any_input || terminal ? STDIN_FILENO : -1, .events = POLLIN}};

    for (;;) {
        if (poll(on, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            return ttp_fail_errno(err, "cannot wait");
        }
        if (on[0].revents) { /* taken, or it would end us once it is let through */
            struct signalfd_siginfo taken;
            (void)!read(signals, &taken, sizeof(taken));
        }
        if (on[0].revents || on[1].revents)
            return TTP_OK;
    }
}

ttp_code ttp_trace_serve(const struct ttp_ctx *ctx, const struct ttp_serve_options *options,
                         const struct ttp_trace_greeting *greeting, uint64_t events,
                         struct ttp_err *err)
{
    struct ttp_server *server = NULL;
    sigset_t end, before;
    ttp_code rc = TTP_OK;

    /* blocked before the server's thread starts, which inherits it */
    sigemptyset(&end);
    sigaddset(&end, SIGINT);
    sigaddset(&end, SIGTERM);
    sigaddset(&end, SIGHUP);
    sigaddset(&end, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &end, &before);
    sigdelset(&end, SIGPIPE);
    const int signals = signalfd(-1, &end, SFD_CLOEXEC);
    if (signals < 0)
        rc = ttp_fail_errno(err, "cannot wait for signals");
    if (rc == TTP_OK)
        rc = ttp_server_open(&server, options, err);
    ttp_run_limits_no_time();
    if (rc == TTP_OK) {
        if (greeting)
            greeting->put(ctx->out, server, events);
        else
            tell(ctx, server, options, events);
        rc = ttp_sink_finish(ctx->out, err); /* someone waits for the address */
    }
    if (rc == TTP_OK)
        rc = wait_for_end(signals, greeting && greeting->any_input, err);
    ttp_server_close(server);
    if (signals >= 0)
        close(signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

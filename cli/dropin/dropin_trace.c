/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_trace.c - `tt-perf trace --compat`: TT-Lang's perf_trace_server. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/compat.h"
#include "core/message.h"
#include "dropin/tools.h"
#include "verbs/trace_serve.h"

/* TT-Lang's words; ours is the address: it serves the whole network. */
static void put_banner(struct ttp_sink *out, const struct ttp_server *server, uint64_t events)
{
    static const char line[] =
        "======================================================================";
    const char *user = getenv("USER");
    const unsigned port = ttp_server_port(server);

    ttp_sink_printf(out, "%s\nTTLANG PERFETTO TRACE SERVER\n%s\n", line, line);
    ttp_sink_printf(out, "  %" PRIu64 " trace events ready\n  Serving on port %u\n\n", events,
                    port);
    ttp_sink_printf(
        out, "  From your local machine, run:\n    ssh -N -L %u:127.0.0.1:%u %s@<server>\n\n", port,
        port, user && user[0] ? user : "<user>");
    ttp_sink_printf(out, "  Then open:\n    http://localhost:%u\n\n", port);
    ttp_sink_printf(out, "  Press Enter to stop the server...\n%s\n\n", line);
}

struct original {
    const struct ttp_ctx *ctx;
    const struct ttp_trace_verb *o;
    const char *log;
    uint64_t events;
};

static ttp_code write_trace(struct original *w, int fd, struct ttp_err *err)
{
    struct ttp_arena buffer = {0};
    struct ttp_sink out;

    ttp_sink_to_fd(&out, fd, &buffer);
    ttp_code rc = ttp_out_original_trace(&w->events, &out, w->log, err);
    if (rc == TTP_OK)
        rc = ttp_sink_finish(&out, err);
    ttp_arena_free(&buffer);
    if (rc == TTP_OK && w->events == 0)
        ttp_message("[perf_trace] No trace events found in CSV\n");
    return rc;
}

static ttp_code serve_trace(struct original *w, struct ttp_err *err)
{
    static const struct ttp_trace_greeting greeting = {put_banner, true};
    struct ttp_serve_options how = {.fd = -1,
                                    .name = "TTLang Trace",
                                    .json = true,
                                    .open_paths = true,
                                    .port = (uint16_t)w->o->port};

    TTP_TRY(ttp_file_temporary(&how.fd, err));
    ttp_code rc = write_trace(w, how.fd, err);
    if (rc == TTP_OK && w->events)
        rc = ttp_trace_serve(w->ctx, &how, &greeting, w->events, err);
    close(how.fd);
    return rc;
}

/* Its words and its exit codes. */
ttp_code ttp_dropin_trace(int *status, const struct ttp_ctx *ctx, const void *opts,
                          const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_trace_verb *o = opts;
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    struct original w = {.ctx = ctx, .o = o, .log = dir};
    struct ttp_log_paths paths;
    struct ttp_outfile file;

    if (o->common.format != TTP_TRACE_CHROME && !o->serve)
        return ttp_fail(err, TTP_EUSAGE,
                        "--compat requires --format chrome-json, the only format of the original");
    TTP_TRY(ttp_trace_check_options(o, err));
    if (ttp_file_is_dir(dir)) {
        TTP_TRY(ttp_logs_find(&paths, dir, ctx->arena, err));
        w.log = paths.device ? paths.device
                             : ttp_file_join(paths.folder, "profile_log_device.csv", ctx->arena);
    }
    if (!ttp_file_exists(w.log)) {
        ttp_message("Error: %s does not exist\n", w.log);
        *status = TTP_EXIT_FINDING;
        return TTP_OK;
    }
    if (o->serve)
        return serve_trace(&w, err);
    TTP_TRY(ttp_outfile_open(&file, o->output ? o->output : "-", err));
    const ttp_code rc = write_trace(&w, file.fd, err);
    if (rc == TTP_OK && w.events)
        return ttp_outfile_commit(&file, err);
    ttp_outfile_abort(&file);
    return rc;
}

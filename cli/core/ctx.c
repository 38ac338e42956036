/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ctx.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cmd.h"
#include "core/job_rank.h"
#include "core/message.h"

/* Set, not empty and not "0". */
static bool env_is_on(const char *name)
{
    const char *v = getenv(name);
    return v && v[0] != '\0' && strcmp(v, "0") != 0;
}

bool ttp_color_wanted(enum ttp_color_choice option, int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    struct ttp_job_rank job;

    if (option != TTP_COLOR_AUTO)
        return option == TTP_COLOR_ALWAYS;
    if (no_color && no_color[0] != '\0')
        return false;
    if (env_is_on("CLICOLOR_FORCE") || env_is_on("FORCE_COLOR"))
        return true;
    if (term && strcmp(term, "dumb") == 0)
        return false;
    ttp_job_rank_find(
        &job); /* the terminal of a rank is its launcher's, which writes to any file */
    return !job.many && isatty(fd) == 1;
}

int ttp_columns(int fd)
{
    const ttp_str set = ttp_str_from(getenv("COLUMNS"));
    struct winsize size;
    struct stat st;
    uint64_t columns;

    if (ttp_str_to_u64(set, &columns) && columns > 0 && columns <= INT16_MAX)
        return (int)columns;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    /* what goes into a pipe is read on the terminal that standard error leads to */
    if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

void ttp_ctx_exact(const struct ttp_ctx *ctx)
{
    ctx->out->gate = TTP_GATE_NONE;
}

TTP_PRINTF(3, 0)
static void say(const struct ttp_ctx *ctx, const char *kind, const char *fmt, va_list ap)
{
    struct ttp_arena arena = {0};
    const ttp_str text = ttp_sink_vformat(&arena, fmt, ap);
    struct ttp_job_rank rank = {0};

    if (ctx->cmd->ranked)
        ttp_job_rank_find(&rank);
    const ttp_str who =
        rank.many ? ttp_sink_format(&arena, "rank %lld: ", (long long)rank.rank) : (ttp_str){0};
    ttp_message_wrapped(ttp_sink_format(&arena, "tt-perf: %s: %.*s%s%.*s", ctx->cmd->name,
                                        TTP_FMT(who), kind, TTP_FMT(text)));
    ttp_arena_free(&arena);
}

void ttp_ctx_warn(const struct ttp_ctx *ctx, const char *fmt, ...)
{
    va_list ap;

    if (ctx->quiet)
        return;
    va_start(ap, fmt);
    say(ctx, "warning: ", fmt, ap);
    va_end(ap);
}

void ttp_ctx_say(const struct ttp_ctx *ctx, const char *fmt, ...)
{
    va_list ap;

    if (ctx->quiet)
        return;
    va_start(ap, fmt);
    say(ctx, "", fmt, ap);
    va_end(ap);
}

void ttp_ctx_note(const struct ttp_ctx *ctx, const char *fmt, ...)
{
    va_list ap;

    if (!ctx->verbose)
        return;
    va_start(ap, fmt);
    say(ctx, "", fmt, ap);
    va_end(ap);
}

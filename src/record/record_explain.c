/* SPDX-License-Identifier: Apache-2.0 */
/* Why nothing was captured: the usual causes, the most certain first. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/record.h"

static uint64_t sum_ops(const struct ttp_record_result *result)
{
    uint64_t n = 0;

    for (size_t i = 0; i < result->nclients; i++)
        n += result->client[i].stats.ops;
    return n;
}

static void explain_foreign(struct ttp_sink *out, const struct ttp_record_result *r)
{
    ttp_sink_printf(out, "the program on port %u", r->port_foreign);
    if (r->foreign_pid)
        ttp_sink_printf(out, ", process %" PRIu64 " (%s),", r->foreign_pid, r->foreign_name);
    ttp_sink_printf(out, " %s: give another port with -p",
                    r->foreign_is_tracy ? "is a Tracy client already connected to another server"
                                        : "is not a Tracy client");
}

/* Others on this machine may well have clients of their own. */
static void explain_nothing_seen(struct ttp_sink *out, const struct ttp_record_result *r,
                                 const struct ttp_ledger_settings *s)
{
    if (r->status)
        ttp_sink_printf(out, "the command %s %d before any process of it had a Tracy client",
                        r->status > 128 ? "was ended by signal" : "ended with status",
                        r->status > 128 ? r->status - 128 : r->status);
    else
        ttp_sink_put(out, TTP_STR("no process of the command had a Tracy client: it did not load "
                                  "tt-metal, or tt-metal was built without Tracy"));
    if (r->stranger_port && !s->one_of_ranks) /* else it is the client of another rank */
        ttp_sink_printf(out,
                        "; ignored the client on port %u, of user %u: it is not a process of the "
                        "command; to use it anyway, as in a container, give -p %u",
                        r->stranger_port, r->stranger_uid, r->stranger_port);
}

static void explain_no_client(struct ttp_sink *out, const struct ttp_record_result *r,
                              const struct ttp_ledger_settings *s)
{
    if (r->port_foreign)
        explain_foreign(out, r);
    else if (r->apart_pid)
        ttp_sink_printf(out,
                        "process %" PRIu64 " has a Tracy client in another network, as in a "
                        "container: use --network host, or record inside the "
                        "container",
                        r->apart_pid);
    else if (r->deaf && s->port)
        ttp_sink_printf(out,
                        "process %" PRIu64 " has a Tracy client, but port %u was in use: omit "
                        "-p, or give another port",
                        r->deaf_pid, s->port);
    else if (r->deaf)
        ttp_sink_printf(out,
                        "process %" PRIu64 " has a Tracy client, but all ports from %d to %d "
                        "were in use: give a free one with -p",
                        r->deaf_pid, TTP_PORT_FIRST, TTP_PORT_LAST);
    else if (r->port_changed)
        ttp_sink_printf(out,
                        "a Tracy client ran with a TRACY_PORT other than %u: something changed "
                        "its environment",
                        s->port);
    else if (r->saw_tracy)
        ttp_sink_put(out, TTP_STR("a Tracy client ended before it accepted the connection"));
    else if (r->saw_tt_metal)
        ttp_sink_put(out, TTP_STR("tt-metal has no Tracy client: it was built without Tracy (use "
                                  "ENABLE_TRACY=ON)"));
    else if (r->unstarted)
        ttp_sink_put(out, TTP_STR("the command did not run"));
    else
        explain_nothing_seen(out, r, s);
}

const char *ttp_record_explain(const struct ttp_record_result *result,
                               const struct ttp_ledger_settings *settings, struct ttp_arena *arena)
{
    struct ttp_sink out;
    uint64_t messages = 0;
    bool no_variable = false, unknown = false, cut = false;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < result->nclients; i++) {
        messages += result->client[i].stats.messages;
        no_variable |= result->client[i].no_op_profiler;
        unknown |= !result->client[i].stats.known;
        cut |= result->client[i].stats.end == TTP_END_CUT;
    }
    if (!result->nclients)
        explain_no_client(&out, result, settings);
    else if (sum_ops(result))
        ttp_sink_put(&out, TTP_STR("ops arrived")); /* not asked for then */
    else if (cut)
        ttp_sink_put(&out, TTP_STR("the program was killed or crashed before it sent one"));
    else if (no_variable && settings->ops)
        ttp_sink_put(&out, TTP_STR("the program ran without TTNN_OP_PROFILER=1: something "
                                   "removed the variable (sudo, env -i, a container)"));
    else if (unknown)
        ttp_sink_printf(&out,
                        "its Tracy client uses unsupported protocol %u; the raw stream is kept",
                        result->client[0].stats.protocol);
    else
        ttp_sink_printf(&out,
                        "the program sent %" PRIu64 " messages, but none about ops: it called no "
                        "ops, or its tt-metal needs another setting",
                        messages);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* --- stock tools --- */

static const char *try_tool(const char *folder, size_t len, const char *name,
                            struct ttp_arena *arena)
{
    const char *text =
        ttp_arena_zstr(arena, ttp_sink_format(arena, "%.*s/%s", (int)len, folder, name));
    return access(text, X_OK) == 0 ? text : NULL;
}

static const char *const tools[] = {"tracy-capture", "capture-release"};

static const char *search(const char *root, const char *below, struct ttp_arena *arena)
{
    const char *found = NULL;

    if (!root || !root[0])
        return NULL;
    const char *text = ttp_arena_zstr(arena, ttp_sink_format(arena, "%s%s", root, below));
    for (size_t i = 0; i < TTP_COUNT(tools) && !found; i++)
        found = try_tool(text, strlen(text), tools[i], arena);
    return found;
}

static const char *search_path(struct ttp_arena *arena)
{
    const char *rest = getenv("PATH"), *found = NULL;

    while (rest && *rest && !found) {
        const size_t len = strcspn(rest, ":");

        for (size_t i = 0; i < TTP_COUNT(tools) && len && !found; i++)
            found = try_tool(rest, len, tools[i], arena);
        rest += len + (rest[len] == ':');
    }
    return found;
}

const char *ttp_record_find_stock(const char *folder, struct ttp_arena *arena)
{
    static const struct {
        const char *variable, *below;
    } place[] = {
        {"TT_METAL_HOME", "/build/tools/profiler/bin"},
        {"TT_METAL_HOME", "/tools/profiler/bin"},
        {"TT_METAL_HOME", "/bin"},
        {"TT_METAL_HOME", ""},
        {"TT_METAL_RUNTIME_ROOT", ""},
        {"TT_METAL_RUNTIME_ROOT", "/tools/profiler/bin"},
    };
    const char *found = NULL;

    if (folder)
        return search(folder, "", arena);
    found = search_path(arena);
    for (size_t i = 0; i < TTP_COUNT(place) && !found; i++)
        found = search(getenv(place[i].variable), place[i].below, arena);
    return found;
}

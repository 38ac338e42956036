/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TT-Lang compares with "1" itself. */
static bool is_one(const char *name)
{
    const char *value = getenv(name);

    return value && strcmp(value, "1") == 0;
}

void kernel_files_ask(struct ttp_synth_options *what)
{
    const bool read_after_each_call = is_one("TT_METAL_PROFILER_MID_RUN_DUMP");
    const bool lines = is_one("TTLANG_AUTO_PROFILE");

    what->no_lines = !lines || !read_after_each_call;
    what->signposts = is_one("TTLANG_SIGNPOST_PROFILE") && !lines && read_after_each_call;
}

/* Next to the log that TT-Lang reads. */
static ttp_code place_flow(const char *dir, struct ttp_err *err)
{
    const char *csv = getenv("TTLANG_PROFILE_CSV"), *home = getenv("TT_METAL_HOME");
    const char *slash = csv ? strrchr(csv, '/') : NULL;
    char from[4096], to[4096];

    snprintf(from, sizeof(from), "%s/.logs/cb_flow_graph.json", dir);
    if (!is_one("TTLANG_AUTO_PROFILE"))
        return unlink(from) == 0 ? TTP_OK : ttp_fail_errno(err, "cannot remove '%s'", from);
    if (!slash && (!home || !home[0]))
        return ttp_fail(err, TTP_EUSAGE,
                        "TTLANG_AUTO_PROFILE=1 requires TT_METAL_HOME or TTLANG_PROFILE_CSV");
    if (slash)
        snprintf(to, sizeof(to), "%.*s/cb_flow_graph.json", (int)(slash - csv), csv);
    else
        snprintf(to, sizeof(to), "%s/generated/profiler/.logs/cb_flow_graph.json", home);
    return rename(from, to) == 0 ? TTP_OK : ttp_fail_errno(err, "cannot write '%s'", to);
}

ttp_code kernel_files_place(const char *dir, bool pipes, struct ttp_err *err)
{
    static const char graph[] =
        "{\"numPipeRuntimeArgs\":1,\"pipes\":[{\"srcX\":0,\"srcY\":0,\"dstStartX\":1,"
        "\"dstStartY\":0,\"dstEndX\":7,\"dstEndY\":0,\"pipeNetId\":0,"
        "\"receiverCBIndex\":1,\"runtimeArgSlot\":0}]}";
    const char *path = getenv("TTLANG_PIPE_GRAPH_JSON");

    TTP_TRY(place_flow(dir, err));
    if (!pipes || !path || !path[0])
        return TTP_OK;
    FILE *f = fopen(path, "we");
    if (!f || fputs(graph, f) < 0 || fclose(f) != 0)
        return ttp_fail_errno(err, "cannot write '%s'", path);
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_absent.c - replaces this folder in a build with TTP_COMPAT=OFF: reports that it is
 * missing. */
#include "core/failure.h"
#include "dropin/dropin.h"

bool ttp_dropin_present(void)
{
    return false;
}

static ttp_code absent(struct ttp_err *err)
{
    (void)ttp_fail(err, TTP_EMISSING, "this build of tt-perf does not support --compat");
    ttp_err_hint(err, "configure it with -DTTP_COMPAT=ON and rebuild");
    return TTP_EMISSING;
}

static int refuse(int argc, char **argv)
{
    struct ttp_err err = {0};

    (void)argc, (void)argv;
    (void)absent(&err);
    ttp_failure_print(NULL, &err, TTP_EXIT_ENVIRONMENT, false);
    return TTP_EXIT_ENVIRONMENT;
}

ttp_dropin_main_fn *ttp_dropin_main(const char *name)
{
    static const char *const names[] = {"tt-perf-report", "tt_profile", "csvexport-release",
                                        "tracy-csvexport"};

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return refuse;
    return NULL;
}

ttp_code ttp_dropin_verb(int *status, const struct ttp_ctx *ctx, const void *opts,
                         const struct ttp_words *operands, struct ttp_err *err)
{
    (void)status, (void)ctx, (void)opts, (void)operands;
    return absent(err);
}

ttp_code ttp_dropin_timeline(const char *path, const struct ttp_noc_view *view,
                             const struct ttp_topology *topology, int version, struct ttp_err *err)
{
    (void)path, (void)view, (void)topology, (void)version;
    return absent(err);
}

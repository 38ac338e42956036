/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - all that a build with TTP_COMPAT=OFF has of the module. */
#include "compat/compat.h"

ttp_code ttp_compat_report(struct ttp_compat_report *out, struct ttp_err *err)
{
    *out = (struct ttp_compat_report){0};
    (void)ttp_fail(err, TTP_EMISSING, "this build of tt-perf has no imitations of other tools");
    ttp_err_hint(err, "configure it with -DTTP_COMPAT=ON and build it anew");
    return TTP_EMISSING;
}

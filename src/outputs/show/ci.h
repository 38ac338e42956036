/* SPDX-License-Identifier: Apache-2.0 */
/* ci.h - verdicts for build servers: annotations of GitHub Actions, and JUnit XML. */
#ifndef TTP_OUTPUTS_SHOW_CI_H
#define TTP_OUTPUTS_SHOW_CI_H

#include "outputs/show/show.h"

enum ttp_ci_level {
    TTP_CI_PASS, /* no annotation */
    TTP_CI_NOTE, /* passes, and is worth an annotation */
    TTP_CI_WARN,
    TTP_CI_UNDECIDED, /* a warning; JUnit counts it as skipped */
    TTP_CI_FAIL,
};

/* One verdict. The figures of `row` become properties in JUnit. */
struct ttp_ci_case {
    enum ttp_ci_level level;
    ttp_str name, message;
    const struct ttp_fields *fields; /* NULL: no figures */
    const void *row;
};

/* Verdicts that belong together, such as those of two runs. */
struct ttp_ci_suite {
    const char *verb; /* "diff", "history regressions" */
    ttp_str name;
    struct ttp_ci_case *check;
    size_t count;
};

bool ttp_ci_is_form(enum ttp_form form);
/* In show->form, one of those above. */
void ttp_ci_put(const struct ttp_show *show, const struct ttp_ci_suite *suite, size_t count);

#endif

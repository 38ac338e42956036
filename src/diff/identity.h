/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - what an op is, comparable across runs. Private to diff. */
#ifndef TTP_DIFF_IDENTITY_H
#define TTP_DIFF_IDENTITY_H

#include "diff/diff.h"
#include "diff/diff_align.h"

/* Names of all runs of a diff in one table. */
struct ttp_identity_names {
    struct ttp_symtab text;  /* of cells, in the form that is compared */
    struct ttp_symtab tuple; /* of several such numbers */
    struct ttp_symtab key[TTP_ALIGN_LEVELS];
    struct ttp_arena *arena;
};

struct ttp_identity {
    ttp_sym name;    /* as it appears in the file */
    ttp_sym code;    /* without what versions of tt-metal add to it */
    ttp_sym padded;  /* shapes */
    ttp_sym kin;     /* what may replace it; TTP_IDENTITY_UNKNOWN: nothing */
    ttp_sym logical; /* shapes, where the file has them; TTP_IDENTITY_UNKNOWN otherwise */
    ttp_sym types, layout, memory, fidelity, program;
    int64_t cores; /* -1: unknown */
    ttp_sym whole; /* of all of them */
};

/* No file of the run has that column: then it has not changed either. */
#define TTP_IDENTITY_UNKNOWN UINT32_MAX

struct ttp_identities {
    struct ttp_identity *item; /* by op of the report */
    struct ttp_sequence sequence;
};

void ttp_diff_identity_names_init(struct ttp_identity_names *names, struct ttp_arena *arena);
void ttp_diff_identify(struct ttp_identities *out, const struct ttp_diff_run *run,
                       struct ttp_identity_names *names);
/* "Matmul" of "ttnn::operations::x::MatmulDeviceOperation". */
ttp_str ttp_diff_bare_code(ttp_str code);
/* enum ttp_diff_change */
unsigned ttp_diff_identity_changes(const struct ttp_identity *a, const struct ttp_identity *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* count.c - counts of the records in a log of the inspector. */
#include "startup/inspector_log.h"
#include "startup/startup.h"

static void take(void *arg, const struct ttp_inspector_record *record)
{
    struct ttp_startup_counts *out = arg;

    out->records++;
    out->programs += record->kind == TTP_RECORD_PROGRAM_CREATED;
    out->compilations += record->kind == TTP_RECORD_COMPILE_FINISHED;
    out->entries += record->kind == TTP_RECORD_ENTRY;
    out->launches += record->kind == TTP_RECORD_WORKLOAD_STATUS &&
                     ttp_str_eq(record->status, TTP_STR("Committed"));
}

ttp_code ttp_startup_count(struct ttp_startup_counts *out, const char *path, struct ttp_err *err)
{
    struct ttp_inspector_reader r = {.use = take, .arg = out};

    *out = (struct ttp_startup_counts){0};
    TTP_TRY(ttp_startup_inspector_file(&r, path, err));
    out->unknown = r.unknown;
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a device log: no crash, no leak; one thread and two give the same report, or the
 * same error; what the compatible mode accepts the other accepts too, unless a column has lost its
 * name: the original takes columns by position. */
#include <string.h>

#include "compat/compat.h"
#include "fuzz.h"
#include "memfile.h"

struct run {
    struct ttp_arena arena;
    struct ttp_err err;
    struct ttp_sink out;
    ttp_code code;
};

static void make_report(struct run *r, const char *path, unsigned threads, bool strict)
{
    const struct ttp_logs_options options = {.threads = threads, .strict = strict};
    struct ttp_join_options how = {.device_only = true};
    struct ttp_arena scratch = {0};
    struct ttp_device_log log;
    struct ttp_ops_report report;

    if (strict)
        how.rules = ttp_compat_joining;
    *r = (struct run){0};
    ttp_sink_to_arena(&r->out, &r->arena);
    r->code = ttp_logs_read_device(&log, path, TTP_DEVICE_ALL, &options, &r->arena, &r->err);
    must(r->code == TTP_OK || (r->err.code == r->code && r->err.text[0]));
    if (r->code != TTP_OK)
        return;
    for (size_t i = 0; i < log.nparts; i++)
        must(log.part[i].exec < log.nexecs && log.part[i].core < log.ncores);
    const struct ttp_run_logs logs = {.device = &log};
    r->code = ttp_ops_join(&report, &logs, &how, &r->arena, &r->err);
    if (r->code == TTP_OK)
        r->code = ttp_ops_write_csv(&r->out, &report, 0, &scratch, &r->err);
    if (r->code == TTP_OK)
        ttp_ops_write_per_core(&r->out, &report, &scratch);
    ttp_arena_free(&scratch);
    must(strict || r->code == TTP_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memfile file;
    struct run one, two, original;

    memfile_open(&file, data, size);
    make_report(&one, file.path, 1, false);
    make_report(&two, file.path, 2, false);
    make_report(&original, file.path, 1, true);
    must(one.code == two.code && strcmp(one.err.text, two.err.text) == 0);
    must(ttp_str_eq(ttp_sink_text(&one.out), ttp_sink_text(&two.out)));
    must(one.code == TTP_OK || original.code != TTP_OK || strstr(one.err.text, "no column"));
    ttp_arena_free(&one.arena);
    ttp_arena_free(&two.arena);
    ttp_arena_free(&original.arena);
    close(file.fd);
    return 0;
}

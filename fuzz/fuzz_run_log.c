/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the text of a run: no crash, no leak; what is found can be judged and said. */
#include <string.h>

#include "fuzz.h"
#include "kernel/kernel.h"
#include "memfile.h"

static void check_lines(const struct ttp_run_log *log, const struct ttp_kernel_program *m)
{
    size_t n = 0;

    for (uint32_t at = m->invocation ? m->invocation->first_line : 0; at;
         at = log->profile.line[at - 1].next) {
        const struct ttp_line_stat *l = &log->profile.line[at - 1];
        must(at <= log->profile.nlines && l->site < log->profile.log.nsites && l->count > 0);
        n++;
    }
    must(!m->invocation || n == m->invocation->lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_run_log log;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_kernel_read_run_log(&log, file.path, &arena, &err) == TTP_OK) {
        must(log.sections > 0);
        for (size_t i = 0; i < log.report.nprograms; i++) {
            check_lines(&log, &log.report.program[i]);
            must(ttp_kernel_sentence(&log.report.program[i], &arena).len > 0);
        }
        struct ttp_annotation a;
        ttp_kernel_annotate(&a, &log.report, &arena);
    } else {
        must(err.code != TTP_OK && err.text[0]);
    }
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

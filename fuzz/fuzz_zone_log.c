/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a device log read for its zones: no crash, no leak; zones end after they begin and
 * name what is known; one thread and two find the same, and so does the kernel profile. */
#include <string.h>

#include "compat/compat.h"
#include "fuzz.h"
#include "memfile.h"

struct sums {
    uint64_t marks, zones, cycles;
};

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    struct sums *s = arg;

    (void)err;
    for (size_t i = 0; i < batch->nlanes; i++) {
        const struct ttp_zone_lane *lane = &batch->lane[i];
        must(lane->core < log->ncores && lane->risc_name < log->names.count && lane->nmarks > 0);
        for (size_t k = 0; k < lane->nmarks; k++) {
            const struct ttp_zone_mark *m = &lane->mark[k];
            must(m->site < log->nsites && log->site[m->site].name < log->names.count);
            must(m->start_cycle <= m->end_cycle && m->kind <= TTP_MARK_EVENT);
            s->marks++;
            s->zones += m->kind == TTP_MARK_ZONE;
            s->cycles += m->end_cycle - m->start_cycle;
        }
    }
    return TTP_OK;
}

static ttp_code read_zones(struct sums *s, struct ttp_zone_log *log, const char *path,
                           unsigned threads, struct ttp_arena *arena)
{
    const struct ttp_logs_options options = {.threads = threads};
    const struct ttp_zone_request request = {
        .kinds = (1u << (TTP_MARK_EVENT + 1)) - 1, .take = take, .arg = s};
    struct ttp_err err = {0};

    *s = (struct sums){0};
    const ttp_code rc = ttp_logs_stream_zones(log, path, &request, &options, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    must(rc != TTP_OK || log->zones == s->zones);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ttp_profile_options options = {.logs = {.threads = 1}};
    struct ttp_arena arena = {0};
    struct ttp_zone_log log;
    struct ttp_kernel_profile profile;
    struct ttp_original_zones original;
    struct ttp_err err = {0};
    struct memfile file;
    struct sums one, two;

    memfile_open(&file, data, size);
    const ttp_code rc = read_zones(&one, &log, file.path, 1, &arena);
    must(read_zones(&two, &log, file.path, 2, &arena) == rc);
    must(rc != TTP_OK || memcmp(&one, &two, sizeof(one)) == 0);
    must(ttp_kernel_read_profile(&profile, file.path, &options, &arena, &err) == rc);
    if (rc == TTP_OK) {
        struct ttp_kernel_report report = {.clock_mhz = 1000};
        ttp_kernel_list_programs(&report, &profile, &arena);
        for (size_t i = 0; i < report.nprograms; i++) {
            ttp_kernel_judge(&report.program[i], &report, 0);
            must(report.program[i].ncores > 0);
        }
    }
    must(ttp_original_kernel_read(&original, file.path, &options.logs, &arena, &err) == TTP_OK);
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a snapshot of tt-smi: no crash; what is accepted can be judged by all checks; a
 * refusal says where. */
#include <stdlib.h>

#include "fuzz.h"
#include "host/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_smi smi;
    struct ttp_err err = {0};

    if (ttp_smi_read(&smi, text, &arena, &err) == TTP_OK) {
        struct ttp_host host;
        struct ttp_host_sample sample;
        struct ttp_diagnosis d;
        size_t told = 0;

        /* a machine without anything: its `sys` has none of the folders of a machine's */
        if (ttp_host_open(&host, "/proc", NULL, &arena, &err) != TTP_OK)
            abort();
        ttp_host_sample(&sample, &host, &(struct ttp_sample_options){0}, &arena);
        ttp_doctor_run(&d, &(struct ttp_doctor_input){.host = &host, .first = &sample, .smi = &smi},
                       &arena);
        for (int l = 0; l < TTP_CHECK_LEVELS; l++)
            told += d.level[l];
        if (told != d.count || d.count < 1 + 5 * smi.count)
            abort();
        ttp_host_close(&host);
    } else if (err.code == TTP_OK || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}

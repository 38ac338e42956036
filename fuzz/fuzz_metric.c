/* SPDX-License-Identifier: Apache-2.0 */
/* A metric up to the first NUL, then what a command printed: no crash, no hang; a value is a finite
 * number, the same when read again, and what is not printed is not found. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str all = {(const char *)data, size < 4096 ? size : 4096};
    const size_t end = ttp_str_find_char(all, '\0');
    const ttp_str printed = ttp_str_slice(all, end == TTP_NPOS ? all.len : end + 1, all.len);
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_metric m;
    double first, second;

    const char *spec = ttp_arena_zstr(&arena, ttp_str_slice(all, 0, end));
    if (ttp_measure_metric_parse(&m, spec, &arena, &err) == TTP_OK) {
        if (!m.name || !m.name[0] || !m.unit)
            abort();
        if (m.kind == TTP_METRIC_PRINTED &&
            ttp_measure_metric_value(&first, &m, (struct ttp_command_output){printed, (ttp_str){0}},
                                     &arena, &err) == TTP_OK) {
            if (!isfinite(first) ||
                ttp_measure_metric_value(&second, &m,
                                         (struct ttp_command_output){(ttp_str){0}, printed}, &arena,
                                         &err) != TTP_OK ||
                first != second)
                abort();
        }
        ttp_measure_metric_clear(&m);
    } else if (err.code != TTP_EUSAGE || !err.text[0]) {
        abort();
    }
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the changes of advise --what-if: no crash; what is refused says why, what is
 * accepted changes something. */
#include "advice/advice.h"
#include "fuzz.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_what_if w;
    struct ttp_err err = {0};

    const ttp_code rc = ttp_what_if_parse(&w, (ttp_str){(const char *)data, size}, &err);
    must(rc == TTP_OK || (rc == TTP_EUSAGE && err.text[0]));
    if (rc == TTP_OK)
        must(w.weights || w.in0 || w.out || w.has_fidelity || w.best_config || w.remove ||
             w.block_w || w.subblock_h || w.subblock_w || w.per_core_m || w.per_core_n);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte chooses the kind of text, the rest is the text: no crash, the same answer twice,
 * and what is accepted as a decimal number prints back as the digits it was. */
#include <stdlib.h>

#include "base/num.h"
#include "fuzz.h"
#include "host/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t once = 1, twice = 2;
    char back[TTP_NUM_MAX];

    if (size == 0)
        return 0;
    const enum ttp_text_kind kind = (enum ttp_text_kind)(data[0] % (TTP_TEXT_AVG10 + 1));
    const ttp_str text = {(const char *)data + 1, size - 1};
    const bool good = ttp_host_text_parse(&once, kind, text);
    if (ttp_host_text_parse(&twice, kind, text) != good || (good && once != twice))
        abort();
    if (!good)
        return 0;
    if (kind == TTP_TEXT_DECIMAL && text.ptr[0] != '+' && text.ptr[0] != '0' &&
        !ttp_str_starts(text, TTP_STR("-0"))) {
        const size_t n = ttp_num_i64(back, once);
        if (!ttp_str_eq((ttp_str){back, n}, text))
            abort();
    }
    if (kind >= TTP_TEXT_SPEED && once < 0)
        abort();
    if (kind == TTP_TEXT_VERSION && (once < 0 || once > UINT32_MAX))
        abort();
    return 0;
}

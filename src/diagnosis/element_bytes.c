/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/diagnosis.h"

/* Block formats have one exponent for 16 elements. Names as logs write them; the longest first
 * where one is part of another. */
double ttp_diagnosis_element_bytes(ttp_str datatype)
{
    static const struct {
        const char *part;
        double bytes;
    } types[] = {{"BFLOAT8_B", 1088.0 / 1024},
                 {"BFLOAT4_B", 576.0 / 1024},
                 {"BFLOAT2_B", 320.0 / 1024},
                 {"FLOAT32", 4},
                 {"INT32", 4},
                 {"16", 2},
                 {"INT8", 1},
                 {"FLOAT8", 1},
                 {"FP8", 1}};

    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_has(datatype, ttp_str_from(types[i].part)))
            return types[i].bytes;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - runs a fuzz target over saved inputs, for compilers without a fuzzing engine. */
#include <stdio.h>

#include "base/file.h"
#include "fuzz.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct ttp_err err;
        struct ttp_file in;

        if (ttp_file_map(&in, argv[i], &err) != TTP_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)in.text.ptr, in.text.len);
        ttp_file_close(&in);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of rules: whole rules, or an error with a line. */
#include "advice/advice.h"
#include "fuzz.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_user_rules rules;
    struct ttp_err err = {0};

    const ttp_code rc = ttp_advice_user_rules_parse(&rules, (ttp_str){(const char *)data, size},
                                                    "rules", &arena, &err);
    must(rc == TTP_OK || (rc == TTP_EPARSE && err.text[0] && err.line > 0));
    for (size_t i = 0; rc == TTP_OK && i < rules.count; i++)
        must(rules.item[i].when && rules.item[i].info.title[0] && rules.item[i].gain_part <= 1);
    ttp_arena_free(&arena);
    return 0;
}

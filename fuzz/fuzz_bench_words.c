/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a command, as a sweep and as a product: no crash; a command that is split, joined and
 * split again has the same words; a sweep has a name and values that are not empty; a product is
 * not negative. */
#include <stdlib.h>

#include "fuzz.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

static void check_words(const char *text, struct ttp_arena *arena)
{
    const char **words, **again;
    size_t i = 0;

    if (ttp_measure_command_split(&words, text, arena, NULL) != TTP_OK)
        return;
    const char *joined = ttp_arena_zstr(arena, ttp_measure_command_join(words, arena));
    if (!words[0] || ttp_measure_command_split(&again, joined, arena, NULL) != TTP_OK)
        abort();
    for (; words[i] && again[i]; i++)
        if (strcmp(words[i], again[i]) != 0)
            abort();
    if (words[i] || again[i])
        abort();
}

static void check_sweep(const char *text, struct ttp_arena *arena)
{
    struct ttp_sweep s;

    if (ttp_measure_sweep_parse(&s, text, arena, NULL) != TTP_OK)
        return;
    if (!s.name[0] || s.count == 0 || s.count > TTP_SWEEP_VALUES_MAX)
        abort();
    for (size_t i = 0; i < s.count; i++)
        if (!s.value[i][0])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *set[] = {"B=8"};
    const struct ttp_words words = {set, 1};
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    double product;

    const char *text = ttp_arena_zstr(&arena, (ttp_str){(const char *)data, size});
    check_words(text, &arena);
    check_sweep(text, &arena);
    if (ttp_measure_sweep_product(&product, text, &words, &err) == TTP_OK && !(product >= 0))
        abort();
    ttp_arena_free(&arena);
    return 0;
}

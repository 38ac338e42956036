/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a log of the inspector and as a text log of the run, whole and in two pieces: no
 * crash; how it is cut changes nothing. */
#include "base/input.h"
#include "fuzz.h"
#include "memfile.h"
#include "startup/inspector_log.h"
#include "startup/text_logs.h"

struct sums {
    uint64_t records, times;
    size_t texts;
};

static void take(void *arg, const struct ttp_inspector_record *r)
{
    struct sums *s = arg;

    s->records++;
    s->times += r->number[TTP_NUMBER_TIME] ^ r->number[TTP_NUMBER_ID] ^ r->has;
    s->texts += r->name.len + r->path.len + r->source.len + r->devices.len + r->status.len +
                ttp_startup_label(r->source).len;
}

static struct sums read_all(ttp_str text, size_t cut)
{
    struct sums sums = {0};
    struct ttp_inspector_reader r = {.use = take, .arg = &sums};

    if (cut)
        ttp_startup_inspector_feed(&r, ttp_str_slice(text, 0, cut));
    ttp_startup_inspector_feed(&r, ttp_str_slice(text, cut, text.len));
    ttp_startup_inspector_end(&r);
    return sums;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str text = {(const char *)data, size};
    const struct sums whole = read_all(text, 0);
    struct ttp_startup_log log = {0};
    struct ttp_arena arena = {0};
    ttp_str rest = text, line;
    size_t cut = size / 2;

    while (cut && text.ptr[cut - 1] != '\n') /* pieces are whole lines */
        cut--;
    const struct sums cut_once = read_all(text, cut);
    must(whole.records == cut_once.records && whole.times == cut_once.times);
    must(cut_once.texts <= whole.texts); /* of a record that is cut, long texts are shortened */
    while (ttp_str_next_line(&rest, &line))
        ttp_startup_take_line(&log, line, &arena);
    ttp_arena_free(&arena);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* json_envelope.c - the object around all JSON that tt-perf prints. */
#include "base/version.h"
#include "outputs/outputs.h"

static void put_words(struct ttp_json_writer *w, ttp_str key, const struct ttp_words *words)
{
    ttp_json_put_key(w, key);
    ttp_json_begin_array(w);
    for (size_t i = 0; words && i < words->count; i++)
        ttp_json_put_str(w, ttp_str_from(words->word[i]));
    ttp_json_end_array(w);
}

void ttp_envelope_begin(struct ttp_json_writer *w, const char *schema,
                        const struct ttp_words *inputs)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("schema"));
    ttp_json_put_str(w, ttp_str_from(schema));
    ttp_json_put_key(w, TTP_STR("tool"));
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("name"));
    ttp_json_put_str(w, TTP_STR("tt-perf"));
    ttp_json_put_key(w, TTP_STR("version"));
    ttp_json_put_str(w, ttp_str_from(ttp_version));
    ttp_json_end_object(w);
    put_words(w, TTP_STR("inputs"), inputs);
    ttp_json_put_key(w, TTP_STR("data"));
}

void ttp_envelope_end(struct ttp_json_writer *w, const struct ttp_words *warnings, bool truncated)
{
    put_words(w, TTP_STR("warnings"), warnings);
    ttp_json_put_key(w, TTP_STR("truncated"));
    ttp_json_put_bool(w, truncated);
    ttp_json_end_object(w);
    ttp_sink_char(w->sink, '\n');
}

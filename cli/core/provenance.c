/* SPDX-License-Identifier: Apache-2.0 */
#include "core/provenance.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/iso_time.h"
#include "base/quantity.h"
#include "base/secrets.h"
#include "base/sha256.h"

/* Hashing more, of all inputs, would take longer than the page. */
#define HASHED_MAX (64U << 20)

static void add(struct ttp_provenance *p, const char *name, ttp_str text)
{
    if (p->count < TTP_COUNT(p->item)) {
        p->item[p->count].name = name;
        p->item[p->count++].text = text;
    }
}

static ttp_str command_text(const struct ttp_cmd *cmd, int argc, char **argv,
                            struct ttp_arena *arena)
{
    const char **words = TTP_NEW(arena, const char *, (size_t)argc + 1);
    struct ttp_sink out;

    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    const char *const *masked = ttp_secrets_mask_words(words, arena);
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "tt-perf %s", cmd->name);
    for (int i = 0; i < argc; i++)
        ttp_sink_printf(&out, strpbrk(masked[i], " \t'\"") ? " '%s'" : " %s", masked[i]);
    return ttp_sink_text(&out);
}

static ttp_str date_text(struct ttp_arena *arena)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    char *text = TTP_NEW(arena, char, TTP_ISO_TIME_MAX);
    int64_t seconds = 0;

    if (!fixed || !ttp_str_to_i64(ttp_str_from(fixed), &seconds) || seconds < 0 ||
        seconds > INT64_MAX / 1000000000)
        seconds = ttp_clock_unix_ns() / 1000000000;
    return (ttp_str){text, ttp_iso_time(text, seconds * 1000000000)};
}

/* Files of a folder that are named; a folder of NoC traces has thousands. */
#define FILES_MAX 8

struct hashing {
    struct ttp_provenance *to;
    size_t left; /* bytes that may still be hashed */
    struct ttp_arena *arena;
};

/* "ops.csv, 1.2 MiB, SHA-256 ab12..." */
static ttp_str file_text(struct hashing *h, const char *path)
{
    const size_t size = (size_t)ttp_file_size(path);
    char hex[TTP_SHA256_HEX + 1];
    struct ttp_file file;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, h->arena);
    ttp_sink_printf(&out, "%s, ", path);
    ttp_put_bytes(&out, (double)size);
    if (size <= h->left && ttp_file_map(&file, path, NULL) == TTP_OK) {
        h->left -= size;
        ttp_sha256_hex(hex, file.text);
        ttp_file_close(&file);
        ttp_sink_printf(&out, ", SHA-256 %s", hex);
    }
    return ttp_sink_text(&out);
}

static void add_folder(struct hashing *h, const char *dir)
{
    struct ttp_words files = {0};

    add(h->to, "Input", ttp_str_from(dir));
    if (ttp_file_list_below(&files, dir, h->arena, NULL) != TTP_OK)
        return;
    for (size_t i = 0; i < files.count && i < FILES_MAX; i++)
        add(h->to, "File", file_text(h, files.word[i]));
    if (files.count > FILES_MAX)
        add(h->to, "File", ttp_sink_format(h->arena, "and %zu more", files.count - FILES_MAX));
}

const struct ttp_provenance *ttp_provenance_of(const struct ttp_cmd *cmd, int argc, char **argv,
                                               const struct ttp_words *inputs,
                                               struct ttp_arena *arena)
{
    struct ttp_provenance *p = TTP_NEW(arena, struct ttp_provenance, 1);
    struct hashing h = {p, HASHED_MAX, arena};

    add(p, "Command", command_text(cmd, argc, argv, arena));
    add(p, "Date", date_text(arena));
    for (size_t i = 0; i < inputs->count; i++) /* operands may also be actions, sizes or names */
        if (ttp_file_is_dir(inputs->word[i]))
            add_folder(&h, inputs->word[i]);
        else if (ttp_file_exists(inputs->word[i]))
            add(p, "Input", file_text(&h, inputs->word[i]));
    return p;
}

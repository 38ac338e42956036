/* SPDX-License-Identifier: Apache-2.0 */
/* noc_files.c - the NoC traces of a folder, grouped into programs. */
#include <stdio.h>

#include "base/file.h"
#include "base/order.h"
#include "logs/device_log.h"
#include "logs/logs.h"

/* tt-metal: run id = op id << 10 | device. */
#define DEVICE_BITS 10
#define DEVICE_MASK (((uint64_t)1 << DEVICE_BITS) - 1)

/* Take digits from the end of *s, and `word` before them. */
static bool take_number(ttp_str *s, ttp_str word, uint64_t *out)
{
    size_t at = s->len;

    while (at > 0 && (unsigned)(unsigned char)s->ptr[at - 1] - '0' <= 9)
        at--;
    if (!ttp_str_to_u64(ttp_str_slice(*s, at, s->len), out))
        return false;
    const ttp_str before = ttp_str_slice(*s, 0, at);
    if (!ttp_str_ends(before, word))
        return false;
    *s = ttp_str_slice(before, 0, before.len - word.len);
    return true;
}

static bool is_word(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = ttp_char_lower(s.ptr[i]);
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && !(c & 0x80))
            return false;
    }
    return true;
}

/* dev<D>[_<op>]_ID<run>[_traceID<n>] */
static bool parse_name(struct ttp_noc_file *out, ttp_str name)
{
    uint64_t trace, device;
    size_t digits = 0;

    *out = (struct ttp_noc_file){.trace_key = TTP_NO_ID};
    if (!ttp_str_starts(name, TTP_STR("dev")))
        return false;
    name = ttp_str_slice(name, 3, name.len);
    while (digits < name.len && name.ptr[digits] != '_')
        digits++;
    if (!ttp_str_to_u64(ttp_str_slice(name, 0, digits), &device) || device >= TTP_NOC_NOWHERE)
        return false;
    out->device = (int64_t)device;
    name = ttp_str_slice(name, digits, name.len); /* from the '_' on */
    if (take_number(&name, TTP_STR("_traceID"), &trace)) {
        if (trace > INT64_MAX)
            return false;
        out->trace_key = (int64_t)trace;
    }
    if (!take_number(&name, TTP_STR("_ID"), &out->run_id))
        return false;
    out->op = ttp_str_slice(name, 1, name.len);
    return is_word(out->op);
}

struct ttp_exec_key ttp_logs_noc_trace_file_key(const struct ttp_noc_file *file)
{
    const bool traced = file->trace_key != TTP_NO_ID;

    return (struct ttp_exec_key){file->device, file->run_id,
                                 traced ? file->trace_key >> 32 : TTP_NO_ID,
                                 traced ? file->trace_key & UINT32_MAX : TTP_NO_ID};
}

static ttp_str without_suffix(ttp_str name)
{
    static const char *const suffixes[] = {".json", ".json.gz", ".json.zst"};

    for (size_t i = 0; i < TTP_COUNT(suffixes); i++) {
        const ttp_str suffix = ttp_str_from(suffixes[i]);
        if (ttp_str_ends(name, suffix))
            return ttp_str_slice(name, 0, name.len - suffix.len);
    }
    return (ttp_str){0};
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_device_and_run(const void *a, const void *b)
{
    const struct ttp_noc_file *x = a, *y = b;
    const int device = compare((uint64_t)x->device, (uint64_t)y->device);
    const int run = compare(x->run_id, y->run_id);

    if (device || run)
        return device ? device : run;
    return compare((uint64_t)x->trace_key + 1, (uint64_t)y->trace_key + 1);
}

/* A file and the program it belongs to. */
struct member {
    struct ttp_noc_file file;
    uint64_t op_id;
};

static int by_program(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int op = compare(x->op_id, y->op_id);
    const int trace = compare((uint64_t)x->file.trace_key + 1, (uint64_t)y->file.trace_key + 1);
    const int device = compare((uint64_t)x->file.device, (uint64_t)y->file.device);

    if (op || trace)
        return op ? op : trace;
    return device ? device : strcmp(x->file.path, y->file.path);
}

/* Old traces: the n-th file of each device is one program, named by the greatest run id. */
static void number_old_programs(struct member *m, const struct ttp_noc_file *file, size_t n)
{
    size_t rank = 0;

    for (size_t i = 0; i < n; i++) {
        rank = i && file[i].device == file[i - 1].device ? rank + 1 : 0;
        m[i] = (struct member){file[i], rank};
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t greatest = 0;
        for (size_t k = 0; k < n && m[i].op_id < n; k++)
            if (m[k].op_id == m[i].op_id && file[k].run_id > greatest)
                greatest = file[k].run_id;
        m[i].file.run_id = greatest;
    }
    for (size_t i = 0; i < n; i++) {
        m[i].op_id = m[i].file.run_id;
        m[i].file.run_id = file[i].run_id;
    }
}

static void group(struct ttp_noc_folder *out, struct ttp_noc_file *file, size_t n,
                  struct ttp_arena *arena)
{
    struct member *m = TTP_NEW(arena, struct member, n);
    struct ttp_noc_file *sorted = TTP_NEW(arena, struct ttp_noc_file, n);
    bool old = false;

    for (size_t i = 0; i < n; i++)
        old |= (file[i].run_id & DEVICE_MASK) != (uint64_t)file[i].device;
    TTP_SORT(file, n, by_device_and_run);
    if (old)
        number_old_programs(m, file, n);
    for (size_t i = 0; i < n && !old; i++)
        m[i] = (struct member){file[i], file[i].run_id >> DEVICE_BITS};
    TTP_SORT(m, n, by_program);
    out->program = TTP_NEW(arena, struct ttp_noc_program, n);
    for (size_t i = 0; i < n; i++) {
        struct ttp_noc_program *p = &out->program[out->nprograms];

        sorted[i] = m[i].file;
        if (i && m[i].op_id == m[i - 1].op_id && m[i].file.trace_key == m[i - 1].file.trace_key) {
            p[-1].nfiles++;
            continue;
        }
        *p = (struct ttp_noc_program){m[i].op_id, m[i].file.trace_key, m[i].file.op, &sorted[i], 1};
        out->nprograms++;
    }
}

static const char *join(const char *dir, const char *name, struct ttp_arena *arena)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *path = ttp_arena_bytes(arena, n);

    snprintf(path, n, "%s/%s", dir, name);
    return path;
}

ttp_code ttp_logs_find_noc_traces(struct ttp_noc_folder *out, const char *dir,
                                  struct ttp_arena *arena, struct ttp_err *err)
{
    const char *logs = join(dir, ".logs", arena);
    const char *folder = ttp_file_is_dir(logs) ? logs : dir;
    struct ttp_words names;
    size_t n = 0;

    *out = (struct ttp_noc_folder){0};
    TTP_TRY(ttp_file_list(&names, folder, arena, err));
    struct ttp_noc_file *file = TTP_NEW(arena, struct ttp_noc_file, names.count);
    out->unread.word = TTP_NEW(arena, const char *, names.count);
    for (size_t i = 0; i < names.count; i++) {
        const ttp_str full = ttp_str_from(names.word[i]), name = without_suffix(full);

        if (ttp_str_eq(full, TTP_STR("topology.json")))
            out->topology = join(folder, names.word[i], arena);
        out->has_sync |= ttp_str_eq(full, TTP_STR("sync_device_info.csv"));
        if (!ttp_str_starts(name, TTP_STR("noc_trace")) || ttp_str_ends(name, TTP_STR("merged")))
            continue;
        if (!ttp_str_starts(name, TTP_STR("noc_trace_")) ||
            !parse_name(&file[n], ttp_str_slice(name, 10, name.len))) {
            out->unread.word[out->unread.count++] = names.word[i];
            continue;
        }
        if (file[n].run_id == 0) {
            out->skipped++;
            continue;
        }
        file[n++].path = join(folder, names.word[i], arena);
    }
    if (n)
        group(out, file, n, arena);
    return TTP_OK;
}

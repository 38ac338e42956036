/* SPDX-License-Identifier: Apache-2.0 */
/* shared_memory.c - /dev/shm/tt_device_<id>_memory, which tt-metal's allocator keeps for each chip.
 *
 * There is no lock: fields are separate atomics, so that sums may differ by one event. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "mem/mem_parts.h"

#define FILE_BYTES     8576
#define TOTALS_AT      48
#define CHIPS_AT       88
#define CHIP_BYTES     48
#define PROCESSES_AT   856
#define PROCESS_BYTES  120
#define NAME_BYTES     64
#define UNUSED_CHIP    UINT32_MAX
#define OLDEST_VERSION 2
#define NEWEST_VERSION 3

static uint32_t u32_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const unsigned char *p)
{
    return (uint64_t)u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

/* A free that overtakes its allocation makes a counter negative for a moment. */
static uint64_t count_at(const unsigned char *p)
{
    const uint64_t v = u64_at(p);

    return v >> 63 ? 0 : v;
}

static struct ttp_mem_counts counts_at(const unsigned char *p)
{
    return (struct ttp_mem_counts){count_at(p), count_at(p + 8), count_at(p + 16), count_at(p + 24),
                                   count_at(p + 32)};
}

static void read_tables(struct ttp_mem_shm *out, const unsigned char *file)
{
    for (size_t i = 0; i < TTP_MEM_SHM_CHIPS; i++) {
        const unsigned char *p = file + CHIPS_AT + i * CHIP_BYTES;

        if (u32_at(p) != UNUSED_CHIP)
            out->chip[out->chips++] =
                (struct ttp_mem_shm_chip){u32_at(p), u32_at(p + 4), counts_at(p + 8)};
    }
    for (size_t i = 0; i < TTP_MEM_SHM_PROCESSES; i++) {
        const unsigned char *p = file + PROCESSES_AT + i * PROCESS_BYTES;
        struct ttp_mem_shm_process *process = &out->process[out->processes];

        if (u32_at(p) == 0)
            continue;
        *process = (struct ttp_mem_shm_process){
            .pid = (int32_t)u32_at(p), .bytes = counts_at(p + 8), .updated_ns = u64_at(p + 48)};
        memcpy(process->name, p + 56, NAME_BYTES); /* the byte after it is 0 */
        out->processes++;
    }
}

static ttp_code fail_in(const char *path, struct ttp_err *err, const char *why)
{
    ttp_fail_at(err, TTP_EPARSE, 0, "%s", why);
    ttp_err_where(err, path, 0);
    return TTP_EPARSE;
}

ttp_code ttp_mem_read_shm(struct ttp_mem_shm *out, const char *path, struct ttp_err *err)
{
    unsigned char file[FILE_BYTES] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    *out = (struct ttp_mem_shm){0};
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    const ssize_t n = pread(fd, file, sizeof(file), 0);
    close(fd);
    if (n < 0)
        return ttp_fail_errno(err, "cannot read '%s'", path);
    if ((size_t)n < sizeof(file))
        return fail_in(path, err, "too short for the memory counters of a chip");
    out->version = u32_at(file);
    if (out->version < OLDEST_VERSION || out->version > NEWEST_VERSION) {
        ttp_fail_at(err, TTP_EPARSE, 0,
                    "unsupported version %u of memory counters; 2 and 3 are supported",
                    out->version);
        ttp_err_where(err, path, 0);
        return TTP_EPARSE;
    }
    out->counted = u32_at(file + 4);
    out->updated_ns = u64_at(file + 8);
    out->attached = u32_at(file + 16);
    out->asic = u64_at(file + 32);
    out->device = u32_at(file + 40);
    out->bytes = counts_at(file + TOTALS_AT);
    read_tables(out, file);
    return TTP_OK;
}

bool ttp_mem_is_shm_name(const char *name)
{
    const ttp_str s = ttp_str_from(name), head = TTP_STR("tt_device_"), tail = TTP_STR("_memory");
    uint64_t id;

    return ttp_str_starts(s, head) && ttp_str_ends(s, tail) && s.len > head.len + tail.len &&
           ttp_str_to_u64(ttp_str_slice(s, head.len, s.len - tail.len), &id);
}

size_t ttp_mem_list_shm(struct ttp_mem_shm_file **out, const char *dir, struct ttp_arena *arena)
{
    struct ttp_words names;
    size_t n = 0;

    *out = NULL;
    if (ttp_file_list(&names, dir, arena, NULL) != TTP_OK)
        return 0;
    for (size_t i = 0; i < names.count; i++)
        n += ttp_mem_is_shm_name(names.word[i]);
    *out = TTP_NEW(arena, struct ttp_mem_shm_file, n + 1);
    n = 0;
    for (size_t i = 0; i < names.count; i++)
        if (ttp_mem_is_shm_name(names.word[i])) {
            struct ttp_mem_shm_file *f = &(*out)[n++];

            f->path = ttp_file_join(dir, names.word[i], arena);
            f->code = ttp_mem_read_shm(&f->shm, f->path, NULL);
        }
    return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* db_file.c - the file of a store as bytes: checks it, and handles damage. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/content.h"
#include "base/outsink.h"
#include "base/sha256.h"
#include "base/temp_dir.h"
#include "store/db.h"

/* https://www.sqlite.org/fileformat.html, 1.3: the head of a file. */
#define HEAD_BYTES 100
#define PAGE_SIZE  16 /* 2 bytes; 1 means 65536 */
#define CHANGES    24 /* 4 bytes */
#define PAGES      28 /* 4 bytes, of use if the next is equal to CHANGES */
#define VALID_FOR  92
#define ID_AT      68
#define OUR_PAGE   4096u /* SQLite's usual size of a page */

static const char *joined(struct ttp_arena *arena, const char *a, const char *b, const char *c)
{
    return ttp_arena_zstr(arena, ttp_sink_format(arena, "%s%s%s", a, b, c));
}

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static ttp_code refuse(const char *path, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "'%s' is damaged: %s", path, why);
    ttp_store_db_keep_damaged(path, err);
    return TTP_EPARSE;
}

/* Of a file without SQLite's first words: a history that lost its head is binary data. */
static ttp_code refuse_other(const char *path, ttp_str head, struct ttp_err *err)
{
    const char *kind = ttp_content_kind(head);
    const bool text = !kind && ttp_str_valid_utf8(head) + 4 > head.len; /* the end may be cut */

    if (!text && (!kind || strcmp(kind, "binary data") == 0)) {
        ttp_fail(err, TTP_EPARSE,
                 "'%s' is not a history: it is not an SQLite file, or its header is damaged", path);
        ttp_store_db_keep_damaged(path, err);
        return TTP_EPARSE;
    }
    ttp_fail(err, TTP_EPARSE, "'%s' is not a history: it is %s", path, text ? "text" : kind);
    ttp_err_hint(err, "choose another file with --store; add runs with 'tt-perf history add'");
    return TTP_EPARSE;
}

bool ttp_store_db_has_log(const char *path)
{
    struct ttp_arena scratch = {0};
    const bool found = ttp_file_size(joined(&scratch, path, "-wal", "")) > 0;

    ttp_arena_free(&scratch);
    return found;
}

static ttp_code check_head(const char *path, const unsigned char *head, uint64_t size,
                           struct ttp_err *err)
{
    const uint32_t raw = (uint32_t)head[PAGE_SIZE] << 8 | head[PAGE_SIZE + 1];
    const uint64_t page = raw == 1 ? 65536 : raw;
    const bool counted = be32(head + CHANGES) == be32(head + VALID_FOR);

    if (page < 512 || (page & (page - 1)) != 0)
        return refuse(path, "its header is invalid", err);
    if (be32(head + ID_AT) != TTP_STORE_APPLICATION && be32(head + ID_AT) != 0) {
        ttp_fail(err, TTP_EPARSE, "'%s' is an SQLite file of another program", path);
        ttp_err_hint(err, "choose another file with --store");
        return TTP_EPARSE;
    }
    /* with a log it may be: who was ended, or had no room, while the log was taken over has written
     * the head and not yet what is after it; all of that is still in the log */
    if (counted && be32(head + PAGES) * page > size && !ttp_store_db_has_log(path))
        return refuse(path, "it is truncated", err);
    return TTP_OK;
}

ttp_code ttp_store_db_check_file(bool *empty, const char *path, struct ttp_err *err)
{
    unsigned char head[HEAD_BYTES];
    struct stat st;

    *empty = true;
    const int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO has no writer to wait for */
    if (fd < 0)
        return errno == ENOENT ? TTP_OK : ttp_fail_errno(err, "cannot open '%s'", path);
    const ssize_t n =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, head, sizeof(head), 0) : -1;
    close(fd);
    if (n < 0)
        return ttp_fail(err, TTP_EIO, "'%s' is not a readable file", path);
    if (n == 0)
        return TTP_OK;
    *empty = false;
    const size_t magic = (size_t)n < 16 ? (size_t)n : 16;
    if (memcmp(head, "SQLite format 3", magic) != 0)
        return refuse_other(path, (ttp_str){(const char *)head, (size_t)n}, err);
    if ((size_t)n < sizeof(head))
        return refuse(path, "it is shorter than the header of an SQLite file", err);
    return check_head(path, head, (uint64_t)st.st_size, err);
}

/* Where the copy is; NULL: none, and no room to make one. */
static const char *keep_copy(const char *path, struct ttp_arena *arena)
{
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_file in;

    if (ttp_file_map(&in, path, NULL) != TTP_OK)
        return NULL;
    ttp_sha256_hex(digest, in.text);
    ttp_file_close(&in);
    digest[12] = '\0';
    /* named by its content: the same damage is kept once */
    const char *copy = joined(arena, path, ".damaged-", digest);
    if (!ttp_file_exists(copy) && ttp_file_copy(copy, path, NULL) != TTP_OK)
        return NULL;
    const char *log = joined(arena, path, "-wal", ""), *log_copy = joined(arena, copy, "-wal", "");
    if (ttp_file_size(log) && !ttp_file_exists(log_copy) &&
        ttp_file_copy(log_copy, log, NULL) != TTP_OK)
        return NULL;
    return copy;
}

void ttp_store_db_keep_damaged(const char *path, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    const char *copy = keep_copy(path, &scratch);

    if (copy)
        ttp_err_hint(err,
                     "a copy is kept as '%s'; to rebuild the history, move the file and run "
                     "'tt-perf history import' on the copy, which imports all readable runs",
                     copy);
    else
        ttp_err_hint(err,
                     "nothing was changed, but no copy could be made; to rebuild the history, "
                     "move '%s' and run 'tt-perf history import' on it, which imports all "
                     "readable runs",
                     path);
    ttp_arena_free(&scratch);
}

/* Of a store as we make them; what depends on its content is what SQLite can do without. */
static void make_head(unsigned char head[HEAD_BYTES], uint64_t size)
{
    static const unsigned char start[] = {OUR_PAGE >> 8, 0, 2, 2, 0, 64, 32, 32};
    const uint32_t pages = (uint32_t)(size / OUR_PAGE);
    const struct {
        size_t at;
        uint32_t value;
    } words[] = {{CHANGES, 1},   {PAGES, pages}, {40, 1},
                 {44, 4},        {56, 1},        {ID_AT, TTP_STORE_APPLICATION},
                 {VALID_FOR, 1}, {96, 3040000}};

    memset(head, 0, HEAD_BYTES);
    memcpy(head, "SQLite format 3", 16);
    memcpy(head + PAGE_SIZE, start, sizeof(start));
    for (size_t i = 0; i < TTP_COUNT(words); i++)
        for (size_t k = 0; k < 4; k++)
            head[words[i].at + k] = (unsigned char)(words[i].value >> (24 - 8 * k));
}

ttp_code ttp_store_db_repair_head(const char **path, const char **folder, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    unsigned char head[HEAD_BYTES];
    struct ttp_file in;

    TTP_TRY(ttp_file_map(&in, *path, err));
    const bool lost = in.text.len >= OUR_PAGE && memcmp(in.text.ptr, "SQLite format 3", 16) != 0;
    make_head(head, in.text.len);
    ttp_file_close(&in);
    if (!lost)
        return TTP_OK;
    TTP_TRY(ttp_temp_dir_make(folder, arena, err));
    const char *copy = ttp_file_join(*folder, "history.db", arena);
    ttp_code rc = ttp_file_copy(copy, *path, err);
    const int fd = rc == TTP_OK ? open(copy, O_WRONLY | O_CLOEXEC) : -1;
    if (rc == TTP_OK && (fd < 0 || pwrite(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head)))
        rc = ttp_fail_errno(err, "cannot write '%s'", copy);
    if (fd >= 0)
        close(fd);
    *path = copy;
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - whole files: mapped for reading, replaced in one step, found in folders. */
#ifndef TTP_BASE_FILE_H
#define TTP_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ttp_file {
    ttp_str text; /* borrowed from the mapping: gone after ttp_file_close() */
    void *map;
};

/* Map a whole file; a FIFO is refused. On success the caller owns *out and must close it. */
TTP_NODISCARD ttp_code ttp_file_map(struct ttp_file *out, const char *path, struct ttp_err *err);
void ttp_file_close(struct ttp_file *f);
/* Give back the memory of whole pages inside `part`, a slice of f->text: for whoever is done with
 * it. It can still be read, from the file again. Thread safe. */
void ttp_file_forget(const struct ttp_file *f, ttp_str part);

/* A file being written: others see the old content, or none, until it is committed. */
struct ttp_outfile {
    int fd;       /* write here; stays the outfile's */
    char *path;   /* where it ends up, symbolic links followed; NULL: not open */
    char *temp;   /* next to it; NULL: none, it is unnamed or written directly */
    bool unnamed; /* has a name only when it is committed */
};

/* "-" and "/dev/stdout" are standard output. An existing file keeps its permissions, one we may not
 * write is refused; what is not a regular file (/dev/null, a FIFO) is written directly. A link
 * stays, and the file it leads to is replaced, or made if it is missing; circular links are
 * rejected, and so are links of another user in a folder such as /tmp. All failures are TTP_EIO,
 * "cannot write 'PATH': reason", and leave *out closed. */
TTP_NODISCARD ttp_code ttp_outfile_open(struct ttp_outfile *out, const char *path,
                                        struct ttp_err *err);
/* Put it in place, or, on TTP_EIO, remove it. Closed either way. Content and name are on the disk
 * when this returns, so that a power failure leaves the old file or the whole new one. */
TTP_NODISCARD ttp_code ttp_outfile_commit(struct ttp_outfile *f, struct ttp_err *err);
/* Discard it; the old file is unchanged. Safe on one that is closed or zero-initialised. */
void ttp_outfile_abort(struct ttp_outfile *f);
/* For a program, at its start: a signal that ends it (HUP, INT, PIPE, QUIT, TERM, unless ignored)
 * first removes what outfiles have not yet put in place, and a file that grows beyond a limit of
 * the system is an error of writing. */
void ttp_outfile_tidy_on_signals(void);
/* For a handler of a fatal signal: removes unfinished files. */
void ttp_outfile_tidy(void);

/* A file that exists in memory only: write to *fd, then read it by the name *path (in the arena).
 * It lives until it is closed by that name; *fd with it. */
TTP_NODISCARD ttp_code ttp_file_in_memory(int *fd, const char **path, struct ttp_arena *arena,
                                          struct ttp_err *err);

/* Before the arena goes away. NULL is fine. */
void ttp_file_close_memory(const char *path);

/* The user's folder: HOME if that is an absolute path, else what the system has on record. NULL:
 * none. In the arena. */
const char *ttp_file_home(struct ttp_arena *arena);

/* "dir/name" in the arena. */
const char *ttp_file_join(const char *dir, const char *name, struct ttp_arena *arena);

/* A file without a name in TMPDIR (or /tmp), for what is too large for memory: it is gone once *fd,
 * the caller's, is closed. */
TTP_NODISCARD ttp_code ttp_file_temporary(int *fd, struct ttp_err *err);

/* Does a file, or a folder, of that name exist? Links are followed; special files count only if the
 * user names them (see file_kind.h). */
bool ttp_file_exists(const char *path);
bool ttp_file_is_dir(const char *path);
/* Bytes in it, 0 if there is none. */
uint64_t ttp_file_size(const char *path);
/* Make a folder and its parents; an existing one is fine. */
TTP_NODISCARD ttp_code ttp_file_make_dirs(const char *path, struct ttp_err *err);
/* The same, but the last one is new: if the name exists, '_2', '_3' ... is appended. *out is in the
 * arena. */
TTP_NODISCARD ttp_code ttp_file_make_new_dir(const char **out, const char *path,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* Do both name the same file or folder? */
bool ttp_file_is_same(const char *a, const char *b);

/* Is it one of those wanted? `name` is the last part of `path`. */
typedef bool ttp_file_match_fn(const char *path, const char *name, void *arg);

struct ttp_file_matcher {
    ttp_file_match_fn *match;
    void *arg;
};
/* The regular file below `dir` that was modified last, of those `match` accepts; of equals the one
 * whose path is greatest. *out is in the arena, NUL-terminated, and begins with `dir`. Sixteen
 * levels of folders are searched, links to folders are not followed, unreadable ones are skipped.
 * TTP_ENOTFOUND: none. TTP_EIO: `dir` itself cannot be read. */
TTP_NODISCARD ttp_code ttp_file_find_newest(const char **out, const char *dir,
                                            struct ttp_file_matcher which, struct ttp_arena *arena,
                                            struct ttp_err *err);

/* The paths of all regular files below `dir`, in order of their bytes, in the arena; sixteen levels
 * of folders, without following links to folders. TTP_EIO: one of the folders cannot be read. */
TTP_NODISCARD ttp_code ttp_file_list_below(struct ttp_words *out, const char *dir,
                                           struct ttp_arena *arena, struct ttp_err *err);

/* The names of the regular files in `dir`, in order of their bytes: *out is in the arena.
 * TTP_EIO: it cannot be read. */
TTP_NODISCARD ttp_code ttp_file_list(struct ttp_words *out, const char *dir,
                                     struct ttp_arena *arena, struct ttp_err *err);

#endif

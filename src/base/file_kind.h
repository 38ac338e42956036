/* SPDX-License-Identifier: Apache-2.0 */
/* file_kind.h - which files may be opened.
 *
 * What the user names may be a pipe or a device: `<(zcat x)`, /dev/stdin. What we find ourselves,
 * in a folder or by a name in some file, must be a regular file: opening a FIFO blocks forever, and
 * reading a device may never end or have side effects. */
#ifndef TTP_BASE_FILE_KIND_H
#define TTP_BASE_FILE_KIND_H

#include <stdbool.h>
#include <sys/stat.h>

/* For a program, at its start: the words of its command line, which stay the caller's. Without it
 * no file is named. */
void ttp_file_kind_named(char *const *word, int count);
/* Called for special files that are skipped: `what` is "a FIFO", "a socket" or "a device". Never
 * called by two threads at once. NULL: none. */
typedef void ttp_file_skipped_fn(const char *path, const char *what, void *arg);
void ttp_file_kind_on_skip(ttp_file_skipped_fn *fn, void *arg);

/* Is it a word of the command line, or the value in one? /dev/stdin and its like always are. */
bool ttp_file_kind_is_named(const char *path);
/* "a FIFO" and so on; NULL for regular files, folders and links. */
const char *ttp_file_kind_odd(mode_t mode);
/* May the file at `path` be read? If not, it is reported as skipped. */
bool ttp_file_kind_accept(const char *path, mode_t mode);

#endif

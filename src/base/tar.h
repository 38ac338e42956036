/* SPDX-License-Identifier: Apache-2.0 */
/* tar.h - POSIX tar archives: written to a sink, read from any input (also compressed).
 *
 * Written archives have no owner and no date: the same content gives the same bytes. Names over 99
 * bytes are written as GNU tar does. */
#ifndef TTP_BASE_TAR_H
#define TTP_BASE_TAR_H

#include "base/err.h"
#include "base/sink.h"

enum ttp_tar_kind { TTP_TAR_FILE, TTP_TAR_LINK, TTP_TAR_FOLDER };

/* The header of an entry; after that of a file its `size` bytes follow, then ttp_tar_put_padding().
 */
struct ttp_tar_entry {
    enum ttp_tar_kind kind;
    const char *name; /* relative */
    const char *link; /* of a link: where it points */
    uint64_t size;    /* of a file */
    unsigned mode;    /* permissions; only written */
};
void ttp_tar_put_header(struct ttp_sink *out, const struct ttp_tar_entry *entry);
void ttp_tar_put_padding(struct ttp_sink *out, uint64_t size);
void ttp_tar_put_end(struct ttp_sink *out);

/* Reading: what is done with an entry, and with each piece of a file. */
struct ttp_tar_reader {
    ttp_code (*begin)(void *arg, const struct ttp_tar_entry *entry, struct ttp_err *err);
    ttp_code (*piece)(void *arg, ttp_str bytes, struct ttp_err *err);
    ttp_code (*end)(void *arg, struct ttp_err *err); /* of the entry */
    void *arg;
};
/* TTP_EPARSE: not an archive, truncated, damaged, or with a name that leads out of the folder it is
 * unpacked in (absolute, or with ".."). Kinds of entries other than these are TTP_EPARSE too. */
TTP_NODISCARD ttp_code ttp_tar_read(const char *path, const struct ttp_tar_reader *reader,
                                    struct ttp_err *err);

#endif

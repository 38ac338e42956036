/* SPDX-License-Identifier: Apache-2.0 */
/* memfile.h - bytes as a file, for readers that take a path. */
#ifndef TTP_FUZZ_MEMFILE_H
#define TTP_FUZZ_MEMFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memfile {
    int fd;
    char path[32];
};

static inline void must(bool ok)
{
    if (!ok)
        abort();
}

static inline void memfile_open(struct memfile *f, const uint8_t *data, size_t size)
{
    f->fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(f->fd >= 0 && (size == 0 || write(f->fd, data, size) == (ssize_t)size));
    snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

#endif

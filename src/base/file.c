/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ttp_code ttp_file_map(struct ttp_file *out, const char *path, struct ttp_err *err)
{
    ttp_code rc = TTP_OK;
    struct stat st;
    void *map;

    *out = (struct ttp_file){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0) {
        rc = ttp_fail_errno(err, "cannot stat '%s'", path);
        goto out;
    }
    if (st.st_size == 0) /* mmap() refuses this; an empty slice is a fine answer */
        goto out;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        rc = ttp_fail_errno(err, "cannot map '%s'", path);
    else
        *out = (struct ttp_file){{map, (size_t)st.st_size}, map};
out:
    close(fd); /* the mapping outlives the descriptor */
    return rc;
}

void ttp_file_close(struct ttp_file *f)
{
    if (f->text.len)
        munmap(f->map, f->text.len);
    *f = (struct ttp_file){0};
}

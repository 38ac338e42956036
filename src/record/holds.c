/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/vec.h"
#include "record/record.h"

ttp_code ttp_record_holds_add(struct ttp_holds *h, struct ttp_held_name what, int64_t *holder,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const char *path = ttp_file_join(what.dir, what.name, arena);
    struct stat st, other;
    struct ttp_hold one;

    *holder = 0;
    for (size_t i = 0; i < h->count; i++)
        if (stat(path, &st) == 0 && fstat(h->item[i].lock.fd, &other) == 0 &&
            st.st_dev == other.st_dev && st.st_ino == other.st_ino)
            return TTP_OK;
    TTP_TRY(ttp_lock_take(&one.lock, path, holder, err));
    one.path = path;
    *TTP_PUSH(arena, h->item, h->count) = one;
    return TTP_OK;
}

void ttp_record_holds_release(struct ttp_holds *h)
{
    while (h->count) {
        struct ttp_hold *one = &h->item[--h->count];

        ttp_lock_remove(&one->lock, one->path);
    }
}

void ttp_record_holds_pass_on(const struct ttp_holds *h)
{
    for (size_t i = 0; i < h->count; i++)
        (void)fcntl(h->item[i].lock.fd, F_SETFD, 0);
}

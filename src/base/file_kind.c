/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_kind.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct {
    char *const *word;
    int count;
    pthread_mutex_t lock; /* for what follows */
    ttp_file_skipped_fn *skipped;
    void *arg;
} kinds = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ttp_file_kind_named(char *const *word, int count)
{
    kinds.word = word;
    kinds.count = count;
}

void ttp_file_kind_on_skip(ttp_file_skipped_fn *fn, void *arg)
{
    pthread_mutex_lock(&kinds.lock);
    kinds.skipped = fn;
    kinds.arg = arg;
    pthread_mutex_unlock(&kinds.lock);
}

bool ttp_file_kind_is_named(const char *path)
{
    const size_t n = strlen(path);

    if (strncmp(path, "/dev/", 5) == 0) /* what is found is below a folder of somebody's */
        return true;
    for (int i = 0; i < kinds.count; i++) {
        const char *word = kinds.word[i];
        const size_t len = strlen(word);
        const bool whole = len == n || (len > n && word[0] == '-'); /* --option=PATH, -oPATH */

        if (n && whole && memcmp(word + len - n, path, n) == 0)
            return true;
    }
    return false;
}

const char *ttp_file_kind_odd(mode_t mode)
{
    if (S_ISFIFO(mode))
        return "a FIFO";
    if (S_ISSOCK(mode))
        return "a socket";
    return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : NULL;
}

bool ttp_file_kind_accept(const char *path, mode_t mode)
{
    const char *odd = ttp_file_kind_odd(mode);

    if (!odd || ttp_file_kind_is_named(path))
        return true;
    pthread_mutex_lock(&kinds.lock);
    if (kinds.skipped)
        kinds.skipped(path, odd, kinds.arg);
    pthread_mutex_unlock(&kinds.lock);
    return false;
}

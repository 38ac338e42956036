/* SPDX-License-Identifier: Apache-2.0 */
#include "core/lost_file.h"

#include <unistd.h>

#include "base/map_guard.h"
#include "core/cmd.h"
#include "core/failure.h"

/* Static because a signal handler takes no argument. */
static struct ttp_last_words said = {.status = TTP_EXIT_IO};

static void tell(const char *path)
{
    struct ttp_err err = {0};

    ttp_map_guard_fail(&err, path);
    ttp_err_where(&err, path, 0);
    ttp_failure_print(said.verb, &err, said.status, said.json);
    _exit(said.status);
}

void ttp_lost_file_guard(void)
{
    ttp_map_guard_on_signal(tell);
}

struct ttp_last_words ttp_lost_file_say(struct ttp_last_words words)
{
    const struct ttp_last_words before = said;

    said = words;
    return before;
}

struct ttp_last_words ttp_lost_file_words(void)
{
    return said;
}

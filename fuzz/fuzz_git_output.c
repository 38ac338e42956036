/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what git prints: a program of that name, first in PATH, prints the parts of the
 * input, each for its own question. No crash, no leak; a commit is known only if all of it was
 * said. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "measure/measure.h"
#include "memfile.h"
#include "parts.h"

static const char *const part_name[] = {"head", "branch", "top", "names", "config"};
static char folder[] = "/tmp/tt-perf-fuzz-XXXXXX";

static void file_in_folder(char *out, size_t size, const char *name)
{
    must(snprintf(out, size, "%s/%s", folder, name) < (int)size);
}

static void write_file(const char *name, ttp_str text, mode_t mode)
{
    char path[64];

    file_in_folder(path, sizeof(path), name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    must(fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len);
    close(fd);
}

static void clean_up(void)
{
    char path[64];

    for (size_t i = 0; i < TTP_COUNT(part_name); i++) {
        file_in_folder(path, sizeof(path), part_name[i]);
        unlink(path);
    }
    file_in_folder(path, sizeof(path), "git");
    unlink(path);
    rmdir(folder);
}

static void set_up(void)
{
    static const char git[] = "#!/bin/sh\n"
                              "case \" $* \" in\n"
                              "*' rev-list '* | *' log '*) part=head ;;\n"
                              "*' symbolic-ref '*) part=branch ;;\n"
                              "*' rev-parse '*) part=top ;;\n"
                              "*' config '*) part=config ;;\n"
                              "*) part=names ;;\n"
                              "esac\n"
                              "exec /bin/cat \"${0%/*}/$part\"\n";

    must(mkdtemp(folder) != NULL && setenv("PATH", folder, 1) == 0);
    write_file("git", ttp_str_from(git), 0700);
    atexit(clean_up);
}

/* Before the engine has a thread of its own, which would take the signal that a child has ended. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    sigset_t ended;

    (void)argc, (void)argv;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    return pthread_sigmask(SIG_BLOCK, &ended, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_set_up;
    ttp_str rest = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_signals signals;
    struct ttp_git_state state;

    if (!is_set_up)
        set_up();
    is_set_up = true;
    for (size_t i = 0; i < TTP_COUNT(part_name); i++)
        write_file(part_name[i], next_part(&rest), 0600);
    must(ttp_signals_open(&signals, NULL) == TTP_OK);
    ttp_git_state(&state, &signals, &arena);
    must(state.known || (!state.dirty && state.branch.len == 0));
    must(!state.known ||
         (!memchr(state.commit.ptr, '\n', state.commit.len) &&
          (state.repository.len == 0 || !memchr(state.repository.ptr, '/', state.repository.len))));
    ttp_signals_close(&signals);
    ttp_arena_free(&arena);
    return 0;
}

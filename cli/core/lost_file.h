/* SPDX-License-Identifier: Apache-2.0 */
/* lost_file.h - how the program ends when a file is truncated while it is being read. */
#ifndef TTP_CLI_LOST_FILE_H
#define TTP_CLI_LOST_FILE_H

#include <stdbool.h>

/* How a failure would be reported at this moment; see ttp_failure_print(). */
struct ttp_last_words {
    const char *verb;
    bool json;
    int status;
};

/* At the start of the program. */
void ttp_lost_file_guard(void);
/* Sets how it is reported from now on. Returns the previous setting. */
struct ttp_last_words ttp_lost_file_say(struct ttp_last_words words);
/* How it would be reported now. */
struct ttp_last_words ttp_lost_file_words(void);

#endif

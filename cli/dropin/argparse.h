/* SPDX-License-Identifier: Apache-2.0 */
/* argparse.h - the grammar, help and error texts of Python 3.13's argparse, for drop-in names.
 *
 * Driven by the same option tables as opts.h; `group`, `min` and `max` do not count here. Aliases
 * are never shown and match only when written in full. -h/--help is built in and comes first.
 * Words point into argv, everything else is in the arena passed in. */
#ifndef TTP_CLI_ARGPARSE_H
#define TTP_CLI_ARGPARSE_H

#include "core/opts.h"

struct ttp_argparse {
    const char *prog;
    const char *description;
    const struct ttp_opt *opt; /* help texts as the original has them; no entry for help */
    size_t nopt;
    const char *positional; /* its name; one or more of it are required (nargs='+') */
    const char *positional_help;
    bool one_positional; /* exactly one (no nargs) */
};

enum ttp_argparse_result {
    TTP_ARGPARSE_RUN,   /* continue with what was parsed */
    TTP_ARGPARSE_HELP,  /* -h was met before any mistake */
    TTP_ARGPARSE_ERROR, /* *message is the part after "PROG: error: " */
};

/* Parse argv[1..argc). Fields of `opts` not given keep what they hold. */
enum ttp_argparse_result ttp_argparse_parse(void *opts, struct ttp_words *positionals,
                                            ttp_str *message, const struct ttp_argparse *p,
                                            int argc, char **argv, struct ttp_arena *arena);

/* `columns` as the terminal has them; argparse itself leaves two free. */
void ttp_argparse_usage(struct ttp_sink *out, const struct ttp_argparse *p, int columns,
                        struct ttp_arena *arena);
void ttp_argparse_help(struct ttp_sink *out, const struct ttp_argparse *p, int columns,
                       struct ttp_arena *arena);
/* COLUMNS, or those of the terminal on stdout, or 80. */
int ttp_argparse_columns(void);

/* All of the above as a program's start: true means continue; false means help (stdout) or usage
 * and error (stderr) have been printed and the program ends with *status. */
bool ttp_argparse_run(int *status, void *opts, struct ttp_words *positionals,
                      const struct ttp_argparse *p, int argc, char **argv, struct ttp_arena *arena);

#endif

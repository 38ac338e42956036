/* SPDX-License-Identifier: Apache-2.0 */
/* opts.h - option tables: the only description of options there is.
 *
 * A table drives parsing (here), --help, completion and the manual (help.h, completion, man), and
 * the drop-in tools' own grammar (argparse.h). Tables are static and const. Words point into argv;
 * lists live in the arena passed in. */
#ifndef TTP_CLI_OPTS_H
#define TTP_CLI_OPTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sink.h"

/* What the option writes at its offset in the options struct. */
enum ttp_opt_type {
    TTP_OPT_FLAG,    /* bool */
    TTP_OPT_STR,     /* const char * */
    TTP_OPT_INT,     /* int64_t */
    TTP_OPT_FLOAT,   /* double */
    TTP_OPT_PERCENT, /* double, as a part: 0.02 for "2%" and for "2"; not negative */
    TTP_OPT_CHOICE,  /* int: position in `choices` */
    TTP_OPT_LIST,    /* struct ttp_words: one more word each time the option is given; no default */
};

/* Options that several commands have, over a struct that each of them has within its own. */
struct ttp_opt_table {
    const struct ttp_opt *opt;
    size_t count;
};

struct ttp_opt {
    const char *name; /* long name without dashes */
    enum ttp_opt_type type;
    uint32_t offset;     /* of the field in the command's options struct */
    const char *help;    /* says what it does: lower case, no full stop at the end */
    const char *metavar; /* represents the value: "FILE" and "DIR" also make completion offer files
                            and folders; NULL: the name in capitals, '_' for '-' */
    const char *const *choices; /* TTP_OPT_CHOICE: the words, NULL at the end */
    int64_t min, max;           /* TTP_OPT_INT: refused outside; both 0: any */
    const char *group;          /* heading it starts in help; NULL: under the one before */
    const char *alias_of; /* name of the option this is a second name for; only `name`, `letter`
                             and `hidden` of an alias count */
    const struct ttp_opt_table *table; /* in place of an option all of these, over the struct at
                                          `offset`; `group` is the first one's */
    char letter;                       /* one-letter form, 0: none */
    bool hidden;                       /* works, but is not listed anywhere */
    bool of_run; /* TTP_OPT_STR: its value is a run or a file of one; a bundle is unpacked */
};

/* One option: where its value goes, what it does, and what else there is to say of it.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define TTP_OPTION(kind, word, where, text, ...)                                                   \
    {                                                                                              \
        .name = (word), .type = TTP_OPT_##kind, .offset = (where), .help = (text), __VA_ARGS__     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* The options with those of shared tables in their places. In the arena. */
const struct ttp_opt *ttp_opts_expand(size_t *count, const struct ttp_opt *opt, size_t nopt,
                                      struct ttp_arena *arena);

/* The last value given wins, except for lists. The functions below take tables that are expanded.
 */

/* What a command line says. */
struct ttp_opts_given {
    void *opts;                /* in: where the values of options go */
    struct ttp_words operands; /* words after "--" too */
    size_t dashdash;           /* the operand that is the first after "--"; their number without */
};
struct ttp_opts_grammar {
    const struct ttp_opt *opt;
    size_t count;
    /* Another's command line follows: options end at the first operand, and what follows it is not
     * looked at. */
    bool command;
};
struct ttp_arguments {
    int count; /* without the name of the program */
    char **word;
};
/* Parse arguments the GNU way: "--name value", "--name=value",
 * unambiguous prefixes of long names, "-abc", "-o value", "-ovalue"; "--" ends the options, "-" is
 * an operand, operands and options mix. Fields of out->opts that are not given keep what they hold.
 * After a mistake the rest is still parsed, so that a later --format can decide how the mistake is
 * reported. TTP_EUSAGE: text names the option; hint may name the nearest one. */
TTP_NODISCARD ttp_code ttp_opts_parse(struct ttp_opts_given *out,
                                      const struct ttp_opts_grammar *grammar,
                                      struct ttp_arguments given, struct ttp_arena *arena,
                                      struct ttp_err *err);

/* The entry an alias represents, or the entry itself. */
const struct ttp_opt *ttp_opts_target(const struct ttp_opt *opt, size_t nopt, size_t i);

/* What represents the value in help: "a|b", the metavar, or the name in capitals; empty for
 * flags.
 */
ttp_str ttp_opts_metavar(const struct ttp_opt *o, struct ttp_arena *arena);
/* Its help; where that value does not name the choices, with a list of them. */
const char *ttp_opts_help(const struct ttp_opt *o, struct ttp_arena *arena);

/* Position in `choices` (NULL at the end) or -1. */
int ttp_opts_choice(const char *const *choices, ttp_str word);

/* TTP_EUSAGE: "<prefix>'word' is not one of a, b, c", with the nearest as a hint. */
ttp_code ttp_opts_fail_choice(const char *const *choices, const char *word, const char *prefix,
                              struct ttp_err *err);

/* The words of a list that are separated by commas, without blanks around them and without empty
 * ones. NULL is an empty list. */
struct ttp_words ttp_opts_split_words(const char *list, struct ttp_arena *arena);

/* The candidate nearest to `word`, or NULL if none is near enough to suggest. `candidates` ends
 * with NULL. */
const char *ttp_opts_nearest(const char *word, const char *const *candidates);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd.h - the definition of a verb, and its context.
 *
 * To add one: write cli/verbs/cmd_<name>.c with one `const struct ttp_cmd cmd_<name>`, add it to
 * the list TTP_COMMANDS below, write docs/man/tt-perf-<name>.1, add a case in tests/golden/. A test
 * fails if any of these is missing. */
#ifndef TTP_CLI_CMD_H
#define TTP_CLI_CMD_H

#include "base/sink.h"
#include "base/version.h"
#include "core/opts.h"
#include "device/device.h"
#include "outputs/outputs.h"

/* Exit status; docs/man/tt-perf.1 and `tt-perf help exit-codes` list the same. */
enum ttp_exit {
    TTP_EXIT_OK = 0,
    TTP_EXIT_FINDING = 1,     /* check failed, regression, difference */
    TTP_EXIT_USAGE = 2,       /* TTP_EUSAGE */
    TTP_EXIT_INPUT = 3,       /* TTP_EPARSE, TTP_ELIMIT, TTP_ENOTFOUND */
    TTP_EXIT_ENVIRONMENT = 4, /* hardware or environment missing: TTP_EMISSING */
    TTP_EXIT_IO = 5,          /* TTP_EIO */
    TTP_EXIT_TIMEOUT = 6,
    TTP_EXIT_UNDECIDED = 7, /* not enough evidence */
    TTP_EXIT_INTERNAL = 70, /* our own fault */
    /* Of verbs that run a command and otherwise end with its status, as env(1) has them. */
    TTP_EXIT_RUN_FAILED = 125, /* ours */
    TTP_EXIT_RUN_NOT_EXECUTABLE = 126,
    TTP_EXIT_RUN_NOT_FOUND = 127,
};

/* Options that mean the same everywhere. The first member of every command's options struct; a
 * command says by `takes` which of them exist for it. */
struct ttp_common_opts {
    int format;         /* position in the command's `formats`; 0 unless given */
    int color;          /* see ttp_ctx.color for the decision */
    const char *output; /* NULL: stdout; the program has already opened it, see ttp_ctx.out */
    bool verbose, quiet;
    int64_t threads;                    /* 0: as many as there are processors */
    const char *boards;                 /* see ttp_ctx.boards */
    const char *where, *sort, *columns; /* see ttp_ctx.show */
    int64_t top;
    const char *max_memory, *max_inflate, *max_output, *max_time; /* see run_limits.h */
    bool help;
    bool no_pager, no_color;
    bool imitate; /* be the tool that the verb can replace, see struct ttp_imitation */
};

enum ttp_takes {
    TTP_TAKES_FORMAT = 1 << 0, /* --format; needs `formats` */
    TTP_TAKES_COLOR = 1 << 1,  /* --color auto|always|never */
    TTP_TAKES_OUTPUT =
        1 << 2, /* -o FILE: a single file, written under a temporary name and renamed */
    TTP_TAKES_TALK = 1 << 3,     /* -v, -q */
    TTP_TAKES_THREADS = 1 << 4,  /* -j N */
    TTP_TAKES_BOARDS = 1 << 5,   /* --boards FILE, and the user's file of that kind */
    TTP_TAKES_LIMITS = 1 << 6,   /* --max-memory, --max-inflate, --max-output SIZE */
    TTP_TAKES_TIME = 1 << 7,     /* --max-time: not for those that run commands or stay */
    TTP_TAKES_NO_INPUT = 1 << 8, /* not an option: what it writes does not follow from an input */
    TTP_TAKES_TABLE = 1 << 9,    /* --where, --sort, --top, --columns; needs `documents` */
    TTP_TAKES_PAGER = 1 << 10,   /* --no-pager: on a terminal its text goes through a pager */
    /* what most verbs take that read files and print tables of them */
    TTP_TAKES_REPORT = TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_COLOR | TTP_TAKES_PAGER |
                       TTP_TAKES_OUTPUT | TTP_TAKES_TALK | TTP_TAKES_LIMITS | TTP_TAKES_TIME,
};

/* What the operands are, for completion and for checking how many there are. */
enum ttp_operand {
    TTP_OPERAND_NONE,
    TTP_OPERAND_FILE,
    TTP_OPERAND_DIR,
    TTP_OPERAND_VERB,
    TTP_OPERAND_SCHEMA,
    TTP_OPERAND_PAGE,    /* of explain */
    TTP_OPERAND_WORD,    /* one of `words` */
    TTP_OPERAND_ACTION,  /* the first is one of `words`, the others are what it is done with */
    TTP_OPERAND_COMMAND, /* another's command line: options of ours end at its first word */
};

struct ttp_example {
    const char *command; /* as typed */
    const char *effect;  /* what it does: lower case, no full stop */
};

struct ttp_cmd;

/* One run of a command. */
struct ttp_ctx {
    const struct ttp_cmd *cmd;
    struct ttp_arena *arena; /* lives as long as the run */
    struct ttp_sink *out;    /* the result goes here: stdout, or the file of -o; main finishes it */
    const char *output_path; /* name of that file, NULL for stdout */
    const char *format;   /* word of --format, or by the suffix of -o, or formats[0], or "text" */
    bool format_given;    /* by --format */
    struct ttp_show show; /* the same for documents: form, rows and columns, inputs */
    bool color;           /* whether `out` gets colour */
    int width;            /* columns for `out`: COLUMNS or the terminal's; 0: no limit */
    bool quiet, verbose;
    const struct ttp_boards *boards; /* figures of boards, the user's on top; TTP_TAKES_BOARDS:
                                        else built in */
    size_t dashdash;                 /* number of operands before "--" */
};

struct ttp_cmd {
    const char *name;
    const char *args;    /* usage tail: "FILE..." */
    const char *summary; /* one line: lower case, no full stop */
    const char
        *description; /* a paragraph or more, separated by an empty line; wrapped when shown */
    const struct ttp_opt *opt;
    size_t nopt;
    size_t opts_size;           /* of a struct that begins with struct ttp_common_opts */
    const void *defaults;       /* such a struct, copied before parsing; NULL: all zero */
    unsigned takes;             /* enum ttp_takes */
    const char *const *formats; /* --format words, the default first, NULL at the end */
    const struct ttp_document_spec *const *documents; /* what it prints, NULL at the end; NULL:
                                                         nothing that is declared */
    enum ttp_operand operand;
    int min_operands, max_operands;     /* max -1: any number */
    const char *const *words;           /* TTP_OPERAND_WORD, _ACTION: the words, NULL at the end */
    bool words_optional;                /* TTP_OPERAND_ACTION: the first may be something else */
    const struct ttp_example *examples; /* ends with a NULL command */
    const char *exit_notes;             /* sentences on this command's exit status, or NULL */
    /* Does -o name a folder, for which the verb is responsible? NULL: never. */
    bool (*output_is_folder)(const void *opts);
    /* The part of its only document that --columns is about; NULL: its main part. */
    size_t (*columns_part)(const void *opts);
    int own_failure; /* exit status of every failure, where others are the command's; 0: by kind */
    bool hidden;     /* works, but is not listed */
    bool ranked;     /* one of several ranks of a job says which it is in its messages */
    bool keeps_bundles; /* a bundle is an operand of its own, not the run in it */
    /* Writes the result to ctx->out. On success *status (0 before) may become TTP_EXIT_FINDING or
     * TTP_EXIT_UNDECIDED. On failure *status may name an exit status that the returned code cannot
     * (TTP_EXIT_ENVIRONMENT, TTP_EXIT_TIMEOUT, TTP_EXIT_INTERNAL); left 0, the code decides. */
    ttp_code (*run)(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err);
};
#define TTP_CMD_OPTIONS(table, type)                                                               \
    .opt = (table), .nopt = TTP_COUNT(table), .opts_size = sizeof(type)

/* What a verb has besides, because it can replace another tool byte for byte. */
struct ttp_imitation {
    const struct ttp_cmd *cmd;
    const struct ttp_opt *opt; /* over the same struct, after its own */
    size_t nopt;
    const struct ttp_example *examples; /* ends with a NULL command; NULL: none */
    const char *exit_notes;             /* or NULL */
};
/* NULL: none. */
const struct ttp_imitation *ttp_imitation_of(const struct ttp_cmd *cmd);

/* Every verb, in the order of help; each is cmd_<name> in cli/verbs/cmd_<name>.c. One a line, so
 * that a new one moves none of the others. */
/* clang-format off */
#define TTP_COMMANDS(VERB) \
    VERB(record) \
    VERB(tracy) \
    VERB(export) \
    VERB(synth) \
    VERB(report) \
    VERB(ops) \
    VERB(info) \
    VERB(trace) \
    VERB(mesh) \
    VERB(merge) \
    VERB(bundle) \
    VERB(kernel) \
    VERB(annotate) \
    VERB(noc) \
    VERB(mem) \
    VERB(startup) \
    VERB(advise) \
    VERB(explain) \
    VERB(fit) \
    VERB(config) \
    VERB(tune) \
    VERB(skill) \
    VERB(diff) \
    VERB(bench) \
    VERB(pcc) \
    VERB(history) \
    VERB(doctor) \
    VERB(top) \
    VERB(selftest) \
    VERB(help) \
    VERB(version) \
    VERB(completion) \
    VERB(schema)
/* clang-format on */

#define DECLARE(name) extern const struct ttp_cmd cmd_##name;
TTP_COMMANDS(DECLARE)
#undef DECLARE

/* All commands in the order of help, NULL at the end. */
extern const struct ttp_cmd *const ttp_commands[];
/* Title of the group of verbs that begins with this one; NULL: it is inside one. */
const char *ttp_cmd_group(const struct ttp_cmd *cmd);
/* NULL: none of that name. */
const struct ttp_cmd *ttp_cmd_find(const char *name);
/* Names of those that are listed, NULL at the end. In the arena. */
const char **ttp_cmd_names(struct ttp_arena *arena);

/* Every option of a command, the common ones it takes last, with their choices filled in. In the
 * arena. */
const struct ttp_opt *ttp_cmd_options(size_t *count, const struct ttp_cmd *cmd,
                                      struct ttp_arena *arena);

/* --format words that every table has, the default first. */
#define TTP_TABLE_FORMATS "text", "csv", "md", "json", "html"
/* Of a verb that prints tables and nothing else. */
extern const char *const ttp_table_formats[];

/* From here on the result is for programs, byte for byte: names of others are not escaped. For the
 * formats of other tools only; see base/gate.h. */
void ttp_ctx_exact(const struct ttp_ctx *ctx);
/* One line on stderr for human readers: "tt-perf: VERB: warning: ...". Silent with --quiet. */
void ttp_ctx_warn(const struct ttp_ctx *ctx, const char *fmt, ...) TTP_PRINTF(2, 3);
/* The same without "warning: ". */
void ttp_ctx_say(const struct ttp_ctx *ctx, const char *fmt, ...) TTP_PRINTF(2, 3);
/* The same, only with --verbose. */
void ttp_ctx_note(const struct ttp_ctx *ctx, const char *fmt, ...) TTP_PRINTF(2, 3);

#endif

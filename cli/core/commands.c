/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the list of verbs, and the options they share. */
#include "core/cmd.h"

const struct ttp_cmd *const ttp_commands[] = {
#define ADDRESS(name) &cmd_##name,
    TTP_COMMANDS(ADDRESS)
#undef ADDRESS
        NULL,
};

/* What people want to do, and the verb that each group begins with. */
static const struct {
    const struct ttp_cmd *first;
    const char *title;
} groups[] = {
    {&cmd_record, "record a run"},      {&cmd_report, "look at a run"},
    {&cmd_kernel, "look into kernels"}, {&cmd_advise, "make it faster"},
    {&cmd_diff, "compare and keep"},    {&cmd_doctor, "look at the machine"},
    {&cmd_help, "about tt-perf"},
};

const char *ttp_cmd_group(const struct ttp_cmd *cmd)
{
    for (size_t i = 0; i < TTP_COUNT(groups); i++)
        if (groups[i].first == cmd)
            return groups[i].title;
    return NULL;
}

const struct ttp_cmd *ttp_cmd_find(const char *name)
{
    for (size_t i = 0; ttp_commands[i]; i++)
        if (strcmp(ttp_commands[i]->name, name) == 0)
            return ttp_commands[i];
    return NULL;
}

const char **ttp_cmd_names(struct ttp_arena *arena)
{
    const char **names = TTP_NEW(arena, const char *, TTP_COUNT(ttp_commands));
    size_t n = 0;

    for (size_t i = 0; ttp_commands[i]; i++)
        if (!ttp_commands[i]->hidden)
            names[n++] = ttp_commands[i]->name;
    return names;
}

static const char *const color_words[] = {"auto", "always", "never", NULL};

#define FIELD(f) offsetof(struct ttp_common_opts, f)

/* More threads than this is a typing mistake. */
#define THREADS_MAX 1024

const char *const ttp_table_formats[] = {TTP_TABLE_FORMATS, NULL};

static const struct {
    unsigned takes; /* 0: every command has it */
    struct ttp_opt opt;
} common[] = {
    {TTP_TAKES_TABLE,
     TTP_OPTION(STR, "where", FIELD(where),
                "show only rows that match, such as 'bound=DRAM and cores<10'; compare columns "
                "with = != < <= > >= ~ (contains) !~, combine with and, or, not and parentheses; "
                "quote text that contains blanks; a missing value never equals anything",
                .metavar = "EXPRESSION", .group = "rows and columns")},
    {TTP_TAKES_TABLE,
     TTP_OPTION(STR, "sort", FIELD(sort),
                "sort by this column: numbers descending, text ascending; append :asc or :desc to "
                "choose the direction",
                .metavar = "COLUMN")},
    {TTP_TAKES_TABLE,
     TTP_OPTION(INT, "top", FIELD(top),
                "show only the first N rows, after --where and --sort; 0 means all", .min = 0,
                .max = INT32_MAX, .metavar = "N")},
    {TTP_TAKES_TABLE,
     TTP_OPTION(STR, "columns", FIELD(columns),
                "show these columns in this order, separated by commas; 'help' lists them",
                .metavar = "LIST")},
    {TTP_TAKES_FORMAT,
     TTP_OPTION(CHOICE, "format", FIELD(format), "output format; the first is the default")},
    {TTP_TAKES_OUTPUT,
     TTP_OPTION(STR, "output", FIELD(output),
                "write the result to FILE, which is replaced only when complete; '-' is standard "
                "output",
                .letter = 'o', .metavar = "FILE")},
    {TTP_TAKES_COLOR,
     TTP_OPTION(CHOICE, "color", FIELD(color),
                "colour the text; auto colours on a terminal unless NO_COLOR is set or this is one "
                "of several ranks; --no-color means never",
                .choices = color_words)},
    {0, TTP_OPTION(FLAG, "no-color", FIELD(no_color), "as --color never", .hidden = true)},
    {TTP_TAKES_PAGER,
     TTP_OPTION(FLAG, "no-pager", FIELD(no_pager),
                "on a terminal, do not pipe the text into a pager ($TT_PERF_PAGER, then $PAGER, "
                "then less -FRX); one of several ranks never does")},
    {TTP_TAKES_THREADS, TTP_OPTION(INT, "threads", FIELD(threads),
                                   "use N threads; 0, the default, means one per processor",
                                   .letter = 'j', .metavar = "N", .max = THREADS_MAX)},
    {TTP_TAKES_BOARDS,
     TTP_OPTION(STR, "boards", FIELD(boards),
                "file of board figures that override the built-in ones (default $TT_PERF_BOARDS, "
                "then $XDG_CONFIG_HOME/tt-perf/boards.conf)",
                .metavar = "FILE")},
    {TTP_TAKES_LIMITS,
     TTP_OPTION(STR, "max-memory", FIELD(max_memory),
                "use at most SIZE of memory, such as 512M or 4G, or none for no limit (default "
                "$TT_PERF_MAX_MEMORY, then three quarters of the memory available)",
                .metavar = "SIZE")},
    {TTP_TAKES_LIMITS,
     TTP_OPTION(STR, "max-inflate", FIELD(max_inflate),
                "decompress at most SIZE of input (default $TT_PERF_MAX_INFLATE, then 200 times "
                "its size, at least 256 MiB)",
                .metavar = "SIZE")},
    {TTP_TAKES_LIMITS,
     TTP_OPTION(STR, "max-output", FIELD(max_output),
                "write at most SIZE (default $TT_PERF_MAX_OUTPUT, then 100 times the input size, "
                "at least 1 GiB)",
                .metavar = "SIZE")},
    {TTP_TAKES_TIME,
     TTP_OPTION(
         STR, "max-time", FIELD(max_time),
         "give up after TIME, such as 30 (seconds), 10m or 2h, or none for no limit (default "
         "$TT_PERF_MAX_TIME, then 1h)",
         .metavar = "TIME")},
    {TTP_TAKES_TALK, TTP_OPTION(FLAG, "verbose", FIELD(verbose),
                                "report progress on standard error", .letter = 'v')},
    {TTP_TAKES_TALK,
     TTP_OPTION(FLAG, "quiet", FIELD(quiet), "print no warnings and no progress on standard error",
                .letter = 'q')},
    {0, TTP_OPTION(FLAG, "help", FIELD(help), "show this help and exit", .letter = 'h')},
};

/* An option of a verb's own replaces the common one of that name. */
static bool has_own(const struct ttp_opt *own, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].name, name) == 0)
            return true;
    return false;
}

const struct ttp_opt *ttp_cmd_options(size_t *count, const struct ttp_cmd *cmd,
                                      struct ttp_arena *arena)
{
    size_t nown, n = 0;
    const struct ttp_imitation *other = ttp_imitation_of(cmd);
    const size_t nother = other ? other->nopt : 0;
    const struct ttp_opt *own = ttp_opts_expand(&nown, cmd->opt, cmd->nopt, arena);
    struct ttp_opt *all = TTP_NEW(arena, struct ttp_opt, nown + nother + TTP_COUNT(common));
    bool listed = cmd->takes & TTP_TAKES_TABLE; /* are there other options that are? */
    bool common_begun = false;

    for (; n < nown; n++) {
        all[n] = own[n];
        listed = listed || !all[n].hidden;
    }
    for (size_t i = 0; i < nother; i++)
        all[n++] = other->opt[i];
    nown = n;
    for (size_t i = 0; i < TTP_COUNT(common); i++) {
        if ((common[i].takes && !(common[i].takes & cmd->takes)) ||
            has_own(all, nown, common[i].opt.name))
            continue;
        all[n] = common[i].opt;
        if (common[i].takes == TTP_TAKES_FORMAT)
            all[n].choices = cmd->formats;
        if (!(common[i].takes & TTP_TAKES_TABLE) && !common[i].opt.hidden && !common_begun &&
            listed) {
            all[n].group = "common options";
            common_begun = true;
        }
        n++;
    }
    *count = n;
    return all;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_completion.c - completion scripts for three shells, written from the option tables. */
#include "core/cmd.h"
#include "core/embedded.h"

/* One verb as the shells see it. */
struct verb {
    const struct ttp_cmd *cmd;
    const struct ttp_opt *opt;
    size_t nopt;
    const char *const *words; /* operands that are words, NULL at the end; NULL: they are not */
};

struct shell {
    const char *name;
    void (*begin)(struct ttp_sink *out, const struct verb *verbs, size_t n);
    void (*verb)(struct ttp_sink *out, const struct verb *v);
    void (*end)(struct ttp_sink *out);
};

/* Verbs, and the one other thing there is help on. */
static const char *const *help_topics(struct ttp_arena *arena)
{
    const char **names = ttp_cmd_names(arena);
    size_t n = 0;

    while (names[n])
        n++;
    const char **words = TTP_NEW(arena, const char *, n + 2);
    memcpy(words, names, n * sizeof(*words));
    words[n] = "exit-codes";
    return words;
}

static const char *const *operand_words(const struct ttp_cmd *cmd, struct ttp_arena *arena)
{
    if (cmd->operand == TTP_OPERAND_VERB)
        return help_topics(arena);
    if (cmd->operand == TTP_OPERAND_SCHEMA)
        return ttp_schema_names(arena);
    if (cmd->operand == TTP_OPERAND_PAGE)
        return ttp_embedded_names(ttp_explain_pages, arena);
    return cmd->operand == TTP_OPERAND_WORD || cmd->operand == TTP_OPERAND_ACTION ? cmd->words
                                                                                  : NULL;
}

static bool listed(const struct ttp_opt *o)
{
    return !o->hidden && !o->alias_of;
}

/* "file", "dir" or "": what completes the value of an option that has no list of words. */
static const char *value_kind(const struct ttp_opt *o)
{
    if (o->metavar && strcmp(o->metavar, "FILE") == 0)
        return "file";
    return o->metavar && strcmp(o->metavar, "DIR") == 0 ? "dir" : "";
}

static void put_joined(struct ttp_sink *out, const char *const *words, const char *between)
{
    for (size_t i = 0; words[i]; i++)
        ttp_sink_printf(out, "%s%s", i ? between : "", words[i]);
}

static void put_words(struct ttp_sink *out, const char *const *words)
{
    put_joined(out, words, " ");
}

/* Text inside single quotes: `quote` replaces a single quote, '\' goes before any of `special`. */
static void put_quoted(struct ttp_sink *out, const char *text, const char *quote,
                       const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            ttp_sink_put(out, ttp_str_from(quote));
        else if (strchr(special, *text))
            ttp_sink_printf(out, "\\%c", *text);
        else
            ttp_sink_char(out, *text);
    }
}

/* bash */

static void bash_begin(struct ttp_sink *out, const struct verb *verbs, size_t n)
{
    ttp_sink_own(out, "# bash completion for tt-perf; made by 'tt-perf completion bash'\n"
                      "_tt_perf()\n"
                      "{\n"
                      "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
                      "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                      "    local opts= words= kind= word\n"
                      "    if [[ $cur == = ]]; then\n"
                      "        cur=\n"
                      "    elif [[ $prev == = ]]; then\n"
                      "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                      "    fi\n"
                      "    COMPREPLY=()\n"
                      "    if ((COMP_CWORD == 1)); then\n"
                      "        opts=\"--help --version\" words=\"");
    for (size_t i = 0; i < n; i++)
        ttp_sink_printf(out, "%s%s", i ? " " : "", verbs[i].cmd->name);
    ttp_sink_own(out, "\"\n"
                      "    fi\n"
                      "    case ${COMP_WORDS[1]},$((COMP_CWORD > 1)) in\n");
}

static void bash_value(struct ttp_sink *out, const struct ttp_opt *o)
{
    ttp_sink_put(out, TTP_STR("        "));
    if (o->letter)
        ttp_sink_printf(out, "-%c | ", o->letter);
    ttp_sink_printf(out, "--%s) opts= ", o->name);
    if (o->type == TTP_OPT_CHOICE) {
        ttp_sink_put(out, TTP_STR("kind= words=\""));
        put_words(out, o->choices);
        ttp_sink_own(out, "\" ;;\n");
    } else {
        ttp_sink_printf(out, "kind=%s words= ;;\n", value_kind(o));
    }
}

static void bash_verb(struct ttp_sink *out, const struct verb *v)
{
    ttp_sink_printf(out, "    %s,1)\n        opts=\"", v->cmd->name);
    for (size_t i = 0; i < v->nopt; i++)
        if (listed(&v->opt[i]))
            ttp_sink_printf(out, "--%s ", v->opt[i].name);
    out->len--; /* --help is always there */
    ttp_sink_own(out, "\"\n");
    if (v->words) {
        ttp_sink_put(out, TTP_STR("        words=\""));
        put_words(out, v->words);
        ttp_sink_own(out, "\"\n");
    }
    if (v->cmd->operand == TTP_OPERAND_ACTION) {
        ttp_sink_own(out, "        for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
                          "            case $word in ");
        put_joined(out, v->words, " | ");
        ttp_sink_own(out, ") words= kind=file ;; esac\n"
                          "        done\n");
    } else if (!v->words && v->cmd->operand != TTP_OPERAND_NONE) {
        ttp_sink_printf(out, "        kind=%s\n",
                        v->cmd->operand == TTP_OPERAND_DIR ? "dir" : "file");
    }
    ttp_sink_own(out, "        case $prev in\n");
    for (size_t i = 0; i < v->nopt; i++)
        if (listed(&v->opt[i]) && v->opt[i].type != TTP_OPT_FLAG)
            bash_value(out, &v->opt[i]);
    ttp_sink_own(out, "        esac ;;\n");
}

static void bash_end(struct ttp_sink *out)
{
    ttp_sink_own(out, "    esac\n"
                      "    if [[ $cur == -* && -n $opts ]]; then\n"
                      "        words=$opts kind=\n"
                      "    fi\n"
                      "    case $kind in\n"
                      "    file)\n"
                      "        compopt -o filenames 2>/dev/null\n"
                      "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
                      "    dir)\n"
                      "        compopt -o filenames 2>/dev/null\n"
                      "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
                      "    *)\n"
                      "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
                      "    esac\n"
                      "}\n"
                      "complete -F _tt_perf tt-perf\n");
}

/* zsh */

#define ZSH_QUOTE   "'\\''"
#define ZSH_SPECIAL "[]:\\"

static void zsh_begin(struct ttp_sink *out, const struct verb *verbs, size_t n)
{
    ttp_sink_own(out, "#compdef tt-perf\n"
                      "# zsh completion for tt-perf; made by 'tt-perf completion zsh'\n"
                      "_tt-perf() {\n"
                      "    local -a verbs\n"
                      "    verbs=(\n");
    for (size_t i = 0; i < n; i++) {
        ttp_sink_printf(out, "        '%s:", verbs[i].cmd->name);
        put_quoted(out, verbs[i].cmd->summary, ZSH_QUOTE, ZSH_SPECIAL);
        ttp_sink_own(out, "'\n");
    }
    ttp_sink_own(out, "    )\n"
                      "    if (( CURRENT == 2 )); then\n"
                      "        _arguments '(- 1)'{-h,--help}'[list the verbs]' \\\n"
                      "            '(- 1)--version[print the version]' \\\n"
                      "            '1:verb:{_describe -t verbs verb verbs}'\n"
                      "        return\n"
                      "    fi\n"
                      "    local verb=$words[2]\n"
                      "    shift words\n"
                      "    (( CURRENT-- ))\n"
                      "    case $verb in\n");
}

static void zsh_option(struct ttp_sink *out, const struct ttp_opt *o)
{
    const char *kind = value_kind(o);

    ttp_sink_put(out, TTP_STR("            "));
    if (o->type == TTP_OPT_LIST)
        ttp_sink_put(out, TTP_STR("'*'"));
    else if (o->letter)
        ttp_sink_printf(out, "'(-%c --%s)'", o->letter, o->name);
    const char *plus = o->type == TTP_OPT_FLAG ? "" : "+";
    const char *equals = o->type == TTP_OPT_FLAG ? "" : "=";
    if (o->letter)
        ttp_sink_printf(out, "{-%c%s,--%s%s}'[", o->letter, plus, o->name, equals);
    else
        ttp_sink_printf(out, "'--%s%s[", o->name, equals);
    put_quoted(out, o->help, ZSH_QUOTE, ZSH_SPECIAL);
    ttp_sink_char(out, ']');
    if (o->type == TTP_OPT_CHOICE) {
        ttp_sink_printf(out, ":%s:(", o->name);
        put_words(out, o->choices);
        ttp_sink_char(out, ')');
    } else if (o->type != TTP_OPT_FLAG) {
        ttp_sink_printf(out, ":%s:%s", o->name,
                        kind[0] == 'f'   ? "_files"
                        : kind[0] == 'd' ? "_path_files -/"
                                         : "");
    }
    ttp_sink_own(out, "' \\\n");
}

static void zsh_verb(struct ttp_sink *out, const struct verb *v)
{
    ttp_sink_printf(out, "    %s)\n        _arguments -s -S \\\n", v->cmd->name);
    for (size_t i = 0; i < v->nopt; i++)
        if (listed(&v->opt[i]))
            zsh_option(out, &v->opt[i]);
    if (v->words) {
        const bool action = v->cmd->operand == TTP_OPERAND_ACTION;

        ttp_sink_printf(out, "            '%s:word:(", action ? "1" : "*");
        put_words(out, v->words);
        ttp_sink_printf(out, ")'%s ;;\n", action ? " '*:input:_files'" : "");
    } else if (v->cmd->operand == TTP_OPERAND_NONE) {
        ttp_sink_own(out, "            ;;\n");
    } else {
        ttp_sink_printf(out, "            '*:input:%s' ;;\n",
                        v->cmd->operand == TTP_OPERAND_DIR ? "_path_files -/" : "_files");
    }
}

static void zsh_end(struct ttp_sink *out)
{
    ttp_sink_own(out, "    esac\n"
                      "}\n"
                      "if [[ $funcstack[1] == _tt-perf ]]; then\n"
                      "    _tt-perf \"$@\"\n"
                      "else\n"
                      "    compdef _tt-perf tt-perf\n"
                      "fi\n");
}

/* fish */

#define FISH_QUOTE   "\\'"
#define FISH_SPECIAL "\\"

static void fish_begin(struct ttp_sink *out, const struct verb *verbs, size_t n)
{
    ttp_sink_own(out, "# fish completion for tt-perf; made by 'tt-perf completion fish'\n"
                      "# true if the verb is the given one; without an argument: true if there "
                      "is no verb yet\n"
                      "function __tt_perf_verb\n"
                      "    set -l words (commandline -opc)\n"
                      "    test \"$words[2]\" = \"$argv\"\n"
                      "end\n"
                      "complete -c tt-perf -f\n"
                      "complete -c tt-perf -n __tt_perf_verb -l help -s h -d 'list the verbs'\n"
                      "complete -c tt-perf -n __tt_perf_verb -l version -d 'print the version'\n");
    for (size_t i = 0; i < n; i++) {
        ttp_sink_printf(out, "complete -c tt-perf -n __tt_perf_verb -a %s -d '",
                        verbs[i].cmd->name);
        put_quoted(out, verbs[i].cmd->summary, FISH_QUOTE, FISH_SPECIAL);
        ttp_sink_own(out, "'\n");
    }
}

static void fish_value(struct ttp_sink *out, const struct ttp_opt *o)
{
    const char *kind = value_kind(o);

    if (o->type == TTP_OPT_CHOICE) {
        ttp_sink_put(out, TTP_STR(" -x -a '"));
        put_words(out, o->choices);
        ttp_sink_char(out, '\'');
    } else if (kind[0] == 'f') {
        ttp_sink_put(out, TTP_STR(" -r -F"));
    } else if (kind[0] == 'd') {
        ttp_sink_put(out, TTP_STR(" -x -a '(__fish_complete_directories)'"));
    } else if (o->type != TTP_OPT_FLAG) {
        ttp_sink_put(out, TTP_STR(" -x"));
    }
}

#define FISH_OPERAND "complete -c tt-perf -n '__tt_perf_verb %s" /* the quote is still open */

static void fish_words(struct ttp_sink *out, const struct verb *v)
{
    const bool action = v->cmd->operand == TTP_OPERAND_ACTION;

    ttp_sink_printf(out, FISH_OPERAND, v->cmd->name);
    if (action) { /* files after it, the words before */
        ttp_sink_put(out, TTP_STR("; and __fish_seen_subcommand_from "));
        put_words(out, v->words);
        ttp_sink_printf(out, "' -F\n" FISH_OPERAND "; and not __fish_seen_subcommand_from ",
                        v->cmd->name);
        put_words(out, v->words);
    }
    ttp_sink_put(out, TTP_STR("' -a '"));
    put_words(out, v->words);
    ttp_sink_own(out, "'\n");
}

static void fish_verb(struct ttp_sink *out, const struct verb *v)
{
    for (size_t i = 0; i < v->nopt; i++) {
        const struct ttp_opt *o = &v->opt[i];

        if (!listed(o))
            continue;
        ttp_sink_printf(out, "complete -c tt-perf -n '__tt_perf_verb %s' -l %s", v->cmd->name,
                        o->name);
        if (o->letter)
            ttp_sink_printf(out, " -s %c", o->letter);
        fish_value(out, o);
        ttp_sink_put(out, TTP_STR(" -d '"));
        put_quoted(out, o->help, FISH_QUOTE, FISH_SPECIAL);
        ttp_sink_own(out, "'\n");
    }
    if (v->words)
        fish_words(out, v);
    else if (v->cmd->operand == TTP_OPERAND_DIR)
        ttp_sink_printf(out, FISH_OPERAND "' -a '(__fish_complete_directories)'\n", v->cmd->name);
    else if (v->cmd->operand != TTP_OPERAND_NONE)
        ttp_sink_printf(out, FISH_OPERAND "' -F\n", v->cmd->name);
}

static void fish_end(struct ttp_sink *out)
{
    (void)out;
}

static const struct shell shells[] = {
    {"bash", bash_begin, bash_verb, bash_end},
    {"zsh", zsh_begin, zsh_verb, zsh_end},
    {"fish", fish_begin, fish_verb, fish_end},
};
static const char *const shell_names[] = {"bash", "zsh", "fish", NULL};

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const int which = ttp_opts_choice(shell_names, ttp_str_from(operands->word[0]));
    const char **names = ttp_cmd_names(ctx->arena);
    size_t n = 0;

    (void)status, (void)options, (void)err;
    while (names[n])
        n++;
    struct verb *verbs = TTP_NEW(ctx->arena, struct verb, n);
    for (size_t i = 0; i < n; i++) {
        verbs[i].cmd = ttp_cmd_find(names[i]);
        verbs[i].opt = ttp_cmd_options(&verbs[i].nopt, verbs[i].cmd, ctx->arena);
        verbs[i].words = operand_words(verbs[i].cmd, ctx->arena);
    }
    shells[which].begin(ctx->out, verbs, n);
    for (size_t i = 0; i < n; i++)
        shells[which].verb(ctx->out, &verbs[i]);
    shells[which].end(ctx->out);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"source <(tt-perf completion bash)", "enable completion in this bash"},
    {"mkdir -p ~/.local/share/bash-completion/completions && tt-perf completion bash > "
     "~/.local/share/bash-completion/completions/tt-perf",
     "install for every new bash"},
    {"mkdir -p ~/.zfunc && tt-perf completion zsh > ~/.zfunc/_tt-perf",
     "the same for zsh, if ~/.zfunc is in fpath"},
    {"mkdir -p ~/.config/fish/completions && tt-perf completion fish > "
     "~/.config/fish/completions/tt-perf.fish",
     "the same for fish"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_completion = {
    .name = "completion",
    .args = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .description = "Prints a script that makes the shell complete verbs, options, option values "
                   "and files.",
    .opts_size = sizeof(struct ttp_common_opts),
    .takes = TTP_TAKES_OUTPUT,
    .operand = TTP_OPERAND_WORD,
    .min_operands = 1,
    .max_operands = 1,
    .words = shell_names,
    .examples = examples,
    .run = run,
};

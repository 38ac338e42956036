/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_info.c - `tt-perf info`: the files of a profiled run, without heavy processing. */
#include "base/file.h"
#include "base/gate.h"
#include "base/quantity.h"
#include "base/wrap.h"
#include "core/cmd.h"
#include "inspect/inspect.h"
#include "outputs/outputs.h"
#include "run/run.h"

enum { FACTS = 4, FACT_KEYS = 19, NAME_MAX_WIDTH = 48 }; /* columns */

struct info_opts {
    struct ttp_common_opts common;
    const char *rank;
};

#define FIELD(name) offsetof(struct info_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "rank", FIELD(rank),
               "files of rank N of a folder with several ranks (default the first)",
               .metavar = "N"),
};

/* Its name for the user: the file itself, or its usual name if it is missing. */
static const char *name_of(const struct ttp_inspect_file *f, bool alone)
{
    const char *slash = f->path ? strrchr(f->path, '/') : NULL;

    if (!f->path || f->kind == TTP_INSPECT_NOC_TRACES)
        return f->path && alone ? f->path : ttp_inspect_words(f->kind)->name;
    return alone || !slash ? f->path : slash + 1;
}

/* A label in a column of its own, then text that is wrapped next to it. */
static void put_row(const struct ttp_show *show, int indent, int label_width, const char *label,
                    const char *text)
{
    const size_t hang = (size_t)indent + (size_t)label_width + 2;
    const ttp_str shown = ttp_gate_text(show->arena, ttp_str_from(text));
    struct ttp_sink words;

    ttp_sink_repeat(show->out, ' ', (size_t)indent);
    ttp_sink_to_arena(&words, show->arena);
    for (const char *c = label; *c; c++)
        ttp_sink_char(&words, (char)(*c == '_' && indent == FACTS ? ' ' : *c));
    const size_t used = ttp_sink_columns(show->out, ttp_sink_text(&words));
    ttp_sink_put(show->out, ttp_sink_text(&words));
    ttp_sink_repeat(show->out, ' ',
                    2 + (used < (size_t)label_width ? (size_t)label_width - used : 0));
    ttp_put_wrapped(show->out, ttp_wrap_squeeze(shown, show->arena),
                    (struct ttp_wrap){(size_t)show->width, hang, hang});
}

static const char *number_text(uint64_t number, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_u64(&text, number);
    return ttp_arena_zstr(arena, ttp_sink_text(&text));
}

static void put_text_file(const struct ttp_show *show, const struct ttp_inspect_file *f,
                          int name_width, bool alone)
{
    struct ttp_sink what;

    ttp_sink_to_arena(&what, show->arena);
    ttp_sink_printf(&what, "%s, ", ttp_inspect_words(f->kind)->what);
    ttp_put_bytes(&what, (double)f->bytes);
    put_row(show, 0, name_width, name_of(f, alone),
            ttp_arena_zstr(show->arena, ttp_sink_text(&what)));
    for (size_t i = 0; i < f->nfacts; i++) {
        const struct ttp_inspect_fact *fact = &f->fact[i];

        if (fact->text && fact->text[0])
            put_row(show, FACTS, FACT_KEYS, fact->key, fact->text);
        else if (!fact->text && (fact->number || fact->always))
            put_row(show, FACTS, FACT_KEYS, fact->key, number_text(fact->number, show->arena));
    }
    if (f->fault)
        put_row(show, FACTS, FACT_KEYS, "cannot be read:", f->fault);
    if (f->damage)
        put_row(show, FACTS, FACT_KEYS, "damaged:", f->damage);
    if (f->cure)
        put_row(show, FACTS, FACT_KEYS, "hint:", f->cure);
    /* no verb reads what cannot be read */
    if (!f->fault && (alone || f->kind >= TTP_INSPECT_OF_RUN))
        put_row(show, FACTS, FACT_KEYS, "next", ttp_inspect_use(f->kind, f->path, show->arena));
}

/* Existing files, then missing ones and how to create them. */
static void put_text(const struct ttp_show *show, const struct ttp_inspect_file *file, size_t n)
{
    size_t width = 0, missing_width = 0, missing = 0; /* the names of existing ones may be long */

    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(name_of(&file[i], n == 1));

        missing += !file[i].path;
        width = len > width && len <= NAME_MAX_WIDTH ? len : width;
        if (!file[i].path && len <= NAME_MAX_WIDTH && len > missing_width)
            missing_width = len;
    }
    for (size_t i = 0; i < n; i++)
        if (file[i].path)
            put_text_file(show, &file[i], (int)width, n == 1);
    if (missing == n)
        ttp_sink_own(show->out, "no files of a profiled run found\n");
    if (missing)
        ttp_sink_own(show->out, "\nmissing, and how to create it:\n");
    for (size_t i = 0; i < n; i++)
        if (!file[i].path)
            put_row(show, 2, (int)missing_width, name_of(&file[i], false),
                    ttp_inspect_words(file[i].kind)->made_by);
}

/* --- for programs --- */

struct file_row {
    const char *kind, *path, *what, *use, *made_by, *fault, *damage, *cure;
    uint64_t bytes;
    ttp_str facts; /* JSON */
};

static ttp_str facts_json(const struct ttp_inspect_file *f, struct ttp_arena *arena)
{
    struct ttp_sink text;
    struct ttp_json_writer w = {.sink = &text};

    ttp_sink_to_arena(&text, arena);
    ttp_json_begin_object(&w);
    for (size_t i = 0; i < f->nfacts; i++) {
        ttp_json_put_key(&w, ttp_str_from(f->fact[i].key));
        if (f->fact[i].is_truth)
            ttp_json_put_bool(&w, f->fact[i].number);
        else if (f->fact[i].text)
            ttp_json_put_str(&w, ttp_str_from(f->fact[i].text));
        else
            ttp_json_put_u64(&w, f->fact[i].number);
    }
    ttp_json_end_object(&w);
    return ttp_sink_text(&text);
}

static void make_row(struct file_row *row, const struct ttp_inspect_file *f,
                     struct ttp_arena *arena)
{
    const struct ttp_inspect_words *words = ttp_inspect_words(f->kind);

    *row = (struct file_row){.kind = words->id,
                             .what = words->what,
                             .fault = f->fault,
                             .damage = f->damage,
                             .cure = f->cure};
    if (!f->path) {
        row->made_by = words->made_by;
        return;
    }
    row->path = f->path;
    row->bytes = f->bytes;
    row->use = f->fault ? NULL : ttp_inspect_use(f->kind, f->path, arena);
    row->facts = facts_json(f, arena);
}

#define FILE_FIGURE(member) TTP_FIGURE(struct file_row, member)
static const struct ttp_field file_fields[] = {
    TTP_WORDS_COLUMN("kind", "Kind", 0, FILE_FIGURE(kind)),
    TTP_WORDS_COLUMN("path", "Path", 0, FILE_FIGURE(path), .help = "null if the file is missing"),
    TTP_WORDS_COLUMN("what", "What", 1, FILE_FIGURE(what)),
    TTP_INT_COLUMN("size_bytes", "Size", "bytes", 1, FILE_FIGURE(bytes), .above_0 = true),
    TTP_WORDS("use", FILE_FIGURE(use), .help = "what to do with it; null if it cannot be read"),
    TTP_WORDS_COLUMN("made_by", "Made by", 2, FILE_FIGURE(made_by),
                     .help = "how to create it, if it is missing"),
    TTP_WORDS_COLUMN("error", "Fault", 1, FILE_FIGURE(fault), .help = "why it cannot be read"),
    TTP_WORDS_COLUMN("damage", "Damage", 1, FILE_FIGURE(damage),
                     .help = "what is wrong with a file that can be read"),
    TTP_WORDS("hint", FILE_FIGURE(cure), .help = "what to do about error or damage"),
    {.id = "facts",
     .type = TTP_JSON,
     FILE_FIGURE(facts),
     .help = "counts and versions, by kind of file; null if the file is missing"},
};
static const struct ttp_fields file_figures = {TTP_FIELDS(file_fields),
                                               .hint = "tt-perf info --columns help lists them"};
/* --- ranks --- */

struct rank_row {
    int64_t rank;
    bool missing;
    const char *host, *folder; /* NULL: unknown */
    const char *mesh;          /* id; NULL: unknown */
    bool device_log, host_log, report, coordinates;
    bool no_ops; /* neither a report nor what one is made of */
};

#define RANK_FIGURE(member) TTP_FIGURE(struct rank_row, member)
static const struct ttp_field rank_fields[] = {
    TTP_INT_COLUMN("rank", "Rank", "", 0, RANK_FIGURE(rank)),
    TTP_FLAG("missing", TTP_SHOWN("Missing"), .drop = 0, RANK_FIGURE(missing),
             .help = "no folder; known from the others"),
    TTP_FLAG("no_ops", .title = "No ops", RANK_FIGURE(no_ops),
             .help = "no report, and no logs to make one of: it counts as missing where ranks are "
                     "merged"),
    TTP_WORDS_COLUMN("host", "Host", 1, RANK_FIGURE(host)),
    TTP_WORDS_COLUMN("mesh_id", "Mesh", 2, RANK_FIGURE(mesh)),
    TTP_FLAG("device_log", TTP_SHOWN("Device log"), .drop = 1, RANK_FIGURE(device_log)),
    TTP_FLAG("host_log", TTP_SHOWN("Host log"), .drop = 1, RANK_FIGURE(host_log)),
    TTP_FLAG("report", TTP_SHOWN("Report"), .drop = 1, RANK_FIGURE(report)),
    TTP_FLAG("coordinates", TTP_SHOWN("Coordinates"), .drop = 2, RANK_FIGURE(coordinates),
             .help = "of its chips, from a mapping file"),
    TTP_WORDS_COLUMN("folder", "Folder", 1, RANK_FIGURE(folder)),
};
static const struct ttp_fields rank_figures = {TTP_FIELDS(rank_fields)};

static void describe_rank(struct rank_row *row, const struct ttp_run_rank *r,
                          struct ttp_arena *arena)
{
    struct ttp_log_paths paths = {0};
    const char *report;

    row->folder = r->dir;
    if (r->has_facts && r->facts.host.len)
        row->host = ttp_arena_zstr(arena, r->facts.host);
    if (r->has_facts && r->facts.mesh_id >= 0)
        row->mesh = number_text((uint64_t)r->facts.mesh_id, arena);
    row->coordinates = r->places > 0;
    row->report = ttp_run_find_csv(&report, r->dir, arena, NULL) == TTP_OK;
    if (ttp_logs_find(&paths, r->dir, arena, NULL) == TTP_OK) {
        row->device_log = paths.device || paths.cpp;
        row->host_log = paths.messages || paths.capture || paths.tracy;
    }
    row->no_ops = !row->report && (!row->device_log || !row->host_log);
}

/* Of every number up to the highest, or to what a rank.json says. */
static size_t list_ranks(struct rank_row **out, const struct ttp_run_ranks *ranks,
                         struct ttp_arena *arena)
{
    const int64_t highest = ranks->count ? ranks->rank[ranks->count - 1].rank + 1 : 0;
    const size_t n = (size_t)(ranks->size > highest ? ranks->size : highest);
    size_t next = 0;

    *out = TTP_NEW(arena, struct rank_row, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct rank_row *row = &(*out)[i];
        *row = (struct rank_row){.rank = (int64_t)i, .missing = true};
        if (next == ranks->count || ranks->rank[next].rank != row->rank)
            continue;
        row->missing = false;
        describe_rank(row, &ranks->rank[next++], arena);
    }
    return n;
}

enum { PART_RANKS, PART_FILES };
static const struct ttp_part_spec parts[] = {
    [PART_RANKS] = {.id = "ranks",
                    .title = "Ranks",
                    .fields = &rank_figures,
                    .optional = true,
                    .help = "of a folder with several; files are those of one of them"},
    [PART_FILES] = {.id = "files", .fields = &file_figures}};
static const struct ttp_document_spec document = {
    .schema = "tt-perf.info/2", .help = "Files of a run", TTP_PARTS(parts), .main = PART_FILES};

struct found {
    struct ttp_inspect_file file[TTP_INSPECT_KINDS];
    size_t n;
};

/* All that is known, or a table of the files that were chosen. */
static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct found *found = arg;
    const struct ttp_selection *s = &show->selection;

    if (part == PART_RANKS) {
        ttp_show_table(show, table);
        ttp_sink_own(show->out, "\n");
    } else if (show->form == TTP_FORM_MARKDOWN || show->columns || s->where || s->sort || s->top) {
        ttp_show_table(show, table);
    } else {
        put_text(show, found->file, found->n);
    }
}

/* Nothing that can be read is invalid input; damage is a finding. */
static int status_of(const struct ttp_inspect_file *file, size_t n)
{
    bool readable = false, damage = false;

    for (size_t i = 0; i < n; i++) {
        readable |= file[i].path && !file[i].fault;
        damage |= file[i].damage != NULL;
    }
    return !readable ? TTP_EXIT_INPUT : damage ? TTP_EXIT_FINDING : TTP_EXIT_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct info_opts *o = opts;
    const struct ttp_logs_options reading = {.threads = (unsigned)o->common.threads,
                                             .progress = !ctx->quiet};
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    struct ttp_run_choice choice = {.rank = o->rank};
    struct ttp_run_ranks ranks = {0};
    struct rank_row *rank_row = NULL;
    struct found found = {.n = 0};
    const struct ttp_page page = {.arg = &found, .body = put_body};
    struct ttp_document doc;

    if (ttp_file_is_dir(dir))
        TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){&dir, 1}, ctx->arena, err));
    const size_t nranks = list_ranks(&rank_row, &ranks, ctx->arena);
    for (size_t i = 0; i < nranks; i++)
        if (rank_row[i].no_ops)
            ttp_ctx_warn(ctx,
                         "rank %lld has no report, and no logs to make one of: verbs that merge "
                         "ranks count it as missing",
                         (long long)rank_row[i].rank);
    TTP_TRY(ttp_run_choose_process(&dir, &choice, ctx->arena, err));
    if (choice.note)
        ttp_ctx_say(ctx, "%s", choice.note);
    TTP_TRY(ttp_inspect_find(found.file, &found.n, dir, ctx->arena, err));
    ttp_inspect_files(found.file, found.n, &reading, ctx->arena);
    *status = status_of(found.file, found.n);
    struct file_row *row = TTP_NEW(ctx->arena, struct file_row, found.n);
    for (size_t i = 0; i < found.n; i++)
        make_row(&row[i], &found.file[i], ctx->arena);
    ttp_document_init(&doc, &document, ctx->arena);
    ttp_document_rows(&doc, PART_FILES, NULL, row, found.n);
    if (nranks)
        ttp_document_rows(&doc, PART_RANKS, NULL, rank_row, nranks);
    return ttp_show_document(&ctx->show, &doc, &page, err);
}

static const struct ttp_document_spec *const documents[] = {&document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf info", "the last run of tt-metal in this environment"},
    {"tt-perf info generated/profiler --format json", "a given run, for programs"},
    {"tt-perf info weights.safetensors", "identify a file and the verb that reads it"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_info = {
    .name = "info",
    .args = "[FILE|DIR]",
    .summary = "identify the files of a run, and list missing ones",
    .description =
        "Lists the files of a profiler artifacts folder, or inspects one file: its kind, size "
        "and version, how many rows, ops, devices, replays and iterations it contains, whether "
        "it is readable, and how to create missing files.\n\n"
        "A file can be any kind related to a run: logs and reports, NoC traces, .tracy files and "
        "captures, graph captures, logs with messages of failed allocations, tensors, tt-smi "
        "snapshots, documents, histories and timelines. It is "
        "identified by its name, or else by its first bytes, and the verb that reads it is "
        "named. The default is the folder that tt-metal would use.\n\n"
        "A folder with several ranks also gives a table of them, with the missing ones, and the "
        "files of one rank.",
    TTP_CMD_OPTIONS(options, struct info_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_TABLE | TTP_TAKES_OUTPUT | TTP_TAKES_TALK |
             TTP_TAKES_THREADS | TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 1,
    .examples = examples,
    .exit_notes =
        "1 if a file is truncated; 3 also if the file, or every file of the folder, cannot "
        "be read, or the folder has no file of a run.",
    .run = run,
};

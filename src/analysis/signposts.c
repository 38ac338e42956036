/* SPDX-License-Identifier: Apache-2.0 */
/* signposts.c - signposts as a tree of ranges.
 *
 * Models mark ranges in many ways: X_START and X_END, "x started" and "x finished", NAME and
 * NAME_END, start and stop, or the same name twice. All come down to a word that says which end it
 * is, and the rest of the name. */
#include "analysis/phases.h"
#include "base/sink.h"
#include "base/vec.h"

struct post {
    uint32_t row;
    size_t at;    /* its place among the rows of its host */
    ttp_sym base; /* the name without its start or end word */
    ttp_sym name;
    enum ttp_post_role role;
    uint32_t number; /* of posts that open a range of that name in this file */
    size_t closes;   /* place of the post that it closes; TTP_NPOS: none */
    bool closed;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word_char(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Words end at other characters, and at "aB". */
static bool next_word(ttp_str *rest, ttp_str *word)
{
    size_t from = 0, to;

    while (from < rest->len && !is_word_char(rest->ptr[from]))
        from++;
    for (to = from; to < rest->len && is_word_char(rest->ptr[to]); to++)
        if (to > from && rest->ptr[to] >= 'A' && rest->ptr[to] <= 'Z' && rest->ptr[to - 1] >= 'a' &&
            rest->ptr[to - 1] <= 'z')
            break;
    *word = ttp_str_slice(*rest, from, to);
    *rest = ttp_str_slice(*rest, to, rest->len);
    return word->len > 0;
}

static enum ttp_post_role role_of(ttp_str word)
{
    static const struct {
        const char *word;
        enum ttp_post_role role;
    } words[] = {
        {"start", TTP_POST_START},  {"started", TTP_POST_START}, {"begin", TTP_POST_START},
        {"end", TTP_POST_END},      {"ended", TTP_POST_END},     {"stop", TTP_POST_END},
        {"stopped", TTP_POST_END},  {"finish", TTP_POST_END},    {"finished", TTP_POST_END},
        {"complete", TTP_POST_END}, {"done", TTP_POST_END},      {"completed", TTP_POST_END},
    };

    for (size_t i = 0; i < TTP_COUNT(words); i++)
        if (ttp_str_eq_any_case(word, ttp_str_from(words[i].word)))
            return words[i].role;
    return TTP_POST_PLAIN;
}

enum ttp_post_role ttp_analysis_post_parse(ttp_str *base, ttp_str name, struct ttp_arena *arena)
{
    enum ttp_post_role role = TTP_POST_PLAIN;
    size_t which = 0, n = 0;
    ttp_str rest = name, word;
    struct ttp_sink out;

    while (next_word(&rest, &word)) { /* the last such word counts */
        const enum ttp_post_role r = role_of(word);
        if (r != TTP_POST_PLAIN) {
            role = r;
            which = n;
        }
        n++;
    }
    ttp_sink_to_arena(&out, arena);
    rest = name;
    for (size_t i = 0; next_word(&rest, &word); i++) {
        if (role != TTP_POST_PLAIN && i == which)
            continue;
        if (out.len)
            ttp_sink_char(&out, ' ');
        for (size_t c = 0; c < word.len; c++)
            ttp_sink_char(&out, ttp_char_lower(word.ptr[c]));
    }
    *base = ttp_sink_text(&out);
    return role;
}

static size_t list_posts(const struct ttp_stage *s, const struct ttp_host_rows *host,
                         struct ttp_symtab *names, struct post **out)
{
    size_t n = 0;

    *out = NULL;
    for (size_t i = 0; i < host->count; i++) {
        const uint32_t row = ttp_host_row(host, i);
        if (!ttp_stage_is_post(s, row))
            continue;
        const ttp_sym code = ttp_ops_sym(s->ops, TTP_OPS_CODE, row);
        ttp_str base;

        TTP_ROOM(s->arena, *out, n);
        struct post *p = &(*out)[n++];
        *p = (struct post){.row = row, .at = i, .name = code, .closes = TTP_NPOS};
        p->role = ttp_analysis_post_parse(&base, ttp_sym_name(&s->ops->syms, code), s->arena);
        p->base = ttp_sym_intern(names, base);
    }
    return n;
}

/* An end word without a beginning of that name, or the other way round, is part of the name. */
static void settle_roles(struct post *post, size_t count, const struct ttp_symtab *names,
                         struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    bool *begins = TTP_NEW(arena, bool, names->count), *ends = TTP_NEW(arena, bool, names->count);

    for (size_t i = 0; i < count; i++)
        if (post[i].role == TTP_POST_END)
            ends[post[i].base] = true;
        else
            begins[post[i].base] = true;
    for (size_t i = 0; i < count; i++) {
        const bool both = begins[post[i].base] && ends[post[i].base];
        if (!both)
            post[i].role = TTP_POST_PLAIN;
        else if (post[i].role == TTP_POST_PLAIN)
            post[i].role = TTP_POST_START;
    }
    ttp_arena_rewind(arena, mark);
}

/* Does the post close that open one? */
static bool closes(const struct post *post, const struct post *open)
{
    if (post->role == TTP_POST_END)
        return open->role == TTP_POST_START && open->base == post->base;
    return post->role == TTP_POST_PLAIN && open->role == TTP_POST_PLAIN && open->name == post->name;
}

/* Posts that close one another; what is open in between was never closed. */
static size_t pair_posts(struct post *post, size_t count, struct ttp_arena *arena, size_t bases)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    size_t *stack = TTP_NEW(arena, size_t, count);
    uint32_t *open = TTP_NEW(arena, uint32_t, bases); /* posts of each base on the stack */
    size_t depth = 0, pairs = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = open[post[i].base] ? depth : 0;

        while (at > 0 && !closes(&post[i], &post[stack[at - 1]]))
            at--;
        if (at == 0) {
            if (post[i].role != TTP_POST_END) {
                stack[depth++] = i;
                open[post[i].base]++;
            }
            continue;
        }
        while (depth >= at)
            open[post[stack[--depth]].base]--;
        post[i].closes = stack[depth];
        post[stack[depth]].closed = true;
        pairs++;
    }
    ttp_arena_rewind(arena, mark);
    return pairs;
}

struct tree {
    const struct ttp_stage *stage;
    struct ttp_ranges *ranges;
    uint32_t *range_of;
    uint32_t *number; /* by symbol of the table: ranges of that name so far of this host */
    uint32_t *newest; /* too: the newest range of that name of any first host, counted from 1 */
    const struct ttp_host_rows *host;
};

/* The range of that name and number that another host has; 0: none. */
static uint32_t find_twin(const struct tree *t, const struct post *open, uint32_t number)
{
    const struct ttp_range *item = t->ranges->item;
    uint32_t i = t->newest[open->name];

    while (i && item[i - 1].number > number)
        i = item[i - 1].before;
    return i && item[i - 1].number == number ? i : 0;
}

static uint32_t add_range(struct tree *t, const struct post *open, uint32_t parent)
{
    const uint32_t number = t->number[open->name]++, twin = find_twin(t, open, number);
    struct ttp_ranges *ranges = t->ranges;

    TTP_ROOM(t->stage->arena, ranges->item, ranges->count);
    const uint32_t index = (uint32_t)++ranges->count;
    struct ttp_range *range = &ranges->item[index - 1];
    *range = (struct ttp_range){
        .name = ttp_sym_name(&t->stage->ops->syms, open->name),
        .number = number,
        .first_row = open->row + 1,
        .has_rank = t->host->has_rank,
        .rank = t->host->rank,
        .first_of = twin ? twin : index,
    };
    if (twin) {
        range->next = ranges->item[twin - 1].next;
        ranges->item[twin - 1].next = index;
        return index;
    }
    range->before = t->newest[open->name];
    range->parent = parent;
    range->depth = parent ? ranges->item[parent - 1].depth + 1 : 0;
    t->newest[open->name] = index;
    return index;
}

/* The row behind the last one of the host. */
static uint32_t end_of(const struct ttp_host_rows *host)
{
    return ttp_host_row(host, host->count - 1) + 1;
}

/* The last post with ops after it, where no two posts are a pair: what follows is a range. */
static void add_tail(struct tree *t, const struct post *post, size_t count)
{
    size_t i = count, after = t->host->count;

    while (i > 0 && post[i - 1].at + 1 == after) /* nothing between it and the next one */
        after = post[--i].at;
    if (i == 0)
        return;
    const uint32_t index = add_range(t, &post[i - 1], 0);
    struct ttp_range *range = &t->ranges->item[index - 1];
    range->open = true;
    range->last_row = end_of(t->host);
    for (size_t k = post[i - 1].at + 1; k < t->host->count; k++)
        t->range_of[ttp_host_row(t->host, k)] = range->first_of;
}

static void add_pairs(struct tree *t, const struct post *post, size_t count)
{
    uint32_t *stack = TTP_NEW(t->stage->arena, uint32_t, count + 1); /* ranges, counted from 1 */
    size_t depth = 0, next = 0;
    uint32_t inner = 0;

    for (size_t k = post[0].at; k < t->host->count; k++) {
        const uint32_t r = ttp_host_row(t->host, k);
        t->range_of[r] = inner;
        if (next == count || r != post[next].row)
            continue;
        const struct post *p = &post[next++];
        if (p->closes != TTP_NPOS)
            t->ranges->item[stack[--depth] - 1].last_row = r;
        inner = depth ? t->ranges->item[stack[depth - 1] - 1].first_of : 0;
        t->range_of[r] = inner;
        if (p->closed) {
            stack[depth] = add_range(t, p, inner);
            inner = t->ranges->item[stack[depth++] - 1].first_of;
        }
    }
}

static void add_host(struct tree *t, const struct ttp_host_rows *host)
{
    const struct ttp_stage *s = t->stage;
    struct ttp_symtab names = {.arena = s->arena};
    struct post *post;
    const size_t count = list_posts(s, host, &names, &post);

    if (count == 0)
        return;
    t->ranges->posts += count;
    t->host = host;
    t->number = TTP_NEW(s->arena, uint32_t, s->ops->syms.count);
    settle_roles(post, count, &names, s->arena);
    if (pair_posts(post, count, s->arena, names.count))
        add_pairs(t, post, count);
    else
        add_tail(t, post, count);
}

void ttp_analysis_window_find_ranges(struct ttp_ranges *out, uint32_t **range_of,
                                     const struct ttp_stage *s)
{
    struct tree t = {.stage = s, .ranges = out};
    struct ttp_hosts hosts;

    *out = (struct ttp_ranges){0};
    *range_of = t.range_of = TTP_NEW(s->arena, uint32_t, s->ops->rows);
    t.newest = TTP_NEW(s->arena, uint32_t, s->ops->syms.count);
    ttp_analysis_list_hosts(&hosts, s);
    for (size_t h = 0; h < hosts.count; h++)
        add_host(&t, &hosts.host[h]);
}

bool ttp_analysis_range_within(const struct ttp_ranges *ranges, uint32_t inner, uint32_t outer)
{
    while (inner && inner != outer)
        inner = ranges->item[inner - 1].parent;
    return inner == outer;
}

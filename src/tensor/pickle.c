/* SPDX-License-Identifier: Apache-2.0 */
/* The pickle machine of protocols 2 to 5 (Python's pickletools describes it): a stack, a memo, and
 * a row of opcodes. Each opcode adds at most one node and takes its operands from the stack, so
 * memory is linear in the size of the input. */
#include "tensor/pickle.h"

#include "base/vec.h"
#include "tensor/tensor_readers.h"

#define NODES_MAX ((size_t)1 << 26)

struct machine {
    struct ttp_pickle *out;
    ttp_str bytes;
    size_t at;    /* of the next byte */
    size_t start; /* of the opcode */
    uint32_t *stack;
    size_t depth, stack_room;
    size_t *mark;
    size_t marks, mark_room;
    uint32_t *memo;
    size_t memo_count;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

static ttp_code bad(struct machine *m, const char *what)
{
    ttp_fail_at(m->err, TTP_EPARSE, m->start, "pickle: %s", what);
    return TTP_EPARSE;
}

static void push(struct machine *m, uint32_t node)
{
    *TTP_PUSH_WITHIN(m->arena, m->stack, m->depth, m->stack_room) = node;
}

static struct ttp_pickle_node *add(struct machine *m, enum ttp_pickle_kind kind)
{
    struct ttp_pickle *p = m->out;

    TTP_ROOM(m->arena, p->node, p->count);
    p->node[p->count] = (struct ttp_pickle_node){.kind = kind};
    return &p->node[p->count++];
}

static struct ttp_pickle_node *push_new(struct machine *m, enum ttp_pickle_kind kind)
{
    struct ttp_pickle_node *n = add(m, kind);

    push(m, (uint32_t)(m->out->count - 1));
    return n;
}

/* The first place on the stack that belongs to what is open: a mark may not be popped as a value.
 */
static size_t floor_of(const struct machine *m)
{
    return m->marks ? m->mark[m->marks - 1] : 0;
}

static ttp_code pop(struct machine *m, uint32_t *node)
{
    if (m->depth <= floor_of(m))
        return bad(m, "its stack is empty");
    *node = m->stack[--m->depth];
    return TTP_OK;
}

static ttp_code pop_mark(struct machine *m, size_t *from)
{
    if (m->marks == 0)
        return bad(m, "no mark");
    *from = m->mark[--m->marks];
    return TTP_OK;
}

static ttp_code take(struct machine *m, uint64_t len, ttp_str *out)
{
    if (len > m->bytes.len - m->at)
        return bad(m, "it ends too early");
    *out = (ttp_str){m->bytes.ptr + m->at, len};
    m->at += len;
    return TTP_OK;
}

/* A little-endian number of 1, 2, 4 or 8 bytes. */
static ttp_code take_number(struct machine *m, unsigned len, uint64_t *out)
{
    ttp_str b = {0};

    *out = 0;
    TTP_TRY(take(m, len, &b));
    for (unsigned i = 0; i < len; i++)
        *out |= (uint64_t)(unsigned char)b.ptr[i] << (8 * i);
    return TTP_OK;
}

static ttp_code take_line(struct machine *m, ttp_str *out)
{
    const ttp_str rest = ttp_str_slice(m->bytes, m->at, m->bytes.len);
    const size_t end = ttp_str_find_char(rest, '\n');

    if (end == TTP_NPOS)
        return bad(m, "it ends too early");
    *out = ttp_str_slice(rest, 0, end);
    m->at += end + 1;
    return TTP_OK;
}

static void add_item(struct machine *m, struct ttp_pickle_node *n, uint32_t item)
{
    *TTP_PUSH(m->arena, n->item, n->count) = item;
}

/* Everything above `from` becomes one node. */
static void collect(struct machine *m, enum ttp_pickle_kind kind, size_t from)
{
    struct ttp_pickle_node *n = add(m, kind);

    for (size_t i = from; i < m->depth; i++)
        add_item(m, n, m->stack[i]);
    m->depth = from;
    push(m, (uint32_t)(m->out->count - 1));
}

static ttp_code collect_marked(struct machine *m, enum ttp_pickle_kind kind)
{
    size_t from = 0;

    TTP_TRY(pop_mark(m, &from));
    if (kind == TTP_PICKLE_DICT && (m->depth - from) % 2)
        return bad(m, "a key without a value");
    collect(m, kind, from);
    return TTP_OK;
}

static ttp_code collect_last(struct machine *m, enum ttp_pickle_kind kind, size_t count)
{
    if (m->depth - floor_of(m) < count)
        return bad(m, "its stack is empty");
    collect(m, kind, m->depth - count);
    return TTP_OK;
}

/* Add what is above `from` to the container below it. */
static ttp_code extend(struct machine *m, size_t from, bool pairs)
{
    if (from == floor_of(m))
        return bad(m, "nothing to add to");
    struct ttp_pickle_node *n = &m->out->node[m->stack[from - 1]];
    const bool dict = n->kind == TTP_PICKLE_DICT || n->kind == TTP_PICKLE_OBJECT;

    if (pairs ? !dict || (m->depth - from) % 2
              : n->kind != TTP_PICKLE_LIST && n->kind != TTP_PICKLE_OBJECT)
        return bad(m, "an item is added to something that is not a container");
    if (pairs || n->kind == TTP_PICKLE_LIST)
        for (size_t i = from; i < m->depth; i++)
            add_item(m, n, m->stack[i]);
    m->depth = from;
    return TTP_OK;
}

static ttp_code extend_last(struct machine *m, size_t count, bool pairs)
{
    if (m->depth - floor_of(m) < count)
        return bad(m, "its stack is empty");
    return extend(m, m->depth - count, pairs);
}

static ttp_code extend_marked(struct machine *m, bool pairs)
{
    size_t from = 0;

    TTP_TRY(pop_mark(m, &from));
    return extend(m, from, pairs);
}

/* Names that no tensor needs and every attack does. Not the protection, which is that nothing is
 * ever called: a reason to tell the user. */
static bool is_hostile(ttp_str module, ttp_str name)
{
    static const char *const modules[] = {"os",     "posix", "nt",     "subprocess", "sys",
                                          "socket", "pty",   "shutil", "runpy",      "importlib",
                                          "ctypes", "code",  "pdb",    "webbrowser"};
    static const char *const functions[] = {"eval",    "exec",  "compile",    "open",  "getattr",
                                            "setattr", "input", "__import__", "apply", "execfile"};
    const size_t dot = ttp_str_find_char(module, '.');
    const ttp_str top = ttp_str_slice(module, 0, dot == TTP_NPOS ? module.len : dot);

    for (size_t i = 0; i < TTP_COUNT(modules); i++)
        if (ttp_str_eq(top, ttp_str_from(modules[i])))
            return true;
    if (!ttp_str_eq(top, TTP_STR("builtins")) && !ttp_str_eq(top, TTP_STR("__builtin__")))
        return false;
    for (size_t i = 0; i < TTP_COUNT(functions); i++)
        if (ttp_str_eq(name, ttp_str_from(functions[i])))
            return true;
    return false;
}

static ttp_code push_global(struct machine *m, ttp_str module, ttp_str name)
{
    if (is_hostile(module, name)) {
        ttp_fail_at(m->err, TTP_EPARSE, m->start, "pickle: it would make Python use '%.*s.%.*s'",
                    TTP_FMT(ttp_str_slice(module, 0, 60)), TTP_FMT(ttp_str_slice(name, 0, 60)));
        ttp_err_hint(m->err, "nothing was run; do not load this file with torch.load either");
        return TTP_EPARSE;
    }
    struct ttp_pickle_node *n = push_new(m, TTP_PICKLE_GLOBAL);
    n->module = module;
    n->text = name;
    return TTP_OK;
}

static ttp_code stack_global(struct machine *m)
{
    uint32_t name = 0, module = 0;

    TTP_TRY(pop(m, &name));
    TTP_TRY(pop(m, &module));
    const struct ttp_pickle_node *node = m->out->node;
    if (node[name].kind != TTP_PICKLE_STRING || node[module].kind != TTP_PICKLE_STRING)
        return bad(m, "a name that is not text");
    return push_global(m, node[module].text, node[name].text);
}

static ttp_code read_global(struct machine *m)
{
    ttp_str module = {0}, name = {0};

    TTP_TRY(take_line(m, &module));
    TTP_TRY(take_line(m, &name));
    return push_global(m, module, name);
}

static ttp_code reduce(struct machine *m)
{
    uint32_t args = 0, callable = 0;

    TTP_TRY(pop(m, &args));
    TTP_TRY(pop(m, &callable));
    struct ttp_pickle_node *n = push_new(m, TTP_PICKLE_OBJECT);
    n->callable = callable;
    n->args = args;
    return TTP_OK;
}

static ttp_code build(struct machine *m)
{
    uint32_t state = 0;

    TTP_TRY(pop(m, &state));
    if (m->depth <= floor_of(m))
        return bad(m, "its stack is empty");
    struct ttp_pickle_node *n = &m->out->node[m->stack[m->depth - 1]];
    if (n->kind == TTP_PICKLE_OBJECT)
        n->state = state;
    return TTP_OK;
}

static ttp_code put_memo(struct machine *m, uint64_t index)
{
    if (m->depth <= floor_of(m))
        return bad(m, "its stack is empty");
    if (index > m->bytes.len) /* every entry takes at least an opcode */
        return bad(m, "a memo number is too large");
    while (m->memo_count <= index) {
        TTP_ROOM(m->arena, m->memo, m->memo_count);
        m->memo[m->memo_count++] = UINT32_MAX;
    }
    m->memo[index] = m->stack[m->depth - 1];
    return TTP_OK;
}

static ttp_code get_memo(struct machine *m, uint64_t index)
{
    if (!m->memo || index >= m->memo_count || m->memo[index] == UINT32_MAX)
        return bad(m, "it refers to an unknown memo number");
    push(m, m->memo[index]);
    return TTP_OK;
}

static void push_int(struct machine *m, int64_t v)
{
    push_new(m, TTP_PICKLE_INT)->number = v;
}

/* Two's complement, little endian, of any length. */
static ttp_code read_long(struct machine *m, uint64_t len)
{
    ttp_str b = {0};
    uint64_t v = 0;

    TTP_TRY(take(m, len, &b));
    if (len > 8) {
        push_new(m, TTP_PICKLE_INT)->text = TTP_STR("big");
        return TTP_OK;
    }
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)(unsigned char)b.ptr[i] << (8 * i);
    if (len && len < 8 && (unsigned char)b.ptr[len - 1] & 0x80)
        v |= UINT64_MAX << (8 * len);
    push_int(m, (int64_t)v);
    return TTP_OK;
}

static ttp_code push_text(struct machine *m, uint64_t len)
{
    ttp_str text;

    TTP_TRY(take(m, len, &text));
    push_new(m, TTP_PICKLE_STRING)->text = text;
    return TTP_OK;
}

/* --- opcodes: those with a number after them, then the rest --- */

enum what { TEXT, LONG, UNSIGNED, SIGNED32, MEMO_PUT, MEMO_GET, SKIP };

static const struct numbered {
    unsigned char op;
    unsigned char len; /* bytes of the number */
    enum what what;
} numbered[] = {
    {'X', 4, TEXT},     {0x8c, 1, TEXT},    {0x8d, 8, TEXT},    {'U', 1, TEXT},
    {'T', 4, TEXT},     {'C', 1, TEXT},     {'B', 4, TEXT},     {0x8e, 8, TEXT},
    {0x96, 8, TEXT},    {0x8a, 1, LONG},    {0x8b, 4, LONG},    {'K', 1, UNSIGNED},
    {'M', 2, UNSIGNED}, {'J', 4, SIGNED32}, {'q', 1, MEMO_PUT}, {'r', 4, MEMO_PUT},
    {'h', 1, MEMO_GET}, {'j', 4, MEMO_GET}, {0x80, 1, SKIP},    {0x95, 8, SKIP},
};

static ttp_code run_numbered(struct machine *m, const struct numbered *o)
{
    uint64_t v;

    TTP_TRY(take_number(m, o->len, &v));
    switch (o->what) {
    case TEXT:
        return push_text(m, v);
    case LONG:
        return read_long(m, v);
    case MEMO_PUT:
        return put_memo(m, v);
    case MEMO_GET:
        return get_memo(m, v);
    case UNSIGNED:
        push_int(m, (int64_t)v);
        return TTP_OK;
    case SIGNED32:
        push_int(m, (int32_t)(uint32_t)v);
        return TTP_OK;
    case SKIP: /* protocol and frames: nothing depends on them here */
        return TTP_OK;
    }
    return TTP_OK;
}

static void set_mark(struct machine *m)
{
    TTP_RESERVE(m->arena, m->mark, m->marks + 1, m->mark_room);
    m->mark[m->marks++] = m->depth;
}

static ttp_code drop(struct machine *m, bool to_mark)
{
    uint32_t ignored;
    size_t from = 0;

    if (!to_mark && m->depth > floor_of(m))
        return pop(m, &ignored);
    TTP_TRY(pop_mark(m, &from)); /* POP on a mark takes the mark, as Python does */
    m->depth = from;
    return TTP_OK;
}

static ttp_code duplicate(struct machine *m)
{
    if (m->depth <= floor_of(m))
        return bad(m, "its stack is empty");
    push(m, m->stack[m->depth - 1]);
    return TTP_OK;
}

static ttp_code read_float(struct machine *m)
{
    ttp_str ignored;

    TTP_TRY(take(m, 8, &ignored));
    push_new(m, TTP_PICKLE_FLOAT);
    return TTP_OK;
}

static ttp_code new_object_ex(struct machine *m)
{
    uint32_t keywords;

    TTP_TRY(pop(m, &keywords));
    return reduce(m);
}

static ttp_code unknown(struct machine *m, unsigned char op)
{
    return ttp_fail_at(m->err, TTP_EPARSE, m->start,
                       "pickle: unexpected opcode 0x%02x for a tensor file", op);
}

static ttp_code run_container(struct machine *m, unsigned char op)
{
    switch (op) {
    case ')':
        return collect_last(m, TTP_PICKLE_TUPLE, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return collect_last(m, TTP_PICKLE_TUPLE, (size_t)op - 0x84);
    case 't':
        return collect_marked(m, TTP_PICKLE_TUPLE);
    case ']':
    case 0x8f:
        return collect_last(m, TTP_PICKLE_LIST, 0);
    case 'l':
    case 0x91:
        return collect_marked(m, TTP_PICKLE_LIST);
    case '}':
        return collect_last(m, TTP_PICKLE_DICT, 0);
    case 'd':
        return collect_marked(m, TTP_PICKLE_DICT);
    case 'a':
        return extend_last(m, 1, false);
    case 'e':
    case 0x90:
        return extend_marked(m, false);
    case 's':
        return extend_last(m, 2, true);
    case 'u':
        return extend_marked(m, true);
    case 'Q':
        return collect_last(m, TTP_PICKLE_PERSISTENT, 1);
    default:
        return unknown(m, op);
    }
}

static ttp_code run_plain(struct machine *m, unsigned char op)
{
    switch (op) {
    case 'N':
        push(m, 0);
        return TTP_OK;
    case 0x88:
    case 0x89:
        push_new(m, TTP_PICKLE_BOOL)->number = op == 0x88;
        return TTP_OK;
    case 'G':
        return read_float(m);
    case '(':
        set_mark(m);
        return TTP_OK;
    case '0':
    case '1':
        return drop(m, op == '1');
    case '2':
        return duplicate(m);
    case 'c':
        return read_global(m);
    case 0x93:
        return stack_global(m);
    case 'R':
    case 0x81: /* NEWOBJ */
        return reduce(m);
    case 0x92:
        return new_object_ex(m);
    case 'b':
        return build(m);
    case 0x94:
        return put_memo(m, m->memo_count);
    default:
        return run_container(m, op);
    }
}

static ttp_code run_one(struct machine *m, unsigned char op)
{
    for (size_t i = 0; i < TTP_COUNT(numbered); i++)
        if (numbered[i].op == op)
            return run_numbered(m, &numbered[i]);
    return run_plain(m, op);
}

ttp_code ttp_tensor_pickle_read(struct ttp_pickle *out, ttp_str bytes, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct machine m = {.out = out, .bytes = bytes, .arena = arena, .err = err};

    *out = (struct ttp_pickle){0};
    (void)add(&m, TTP_PICKLE_NONE);
    for (;;) {
        m.start = m.at;
        if (m.at == bytes.len)
            return bad(&m, "it ends too early");
        if (out->count >= NODES_MAX)
            return ttp_fail_at(err, TTP_ELIMIT, m.at, "pickle: too many objects");
        const unsigned char op = (unsigned char)bytes.ptr[m.at++];
        if (op == '.')
            return pop(&m, &out->root);
        TTP_TRY(run_one(&m, op));
    }
}

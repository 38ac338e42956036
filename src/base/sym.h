/* SPDX-License-Identifier: Apache-2.0 */
/* sym.h - interned names: equal text, equal number. One thread per table at a time. */
#ifndef TTP_BASE_SYM_H
#define TTP_BASE_SYM_H

#include "base/arena.h"

typedef uint32_t ttp_sym;

struct ttp_symtab {
    struct ttp_arena *arena; /* set by the caller; names and slots live there */
    ttp_str *name;
    uint32_t *hash;
    uint32_t *slot; /* open addressing, 0 = empty, else sym + 1 */
    uint32_t count, cap, nslots;
};

/* The number of s, added (and copied) if it is new. Numbers count from 0 in order of arrival. */
ttp_sym ttp_sym_intern(struct ttp_symtab *t, ttp_str s);
/* The same without a copy: s lives at least as long as the table. */
ttp_sym ttp_sym_intern_borrowed(struct ttp_symtab *t, ttp_str s);
/* The number of s if it is known. */
bool ttp_sym_find(const struct ttp_symtab *t, ttp_str s, ttp_sym *out);
static inline ttp_str ttp_sym_name(const struct ttp_symtab *t, ttp_sym s)
{
    return t->name[s];
}

/* Intern every name of `from` in order; map[s] is the number in `into`. map has from->count
 * entries. */
void ttp_sym_merge(struct ttp_symtab *into, const struct ttp_symtab *from, ttp_sym *map);

#endif

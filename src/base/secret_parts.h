/* SPDX-License-Identifier: Apache-2.0 */
/* secret_parts.h - how secrets are recognised. Private to secrets. */
#ifndef TTP_BASE_SECRET_PARTS_H
#define TTP_BASE_SECRET_PARTS_H

#include "base/str.h"

enum ttp_secret_name {
    TTP_SECRET_NEVER,
    TTP_SECRET_RANDOM, /* "key": if the value looks drawn at random */
    TTP_SECRET_WORD,   /* "token": unless it is a number or a path */
    TTP_SECRET_ALWAYS, /* "password" */
};
enum ttp_secret_name ttp_secret_name(ttp_str name);
/* Is this the secret that a name of that kind has? */
bool ttp_secret_value(enum ttp_secret_name name, ttp_str v);
/* How many bytes at the beginning have the form of a key; 0: none. */
size_t ttp_secret_form(ttp_str s);

#endif

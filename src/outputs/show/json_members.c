/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/json_members.h"

void ttp_member_f64(struct ttp_json_writer *w, const char *key, double v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_f64(w, v);
}

void ttp_member_u64(struct ttp_json_writer *w, const char *key, uint64_t v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_u64(w, v);
}

void ttp_member_bool(struct ttp_json_writer *w, const char *key, bool v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_bool(w, v);
}

void ttp_member_str(struct ttp_json_writer *w, const char *key, ttp_str v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, v);
}

void ttp_member_str_or_null(struct ttp_json_writer *w, const char *key, ttp_str v)
{
    if (v.len)
        ttp_member_str(w, key, v);
    else
        ttp_member_null(w, key);
}

void ttp_member_null(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_null(w);
}

void ttp_member_i64(struct ttp_json_writer *w, const char *key, int64_t v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_i64(w, v);
}

void ttp_member_object(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_object(w);
}

void ttp_member_array(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
}

void ttp_member_text(struct ttp_json_writer *w, const char *key, const char *v)
{
    ttp_member_str(w, key, ttp_str_from(v));
}

void ttp_member_key(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
}

void ttp_member_known(struct ttp_json_writer *w, const char *key, bool known, double v)
{
    if (known)
        ttp_member_f64(w, key, v);
    else
        ttp_member_null(w, key);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/trace/trace_run.h"

#include "base/vec.h"

/* "3", "3-5", "3-", "-5" or "*". */
static bool parse_range(struct ttp_trace_range *out, ttp_str text)
{
    const ttp_str t = ttp_str_trim(text);
    const size_t dash = ttp_str_find_char(t, '-');
    uint64_t from = 0, to = INT64_MAX;

    *out = (struct ttp_trace_range){0, INT64_MAX};
    if (ttp_str_eq(t, TTP_STR("*")))
        return true;
    if (dash == TTP_NPOS) {
        if (!ttp_str_to_u64(t, &from) || from > INT64_MAX)
            return false;
        *out = (struct ttp_trace_range){(int64_t)from, (int64_t)from};
        return true;
    }
    const ttp_str low = ttp_str_trim(ttp_str_slice(t, 0, dash));
    const ttp_str high = ttp_str_trim(ttp_str_slice(t, dash + 1, t.len));
    if ((low.len == 0 && high.len == 0) || (low.len && !ttp_str_to_u64(low, &from)) ||
        (high.len && !ttp_str_to_u64(high, &to)) || from > to || to > INT64_MAX)
        return false;
    *out = (struct ttp_trace_range){(int64_t)from, (int64_t)to};
    return true;
}

/* The next part of a list with ',' between parts; false after the last. */
static bool next_part(ttp_str *rest, ttp_str *part)
{
    if (!rest->ptr)
        return false;
    const size_t comma = ttp_str_find_char(*rest, ',');
    *part = ttp_str_trim(ttp_str_slice(*rest, 0, comma));
    *rest = comma == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(*rest, comma + 1, rest->len);
    return true;
}

ttp_code ttp_out_trace_parse_devices(struct ttp_trace_filter *filter, const char *text,
                                     struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str rest = ttp_str_from(text), part;

    while (next_part(&rest, &part)) {
        if (!parse_range(TTP_PUSH(arena, filter->device, filter->ndevices), part)) {
            ttp_fail(err, TTP_EUSAGE, "invalid list of devices '%s'", text);
            ttp_err_hint(err, "for example '0', '0,2' or '0-3'");
            return TTP_EUSAGE;
        }
    }
    return TTP_OK;
}

ttp_code ttp_out_trace_parse_core(struct ttp_trace_filter *filter, const char *text,
                                  struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str part[2];

    struct ttp_trace_core_range *core = TTP_PUSH(arena, filter->core, filter->ncores);
    if (ttp_str_split(ttp_str_from(text), ',', part, 2) == 2 && parse_range(&core->x, part[0]) &&
        parse_range(&core->y, part[1]))
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "invalid core '%s'", text);
    ttp_err_hint(err, "use X,Y as in the log, such as '1,2', '1-4,2' or '*,2'");
    return TTP_EUSAGE;
}

void ttp_out_trace_parse_zones(struct ttp_trace_filter *filter, const char *text,
                               struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(text), part;

    while (next_part(&rest, &part)) {
        if (part.len == 0)
            continue;
        *TTP_PUSH(arena, filter->zone, filter->nzones) = part;
    }
}

ttp_code ttp_out_trace_parse_ops(struct ttp_trace_filter *filter, const char *text,
                                 struct ttp_err *err)
{
    filter->has_ops = true;
    if (parse_range(&filter->ops, ttp_str_from(text)))
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "invalid range of ops '%s'", text);
    ttp_err_hint(err, "use IDs of 'tt-perf report', such as '12-40', '12-' or '-40'");
    return TTP_EUSAGE;
}

static bool in_range(const struct ttp_trace_range *r, int64_t v)
{
    return v >= r->from && v <= r->to;
}

bool ttp_out_trace_wants_device(const struct ttp_trace_filter *filter, int64_t device)
{
    for (size_t i = 0; i < filter->ndevices; i++)
        if (in_range(&filter->device[i], device))
            return true;
    return filter->ndevices == 0;
}

bool ttp_out_trace_wants_core(const struct ttp_trace_filter *filter, int32_t x, int32_t y)
{
    for (size_t i = 0; i < filter->ncores; i++)
        if (in_range(&filter->core[i].x, x) && in_range(&filter->core[i].y, y))
            return true;
    return filter->ncores == 0;
}

/* '*' is any text, '?' one byte. The last '*' is where to continue from when the rest does not fit.
 */
static bool fits(ttp_str text, ttp_str pattern)
{
    size_t t = 0, p = 0, star = TTP_NPOS, from = 0;

    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.len && (pattern.ptr[p] == '?' || pattern.ptr[p] == text.ptr[t])) {
            p++;
            t++;
        } else if (star != TTP_NPOS) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}

bool ttp_out_trace_wants_zone(const struct ttp_trace_filter *filter, ttp_str name)
{
    for (size_t i = 0; i < filter->nzones; i++)
        if (fits(name, filter->zone[i]))
            return true;
    return filter->nzones == 0;
}

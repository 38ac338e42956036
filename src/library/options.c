/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the interface of the library: errors out, options in. */
#include "base/version.h"
#include "compat/compat.h"
#include "library/handles.h"

_Static_assert((int)TTPERF_EIO == TTP_EIO && (int)TTPERF_EPARSE == TTP_EPARSE &&
                   (int)TTPERF_ELIMIT == TTP_ELIMIT && (int)TTPERF_ENOTFOUND == TTP_ENOTFOUND &&
                   (int)TTPERF_EUSAGE == TTP_EUSAGE && (int)TTPERF_EMISSING == TTP_EMISSING &&
                   (int)TTPERF_ENOMEM == TTP_ENOMEM,
               "codes cross the border as they are");

const char *ttperf_version(void)
{
    return ttp_version;
}

static void copy_text(char *out, size_t room, const char *text)
{
    const size_t len = strlen(text), n = len < room ? len : room - 1;

    memcpy(out, text, n);
    out[n] = '\0';
}

enum ttperf_code ttp_library_fail(struct ttperf_error *out, const struct ttp_err *err)
{
    if (out) {
        out->code = (enum ttperf_code)err->code;
        out->line = err->line;
        copy_text(out->message, sizeof(out->message), err->text);
        copy_text(out->hint, sizeof(out->hint), err->hint);
        copy_text(out->path, sizeof(out->path), err->path);
    }
    return (enum ttperf_code)err->code;
}

enum ttperf_code ttp_library_call(struct ttp_budget *budget, ttp_budget_fn *body, void *arg,
                                  struct ttp_arena *const *kept, struct ttperf_error *error)
{
    struct ttp_err err = {0};

    if (ttp_budget_run(budget, body, arg, kept, &err) == TTP_OK)
        return TTPERF_OK;
    return ttp_library_fail(error, &err);
}

enum ttperf_code ttp_library_no_memory(struct ttperf_error *error)
{
    struct ttp_err err = {0};

    ttp_fail(&err, TTP_ENOMEM, "out of memory");
    return ttp_library_fail(error, &err);
}

ttp_code ttp_library_take_options(void *out, size_t known, const void *given, const char *init,
                                  struct ttp_err *err)
{
    const unsigned char *bytes = given;
    size_t size;

    if (!given)
        return TTP_OK;
    memcpy(&size, given, sizeof(size));
    if (size < 2 * sizeof(size) || size > 4096) { /* no version had, or will have, such a size */
        const ttp_code rc =
            ttp_fail(err, TTP_EUSAGE, "options have an invalid size of %zu bytes", size);
        ttp_err_hint(err, "initialise them with %s", init);
        return rc;
    }
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return ttp_fail(err, TTP_EUSAGE, "an option is unknown to version %s", ttp_version);
    memcpy(out, given, size < known ? size : known);
    return TTP_OK;
}

ttp_code ttp_library_check_flags(uint64_t flags, uint64_t known, struct ttp_err *err)
{
    if (flags & ~known)
        return ttp_fail(err, TTP_EUSAGE, "flags 0x%llx are unknown to version %s",
                        (unsigned long long)(flags & ~known), ttp_version);
    return TTP_OK;
}

ttp_code ttp_library_choose_rules(struct ttp_library_rules *out, uint64_t flags,
                                  struct ttp_err *err)
{
    struct ttp_compat_report rules;

    if (!(flags & TTPERF_READ_COMPAT))
        return TTP_OK;
    TTP_TRY(ttp_compat_report(&rules, err));
    *out = (struct ttp_library_rules){*rules.reading, rules.analysis, rules.advice};
    return TTP_OK;
}

enum ttperf_type ttp_library_type(enum ttp_type type)
{
    switch (type) {
    case TTP_I64:
        return TTPERF_TYPE_INT;
    case TTP_F64:
        return TTPERF_TYPE_REAL;
    default:
        return TTPERF_TYPE_TEXT;
    }
}

struct ttperf_value ttp_library_text(ttp_str text)
{
    return (struct ttperf_value){TTPERF_TYPE_TEXT, {.text = {text.ptr, text.len}}};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_read.c - the lines of a ledger: which are whole, which was cut off. */
#include "base/append_log.h"
#include "tune/ledger.h"

struct reading {
    struct ttp_tune_session *session;
    ttp_str text;
    struct ttp_arena *arena;
    struct ttp_err *err;
};

/* The line that begins at `at`, without its end; false: it has none. */
static bool line_at(ttp_str *line, ttp_str text, size_t at)
{
    const ttp_str rest = ttp_str_slice(text, at, text.len);
    const size_t end = ttp_str_find_char(rest, '\n');

    *line = ttp_str_slice(rest, 0, end);
    return end != TTP_NPOS;
}

/* Does the checksum fit? */
static bool sealed(ttp_str line)
{
    uint64_t crc;

    if (line.len < TTP_LEDGER_SEAL)
        return false;
    const ttp_str seal = ttp_str_slice(line, line.len - TTP_LEDGER_SEAL, line.len);
    return ttp_str_starts(seal, TTP_STR(",\"crc\":\"")) && ttp_str_ends(seal, TTP_STR("\"}")) &&
           ttp_str_hex_to_u64(ttp_str_slice(seal, 8, 16), &crc) &&
           crc == ttp_crc32(ttp_str_slice(line, 0, line.len - TTP_LEDGER_SEAL));
}

static ttp_code parse(struct ttp_node **out, const struct reading *r, ttp_str line)
{
    TTP_TRY(ttp_json_tree(out, line, r->arena, r->err));
    if (!*out || (*out)->kind != TTP_JSON_OBJECT_BEGIN || (*out)->next)
        return ttp_fail(r->err, TTP_EPARSE, "a record is not one JSON object");
    return TTP_OK;
}

/* Where reading continues after bytes that were cut off: at the record `recovered`. TTP_NPOS: no
 * whole record follows. *lost: one does, but none that explains it. */
static size_t behind_torn(const struct reading *r, size_t at, bool *lost)
{
    *lost = false;
    for (size_t next = at;;) {
        ttp_str line;
        struct ttp_node *node;
        uint64_t torn;

        if (!line_at(&line, r->text, next))
            return TTP_NPOS;
        if (next != at && sealed(line)) {
            *lost = true;
            const struct ttp_err before = r->err ? *r->err : (struct ttp_err){0};
            const bool explained =
                parse(&node, r, line) == TTP_OK &&
                ttp_str_eq(ttp_node_str_of(node, "event"), TTP_STR("recovered")) &&
                ttp_node_get(node, "torn_bytes") &&
                ttp_json_to_u64(ttp_node_get(node, "torn_bytes")->text, &torn) &&
                torn == next - 1 - at;
            if (r->err)
                *r->err = before;
            if (explained)
                return next;
        }
        next += line.len + 1;
    }
}

/* Every record has the next number: one that is missing would change the meaning of the rest. */
static ttp_code check_number(const struct reading *r, const struct ttp_node *node)
{
    const struct ttp_node *n = ttp_node_get(node, "n");
    uint64_t number;

    if (!n || n->kind != TTP_JSON_NUMBER || !ttp_json_to_u64(n->text, &number))
        return ttp_fail(r->err, TTP_EPARSE, "a record has no number");
    if (number != r->session->records + 1)
        return ttp_fail(r->err, TTP_EPARSE, "record %llu follows record %llu",
                        (unsigned long long)number, (unsigned long long)r->session->records);
    return TTP_OK;
}

static ttp_code read_record(const struct reading *r, ttp_str line)
{
    struct ttp_node *node;

    TTP_TRY(parse(&node, r, line));
    TTP_TRY(check_number(r, node));
    TTP_TRY(ttp_ledger_apply(r->session, node, r->arena, r->err));
    r->session->records++;
    return TTP_OK;
}

static ttp_code fail_at_line(const struct reading *r, ttp_code code, size_t at)
{
    uint64_t line = 1;

    if (!r->err)
        return code;
    for (size_t i = 0; i < at; i++)
        line += r->text.ptr[i] == '\n';
    r->err->offset = at;
    r->err->line = line;
    return code;
}

ttp_code ttp_tune_read(struct ttp_tune_session *out, ttp_str ledger, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    const struct reading r = {out, ledger, arena, err};
    size_t at = 0;
    bool lost;

    *out = (struct ttp_tune_session){.machine = "", .branch = "", .prefix = ""};
    if (ledger.len > TTP_TUNE_LEDGER_MAX)
        return ttp_fail(err, TTP_ELIMIT, "a ledger of more than %zu bytes", TTP_TUNE_LEDGER_MAX);
    while (at < ledger.len) {
        ttp_str line;

        out->good_bytes = at;
        if (line_at(&line, ledger, at) && sealed(line)) {
            const ttp_code rc = read_record(&r, line);

            if (rc != TTP_OK)
                return fail_at_line(&r, rc, at);
            at += line.len + 1;
            continue;
        }
        const size_t next = behind_torn(&r, at, &lost);
        if (next == TTP_NPOS && lost) {
            ttp_fail(err, TTP_EPARSE, "a record is damaged: its checksum does not match");
            ttp_err_hint(err, "later records cannot be trusted: restore the file from a backup, "
                              "or start over with 'tt-perf tune init --new'");
            return fail_at_line(&r, TTP_EPARSE, at);
        }
        if (next == TTP_NPOS) {
            out->torn_bytes = ledger.len - at;
            return TTP_OK;
        }
        out->torn_before++;
        at = next;
    }
    out->good_bytes = ledger.len;
    return TTP_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.h - records of the ledger: how they are written, and what they mean. Private to tune.
 *
 * docs/formats/tune_ledger.md describes the file. */
#ifndef TTP_TUNE_LEDGER_H
#define TTP_TUNE_LEDGER_H

#include "base/json_tree.h"
#include "base/json_write.h"
#include "tune/tune.h"

/* What ends every record: ,"crc":"xxxxxxxx"} */
#define TTP_LEDGER_SEAL 18

/* What the ledger shows masked, and what it represents, from the file `path`. */
struct ttp_tune_secrets {
    const char *path;
    struct ttp_words shown, exact; /* in pairs */
    struct ttp_arena *arena;
    ttp_code rc; /* of what was kept since: TTP_EIO, and err */
    struct ttp_err err;
};
void ttp_tune_secrets_load(struct ttp_tune_secrets *out, const char *path, struct ttp_arena *arena);
/* What to show for a text with secrets, whose mask is known: kept in the file, and always the same
 * for the same text. */
const char *ttp_tune_secrets_hide(struct ttp_tune_secrets *s, const char *exact,
                                  const char *masked);
/* What is run becomes what it was. */
void ttp_tune_secrets_restore(struct ttp_tune_session *session, const struct ttp_tune_secrets *s);

/* Writing. Between begin and end members are added; the text, sealed and with its line end, is in
 * the arena. */
struct ttp_ledger_record {
    struct ttp_sink sink;
    struct ttp_json_writer writer;
    struct ttp_arena *arena;
    struct ttp_tune_secrets *secrets; /* NULL: secrets are masked for good */
};
void ttp_ledger_begin(struct ttp_ledger_record *r, uint64_t n, const char *event, int64_t time_ns,
                      struct ttp_arena *arena);
ttp_str ttp_ledger_end(struct ttp_ledger_record *r);

void ttp_ledger_text(struct ttp_ledger_record *r, const char *key,
                     const char *v); /* NULL: left out */
/* Text that looks like a secret is masked; a command can be restored, other text cannot. */
void ttp_ledger_command(struct ttp_ledger_record *r, const char *key, const char *v);
void ttp_ledger_told(struct ttp_ledger_record *r, const char *key, const char *v);
void ttp_ledger_u64(struct ttp_ledger_record *r, const char *key, uint64_t v);
void ttp_ledger_f64(struct ttp_ledger_record *r, const char *key, double v);
/* Left out if it is unknown. */
void ttp_ledger_known(struct ttp_ledger_record *r, const char *key, double v);
void ttp_ledger_bool(struct ttp_ledger_record *r, const char *key, bool v);
/* An object of its own, with what is recorded until its end. */
void ttp_ledger_begin_part(struct ttp_ledger_record *r, const char *key);
void ttp_ledger_end_part(struct ttp_ledger_record *r);
void ttp_ledger_words(struct ttp_ledger_record *r, const char *key, const struct ttp_words *v);
/* "NAME=VALUE", masked as commands are. */
void ttp_ledger_settings(struct ttp_ledger_record *r, const char *key, const struct ttp_words *v);
void ttp_ledger_side(struct ttp_ledger_record *r, const struct ttp_tune_side *side);
void ttp_ledger_setup(struct ttp_ledger_record *r, const struct ttp_tune_setup *s);
void ttp_ledger_gate(struct ttp_ledger_record *r, const struct ttp_tune_gate *g);
/* Figures, and every run; `bench` NULL: none. */
void ttp_ledger_measured(struct ttp_ledger_record *r, const struct ttp_tune_measured *m,
                         const struct ttp_bench *bench);
/* Nothing, if there is no profile. */
void ttp_ledger_profile(struct ttp_ledger_record *r, const struct ttp_tune_profile *p);
/* Nothing, if no advice is tested; nothing, if there are no configs. */
void ttp_ledger_promise(struct ttp_ledger_record *r, const struct ttp_tune_promise *p);
void ttp_ledger_space(struct ttp_ledger_record *r, const struct ttp_tune_space *s);
void ttp_ledger_point(struct ttp_ledger_record *r, const struct ttp_tune_point *p);

/* Back again. */
void ttp_ledger_read_profile(struct ttp_tune_profile *out, const struct ttp_node *record,
                             struct ttp_arena *arena);
void ttp_ledger_read_promise(struct ttp_tune_promise *out, const struct ttp_node *record,
                             struct ttp_arena *arena);
void ttp_ledger_read_space(struct ttp_tune_space *out, const struct ttp_node *record,
                           struct ttp_arena *arena);
void ttp_ledger_read_gate(struct ttp_tune_gate *out, const struct ttp_node *record,
                          struct ttp_arena *arena);

/* Reading: the record changes the session. TTP_EPARSE: it is invalid there. */
TTP_NODISCARD ttp_code ttp_ledger_apply(struct ttp_tune_session *s, const struct ttp_node *record,
                                        struct ttp_arena *arena, struct ttp_err *err);

/* Reads the bytes of a ledger. A last record that was cut off is left out and counted in
 * torn_bytes. TTP_EPARSE, TTP_ELIMIT: err->offset is the first byte of the bad record, err->line
 * its line. */
TTP_NODISCARD ttp_code ttp_tune_read(struct ttp_tune_session *out, ttp_str ledger,
                                     struct ttp_arena *arena, struct ttp_err *err);

#endif

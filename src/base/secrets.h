/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.h - masks text that looks like a secret before a command line is stored or shown.
 *
 * Masked, as "***", are: values of names such as token, password, api-key or secret ("--token X",
 * "TOKEN=X", "password: X"); what is after "Authorization:"; the password in
 * scheme://user:password@host; keys known by their form (AWS, GitHub, GitLab, Hugging Face, OpenAI,
 * Slack, Google, JSON web tokens, private keys); and values of names such as key or auth that look
 * drawn at random. Everything else stays as it is, to the byte. Names of numbers and of files
 * ("--max-tokens 128", "--pad-token '<pad>'", "--password-file F"), and "$NAME", are none. */
#ifndef TTP_BASE_SECRETS_H
#define TTP_BASE_SECRETS_H

#include "base/arena.h"

#define TTP_SECRET_MASK "***"

/* A text; itself if there is nothing to mask. */
ttp_str ttp_secrets_mask_text(ttp_str text, struct ttp_arena *arena);
/* JSON stays JSON: only what is in strings is masked. */
ttp_str ttp_secrets_mask_json(ttp_str text, struct ttp_arena *arena);
/* The same for a text that ends with NUL, which may be NULL. */
const char *ttp_secrets_mask_string(const char *text, struct ttp_arena *arena);
/* "NAME=VALUE": all after the sign is the value. */
const char *ttp_secrets_mask_setting(const char *setting, struct ttp_arena *arena);
/* The words of a command, NULL at the end. */
const char *const *ttp_secrets_mask_words(const char *const *argv, struct ttp_arena *arena);

#endif

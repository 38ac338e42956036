/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_addresses.c - masks what identifies a machine or a person by its form: addresses, hosts of
 * URLs, accounts, and values of fields such as "host" and "serial". */
#include <arpa/inet.h>

#include "bundle/bundle_mask.h"

/* Hosts, and all below them, that everybody knows. */
static const char *const public_hosts[] = {
    "localhost",  "github.com",      "githubusercontent.com",
    "gitlab.com", "tenstorrent.com", "python.org",
    "pypi.org",   "huggingface.co",  "docker.io",
    "ghcr.io",    "pytorch.org",     "kernel.org",
    "ubuntu.com", "debian.org",      "perfetto.dev",
    "llvm.org",   "gnu.org",         "apache.org",
    "w3.org",     "json-schema.org",
};
#define HOST_MAX   253
#define DIGIT_PAIR 2

static bool is_host_char(char c)
{
    return ttp_bundle_is_letter(c) || ttp_bundle_is_digit(c) || c == '-' || c == '.' ||
           (unsigned char)c >= 0x80;
}

static bool is_hex(char c)
{
    return ttp_bundle_is_digit(c) || (ttp_char_lower(c) >= 'a' && ttp_char_lower(c) <= 'f');
}

static bool is_public_host(ttp_str host)
{
    for (size_t i = 0; i < TTP_COUNT(public_hosts); i++) {
        const ttp_str known = ttp_str_from(public_hosts[i]);

        if (host.len >= known.len &&
            ttp_str_eq_any_case(ttp_str_slice(host, host.len - known.len, host.len), known) &&
            (host.len == known.len || host.ptr[host.len - known.len - 1] == '.'))
            return true;
    }
    return false;
}

ttp_str ttp_bundle_lower(ttp_str text, struct ttp_arena *arena)
{
    char *copy = ttp_arena_zstr(arena, text);

    for (size_t i = 0; i < text.len; i++)
        copy[i] = ttp_char_lower(copy[i]);
    return (ttp_str){copy, text.len};
}

/* It stays if everybody knows it or if it is masked by its name. */
static void mask_host(struct ttp_bundle_scan *s, struct ttp_bundle_place place)
{
    const ttp_str host = ttp_str_slice(s->text, place.at, place.end);

    if (host.len == 0 || is_public_host(host) || ttp_bundle_is_known(s->names, host))
        return;
    ttp_bundle_put_mask(s, place, "host-", ttp_bundle_lower(host, s->out.arena));
}

/* ---- addresses ---- */

static size_t ipv4_length(ttp_str t, size_t at)
{
    size_t end = at;

    for (int part = 0; part < 4; part++) {
        const size_t from = part ? ++end : end;
        uint64_t value;

        while (ttp_bundle_is_digit(ttp_bundle_char(t, end)))
            end++;
        if (!ttp_str_to_u64(ttp_str_slice(t, from, end), &value) || value > 255 || end - from > 3)
            return 0;
        if (part < 3 && ttp_bundle_char(t, end) != '.')
            return 0;
    }
    const char next = ttp_bundle_char(t, end);
    return ttp_bundle_is_name_char(next) ||
                   (next == '.' && ttp_bundle_is_digit(ttp_bundle_char(t, end + 1)))
               ? 0
               : end - at;
}

#define KEY_REACH 64
/* Do the words before it, in its line and its object, speak of a version? */
static bool is_version(ttp_str t, size_t at)
{
    static const char *const words[] = {"version", "firmware", "fw",      "ver",    "kmd",
                                        "release", "driver",   "package", "bundle", "build"};
    size_t from = at;

    while (from && at - from < KEY_REACH && !ttp_bundle_is_in(t.ptr[from - 1], "\n{},;") &&
           t.ptr[from - 1])
        from--;
    for (size_t i = from; i < at; i++)
        for (size_t w = 0; w < TTP_COUNT(words); w++) {
            const ttp_str word = ttp_str_from(words[w]);
            const size_t end = i + word.len;

            if ((i == from || !ttp_bundle_is_letter(t.ptr[i - 1])) && end <= at &&
                ttp_str_eq_any_case(ttp_str_slice(t, i, end), word) &&
                (end == at || !ttp_bundle_is_letter(t.ptr[end])))
                return true;
        }
    return false;
}

static size_t mask_ipv4(struct ttp_bundle_scan *s, size_t at)
{
    const size_t n = ipv4_length(s->text, at);
    const ttp_str text = ttp_str_slice(s->text, at, at + n);

    if (n == 0)
        return 0;
    /* of no machine, of this one, to all of them, a mask of a network */
    if (!ttp_str_starts(text, TTP_STR("0.")) && !ttp_str_starts(text, TTP_STR("127.")) &&
        !ttp_str_starts(text, TTP_STR("255.")) && !is_version(s->text, at))
        ttp_bundle_put_mask(s, (struct ttp_bundle_place){at, at + n}, "ip-", text);
    return n;
}

/* "00:1a:2b:3c:4d:5e", six pairs or more; with '-' one has a letter, for a date has none. */
static size_t mac_length(ttp_str t, size_t at, char sign)
{
    size_t end = at, pairs = 0;
    bool letter = false;

    while (is_hex(ttp_bundle_char(t, end)) && is_hex(ttp_bundle_char(t, end + 1)) &&
           !ttp_bundle_is_name_char(ttp_bundle_char(t, end + DIGIT_PAIR))) {
        letter = letter || ttp_bundle_is_letter(t.ptr[end]) || ttp_bundle_is_letter(t.ptr[end + 1]);
        pairs++;
        end += DIGIT_PAIR;
        if (ttp_bundle_char(t, end) != sign || !is_hex(ttp_bundle_char(t, end + 1)))
            break;
        end++;
    }
    return pairs >= 6 && (letter || sign == ':') && ttp_bundle_char(t, end - 1) != sign ? end - at
                                                                                        : 0;
}

/* As inet_pton() reads it; "a::b" of a program has no digit, and numbers in a row are none. */
static size_t ipv6_length(ttp_str t, size_t at)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t n = 0, group = 0, longest = 0;
    bool digit = false, letter = false, dotted = false;

    while (is_hex(ttp_bundle_char(t, at + n)) || ttp_bundle_is_in(ttp_bundle_char(t, at + n), ":."))
        n++;
    while (n && (t.ptr[at + n - 1] == '.' ||
                 (t.ptr[at + n - 1] == ':' && (n < 2 || t.ptr[at + n - 2] != ':'))))
        n--;
    if (n < 3 || n >= sizeof(text) || ttp_bundle_is_name_char(ttp_bundle_char(t, at + n)))
        return 0;
    for (size_t i = at; i < at + n; i++) {
        digit = digit || ttp_bundle_is_digit(t.ptr[i]);
        letter = letter || ttp_bundle_is_letter(t.ptr[i]);
        dotted = dotted || t.ptr[i] == '.';
        group = is_hex(t.ptr[i]) ? group + 1 : 0;
        longest = group > longest ? group : longest;
    }
    memcpy(text, t.ptr + at, n);
    text[n] = 0;
    if (!digit || inet_pton(AF_INET6, text, &address) != 1 || strcmp(text, "::1") == 0)
        return 0;
    return letter || longest == 4 || dotted || strstr(text, "::") ? n : 0;
}

size_t ttp_bundle_mask_address(struct ttp_bundle_scan *s, size_t at)
{
    const ttp_str t = s->text;
    const char before = ttp_bundle_char(t, at - 1);

    if (ttp_bundle_is_name_char(before) ||
        (before == '.' && at > 1 && ttp_bundle_is_name_char(t.ptr[at - 2])))
        return 0;
    size_t n = before == ':' && at > 1 && is_hex(t.ptr[at - 2]) ? 0 : mac_length(t, at, ':');
    if (n == 0 && before != '-')
        n = mac_length(t, at, '-');
    if (n) {
        ttp_bundle_put_mask(s, (struct ttp_bundle_place){at, at + n}, "mac-",
                            ttp_bundle_lower(ttp_str_slice(t, at, at + n), s->out.arena));
        return n;
    }
    n = before == ':' && at > 1 && t.ptr[at - 2] == ':' ? 0 : ipv6_length(t, at);
    if (n) {
        ttp_bundle_put_mask(s, (struct ttp_bundle_place){at, at + n}, "ip-",
                            ttp_bundle_lower(ttp_str_slice(t, at, at + n), s->out.arena));
        return n;
    }
    return ttp_bundle_is_digit(t.ptr[at]) ? mask_ipv4(s, at) : 0;
}

/* ---- accounts: e-mail and user@host ---- */

static bool is_account_char(char c)
{
    return ttp_bundle_is_name_char(c) || ttp_bundle_is_in(c, ".+-");
}

size_t ttp_bundle_mask_account(struct ttp_bundle_scan *s, size_t at)
{
    const ttp_str t = s->text;
    size_t sign = at;

    if (at && is_account_char(t.ptr[at - 1]))
        return 0;
    while (is_account_char(ttp_bundle_char(t, sign)))
        sign++;
    size_t end = sign + 1;
    if (sign == at || ttp_bundle_char(t, sign) != '@' ||
        !ttp_bundle_is_letter(ttp_bundle_char(t, end)))
        return 0;
    while (end - sign <= HOST_MAX && is_host_char(ttp_bundle_char(t, end)))
        end++;
    while (ttp_bundle_is_in(t.ptr[end - 1], ".-"))
        end--;
    const ttp_str user = ttp_str_slice(t, at, sign), host = ttp_str_slice(t, sign + 1, end);
    if (ttp_bundle_char(t, end) == '_' || ttp_str_eq(host, TTP_STR("plt")) ||
        (ttp_str_eq(user, TTP_STR("git")) && is_public_host(host))) /* symbols; a repository */
        return end - at;
    if (!ttp_bundle_is_known(s->names, user))
        ttp_bundle_put_mask(s, (struct ttp_bundle_place){at, sign}, "user-", user);
    mask_host(s, (struct ttp_bundle_place){sign + 1, end});
    return end - at;
}

/* ---- URLs ---- */

/* "ann:***" before the '@' at `sign`: where the host begins. */
static size_t mask_url_user(struct ttp_bundle_scan *s, size_t from, size_t sign)
{
    size_t end = from;

    while (is_account_char(s->text.ptr[end]))
        end++;
    const ttp_str user = ttp_str_slice(s->text, from, end);
    if (user.len && !ttp_str_eq(user, TTP_STR("git")) && !ttp_bundle_is_known(s->names, user))
        ttp_bundle_put_mask(s, (struct ttp_bundle_place){from, end}, "user-", user);
    return sign + 1;
}

/* "://" at `at`: the host, and what is below one that is not public. */
size_t ttp_bundle_mask_url(struct ttp_bundle_scan *s, size_t at)
{
    const ttp_str t = s->text;
    const bool escaped = ttp_str_starts(ttp_str_slice(t, at, t.len), TTP_STR(":\\/\\/"));
    const size_t from = at + (escaped ? 5 : 3);
    size_t user_end = from, end;

    if ((!escaped && !ttp_str_starts(ttp_str_slice(t, at, t.len), TTP_STR("://"))) || at == 0 ||
        !ttp_bundle_is_name_char(t.ptr[at - 1]))
        return 0;
    while (is_account_char(ttp_bundle_char(t, user_end)) ||
           ttp_bundle_is_in(ttp_bundle_char(t, user_end), ":*%"))
        user_end++;
    user_end = ttp_bundle_char(t, user_end) == '@' ? mask_url_user(s, from, user_end) : from;
    for (end = user_end; is_host_char(ttp_bundle_char(t, end)) || ttp_bundle_char(t, end) == '_';)
        end++;
    const ttp_str host = ttp_str_slice(t, user_end, end);
    if (is_public_host(host))
        return end - at;
    if (host.len && ipv4_length(t, user_end) == host.len)
        (void)mask_ipv4(s, user_end);
    else
        mask_host(s, (struct ttp_bundle_place){user_end, end});
    if (ttp_bundle_char(t, end) == ':')
        for (end++; ttp_bundle_is_digit(ttp_bundle_char(t, end));)
            end++;
    return end + (end < t.len ? ttp_bundle_mask_path_below(s, end) : 0) - at;
}

/* ---- fields ---- */

static const char *const host_keys[] = {"host",     "hostname",    "host_name",
                                        "nodename", "node_name",   "device_hostname",
                                        "fqdn",     "machine_name"};
static const char *const serial_keys[] = {"serial",       "serial_number", "board_serial",
                                          "tt_serial",    "board_id",      "board_number",
                                          "serialnumber", "board_uuid",    "machine_id"};

static bool is_key(ttp_str word, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq_any_case(word, ttp_str_from(keys[i])))
            return true;
    return false;
}

static size_t skip(ttp_str t, size_t at, const char *set)
{
    while (ttp_bundle_is_in(ttp_bundle_char(t, at), set))
        at++;
    return at;
}

static void mask_serial(struct ttp_bundle_scan *s, struct ttp_bundle_place place)
{
    size_t digits = 0;

    for (size_t i = place.at; i < place.end; i++)
        digits += ttp_bundle_is_digit(s->text.ptr[i]);
    if (digits >= 4) /* shorter ones are classes of boards */
        ttp_bundle_put_mask(
            s, place, "serial-",
            ttp_bundle_lower(ttp_str_slice(s->text, place.at, place.end), s->out.arena));
}

/* "host":"x", 'host': 'x', host=x, hostname: x, in JSON in a string, too. */
size_t ttp_bundle_mask_field(struct ttp_bundle_scan *s, size_t at)
{
    const ttp_str t = s->text;
    size_t word = at;

    if (at && ttp_bundle_is_name_char(t.ptr[at - 1]))
        return 0;
    while (ttp_bundle_is_name_char(ttp_bundle_char(t, word)))
        word++;
    const ttp_str key = ttp_str_slice(t, at, word);
    const bool is_serial = is_key(key, serial_keys, TTP_COUNT(serial_keys));
    if (!is_serial && !is_key(key, host_keys, TTP_COUNT(host_keys)))
        return 0;
    const size_t sign = skip(t, skip(t, word, "\\\"'"), " \t"), value = skip(t, sign + 1, " \t");
    const size_t from = skip(t, value, "\\\"'");
    if (!ttp_bundle_is_in(ttp_bundle_char(t, sign), ":=") ||
        !ttp_bundle_is_name_char(ttp_bundle_char(t, from)))
        return 0;
    const bool quoted = from > value;
    size_t end = from;
    while (quoted ? !ttp_bundle_is_in(ttp_bundle_char(t, end), "\\\"'\n")
                  : is_host_char(ttp_bundle_char(t, end)) || ttp_bundle_char(t, end) == '_')
        end++;
    /* "host: 3 us" and "node: waits" in prose are no fields */
    if (!quoted && ttp_bundle_char(t, sign) == ':' && !is_serial && key.len <= 4)
        return 0;
    const struct ttp_bundle_place place = {from, end};
    uint64_t number;
    if (is_serial && quoted)
        mask_serial(s, place);
    else if (!is_serial && ipv4_length(t, from) == 0 &&
             !ttp_str_to_u64(ttp_str_slice(t, from, end), &number))
        mask_host(s, place);
    return from - at + (s->from == end ? end - from : 0);
}

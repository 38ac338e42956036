/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_client.h - the client's side of Tracy's protocol, for tests: listens, announces itself,
 * sends items in linked LZ4 blocks, answers the server. Ours, written from the description of the
 * protocol; nothing of Tracy is linked.
 *
 * Unlike the real one it does not trust the server: a question about an address that it never sent,
 * or one asked twice, is counted instead of followed. */
#ifndef TTP_TESTS_TRACY_CLIENT_H
#define TTP_TESTS_TRACY_CLIENT_H

#include "base/arena.h"
#include "base/err.h"

enum tc_dialect { TC_FORK_66, TC_UPSTREAM_78, TC_DIALECTS };
extern const char *const tc_dialect_names[]; /* NULL at the end */

/* A zone's place in the source; its address is what is sent. */
struct tc_source {
    const char *name, *function, *file; /* name may be NULL */
    uint32_t line;
};

/* How the stream leaves us. */
struct tc_manner {
    uint32_t block_bytes;  /* of plain text in a block, at most; 0: 64 KiB */
    uint32_t piece_bytes;  /* sent at once; 0: a whole block */
    uint32_t pause_us;     /* after each piece */
    uint32_t burst_blocks; /* blocks without a pause, then one of 50 ms; 0: none */
    uint64_t kill_after;   /* SIGKILL ourselves when so many bytes of blocks are out; 0: never */
    uint64_t claim;   /* process that we say we are, in announcements and welcome; 0: ourselves */
    const char *sent; /* file that holds how many messages are in blocks that are out, or NULL */
};

struct tc_client;

/* Listen on TRACY_PORT, or on the first free port from 8086 on, as the real client does. NULL: the
 * port is taken; the real client then drops all it has, silently. */
struct tc_client *tc_open(enum tc_dialect dialect, const struct tc_manner *manner,
                          const char *program);
uint16_t tc_port(const struct tc_client *c);
/* Announce clients that are not there, on one port after the other, as fast as can be; flood.c. */
void tc_flood(int64_t ms);
/* Announce and wait for a server that speaks our number. False: none came in that time. */
bool tc_wait(struct tc_client *c, int timeout_ms);

/* Times are ns since the start of the program. False from any: the server is gone. */
bool tc_zone_begin(struct tc_client *c, uint32_t thread, uint64_t ns, const struct tc_source *s);
bool tc_zone_text(struct tc_client *c, uint32_t thread, ttp_str text);
bool tc_zone_end(struct tc_client *c, uint32_t thread, uint64_t ns);
bool tc_message(struct tc_client *c, uint32_t thread, uint64_t ns, ttp_str text, uint32_t color);
/* A point of a plot: its clock is the zones', so a server that skips it must still count it. */
bool tc_plot(struct tc_client *c, uint32_t thread, uint64_t ns, const char *name, double value);
/* Room for an item of n bytes in the block that is sent next. */
unsigned char *tc_item(struct tc_client *c, size_t n);
/* Send what is buffered, and answer what was asked. */
bool tc_flush(struct tc_client *c);
/* Say that this is all and answer until the server lets go. */
void tc_finish(struct tc_client *c);

/* Questions about what we never sent, or asked again. 0 unless the server is broken. */
unsigned tc_bad_queries(const struct tc_client *c);
void tc_close(struct tc_client *c);

#endif

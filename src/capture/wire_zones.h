/* SPDX-License-Identifier: Apache-2.0 */
/* wire_zones.h - threads of a stream and the zones that are open on them. */
#ifndef TTP_CAPTURE_WIRE_ZONES_H
#define TTP_CAPTURE_WIRE_ZONES_H

#include "capture/wire_items.h"

#define TTP_NO_SOURCE UINT32_MAX

/* What a zone asks of those around it. */
enum ttp_around {
    TTP_AROUND_KEPT, /* is, or may be, kept */
    TTP_AROUND_TT,   /* is, or may be, named TT_* */
    TTP_AROUNDS,
};

struct ttp_frame {
    uint64_t number;
    int64_t start;   /* tick */
    uint32_t source; /* TTP_NO_SOURCE: dropped */
    /* Position plus one of the nearest such zone around it when it was last asked for; 0: none.
     * Those between are none, and will not be: as names come, zones only cease to be so. */
    uint32_t around[TTP_AROUNDS];
    /* In the thread's texts; a length of 0 with a start of 0 means none. */
    uint32_t text_base, text, text_len, name, name_len;
    bool referenced; /* a zone inside it is kept and names it */
    bool has_text, has_name;
};

struct ttp_wire_thread {
    uint64_t tid;
    struct ttp_frame *frame;
    size_t depth, cap, too_deep;
    char *texts; /* of open zones, those of inner ones last */
    size_t texts_len, cap_texts;
    uint32_t index;
    uint32_t fiber; /* position plus one of the fiber it runs; 0: none */
    bool named;
};

/* Position of the current thread, or of the fiber it runs; wire_threads.c. */
uint32_t ttp_wire_current(struct ttp_wire *w);
/* The thread is seen doing something: it is on the list, and its name is asked for. */
uint32_t ttp_wire_notice_thread(struct ttp_wire *w, uint32_t tid);
/* csvexport numbers threads in the order of messages, memory events and device zones. */
void ttp_wire_give_index(struct ttp_wire *w, uint64_t tid);
void ttp_wire_enter_fiber(struct ttp_wire *w, uint64_t fiber, uint32_t tid);
void ttp_wire_leave_fiber(struct ttp_wire *w, uint32_t tid);
/* at: position, or TTP_MAP_NONE */
void ttp_wire_name_thread(struct ttp_wire *w, uint32_t at, ttp_str name);

/* At the clock of the current thread. */
void ttp_wire_begin_zone(struct ttp_wire *w, uint64_t key);
void ttp_wire_begin_zone_inline(struct ttp_wire *w);
void ttp_wire_end_zone(struct ttp_wire *w);
/* Of the innermost open zone. */
void ttp_wire_zone_text(struct ttp_wire *w, ttp_str s);
void ttp_wire_zone_name(struct ttp_wire *w, ttp_str s);
void ttp_wire_zone_value(struct ttp_wire *w, uint64_t value);

#endif

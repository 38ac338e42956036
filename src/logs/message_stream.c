/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_ops_data.csv, message by message, of any kind. */
#include "base/input.h"
#include "base/python_text.h"
#include "logs/logs.h"
#include "logs/message_rows.h"
#include "logs/recording_stream.h"

struct streaming {
    ttp_message_fn *take;
    void *arg;
    struct ttp_arena scratch;
    bool header_done;
};

static size_t cut(ttp_str text, bool last, void *arg)
{
    struct streaming *s = arg;

    return last ? text.len : ttp_logs_message_whole_rows(text, true, &s->scratch);
}

static ttp_code hand_out(struct streaming *s, const struct ttp_message_row *row,
                         struct ttp_err *err)
{
    int64_t ns;

    if (!s->header_done) {
        s->header_done = true;
        return TTP_OK;
    }
    return row->nfields > 1 && ttp_python_int(row->time, &ns) ? s->take(s->arg, row->name, ns, err)
                                                              : TTP_OK;
}

static ttp_code read_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct streaming *s = arg;
    ttp_code rc = TTP_OK;

    while (text.len && rc == TTP_OK) {
        const struct ttp_mark mark = ttp_arena_mark(&s->scratch);
        struct ttp_message_row row;
        const size_t n = ttp_logs_message_next(&row, text, true, true, &s->scratch);

        rc = hand_out(s, &row, err);
        text = ttp_str_slice(text, n, text.len);
        ttp_arena_rewind(&s->scratch, mark);
    }
    return rc;
}

ttp_code ttp_logs_stream_messages(const char *path, ttp_message_fn *take, void *arg,
                                  struct ttp_err *err)
{
    struct streaming s = {.take = take, .arg = arg};

    if (ttp_logs_is_recording(path))
        return ttp_logs_recording_stream_messages(path, take, arg, err);
    const ttp_code rc = ttp_input_each(path, cut, read_block, &s, err);
    ttp_arena_free(&s.scratch);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* show_csv.c - the main part of documents as CSV. */
#include "base/gate.h"
#include "base/iso_time.h"
#include "outputs/show/show_forms.h"

static void put_csv_value(struct ttp_sink *out, struct ttp_value v)
{
    char time[TTP_ISO_TIME_MAX];

    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(out, v.v.i);
    else if (v.kind == TTP_VALUE_REAL)
        ttp_sink_f64(out, v.v.f, TTP_NUM_PYTHON);
    else if (ttp_value_is_text(v))
        ttp_gate_put_csv(out, v.v.text);
    else if (v.kind == TTP_VALUE_MOMENT)
        ttp_sink_put(out, (ttp_str){time, ttp_iso_time(time, v.v.i)});
}

static void put_csv_rows(const struct ttp_showing *s)
{
    const struct ttp_table *t = &s->table[s->doc->spec->main];
    struct ttp_sink *out = s->show->out;

    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (c)
                ttp_sink_char(out, ',');
            put_csv_value(out, ttp_field_value(t->column[c], t->rows->context,
                                               ttp_records_at(t->rows, t->index[r])));
        }
        ttp_sink_own(out, "\r\n");
    }
}

void ttp_show_csv(const struct ttp_showing *s)
{
    const struct ttp_table *t = &s->table[s->doc->spec->main];
    struct ttp_sink *out = s->show->out;

    for (size_t c = 0; c < t->columns; c++) {
        const char *title = t->column[c]->csv_title ? t->column[c]->csv_title : t->column[c]->id;

        if (c)
            ttp_sink_char(out, ',');
        ttp_sink_put(out, ttp_str_from(title));
    }
    ttp_sink_own(out, "\r\n");
    for (; s; s = s->rest)
        put_csv_rows(s);
}

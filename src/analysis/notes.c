/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "base/vec.h"

void ttp_analysis_note_add(struct ttp_notes *notes, enum ttp_note_level level, const char *fmt, ...)
{
    va_list ap, again;

    TTP_ROOM(notes->arena, notes->item, notes->count);
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = TTP_NEW(notes->arena, char, (size_t)(n > 0 ? n : 0) + 1);
    if (n > 0)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    notes->item[notes->count++] = (struct ttp_note){level, {text, (size_t)(n > 0 ? n : 0)}};
}

void ttp_analysis_sum_add(struct ttp_sum *s, double x)
{
    const double t = s->sum + x;

    if (__builtin_fabs(s->sum) >= __builtin_fabs(x))
        s->error += (s->sum - t) + x;
    else
        s->error += (x - t) + s->sum;
    s->sum = t;
}

double ttp_analysis_sum_value(const struct ttp_sum *s)
{
    return s->error != 0 && __builtin_isfinite(s->error) ? s->sum + s->error : s->sum;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/advise/checklist.h"

#include "outputs/show/paint.h"

enum { TITLE = 27, COLUMN = 6 + TITLE };

void ttp_out_checklist_put(const struct ttp_show *show, enum ttp_step_state state,
                           const char *title, ttp_str seen)
{
    static const char *const box[] = {"[-]", "[ ]", "[~]", "[x]"};

    if (show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_printf(show->out, "- [%s] %s%s%.*s\n", state == TTP_STEP_DONE ? "x" : " ", title,
                        seen.len ? ": " : "", TTP_FMT(seen));
        return;
    }
    ttp_sink_printf(show->out, "  %s ", box[state]);
    if (seen.len)
        ttp_sink_printf(show->out, "%-*s", TITLE, title);
    else
        ttp_sink_put(show->out, ttp_str_from(title));
    ttp_paint_wrapped(show->out, seen, show->width, COLUMN, COLUMN);
}

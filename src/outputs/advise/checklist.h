/* SPDX-License-Identifier: Apache-2.0 */
/* checklist.h - the steps of optimising, as boxes to tick. Private to outputs. */
#ifndef TTP_OUTPUTS_ADVISE_CHECKLIST_H
#define TTP_OUTPUTS_ADVISE_CHECKLIST_H

#include "advice/advice.h"
#include "outputs/show/show.h"

#define TTP_CHECKLIST_LEGEND "([x] done, [~] partly, [ ] open, [-] does not apply, or unknown)"

/* One line in text or Markdown. */
void ttp_out_checklist_put(const struct ttp_show *show, enum ttp_step_state state,
                           const char *title, ttp_str seen);

#endif

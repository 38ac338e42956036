/* SPDX-License-Identifier: Apache-2.0 */
/* team.h - threads that work at the same time and wait for each other, for measurements. Work whose
 * result counts is spread by par.h. */
#ifndef TTP_BASE_TEAM_H
#define TTP_BASE_TEAM_H

struct ttp_team;

/* Call work(ctx, team, i) on as many threads as possible, at most `threads` (0: ttp_par_cores()),
 * for each i below ttp_team_size(); the calling thread is i = 0. None is called before all have
 * started. `work` must not allocate. Returns when all have ended. */
void ttp_team_run(void (*work)(void *ctx, struct ttp_team *team, unsigned i), void *ctx,
                  unsigned threads);
unsigned ttp_team_size(const struct ttp_team *team);
/* Wait until the whole team is here. */
void ttp_team_wait(struct ttp_team *team);

#endif

import type { RepoCtx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { BadRequest } from '../../lib/errors.ts'

/** Requires that the instance enables mirrors (observed: `[mirror].ENABLED`). */
export const mirrorsEnabled: Requirement<RepoCtx, object> = {
  codes: [],
  refuses: [400],
  check({ config }) {
    if (!config.mirror.enabled) throw new BadRequest('mirrors are switched off', 'mirrors_disabled')
    return {}
  },
}

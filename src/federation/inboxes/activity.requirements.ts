import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { Invalid } from '../../lib/errors.ts'
import { parseJson } from '../document.rules.ts'
import { readReceived, type ReceivedCtx } from '../peers/signature.requirements.ts'

export interface ActivityCtx extends ReceivedCtx {
  /** Any JSON value. */
  readonly activity: unknown
}

/** The body must be JSON; its content is checked after its signature (contract). */
export const jsonActivity: Requirement<Ctx, Pick<ActivityCtx, 'received' | 'activity'>> = {
  codes: ['bind'],
  refuses: [413, 422],
  async check(ctx, call) {
    const received = await readReceived(ctx, call)
    const parsed = parseJson(received)
    if (!parsed) throw new Invalid('[]: the body is not valid JSON', 'invalid_json')
    return { received, activity: parsed.value }
  },
}

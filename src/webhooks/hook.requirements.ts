import type { Ctx } from '../access/context.ts'
import type { Requirement } from '../http/operation.ts'
import { Forbidden } from '../lib/errors.ts'

/** Throws `Forbidden` when webhooks are switched off (`[security].DISABLE_WEBHOOKS`). */
export function refuseWithoutWebhooks({ config }: Pick<Ctx, 'config'>): void {
  if (config.security.disableWebhooks) throw new Forbidden('webhooks are disabled', 'webhooks_disabled')
}

/** WH: webhooks are switched on. */
export const webhooksOn: Requirement<Ctx, object> = {
  codes: ['WH'],
  refuses: [403],
  check(ctx) {
    refuseWithoutWebhooks(ctx)
    return {}
  },
}

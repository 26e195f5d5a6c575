import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { RegistryToken } from '../registry/registry-token.ts'
import { versionHeader } from './container-errors.ts'

/**
 * An account, or a guest with a token of the token service. A guest without a token gets 401, whose challenge tells
 * clients how to
 * sign in (OCI distribution).
 */
export const registryToken: Requirement<Ctx, object> = {
  codes: ['registryToken'],
  refuses: [401],
  check({ viewer, principal }, call) {
    Object.assign(call.replyHeaders, versionHeader)
    if (!viewer && !(principal instanceof RegistryToken)) {
      throw new Unauthenticated('sign in, or get a token of the registry as a guest')
    }
    return {}
  },
}

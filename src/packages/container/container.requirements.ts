import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { RegistryToken } from '../registry-token.ts'
import { versionHeader } from './container-errors.ts'

/** A token of the token service, be it a guest's: clients fetch one when they are asked to (OCI distribution). */
export const registryToken: Requirement<Ctx, object> = {
  codes: ['registryToken'],
  refuses: [401],
  check({ principal }, call) {
    Object.assign(call.replyHeaders, versionHeader)
    if (!(principal instanceof RegistryToken)) throw new Unauthenticated('a token of the registry is needed')
    return {}
  },
}

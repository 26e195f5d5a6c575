import { applySudo, identify } from '../auth/identify.ts'
import type { NarrowScope } from '../auth/token-scopes.ts'
import type { Call } from '../http/operation.ts'
import { Refusal } from '../lib/errors.ts'
import type { Ctx, Services } from './context.ts'
import { checkScopes } from './requirements.ts'

/** Addresses that one narrow scope of the written contract opens beside their category. */
const narrowScopes: readonly { readonly prefix: string; readonly scope: NarrowScope }[] = [
  { prefix: '/user/keys', scope: 'admin:public_key' },
  { prefix: '/user/applications', scope: 'admin:application' },
  { prefix: '/user/gpg_keys', scope: 'admin:gpg_key' },
]

/** The context of a request: its credential, the account's state, sudo, and the token's scopes, in this order. */
export async function admit(services: Services, call: Call): Promise<Ctx> {
  const { operation } = call
  if (operation.base === 'site') return { ...services, viewer: await identifyForSite(services, call) }
  const viewer = await applySudo(services, call, await identify(services, call))
  const narrow = narrowScopes.find(({ prefix }) => operation.path === prefix || operation.path.startsWith(`${prefix}/`))
  checkScopes(viewer, operation.scope, call.method, narrow?.scope)
  return { ...services, viewer }
}

/**
 * Outside of the API wrong credentials are no refusal yet: a public repository can be cloned with them. The operations
 * there ask for a sign-in where they need one, and `call.refusedCredential` says why there is none.
 */
async function identifyForSite(services: Services, call: Call): Promise<Ctx['viewer']> {
  try {
    const viewer = await identify(services, call)
    checkScopes(viewer, call.operation.scope, call.method)
    return viewer
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    call.refusedCredential = error
    return undefined
  }
}

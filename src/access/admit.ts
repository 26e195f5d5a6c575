import { asking } from '../audit/asking.ts'
import type { CredentialReader, Identity } from '../auth/credentials.ts'
import { applySudo, identify } from '../auth/identify.ts'
import { credentialName, type Viewer } from '../auth/viewer.ts'
import type { Call, Operation, Scope } from '../http/operation.ts'
import { Forbidden, Refusal } from '../lib/errors.ts'
import type { Ctx, Services } from './context.ts'
import { checkScopes } from './requirements.ts'

/**
 * The context of a request: its credential, the account's state, sudo (in the API), and the token's scopes, in this order.
 * Nothing changes the viewer afterwards.
 */
export async function admit(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Ctx> {
  // Before the credential is looked up: what is asked before the first wait goes to the database together.
  const asked = askAhead(services, call)
  // A copy by itself is much cheaper than one that more is put into.
  const ctx: { -readonly [Part in keyof Ctx]: Ctx[Part] } = { ...services }
  ctx.asked = asked
  try {
    const { viewer, principal } = await whoAsks(services, readers, call)
    ctx.viewer = viewer
    if (principal) ctx.principal = principal
  } catch (error) {
    if (!(error instanceof Refusal) || call.operation.wrongCredentials === 'refused') throw error
    ctx.viewer = undefined
    ctx.refusedCredential = error
  }
  ctx.claim = call.claim
  return ctx
}

function askAhead(services: Services, call: Call): Ctx['asked'] {
  let all: (Promise<unknown> | undefined)[] | undefined
  for (const [index, { ahead }] of call.operation.requires.entries()) {
    if (!ahead) continue
    const asked = ahead(services, call)
    // Nobody waits for it when the request is refused before; who does wait hears of the error.
    asked.catch(() => {})
    all ??= []
    all[index] = asked
  }
  return all
}

async function whoAsks(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Identity> {
  const { operation, method } = call
  const identity = await identify(services, readers, call)
  const found = identity?.viewer
  if (found) {
    const asked = asking()
    if (asked) Object.assign(asked, { person: found.user, credential: credentialName(found.credential) })
    call.claim = { viewer: found.id, isAdmin: found.isAdmin, address: call.claim.address, repository: undefined }
  }
  const viewer = operation.base === 'site' ? found : await applySudo(services, call, found)
  checkScopes(viewer, operation.scope, method, operation.narrowScope)
  checkJob(viewer, operation, method)
  return identity?.principal ? { viewer, principal: identity.principal } : { viewer }
}

/** What belongs to accounts and not to repositories. */
const ofAccounts: ReadonlySet<Scope> = new Set(['user', 'organization', 'notification', 'activitypub', 'admin'])

/**
 * All jobs of workflows act as one account: what one of them left at that account, a key or a secret, would be there for all
 * others. So they change nothing but repositories; and those that only read change nothing, also where readers may, as with
 * issues.
 */
function checkJob(viewer: Viewer | undefined, { base, scope }: Operation, method: string): void {
  if (viewer?.credential.kind !== 'job' || method === 'GET' || method === 'HEAD') return
  const isOfAccount = scope.some((each) => ofAccounts.has(each))
  if (!isOfAccount && (base !== 'api' || !viewer.credential.readOnly)) return
  throw new Forbidden('a job of a workflow may not do this', 'job_of_workflow')
}

import { requestOrigin } from '../audit/request-origin.ts'
import type { CredentialReader, Identity } from '../auth/credentials.ts'
import { applySudo, identify } from '../auth/identify.ts'
import { rereadViewer } from '../auth/reread-viewer.ts'
import { credentialName } from '../auth/viewer.ts'
import type { Call } from '../http/operation.ts'
import { Refusal } from '../lib/errors.ts'
import { usualWorkLimits, WorkBudget } from '../lib/work-budget.ts'
import type { Ctx, Services } from './context.ts'
import { checkCredentialLimits, isInRepo } from './credential-limits.ts'
import { checkScopes } from './requirements.ts'

/**
 * Returns the context of a request. It checks the credential, the account's state, sudo (API only) and the token's
 * scopes, in this order. The viewer never changes afterwards.
 */
export async function admit(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Ctx> {
  const ctx = contextOf(services, call)
  // These queries start before the lookup of the credential, so that the database gets one batch.
  ctx.ahead = askAhead(ctx, call)
  await addCaller(ctx, call, () => whoAsks(services, readers, call))
  return ctx
}

/**
 * Returns the current context of a request whose answer still runs: it reads the credential again. For passwords
 * and sessions it reads only the account or session, because a one-time code counts once and a resumed session
 * changes its secret.
 */
export async function admitAgain(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Ctx> {
  const ctx = contextOf(services, call)
  await addCaller(ctx, call, async () => {
    const first = lastingIdentities.get(call)
    const again = first?.viewer && (await rereadViewer(services, first.viewer))
    return actAs(services, call, again ? { ...first, viewer: again } : await identify(services, readers, call))
  })
  return ctx
}

type Mutable<T> = { -readonly [Part in keyof T]: T[Part] }

function contextOf(services: Services, call: Call): Mutable<Ctx> {
  // A plain copy is much cheaper than a spread with further members.
  const ctx: Omit<Mutable<Ctx>, 'budget'> & { budget?: WorkBudget } = { ...services }
  ctx.budget = new WorkBudget(usualWorkLimits, () => call.signal)
  return ctx as Mutable<Ctx>
}

/** The account before sudo, for answers that last. */
const lastingIdentities = new WeakMap<Call, Identity>()

async function addCaller(ctx: Mutable<Ctx>, call: Call, find: () => Promise<Identity>): Promise<void> {
  try {
    const { viewer, principal } = await find()
    ctx.viewer = viewer
    if (principal) ctx.principal = principal
  } catch (error) {
    if (!(error instanceof Refusal) || call.operation.wrongCredentials === 'refused') throw error
    ctx.viewer = undefined
    ctx.refusedCredential = error
  }
  ctx.claim = call.claim
}

function askAhead(ctx: Ctx, call: Call): Ctx['ahead'] {
  let all: (Promise<unknown> | undefined)[] | undefined
  for (const [index, { ahead }] of call.operation.requires.entries()) {
    if (!ahead) continue
    const begun = ahead(ctx, call)
    // A refused request does not wait for this promise. A caller that awaits it gets the error.
    begun.catch(() => {})
    all ??= []
    all[index] = begun
  }
  return all
}

async function whoAsks(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Identity> {
  const identity = await identify(services, readers, call)
  if (identity && call.operation.lasts) lastingIdentities.set(call, identity)
  const found = identity?.viewer
  if (found) {
    const request = requestOrigin()
    if (request) Object.assign(request, { person: found.user, credential: credentialName(found.credential) })
    call.claim = { viewer: found.id, isAdmin: found.isAdmin, address: call.claim.address, repository: undefined }
  }
  return actAs(services, call, identity)
}

/** Applies sudo and the limits of the credential. */
async function actAs(services: Services, call: Call, identity: Identity | undefined): Promise<Identity> {
  const { operation, method } = call
  const found = identity?.viewer
  const viewer = operation.base === 'site' ? found : await applySudo(services, call, found)
  const { outlivesCredential } = operation
  checkScopes(viewer, operation.scope, outlivesCredential !== false ? 'POST' : method, operation.narrowScope)
  if (!isInRepo(operation)) checkCredentialLimits(viewer, call)
  return identity?.principal ? { viewer, principal: identity.principal } : { viewer }
}

import { asking } from '../audit/asking.ts'
import type { CredentialReader, Identity } from '../auth/credentials.ts'
import { applySudo, identify } from '../auth/identify.ts'
import { rereadViewer } from '../auth/reread-viewer.ts'
import { credentialName, type Viewer } from '../auth/viewer.ts'
import type { Call, Operation, Scope } from '../http/operation.ts'
import { Forbidden, Refusal } from '../lib/errors.ts'
import type { Ctx, Services } from './context.ts'
import { checkOutlives, checkScopes } from './requirements.ts'

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
  await addCaller(ctx, call, () => whoAsks(services, readers, call))
  return ctx
}

/**
 * The context of a request by now, while its answer is under way: its credential is read again. A one-time code counts
 * once and a resumed session changes its secret, so of a password and of a session only what they rest on is read.
 */
export async function admitAgain(services: Services, readers: readonly CredentialReader[], call: Call): Promise<Ctx> {
  const ctx: { -readonly [Part in keyof Ctx]: Ctx[Part] } = { ...services }
  await addCaller(ctx, call, async () => {
    const first = lastingIdentities.get(call)
    const again = first?.viewer && (await rereadViewer(services, first.viewer))
    return actAs(services, call, again ? { ...first, viewer: again } : await identify(services, readers, call))
  })
  return ctx
}

/** Who asked first, before sudo, for answers that last. */
const lastingIdentities = new WeakMap<Call, Identity>()

async function addCaller(
  ctx: { -readonly [Part in keyof Ctx]: Ctx[Part] },
  call: Call,
  find: () => Promise<Identity>,
): Promise<void> {
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
  const identity = await identify(services, readers, call)
  if (identity && call.operation.lasts) lastingIdentities.set(call, identity)
  const found = identity?.viewer
  if (found) {
    const asked = asking()
    if (asked) Object.assign(asked, { person: found.user, credential: credentialName(found.credential) })
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
  checkScopes(viewer, operation.scope, outlivesCredential ? 'POST' : method, operation.narrowScope)
  if (outlivesCredential) checkOutlives(viewer)
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
function checkJob(viewer: Viewer | undefined, { base, scope, path }: Operation, method: string): void {
  if (viewer?.credential.kind !== 'job' || method === 'GET' || method === 'HEAD') return
  const isOfAccount = scope.some((each) => ofAccounts.has(each)) || /^\/users?\//.test(path)
  if (!isOfAccount && (base !== 'api' || !viewer.credential.readOnly)) return
  throw new Forbidden('a job of a workflow may not do this', 'job_of_workflow')
}

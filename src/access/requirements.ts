import { grants, levelOf } from '../auth/token-scopes.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { NarrowScope, Requirement, Scope } from '../http/operation.ts'
import { Forbidden, NotFound, Unauthenticated } from '../lib/errors.ts'
import type { Ctx, SignedInCtx } from './context.ts'

/** Passes for everybody. */
export const anyone: Requirement<Ctx, object> = { codes: [], refuses: [], check: () => ({}) }

/** T: the caller is signed in with any credential (contract A3). */
export const signedIn: Requirement<Ctx, Pick<SignedInCtx, 'viewer'>> = {
  codes: ['T'],
  refuses: [401, 403],
  check({ viewer, refusedCredential }) {
    if (!viewer) throw refusedCredential ?? new Unauthenticated()
    return { viewer }
  },
}

/** SA: an administrator of the instance. */
export const siteAdmin: Requirement<SignedInCtx, object> = {
  codes: ['SA'],
  refuses: [403],
  check({ viewer }) {
    if (!viewer.isAdmin) throw new Forbidden('only administrators of the instance may do this', 'site_admin_only')
    return {}
  },
}

/** A further scope that a token needs, checked after the operation's own (contract A2). */
export const tokenScope = (...categories: readonly Scope[]): Requirement<Ctx, object> => ({
  codes: [`scope:${categories.join('+')}`],
  refuses: [403],
  check({ viewer }, call) {
    checkScopes(viewer, categories, call.operation.outlivesCredential !== false ? 'POST' : call.method)
    return {}
  },
})

/** Throws when the viewer's token lacks one of the scopes at the level of the method. */
export function checkScopes(
  viewer: Ctx['viewer'],
  categories: readonly Scope[],
  method: string,
  narrow?: NarrowScope,
): void {
  const missing = missingScope(viewer, categories, method, narrow)
  if (!missing) return
  const scope = `${levelOf(method)}:${missing}`
  throw new Forbidden(`token does not have the scope ${scope}`, 'scope_missing', { scope })
}

/** Returns the first scope that the viewer's token lacks at the level of the method. */
export function missingScope(
  viewer: Ctx['viewer'],
  categories: readonly Scope[],
  method: string,
  narrow?: NarrowScope,
): Scope | undefined {
  if (viewer?.credential.kind !== 'token') return undefined
  const { scopes } = viewer.credential
  if (narrow && scopes.narrow.has(narrow)) return undefined
  return categories.find((category) => !grants(scopes, category, levelOf(method)))
}

/** Credentials that carry name and password (or a token in their place), for managing tokens (contract E2). */
export const basicAuth: Requirement<Ctx, object> = {
  codes: ['basicAuth'],
  refuses: [401],
  check({ viewer }) {
    const { credential } = viewer ?? {}
    const isBasic = credential?.kind === 'token' ? credential.basic : credential?.kind === 'password'
    if (isBasic || credential?.kind === 'proxy') return {}
    throw new Unauthenticated('auth required', 'basic_auth_required')
  },
}

/** Refuses guests if exploring needs a sign-in (contract A4). */
export const exploreSignIn: Requirement<Ctx, object> = {
  codes: ['exploreSignIn'],
  refuses: [401],
  check({ viewer, config }) {
    if (!viewer && (config.service.requireSigninView || config.serviceExplore.requireSigninView)) {
      throw new Unauthenticated('you must be signed in')
    }
    return {}
  },
}

export const attachmentsEnabled: Requirement<Ctx, object> = {
  codes: ['attachmentsEnabled'],
  refuses: [404],
  check({ config }) {
    if (!config.attachment.enabled) throw new NotFound('attachments are disabled', 'attachments_disabled')
    return {}
  },
}

/**
 * Requires a setting of the instance. Otherwise the operation is 404 for everybody.
 *
 * @param code the contract's name of it, `…Enabled`
 */
export const switchedOn = (
  code: `${string}Enabled`,
  isOn: (config: Ctx['config']) => boolean,
): Requirement<Ctx, object> => ({
  codes: [code],
  refuses: [404],
  check({ config }) {
    if (!isOn(config)) throw new NotFound('this is switched off', 'switched_off')
    return {}
  },
})

/** The refusal for a public-only credential. */
export const publicOnly = (what: 'repos' | 'orgs' | 'users' | 'packages'): Forbidden =>
  new Forbidden(`token scope is limited to public ${what}`, 'public_only')

/** Throws when the credential is public-only and the account is not public. */
export function refuseWithheld(viewer: Ctx['viewer'], account: UserRow, what: 'orgs' | 'users'): void {
  if (account.visibility !== 'public' && viewer?.limit.publicOnly) throw publicOnly(what)
}

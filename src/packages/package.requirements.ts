import type { Ctx, SignedInCtx, SubjectCtx } from '../access/context.ts'
import { resolveAccount } from '../access/named-account.ts'
import { missingScope, publicOnly, switchedOn } from '../access/requirements.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { NotFound, Unauthenticated } from '../lib/errors.ts'
import { must } from '../lib/verdict.ts'
import { getStanding } from './package-access.service.ts'
import {
  mayChangeCleanupRules,
  mayChangeUpstreams,
  mayPublishPackages,
  mayReadPackages,
  mayWritePackages,
  type Standing,
} from './package.policy.ts'
import { getVersion } from './package.service.ts'
import type { VersionRecord } from './package.store.ts'

/** The owner of packages that the path names, and the caller's standing with the owner. */
export interface PackagesCtx extends SubjectCtx {
  readonly standing: Standing
}

/** Answers 404 where `[packages].ENABLED` is false. */
export const packagesOn = switchedOn('packagesEnabled', (config) => config.packages.enabled)

/** A public-only credential reads nothing of private owners, but does read limited ones (observed). */
function refuseNotPublic(viewer: Viewer | undefined, owner: UserRow): void {
  if (owner.visibility === 'private' && viewer?.limit.publicOnly) throw publicOnly('packages')
}

/**
 * The caller may read packages of the path's owner. A refused caller may not see the owner either, so the reply is that
 * of a
 * missing owner.
 */
export const packagesReadable: Requirement<SubjectCtx, Pick<PackagesCtx, 'standing'>> = {
  codes: ['packageRead', 'publicOnlyCheck'],
  refuses: [403, 404],
  async check(ctx) {
    const standing = await getStanding(ctx, ctx.subject)
    if (!mayReadPackages(ctx.viewer, ctx.subject, standing).allowed) {
      throw new NotFound('the user does not exist', 'user_not_found')
    }
    refuseNotPublic(ctx.viewer, ctx.subject)
    return { standing }
  },
}

/** The caller may write packages of the path's owner. */
export const packagesWritable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageWrite'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayWritePackages(viewer, subject, standing))
    return {}
  },
}

/** The caller may set upstreams for the registries of the path's owner. */
export const upstreamsChangeable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageUpstreams'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayChangeUpstreams(viewer, subject, standing))
    return {}
  },
}

/** The caller may set clean-up rules for the packages of the path's owner. */
export const cleanupRulesChangeable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageCleanupRules'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayChangeCleanupRules(viewer, subject, standing))
    return {}
  },
}

const versionParams = { type: pathText, name: pathText, version: pathText }

/** The package version that the path names. */
export const namedVersion: Requirement<PackagesCtx, { readonly version: VersionRecord }, typeof versionParams> = {
  codes: ['resolve:package'],
  refuses: [404],
  params: versionParams,
  async check(ctx, { params }) {
    return { version: await getVersion(ctx, params) }
  },
}

const ownerParams = { username: pathText }

async function openRegistry(
  ctx: Ctx,
  call: Call<typeof ownerParams>,
  level: 'read' | 'write',
): Promise<Pick<PackagesCtx, 'subject' | 'standing'>> {
  const { viewer, config } = ctx
  if (!viewer && (level === 'write' || config.service.requireSigninView)) throw signInNeeded()
  if (missingScope(viewer, ['package'], level === 'read' ? 'GET' : 'PUT') !== undefined) throw signInNeeded()
  const { username } = call.params
  const missing = () => (viewer?.isAdmin ? new NotFound('the owner does not exist', 'user_not_found') : signInNeeded())
  const subject = await resolveAccount(ctx, call, { parameter: 'username', name: username, missing })
  const standing = await getStanding(ctx, subject)
  if (!mayReadPackages(viewer, subject, standing).allowed) throw signInNeeded()
  refuseNotPublic(viewer, subject)
  if (level === 'write' && !(viewer && mayPublishPackages(viewer, subject, standing).allowed)) throw signInNeeded()
  return { subject, standing }
}

const signInNeeded = (): Unauthenticated => new Unauthenticated('sign in with an account that may do this')

const aboutRegistry = { refuses: [401, 403, 404], params: ownerParams }

/**
 * The caller may read from the registries of the path's owner. A refusal is always 401, even for a signed-in caller, so
 * that
 * clients try other credentials (observed).
 */
export const mayPull: Requirement<Ctx, Pick<PackagesCtx, 'subject' | 'standing'>, typeof ownerParams> = {
  ...aboutRegistry,
  codes: ['registryRead'],
  check: (ctx, call) => openRegistry(ctx, call, 'read'),
}

/** The caller may write to the registries of the path's owner. */
export const mayPublish: Requirement<
  Ctx,
  Pick<PackagesCtx, 'subject' | 'standing'> & Pick<SignedInCtx, 'viewer'>,
  typeof ownerParams
> = {
  ...aboutRegistry,
  codes: ['registryWrite'],
  async check(ctx, call) {
    const opened = await openRegistry(ctx, call, 'write')
    if (!ctx.viewer) throw signInNeeded()
    return { ...opened, viewer: ctx.viewer }
  },
}

import type { Ctx, SignedInCtx, SubjectCtx } from '../access/context.ts'
import { resolveAccount } from '../access/named-account.ts'
import { missingScope, publicOnly, switchedOn } from '../access/requirements.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { NotFound, Unauthenticated } from '../lib/errors.ts'
import { must } from '../lib/verdict.ts'
import { standingWith } from './package-access.service.ts'
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

/** The owner of packages that the path names, and what the caller is there. */
export interface PackagesCtx extends SubjectCtx {
  readonly standing: Standing
}

/** There are packages here; else their addresses are not there. */
export const packagesOn = switchedOn('packagesEnabled', (config) => config.packages.enabled)

/** A credential for public things alone has nothing of private owners (observed: of limited ones it has). */
function refuseNotPublic(viewer: Viewer | undefined, owner: UserRow): void {
  if (owner.visibility === 'private' && viewer?.limit.publicOnly) throw publicOnly('packages')
}

/**
 * The caller may read packages of the owner of the path. The packages are closed only to callers who may not see the owner,
 * so the owner is answered like a missing one.
 */
export const packagesReadable: Requirement<SubjectCtx, Pick<PackagesCtx, 'standing'>> = {
  codes: ['packageRead', 'publicOnlyCheck'],
  refuses: [403, 404],
  async check(ctx) {
    const standing = await standingWith(ctx, ctx.subject)
    if (!mayReadPackages(ctx.viewer, ctx.subject, standing).allowed) {
      throw new NotFound('the user does not exist', 'user_not_found')
    }
    refuseNotPublic(ctx.viewer, ctx.subject)
    return { standing }
  },
}

/** The caller may write packages of the owner of the path. */
export const packagesWritable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageWrite'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayWritePackages(viewer, subject, standing))
    return {}
  },
}

/** The caller may say where the registries of the owner of the path fetch what they do not have. */
export const upstreamsChangeable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageUpstreams'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayChangeUpstreams(viewer, subject, standing))
    return {}
  },
}

/** The caller may say what goes by itself of the packages of the owner of the path. */
export const cleanupRulesChangeable: Requirement<PackagesCtx & SignedInCtx, object> = {
  codes: ['packageCleanupRules'],
  refuses: [403],
  check({ viewer, subject, standing }) {
    must(mayChangeCleanupRules(viewer, subject, standing))
    return {}
  },
}

const versionParams = { type: pathText, name: pathText, version: pathText }

/** The version of a package that the path names. */
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
  const standing = await standingWith(ctx, subject)
  if (!mayReadPackages(viewer, subject, standing).allowed) throw signInNeeded()
  refuseNotPublic(viewer, subject)
  if (level === 'write' && !(viewer && mayPublishPackages(viewer, subject, standing).allowed)) throw signInNeeded()
  return { subject, standing }
}

const signInNeeded = (): Unauthenticated => new Unauthenticated('a sign-in that may do this is needed')

const aboutRegistry = { refuses: [401, 403, 404], params: ownerParams }

/**
 * Reading from the registries of the owner that the path names. Whoever may not is asked to sign in, signed in or not: so
 * clients look for other credentials (observed).
 */
export const mayPull: Requirement<Ctx, Pick<PackagesCtx, 'subject' | 'standing'>, typeof ownerParams> = {
  ...aboutRegistry,
  codes: ['registryRead'],
  check: (ctx, call) => openRegistry(ctx, call, 'read'),
}

/** Writing to them. */
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

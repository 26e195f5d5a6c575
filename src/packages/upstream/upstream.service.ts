import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageUpstreamRow } from '../../db/tables/packages.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { comparable, normalName } from '../package.rules.ts'
import { removeVersion } from '../package.service.ts'
import { isReserved, reservedNames, upstreamUrl, upstreamVersion, type UpstreamType } from './upstream.rules.ts'
import { createSource, type UpstreamSource } from './upstream-source.ts'
import { deleteOwnName, isOwnName } from '../own-name.store.ts'
import {
  deleteUpstream,
  findUpstream,
  hasPublicVersion,
  listKeptVersions,
  listUpstreams,
  putUpstream,
} from './upstream.store.ts'

/** The purpose under which secrets are sealed. */
export const upstreamSecretPurpose = 'package-upstream'

/** The settings of an upstream. An undefined setting keeps its value; user name and secret only while the URL stays. */
export interface UpstreamSettings {
  readonly url: string
  readonly userName: string | undefined
  /** An empty secret removes the stored one. */
  readonly secret: string | undefined
  readonly reserved: readonly string[] | undefined
}

/** Lists the upstreams of an owner's registries. */
export const getUpstreams = ({ db, subject }: SubjectCtx): Promise<PackageUpstreamRow[]> =>
  listUpstreams(db, subject.id)

/** Creates or changes the upstream of a registry. Throws `Invalid`. */
export async function setUpstream(
  ctx: SubjectCtx,
  type: UpstreamType,
  { url, userName, secret, reserved }: UpstreamSettings,
): Promise<PackageUpstreamRow> {
  const { db, subject, secrets, clock } = ctx
  const known = await findUpstream(db, subject.id, type)
  const address = upstreamUrl(url)
  // Credentials belong to the server that they were entered for.
  const kept = known?.url === address ? known : undefined
  const sealedSecret = secret ? secrets.seal(upstreamSecretPurpose, secret) : null
  const row: PackageUpstreamRow = {
    owner_id: subject.id,
    type,
    url: address,
    user_name: userName ?? kept?.user_name ?? '',
    sealed_secret: secret === undefined ? (kept?.sealed_secret ?? null) : sealedSecret,
    reserved: reserved ? JSON.stringify(reservedNames(reserved)) : (known?.reserved ?? '[]'),
    created_unix: nowUnix(clock),
  }
  await transaction(db, (tx) => putUpstream(tx, row))
  if (known && known.url !== address) await removeKept(ctx, type)
  return row
}

/** Number of versions that are loaded at once for removal. */
const batch = 100

/** Removes all files that were fetched from an upstream. */
async function removeKept(ctx: SubjectCtx, type: string): Promise<void> {
  const list = () => listKeptVersions(ctx.db, ctx.subject.id, type, upstreamVersion, batch)
  const services = { ...ctx, viewer: ctx.viewer }
  if (!services.viewer) return
  const signedIn = { ...services, viewer: services.viewer }
  for (let versions = await list(); versions.length > 0; versions = await list()) {
    for (const version of versions) await removeVersion(signedIn, version)
  }
}

/** Removes the upstream of a registry and the files from it. Throws `NotFound` without an upstream. */
export async function removeUpstream(ctx: SubjectCtx & SignedInCtx, type: string): Promise<void> {
  if (!(await transaction(ctx.db, (tx) => deleteUpstream(tx, ctx.subject.id, type)))) {
    throw new NotFound('the registry has no upstream', 'upstream_not_found')
  }
  await removeKept(ctx, type)
}

/**
 * Gives up a name that the owner has published, so that the upstream serves it. Throws `NotFound` when the owner has not
 * published it, `Conflict` while it has versions.
 */
export async function releaseName(ctx: SubjectCtx, type: UpstreamType, name: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    if (await hasPublicVersion(tx, ctx.subject.id, type, comparable(name))) {
      throw new Conflict('the package has versions; delete them first', 'package_has_versions')
    }
    if (!(await deleteOwnName(tx, ctx.subject.id, type, normalName(type, name)))) {
      throw new NotFound('the owner has not published this name', 'package_name_not_found')
    }
  })
}

/**
 * Returns the local result, or asks the upstream when the name is not the owner's. A name that the owner has ever
 * published, or reserved, is never looked up elsewhere, which prevents dependency confusion. Without an upstream it throws
 * the local error.
 * @param local throws `NotFound` for a missing package
 */
export async function orUpstream<Result>(
  ctx: SubjectCtx,
  { type, name }: { readonly type: UpstreamType; readonly name: string },
  local: () => Promise<Result>,
  remote: (source: UpstreamSource) => Promise<Result>,
): Promise<Result> {
  try {
    return await local()
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const source = await sourceFor(ctx, type, name)
    if (!source) throw error
    return remote(source)
  }
}

async function sourceFor(ctx: SubjectCtx, type: UpstreamType, name: string): Promise<UpstreamSource | undefined> {
  const upstream = await findUpstream(ctx.db, ctx.subject.id, type)
  if (!upstream || isReserved(type, JSON.parse(upstream.reserved) as string[], name)) return undefined
  if (await isOwnName(ctx.db, ctx.subject.id, type, normalName(type, name))) return undefined
  const { sealed_secret: sealed } = upstream
  const secret = sealed === null ? undefined : ctx.secrets.open(upstreamSecretPurpose, sealed)
  return createSource(ctx, upstream, secret, name)
}

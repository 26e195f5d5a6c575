import type { Readable } from 'node:stream'
import type { SignedInCtx } from '../access/context.ts'
import { addToUsage, loadUsage } from '../access/usage.store.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import { publish } from '../events/hub.ts'
import { Conflict } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { keepContent, receiveContent, tooLarge, type Arrived } from './content.service.ts'
import { findFile, insertFile } from './file.store.ts'
import { comparable, refuseOverTotals } from './package.rules.ts'
import {
  countVersions,
  findPackageForUpdate,
  findVersion,
  findVersionOf,
  insertPackage,
  insertVersion,
  type PackageKey,
} from './package.store.ts'

/** Whoever publishes, and the owner that it is published under. */
type PublishCtx = SignedInCtx & { readonly subject: UserRow }

/** A file of a version, as its registry names it. All names were checked. */
export interface NewPackageFile {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly fileName: string
  /** Tells files of one name apart where the registry has such. */
  readonly fileKey?: string
  /** Downloads of it count as downloads of the version. */
  readonly isLead: boolean
}

/** A file that is being sent. */
export interface Incoming {
  /** Its size, when the client says it before. */
  readonly sizeBytes: number | undefined
  readonly signal: AbortSignal
  /** Hands over the content; throws when there is none. */
  receive(take: (content: Readable) => Promise<void>): Promise<void>
}

const kind = 'packages'

const alreadyThere = () => new Conflict('the file is there already', 'package_file_exists')

const keyOf = ({ subject }: PublishCtx, { type, name }: NewPackageFile): PackageKey => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(name),
})

/**
 * Adds a file to a version, which is made if it is not there, as is its package. Throws `Conflict` when the version has
 * the file, `Forbidden` over a limit of the settings; what was sent is not kept then.
 * @param limitBytes of the registry (`[packages].LIMIT_SIZE_…`); negative is no limit
 */
export async function publishFile(
  ctx: PublishCtx,
  file: NewPackageFile,
  incoming: Incoming,
  limitBytes: number,
): Promise<void> {
  const maxBytes = limitBytes < 0 || ctx.viewer.isAdmin ? Infinity : limitBytes
  await refuseEarly(ctx, file, incoming.sizeBytes ?? 0, maxBytes)
  await incoming.receive(async (content) => {
    const arrived = await receiveContent(ctx, content, maxBytes, incoming.signal)
    await recordFile(ctx, file, arrived)
  })
}

/** What is known to be refused is refused before it is sent. */
async function refuseEarly(ctx: PublishCtx, file: NewPackageFile, sizeBytes: number, maxBytes: number): Promise<void> {
  if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
  const version = await findVersion(ctx.db, keyOf(ctx, file), comparable(file.version))
  if (version) {
    const lowerName = comparable(file.fileName)
    if (await findFile(ctx.db, version.id, { lowerName, fileKey: file.fileKey ?? '' })) throw alreadyThere()
  }
  await refuseOverOwnerLimits(ctx, ctx.db, { sizeBytes, versions: version ? 0 : 1 })
}

/** Throws `Forbidden` when what the owner has, and this beside, is more than the settings allow. Administrators may. */
async function refuseOverOwnerLimits(
  { config, viewer, subject }: PublishCtx,
  db: SignedInCtx['db'] | Tx,
  more: { readonly sizeBytes: number; readonly versions: number },
): Promise<void> {
  const settings = config.packages
  if (viewer.isAdmin || (settings.limitTotalOwnerSize < 0 && settings.limitTotalOwnerCount < 0)) return
  const [usage, versions] = [await loadUsage(db, subject.id), await countVersions(db, { ownerId: subject.id })]
  refuseOverTotals(settings, {
    sizeBytes: (usage[kind] ?? 0) + more.sizeBytes,
    versions: versions + more.versions,
  })
}

const recordFile = (ctx: PublishCtx, file: NewPackageFile, arrived: Arrived): Promise<void> =>
  keepContent(ctx, arrived, (holdContent) =>
    transaction(ctx.db, async (tx) => {
      const { version, isNew } = await holdOrInsertVersion(ctx, tx, file)
      const blob = await holdContent(tx)
      const added = await insertFile(tx, {
        version_id: version.id,
        blob_id: blob.id,
        name: file.fileName,
        lower_name: comparable(file.fileName),
        file_key: file.fileKey ?? '',
        is_lead: file.isLead,
        size_bytes: blob.size_bytes,
        created_unix: nowUnix(ctx.clock),
      })
      if (!added) throw alreadyThere()
      // The ledger's row is held from here on: of several uploads the later ones count what the earlier ones added.
      await addToUsage(tx, { ownerId: ctx.subject.id }, kind, blob.size_bytes)
      await refuseOverOwnerLimits(ctx, tx, { sizeBytes: 0, versions: 0 })
      if (isNew) {
        await publish(tx, 'package.created', {
          ownerId: ctx.subject.id,
          packageId: version.package_id,
          versionId: version.id,
          doerId: ctx.viewer.id,
        })
      }
    }),
  )

async function holdOrInsertVersion(
  ctx: PublishCtx,
  tx: Tx,
  file: NewPackageFile,
): Promise<{ readonly version: PackageVersionRow; readonly isNew: boolean }> {
  const parent = await holdOrInsertPackage(ctx, tx, file)
  const lowerVersion = comparable(file.version)
  const known = await findVersionOf(tx, parent.id, lowerVersion)
  if (known) return { version: known, isNew: false }
  const version = await insertVersion(tx, {
    package_id: parent.id,
    owner_id: parent.owner_id,
    type: parent.type,
    version: file.version,
    lower_version: lowerVersion,
    creator_id: ctx.viewer.id,
    download_count: 0,
    created_unix: nowUnix(ctx.clock),
  })
  return { version, isNew: true }
}

async function holdOrInsertPackage(ctx: PublishCtx, tx: Tx, file: NewPackageFile): Promise<PackageRow> {
  const key = keyOf(ctx, file)
  // The one that is there may go with its last version while it is reached for.
  for (;;) {
    const inserted = await insertPackage(tx, {
      owner_id: key.ownerId,
      repo_id: null,
      type: key.type,
      name: file.name,
      lower_name: key.lowerName,
      created_unix: nowUnix(ctx.clock),
    })
    const parent = inserted ?? (await findPackageForUpdate(tx, key))
    if (parent) return parent
  }
}

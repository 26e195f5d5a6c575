import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { enqueue } from '../jobs/queue.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { ImportId, UserId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { checkMigration, migrateRepo, type Migration } from '../repos/lifecycle/migrate.service.ts'
import { nameTaken } from '../repos/lifecycle/repo-creation.service.ts'
import { parseRemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { lookAtRemote } from '../repos/mirrors/remote-repository.service.ts'
import { findRepoById } from '../repos/repo.store.ts'
import {
  countImportsOf,
  deleteEndedBefore,
  deleteImport,
  findImport,
  findImportOf,
  insertImport,
  listImportsOf,
  updateUnfinished,
} from './import.store.ts'
import { runImportJob } from './run-import.job.ts'
import { importPurpose } from './run-import.service.ts'
import { isSourceKind, type SourceCredentials } from './sources/open-source.ts'
import { importItems, type ImportItem, type WantedImport } from './wanted-import.ts'

/** The request to import a repository. */
export interface RepositoryRequest extends Migration {
  readonly lfsEndpoint?: string | undefined
}

/** The result of a request. */
export type ImportResult =
  | { readonly kind: 'created'; readonly repo: RepoRow }
  | { readonly kind: 'in progress'; readonly importId: ImportId }

/** How long ended imports are listed, in seconds; the next import deletes older ones. */
const retentionSeconds = 30 * 86_400

/** How long a request waits for its import, in milliseconds; then it is answered 202. */
const maxWaitMs = 3_600_000

/**
 * Imports a repository. Plain git data are copied within the request; anything more is an import job, whose end this awaits if
 * `waits` is true. Refusals are those of `migrateRepo`; a failed import is `Invalid` with its reason.
 */
export async function importRepository(
  ctx: SignedInCtx,
  owner: UserRow,
  input: RepositoryRequest,
  options: { readonly waits: boolean },
): Promise<ImportResult> {
  const items = wantedItems(input)
  if (items.length === 0) return { kind: 'created', repo: await migrateRepo(ctx, owner, input) }
  const importId = await startImport(ctx, owner, input, items)
  return options.waits ? waitFor(ctx, importId, input) : { kind: 'in progress', importId }
}

/** Returns the requested items that the source server supports. */
function wantedItems({ service, items }: Migration): ImportItem[] {
  const hasApi = isSourceKind(service.toLowerCase())
  return importItems.filter((item) => items.includes(item) && (hasApi || item === 'wiki' || item === 'lfs'))
}

async function startImport(
  ctx: SignedInCtx,
  owner: UserRow,
  input: RepositoryRequest,
  items: readonly ImportItem[],
): Promise<ImportId> {
  const { config, db } = ctx
  const { address, intervalSeconds } = await checkMigration(ctx, owner, input)
  const endpoint = items.includes('lfs') ? checkedEndpoint(input.lfsEndpoint) : undefined
  if (items.includes('lfs') && !config.server.lfsStartServer) {
    throw new Invalid('LFS is switched off on this server', 'migration_not_possible')
  }
  // A wrong address or wrong credentials are reported at once.
  await lookAtRemote(ctx, address)
  const kind = input.service.toLowerCase()
  const wanted: WantedImport = {
    address: address.url,
    service: isSourceKind(kind) ? kind : 'git',
    items,
    name: input.name,
    isPrivate: input.isPrivate ?? false,
    ...(input.description ? { description: input.description } : {}),
    ...(input.isMirror ? { mirrorSeconds: intervalSeconds } : {}),
    ...(endpoint === undefined ? {} : { lfsEndpoint: endpoint }),
  }
  const credentials: SourceCredentials = {
    username: address.credentials?.username ?? '',
    password: address.credentials?.password ?? '',
    token: input.credentials.token ?? '',
  }
  const now = nowUnix(ctx.clock)
  const { maxImportsPerAccount } = config.ingot
  try {
    return await transaction(db, async (tx) => {
      if ((await countImportsOf(tx, ctx.viewer.id, 'unfinished')) >= maxImportsPerAccount) {
        throw new Invalid(
          `the limit of ${maxImportsPerAccount} imports in progress is reached; wait until one ends`,
          'too_many_imports',
        )
      }
      await deleteEndedBefore(tx, now - retentionSeconds)
      const { id } = await insertImport(tx, {
        doer_id: ctx.viewer.id,
        owner_id: owner.id,
        lower_name: input.name.toLowerCase(),
        wanted: JSON.stringify(wanted),
        sealed_credentials: address.credentials ? ctx.secrets.seal(importPurpose, JSON.stringify(credentials)) : '',
        state: 'waiting',
        repo_id: null,
        created_unix: now,
        updated_unix: now,
      })
      await enqueue(tx, runImportJob, { importId: id })
      return id
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(input.name)
    throw error
  }
}

function checkedEndpoint(given: string | undefined): string | undefined {
  if (!given) return undefined
  const endpoint = parseRemoteAddress(given, {})
  if (typeof endpoint === 'string' || endpoint.credentials) {
    throw new Invalid('the LFS endpoint must be an http or https address without credentials', 'lfs_endpoint_invalid')
  }
  return endpoint.url
}

/** Waits for an import, which continues when the client disconnects. */
async function waitFor(ctx: Ctx, importId: ImportId, { signal }: RepositoryRequest): Promise<ImportResult> {
  const startMs = performance.now()
  for (let pauseMs = 20; performance.now() - startMs < maxWaitMs; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    const row = await findImport(ctx.db, importId)
    if (row?.state === 'done' && row.repo_id !== null) {
      const repo = await findRepoById(ctx.db, row.repo_id)
      if (repo) return { kind: 'created', repo }
    }
    if (row?.state === 'failed') throw new Invalid(row.problem, 'import_failed')
    if (row?.state !== 'waiting' && row?.state !== 'running') {
      throw new Invalid('the import was cancelled', 'import_failed')
    }
    await sleep(pauseMs, undefined, signal ? { signal } : {})
  }
  return { kind: 'in progress', importId }
}

const noImport = (): NotFound => new NotFound('you have no import with this id', 'import_not_found')

/** Returns an import of the viewer. Throws `NotFound` for any other. */
export async function getImport(ctx: SignedInCtx, id: number): Promise<ImportRow> {
  const row = await findImportOf(ctx.db, ctx.viewer.id, id as ImportId)
  if (!row) throw noImport()
  return row
}

/** Returns one page of the viewer's imports, newest first, and their total. */
export async function getImports(
  ctx: SignedInCtx,
  page: Page,
): Promise<{ readonly rows: readonly ImportRow[]; readonly total: number }> {
  const doerId: UserId = ctx.viewer.id
  const [rows, total] = await rowsAndTotal(page, listImportsOf(ctx.db, doerId, page), countImportsOf(ctx.db, doerId))
  return { rows, total }
}

/** Cancels an import in progress, or deletes the record of an ended one. */
export async function endImport(ctx: SignedInCtx, id: number): Promise<void> {
  const row = await getImport(ctx, id)
  await transaction(ctx.db, async (tx) => {
    const running = await updateUnfinished(tx, row.id, { is_cancelled: true })
    if (!running) await deleteImport(tx, row.id)
    // An import that waits for its turn or for the source server ends now.
    else if (row.state === 'waiting') await enqueue(tx, runImportJob, { importId: row.id })
  })
}

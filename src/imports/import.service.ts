import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { enqueue } from '../jobs/queue.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { ImportId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
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

/** A repository that is wanted here, with what belongs to it. */
export interface RepositoryRequest extends Migration {
  readonly lfsEndpoint?: string | undefined
}

/** What became of a request. */
export type Brought =
  | { readonly kind: 'made'; readonly repo: RepoRow }
  | { readonly kind: 'under way'; readonly importId: ImportId }

/** How long imports that are over are kept to be seen, in seconds: until somebody asks for another. */
const keptSeconds = 30 * 86_400

/** How long a request waits for its import, in milliseconds; then it is told where to ask. */
const maxWaitMs = 3_600_000

/**
 * Brings a repository here. Git data alone are copied at once; what is more is an import, which outlives the request and the
 * process: this waits for its end unless `isPatient` is false. Refusals are those of `migrateRepo`; what fails on the way is
 * `Invalid`, with the reason.
 */
export async function bringRepository(
  ctx: SignedInCtx,
  owner: UserRow,
  input: RepositoryRequest,
  options: { readonly isPatient: boolean },
): Promise<Brought> {
  const items = wantedItems(input)
  if (items.length === 0) return { kind: 'made', repo: await migrateRepo(ctx, owner, input) }
  const importId = await startImport(ctx, owner, input, items)
  return options.isPatient ? waitFor(ctx, importId, input) : { kind: 'under way', importId }
}

/** What is asked for besides git data, of what the other server can have. */
function wantedItems({ service, items }: Migration): ImportItem[] {
  const isAsked = isSourceKind(service.toLowerCase())
  return importItems.filter((item) => items.includes(item) && (isAsked || item === 'wiki' || item === 'lfs'))
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
    throw new Invalid('LFS is switched off here', 'migration_not_possible')
  }
  // What is wrong with the address or the credentials is told at once.
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
        throw new Invalid(`${maxImportsPerAccount} imports are under way already`, 'too_many_imports')
      }
      await deleteEndedBefore(tx, now - keptSeconds)
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
    throw new Invalid('the address of LFS objects is no address of http or https', 'lfs_endpoint_invalid')
  }
  return endpoint.url
}

/** The import goes on when whoever waits goes away; they find it among theirs. */
async function waitFor(ctx: Ctx, importId: ImportId, { signal }: RepositoryRequest): Promise<Brought> {
  const startMs = performance.now()
  for (let pauseMs = 20; performance.now() - startMs < maxWaitMs; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    const row = await findImport(ctx.db, importId)
    if (row?.state === 'done' && row.repo_id !== null) {
      const repo = await findRepoById(ctx.db, row.repo_id)
      if (repo) return { kind: 'made', repo }
    }
    if (row?.state === 'failed') throw new Invalid(row.problem, 'import_failed')
    if (row?.state !== 'waiting' && row?.state !== 'running') {
      throw new Invalid('the import was given up', 'import_failed')
    }
    await sleep(pauseMs, undefined, signal ? { signal } : {})
  }
  return { kind: 'under way', importId }
}

const noImport = (): NotFound => new NotFound('there is no such import', 'import_not_found')

/** An import of the viewer's, or `NotFound`. */
export async function getImport(ctx: SignedInCtx, id: number): Promise<ImportRow> {
  const row = await findImportOf(ctx.db, ctx.viewer.id, id as ImportId)
  if (!row) throw noImport()
  return row
}

/** One page of the viewer's imports, the newest first, and how many there are. */
export async function getImports(
  ctx: SignedInCtx,
  page: Page,
): Promise<{ readonly rows: readonly ImportRow[]; readonly total: number }> {
  const doerId: UserId = ctx.viewer.id
  const [rows, total] = await Promise.all([listImportsOf(ctx.db, doerId, page), countImportsOf(ctx.db, doerId)])
  return { rows, total }
}

/** Has an import end that is under way, and forgets one that is over. */
export async function endImport(ctx: SignedInCtx, id: number): Promise<void> {
  const row = await getImport(ctx, id)
  await transaction(ctx.db, async (tx) => {
    const running = await updateUnfinished(tx, row.id, { is_cancelled: true })
    if (!running) await deleteImport(tx, row.id)
    // One that waits for its turn, or for the other server, ends now.
    else if (row.state === 'waiting') await enqueue(tx, runImportJob, { importId: row.id })
  })
}

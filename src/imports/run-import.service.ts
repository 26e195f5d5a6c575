import type { Ctx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { GiveUp, type JobRun } from '../jobs/job.ts'
import { Refusal } from '../lib/errors.ts'
import type { ImportId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { fetchRemoteObjects } from '../lfs/objects/remote-objects.service.ts'
import { mayMakeReposFor } from '../repos/lifecycle/migrate.service.ts'
import { migrationClient } from '../repos/mirrors/migration-client.ts'
import type { RemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { SealError } from '../secrets/secrets.ts'
import { isDiskFull } from '../lib/full-disk.ts'
import { isStorageAway } from '../lib/storage-away.ts'
import { findUserById } from '../users/user.store.ts'
import { takeRemoteWiki } from '../wiki/remote-wiki.service.ts'
import { hiddenAccount } from './hidden-account.service.ts'
import { writePulls } from './import-pulls.service.ts'
import { refuseImportOverQuota, writeReleases } from './import-releases.service.ts'
import { abandonImport, finishImport, createHiddenRepo, type Ending } from './import-repository.service.ts'
import { addNote, LostTurn, reach, type RepositoryRun, type ImportRun } from './import-run.ts'
import { removeStrayImports } from './import-repair.service.ts'
import { highestIssueNumber } from './import-rows.store.ts'
import { writeComments, writeIssues, writeLabels, writeMilestones } from './import-tracker.service.ts'
import type { PageOf } from './import-page.ts'
import { findImport, updateUnfinished } from './import.store.ts'
import { openSource, type SourceCredentials } from './sources/open-source.ts'
import { RetryLater, SourceProblem } from './sources/source-problem.ts'
import type { Pages } from './sources/source.ts'
import { importSteps, isStepWanted, stepAfter, type ImportStep, type WantedImport } from './wanted-import.ts'

/** The purpose that credentials of imports are sealed for. */
export const importPurpose = 'import-credentials'

/** How an import continues after a turn. */
export type TurnEnd = { readonly kind: 'ended' } | { readonly kind: 'again'; readonly atMs?: number }

/** Length of a turn in milliseconds; between two pages a worker yields to other imports. */
const turnMs = 30_000

/** Interval of the checks for a cancellation, in milliseconds. */
const cancelCheckMs = 1000

/** Most objects of a kind in one import: a list that never ends must stop. */
const maxObjects = 5_000_000

/**
 * Continues an import from its stored position for a turn. A fault of the source server or the request, or a limit of this
 * server, ends the import with its reason and deletes the repository. Any other error is thrown, and the job retries.
 */
export async function runImport(ctx: Ctx, id: ImportId, job: JobRun): Promise<TurnEnd> {
  const row = await transaction(ctx.db, (tx) =>
    updateUnfinished(tx, id, { state: 'running', updated_unix: nowUnix(ctx.clock) }),
  )
  if (!row) {
    // The import has ended, or its row was deleted with the account; its repository must be deleted too.
    await removeStrayImports(ctx)
    return { kind: 'ended' }
  }
  const hidden = await hiddenAccount(ctx.db, nowUnix(ctx.clock))
  const end = async (ending: Ending): Promise<TurnEnd> => {
    const now = await findImport(ctx.db, id)
    if (!now) {
      // Its account was deleted, and its row with it.
      await removeStrayImports(ctx)
      return { kind: 'ended' }
    }
    const repo = now.repo_id === null ? undefined : await findRepoById(ctx.db, now.repo_id)
    await abandonImport({ ctx, row, hidden }, repo, ending)
    return { kind: 'ended' }
  }
  const cancelled = new AbortController()
  const stopWatching = watchForCancel(ctx, id, cancelled)
  try {
    const signal = AbortSignal.any([job.signal, cancelled.signal])
    return await runSteps(await openRun(ctx, row, hidden, signal), job)
  } catch (error) {
    if (cancelled.signal.aborted) return await end({ state: 'cancelled', problem: '' })
    job.signal.throwIfAborted()
    if (error instanceof GiveUp) {
      await removeStrayImports(ctx)
      return { kind: 'ended' }
    }
    if (error instanceof RetryLater) return { kind: 'again', atMs: error.atMs }
    // The position is read again: the other turn may have lost its lease, and this one be the one that goes on.
    if (error instanceof LostTurn) return { kind: 'again' }
    if (isPermanent(error)) return await end({ state: 'failed', problem: error.message })
    if (!job.isLastAttempt || isStorageAway(error) || isDiskFull(error)) throw error
    await end({ state: 'failed', problem: 'the import failed because of an error of this server; see its log' })
    throw error
  } finally {
    stopWatching()
  }
}

/** Returns whether a retry would fail in the same way. */
const isPermanent = (error: unknown): error is Error =>
  error instanceof SourceProblem ||
  error instanceof SealError ||
  (error instanceof Refusal && error.status < 500 && error.status !== 429)

function watchForCancel(ctx: Ctx, id: ImportId, cancelled: AbortController): () => void {
  let isChecking = false
  const check = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    try {
      const row = await findImport(ctx.db, id)
      if (!row || row.is_cancelled) cancelled.abort(new Error('the import was cancelled'))
    } catch (error) {
      // The next check comes in a second; the import itself fails when the database is unavailable.
      ctx.log('warn', 'cannot check whether an import was cancelled', { error, importId: id })
    } finally {
      isChecking = false
    }
  }
  const timer = setInterval(() => void check(), cancelCheckMs).unref()
  return () => clearInterval(timer)
}

async function openRun(ctx: Ctx, row: ImportRow, hidden: ImportRun['hidden'], signal: AbortSignal): Promise<ImportRun> {
  const wanted = JSON.parse(row.wanted) as WantedImport
  const [doer, owner] = await Promise.all([findUserById(ctx.db, row.doer_id), findUserById(ctx.db, row.owner_id)])
  if (!doer || !owner) throw new SourceProblem('the account was deleted')
  if (!doer.is_active || doer.prohibit_login || !(await mayMakeReposFor(ctx.db, doer, owner))) {
    throw new SourceProblem(`${doer.name} may not create repositories for ${owner.name} any more`)
  }
  const credentials =
    row.sealed_credentials === ''
      ? undefined
      : (JSON.parse(ctx.secrets.open(importPurpose, row.sealed_credentials)) as SourceCredentials)
  const source =
    wanted.service === 'git'
      ? undefined
      : openSource(wanted.service, wanted.address, credentials, {
          outgoing: migrationClient.of(ctx),
          attempts: ctx.config.migrations.maxAttempts,
          retryDelayMs: ctx.config.migrations.retryBackoff * 1000,
          signal,
          nowMs: () => ctx.clock.nowMs(),
        })
  return {
    ctx,
    row,
    wanted,
    remote: remoteOf(wanted, credentials),
    source,
    doer,
    owner,
    hidden,
    ownAuthor: credentials && (await source?.whoAmI()),
    signal,
    turnEndsMs: performance.now() + turnMs,
    notes: JSON.parse(row.notes) as string[],
    counts: JSON.parse(row.counts) as Record<string, number>,
    stored: { step: row.step, cursor: row.cursor, done_count: row.done_count },
  }
}

/** The user name beside a token as password; most servers accept any. */
const tokenUsername = 'oauth2'

function remoteOf({ address }: WantedImport, credentials: SourceCredentials | undefined): RemoteAddress {
  if (!credentials) return { url: address, credentials: undefined }
  const { username, token } = credentials
  // The token is kept too: a mirror uses it for the API.
  const gitCredentials: SourceCredentials =
    token === '' ? credentials : { username: username || tokenUsername, password: token, token }
  return { url: address, credentials: gitCredentials }
}

async function runSteps(run: ImportRun, job: JobRun): Promise<TurnEnd> {
  const began = run.row.step === '' ? 'repository' : (run.row.step as ImportStep)
  let position = run.row.cursor
  let doneCount = run.row.done_count
  for (const step of importSteps.slice(importSteps.indexOf(began))) {
    run.signal.throwIfAborted()
    if (isStepWanted(step, run.wanted)) {
      job.progress({ done: doneCount, note: step })
      if (step !== 'repository' && step !== began) await startStep(run, step)
      const isDone = step === 'repository' ? await createRepo(run) : await runStep(run, job, step, position, doneCount)
      if (!isDone) return { kind: 'again' }
      if (step === 'finish') return { kind: 'ended' }
      if (performance.now() > run.turnEndsMs) {
        await startStep(run, stepAfter(step))
        return { kind: 'again' }
      }
    }
    position = ''
    doneCount = 0
  }
  return { kind: 'ended' }
}

async function createRepo(run: ImportRun): Promise<boolean> {
  await createHiddenRepo(run)
  return true
}

/** Stores the beginning of a step as the position to resume at. */
const startStep = (run: ImportRun, step: ImportStep): Promise<void> =>
  transaction(run.ctx.db, (tx) => reach(tx, run, { step, position: '', doneCount: 0 }))

/** Returns false when the turn ends before the step does. */
async function runStep(
  opened: ImportRun,
  job: JobRun,
  step: Exclude<ImportStep, 'repository'>,
  position: string,
  doneCount: number,
): Promise<boolean> {
  const run: RepositoryRun = { ...opened, repo: await hiddenRepoOf(opened) }
  const { source } = run
  const pages = <Item>(list: Pages<Item> | undefined, write: (page: PageOf<Item>) => Promise<void>) =>
    list ? writePages(run, job, { step, list, write, position, doneCount }) : Promise.resolve(true)
  switch (step) {
    case 'wiki':
      if (!(await takeRemoteWiki(run.ctx, run.repo, run.remote, run.signal))) {
        addNote(run, 'the source server has no wiki')
      }
      return true
    case 'lfs':
      return importLfsObjects(run, job)
    case 'labels':
      return pages(source?.labels, (page) => writeLabels(run, page))
    case 'milestones':
      return pages(source?.milestones, (page) => writeMilestones(run, page))
    case 'releases':
      return pages(source?.releases, (page) => writeReleases(run, page))
    case 'issues':
      return pages(source?.issues, (page) => writeIssues(run, page))
    case 'pull_requests': {
      const before = source?.numbersPullsSeparately ? await highestIssueNumber(run.ctx.db, run.repo.id) : 0
      return pages(source?.pulls, (page) => writePulls(run, page, before))
    }
    case 'comments':
      return pages(source?.comments, (page) => writeComments(run, page))
    case 'finish':
      await finishImport(run)
      return true
  }
}

async function hiddenRepoOf(run: ImportRun): Promise<RepoRow> {
  const repoId = (await findImport(run.ctx.db, run.row.id))?.repo_id ?? null
  const repo = repoId === null ? undefined : await findRepoById(run.ctx.db, repoId)
  if (!repo || repo.owner_id !== run.hidden.id) throw new SourceProblem('the imported repository was deleted')
  return repo
}

async function writePages<Item>(
  run: RepositoryRun,
  job: JobRun,
  {
    step,
    list,
    write,
    ...from
  }: {
    readonly step: ImportStep
    readonly list: Pages<Item>
    readonly write: (page: PageOf<Item>) => Promise<void>
    readonly position: string
    readonly doneCount: number
  },
): Promise<boolean> {
  let { position, doneCount } = from
  for (;;) {
    run.signal.throwIfAborted()
    const { items, next } = await list(position === '' ? undefined : position)
    await write({ step, items, next, position, doneCount })
    doneCount += items.length
    job.progress({ done: doneCount, note: step })
    if (next === undefined) return true
    if (doneCount > maxObjects) {
      throw new SourceProblem(`the source server lists more than ${maxObjects} ${step.replace('_', ' ')}`)
    }
    position = next
    if (performance.now() > run.turnEndsMs) return false
  }
}

async function importLfsObjects(run: RepositoryRun, job: JobRun): Promise<boolean> {
  if (!run.ctx.config.server.lfsStartServer) throw new SourceProblem('LFS is switched off on this server')
  const { missing } = await fetchRemoteObjects({ ...run.ctx, repo: run.repo, owner: run.owner }, run.remote, {
    endpoint: run.wanted.lfsEndpoint,
    signal: run.signal,
    async progress(fetched) {
      job.progress({ done: fetched, note: 'lfs' })
      await refuseImportOverQuota(run)
      await transaction(run.ctx.db, (tx) => reach(tx, run, { step: 'lfs', position: '', doneCount: fetched }))
    },
  })
  for (const reason of missing) addNote(run, `the source server lacks an LFS object: ${reason}`)
  return true
}

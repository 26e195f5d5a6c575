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
import { findUserById } from '../users/user.store.ts'
import { takeRemoteWiki } from '../wiki/remote-wiki.service.ts'
import { hiddenAccount } from './hidden-account.service.ts'
import { writePulls } from './import-pulls.service.ts'
import { refuseImportOverQuota, writeReleases } from './import-releases.service.ts'
import { abandonImport, finishImport, makeHiddenRepo, type Ending } from './import-repository.service.ts'
import { addNote, reach, type FilledRun, type ImportRun } from './import-run.ts'
import { removeStrayImports } from './import-repair.service.ts'
import { highestIssueNumber } from './import-rows.store.ts'
import { writeComments, writeIssues, writeLabels, writeMilestones, type PageOf } from './import-tracker.service.ts'
import { findImport, updateUnfinished } from './import.store.ts'
import { openSource, type SourceCredentials } from './sources/open-source.ts'
import { AskAgainLater, SourceProblem } from './sources/source-problem.ts'
import type { Pages } from './sources/source.ts'
import { importSteps, isStepWanted, type ImportStep, type WantedImport } from './wanted-import.ts'

/** What credentials of imports are sealed for. */
export const importPurpose = 'import-credentials'

/** How an import goes on after a worker had it. */
export type TurnEnd = { readonly kind: 'over' } | { readonly kind: 'again'; readonly atMs?: number }

/** How long a worker stays with one import while others wait, in milliseconds: between two pages it lets them have a turn. */
const turnMs = 30_000

/** How often it is looked whether somebody wants an import to end, in milliseconds. */
const cancelCheckMs = 1000

/** Things of a kind that one import may bring; a server that tells of ever more is told from a large one. */
const maxThings = 5_000_000

/**
 * Goes on with an import from where it has come to, for a turn. What the other server, the request or a limit of here is at
 * fault for ends it, with the reason in its row and nothing left of the repository; everything else is thrown, and tried
 * again from the same place.
 */
export async function runImport(ctx: Ctx, id: ImportId, job: JobRun): Promise<TurnEnd> {
  const row = await transaction(ctx.db, (tx) =>
    updateUnfinished(tx, id, { state: 'running', updated_unix: nowUnix(ctx.clock) }),
  )
  if (!row) {
    // It is over, or its row went with an account, and what it had brought has to go.
    await removeStrayImports(ctx)
    return { kind: 'over' }
  }
  const hidden = await hiddenAccount(ctx.db, nowUnix(ctx.clock))
  const end = async (ending: Ending): Promise<TurnEnd> => {
    const known = (await findImport(ctx.db, id))?.repo_id ?? null
    const repo = known === null ? undefined : await findRepoById(ctx.db, known)
    await abandonImport({ ctx, row, hidden }, repo, ending)
    return { kind: 'over' }
  }
  const cancelled = new AbortController()
  const stopLooking = watchForCancel(ctx, id, cancelled)
  try {
    const signal = AbortSignal.any([job.signal, cancelled.signal])
    return await runSteps(await openRun(ctx, row, hidden, signal), job)
  } catch (error) {
    if (cancelled.signal.aborted) return await end({ state: 'cancelled', problem: '' })
    job.signal.throwIfAborted()
    if (error instanceof GiveUp) {
      await removeStrayImports(ctx)
      return { kind: 'over' }
    }
    if (error instanceof AskAgainLater) return { kind: 'again', atMs: error.atMs }
    if (isTheirFault(error)) return await end({ state: 'failed', problem: error.message })
    if (!job.isLastAttempt) throw error
    await end({ state: 'failed', problem: 'the import failed for a reason of this server; its log tells more' })
    throw error
  } finally {
    stopLooking()
  }
}

/** What trying again would only repeat; refusals that ask to come back later are not. */
const isTheirFault = (error: unknown): error is Error =>
  error instanceof SourceProblem ||
  error instanceof SealError ||
  (error instanceof Refusal && error.status < 500 && error.status !== 429)

function watchForCancel(ctx: Ctx, id: ImportId, cancelled: AbortController): () => void {
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      const row = await findImport(ctx.db, id)
      if (!row || row.is_cancelled) cancelled.abort(new Error('the import was cancelled'))
    } catch (error) {
      // The next look comes in a second; the work itself fails where the database is away.
      ctx.log('warn', 'it could not be looked whether an import was cancelled', { error, importId: id })
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), cancelCheckMs).unref()
  return () => clearInterval(timer)
}

async function openRun(ctx: Ctx, row: ImportRow, hidden: ImportRun['hidden'], signal: AbortSignal): Promise<ImportRun> {
  const wanted = JSON.parse(row.wanted) as WantedImport
  const [doer, owner] = await Promise.all([findUserById(ctx.db, row.doer_id), findUserById(ctx.db, row.owner_id)])
  if (!doer || !owner) throw new SourceProblem('the account is gone')
  if (!doer.is_active || doer.prohibit_login || !(await mayMakeReposFor(ctx.db, doer, owner))) {
    throw new SourceProblem(`${doer.name} may no longer make repositories for ${owner.name}`)
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
  }
}

/** Servers that take a token as the password want some name beside it, and most of them any. */
const nameBesideToken = 'oauth2'

function remoteOf({ address }: WantedImport, credentials: SourceCredentials | undefined): RemoteAddress {
  if (!credentials) return { url: address, credentials: undefined }
  const { username, token } = credentials
  // The token by itself goes along: a mirror asks the API with it, too.
  const opening: SourceCredentials =
    token === '' ? credentials : { username: username || nameBesideToken, password: token, token }
  return { url: address, credentials: opening }
}

async function runSteps(run: ImportRun, job: JobRun): Promise<TurnEnd> {
  const began = run.row.step === '' ? 'repository' : (run.row.step as ImportStep)
  let place = run.row.place
  let doneCount = run.row.done_count
  for (const step of importSteps.slice(importSteps.indexOf(began))) {
    run.signal.throwIfAborted()
    if (isStepWanted(step, run.wanted)) {
      job.progress({ done: doneCount, note: step })
      if (step !== 'repository' && step !== began) await enter(run, step)
      const isOver = step === 'repository' ? await makeRepoOnce(run) : await runStep(run, job, step, place, doneCount)
      if (!isOver) return { kind: 'again' }
      if (step === 'finish') return { kind: 'over' }
      if (performance.now() > run.turnEndsMs) {
        await enter(run, importSteps[importSteps.indexOf(step) + 1] as ImportStep)
        return { kind: 'again' }
      }
    }
    place = ''
    doneCount = 0
  }
  return { kind: 'over' }
}

async function makeRepoOnce(run: ImportRun): Promise<boolean> {
  await makeHiddenRepo(run)
  return true
}

/** From here it goes on, should it be cut off. */
const enter = (run: ImportRun, step: ImportStep): Promise<void> =>
  transaction(run.ctx.db, (tx) => reach(tx, run, { step, place: '', doneCount: 0 }))

/** @returns false when the turn ends in the middle of the step */
async function runStep(
  opened: ImportRun,
  job: JobRun,
  step: Exclude<ImportStep, 'repository'>,
  place: string,
  doneCount: number,
): Promise<boolean> {
  const run: FilledRun = { ...opened, repo: await hiddenRepoOf(opened) }
  const { source } = run
  const pages = <Item>(list: Pages<Item> | undefined, write: (page: PageOf<Item>) => Promise<void>) =>
    list ? writePages(run, job, { step, list, write, place, doneCount }) : Promise.resolve(true)
  switch (step) {
    case 'wiki':
      if (!(await takeRemoteWiki(run.ctx, run.repo, run.remote, run.signal))) {
        addNote(run, 'there is no wiki over there')
      }
      return true
    case 'lfs':
      return takeObjects(run, job)
    case 'labels':
      return pages(source?.labels, (page) => writeLabels(run, page))
    case 'milestones':
      return pages(source?.milestones, (page) => writeMilestones(run, page))
    case 'releases':
      return pages(source?.releases, (page) => writeReleases(run, page))
    case 'issues':
      return pages(source?.issues, (page) => writeIssues(run, page))
    case 'pull_requests': {
      const before = source?.countsPullsApart ? await highestIssueNumber(run.ctx.db, run.repo.id) : 0
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
  if (!repo || repo.owner_id !== run.hidden.id) throw new SourceProblem('what was imported is gone')
  return repo
}

async function writePages<Item>(
  run: FilledRun,
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
    readonly place: string
    readonly doneCount: number
  },
): Promise<boolean> {
  let { place, doneCount } = from
  for (;;) {
    run.signal.throwIfAborted()
    const { items, next } = await list(place === '' ? undefined : place)
    await write({ step, items, next, place, doneCount })
    doneCount += items.length
    job.progress({ done: doneCount, note: step })
    if (next === undefined) return true
    if (doneCount > maxThings) throw new SourceProblem(`the other server tells of ever more ${step.replace('_', ' ')}`)
    place = next
    if (performance.now() > run.turnEndsMs) return false
  }
}

async function takeObjects(run: FilledRun, job: JobRun): Promise<boolean> {
  if (!run.ctx.config.server.lfsStartServer) throw new SourceProblem('LFS is switched off here')
  const { missing } = await fetchRemoteObjects({ ...run.ctx, repo: run.repo, owner: run.owner }, run.remote, {
    endpoint: run.wanted.lfsEndpoint,
    signal: run.signal,
    async progress(fetched) {
      job.progress({ done: fetched, note: 'lfs' })
      await refuseImportOverQuota(run)
      await transaction(run.ctx.db, (tx) => reach(tx, run, { step: 'lfs', place: '', doneCount: fetched }))
    },
  })
  for (const reason of missing) addNote(run, `an LFS object is missing over there: ${reason}`)
  return true
}

import { accessTo } from '../access/repo-access.ts'
import type { Ctx } from '../access/context.ts'
import { replaceSchedules } from '../actions/schedules/schedule.service.ts'
import { hasPullRunFor } from '../actions/runs/run.store.ts'
import { listDisabled } from '../actions/workflows/workflow-list.store.ts'
import { startRun } from '../actions/runs/start-run.service.ts'
import { fittingEvents, type Happened } from '../actions/workflows/trigger.rules.ts'
import { listWorkflowFiles, type WorkflowFile } from '../actions/workflows/workflow-files.service.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RecordedEvent } from '../events/cursor.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { actionsUserId, type Oid, type RepoId, type UserId } from '../lib/ids.ts'
import { PatternsTooCostly } from '../lib/pattern.ts'
import { branchOf, branchRef, isZeroOid, tagOf, tagRef } from '../lib/refs.ts'
import { findLinkedRepo } from '../packages/package.store.ts'
import { isFromElsewhere, pullRef } from '../pulls/pull-ref.ts'
import { findPullByIssue } from '../pulls/pull.store.ts'
import { findReview } from '../pulls/reviews/review.store.ts'
import { findRelease } from '../releases/release.store.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findUserById } from '../users/user.store.ts'
import { payloadsOf } from '../payloads/all-payloads.ts'
import { PayloadPresenter } from '../payloads/payload.present.ts'
import { completePayloadOf } from '../payloads/push-payload.ts'
import type { EventPayload } from '../payloads/event-payload.ts'
import { happeningsOf, type Happening } from './trigger-event.ts'
import { isKnownToHaveNone, upsertWithoutWorkflows } from './without-workflows.store.ts'

/** Most things of one event that may start workflows: a push of a thousand tags is not a thousand times fifty runs. */
const maxHappenings = 100

/** The repository, who did something there, and what of it is asked for more than once. */
interface Scene {
  readonly ctx: Ctx
  readonly event: RecordedEvent
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly doerId: UserId
  readonly pull: PullRow | undefined
  readonly title: string
}

/** Which workflows are looked at, and what their runs are of. */
interface Spot {
  readonly events: readonly string[]
  /** Where the files are read. */
  readonly files: Oid
  readonly ref: string
  readonly head: string
  readonly commit: Oid
  readonly happened: Pick<Happened, 'branch' | 'tag'>
  /** The state before, and the commit whose paths were changed since. */
  readonly since: Oid | undefined
  readonly until: Oid
  /** Whether the commit is the pull request's own, and not one of the base repository. */
  readonly isOfPull: boolean
}

/**
 * Starts the workflows that an event fits. A repository without workflows, or one that does not run them, costs a look at its row
 * and at the root of one commit.
 */
export async function startWorkflows(ctx: Ctx, event: RecordedEvent): Promise<void> {
  const tellings = payloadsOf(event)
  const happenings = happeningsOf(event, tellings).slice(0, maxHappenings)
  const [first] = happenings
  if (!first) return
  const { to } = first.telling
  const repoId = 'repoId' in to ? to.repoId : await repoOfPackage(ctx, event)
  const scene = repoId === undefined ? undefined : await sceneOf(ctx, event, repoId)
  if (!scene) return
  if (scene.doerId !== actionsUserId) for (const happening of happenings) await startFor(scene, happening)
  if (event.name === 'refs.updated') await refreshSchedules(scene, event.data.updates)
}

/** The repository that a package is linked to. */
async function repoOfPackage({ db }: Ctx, { name, data }: RecordedEvent): Promise<RepoId | undefined> {
  if (name === 'package.deleted') return data.repoId
  return name === 'package.created' ? findLinkedRepo(db, data.packageId) : undefined
}

/** Undefined where no workflow runs: an empty or archived repository, or one whose unit is off. */
async function sceneOf(ctx: Ctx, event: RecordedEvent, repoId: RepoId): Promise<Scene | undefined> {
  const repo = await findRepoById(ctx.db, repoId)
  if (!repo || repo.is_archived || repo.is_empty) return undefined
  const owner = await findUserById(ctx.db, repo.owner_id)
  if (!owner) return undefined
  const { rights } = await accessTo(ctx.db, undefined, owner, repo)
  if (!rights.has('actions')) return undefined
  const issueId = 'issueId' in event.data ? event.data.issueId : undefined
  const pull = issueId === undefined ? undefined : await findPullByIssue(ctx.db, issueId)
  const issue = pull && issueId !== undefined ? await findIssueById(ctx.db, issueId) : undefined
  const doerId = (event.data as { readonly doerId?: UserId }).doerId ?? actionsUserId
  return { ctx, event, repo, owner, doerId, pull, title: issue?.title ?? '' }
}

async function startFor(scene: Scene, happening: Happening): Promise<void> {
  const spots = await spotsOf(scene, happening)
  const [first] = spots
  if (!first) return
  const { ctx, repo } = scene
  if (happening.name === 'pull_request_sync') {
    const isForeign = scene.pull !== undefined && isFromElsewhere(scene.pull)
    if (await hasPullRunFor(ctx.db, { repoId: repo.id, commit: first.commit, isForeign })) return
  }
  const head = await ctx.git.readCommit(repo.git_key, first.until)
  if (happening.isSkippable && saysSkip(ctx, [head.message, scene.title])) return
  let payload: Promise<string | undefined> | undefined
  for (const [index, spot] of spots.entries()) {
    const files = await listWorkflowFiles(ctx, repo.git_key, spot.files)
    if (files.length === 0 && happening.place.of === 'default') await rememberNone(ctx, repo.id, spot.files)
    let changed: Promise<readonly string[]> | undefined
    const disabled = files.length === 0 ? undefined : await listDisabled(ctx.db, repo.id)
    for (const listed of files) {
      if (disabled?.has(listed.id)) continue
      const happened = { ...happening, ...spot.happened, events: spot.events }
      const { file, fitting } = await withFittingEvents(listed, happened, () => (changed ??= changedPaths(scene, spot)))
      // A file that cannot be read makes one failed run, whatever happens.
      const events = fitting ?? spot.events.slice(0, index === 0 ? 1 : 0)
      for (const event of events) {
        const data = await (payload ??= payloadOf(scene, happening.telling))
        if (data === undefined) return
        await startRun(ctx, {
          repo,
          file,
          event,
          happening: happening.name,
          title: titleOf(
            spot.commit === first.until ? head.message : (await ctx.git.readCommit(repo.git_key, spot.until)).message,
          ),
          ref: spot.ref,
          head: spot.head,
          commit: spot.commit,
          files: spot.files,
          ...(scene.pull && isOfPull(event)
            ? { baseRef: scene.pull.base_branch, headRef: scene.pull.head_branch }
            : {}),
          doerId: scene.doerId,
          payload: data,
          pull: spot.isOfPull ? scene.pull : undefined,
          takesPlace: happening.takesPlace ?? false,
        })
      }
    }
  }
}

/** A file with the events of its triggers that fit; undefined for a file that cannot be read. */
async function withFittingEvents(
  file: WorkflowFile,
  happened: Happened,
  changed: () => Promise<readonly string[]>,
): Promise<{ readonly file: WorkflowFile; readonly fitting: readonly string[] | undefined }> {
  const { parsed } = file
  const triggers = parsed.ok ? parsed.workflow.triggers : parsed.triggers
  try {
    return { file, fitting: triggers && (await fittingEvents(triggers, happened, changed)) }
  } catch (error) {
    if (!(error instanceof PatternsTooCostly)) throw error
    return {
      file: { id: file.id, parsed: { ok: false, problem: error.message, triggers: undefined } },
      fitting: undefined,
    }
  }
}

/** So that what happens next needs no job. */
async function rememberNone({ db }: Ctx, repoId: RepoId, commit: Oid): Promise<void> {
  if (await isKnownToHaveNone(db, repoId)) return
  await transaction(db, (tx) => upsertWithoutWorkflows(tx, repoId, commit), { lasting: false })
}

const isOfPull = (event: string): boolean => event.startsWith('pull_request')

const titleOf = (message: string): string => message.split('\n', 1)[0] ?? ''

const saysSkip = ({ config }: Ctx, texts: readonly string[]): boolean =>
  config.actions.skipWorkflowStrings.some((word) => word !== '' && texts.some((text) => text.includes(word)))

/** Where the workflows lie that may fit: mostly one place, of a pull request its head and its base. */
async function spotsOf(scene: Scene, happening: Happening): Promise<readonly Spot[]> {
  const { ctx, repo, pull } = scene
  const { events, baseEvents, place } = happening
  const key = repo.git_key
  const own = { events, happened: {}, since: undefined, isOfPull: false }
  const at = (commit: Oid, ref: string, head: string): Spot => ({
    ...own,
    files: commit,
    ref,
    head,
    commit,
    until: commit,
  })
  switch (place.of) {
    case 'ref': {
      const commit = (await ctx.git.resolve(key, place.new))?.commit
      if (!commit) return []
      const branch = branchOf(place.ref)
      const tag = tagOf(place.ref)
      const happened = branch === undefined ? { tag: tag ?? place.ref } : { branch }
      const since = isZeroOid(place.old) || branch === undefined ? undefined : place.old
      return [{ ...at(commit, place.ref, branch ?? tag ?? place.ref), happened, since }]
    }
    case 'default': {
      const ref = branchRef(repo.default_branch)
      const commit = (await ctx.git.resolveRef(key, ref))?.commit
      return commit ? [at(commit, ref, repo.default_branch)] : []
    }
    case 'tag': {
      const tag = place.name ?? (await tagOfRelease(scene))
      const commit = tag === undefined ? undefined : (await ctx.git.resolveRef(key, tagRef(tag)))?.commit
      return tag !== undefined && commit ? [at(commit, tagRef(tag), tag)] : []
    }
    case 'review': {
      const commit = await commitOfReview(scene)
      return pull && commit ? [{ ...at(commit, commit, commit), isOfPull: true }] : []
    }
    case 'pull':
      return pull ? spotsOfPull(scene, pull, events, baseEvents) : []
  }
}

async function spotsOfPull(
  { ctx, repo }: Scene,
  pull: PullRow,
  events: readonly string[],
  baseEvents: readonly string[] | undefined,
): Promise<readonly Spot[]> {
  const key = repo.git_key
  const headRef = pullRef(pull.index)
  // After the merge a run is of the commit that the merge made, and named by it.
  const merge = pull.merge_oid === '' ? undefined : pull.merge_oid
  const commit = merge ?? (await ctx.git.readRef(key, headRef)) ?? pull.synced_oid
  const ref = merge ?? headRef
  const head = merge ?? `#${pull.index}`
  if (!(await ctx.git.objectInfo(key, commit))) return []
  const baseRef = branchRef(pull.base_branch)
  const base = (await ctx.git.resolveRef(key, baseRef))?.commit
  const since = pull.merge_base === '' ? base : pull.merge_base
  const shared = { happened: { branch: pull.base_branch }, since, until: commit, commit, head }
  const ofHead: Spot = { ...shared, events, files: commit, ref, isOfPull: true }
  if (!baseEvents || !base) return [ofHead]
  // What the base says runs with all rights, so nothing of the head decides what that is.
  return [ofHead, { ...shared, events: baseEvents, files: base, ref, isOfPull: false }]
}

/** The paths that a push or a pull request changed; of a new reference those of its newest commit. */
async function changedPaths({ ctx, repo }: Scene, { since, until }: Spot): Promise<readonly string[]> {
  const key = repo.git_key
  const changes =
    since === undefined
      ? ((await ctx.git.commitChanges(key, [until], { renames: false, counts: false })).get(until) ?? [])
      : await ctx.git.diffFiles(key, { base: since, head: until, renames: false })
  return changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]))
}

async function tagOfRelease({ ctx, event, repo }: Scene): Promise<string | undefined> {
  if (event.name !== 'release.published' && event.name !== 'release.updated') return undefined
  return (await findRelease(ctx.db, repo.id, event.data.releaseId))?.tag_name
}

async function commitOfReview({ ctx, repo, event }: Scene): Promise<Oid | undefined> {
  if (event.name !== 'review.submitted') return undefined
  const oid = (await findReview(ctx.db, event.data.issueId, event.data.reviewId))?.commit_oid
  return oid !== undefined && oid !== '' && (await ctx.git.objectInfo(repo.git_key, oid)) ? oid : undefined
}

/** What the webhooks of the repository would be told, as JSON; undefined when there is nothing to tell any more. */
async function payloadOf({ ctx }: Scene, telling: EventPayload): Promise<string | undefined> {
  const kit = await PayloadPresenter.load(ctx, [telling.needs])
  const made = await telling.build(kit)
  if (!made) return undefined
  const data = JSON.stringify(made.data)
  return made.pending ? completePayloadOf(ctx, data, JSON.stringify(made.pending)) : data
}

/** A push to the default branch says when its workflows run by the clock. */
async function refreshSchedules(
  { ctx, repo }: Scene,
  updates: readonly { readonly ref: string; readonly new: Oid }[],
): Promise<void> {
  const update = updates.find(({ ref }) => ref === branchRef(repo.default_branch))
  if (update && !isZeroOid(update.new)) await replaceSchedules(ctx, repo, update.new)
}

import { accessTo } from '../access/repo-access.ts'
import type { Ctx } from '../access/context.ts'
import { replaceSchedules } from '../actions/schedules/schedule.service.ts'
import { hasPullRunFor } from '../actions/runs/run.store.ts'
import { listDisabled } from '../actions/workflows/workflow-list.store.ts'
import { causeOfEvent, type RunCause } from '../actions/runs/run-cause.rules.ts'
import { startRun } from '../actions/runs/start-run.service.ts'
import { matchingEvents, type TriggerSubject } from '../actions/workflows/trigger.rules.ts'
import { listWorkflowFiles, type WorkflowFile } from '../actions/workflows/workflow-files.service.ts'
import { transaction } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RecordedEvent } from '../events/cursor.ts'
import { findIssueById } from '../issues/issue.store.ts'
import { actionsUserId, type Oid, type RepoId, type UserId } from '../lib/ids.ts'
import { branchOf, branchRef, isZeroOid, tagOf, tagRef } from '../lib/refs.ts'
import { WorkTooCostly, type WorkBudget } from '../lib/work-budget.ts'
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
import { triggerEventsOf, type TriggerEvent } from './trigger-event.ts'
import { hasNoWorkflows, upsertWithoutWorkflows } from './without-workflows.store.ts'

/** Most trigger events of one event. The limit bounds the runs of a push of many tags. */
const maxTriggerEvents = 100

interface TriggerContext {
  readonly ctx: Ctx
  readonly event: RecordedEvent
  readonly repo: RepoRow
  readonly doerId: UserId
  readonly pull: PullRow | undefined
  /** The title of the pull request. */
  readonly title: string
}

/** The commit of the workflow files, and the commit that the runs are about. */
interface RunTarget {
  /** The entries of `on` that match. */
  readonly events: readonly string[]
  /** The commit of the workflow files. */
  readonly files: Oid
  readonly ref: string
  readonly head: string
  readonly commit: Oid
  readonly filterBy: Pick<TriggerSubject, 'branch' | 'tag'>
  /** The commits between which paths changed. Without `since` the newest commit counts alone. */
  readonly since: Oid | undefined
  readonly until: Oid
  /** Whether the commit comes from the pull request, and not from the base repository. */
  readonly isOfPull: boolean
}

/**
 * Starts the workflows that an event triggers; a repetition starts those that are missing. For a repository without workflows
 * it reads the row and one root tree.
 */
export async function startWorkflows(ctx: Ctx, event: RecordedEvent): Promise<void> {
  const triggerEvents = triggerEventsOf(event, payloadsOf(event)).slice(0, maxTriggerEvents)
  const [first] = triggerEvents
  if (!first) return
  const { to } = first.payload
  const repoId = 'repoId' in to ? to.repoId : await findRepoOfPackage(ctx, event)
  const context = repoId === undefined ? undefined : await loadContext(ctx, event, repoId)
  if (!context) return
  if (context.doerId !== actionsUserId) {
    for (const [index, each] of triggerEvents.entries()) await startFor(context, each, causeOfEvent(event.id, index))
  }
  if (event.name === 'refs.updated') await updateSchedules(context, event.data.updates)
}

/** Returns the repository that a package is linked to. */
async function findRepoOfPackage({ db }: Ctx, { name, data }: RecordedEvent): Promise<RepoId | undefined> {
  if (name === 'package.deleted') return data.repoId
  return name === 'package.created' ? findLinkedRepo(db, data.packageId) : undefined
}

/** Returns undefined when no workflow runs: the repository is empty or archived, or its actions unit is off. */
async function loadContext(ctx: Ctx, event: RecordedEvent, repoId: RepoId): Promise<TriggerContext | undefined> {
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
  return { ctx, event, repo, doerId, pull, title: issue?.title ?? '' }
}

async function startFor(context: TriggerContext, triggerEvent: TriggerEvent, cause: RunCause): Promise<void> {
  const targets = await findTargets(context, triggerEvent)
  const [first] = targets
  if (!first) return
  const { ctx, repo } = context
  if (triggerEvent.name === 'pull_request_sync') {
    const isForeign = context.pull !== undefined && isFromElsewhere(context.pull)
    if (await hasPullRunFor(ctx.db, { repoId: repo.id, commit: first.commit, isForeign, cause })) return
  }
  const head = await ctx.git.readCommit(repo.git_key, first.until)
  if (triggerEvent.isSkippable && requestsSkip(ctx, [head.message, context.title])) return
  let payload: Promise<string | undefined> | undefined
  for (const [index, target] of targets.entries()) {
    const files = await listWorkflowFiles(ctx, repo.git_key, target.files)
    if (files.length === 0 && triggerEvent.source.of === 'default') await recordNoWorkflows(ctx, repo.id, target.files)
    let changed: Promise<readonly string[]> | undefined
    const disabled = files.length === 0 ? undefined : await listDisabled(ctx.db, repo.id)
    for (const listed of files) {
      if (disabled?.has(listed.id)) continue
      const subject = { ...triggerEvent, ...target.filterBy, events: target.events }
      const { file, matching } = await matchTriggers(
        listed,
        subject,
        ctx.budget,
        () => (changed ??= changedPaths(context, target)),
      )
      // A file whose triggers cannot be read makes one failed run for each event.
      const events = matching ?? target.events.slice(0, index === 0 ? 1 : 0)
      for (const event of events) {
        const data = await (payload ??= buildPayload(context, triggerEvent.payload))
        if (data === undefined) return
        await startRun(ctx, {
          repo,
          file,
          event,
          hookEvent: triggerEvent.name,
          title: titleOf(
            target.commit === first.until
              ? head.message
              : (await ctx.git.readCommit(repo.git_key, target.until)).message,
          ),
          ref: target.ref,
          head: target.head,
          commit: target.commit,
          files: target.files,
          ...(context.pull && isPullEvent(event)
            ? { baseRef: context.pull.base_branch, headRef: context.pull.head_branch }
            : {}),
          doerId: context.doerId,
          payload: data,
          pull: target.isOfPull ? context.pull : undefined,
          replacesOpenRuns: triggerEvent.replacesOpenRuns ?? false,
          cause,
        })
      }
    }
  }
}

/** Returns the entries of `on` that match; undefined for a file whose triggers cannot be read. */
async function matchTriggers(
  file: WorkflowFile,
  subject: TriggerSubject,
  budget: WorkBudget,
  changed: () => Promise<readonly string[]>,
): Promise<{ readonly file: WorkflowFile; readonly matching: readonly string[] | undefined }> {
  const { parsed } = file
  const triggers = parsed.ok ? parsed.workflow.triggers : parsed.triggers
  try {
    return { file, matching: triggers && (await matchingEvents(triggers, subject, budget, changed)) }
  } catch (error) {
    if (!(error instanceof WorkTooCostly)) throw error
    const unreadable = { ok: false, problem: error.message, triggers: undefined } as const
    return { file: { ...file, parsed: unreadable }, matching: undefined }
  }
}

/** Records that a commit has no workflows, so that later events of issues need no job. */
async function recordNoWorkflows({ db }: Ctx, repoId: RepoId, commit: Oid): Promise<void> {
  if (await hasNoWorkflows(db, repoId)) return
  await transaction(db, (tx) => upsertWithoutWorkflows(tx, repoId, commit), { lasting: false })
}

const isPullEvent = (event: string): boolean => event.startsWith('pull_request')

const titleOf = (message: string): string => message.split('\n', 1)[0] ?? ''

/** Returns whether a message contains one of the strings of `[actions].SKIP_WORKFLOW_STRINGS`. */
const requestsSkip = ({ config }: Ctx, texts: readonly string[]): boolean =>
  config.actions.skipWorkflowStrings.some((word) => word !== '' && texts.some((text) => text.includes(word)))

/** Returns the targets of a trigger event: one, or the head and the base of a pull request. */
async function findTargets(context: TriggerContext, triggerEvent: TriggerEvent): Promise<readonly RunTarget[]> {
  const { ctx, repo, pull } = context
  const { events, source } = triggerEvent
  const key = repo.git_key
  const at = (commit: Oid, ref: string, head: string): RunTarget => ({
    events,
    filterBy: {},
    since: undefined,
    isOfPull: false,
    files: commit,
    ref,
    head,
    commit,
    until: commit,
  })
  switch (source.of) {
    case 'ref': {
      const commit = (await ctx.git.resolve(key, source.new))?.commit
      if (!commit) return []
      const branch = branchOf(source.ref)
      const tag = tagOf(source.ref)
      const filterBy = branch === undefined ? { tag: tag ?? source.ref } : { branch }
      const since = isZeroOid(source.old) || branch === undefined ? undefined : source.old
      return [{ ...at(commit, source.ref, branch ?? tag ?? source.ref), filterBy, since }]
    }
    case 'default': {
      const ref = branchRef(repo.default_branch)
      const commit = (await ctx.git.resolveRef(key, ref))?.commit
      return commit ? [at(commit, ref, repo.default_branch)] : []
    }
    case 'tag': {
      const tag = source.name ?? (await findReleaseTag(context))
      const commit = tag === undefined ? undefined : (await ctx.git.resolveRef(key, tagRef(tag)))?.commit
      return tag !== undefined && commit ? [at(commit, tagRef(tag), tag)] : []
    }
    case 'review': {
      const commit = await findReviewedCommit(context)
      return pull && commit ? [{ ...at(commit, commit, commit), isOfPull: true }] : []
    }
    case 'pull':
      return pull ? findPullTargets(context, pull, triggerEvent) : []
  }
}

async function findPullTargets(
  { ctx, repo }: TriggerContext,
  pull: PullRow,
  { events, baseEvents }: TriggerEvent,
): Promise<readonly RunTarget[]> {
  const key = repo.git_key
  const headRef = pullRef(pull.index)
  // After the merge the run is about the merge commit.
  const merge = pull.merge_oid === '' ? undefined : pull.merge_oid
  const commit = merge ?? (await ctx.git.readRef(key, headRef)) ?? pull.synced_oid
  const ref = merge ?? headRef
  const head = merge ?? `#${pull.index}`
  if (!(await ctx.git.objectInfo(key, commit))) return []
  const baseRef = branchRef(pull.base_branch)
  const base = (await ctx.git.resolveRef(key, baseRef))?.commit
  const since = pull.merge_base === '' ? base : pull.merge_base
  const shared = { filterBy: { branch: pull.base_branch }, since, until: commit, commit, head }
  const ofHead: RunTarget = { ...shared, events, files: commit, ref, isOfPull: true }
  if (!baseEvents || !base) return [ofHead]
  // Runs of `pull_request_target` have all rights, so their files come from the base branch only.
  return [ofHead, { ...shared, events: baseEvents, files: base, ref, isOfPull: false }]
}

/** Returns the paths that a push or a pull request changed; for a new reference the paths of its newest commit. */
async function changedPaths({ ctx, repo }: TriggerContext, { since, until }: RunTarget): Promise<readonly string[]> {
  const key = repo.git_key
  const changes =
    since === undefined
      ? ((await ctx.git.commitChanges(key, [until], { renames: false, counts: false })).get(until) ?? [])
      : await ctx.git.diffFiles(key, { base: since, head: until, renames: false })
  return changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]))
}

async function findReleaseTag({ ctx, event, repo }: TriggerContext): Promise<string | undefined> {
  if (event.name !== 'release.published' && event.name !== 'release.updated') return undefined
  return (await findRelease(ctx.db, repo.id, event.data.releaseId))?.tag_name
}

async function findReviewedCommit({ ctx, repo, event }: TriggerContext): Promise<Oid | undefined> {
  if (event.name !== 'review.submitted') return undefined
  const oid = (await findReview(ctx.db, event.data.issueId, event.data.reviewId))?.commit_oid
  return oid !== undefined && oid !== '' && (await ctx.git.objectInfo(repo.git_key, oid)) ? oid : undefined
}

/** Returns the webhook payload as JSON; undefined when the rows that it describes are gone. */
async function buildPayload({ ctx }: TriggerContext, payload: EventPayload): Promise<string | undefined> {
  const presenter = await PayloadPresenter.load(ctx, [payload.needs])
  const built = await payload.build(presenter)
  if (!built) return undefined
  const data = JSON.stringify(built.data)
  return built.pending ? completePayloadOf(ctx, data, JSON.stringify(built.pending)) : data
}

/** Replaces the schedules of the repository after a push to the default branch. */
async function updateSchedules(
  { ctx, repo }: TriggerContext,
  updates: readonly { readonly ref: string; readonly new: Oid }[],
): Promise<void> {
  const update = updates.find(({ ref }) => ref === branchRef(repo.default_branch))
  if (update && !isZeroOid(update.new)) await replaceSchedules(ctx, repo, update.new)
}

import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { mode, type Rights } from '../../access/rights.ts'
import { listUsersWhoMay } from '../../access/conditions/repo-condition.store.ts'
import { accessToAll } from '../../access/repo-access.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { IssueId, RepoId, UserId } from '../../lib/ids.ts'
import { publish } from '../../events/hub.ts'
import type { Attribution } from '../attribution.ts'
import { insertTimelineEntries } from '../timeline-entry.store.ts'
import { mayManage, mayReadIssue } from '../issue.policy.ts'
import { unitOf } from '../issue.rules.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { listUsersByName, touchIssues } from '../issue.store.ts'
import { listBlockingAmong, listCalledMemberIds } from './mention.store.ts'
import {
  parseReferences,
  type Named,
  type NamedIssue,
  type ParseRules,
  type PromisedAction,
} from './reference.parse.ts'
import { listIssuesByNumber, listReposByFullName, listLiveReferences, neuterReferences } from './reference.store.ts'

/** The rules for parsing a text, from the settings. */
export const parseRules = (config: Ctx['config']): ParseRules => ({
  rootUrl: config.server.rootUrl,
  closeKeywords: config.repositoryPullRequest.closeKeywords,
  reopenKeywords: config.repositoryPullRequest.reopenKeywords,
})

/** A reference to an issue that exists and that the doer may see. */
export interface Reference {
  readonly issue: IssueRow
  readonly rights: Rights
  readonly action: PromisedAction
  readonly seconds: number
}

/** An issue that exists and that the doer may see, with what they may do there. */
type Visible = Pick<Reference, 'issue' | 'rights'>

/** Looks up the issues that texts of a repository name; returns undefined for a missing one and for one hidden from the doer. */
export async function lookUpIssues(
  ctx: SignedInCtx & RepoWithOwner & { readonly rights: Rights },
  named: readonly Pick<NamedIssue, 'repository' | 'index'>[],
): Promise<(each: Pick<NamedIssue, 'repository' | 'index'>) => Visible | undefined> {
  const homeName = `${ctx.owner.lower_name}/${ctx.repo.lower_name}`
  const nameOf = (repository: string | undefined) => repository ?? homeName
  const others = [...new Set(named.map(({ repository }) => nameOf(repository)))].filter((each) => each !== homeName)
  const reposWithOwners = await listReposByFullName(ctx.db, others)
  const access = await accessToAll(ctx.db, ctx.viewer, reposWithOwners)
  const rightsOf = new Map<RepoId, Rights>([[ctx.repo.id, ctx.rights]])
  const repoIdOf = new Map([[homeName, ctx.repo.id]])
  for (const { fullName, repo } of reposWithOwners) {
    const rights = access.get(repo.id)?.rights
    if (!rights) continue
    rightsOf.set(repo.id, rights)
    repoIdOf.set(fullName, repo.id)
  }
  const wanted = named.flatMap(({ repository, index }) => {
    const repoId = repoIdOf.get(nameOf(repository))
    return repoId === undefined ? [] : [{ repoId, index }]
  })
  const rows = await listIssuesByNumber(
    ctx.db,
    [...Map.groupBy(wanted, (each) => each.repoId)].map(([repoId, each]) => ({
      repoId,
      indexes: [...new Set(each.map(({ index }) => index))],
    })),
  )
  const found = new Map(rows.map((row) => [`${row.repo_id}#${row.index}`, row]))
  return ({ repository, index }) => {
    const repoId = repoIdOf.get(nameOf(repository))
    const issue = repoId === undefined ? undefined : found.get(`${repoId}#${index}`)
    const rights = repoId === undefined ? undefined : rightsOf.get(repoId)
    return issue && rights && mayReadIssue(rights, issue).allowed ? { issue, rights } : undefined
  }
}

/** The issues that one text names, each once: the same issue may be named in two ways, by number and by address. */
export function referencesOf(
  named: readonly NamedIssue[],
  lookUp: Awaited<ReturnType<typeof lookUpIssues>>,
): Reference[] {
  const references = new Map<IssueId, Reference>()
  for (const each of named) {
    const visible = lookUp(each)
    if (!visible) continue
    const known = references.get(visible.issue.id)
    references.set(visible.issue.id, {
      ...visible,
      action: each.action === 'none' ? (known?.action ?? 'none') : each.action,
      seconds: each.seconds || (known?.seconds ?? 0),
    })
  }
  return [...references.values()]
}

/** Looks up the issues that a text of a repository names; what is missing or hidden from the doer is left out. */
export async function findReferenced(
  ctx: SignedInCtx & RepoWithOwner & { readonly rights: Rights },
  named: Pick<Named, 'issues'>,
): Promise<Reference[]> {
  if (named.issues.length === 0) return []
  return referencesOf(named.issues, await lookUpIssues(ctx, named.issues))
}

/** The text that refers to other issues. */
export interface ReferenceSource {
  readonly issue: Pick<IssueRow, 'id' | 'repo_id' | 'is_pull'>
  readonly comment: CommentRow | undefined
}

/**
 * Returns the effect of a reference. Only a reference from a pull request to an issue has one; from comments and to other
 * repositories, the doer must have the right to do it (contract, issues: keywords).
 */
export function promisedAction(
  source: { readonly isPull: boolean; readonly isComment: boolean; readonly repoId: RepoId },
  { issue, rights, action }: Reference,
  doerId: UserId,
): PromisedAction {
  if (action === 'none' || !source.isPull || issue.is_pull) return 'none'
  if (!source.isComment && issue.repo_id === source.repoId) return action
  return issue.poster_id === doerId || mayManage(rights, issue).allowed ? action : 'none'
}

/**
 * Records the references of a text in the timelines of the issues that it names: adds new ones, keeps existing ones, and
 * neuters those that were removed or changed. The named issues count as changed.
 */
export async function recordReferences(
  tx: Tx,
  by: Attribution,
  source: ReferenceSource,
  references: readonly Reference[],
): Promise<void> {
  const { issue, comment } = source
  const live = await listLiveReferences(tx, issue.id, comment?.id ?? null)
  const about = { isPull: issue.is_pull, isComment: comment !== undefined, repoId: issue.repo_id }
  const wanted = new Map(
    references
      .filter((reference) => reference.issue.id !== issue.id)
      .map((reference) => [reference.issue.id, { ...reference, action: promisedAction(about, reference, by.doerId) }]),
  )
  const vanished = live.filter((entry) => wanted.get(entry.issue_id)?.action !== entry.ref_action)
  await neuterReferences(
    tx,
    vanished.map((entry) => entry.id),
    by.atUnix,
  )
  const kept = new Set(live.filter((entry) => !vanished.includes(entry)).map((entry) => entry.issue_id))
  const added = [...wanted.values()].filter((reference) => !kept.has(reference.issue.id))
  if (added.length === 0) return
  const entries = await insertTimelineEntries(
    tx,
    by,
    added.map((reference) => ({
      issue_id: reference.issue.id,
      type: comment ? ('comment_ref' as const) : issue.is_pull ? ('pull_ref' as const) : ('issue_ref' as const),
      ref_repo_id: issue.repo_id,
      ref_issue_id: issue.id,
      ref_comment_id: comment?.id ?? null,
      ref_action: reference.action,
    })),
  )
  const targets = new Map(added.map((reference) => [reference.issue.id, reference.issue]))
  await touchIssues(tx, [...targets.keys()], by.atUnix)
  for (const entry of entries) {
    const target = targets.get(entry.issue_id) as IssueRow
    await publish(tx, 'issue.referenced', {
      repoId: target.repo_id,
      issueId: target.id,
      doerId: by.doerId,
      isPull: target.is_pull,
      commentId: entry.id,
    })
  }
}

/**
 * Returns the accounts that a text mentions, and the members of the teams that it mentions. All of them may read the unit, do
 * not block the author, and are not the author (contract, issues: mentions).
 */
export async function findMentioned(
  ctx: SignedInCtx & RepoWithOwner,
  issue: { readonly is_pull: boolean },
  named: Pick<Named, 'accounts'>,
): Promise<UserId[]> {
  if (named.accounts.length === 0) return []
  const people = named.accounts.filter((account) => account.team === undefined).map((account) => account.name)
  const teams = named.accounts
    .filter((account) => account.team !== undefined && account.name === ctx.owner.lower_name)
    .map((account) => account.team as string)
  const [users, members] = await Promise.all([
    listUsersByName(ctx.db, people),
    ctx.owner.kind === 'organization'
      ? listCalledMemberIds(ctx.db, { orgId: ctx.owner.id, repoId: ctx.repo.id, unit: unitOf(issue) }, teams)
      : [],
  ])
  const ids = [...new Set([...users.map((user) => user.id), ...members])].filter((id) => id !== ctx.viewer.id)
  const [readers, blocking] = await Promise.all([
    listUsersWhoMay(ctx.db, ctx, ids, { units: [unitOf(issue)], mode: mode.read }),
    listBlockingAmong(ctx.db, ids, ctx.viewer.id),
  ])
  return readers.map((reader) => reader.id).filter((id) => !blocking.has(id))
}

/** A text without these characters names nothing. */
const mayName = (markdown: string): boolean => /[#!@]|issues\/|pulls\//.test(markdown)

const runsOf = (ctx: Ctx, texts: readonly string[]) => ctx.texts.runs(ctx, texts.filter(mayName))

/** Reads the title and the text of an issue. */
export const namedByIssue = async (
  ctx: Ctx,
  issue: { readonly title: string; readonly content: string },
): Promise<Named> =>
  parseReferences({ plain: [issue.title], markdown: await runsOf(ctx, [issue.content]) }, parseRules(ctx.config))

/** Reads the text of a comment, or those of a review. */
export const namedByComment = async (ctx: Ctx, ...contents: readonly string[]): Promise<Named> =>
  parseReferences({ markdown: await runsOf(ctx, contents) }, parseRules(ctx.config))

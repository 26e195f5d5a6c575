import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { accessTo, accessToAll, type RepoAccess } from '../../access/repo-access.ts'
import { transaction } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { BadRequest, Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { findUserByName } from '../../users/user.store.ts'
import { deleteDependency, hasDependency, insertDependency, listDependencies } from './dependency.store.ts'
import { insertTimelineEntries } from '../timeline-entry.store.ts'
import { mayManage, mayReadIssue } from '../issue.policy.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { attributionNow, getReadableIssue, noIssue } from '../issue.service.ts'
import { findIssue, findRepoOfOwner, touchIssues } from '../issue.store.ts'

/** How a request names the other issue. */
export interface OtherIssue {
  readonly owner?: string | undefined
  readonly repo?: string | undefined
  readonly index?: number | undefined
}

/** An issue with where it lies and what the viewer may do there. */
interface Side extends RepoWithOwner, RepoAccess {
  readonly issue: IssueRow
}

const areDependenciesOn = ({ units }: Pick<RepoAccess, 'units'>): boolean =>
  unitConfig(units, 'issues')?.enable_issue_dependencies ?? true

/** An issue of a list, or the knowledge that there is one. */
export type SeenIssue = { readonly row: IssueRow; readonly sight: 'whole' | 'outline' | 'hidden' }

async function seen(ctx: RepoCtx, issue: IssueRow, rows: readonly IssueRow[]): Promise<SeenIssue[]> {
  const reposWithOwners = await loadReposWithOwners(
    ctx.db,
    rows.map((row) => row.repo_id),
    [ctx],
  )
  const others = [...reposWithOwners.values()].filter((repoWithOwner) => repoWithOwner.repo.id !== ctx.repo.id)
  const access = await accessToAll(ctx.db, ctx.viewer, others)
  return rows.map((row) => {
    const rights = row.repo_id === ctx.repo.id ? ctx.rights : access.get(row.repo_id)?.rights
    if (rights && mayReadIssue(rights, row).allowed) return { row, sight: 'whole' }
    // Writers are told what stands in the way (contract), but never more than their credential is for.
    return { row, sight: mayManage(ctx.rights, issue).allowed && !rights?.isWithheld ? 'outline' : 'hidden' }
  })
}

/** What an issue depends on. What the viewer may not see is an outline to writers, and hidden to others. */
export async function getDependencies(ctx: RepoCtx, index: number): Promise<SeenIssue[]> {
  const issue = await getReadableIssue(ctx, index)
  if (!areDependenciesOn(ctx)) throw new NotFound('dependencies are switched off', 'dependencies_off')
  return seen(ctx, issue, await listDependencies(ctx.db, issue, 'dependencies'))
}

/** What depends on an issue, without what the viewer may not see. */
export async function getBlocked(ctx: RepoCtx, index: number): Promise<IssueRow[]> {
  const issue = await getReadableIssue(ctx, index)
  const all = await seen(ctx, issue, await listDependencies(ctx.db, issue, 'blocks'))
  return all.filter(({ sight }) => sight === 'whole').map(({ row }) => row)
}

/** The other issue of a request, where the viewer may read it; else 404, whatever is missing. */
async function getOther(ctx: SignedInRepoCtx, other: OtherIssue): Promise<Side> {
  const { owner: ownerName = '', repo: repoName = '', index = 0 } = other
  const owner = await findUserByName(ctx.db, ownerName)
  const repo: RepoRow | undefined = owner && (await findRepoOfOwner(ctx.db, ownerName, repoName))
  if (!owner || !repo) throw noIssue()
  const access = repo.id === ctx.repo.id ? ctx : await accessTo(ctx.db, ctx.viewer, owner, repo)
  const issue = await findIssue(ctx.db, repo.id, index)
  if (!issue || !mayReadIssue(access.rights, issue).allowed) throw noIssue()
  return { repo, owner, issue, units: access.units, rights: access.rights }
}

/** Which of two issues depends on the other one. */
interface Pair {
  readonly dependent: Side
  readonly needed: Side
}

async function pairOf(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  direction: 'dependencies' | 'blocks',
): Promise<Pair & { readonly named: IssueRow }> {
  const here: Side = {
    repo: ctx.repo,
    owner: ctx.owner,
    units: ctx.units,
    rights: ctx.rights,
    issue: await getReadableIssue(ctx, index),
  }
  const there = await getOther(ctx, other)
  const pair = direction === 'dependencies' ? { dependent: here, needed: there } : { dependent: there, needed: here }
  const { dependent } = pair
  // Missing rights, a switch that is off and an archived repository are all as if there were no such issue (contract).
  if (!areDependenciesOn(dependent) || !mayManage(dependent.rights, dependent.issue).allowed) throw noIssue()
  if (direction === 'blocks' && dependent.repo.is_archived) throw noIssue()
  if (!ctx.config.service.allowCrossRepositoryDependencies && dependent.repo.id !== pair.needed.repo.id) {
    throw new BadRequest('dependencies between repositories are switched off', 'cross_repository_dependencies_off')
  }
  return { ...pair, named: here.issue }
}

const entriesOf = ({ dependent, needed }: Pair, type: 'add_dependency' | 'remove_dependency') => [
  { issue_id: dependent.issue.id, type, dependent_issue_id: needed.issue.id },
  { issue_id: needed.issue.id, type, dependent_issue_id: dependent.issue.id },
]

/**
 * Makes one issue depend on another. On itself is `Invalid`; a dependency that exists, or the same in the other
 * direction, is a `Conflict`.
 * @returns the issue that the address of the request names
 */
export async function addDependency(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  direction: 'dependencies' | 'blocks',
): Promise<IssueRow> {
  const pair = await pairOf(ctx, index, other, direction)
  const { dependent, needed, named } = pair
  if (dependent.issue.id === needed.issue.id) {
    throw new Invalid('an issue cannot depend on itself', 'dependency_on_itself')
  }
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    if (await hasDependency(tx, needed.issue.id, dependent.issue.id)) {
      throw new Conflict('the other issue depends on this one', 'dependency_circular')
    }
    const isNew = await insertDependency(tx, {
      issue_id: dependent.issue.id,
      dependency_id: needed.issue.id,
      user_id: by.doerId,
      created_unix: by.atUnix,
    })
    if (!isNew) throw new Conflict('the dependency exists already', 'dependency_exists')
    await insertTimelineEntries(tx, by, entriesOf(pair, 'add_dependency'))
    await touchIssues(tx, [dependent.issue.id, needed.issue.id], by.atUnix)
  })
  return { ...named, updated_unix: by.atUnix }
}

/** Removes a dependency; 404 when there is none. Gives the issue that the address of the request names. */
export async function removeDependency(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  direction: 'dependencies' | 'blocks',
): Promise<IssueRow> {
  const pair = await pairOf(ctx, index, other, direction)
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const gone = await deleteDependency(tx, pair.dependent.issue.id, pair.needed.issue.id)
    if (!gone) throw new NotFound('there is no such dependency', 'dependency_not_found')
    await insertTimelineEntries(tx, by, entriesOf(pair, 'remove_dependency'))
    await touchIssues(tx, [pair.dependent.issue.id, pair.needed.issue.id], by.atUnix)
  })
  return { ...pair.named, updated_unix: by.atUnix }
}

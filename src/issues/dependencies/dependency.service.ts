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

/** The other issue, as a request names it. */
export interface OtherIssue {
  readonly owner?: string | undefined
  readonly repo?: string | undefined
  readonly index?: number | undefined
}

/** An issue with its repository and the viewer's rights there. */
export interface IssueSide extends RepoWithOwner, RepoAccess {
  readonly issue: IssueRow
}

const areDependenciesOn = ({ units }: Pick<RepoAccess, 'units'>): boolean =>
  unitConfig(units, 'issues')?.enable_issue_dependencies ?? true

/** An issue of a list, and the part of it that the viewer may see. */
export type SeenIssue = { readonly row: IssueRow; readonly sight: 'whole' | 'outline' | 'hidden' }

/** Returns issues in their order with the part that the viewer may see. @param issue the one that they belong to */
export async function seeIssues(ctx: RepoCtx, issue: IssueRow, rows: readonly IssueRow[]): Promise<SeenIssue[]> {
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
    // Writers see an outline of the blocking issue (contract), within the limits of their credential.
    return { row, sight: mayManage(ctx.rights, issue).allowed && !rights?.isWithheld ? 'outline' : 'hidden' }
  })
}

/** Returns the issues that an issue depends on. Writers see an outline of an unreadable one; others see a placeholder. */
export async function getDependencies(ctx: RepoCtx, index: number): Promise<SeenIssue[]> {
  const issue = await getReadableIssue(ctx, index)
  if (!areDependenciesOn(ctx)) throw new NotFound('dependencies are switched off', 'dependencies_off')
  return seeIssues(ctx, issue, await listDependencies(ctx.db, issue, 'dependencies'))
}

/** Returns the issues that depend on an issue, without those that the viewer may not read. */
export async function getBlocked(ctx: RepoCtx, index: number): Promise<IssueRow[]> {
  const issue = await getReadableIssue(ctx, index)
  const all = await seeIssues(ctx, issue, await listDependencies(ctx.db, issue, 'blocks'))
  return all.filter(({ sight }) => sight === 'whole').map(({ row }) => row)
}

/** Returns the other issue of a request. @throws NotFound when it is missing or unreadable for the viewer */
export async function getOtherIssue(ctx: SignedInRepoCtx, other: OtherIssue): Promise<IssueSide> {
  const { owner: ownerName = '', repo: repoName = '', index = 0 } = other
  const owner = await findUserByName(ctx.db, ownerName)
  const repo: RepoRow | undefined = owner && (await findRepoOfOwner(ctx.db, ownerName, repoName))
  if (!owner || !repo) throw noIssue()
  const access = repo.id === ctx.repo.id ? ctx : await accessTo(ctx.db, ctx.viewer, owner, repo)
  const issue = await findIssue(ctx.db, repo.id, index)
  if (!issue || !mayReadIssue(access.rights, issue).allowed) throw noIssue()
  return { repo, owner, issue, units: access.units, rights: access.rights }
}

/** Returns which of two issues depends on the other. */
interface Pair {
  readonly dependent: IssueSide
  readonly needed: IssueSide
}

async function pairOf(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  direction: 'dependencies' | 'blocks',
): Promise<Pair & { readonly named: IssueRow }> {
  const here: IssueSide = {
    repo: ctx.repo,
    owner: ctx.owner,
    units: ctx.units,
    rights: ctx.rights,
    issue: await getReadableIssue(ctx, index),
  }
  const there = await getOtherIssue(ctx, other)
  const pair = direction === 'dependencies' ? { dependent: here, needed: there } : { dependent: there, needed: here }
  const { dependent } = pair
  // Missing rights, a disabled setting and an archived repository answer as if the issue did not exist (contract).
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
 * Makes one issue depend on another. A dependency on itself is `Invalid`; one that exists in either direction is a
 * `Conflict`.
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

/** Removes a dependency and returns the issue that the request's path names. @throws NotFound when it does not exist */
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

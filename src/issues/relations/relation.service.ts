import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import { BadRequest, Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import { getOtherIssue, seeIssues, type IssueSide, type OtherIssue } from '../dependencies/dependency.service.ts'
import { changeState, holdIssue, publishRelation } from '../issue-change.service.ts'
import { mayManage } from '../issue.policy.ts'
import { attributionNow, getReadableIssue, noIssue } from '../issue.service.ts'
import { touchIssues } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { insertTimelineEntries } from '../timeline-entry.store.ts'
import { maxDepth, maxRelations, otherSideOf, rowOf, type RelationWord } from './relation-word.ts'
import {
  countRelations,
  deleteRelation,
  findParentId,
  insertRelation,
  listAncestorIds,
  listRelations,
  type RelationRow,
} from './relation.store.ts'

/** A relation that the viewer may see, with the repository of the other issue. */
export interface SeenRelation extends RelationRow, RepoWithOwner {}

/** Returns the relations of an issue to issues that the viewer may read. */
export async function getRelations(ctx: RepoCtx, index: number): Promise<SeenRelation[]> {
  const issue = await getReadableIssue(ctx, index)
  const relations = await listRelations(ctx.db, issue.id)
  const seen = await seeIssues(
    ctx,
    issue,
    relations.map((relation) => relation.issue),
  )
  const readable = relations.filter((_, at) => seen[at]?.sight === 'whole')
  const repos = await loadReposWithOwners(
    ctx.db,
    readable.map((relation) => relation.issue.repo_id),
    [ctx],
  )
  return readable.flatMap((relation) => {
    const repository = repos.get(relation.issue.repo_id)
    return repository ? [{ ...relation, repo: repository.repo, owner: repository.owner }] : []
  })
}

/** A relation that a request names, with both issues. */
interface Named {
  readonly word: RelationWord
  readonly here: IssueSide
  readonly there: IssueSide
}

/**
 * Returns the issues of a relation. The viewer must manage that of the address and read the other one. Missing rights answer as
 * if the issue did not exist.
 */
async function named(ctx: SignedInRepoCtx, index: number, other: OtherIssue, word: RelationWord): Promise<Named> {
  const here: IssueSide = {
    ...{ repo: ctx.repo, owner: ctx.owner, units: ctx.units, rights: ctx.rights },
    issue: await getReadableIssue(ctx, index),
  }
  const there = await getOtherIssue(ctx, other)
  if (!mayManage(here.rights, here.issue).allowed) throw noIssue()
  return { word, here, there }
}

const entriesOf = ({ word, here, there }: Named, type: 'add_relation' | 'remove_relation') => [
  { issue_id: here.issue.id, type, content: word, dependent_issue_id: there.issue.id },
  { issue_id: there.issue.id, type, content: otherSideOf(word), dependent_issue_id: here.issue.id },
]

/** Refuses a parent that would make a circle, or a tree that is too deep. */
async function checkParent(tx: Tx, { word, here, there }: Named): Promise<void> {
  const [child, parent] = word === 'parent' ? [here.issue, there.issue] : [there.issue, here.issue]
  const present = await findParentId(tx, child.id)
  if (present !== undefined && present !== parent.id) {
    throw new Conflict('the issue has another parent; remove it first', 'relation_has_parent')
  }
  const above = await listAncestorIds(tx, parent.id)
  if (above.includes(child.id)) throw new Conflict('the issue is above its parent', 'relation_circular')
  if (above.length >= maxDepth) {
    throw new Invalid(`an issue has at most ${maxDepth} issues above it`, 'relation_too_deep')
  }
}

/**
 * Relates an issue to another one.
 * @param closes closes the issue as well, for a duplicate
 */
export async function addRelation(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  word: RelationWord,
  { closes = false }: { readonly closes?: boolean } = {},
): Promise<RelationRow> {
  const relation = await named(ctx, index, other, word)
  const { here, there } = relation
  if (here.issue.id === there.issue.id) throw new Invalid('an issue cannot relate to itself', 'relation_to_itself')
  // Both sides of a tree, and the issue that becomes a duplicate, must be managed.
  const changesOther = word === 'parent' || word === 'sub_issue' || word === 'duplicated_by'
  if (changesOther && (there.repo.is_archived || !mayManage(there.rights, there.issue).allowed)) throw noIssue()
  const row = rowOf(word, here.issue.id, there.issue.id)
  if (row.kind === 'parent' && (here.issue.is_pull || there.issue.is_pull)) {
    throw new Invalid('a pull request is no sub-issue and has none', 'relation_of_pull')
  }
  if (!ctx.config.service.allowCrossRepositoryDependencies && here.repo.id !== there.repo.id) {
    throw new BadRequest('relations between repositories are switched off', 'cross_repository_dependencies_off')
  }
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    // Both rows are held in the order of their ids, so that crossing changes wait for each other.
    const both = [here.issue, there.issue].toSorted((one, other) => one.id - other.id)
    for (const issue of both) await holdIssue(tx, issue)
    for (const issue of both) {
      if ((await countRelations(tx, issue.id)) >= maxRelations) {
        throw new Invalid(`an issue has at most ${maxRelations} relations`, 'too_many_relations')
      }
    }
    if (row.kind === 'parent') await checkParent(tx, relation)
    const isNew = await insertRelation(tx, {
      ...{ issue_id: row.first, other_id: row.other, kind: row.kind },
      created_unix: by.atUnix,
    })
    if (!isNew) throw new Conflict('the relation exists already', 'relation_exists')
    await insertTimelineEntries(tx, by, entriesOf(relation, 'add_relation'))
    await touchIssues(tx, [here.issue.id, there.issue.id], by.atUnix)
    for (const issue of [here.issue, there.issue]) await publishRelation(tx, by, issue)
    if (!closes) return
    const { kind } = await changeState(tx, by, await holdIssue(tx, here.issue), true)
    if (kind === 'blocked') throw new Conflict('the issue depends on open issues', 'issue_blocked')
  })
  return { word, issue: { ...there.issue, updated_unix: by.atUnix } }
}

/** Removes a relation, which either side may do. @throws NotFound when it does not exist */
export async function removeRelation(
  ctx: SignedInRepoCtx,
  index: number,
  other: OtherIssue,
  word: RelationWord,
): Promise<void> {
  const relation = await named(ctx, index, other, word)
  const { here, there } = relation
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const gone = await deleteRelation(tx, rowOf(word, here.issue.id, there.issue.id))
    if (!gone) throw new NotFound('there is no such relation', 'relation_not_found')
    await insertTimelineEntries(tx, by, entriesOf(relation, 'remove_relation'))
    await touchIssues(tx, [here.issue.id, there.issue.id], by.atUnix)
    for (const issue of [here.issue, there.issue]) await publishRelation(tx, by, issue)
  })
}

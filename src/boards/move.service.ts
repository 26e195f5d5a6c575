import type { RepoCtx, SignedInCtx, SignedInRepoCtx } from '../access/context.ts'
import { openRepo } from '../access/resolve-repo.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { SavedViewRow } from '../db/tables/boards.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import { replaceAssignee } from '../issues/assignee.service.ts'
import { mayReadIssue } from '../issues/issue.policy.ts'
import { editIssue, noIssue, type EditIssueInput } from '../issues/issue.service.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { setScopedLabel } from '../issues/labels/label.service.ts'
import { listMilestonesNamed } from '../issues/milestones/milestone.store.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { Archived, Invalid } from '../lib/errors.ts'
import type { IssueId, SavedViewId } from '../lib/ids.ts'
import { findUserByName } from '../users/user.store.ts'
import { getBoard } from './board.service.ts'
import { findNextRank, findRankRange, loadRanks, setRanks, spreadRanks } from './card.store.ts'
import { noView, publishOfView, type ViewHome } from './saved-view.service.ts'
import { findViewForUpdate } from './saved-view.store.ts'

/** Where a card goes. */
export interface Move {
  readonly issueId: number
  /** The value of its new column (`Column.value`); undefined: it stays in its column. */
  readonly column: string | undefined
  /** The value of the column that it leaves, when it is in several; undefined: it leaves all. */
  readonly from: string | undefined
  /** Id of the issue that it comes behind; 0: it comes first; `all`: it comes last. Undefined: it keeps its rank. */
  readonly after: number | 'all' | undefined
}

/** Ranks of neighbours when there is room: about 20 cards fit between two before the others move. */
const gap = 1 << 20

/**
 * Moves a card of a view to a column, which changes the issue like its own page does, and to a place in the column.
 *
 * The place is stored after the change of the issue: a move that was cut in between leaves the card in its new column.
 * @throws NotFound when the viewer may not read the issue, or it is not one of the view's repositories
 * @throws Forbidden, Archived, Invalid, PreconditionFailed as the change of the issue does
 */
export async function moveCard(ctx: SignedInCtx, home: ViewHome, view: SavedViewRow, move: Move): Promise<void> {
  const { at, issue } = await findCard(ctx, home, move.issueId as IssueId)
  if (move.column !== undefined && move.column !== move.from) {
    if (at.repo.is_archived) throw new Archived()
    await setValue(at, issue, view, move.column, move.from)
  }
  if (move.after === undefined) return
  const { after, column } = await placeOf(ctx, home, view, move)
  await transaction(ctx.db, async (tx) => {
    if (!(await findViewForUpdate(tx, view.id))) throw noView()
    await place(tx, view.id, issue.id, after, column)
    await publishOfView(tx, 'view.arranged', ctx, home, view.id)
  })
}

/** Finds an issue of a view with the viewer's rights in its repository. */
async function findCard(
  ctx: SignedInCtx,
  home: ViewHome,
  id: IssueId,
): Promise<{ readonly at: SignedInRepoCtx; readonly issue: IssueRow }> {
  const issue = (await loadIssues(ctx.db, [id])).get(id)
  if (!issue) throw noIssue()
  const at = await repositoryOf(ctx, home, issue)
  if (!mayReadIssue(at.rights, issue).allowed) throw noIssue()
  return { at: { ...at, viewer: ctx.viewer }, issue }
}

async function repositoryOf(ctx: SignedInCtx, home: ViewHome, issue: IssueRow): Promise<RepoCtx> {
  if (home.of === 'repository') {
    if (issue.repo_id !== home.at.repo.id) throw noIssue()
    return home.at
  }
  const found = (await loadReposWithOwners(ctx.db, [issue.repo_id])).get(issue.repo_id)
  if (!found || (home.of === 'organization' && found.owner.id !== home.org.id)) throw noIssue()
  return { ...ctx, ...(await openRepo(ctx, found.owner, found.repo)) }
}

const unchanged: EditIssueInput = { dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined }

/** Gives an issue the value of a column. */
async function setValue(
  at: SignedInRepoCtx,
  issue: IssueRow,
  { grouping, label_scope: scope }: SavedViewRow,
  to: string,
  from: string | undefined,
): Promise<void> {
  const value = to === '' ? undefined : to
  switch (grouping) {
    case 'state':
      if (to !== 'open' && to !== 'closed') throw noColumn(to)
      await editIssue(at, issue, { ...unchanged, state: to })
      return
    case 'milestone':
      await editMilestone(at, issue, value)
      return
    case 'assignee': {
      const leaving = from === undefined ? undefined : await findUserByName(at.db, from)
      await replaceAssignee(at, issue, from === undefined ? 'everybody' : leaving?.id, value)
      return
    }
    case 'label':
      await setScopedLabel(at, issue, scope, value)
      return
    case 'none':
      throw noColumn(to)
  }
}

const noColumn = (value: string): Invalid =>
  new Invalid(`[column]: the view has no column “${value}”`, 'view_column_unknown', { field: 'column' })

/** Sets the milestone with a title. Repositories may have several; an open one is meant before a closed one. */
async function editMilestone(at: SignedInRepoCtx, issue: IssueRow, title: string | undefined): Promise<void> {
  const titled =
    title === undefined
      ? []
      : (await listMilestonesNamed(at.db, at.repo.id, [title])).filter((each) => each.title === title)
  const milestone = titled.find((each) => !each.is_closed) ?? titled[0]
  if (title !== undefined && !milestone) {
    throw new Invalid(`the repository has no milestone ${title}`, 'milestone_not_found')
  }
  await editIssue(at, issue, { ...unchanged, milestone: milestone?.id ?? 0 })
}

/**
 * Returns the card that a moved one comes behind, or 0, and the cards before and behind that one as they are shown. They are
 * only needed while it has no rank: then it and those before it get ranks.
 */
async function placeOf(
  ctx: SignedInCtx,
  home: ViewHome,
  view: SavedViewRow,
  { after, issueId, column, from }: Move,
): Promise<{ readonly after: IssueId; readonly column: readonly IssueId[] }> {
  const known = after === 'all' ? undefined : (after as IssueId)
  if (known === 0) return { after: known, column: [] }
  if (known !== undefined && (await loadRanks(ctx.db, view.id, [known])).has(known)) return { after: known, column: [] }
  const value = column ?? from
  const { columns } = await getBoard(ctx, home, view)
  const shown = columns.find(
    ({ value: own, cards }) =>
      (value === undefined || own === value) && (known === undefined || cards.some(({ id }) => id === known)),
  )
  const ids = (shown?.cards ?? []).map(({ id }) => id).filter((id) => id !== issueId)
  return { after: known ?? ids.at(-1) ?? (0 as IssueId), column: ids }
}

/**
 * Puts a card behind another one, or first. The transaction holds the view, so two people who move at once do not give two
 * cards one place. A card that is gone from the column counts as the last of the view.
 * @param column the cards of the column in the order in which they are shown, when `after` may lack a rank
 */
async function place(
  tx: Tx,
  viewId: SavedViewId,
  issueId: IssueId,
  after: IssueId,
  column: readonly IssueId[],
): Promise<void> {
  const range = (await findRankRange(tx, viewId)) ?? { first: 0, last: 0 }
  if (after === 0) {
    await setRanks(tx, viewId, [{ issueId, rank: range.first - gap }])
    return
  }
  const before = column.slice(0, column.indexOf(after) + 1)
  const ranks = await loadRanks(tx, viewId, [after, ...before])
  const known = ranks.get(after)
  if (known === undefined) {
    // Cards without a rank follow all others, so these keep their order when they get the next ranks.
    const added = before.filter((id) => !ranks.has(id))
    const placed = [...added, issueId].map((id, index) => ({ issueId: id, rank: range.last + (index + 1) * gap }))
    await setRanks(tx, viewId, placed)
    return
  }
  const rank = await rankBehind(tx, viewId, known, issueId)
  if (rank !== undefined) {
    await setRanks(tx, viewId, [{ issueId, rank }])
    return
  }
  await spreadRanks(tx, viewId, gap)
  const spread = (await loadRanks(tx, viewId, [after])).get(after) ?? range.last
  await setRanks(tx, viewId, [{ issueId, rank: (await rankBehind(tx, viewId, spread, issueId)) ?? spread + 1 }])
}

/** Returns a rank between another one and the next; undefined when there is none. */
async function rankBehind(tx: Tx, viewId: SavedViewId, rank: number, issueId: IssueId): Promise<number | undefined> {
  const next = await findNextRank(tx, viewId, rank, issueId)
  if (next === undefined) return rank + gap
  return next - rank < 2 ? undefined : rank + Math.floor((next - rank) / 2)
}

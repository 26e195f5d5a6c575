import { perApplication } from '../../access/per-application.ts'
import type { Ctx } from '../../access/context.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { idListText } from '../../db/id-list.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { ComposedItem, ComposedList, encodeMembers, type EncodedMembers } from '../../lib/composed-list.ts'
import { encodeOnce } from '../../lib/encode-once.ts'
import type { IssueId, LabelId, MilestoneId, RepoId, UserId } from '../../lib/ids.ts'
import { repoFullName } from '../../repos/repo-url.ts'
import { sightOf } from '../../users/user.present.ts'
import type { Issue } from '../issue.schemas.ts'
import { presenterOf, type PresentCtx } from '../issue.present.ts'
import { loadWholeIssues, type AroundIssues, type IssueKey, type IssueState } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { loadRevisions, type RevisionTexts, type ShownRows } from '../revision.store.ts'

/** The parts of an issue that other issues may share. */
interface Shared {
  /** Identifies the parts as one text. */
  readonly key: string
  readonly repoId: RepoId
  readonly posterId: UserId
  readonly milestoneId: MilestoneId | null
  readonly labelIds: readonly LabelId[]
  readonly assigneeIds: readonly UserId[]
}

/** One revision of an issue, in a repository of this name. */
interface KeptIssue {
  readonly revision: number
  readonly repoName: string
  readonly own: EncodedMembers
  readonly shared: Shared
}

/** The rows that a list used. */
interface KeptRows {
  readonly rows: ShownRows
  readonly posterIds: ReadonlySet<UserId>
}

/** Bytes that an entry takes besides its text and its key. */
const entryBytes = 350

/** Bytes that an item takes in a list. Its parts are cached, and counted, elsewhere. */
const itemBytes = 50

/** Returns the size of an item with its encoded text. */
const sizeOfItem = ({ own, shared }: ComposedItem<Issue>): number => itemBytes + own.sizeBytes + shared.sizeBytes

const memory = perApplication((caches) => ({
  issues: caches.open<IssueId, KeptIssue>('issues', { sizeOf: ({ own }) => own.sizeBytes + entryBytes }),
  /** Keyed by `sharedKey`, which covers all rows of the part. */
  shared: caches.open<string, EncodedMembers>('issues', {
    sizeOf: ({ sizeBytes }, key) => sizeBytes + key.length + entryBytes,
  }),
  /** Keyed by the issues and the names of their repositories. */
  rows: caches.open<string, KeptRows>('issues', {
    sizeOf: ({ rows, posterIds }, key) => key.length + 2 * rows.issue.length + 50 * posterIds.size + entryBytes,
  }),
  /** The rows of the last answer, keyed by the query. */
  shown: caches.open<string, KeptRows>('issues', { sizeOf: (_rows, question) => question.length + entryBytes }),
  /** Keyed by the rows, the revisions of all related rows, and the viewer. */
  lists: caches.open<string, ComposedList<Issue>>('issues', {
    sizeOf: ({ items }, key) => items.reduce((bytes, item) => bytes + sizeOfItem(item), key.length + entryBytes),
  }),
  /** Keyed by the id of the issue, the name of its repository, the revisions of all related rows, and the viewer. */
  items: caches.open<string, ComposedItem<Issue>>('issues', {
    sizeOf: (item, key) => sizeOfItem(item) + key.length + entryBytes,
  }),
}))

type ListCtx = PresentCtx & Pick<Ctx, 'caches'>

/** Revisions that are read before the issues of the page are known. */
interface ReadAhead {
  readonly question: string
  /** The rows of the page's last answer, and their current revisions. */
  readonly shown?: { readonly rows: KeptRows; readonly revisions: Promise<RevisionTexts> }
}

/**
 * Reads the revisions of the rows that the page showed last, concurrently with the query for its issues. Most pages have
 * not changed, and each sequential query costs a fifth of the request on PostgreSQL.
 * @param question identifies the page by all its parameters
 */
export function askListAhead(ctx: ListCtx, question: string): ReadAhead {
  const rows = memory(ctx).shown.get(question)
  if (!rows) return { question }
  const revisions = loadRevisions(ctx.db, rows.rows)
  // Prevents an unhandled rejection when the page shows other issues; a caller that awaits still gets the error.
  revisions.catch(() => {})
  return { question, shown: { rows, revisions } }
}

/**
 * Presents a list of issues and pull requests. The cache holds encoded parts under the revisions of all rows that they use,
 * and each request reads these revisions. An unchanged list reads no other row. Issues that are deleted meanwhile are
 * omitted.
 * @param known repositories that are loaded already
 */
export async function presentIssueList(
  ctx: ListCtx,
  keys: readonly IssueKey[],
  known: readonly RepoWithOwner[] = [],
  ahead?: ReadAhead,
): Promise<ComposedList<Issue>> {
  if (keys.length === 0) return new ComposedList<Issue>([])
  const repos = await loadReposWithOwners(ctx.db, new Set(keys.map((issueKey) => issueKey.repo_id)), known)
  const names = [...repos].map(([id, repoWithOwner]) => `${id}:${repoFullName(repoWithOwner)}`).join()
  const key = `${idListText(keys.map(({ id }) => id))} ${names}`
  const kept = memory(ctx)
  const before = kept.rows.get(key)
  if (before) {
    const isShown = ahead?.shown?.rows === before
    if (ahead && !isShown) kept.shown.set(ahead.question, before)
    const revisions = await (isShown ? ahead.shown.revisions : loadRevisions(ctx.db, before.rows))
    const list = kept.lists.get(listKey(ctx.viewer, key, before, revisions))
    if (list) return list
  }
  return composeList(ctx, key, keys, repos)
}

/** Presents one issue in the same way; returns undefined when it is deleted meanwhile. */
export async function presentIssueState(
  ctx: ListCtx,
  state: IssueState,
  repoWithOwner: RepoWithOwner,
): Promise<ComposedItem<Issue> | undefined> {
  const { items } = memory(ctx)
  const sight = sightOf(ctx.viewer, state.poster_id)
  const key = `${state.id} ${repoFullName(repoWithOwner)} ${sight} ${state.revisions}`
  const item = items.get(key)
  if (item) return item
  // The result may be newer than the given state. The key of the older state is then never used again.
  const [made] = (await presentIssueList(ctx, [state], [repoWithOwner])).items
  if (made) items.set(key, encodeOnce(made))
  return made
}

/** Builds a list from cached parts, and encodes the missing ones. */
async function composeList(
  ctx: ListCtx,
  key: string,
  keys: readonly IssueKey[],
  repos: ReadonlyMap<RepoId, RepoWithOwner>,
): Promise<ComposedList<Issue>> {
  const kept = memory(ctx)
  const candidates = keys.map(({ id }) => kept.issues.get(id))
  const showed = rowsOf(keys, candidates)
  const texts = await loadRevisions(ctx.db, showed.rows)
  const revisions = {
    issue: parseRevisions(texts.issue),
    user: parseRevisions(texts.user),
    label: parseRevisions(texts.label),
    milestone: parseRevisions(texts.milestone),
  }
  const parts = new Map<string, EncodedMembers | undefined>()
  const sharedPart = (shared: Shared, repoName: string) => {
    if (!parts.has(shared.key)) {
      parts.set(shared.key, kept.shared.get(sharedKey(ctx.viewer, shared, repoName, revisions)))
    }
    return parts.get(shared.key)
  }
  const items = keys.map(({ id, repo_id: repoId }, index) => {
    const candidate = candidates[index]
    const repoWithOwner = repos.get(repoId)
    if (!candidate || !repoWithOwner || candidate.revision !== revisions.issue.get(id)) return undefined
    const repoName = repoFullName(repoWithOwner)
    if (candidate.repoName !== repoName || candidate.shared.repoId !== repoId) return undefined
    const shared = sharedPart(candidate.shared, repoName)
    return shared && new ComposedItem<Issue>(candidate.own, shared)
  })
  const missing = keys.filter((_, index) => items[index] === undefined).map(({ id }) => id)
  if (missing.length > 0) {
    const encoded = await encodeIssues(ctx, missing, repos)
    return new ComposedList(keys.flatMap(({ id }, index) => items[index] ?? encoded.get(id) ?? []))
  }
  // All parts come from one snapshot of the database, that of the revisions in the key.
  const list = encodeOnce(new ComposedList(items as ComposedItem<Issue>[]))
  kept.rows.set(key, showed)
  kept.lists.set(listKey(ctx.viewer, key, showed, texts), list)
  return list
}

/** Returns the cached rows that the issues use. */
function rowsOf(keys: readonly IssueKey[], candidates: readonly (KeptIssue | undefined)[]): KeptRows {
  const all = candidates.flatMap((each) => each?.shared ?? [])
  const posterIds = new Set(all.map(({ posterId }) => posterId))
  return {
    rows: {
      issue: idListText(keys.map(({ id }) => id)),
      user: idListText([...posterIds, ...all.flatMap(({ assigneeIds }) => assigneeIds)]),
      label: idListText(all.flatMap(({ labelIds }) => labelIds)),
      milestone: idListText(all.flatMap(({ milestoneId }) => milestoneId ?? [])),
    },
    posterIds,
  }
}

const parseRevisions = (text: string | null): ReadonlyMap<number, number> =>
  new Map((text ?? '').split(',').map((pair) => pair.split(':').map(Number) as [number, number]))

/**
 * Returns the cache key of a whole list. Authors see more of themselves than others do, and administrators of every author.
 */
function listKey(
  viewer: Viewer | undefined,
  key: string,
  { posterIds }: KeptRows,
  { issue, user, label, milestone }: RevisionTexts,
): string {
  const looks = !viewer ? 'guest' : viewer.isAdmin ? 'admin' : posterIds.has(viewer.id) ? viewer.id : 'other'
  return `${key} ${looks} ${issue};${user};${label};${milestone}`
}

/** The revision of each row by its id. */
type RevisionsById = Readonly<Record<'user' | 'label' | 'milestone', ReadonlyMap<number, number>>>

/**
 * Returns the cache key of a shared part: its rows with their revisions, how much of the author the viewer sees, and the
 * name of the repository, which addresses contain.
 */
function sharedKey(viewer: Viewer | undefined, shared: Shared, repoName: string, revisions: RevisionsById): string {
  const { key, posterId, milestoneId, labelIds, assigneeIds } = shared
  let text = `${key} ${repoName} ${sightOf(viewer, posterId)} ${revisions.user.get(posterId)}`
  if (milestoneId !== null) text += ` ${revisions.milestone.get(milestoneId)}`
  for (const id of labelIds) text += ` ${revisions.label.get(id)}`
  for (const id of assigneeIds) text += ` ${revisions.user.get(id)}`
  return text
}

/** Loads issues, and encodes and caches their parts. */
async function encodeIssues(
  ctx: ListCtx,
  ids: readonly IssueId[],
  repos: ReadonlyMap<RepoId, RepoWithOwner>,
): Promise<ReadonlyMap<IssueId, ComposedItem<Issue>>> {
  const kept = memory(ctx)
  const { issues, around, users, labels, milestones } = await loadWholeIssues(ctx.db, ids)
  const revisions = { user: revisionsById(users), label: revisionsById(labels), milestone: revisionsById(milestones) }
  const present = presenterOf(ctx, around)
  return new Map(
    issues.flatMap((row) => {
      const repoWithOwner = repos.get(row.repo_id)
      if (!repoWithOwner) return []
      const repoName = repoFullName(repoWithOwner)
      const own = encodeMembers(present.own(row, repoWithOwner))
      const shared = sharedOf(row, around)
      kept.issues.set(row.id, { revision: row.revision, repoName, own, shared })
      const key = sharedKey(ctx.viewer, shared, repoName, revisions)
      const part = kept.shared.get(key) ?? encodeMembers(present.shared(row, repoWithOwner))
      kept.shared.set(key, part)
      return [[row.id, new ComposedItem<Issue>(own, part)]]
    }),
  )
}

const revisionsById = (rows: readonly { readonly id: number; readonly revision: number }[]) =>
  new Map(rows.map(({ id, revision }) => [id, revision]))

function sharedOf(row: IssueRow, { labels, assignees }: AroundIssues): Shared {
  const labelIds = (labels.get(row.id) ?? []).map((label) => label.id).toSorted((one, other) => one - other)
  const assigneeIds = assignees.get(row.id) ?? []
  return {
    key: `${row.repo_id} ${row.poster_id} ${row.milestone_id} ${labelIds.join()} ${assigneeIds.join()}`,
    repoId: row.repo_id,
    posterId: row.poster_id,
    milestoneId: row.milestone_id,
    labelIds,
    assigneeIds,
  }
}

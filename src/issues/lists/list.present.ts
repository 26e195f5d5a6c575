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

/** What an issue shows that others may show as well. */
interface Shared {
  /** All of it as one text. */
  readonly key: string
  readonly repoId: RepoId
  readonly posterId: UserId
  readonly milestoneId: MilestoneId | null
  readonly labelIds: readonly LabelId[]
  readonly assigneeIds: readonly UserId[]
}

/** An issue at one of its revisions, in a repository of this name. */
interface KeptIssue {
  readonly revision: number
  readonly repoName: string
  readonly own: EncodedMembers
  readonly shared: Shared
}

/** The rows that a list showed. */
interface KeptRows {
  readonly rows: ShownRows
  readonly posterIds: ReadonlySet<UserId>
}

/** What an entry takes besides its text and its key, in bytes. */
const entryBytes = 350

/** What an item takes in a list, in bytes: its parts are kept once, and counted there. */
const itemBytes = 50

/** Of an item, together with what it is sent as. */
const sizeOfItem = ({ own, shared }: ComposedItem<Issue>): number => itemBytes + own.sizeBytes + shared.sizeBytes

const memory = perApplication((caches) => ({
  issues: caches.open<IssueId, KeptIssue>('issues', { sizeOf: ({ own }) => own.sizeBytes + entryBytes }),
  /** By everything that they are made of; see `sharedKey`. */
  shared: caches.open<string, EncodedMembers>('issues', {
    sizeOf: ({ sizeBytes }, key) => sizeBytes + key.length + entryBytes,
  }),
  /** By the issues and the names of their repositories. */
  rows: caches.open<string, KeptRows>('issues', {
    sizeOf: ({ rows, posterIds }, key) => key.length + 2 * rows.issue.length + 50 * posterIds.size + entryBytes,
  }),
  /** What a list showed last, by what was asked for. */
  shown: caches.open<string, KeptRows>('issues', { sizeOf: (_rows, question) => question.length + entryBytes }),
  /** By these, the revisions of all that is shown, and who looks. */
  lists: caches.open<string, ComposedList<Issue>>('issues', {
    sizeOf: ({ items }, key) => items.reduce((bytes, item) => bytes + sizeOfItem(item), key.length + entryBytes),
  }),
  /** By an issue's id, the name of its repository, the revisions of all that it shows, and who looks. */
  items: caches.open<string, ComposedItem<Issue>>('issues', {
    sizeOf: (item, key) => sizeOfItem(item) + key.length + entryBytes,
  }),
}))

type ListCtx = PresentCtx & Pick<Ctx, 'caches'>

/** Revisions that were asked for before it was known which issues are on the page. */
interface AskedAhead {
  readonly question: string
  /** What the page showed last, and at which revisions that is now. */
  readonly shown?: { readonly rows: KeptRows; readonly revisions: Promise<RevisionTexts> }
}

/**
 * Asks at which revisions the rows are that a page showed last, together with the question for what is on it: most pages
 * show the same as before, and over a connection each question in turn costs a fifth of the request.
 * @param question names the page: all that was asked for
 */
export function askListAhead(ctx: ListCtx, question: string): AskedAhead {
  const rows = memory(ctx).shown.get(question)
  if (!rows) return { question }
  const revisions = loadRevisions(ctx.db, rows.rows)
  // Nobody waits for them when the page shows something else now; who does wait hears of the error.
  revisions.catch(() => {})
  return { question, shown: { rows, revisions } }
}

/**
 * A list of issues and pull requests, for replies. What is encoded is kept under the revisions of all rows that it is
 * made of, and these are asked for each time: of a list of which nothing has changed no other row is read. An issue that
 * is gone by now is left out.
 * @param known repositories that need not be loaded
 */
export async function presentIssueList(
  ctx: ListCtx,
  places: readonly IssueKey[],
  known: readonly RepoWithOwner[] = [],
  ahead?: AskedAhead,
): Promise<ComposedList<Issue>> {
  if (places.length === 0) return new ComposedList<Issue>([])
  const repos = await loadReposWithOwners(ctx.db, new Set(places.map((place) => place.repo_id)), known)
  const names = [...repos].map(([id, repoWithOwner]) => `${id}:${repoFullName(repoWithOwner)}`).join()
  const key = `${idListText(places.map(({ id }) => id))} ${names}`
  const kept = memory(ctx)
  const before = kept.rows.get(key)
  if (before) {
    const isShown = ahead?.shown?.rows === before
    if (ahead && !isShown) kept.shown.set(ahead.question, before)
    const revisions = await (isShown ? ahead.shown.revisions : loadRevisions(ctx.db, before.rows))
    const list = kept.lists.get(listKey(ctx.viewer, key, before, revisions))
    if (list) return list
  }
  return composeList(ctx, key, places, repos)
}

/** One issue, in the same way; nothing when it is gone by now. */
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
  // It may show a later state than was asked for. Then that one does not come again, and nobody asks for this key any more.
  const [made] = (await presentIssueList(ctx, [state], [repoWithOwner])).items
  if (made) items.set(key, encodeOnce(made))
  return made
}

/** Puts a list together of the parts that are kept, and makes those that are not. */
async function composeList(
  ctx: ListCtx,
  key: string,
  places: readonly IssueKey[],
  repos: ReadonlyMap<RepoId, RepoWithOwner>,
): Promise<ComposedList<Issue>> {
  const kept = memory(ctx)
  const candidates = places.map(({ id }) => kept.issues.get(id))
  const showed = rowsOf(places, candidates)
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
  const items = places.map(({ id, repo_id: repoId }, index) => {
    const candidate = candidates[index]
    const repoWithOwner = repos.get(repoId)
    if (!candidate || !repoWithOwner || candidate.revision !== revisions.issue.get(id)) return undefined
    const repoName = repoFullName(repoWithOwner)
    if (candidate.repoName !== repoName || candidate.shared.repoId !== repoId) return undefined
    const shared = sharedPart(candidate.shared, repoName)
    return shared && new ComposedItem<Issue>(candidate.own, shared)
  })
  const missing = places.filter((_, index) => items[index] === undefined).map(({ id }) => id)
  if (missing.length > 0) {
    const encoded = await encodeIssues(ctx, missing, repos)
    return new ComposedList(places.flatMap(({ id }, index) => items[index] ?? encoded.get(id) ?? []))
  }
  // All of it is of one state of the database, the one whose revisions it is kept under.
  const list = encodeOnce(new ComposedList(items as ComposedItem<Issue>[]))
  kept.rows.set(key, showed)
  kept.lists.set(listKey(ctx.viewer, key, showed, texts), list)
  return list
}

/** All rows that are shown with the issues, as far as these are kept. */
function rowsOf(places: readonly IssueKey[], candidates: readonly (KeptIssue | undefined)[]): KeptRows {
  const all = candidates.flatMap((each) => each?.shared ?? [])
  const posterIds = new Set(all.map(({ posterId }) => posterId))
  return {
    rows: {
      issue: idListText(places.map(({ id }) => id)),
      user: idListText([...posterIds, ...all.flatMap(({ assigneeIds }) => assigneeIds)]),
      label: idListText(all.flatMap(({ labelIds }) => labelIds)),
      milestone: idListText(all.flatMap(({ milestoneId }) => milestoneId ?? [])),
    },
    posterIds,
  }
}

const parseRevisions = (text: string | null): ReadonlyMap<number, number> =>
  new Map((text ?? '').split(',').map((pair) => pair.split(':').map(Number) as [number, number]))

/** Everything that a whole list depends on; authors are shown to themselves and to administrators as to nobody else. */
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
 * Everything that a shared part depends on: which rows, at which revisions (none where the row is gone), how much of the
 * author the viewer sees, and the name of the repository, which is in addresses.
 */
function sharedKey(viewer: Viewer | undefined, shared: Shared, repoName: string, revisions: RevisionsById): string {
  const { key, posterId, milestoneId, labelIds, assigneeIds } = shared
  let text = `${key} ${repoName} ${sightOf(viewer, posterId)} ${revisions.user.get(posterId)}`
  if (milestoneId !== null) text += ` ${revisions.milestone.get(milestoneId)}`
  for (const id of labelIds) text += ` ${revisions.label.get(id)}`
  for (const id of assigneeIds) text += ` ${revisions.user.get(id)}`
  return text
}

/** Loads issues, encodes their parts and keeps them. */
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

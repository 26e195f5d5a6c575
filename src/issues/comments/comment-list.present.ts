import { perApplication } from '../../access/per-application.ts'
import type { Ctx } from '../../access/context.ts'
import { idListText } from '../../db/id-list.ts'
import { EncodedBody } from '../../lib/encoded-body.ts'
import type { Page } from '../../lib/paging.ts'
import { repoFullName } from '../../repos/repo-url.ts'
import { presentComments } from './comment.present.ts'
import type { Comment } from './comment.schemas.ts'
import type { CommentsState } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadUserRevisions } from '../revision.store.ts'
import { listEntries, type ChangedBetween } from '../timeline-entry.store.ts'

/** All comments of an issue as they are sent. They look the same to everybody who may see them. */
interface KeptComments {
  /** At which the issue, and with it its comments and their files, and their authors were when this was made. */
  readonly state: CommentsState
  readonly posterIds: string
  readonly body: EncodedBody<Comment[]>
  readonly count: number
}

/** The comments of an issue as they were asked for last, if they were. */
interface KnownComments {
  readonly key: string
  readonly posterIds: string
  readonly kept: KeptComments | undefined
}

/** What an entry takes besides its text, in bytes. */
const entryBytes = 600

/** By what is asked and the names that are in addresses. */
const memory = perApplication((caches) =>
  caches.open<string, KeptComments>('comments', {
    sizeOf: ({ body, posterIds }, key) => body.sizeBytes + 3 * posterIds.length + key.length + entryBytes,
  }),
)

const wholePage: Page = { number: 1, limit: 1_000_000, offset: 0 }

type CommentListCtx = Pick<Ctx, 'caches' | 'config' | 'db'> & RepoWithOwner

/** What is remembered of the comments of an issue: whether it still holds, the database is asked. */
export function knownComments(
  ctx: CommentListCtx,
  index: number,
  { sinceUnix, beforeUnix }: ChangedBetween,
): KnownComments {
  const key = `${ctx.repo.id} ${repoFullName(ctx)} ${index} ${sinceUnix} ${beforeUnix}`
  const kept = memory(ctx).get(key)
  return { key, posterIds: kept?.posterIds ?? '[]', kept }
}

/**
 * All comments of an issue, oldest first, as they are sent. What is encoded is kept under the revisions of all rows that it
 * is made of; of an issue of which nothing has changed no other row is read.
 *
 * @param state asked for with the authors that are known
 */
export async function presentCommentsOf(
  ctx: CommentListCtx,
  state: CommentsState,
  between: ChangedBetween,
  { key, posterIds: asked, kept }: KnownComments,
): Promise<Pick<KeptComments, 'body' | 'count'>> {
  if (kept && isSame(kept.state, state)) return kept
  // Revisions are asked for before what they are of, so what is kept is never older than they say.
  const rows = await listEntries(ctx.db, state.id, { ...between, onlyComments: true, page: wholePage })
  const posterIds = idListText(rows.map((row) => row.poster_id))
  const user = posterIds === asked ? state.user : await loadUserRevisions(ctx.db, posterIds)
  const body = new EncodedBody<Comment[]>(await presentComments(ctx, rows, new Map([[state.id, state]])))
  const made = { state: { ...state, user }, posterIds, body, count: rows.length }
  memory(ctx).set(key, made)
  return made
}

const isSame = (one: CommentsState, other: CommentsState): boolean =>
  one.id === other.id && one.is_pull === other.is_pull && one.revision === other.revision && one.user === other.user

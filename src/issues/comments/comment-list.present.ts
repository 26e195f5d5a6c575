import { perApplication } from '../../access/per-application.ts'
import type { Ctx } from '../../access/context.ts'
import { idListText } from '../../db/id-list.ts'
import { EncodedBody } from '../../lib/encoded-body.ts'
import { listJson } from '../../lib/list-json.ts'
import type { Page } from '../../lib/paging.ts'
import { repoFullName } from '../../repos/repo-url.ts'
import { presentComments } from './comment.present.ts'
import type { Comment } from './comment.schemas.ts'
import type { CommentsState } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadUserRevisions } from '../revision.store.ts'
import { countComments, listEntries, type ChangedBetween } from '../timeline-entry.store.ts'

/** Encoded comments of an issue. All viewers who may read the issue get the same answer. */
interface KeptComments {
  /** Revisions of the issue and of the authors when the comments were encoded. */
  readonly state: CommentsState
  readonly posterIds: string
  readonly body: EncodedBody<Comment[]>
  readonly count: number
}

/** The cached comments of an issue, if the cache holds them. */
interface KnownComments {
  readonly key: string
  readonly posterIds: string
  readonly kept: KeptComments | undefined
}

/** Bytes that an entry takes besides its text. */
const entryBytes = 600

/** Cached by the query and the names in addresses. */
const memory = perApplication((caches) =>
  caches.open<string, KeptComments>('comments', {
    sizeOf: ({ body, posterIds }, key) => body.sizeBytes + 3 * posterIds.length + key.length + entryBytes,
  }),
)

const wholePage: Page = { number: 1, limit: 1_000_000, offset: 0 }

type CommentListCtx = Pick<Ctx, 'caches' | 'config' | 'db'> & RepoWithOwner

/**
 * Returns the cached comments of an issue. The caller checks their revisions in the database.
 * @param page all without it
 */
export function knownComments(
  ctx: CommentListCtx,
  index: number,
  { sinceUnix, beforeUnix }: ChangedBetween,
  page?: Page,
): KnownComments {
  const key = `${ctx.repo.id} ${repoFullName(ctx)} ${index} ${sinceUnix} ${beforeUnix} ${page?.offset} ${page?.limit}`
  const kept = memory(ctx).get(key)
  return { key, posterIds: kept?.posterIds ?? '[]', kept }
}

/**
 * Returns the encoded comments of an issue, oldest first. The cache holds them under the revisions of all rows that they
 * use. When none of these changed, no other row is read.
 * @param state the current revisions, with those of the known authors
 */
export async function presentCommentsOf(
  ctx: CommentListCtx,
  state: CommentsState,
  { page, ...between }: ChangedBetween & { readonly page?: Page | undefined },
  { key, posterIds: wanted, kept }: KnownComments,
): Promise<Pick<KeptComments, 'body' | 'count'>> {
  if (kept && isSame(kept.state, state)) return kept
  // The revisions are read before the rows, so cached rows are never older than their revisions.
  const rows = await listEntries(ctx.db, state.id, { ...between, onlyComments: true, page: page ?? wholePage })
  const posterIds = idListText(rows.map((row) => row.poster_id))
  const user = posterIds === wanted ? state.user : await loadUserRevisions(ctx.db, posterIds)
  const body = new EncodedBody<Comment[]>(await presentComments(ctx, rows, new Map([[state.id, state]])), listJson)
  const made = {
    state: { ...state, user },
    posterIds,
    body,
    count: page ? await countComments(ctx.db, state.id, between) : rows.length,
  }
  memory(ctx).set(key, made)
  return made
}

const isSame = (one: CommentsState, other: CommentsState): boolean =>
  one.id === other.id && one.is_pull === other.is_pull && one.revision === other.revision && one.user === other.user

import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { ReceivedActivityRow } from '../../db/tables/federation.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { linkBases } from '../../markup/links.ts'
import { isBlockedEitherWay } from '../../users/social/block.store.ts'
import { personUrl, sameOrigin } from '../address.rules.ts'
import { idOf, innerDocument, typeOf, type Document } from '../document.rules.ts'
import type { PersonSigner } from '../follows/incoming-follow.service.ts'
import { refuseReplay } from '../peers/verify.service.ts'
import { readReceived, readContent, type ReceivedActivity } from './received.rules.ts'
import {
  countFeed,
  deleteReceivedAbout,
  deleteReceivedBeyond,
  hasFollower,
  insertReceived,
  listFeed,
  updateReceived,
} from './received.store.ts'

/** Most stored activities of one remote account; the oldest are deleted. */
const maxPerActor = 1000

/**
 * Stores an activity of a remote account for the feeds of its followers, or of the account that it is addressed to. Activities
 * for nobody on this instance are ignored.
 */
export async function storeReceived(
  ctx: Ctx,
  subject: UserRow,
  activity: Document,
  signer: PersonSigner,
): Promise<void> {
  const { db, clock } = ctx
  const received = readReceived(activity, signer.actorUrl)
  if (!received) return
  const actorId = signer.account.user_id
  const isForSubject = !received.isPublic && received.addressees.includes(personUrl(ctx.config, subject.id))
  if (!isForSubject && !(received.isPublic && (await hasFollower(db, actorId)))) return
  if (isForSubject && (await isBlockedEitherWay(db, subject.id, actorId))) return
  const content = await sanitisedHtml(ctx, received)
  const now = nowUnix(clock)
  const published = Math.floor((received.publishedMs ?? clock.nowMs()) / 1000)
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, now)
    await insertReceived(tx, {
      actor_id: actorId,
      activity_url: received.id,
      type: received.type,
      addressee_id: isForSubject ? subject.id : null,
      object_url: received.objectUrl,
      object_type: received.objectType,
      title: received.title,
      content,
      page_url: received.page,
      published_unix: Math.min(Math.max(published, 0), now),
      received_unix: now,
    })
    await deleteReceivedBeyond(tx, actorId, maxPerActor)
  })
}

/** Sanitises HTML of another server in a worker thread with a timeout. */
async function sanitisedHtml(ctx: Ctx, { html, page }: Pick<ReceivedActivity, 'html' | 'page'>): Promise<string> {
  if (html.trim() === '') return ''
  const { rootUrl } = ctx.config.server
  // A blank line would end an HTML block in Markdown.
  const source = html.replaceAll(/\n\s*\n/g, '\n')
  return ctx.texts.render(ctx, source, 'markdown', {
    mode: 'gfm',
    rootUrl,
    bases: linkBases({ rootUrl, context: page, mode: 'gfm' }),
  })
}

/** Applies an `Update`, `Delete` or `Undo` of an activity by its actor. */
export async function changeReceived(ctx: Ctx, activity: Document, signer: PersonSigner): Promise<void> {
  const { db, clock } = ctx
  const actorId = signer.account.user_id
  const objectUrl = idOf(activity['object'])
  if (objectUrl === undefined || !sameOrigin(objectUrl, signer.actorUrl)) return
  const object = typeOf(activity) === 'Update' ? innerDocument(activity, 'object') : undefined
  const content = object && readContent(object)
  const change = content && { title: content.title, content: await sanitisedHtml(ctx, content), page_url: content.page }
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(clock))
    if (change) await updateReceived(tx, actorId, objectUrl, change)
    else if (typeOf(activity) !== 'Update') await deleteReceivedAbout(tx, actorId, objectUrl)
  })
}

/** Returns one page of the received activities in the caller's feed. */
export async function getFeedPage(
  { db, viewer }: SignedInCtx,
  page: Page,
): Promise<{ readonly rows: ReceivedActivityRow[]; readonly total: number }> {
  const [rows, total] = await rowsAndTotal(page, listFeed(db, viewer.id, page), countFeed(db, viewer.id))
  return { rows, total }
}

import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { ReceivedActivityRow } from '../../db/tables/federation.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { linkBases } from '../../markup/links.ts'
import { isBlockedEitherWay } from '../../users/social/block.store.ts'
import { personUrl, sameOrigin } from '../address.rules.ts'
import { idOf, innerDocument, typeOf, type Document } from '../document.rules.ts'
import type { PersonSigner } from '../follows/incoming-follow.service.ts'
import { refuseReplay } from '../peers/verify.service.ts'
import { readTold, readWords, type Told } from './received.rules.ts'
import {
  countFeed,
  deleteReceivedAbout,
  deleteReceivedBeyond,
  hasFollower,
  insertReceived,
  listFeed,
  updateReceived,
} from './received.store.ts'

/** What is kept of one person elsewhere: their newest. */
const maxKept = 1000

/**
 * Keeps what somebody elsewhere tells, for the feeds of those who follow them, or for the one whom it was sent to. What nobody
 * here is meant by is let pass.
 */
export async function keepTold(ctx: Ctx, subject: UserRow, activity: Document, signer: PersonSigner): Promise<void> {
  const { db, clock } = ctx
  const told = readTold(activity, signer.actorUrl)
  if (!told) return
  const actorId = signer.account.user_id
  const isForSubject = !told.isForAll && told.addressees.includes(personUrl(ctx.config, subject.id))
  if (!isForSubject && !(told.isForAll && (await hasFollower(db, actorId)))) return
  if (isForSubject && (await isBlockedEitherWay(db, subject.id, actorId))) return
  const content = await cleanHtml(ctx, told)
  const now = nowUnix(clock)
  const published = Math.floor((told.publishedMs ?? clock.nowMs()) / 1000)
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, now)
    await insertReceived(tx, {
      actor_id: actorId,
      activity_url: told.id,
      type: told.type,
      addressee_id: isForSubject ? subject.id : null,
      object_url: told.objectUrl,
      object_type: told.objectType,
      title: told.title,
      content,
      page_url: told.page,
      published_unix: Math.min(Math.max(published, 0), now),
      received_unix: now,
    })
    await deleteReceivedBeyond(tx, actorId, maxKept)
  })
}

/** HTML of another server in the form that may be shown: read and cleaned in a thread, with a deadline. */
async function cleanHtml({ texts, config }: Ctx, { html, page }: Pick<Told, 'html' | 'page'>): Promise<string> {
  if (html.trim() === '') return ''
  const { rootUrl } = config.server
  // Blank lines would end the HTML in it.
  const source = html.replaceAll(/\n\s*\n/g, '\n')
  return texts.render(source, 'markdown', {
    mode: 'gfm',
    rootUrl,
    bases: linkBases({ rootUrl, context: page, mode: 'gfm' }),
  })
}

/** What somebody said elsewhere was changed, or is said no longer. Only their own. */
export async function changeTold(ctx: Ctx, activity: Document, signer: PersonSigner): Promise<void> {
  const { db, clock } = ctx
  const actorId = signer.account.user_id
  const objectUrl = idOf(activity['object'])
  if (objectUrl === undefined || !sameOrigin(objectUrl, signer.actorUrl)) return
  const object = typeOf(activity) === 'Update' ? innerDocument(activity, 'object') : undefined
  const words = object && readWords(object)
  const change = words && { title: words.title, content: await cleanHtml(ctx, words), page_url: words.page }
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(clock))
    if (change) await updateReceived(tx, actorId, objectUrl, change)
    else if (typeOf(activity) !== 'Update') await deleteReceivedAbout(tx, actorId, objectUrl)
  })
}

/** One page of what came for somebody. */
export async function getFeedPage(
  { db, viewer }: SignedInCtx,
  page: Page,
): Promise<{ readonly rows: ReceivedActivityRow[]; readonly total: number }> {
  const [rows, total] = await Promise.all([listFeed(db, viewer.id, page), countFeed(db, viewer.id)])
  return { rows, total }
}
